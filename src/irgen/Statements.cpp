// SPDX-License-Identifier: Apache-2.0
#include "irgen/Generator.h"

#include <algorithm>

#include "llvm/ADT/ScopeExit.h"

#include "ops/CommonType.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

// ---- facts read off the syntax

static void addName(std::string_view name, std::vector<std::string_view> &names) {
    if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
}

void collectAssigned(const Stmt *s, std::vector<std::string_view> &names) {
    if (!s)
        return;
    switch (s->kind) {
    case StmtKind::Block:
        for (const Stmt *inner : as<Block>(s).body)
            collectAssigned(inner, names);
        break;
    case StmtKind::Assign:
        for (const Target &t : as<Assign>(s).targets)
            addName(t.name, names);
        break;
    case StmtKind::If:
        collectAssigned(as<If>(s).thenBody, names);
        collectAssigned(as<If>(s).elseBody, names);
        break;
    case StmtKind::While:
    case StmtKind::DoWhile: collectAssigned(as<While>(s).body, names); break;
    // An outer variable of the loop variable's name holds its last value afterwards.
    case StmtKind::For:
        collectAssigned(as<For>(s).body, names);
        addName(as<For>(s).variable, names);
        break;
    case StmtKind::ForEach:
        collectAssigned(as<ForEach>(s).body, names);
        addName(as<ForEach>(s).variable, names);
        break;
    case StmtKind::Try:
        collectAssigned(as<Try>(s).body, names);
        collectAssigned(as<Try>(s).handler, names);
        break;
    default: break;
    }
}

bool alwaysLeaves(const Stmt *s) {
    if (!s)
        return false;
    switch (s->kind) {
    case StmtKind::Return: return true;
    case StmtKind::Jump: return !as<Jump>(s).isExpression;
    case StmtKind::If: return alwaysLeaves(as<If>(s).thenBody) && alwaysLeaves(as<If>(s).elseBody);
    case StmtKind::Block: return std::ranges::any_of(as<Block>(s).body, alwaysLeaves);
    default: return false;
    }
}

bool isTruthValue(const Expr *e) {
    if (e->kind == ExprKind::Unary)
        return as<Unary>(e).op == UnaryOp::Not;
    if (e->kind != ExprKind::Binary)
        return false;
    constexpr std::string_view kOperators[] = {"==", "!=", "<", "<=", ">", ">=", "&&", "||"};
    return std::ranges::find(kOperators, as<Binary>(e).op) != std::end(kOperators);
}

// ---- variables

IrValue *Generator::find(std::string_view name) { return find(name, scopes.size(), tryBodies.size()); }

void Generator::assign(std::string_view name, IrValue value, SourceSpan span) {
    if (IrValue *existing = find(name)) {
        *existing = value;
        noteAssigned(name, value, span);
    } else {
        scopes.back()[name] = value;
    }
}

std::vector<std::string_view> Generator::assignedExisting(std::initializer_list<const Stmt *> bodies) {
    std::vector<std::string_view> names;
    for (const Stmt *s : bodies)
        collectAssigned(s, names);
    std::erase_if(names, [&](std::string_view n) { return !find(n); });
    return names;
}

// ---- statements

void Generator::statements(std::span<Stmt *const> list) {
    for (size_t i = 0; i < list.size(); ++i) {
        auto rest = list.subspan(i + 1);
        bool restDone = false;
        try {
            if (list[i]->kind == StmtKind::If)
                ifStatement(as<If>(list[i]), rest, restDone);
            else
                statement(list[i]);
        } catch (const DeadCode &) {
            exits = {.ways = 0};
        }
        if (restDone || !exits.falls())
            return;
        if (exits.isSeveral() && !rest.empty())
            return guardRest(rest);
    }
}

/// What assigns in other languages, or was meant to.
void Generator::noteUnusedComparison(const Expr *statement) {
    if (isArrow(statement))
        warn("this compares with a negative number, and nobody uses the result", "'=' assigns: x = 5;",
             as<Binary>(statement).opSpan);
    else if (statement->kind == ExprKind::Binary && as<Binary>(statement).op == "==")
        warn("nobody uses the result of this comparison", "'=' assigns: x = 5;", as<Binary>(statement).opSpan);
}

void Generator::statement(const Stmt *s) {
    switch (s->kind) {
    case StmtKind::Block: scoped(s); break;
    case StmtKind::ExprStmt:
        noteUnusedComparison(as<ExprStmt>(s).value);
        exprMulti(as<ExprStmt>(s).value);
        break;
    case StmtKind::Assign: assignment(as<Assign>(s)); break;
    case StmtKind::If: {
        bool restDone = false;
        ifStatement(as<If>(s), {}, restDone);
        break;
    }
    case StmtKind::While: whileLoop(as<While>(s)); break;
    case StmtKind::DoWhile: doLoop(as<While>(s)); break;
    case StmtKind::For: forLoop(as<For>(s)); break;
    case StmtKind::ForEach: forEachLoop(as<ForEach>(s)); break;
    case StmtKind::Try: tryStatement(as<Try>(s)); break;
    case StmtKind::Jump:
        if (as<Jump>(s).isExpression)
            expr(as<Jump>(s).value);
        else
            jump(as<Jump>(s).to);
        break;
    case StmtKind::Return: returnStatement(as<Return>(s)); break;
    case StmtKind::FuncDef: break;
    case StmtKind::Import: import(as<Import>(s)); break;
    }
}

/// A list of statements in a scope of its own.
void Generator::inScope(std::span<Stmt *const> list) {
    scopes.emplace_back();
    auto close = llvm::make_scope_exit([&] { scopes.pop_back(); });
    statements(list);
}

/// A body in a scope of its own.
void Generator::scoped(const Stmt *s) {
    if (!s)
        return;
    Stmt *single = const_cast<Stmt *>(s);
    inScope(s->kind == StmtKind::Block ? std::span<Stmt *const>(as<Block>(s).body)
                                       : std::span<Stmt *const>(&single, 1));
}

void Generator::assignment(const Assign &s) {
    if (!s.op.empty())
        return combination(s);
    std::vector<IrValue> values;
    if (s.values.size() == 1)
        values = exprMulti(s.values.front());
    else
        for (const Expr *e : s.values)
            values.push_back(expr(e));
    if (values.size() != s.targets.size())
        throw compileError(s.span, "the right-hand side yields " + std::to_string(values.size()) + " values for " +
                                       std::to_string(s.targets.size()) + " variables");
    for (size_t i = 0; i < values.size(); ++i) {
        assignTo(s.targets[i], values[i], s.values[s.values.size() == 1 ? 0 : i]->span);
        if (s.values.size() == values.size() && isTruthValue(s.values[i]))
            truthValues.insert(values[i]);
    }
}

void Generator::assignTo(const Target &target, IrValue value, SourceSpan end) {
    if (target.isPart()) {
        IrValue base = *find(target.name);
        value = replaced(base, selection(base, target, SourceSpan::join(target.span, end)), value);
    }
    assign(target.name, value, target.span);
}

/// t op= x is t = t op (x), but what selects a part of t is evaluated once.
void Generator::combination(const Assign &s) {
    const Target &target = s.targets.front();
    const Expr *operand = s.values.front();
    IrValue base = *find(target.name);
    Site site{s.span, {}};
    if (!target.isPart()) {
        IrValue value = expr(operand);
        assign(target.name, combine(s.op, *find(target.name), value, {s.span, {target.span, operand->span}}),
               target.span);
        return;
    }
    Selection part = selection(base, target, SourceSpan::join(target.span, operand->span));
    IrValue old = read(base, part);
    IrValue value = combine(s.op, old, expr(operand), site);
    assign(target.name, replaced(base, part, value), target.span);
}

void Generator::returnStatement(const Return &s) {
    Exits left{.ways = Exits::Returns};
    for (const Expr *e : s.values)
        left.values.push_back(expr(e));
    exits = std::move(left);
}

void Generator::import(const Import &s) {
    for (const Imported &file : s.files) {
        auto savedScopes = std::exchange(scopes, {Variables{}});
        auto savedScript = std::exchange(script, file.script);
        statements(file.script->body);
        Variables names = std::move(scopes.front());
        scopes = std::move(savedScopes);
        script = savedScript;
        if (!exits.falls())
            throw DeadCode{};
        for (auto &[name, value] : names) {
            if (name.find('.') != name.npos)
                continue; // what it imported itself is not re-exported
            std::string full = std::string(file.prefix) + "." + std::string(name);
            scopes.back()[builder.getStringAttr(full).getValue()] = value;
        }
    }
}

// ---- branches

Generator::Path Generator::path(const std::vector<std::string_view> &watched, llvm::function_ref<void()> body) {
    Path p;
    p.block = std::make_unique<mlir::Block>();
    std::vector<IrValue> before;
    for (std::string_view name : watched)
        before.push_back(*find(name));
    Exits outside = std::exchange(exits, {});
    const bool certainBefore = std::exchange(certain, false);
    auto restore = llvm::make_scope_exit([&] {
        certain = certainBefore;
        exits = std::move(outside);
        for (size_t i = 0; i < watched.size(); ++i)
            *find(watched[i]) = before[i];
    });
    ViewRegion region(*this, ViewRegion::Entry::Keep);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(p.block.get());
    try {
        body();
    } catch (const DeadCode &) {
        exits = {.ways = 0};
    }
    for (std::string_view name : watched)
        p.values.push_back(*find(name));
    p.exits = std::move(exits);
    return p;
}

TypeDesc Generator::mergedType(const TypeDesc &a, const TypeDesc &b, std::string_view what, Numbers numbers,
                               SourceSpan span) {
    if (a.isComplete() && b.isComplete() && !a.sameType(b)) {
        if (auto common = ops::commonType(a, b); common && (numbers == Numbers::Widen || a.isList()))
            return *common;
        raise(compileError(span, std::string(what) + " is " + a.typeText() + " on one path and " + b.typeText() +
                                     " on the other")
                  .withHint("convert one of them so that both have the same type"));
    }
    return ops::join(a, b);
}

IrValue Generator::convert(IrValue v, const TypeDesc &type, SourceSpan span) {
    TypeDesc from = typeOf(v);
    if (isNumeric(from.valueType) && isNumeric(type.valueType) && from.valueType != type.valueType)
        v = emitCast(v, {.valueType = type.valueType}, span);
    return adapt(v, type, span);
}

void Generator::merge(IrValue condition, Path thenPath, Path elsePath, const std::vector<std::string_view> &watched,
                      SourceSpan span) {
    // What leaves the branches: a list of pairs, null where a path has no value.
    std::vector<std::pair<IrValue, IrValue>> outputs;
    auto variable = [](const Path &p, size_t i) { return p.exits.keepVariables() ? p.values[i] : IrValue(); };
    for (size_t i = 0; i < watched.size(); ++i)
        outputs.emplace_back(variable(thenPath, i), variable(elsePath, i));
    auto returned = [](const Path &p, size_t i) { return i < p.exits.values.size() ? p.exits.values[i] : IrValue(); };
    size_t numReturned = std::max(thenPath.exits.values.size(), elsePath.exits.values.size());
    for (size_t i = 0; i < numReturned; ++i)
        outputs.emplace_back(returned(thenPath, i), returned(elsePath, i));
    Exits merged{.ways = static_cast<uint8_t>(thenPath.exits.ways | elsePath.exits.ways)};

    // Unused outputs (both null) are dropped.
    std::vector<TypeDesc> types;
    for (size_t i = 0; i < outputs.size(); ++i) {
        auto [a, b] = outputs[i];
        bool isVariable = i < watched.size();
        std::string name = isVariable ? "variable " + std::string(watched[i])
                                      : "result " + std::to_string(i - watched.size() + 1) + " of the function";
        if (a && b)
            types.push_back(mergedType(typeOf(a), typeOf(b), name, isVariable ? Numbers::Widen : Numbers::Keep, span));
        else if (a || b)
            types.push_back(typeOf(a ? a : b));
        else
            types.push_back(TypeDesc::unknown());
    }
    llvm::SmallVector<mlir::Type> results;
    for (const TypeDesc &t : types)
        results.push_back(irType(t));
    if (merged.isSeveral())
        results.push_back(scalarType(ValueType::SI64));

    auto finish = [&](Path &p, bool isThen) {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(p.block.get());
        llvm::SmallVector<IrValue> yields;
        for (size_t i = 0; i < outputs.size(); ++i) {
            IrValue v = isThen ? outputs[i].first : outputs[i].second;
            yields.push_back(v ? convert(v, types[i], span) : undef(results[i]));
        }
        if (merged.isSeveral())
            yields.push_back(p.exits.isSeveral() ? p.exits.way : intConstant(p.exits.ways, span));
        builder.create<mlir::scf::YieldOp>(loc(span), yields);
    };
    finish(thenPath, true);
    finish(elsePath, false);

    auto op = builder.create<mlir::scf::IfOp>(loc(span), results, condition, /*withElseRegion=*/true);
    op.getThenRegion().getBlocks().clear();
    op.getElseRegion().getBlocks().clear();
    op.getThenRegion().push_back(thenPath.block.release());
    op.getElseRegion().push_back(elsePath.block.release());

    for (size_t i = 0; i < watched.size(); ++i)
        *find(watched[i]) = op.getResult(i);
    for (size_t i = 0; i < numReturned; ++i)
        merged.values.push_back(op.getResult(watched.size() + i));
    if (merged.isSeveral())
        merged.way = op.getResult(results.size() - 1);
    exits = std::move(merged);
}

/// The type of a variable must not depend on whether a condition is known here: numbers widen to what they become in
/// the branch that is not taken. It is generated for its types only.
void Generator::takenBranch(const Stmt *taken, const Stmt *other) {
    std::vector<std::string_view> watched = assignedExisting({taken, other});
    auto isNumber = [&](std::string_view name) { return isNumeric(typeOf(*find(name)).valueType); };
    std::vector<TypeDesc> types;
    if (std::ranges::any_of(watched, isNumber)) {
        const auto written = writtenFiles;
        const bool anyWritten = writesAnyFile;
        const size_t numInspected = inspectedFiles.size();
        ++errorsAreKept;
        try {
            Path notTaken = path(watched, [&] { scoped(other); });
            if (notTaken.exits.falls())
                for (IrValue v : notTaken.values)
                    types.push_back(typeOf(v));
        } catch (const Error &) {
            types.clear(); // what does not run may be wrong
        }
        --errorsAreKept;
        writtenFiles = written;
        writesAnyFile = anyWritten;
        inspectedFiles.resize(numInspected);
    }
    scoped(taken);
    for (size_t i = 0; i < types.size() && exits.falls(); ++i) {
        IrValue &v = *find(watched[i]);
        auto common = ops::commonType(typeOf(v), types[i]);
        if (common && common->valueType != typeOf(v).valueType)
            v = emitCast(v, {.valueType = common->valueType}, taken ? taken->span : other->span);
    }
}

void Generator::ifStatement(const If &s, std::span<Stmt *const> rest, bool &restDone) {
    IrValue truth = condition(s.condition);
    if (auto known = constantBool(truth))
        return takenBranch(*known ? s.thenBody : s.elseBody, *known ? s.elseBody : s.thenBody);

    // If one branch always leaves, what follows belongs to the other one: nothing has to be tested again.
    bool restToElse = alwaysLeaves(s.thenBody) && !rest.empty();
    bool restToThen = !restToElse && s.elseBody && alwaysLeaves(s.elseBody) && !rest.empty();
    restDone = restToElse || restToThen;

    // Statements of the rest may assign variables of the enclosing scopes as well.
    std::vector<std::string_view> watched = assignedExisting({s.thenBody, s.elseBody});
    if (restDone)
        addAssigned(rest, watched);
    auto branch = [&](const Stmt *body, bool withRest) {
        return path(watched, [&] {
            scoped(body);
            if (!withRest || !exits.falls())
                return;
            if (exits.isSeveral())
                guardRest(rest);
            else
                inScope(rest); // new variables of the rest live in this region only
        });
    };
    Path thenPath = branch(s.thenBody, restToThen);
    Path elsePath = branch(s.elseBody, restToElse);
    merge(truth, std::move(thenPath), std::move(elsePath), watched, s.condition->span);
}

void Generator::addAssigned(std::span<Stmt *const> list, std::vector<std::string_view> &watched) {
    for (const Stmt *s : list)
        for (std::string_view name : assignedExisting({s}))
            addName(name, watched);
}

/// The statements after one that may have left run only if it did not.
void Generator::guardRest(std::span<Stmt *const> rest) {
    std::vector<std::string_view> watched;
    addAssigned(rest, watched);
    const SourceSpan span = rest.front()->span;
    Exits left = std::exchange(exits, {});
    IrValue falls = emitCondition(emit("ewEq", {left.way, intConstant(Exits::Falls, span)}, {span, {}}), span);
    left.ways &= ~Exits::Falls;
    Path restPath = path(watched, [&] { inScope(rest); });
    Path leftPath = path(watched, [&] { exits = left; });
    merge(falls, std::move(restPath), std::move(leftPath), watched, span);
}

// ---- entry

Generator::Generator(mlir::MLIRContext &context, const GenerateOptions &options)
    : functionForms(options.functionForms ? options.functionForms : std::make_shared<FunctionForms>()),
      context(context), options(options), builder(&context) {}

Result Generator::run(const CheckedScript &program) {
    Result result;
    result.module = mlir::ModuleOp::create(builder.getUnknownLoc());
    module = *result.module;
    script = mainScript = program.main;
    anyFunctionValue = program.anyFunctionValue || !functionForms->forms.empty();
    llvm::SmallVector<mlir::Type> inputs;
    for (const Binding &b : options.inputs)
        inputs.push_back(irType(b.type));
    builder.setInsertionPointToEnd(module.getBody());
    auto mainOp =
        builder.create<mlir::func::FuncOp>(builder.getUnknownLoc(), kMain, builder.getFunctionType(inputs, {}));
    builder.setInsertionPointToStart(mainOp.addEntryBlock());
    scopes.emplace_back();
    for (size_t i = 0; i < options.inputs.size(); ++i)
        scopes.back()[options.inputs[i].name] = mainOp.getArgument(i);
    for (const Binding &b : options.views)
        views[b.name] = {b.type, {}, ++numViewVersions};
    statements(program.main->body);
    dropUnusedViewTable();

    std::vector<std::pair<std::string, IrValue>> exported;
    if (options.exportVariables) {
        for (auto &[name, value] : scopes.front())
            exported.emplace_back(name, value);
        std::sort(exported.begin(), exported.end(), [](auto &a, auto &b) { return a.first < b.first; });
    }
    for (const std::string &name : options.outputs) {
        auto found = scopes.front().find(name);
        if (found == scopes.front().end())
            throw compileError({}, "the program has no variable '" + name + "' at its end")
                .withHint("outputs are variables of the main script");
        exported.emplace_back(name, found->second);
    }
    finishDispatchers();
    result.files = std::move(inspectedFiles);
    result.warnings = std::move(warnings);
    llvm::SmallVector<IrValue> values;
    llvm::SmallVector<mlir::Type> types;
    for (auto &[name, value] : exported) {
        result.exports.push_back({name, typeOf(value)});
        values.push_back(value);
        types.push_back(value.getType());
    }
    mainOp.setFunctionType(builder.getFunctionType(inputs, types));
    builder.create<mlir::func::ReturnOp>(builder.getUnknownLoc(), values);
    return result;
}

Result generate(mlir::MLIRContext &context, const CheckedScript &program, const GenerateOptions &options) {
    return Generator(context, options).run(program);
}

} // namespace daphne::irgen
