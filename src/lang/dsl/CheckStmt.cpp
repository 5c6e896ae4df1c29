// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/dsl/Checker.h"

namespace daphne::lang {

namespace {

/// The rest of a block after a return or stop() is dead, but gets the parser's checks as well.
template <class Flow> Flow firstEnd(Flow before, Flow next) { return before == Flow::Continues ? next : before; }

} // namespace

Checker::Flow Checker::checkAll(std::span<Stmt *> statements) {
    Flow flow = Flow::Continues;
    for (Stmt *stmt : statements) {
        if (run.diagnostics.full())
            break;
        flow = firstEnd(flow, checkStmt(stmt));
    }
    return flow;
}

Checker::Flow Checker::checkStmt(Stmt *stmt) {
    switch (stmt->kind) {
    case StmtKind::Block: return checkBody(stmt);
    case StmtKind::ExprStmt: return checkExprStmt(as<ExprStmt>(stmt));
    case StmtKind::Assign: checkAssign(as<Assign>(stmt)); return Flow::Continues;
    case StmtKind::If: return checkIf(as<If>(stmt));
    case StmtKind::While:
    case StmtKind::DoWhile:
    case StmtKind::For: checkLoop(*stmt); return Flow::Continues;
    case StmtKind::FuncDef: checkFuncDef(as<FuncDef>(stmt)); return Flow::Continues;
    case StmtKind::Return: checkReturn(as<Return>(stmt)); return Flow::Returns;
    case StmtKind::Import: checkImport(*static_cast<Import *>(stmt)); return Flow::Continues;
    }
    return Flow::Continues;
}

/// A statement in a scope of its own: a block, a branch, a loop body, braces or not.
Checker::Flow Checker::checkBody(Stmt *stmt) {
    variables->openScope();
    ++depth;
    Flow flow = stmt->kind == StmtKind::Block ? checkAll(as<Block>(stmt).body) : checkStmt(stmt);
    --depth;
    variables->closeScope();
    return flow;
}

Checker::Flow Checker::checkExprStmt(const ExprStmt &stmt) {
    bool isCall = stmt.value->kind == ExprKind::Call && !parsed.parenthesisedCalls.contains(stmt.value);
    if (!isCall) {
        checkValue(stmt.value);
        return Flow::Continues;
    }
    const Call &call = as<Call>(stmt.value);
    checkCall(call);
    return call.callee == "stop" && !functions.has("stop") ? Flow::Stops : Flow::Continues;
}

// ---------------------------------------------------------------- assignments

void Checker::checkAssign(const Assign &assign) {
    size_t numTargets = assign.targets.size();
    std::vector<Known> values(numTargets);
    bool isCall = assign.value->kind == ExprKind::Call && !parsed.parenthesisedCalls.contains(assign.value);
    if (isCall) {
        const Call &call = as<Call>(assign.value);
        CallResult result = checkCall(call);
        size_t numResults = result.types.size();
        if (result.known && numResults == numTargets) {
            for (size_t i = 0; i < numTargets; ++i)
                values[i].type = result.types[i];
        } else if (result.known) {
            auto count = [](size_t n, std::string_view what) {
                return n == 0 ? "no " + std::string(what)
                              : std::to_string(n) + " " + std::string(what.substr(0, what.size() - (n == 1)));
            };
            report(call.span, "'" + std::string(call.callee) + "' yields " + count(numResults, "values") +
                                  ", but there are " + std::to_string(numTargets) + " variables to assign");
        }
    } else {
        size_t errorsBefore = run.diagnostics.count();
        Known value = checkValue(assign.value);
        // Only a directly assigned literal makes a parse-time constant, copies of variables do not.
        if (numTargets == 1)
            (values[0] = std::move(value)).constant = literalConstant(assign.value);
        else if (run.diagnostics.count() == errorsBefore)
            report(assign.value->span, "one value cannot be assigned to " + std::to_string(numTargets) + " variables")
                .withHint("only a call of a function with several results can");
    }
    for (size_t i = 0; i < numTargets; ++i)
        assignTo(assign.targets[i], std::move(values[i]));
}

bool Checker::checkWritable(const Target &target) {
    std::string name(target.name);
    if (target.name.find('.') != target.name.npos) {
        if (!isOfFailedImport(target.name))
            report(target.span, "cannot assign to '" + name + "': dotted names belong to imported scripts");
        return false;
    }
    const Variable *v = variables->find(target.name);
    if (v && v->readOnly) {
        report(target.span, "the loop variable '" + name + "' cannot be assigned to in the loop")
            .withNote("the loop starts", v->assignedAt)
            .withHint("copy it to another variable first");
        return false;
    }
    return true;
}

void Checker::assignTo(const Target &target, Known value) {
    bool writable = checkWritable(target);
    bool inList = !target.elements.empty();
    if (target.index || inList) {
        const Variable *v = variables->find(target.name);
        if (writable && !v)
            reportUndefined(target.name, target.span);
        Type type = v ? v->value.type : Type::unknown();
        if (inList)
            checkElements(target, type);
        if (target.index)
            checkLeftIndex(*target.index);
        bool whole = !inList && target.index->rows.form == IndexPart::Form::All &&
                     target.index->cols.form == IndexPart::Form::All;
        if (!whole)
            value = {type};
    }
    if (writable)
        variables->assign(target.name, std::move(value), target.span);
}

/// l[i][j] = v
void Checker::checkElements(const Target &target, const Type &type) {
    for (const Expr *position : target.elements)
        rejectLabel(position, checkType(position), "elements of a list have no labels");
    if (type.isUnknown() || type.isList())
        return;
    Error &e = report(target.span, "only the elements of a list can be replaced this way, '" +
                                       std::string(target.name) + "' is " + type.typeText());
    if (type.isMatrix() || type.isFrame())
        e.withHint("parts of a matrix or frame have rows and columns, separated by a comma: X[i, ] = y");
}

void Checker::checkLeftIndex(const Index &index) {
    for (const IndexPart *part : {&index.rows, &index.cols})
        for (const Expr *bound : {part->lo, part->hi}) {
            if (!bound)
                continue;
            Type type = checkType(bound);
            if (type.isString())
                report(bound->span, "a label cannot select what to overwrite; use positions");
            else if (!type.isUnknown() && !type.isScalar())
                report(bound->span,
                       "only a position or a range can select what to overwrite, this is " + type.typeText());
        }
}

// ------------------------------------------------------------------- branches

Checker::Flow Checker::checkIf(const If &stmt) {
    checkValue(stmt.condition);

    auto region = variables->openRegion();
    Flow thenFlow = checkBody(stmt.thenBody);
    auto thenChanges = variables->closeRegion(region);

    region = variables->openRegion();
    Flow elseFlow = stmt.elseBody ? checkBody(stmt.elseBody) : Flow::Continues;
    auto elseChanges = variables->closeRegion(region);

    // What follows is reached only through branches that did not return.
    if (thenFlow == Flow::Returns || elseFlow == Flow::Returns) {
        const auto &kept = thenFlow == Flow::Returns ? elseChanges : thenChanges;
        for (const Variables::Change &c : kept)
            variables->set(c.slot, c.after.value, c.after.assignedAt);
    } else {
        mergeBranches(stmt, thenChanges, elseChanges);
    }
    if (thenFlow == Flow::Continues || elseFlow == Flow::Continues)
        return Flow::Continues;
    return thenFlow == elseFlow ? thenFlow : Flow::Stops;
}

void Checker::mergeBranches(const If &stmt, const std::vector<Variables::Change> &thenChanges,
                            const std::vector<Variables::Change> &elseChanges) {
    auto t = thenChanges.begin(), e = elseChanges.begin();
    while (t != thenChanges.end() || e != elseChanges.end()) {
        bool inThen = t != thenChanges.end() && (e == elseChanges.end() || t->slot <= e->slot);
        bool inElse = e != elseChanges.end() && (t == thenChanges.end() || e->slot <= t->slot);
        uint32_t slot = inThen ? t->slot : e->slot;
        Variable before = variables->at(slot);
        mergeVariable(stmt, slot, inThen ? t->after : before, inElse ? e->after : before);
        t += inThen;
        e += inElse;
    }
}

void Checker::mergeVariable(const If &stmt, uint32_t slot, const Variable &afterThen, const Variable &afterElse) {
    const Type &a = afterThen.value.type, &b = afterElse.value.type;
    SourceSpan before = variables->at(slot).assignedAt;
    SourceSpan where = afterThen.assignedAt == before ? afterElse.assignedAt : afterThen.assignedAt;
    if (!a.compatible(b)) {
        report(where, "the type of '" + std::string(afterThen.name) + "' is ambiguous after this 'if': " +
                          a.typeText() + " if the condition holds, " + b.typeText() + " otherwise")
            .withNote("the 'if' is", stmt.span)
            .withHint(a.isScalar() && b.isScalar() ? "convert one of the values, as in as." + a.typeText() + "(x)"
                                                   : "");
    }
    const Known &t = afterThen.value, &e = afterElse.value;
    if (t.numParams && e.numParams && *t.numParams != *e.numParams)
        report(where, "'" + std::string(afterThen.name) +
                          "' holds functions of different numbers of parameters after "
                          "this 'if'")
            .withNote("the 'if' is", stmt.span);
    bool isFunction = t.isFunction && e.isFunction;
    variables->set(slot,
                   {.type = ops::join(a, b),
                    .constant = {},
                    .isFunction = isFunction,
                    .numParams = isFunction && t.numParams == e.numParams ? t.numParams : std::nullopt},
                   where);
}

// ---------------------------------------------------------------------- loops

/// Variables assigned in a loop are not constants in it, whatever they were before.
void Checker::forgetAssigned(const Stmt *stmt) {
    switch (stmt->kind) {
    case StmtKind::Block:
        for (const Stmt *s : as<Block>(stmt).body)
            forgetAssigned(s);
        break;
    case StmtKind::Assign:
        for (const Target &t : as<Assign>(stmt).targets)
            variables->forgetConstant(t.name);
        break;
    case StmtKind::If:
        forgetAssigned(as<If>(stmt).thenBody);
        if (as<If>(stmt).elseBody)
            forgetAssigned(as<If>(stmt).elseBody);
        break;
    case StmtKind::While:
    case StmtKind::DoWhile: forgetAssigned(as<While>(stmt).body); break;
    case StmtKind::For:
        variables->forgetConstant(as<For>(stmt).variable);
        forgetAssigned(as<For>(stmt).body);
        break;
    default: break;
    }
}

void Checker::checkLoop(const Stmt &loop) {
    bool isFor = loop.kind == StmtKind::For;
    if (isFor) {
        const For &f = as<For>(&loop);
        for (const Expr *bound : {f.from, f.to, f.step})
            if (bound)
                checkValue(bound);
        const Variable *outer = variables->find(f.variable);
        if (outer && outer->readOnly)
            report(f.variableSpan, "'" + std::string(f.variable) + "' already is the variable of an enclosing loop")
                .withNote("which starts", outer->assignedAt);
    }
    forgetAssigned(&loop);
    auto region = variables->openRegion();
    ++loops;
    if (loop.kind == StmtKind::While)
        checkValue(as<While>(&loop).condition);
    variables->openScope();
    if (isFor)
        variables->define(as<For>(&loop).variable, {Type::scalar(ValueType::SI64)}, as<For>(&loop).variableSpan,
                          Variables::Access::ReadOnly);
    checkBody(isFor ? as<For>(&loop).body : as<While>(&loop).body);
    variables->closeScope();
    if (loop.kind == StmtKind::DoWhile)
        checkValue(as<While>(&loop).condition);
    --loops;
    // A loop that changes a type is rejected by the compiler, so the types of before hold after it.
    variables->closeRegion(region);
}

} // namespace daphne::lang
