// SPDX-License-Identifier: Apache-2.0
#include "irgen/Generator.h"

#include <algorithm>

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

// ---- facts read off the syntax

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
            if (std::find(names.begin(), names.end(), t.name) == names.end())
                names.push_back(t.name);
        break;
    case StmtKind::If:
        collectAssigned(as<If>(s).thenBody, names);
        collectAssigned(as<If>(s).elseBody, names);
        break;
    case StmtKind::While:
    case StmtKind::DoWhile: collectAssigned(as<While>(s).body, names); break;
    case StmtKind::For:
        collectAssigned(as<For>(s).body, names);
        // An outer variable of the loop variable's name holds its last value afterwards.
        if (std::find(names.begin(), names.end(), as<For>(s).variable) == names.end())
            names.push_back(as<For>(s).variable);
        break;
    default: break;
    }
}

bool containsReturn(const Stmt *s) {
    if (!s)
        return false;
    if (s->kind == StmtKind::Return)
        return true;
    if (s->kind == StmtKind::If)
        return containsReturn(as<If>(s).thenBody) || containsReturn(as<If>(s).elseBody);
    if (s->kind == StmtKind::Block)
        return std::ranges::any_of(as<Block>(s).body, containsReturn);
    return false;
}

bool alwaysReturns(const Stmt *s) {
    if (!s)
        return false;
    if (s->kind == StmtKind::Return)
        return true;
    if (s->kind == StmtKind::If)
        return alwaysReturns(as<If>(s).thenBody) && alwaysReturns(as<If>(s).elseBody);
    if (s->kind == StmtKind::Block)
        return std::ranges::any_of(as<Block>(s).body, alwaysReturns);
    return false;
}

// ---- variables

IrValue *Generator::find(std::string_view name) {
    for (size_t i = scopes.size(); i-- > 0;)
        if (auto it = scopes[i].find(name); it != scopes[i].end())
            return &it->second;
    return nullptr;
}

void Generator::assign(std::string_view name, IrValue value) {
    if (IrValue *existing = find(name))
        *existing = value;
    else
        scopes.back()[name] = value;
}

std::vector<std::string_view> Generator::assignedExisting(std::initializer_list<const Stmt *> bodies) {
    std::vector<std::string_view> names;
    for (const Stmt *s : bodies)
        collectAssigned(s, names);
    std::erase_if(names, [&](std::string_view n) { return !find(n); });
    return names;
}

// ---- statements

Flow Generator::statements(std::span<Stmt *const> list) {
    for (size_t i = 0; i < list.size(); ++i) {
        auto rest = list.subspan(i + 1);
        bool restDone = false;
        Flow flow;
        try {
            flow = list[i]->kind == StmtKind::If ? ifStatement(as<If>(list[i]), rest, restDone) : statement(list[i]);
        } catch (const DeadCode &) {
            return Flow::Ends;
        }
        if (restDone || flow == Flow::Ends)
            return flow;
        if (returns.status == ReturnState::Maybe && !rest.empty())
            return guardRest(rest);
    }
    return Flow::Falls;
}

Flow Generator::statement(const Stmt *s) {
    switch (s->kind) {
    case StmtKind::Block: return scoped(s);
    case StmtKind::ExprStmt: exprMulti(as<ExprStmt>(s).value); return Flow::Falls;
    case StmtKind::Assign: assignment(as<Assign>(s)); return Flow::Falls;
    case StmtKind::If: {
        bool restDone = false;
        return ifStatement(as<If>(s), {}, restDone);
    }
    case StmtKind::While:
    case StmtKind::DoWhile:
    case StmtKind::For: return loop(s);
    case StmtKind::Return: return returnStatement(as<Return>(s));
    case StmtKind::FuncDef: return Flow::Falls;
    case StmtKind::Import: import(as<Import>(s)); return Flow::Falls;
    }
    return Flow::Falls;
}

/// A body in a scope of its own.
Flow Generator::scoped(const Stmt *s) {
    if (!s)
        return Flow::Falls;
    scopes.emplace_back();
    Flow flow;
    try {
        Stmt *single = const_cast<Stmt *>(s);
        flow = s->kind == StmtKind::Block ? statements(as<Block>(s).body) : statements({&single, 1});
    } catch (...) {
        scopes.pop_back();
        throw;
    }
    scopes.pop_back();
    return flow;
}

void Generator::assignment(const Assign &s) {
    std::vector<IrValue> values = exprMulti(s.value);
    if (values.size() != s.targets.size())
        throw compileError(s.span, "the right-hand side yields " + std::to_string(values.size()) + " values for " +
                                       std::to_string(s.targets.size()) + " variables");
    for (size_t i = 0; i < values.size(); ++i) {
        const Target &t = s.targets[i];
        IrValue value = values[i];
        if (t.index || !t.elements.empty())
            value = replaced(*find(t.name), t, 0, value, SourceSpan::join(t.span, s.value->span));
        assign(t.name, value);
    }
}

/// base with the value at the place the target names, from the given level of its lists on.
IrValue Generator::replaced(IrValue base, const Target &t, size_t level, IrValue value, SourceSpan span) {
    if (level == t.elements.size())
        return t.index ? insert(base, *t.index, value, span) : value;
    IrValue list = asList(base, span);
    IrValue at = position(expr(t.elements[level]), t.elements[level]->span);
    // Positions may count from the end, but those of the operations do not.
    IrValue length = emitCast(emit("length", list, {span, {}}), TypeDesc::scalar(ValueType::SI64), span);
    IrValue fromEnd = emitCondition(emit("ewLt", {at, intConstant(0, span)}, {span, {}}), span);
    at = emit("cond", {fromEnd, emit("ewAdd", {at, length}, {span, {}}), at}, {span, {}});
    std::vector<IrValue> taken = emitMulti("remove", {list, at, boolConstant(true, span)}, {span, {}});
    // Nobody else holds the element now, if nobody did before: it may be updated in place.
    IrValue element = replaced(taken[1], t, level + 1, value, span);
    return emit("append", {taken[0], element, at, boolConstant(false, span)}, {span, {}});
}

Flow Generator::returnStatement(const Return &s) {
    ReturnState state;
    state.status = ReturnState::Yes;
    for (const Expr *e : s.values)
        state.values.push_back(expr(e));
    returns = std::move(state);
    return Flow::Ends;
}

void Generator::import(const Import &s) {
    for (const Imported &file : s.files) {
        auto savedScopes = std::exchange(scopes, {Variables{}});
        auto savedScript = std::exchange(script, file.script);
        Flow flow = statements(file.script->body);
        Variables names = std::move(scopes.front());
        scopes = std::move(savedScopes);
        script = savedScript;
        if (flow == Flow::Ends)
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

template <class Body> Generator::Path Generator::path(const std::vector<std::string_view> &watched, Body &&body) {
    Path p;
    p.block = std::make_unique<mlir::Block>();
    std::vector<IrValue> before;
    for (std::string_view name : watched)
        before.push_back(*find(name));
    ReturnState returnsBefore = returns;
    ViewRegion region(*this, ViewRegion::Entry::Keep);
    bool certainBefore = std::exchange(certain, false);
    {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(p.block.get());
        Flow flow;
        try {
            flow = body();
        } catch (const DeadCode &) {
            flow = Flow::Ends;
        }
        p.dead = flow == Flow::Ends && returns.status != ReturnState::Yes;
    }
    certain = certainBefore;
    for (size_t i = 0; i < watched.size(); ++i) {
        IrValue *v = find(watched[i]);
        p.values.push_back(*v);
        *v = before[i];
    }
    p.returns = std::exchange(returns, returnsBefore);
    return p;
}

TypeDesc Generator::mergedType(const TypeDesc &a, const TypeDesc &b, std::string_view what, SourceSpan span) {
    bool lists = a.isList() && b.isList(); // what they hold may differ
    if (!lists && a.isComplete() && b.isComplete() && !a.sameType(b))
        raise(compileError(span, std::string(what) + " is " + a.typeText() + " on one path and " + b.typeText() +
                                     " on the other")
                  .withHint("convert one of them so that both have the same type"));
    return ops::join(a, b);
}

Flow Generator::merge(IrValue condition, Path thenPath, Path elsePath, const std::vector<std::string_view> &watched,
                      SourceSpan span) {
    using Status = ReturnState::Status;
    bool thenEnds = thenPath.dead || thenPath.returns.status == Status::Yes;
    bool elseEnds = elsePath.dead || elsePath.returns.status == Status::Yes;

    // What leaves the branches: a list of pairs, null where a path has no value.
    std::vector<std::pair<IrValue, IrValue>> outputs;
    std::vector<std::string> names;
    for (size_t i = 0; i < watched.size(); ++i) {
        outputs.emplace_back(thenEnds ? IrValue() : thenPath.values[i], elseEnds ? IrValue() : elsePath.values[i]);
        names.push_back("variable " + std::string(watched[i]));
    }
    size_t numReturned = std::max(thenPath.returns.values.size(), elsePath.returns.values.size());
    bool anyReturn = thenPath.returns.status != Status::No || elsePath.returns.status != Status::No;
    auto returnedValue = [&](const Path &p, size_t i) {
        return !p.dead && i < p.returns.values.size() ? p.returns.values[i] : IrValue();
    };
    for (size_t i = 0; i < numReturned; ++i) {
        outputs.emplace_back(returnedValue(thenPath, i), returnedValue(elsePath, i));
        names.push_back("result " + std::to_string(i + 1) + " of the function");
    }
    bool bothEnd = thenEnds && elseEnds;
    bool needFlag = anyReturn && !bothEnd;

    // Unused outputs (both null) are dropped.
    std::vector<TypeDesc> types;
    for (size_t i = 0; i < outputs.size(); ++i) {
        auto [a, b] = outputs[i];
        if (a && b)
            types.push_back(mergedType(typeOf(a), typeOf(b), names[i], span));
        else if (a || b)
            types.push_back(typeOf(a ? a : b));
        else
            types.push_back(TypeDesc::unknown());
    }
    llvm::SmallVector<mlir::Type> results;
    for (const TypeDesc &t : types)
        results.push_back(irType(t));
    if (needFlag)
        results.push_back(builder.getI1Type());

    auto finish = [&](Path &p, bool isThen) {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(p.block.get());
        llvm::SmallVector<IrValue> yields;
        for (size_t i = 0; i < outputs.size(); ++i) {
            IrValue v = isThen ? outputs[i].first : outputs[i].second;
            yields.push_back(v ? adapt(v, types[i], span) : undef(results[i]));
        }
        if (needFlag)
            yields.push_back(p.returns.status == Status::Maybe ? p.returns.returned
                                                               : boolConstant(p.returns.status == Status::Yes, span));
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
    if (anyReturn) {
        returns.values.clear();
        for (size_t i = 0; i < numReturned; ++i)
            returns.values.push_back(op.getResult(watched.size() + i));
        returns.status = needFlag ? Status::Maybe : Status::Yes;
        returns.returned = needFlag ? op.getResult(results.size() - 1) : IrValue();
        bool bothDead = thenPath.dead && elsePath.dead;
        if (bothDead)
            returns.status = Status::No;
    }
    return bothEnd ? Flow::Ends : Flow::Falls;
}

Flow Generator::ifStatement(const If &s, std::span<Stmt *const> rest, bool &restDone) {
    IrValue condition = emitCondition(expr(s.condition), s.condition->span);
    if (auto known = constantBool(condition))
        return scoped(*known ? s.thenBody : s.elseBody);

    // If one branch always returns, what follows belongs to the other one: no flag is needed.
    bool restToElse = alwaysReturns(s.thenBody) && !rest.empty();
    bool restToThen = !restToElse && s.elseBody && alwaysReturns(s.elseBody) && !rest.empty();
    restDone = restToElse || restToThen;

    // Statements of the rest may assign variables of the enclosing scopes as well.
    std::vector<std::string_view> watched = assignedExisting({s.thenBody, s.elseBody});
    if (restDone) {
        for (const Stmt *r : rest)
            for (std::string_view name : assignedExisting({r}))
                if (std::find(watched.begin(), watched.end(), name) == watched.end())
                    watched.push_back(name);
    }
    auto branch = [&](const Stmt *body, bool withRest) {
        return path(watched, [&] {
            Flow flow = scoped(body);
            if (!withRest || flow == Flow::Ends)
                return flow;
            scopes.emplace_back(); // new variables of the rest live in this region only
            try {
                flow = returns.status == ReturnState::Maybe ? guardRest(rest) : statements(rest);
            } catch (...) {
                scopes.pop_back();
                throw;
            }
            scopes.pop_back();
            return flow;
        });
    };
    Path thenPath = branch(s.thenBody, restToThen);
    Path elsePath = branch(s.elseBody, restToElse);
    return merge(condition, std::move(thenPath), std::move(elsePath), watched, s.condition->span);
}

/// The statements after one that may have returned run only if it did not.
Flow Generator::guardRest(std::span<Stmt *const> rest) {
    std::vector<std::string_view> watched;
    for (const Stmt *r : rest)
        for (std::string_view name : assignedExisting({r}))
            if (std::find(watched.begin(), watched.end(), name) == watched.end())
                watched.push_back(name);
    IrValue returned = returns.returned;
    ReturnState before = returns;
    Path returnedPath = path(watched, [&] { return Flow::Falls; });
    returnedPath.returns.status = ReturnState::Yes;
    Path restPath = path(watched, [&] {
        returns = {};
        scopes.emplace_back();
        Flow flow;
        try {
            flow = statements(rest);
        } catch (...) {
            scopes.pop_back();
            throw;
        }
        scopes.pop_back();
        return flow;
    });
    returns = {};
    return merge(returned, std::move(returnedPath), std::move(restPath), watched, rest.front()->span);
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
