// SPDX-License-Identifier: Apache-2.0
/// User-defined functions: overloads and specialisation.
#include "irgen/Generator.h"

#include <algorithm>

#include "llvm/ADT/ScopeExit.h"

#include "ops/FunctionKind.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

/// After this many versions of a function, shapes and numeric constants no longer make a new one.
constexpr int kMaxSpecialisations = 8;

/// Facts every version shares: data type and value type.
TypeDesc withoutShape(const TypeDesc &t) {
    switch (t.kind) {
    case ops::Kind::Matrix: return TypeDesc::matrix(t.valueType);
    case ops::Kind::Frame: return TypeDesc::frame(t.schema);
    default: return t;
    }
}

} // namespace

std::string Generator::keyOf(const FuncDef &def, const std::vector<Argument> &args) {
    std::string key = std::to_string(reinterpret_cast<uintptr_t>(&def));
    for (const Argument &a : args) {
        key += "|" + a.type.text() + "~" + std::to_string(a.type.sparsity) + "#" + std::to_string(a.function);
        if (a.constant)
            key += "=" + std::to_string(a.constant->i) + ":" + std::to_string(llvm::bit_cast<uint64_t>(a.constant->d)) +
                   ":" + a.constant->s;
    }
    return key;
}

/// Whether the value of a parameter can decide which code runs or what shape a value has: it occurs in a condition, a
/// loop bound, an index, a call or a shape. (It may still do so through another variable; that only costs precision.)
bool Generator::steers(const FuncDef &def, std::string_view param) {
    auto [it, isNew] = steering.try_emplace(&def);
    if (isNew)
        collectSteering(def.body, it->second);
    return std::find(it->second.begin(), it->second.end(), param) != it->second.end();
}

void Generator::addImported(const Import &import, FunctionTable &table) {
    for (const Imported &file : import.files)
        for (const Stmt *inner : file.script->body)
            if (inner->kind == StmtKind::FuncDef)
                table[std::string(file.prefix) + "." + std::string(as<FuncDef>(inner).name)].push_back(
                    &as<FuncDef>(inner));
}

const Generator::FunctionTable &Generator::functionsOf(const Script *s) {
    auto [it, isNew] = functionTables.try_emplace(s);
    if (!isNew)
        return it->second;
    FunctionTable table;
    if (s == mainScript)
        for (const Import *import : options.imports)
            addImported(*import, table);
    for (const Stmt *stmt : s->body) {
        if (stmt->kind == StmtKind::FuncDef)
            table[std::string(as<FuncDef>(stmt).name)].push_back(&as<FuncDef>(stmt));
        if (stmt->kind == StmtKind::Import)
            addImported(as<Import>(stmt), table);
    }
    return functionTables[s] = std::move(table);
}

std::vector<const FuncDef *> Generator::visibleFunctions(std::string_view name, SourceSpan at) {
    std::vector<const FuncDef *> found;
    // Inputs of a session see each other's functions; imported scripts do not.
    bool inSession = script == mainScript ||
                     std::ranges::any_of(options.functions, [&](const FuncDef *f) { return f->script == script; });
    for (const FuncDef *f : options.functions)
        if (inSession && f->name == name)
            found.push_back(f);
    const FunctionTable &table = functionsOf(script);
    auto it = table.find(name);
    if (it != table.end())
        for (const FuncDef *f : it->second)
            // Functions of the same file are visible below their head, where the defaults are.
            if (f->span.fileId != at.fileId || f->body->span.begin < at.begin)
                found.push_back(f);
    return found;
}

Generator::Chosen Generator::chooseOverload(const std::vector<const FuncDef *> &candidates,
                                            const std::vector<TypeDesc> &types, const Call &e) {
    for (Fit fit : {Fit::Exact, Fit::Widened})
        for (const FuncDef *f : candidates)
            if (Bound bound = bindToParams(*f, e.args); fits(*f, bound, types, fit))
                return {f, std::move(bound)};
    std::string text;
    for (const TypeDesc &t : types)
        text += (text.empty() ? "" : ", ") + t.typeText();
    raise(compileError(e.span, "no definition of " + std::string(e.callee) + " takes (" + text + ")"));
}

/// The value of a parameter that no argument was given for. It is computed where the call is, but sees what the
/// function sees: the parameters before it.
IrValue Generator::defaultOf(const FuncDef &def, size_t param, llvm::ArrayRef<IrValue> earlier) {
    auto savedScopes = std::exchange(scopes, {Variables{}});
    auto savedTryBodies = std::exchange(tryBodies, {});
    auto savedScript = std::exchange(script, def.script);
    auto restore = llvm::make_scope_exit([&] {
        scopes = std::move(savedScopes);
        tryBodies = std::move(savedTryBodies);
        script = savedScript;
    });
    for (size_t p = 0; p < param; ++p)
        scopes.back()[def.params[p].name] = earlier[p];
    return expr(def.params[param].defaultValue);
}

/// v as the declared type of the parameter wants it: widened, or checked when the call runs.
IrValue Generator::valueOfParam(IrValue v, const Param &param, SourceSpan span) {
    if (!param.typed)
        return v;
    TypeDesc declared = lang::typeOf(param.type), given = typeOf(v);
    if (given.isComplete() && declared.valueType != ValueType::Unknown && given.valueType != declared.valueType)
        return emitCast(v, {.valueType = declared.valueType}, span);
    return !given.isComplete() && declared.isComplete() ? adapt(v, declared, span) : v;
}

std::vector<IrValue> Generator::callFunction(const Call &e, const std::vector<const FuncDef *> &candidates) {
    std::vector<IrValue> values;
    for (const CallArg &a : e.args)
        values.push_back(expr(a.value));
    return callDefinition(e, values, candidates);
}

Generator::Argument Generator::argumentOf(IrValue v) {
    Argument arg;
    arg.type = typeOf(v);
    if (options.propagateConstants)
        arg.constant = ir::constantOf(v);
    if (auto function = functionOf(v))
        arg.function = function->number;
    return arg;
}

std::vector<IrValue> Generator::callDefinition(const Call &e, const std::vector<IrValue> &values,
                                               const std::vector<const FuncDef *> &candidates) {
    std::vector<TypeDesc> types;
    for (IrValue v : values)
        types.push_back(functionOf(v) ? ops::functionType() : typeOf(v));
    auto [def, bound] = chooseOverload(candidates, types, e);
    std::vector<Argument> args;
    std::vector<IrValue> operands;
    for (size_t p = 0; p < def->params.size(); ++p) {
        const Param &param = def->params[p];
        size_t a = bound.argumentOf[p];
        bool isGiven = a != Bound::kDefault;
        IrValue v = isGiven ? valueOfParam(values[a], param, e.args[a].span)
                            : valueOfParam(defaultOf(*def, p, operands), param, param.defaultValue->span);
        args.push_back(argumentOf(v));
        operands.push_back(v);
    }
    const Specialisation &target = specialiseFor(e.span, *def, std::move(args));
    applyViews(target.registered);
    auto inputs = mlir::func::FuncOp(target.op).getFunctionType().getInputs();
    for (size_t i = 0; i < operands.size(); ++i)
        operands[i] = adapt(operands[i], ir::toTypeDesc(inputs[i]), e.span);
    llvm::SmallVector<mlir::Type> results;
    for (const TypeDesc &t : target.results)
        results.push_back(irType(t));
    auto call =
        builder.create<mlir::func::CallOp>(loc(e.span), mlir::func::FuncOp(target.op).getSymName(), results, operands);
    if (target.neverReturns)
        throw DeadCode{};
    return {call.result_begin(), call.result_end()};
}

/// As specialise(); what is wrong in the function for these arguments is told with the calls that lead there.
const Generator::Specialisation &Generator::specialiseFor(SourceSpan call, const FuncDef &def, std::vector<Argument> args) {
    callChain.push_back({std::string(def.name), call});
    auto restore = llvm::make_scope_exit([&] { callChain.pop_back(); });
    try {
        return specialise(def, std::move(args));
    } catch (Error &error) {
        addCallTrace(error, {callChain.rbegin(), callChain.rend()});
        throw;
    }
}

const Generator::Specialisation &Generator::specialise(const FuncDef &def, std::vector<Argument> args) {
    bool recursive = std::find(inProgress.begin(), inProgress.end(), def.body) != inProgress.end();
    // A number that is only computed with needs no version of its own.
    for (size_t i = 0; i < args.size(); ++i)
        if (args[i].constant && isNumeric(args[i].constant->type) && !steers(def, def.params[i].name))
            args[i].constant.reset();
    if (recursive || numSpecialisations[def.body] >= kMaxSpecialisations)
        for (Argument &a : args) {
            if (recursive)
                a.function = -1; // else functions that wrap their own argument would have no end
            bool selects = a.constant && (a.type.valueType == ValueType::Str || a.type.valueType == ValueType::Bool);
            if (recursive || !selects)
                a.constant.reset();
            a.type = withoutShape(a.type);
        }
    // A version that is still being generated does not know its result types: calls from within need one of their own,
    // whose results have the declared types from the start.
    std::string key = keyOf(def, args) + (recursive ? "|recursive" : "") + viewsKey();
    auto [it, isNew] = specialisations.try_emplace(std::move(key));
    if (isNew) {
        ++numSpecialisations[def.body];
        it->second = std::make_unique<Specialisation>();
        try {
            generateBody(def, *it->second, args);
        } catch (const Error &) {
            if (errorsAreKept) { // nobody hears of the error: what there is of the function must be well-formed
                neverCalled(it->second->op);
                specialisations.erase(it);
            }
            throw;
        }
        it->second->finished = true;
    }
    Specialisation &target = *it->second;
    if (!target.finished && !target.usesDeclared) {
        // A recursive call: its results are what the function declares.
        if (!def.resultsDeclared)
            raise(compileError(def.nameSpan, std::string(def.name) + " calls itself through a value, but its result "
                                                                     "types are not declared")
                      .withHint("declare them: def name(...) -> type { ... }"));
        target.usesDeclared = true;
        for (const TypeSpec &t : def.results)
            target.results.push_back(lang::typeOf(t));
        setResults(target);
    }
    return target;
}

void Generator::neverCalled(mlir::func::FuncOp op) {
    mlir::Block &entry = op.getBody().front();
    entry.clear();
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&entry);
    llvm::SmallVector<IrValue> results;
    for (mlir::Type t : op.getFunctionType().getResults())
        results.push_back(undef(t));
    builder.create<mlir::func::ReturnOp>(op.getLoc(), results);
}

void Generator::setResults(Specialisation &target) {
    llvm::SmallVector<mlir::Type> results;
    for (const TypeDesc &t : target.results)
        results.push_back(irType(t));
    target.op.setFunctionType(builder.getFunctionType(target.op.getFunctionType().getInputs(), results));
}

void Generator::generateBody(const FuncDef &def, Specialisation &target, const std::vector<Argument> &args) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    auto savedScopes = std::exchange(scopes, {Variables{}});
    auto savedExits = std::exchange(exits, {});
    auto savedTryBodies = std::exchange(tryBodies, {});
    auto savedInFunction = std::exchange(inFunction, true);
    auto savedScript = std::exchange(script, def.script);
    bool savedCertain = certain;
    inProgress.push_back(def.body);
    auto restore = llvm::make_scope_exit([&] {
        inProgress.pop_back();
        scopes = std::move(savedScopes);
        exits = std::move(savedExits);
        tryBodies = std::move(savedTryBodies);
        inFunction = savedInFunction;
        script = savedScript;
        certain = savedCertain;
    });

    llvm::SmallVector<mlir::Type> inputs;
    for (const Argument &a : args)
        inputs.push_back(irType(a.type));
    builder.setInsertionPointToEnd(module.getBody());
    std::string name = std::string(def.name) + "_" + std::to_string(++numFunctions);
    target.op = builder.create<mlir::func::FuncOp>(loc(def.nameSpan), name, builder.getFunctionType(inputs, {}));
    target.op.setPrivate();
    builder.setInsertionPointToStart(target.op.addEntryBlock());
    for (size_t i = 0; i < args.size(); ++i) {
        IrValue v = args[i].constant ? constant(*args[i].constant, def.params[i].span) : target.op.getArgument(i);
        if (args[i].function >= 0)
            v = functionInSight(v, args[i].function, def.params[i].span);
        scopes.back()[def.params[i].name] = v;
    }
    ViewRegion region(*this, ViewRegion::Entry::Forget, &target.registered);
    statements(def.body->body);
    finishFunction(def, target);
}

void Generator::finishFunction(const FuncDef &def, Specialisation &target) {
    bool useDeclared = target.usesDeclared;
    bool dead = exits.ways == 0;
    if (exits.isSeveral() && !exits.values.empty())
        raise(compileError(def.nameSpan, "function " + std::string(def.name) + " does not return on every path"));
    std::vector<IrValue> values;
    if (dead) {
        target.neverReturns = !useDeclared;
        for (const TypeDesc &t : target.results)
            values.push_back(undef(irType(t)));
    } else {
        values = exits.values;
        if (def.resultsDeclared && values.size() != def.results.size())
            raise(compileError(def.nameSpan, "function " + std::string(def.name) + " returns " +
                                                 std::to_string(values.size()) + " values, declared are " +
                                                 std::to_string(def.results.size())));
        for (size_t i = 0; i < values.size(); ++i) {
            TypeDesc actual = typeOf(values[i]);
            if (def.resultsDeclared) {
                TypeDesc declared = lang::typeOf(def.results[i]);
                if (!declared.compatible(actual)) {
                    Error e = compileError(def.nameSpan, "function " + std::string(def.name) + " returns " +
                                                             actual.typeText() + " where " + declared.typeText() +
                                                             " is declared");
                    e.withHint("convert it, for example with as." + std::string(dslName(declared.valueType)) + "()");
                    raise(std::move(e));
                }
                if (useDeclared || (!actual.isComplete() && declared.isComplete()))
                    values[i] = adapt(values[i], declared, def.results[i].span);
            }
            if (!useDeclared)
                target.results.push_back(typeOf(values[i]));
        }
    }
    if (!useDeclared)
        setResults(target);
    builder.create<mlir::func::ReturnOp>(loc(def.span), values);
}

} // namespace daphne::irgen
