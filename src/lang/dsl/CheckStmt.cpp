// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/dsl/Checker.h"
#include "lang/dsl/Elements.h"
#include "ops/CommonType.h"

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
    case StmtKind::For:
    case StmtKind::ForEach: return checkLoop(*stmt);
    case StmtKind::Jump: return checkJump(*static_cast<Jump *>(stmt));
    case StmtKind::Try: return checkTry(as<Try>(stmt));
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
        if (isArrow(stmt.value) && reportArrow(as<Binary>(stmt.value)))
            return Flow::Continues;
        checkValue(stmt.value);
        return Flow::Continues;
    }
    const Call &call = as<Call>(stmt.value);
    checkCall(call);
    return call.callee == "stop" && namesBuiltin("stop") ? Flow::Stops : Flow::Continues;
}

/// x <- y of a variable that does not exist yet. False: it exists.
bool Checker::reportArrow(const Binary &comparison) {
    bool isNew = comparison.lhs->kind == ExprKind::Var && !variables->find(as<Var>(comparison.lhs).name);
    if (isNew)
        report(comparison.opSpan, "'<-' does not assign: it compares with a negative number")
            .withHint("a variable is made by assigning: " + std::string(as<Var>(comparison.lhs).name) + " = 5;");
    return isNew;
}

// ---------------------------------------------------------------- assignments

void Checker::checkAssign(const Assign &assign) {
    assigned = assign.targets.front().name;
    std::vector<Known> values = !assign.op.empty()         ? std::vector<Known>{checkCombination(assign)}
                                : assign.values.size() > 1 ? checkEachValue(assign)
                                                           : checkOneValue(assign);
    assigned = {};
    for (size_t i = 0; i < assign.targets.size(); ++i)
        assignTo(assign.targets[i], std::move(values[i]));
}

/// a, b = x, y: each value is one result.
std::vector<Known> Checker::checkEachValue(const Assign &assign) {
    size_t numTargets = assign.targets.size(), numValues = assign.values.size();
    std::vector<Known> values;
    for (const Expr *value : assign.values)
        values.emplace_back(checkValue(value)).constant = literalConstant(value);
    if (numValues != numTargets)
        report(SourceSpan::join(assign.values.front()->span, assign.values.back()->span),
               std::to_string(numValues) + " values cannot be assigned to " + std::to_string(numTargets) +
                   (numTargets == 1 ? " variable" : " variables"))
            .withHint(assign.values.back()->kind == ExprKind::Lambda
                          ? "several parameters stand in parentheses: (x, y) -> x + y"
                          : "");
    values.resize(numTargets);
    return values;
}

/// One expression, perhaps a call with several results.
std::vector<Known> Checker::checkOneValue(const Assign &assign) {
    const Expr *source = assign.values.front();
    size_t numTargets = assign.targets.size();
    std::vector<Known> values(numTargets);
    bool isCall = source->kind == ExprKind::Call && !parsed.parenthesisedCalls.contains(source);
    if (isCall) {
        const Call &call = as<Call>(source);
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
        return values;
    }
    size_t errorsBefore = run.diagnostics.count();
    Known value = checkValue(source);
    // Only a directly assigned literal makes a parse-time constant, copies of variables do not.
    if (numTargets == 1)
        (values[0] = std::move(value)).constant = literalConstant(source);
    else if (run.diagnostics.count() == errorsBefore)
        report(source->span, "one value cannot be assigned to " + std::to_string(numTargets) + " variables")
            .withHint("write one value for each variable, or a call of a function with several results");
    return values;
}

/// t += x and the like.
Known Checker::checkCombination(const Assign &assign) {
    const Target &target = assign.targets.front();
    const Variable *v = variables->find(target.name);
    if (!v && target.name.find('.') == target.name.npos && !target.isPart())
        reportUndefined(target.name, target.span);
    Type old = v ? v->value.type : Type::unknown();
    Type type = run.types.binary(assign.op, target.isPart() && !old.isMatrix() ? Type::unknown() : old,
                                 checkType(assign.values.front()));
    return {type};
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
    if (target.isPart()) {
        const Variable *v = variables->find(target.name);
        if (writable && !v)
            reportUndefined(target.name, target.span);
        value = {checkPart(target, v ? v->value.type : Type::unknown(), value.type)};
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

/// The type of a variable after a part of it was assigned.
Checker::Type Checker::checkPart(const Target &target, const Type &type, const Type &value) {
    const bool inList = !target.elements.empty();
    if (inList)
        checkElements(target, type);
    const Type base = inList ? Type::unknown() : type;
    const Type after = inList && type.isList() ? Type::list(ValueType::Unknown) : type;
    if (target.marks)
        for (const Expr *marks : {target.marks->rows, target.marks->cols, target.marks->cells})
            if (marks)
                checkValue(marks);
    if (!target.index)
        return after;
    const Index &index = *target.index;
    std::optional<Known> label = checkLeftIndex(index, base);
    if (inList)
        return after;
    bool allRows = index.rows.form == IndexPart::Form::All, allCols = index.cols.form == IndexPart::Form::All;
    if (allRows && allCols)
        return value.isScalar() ? type : value;
    if (!label || !allRows)
        return type;
    Type frame = run.types.infer(ops::Registry::get().findOp("setColumn"),
                                 {{type, {}}, {value, {}}, {label->type, label->constant}})[0];
    return frame.isFrame() ? frame : Type::frame(nullptr);
}

/// Checks what is in the brackets; a label, if the columns are selected by one.
std::optional<Known> Checker::checkLeftIndex(const Index &index, const Type &base) {
    std::optional<Known> label;
    for (const IndexPart *part : {&index.rows, &index.cols})
        for (const Expr *bound : {part->lo, part->hi}) {
            if (!bound)
                continue;
            Known known = checkValue(bound);
            const Type &type = known.type;
            bool single = part->form == IndexPart::Form::Single;
            bool isMask = single && type.isMatrix() &&
                          (type.valueType == ValueType::Bool || type.valueType == ValueType::Unknown);
            if (type.isString() && single && part == &index.cols && !base.isMatrix())
                label = known;
            else if (type.isString())
                report(bound->span, std::string("a label cannot select what to overwrite here: ") +
                                        (part == &index.rows ? "rows have no labels"
                                         : single            ? "the columns of a matrix have no labels"
                                                             : "a range needs positions"))
                    .withHint("labels select the columns of a frame: F[, \"label\"]");
            else if (!type.isUnknown() && !type.isScalar() && !isMask)
                report(bound->span, "only a position, a range or a bool matrix can select what to overwrite, this is " +
                                        type.typeText())
                    .withHint(type.isMatrix() ? "to overwrite marked rows write X[[marks, ]]" : "");
        }
    return label;
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

    return mergeBranches({stmt.span, "this 'if'", "the 'if' is", " if the condition holds, ", " otherwise"}, thenFlow,
                         thenChanges, elseFlow, elseChanges);
}

/// What follows is reached only through ends that did not return or jump.
Checker::Flow Checker::mergeBranches(const Fork &fork, Flow first, const Changes &afterFirst, Flow second,
                                     const Changes &afterSecond) {
    auto leaves = [](Flow flow) { return flow == Flow::Returns || flow == Flow::Jumps; };
    if (leaves(first) || leaves(second)) {
        for (const Variables::Change &c : leaves(first) ? afterSecond : afterFirst)
            variables->set(c.slot, c.after.value, c.after.assignedAt);
    } else {
        auto t = afterFirst.begin(), e = afterSecond.begin();
        while (t != afterFirst.end() || e != afterSecond.end()) {
            bool inFirst = t != afterFirst.end() && (e == afterSecond.end() || t->slot <= e->slot);
            bool inSecond = e != afterSecond.end() && (t == afterFirst.end() || e->slot <= t->slot);
            uint32_t slot = inFirst ? t->slot : e->slot;
            Variable before = variables->at(slot);
            mergeVariable(fork, slot, inFirst ? t->after : before, inSecond ? e->after : before);
            t += inFirst;
            e += inSecond;
        }
    }
    if (first == Flow::Continues || second == Flow::Continues)
        return Flow::Continues;
    return first == Flow::Stops || second == Flow::Stops ? (first == second ? first : Flow::Stops)
                                                         : std::min(first, second);
}

void Checker::mergeVariable(const Fork &fork, uint32_t slot, const Variable &afterFirst, const Variable &afterSecond) {
    const Type &a = afterFirst.value.type, &b = afterSecond.value.type;
    SourceSpan before = variables->at(slot).assignedAt;
    SourceSpan where = afterFirst.assignedAt == before ? afterSecond.assignedAt : afterFirst.assignedAt;
    auto common = ops::commonType(a, b);
    if (!common && !a.compatible(b)) {
        report(where, "the type of '" + std::string(afterFirst.name) + "' is ambiguous after " +
                          std::string(fork.name) + ": " + a.typeText() + std::string(fork.first) + b.typeText() +
                          std::string(fork.second))
            .withNote(std::string(fork.note), fork.span)
            .withHint(a.isScalar() && b.isScalar() ? "convert one of the values, as in as." + a.typeText() + "(x)"
                                                   : "");
    }
    Known merged = mergedFunction(afterFirst.value, afterSecond.value);
    if (merged.isFunction && afterFirst.value.numParams && afterSecond.value.numParams && !merged.numParams)
        reportOtherFunction(afterFirst.name, where, fork.name).withNote(std::string(fork.note), fork.span);
    merged.type = common ? *common : ops::join(a, b);
    variables->set(slot, std::move(merged), where);
}

/// What is certain of a function that is one or the other.
Known Checker::mergedFunction(const Known &a, const Known &b) {
    bool isFunction = a.isFunction && b.isFunction;
    return {.type = Type::unknown(),
            .constant = {},
            .isFunction = isFunction,
            .numParams = isFunction && a.numParams == b.numParams ? a.numParams : std::nullopt};
}

Error &Checker::reportOtherFunction(std::string_view name, SourceSpan where, std::string_view after) {
    return report(where, "'" + std::string(name) + "' holds functions of different numbers of parameters after " +
                             std::string(after))
        .withHint("give them the same number, as in (x, unused) -> x");
}

/// The handler finds variables as any statement of the block may have left them.
Checker::Flow Checker::checkTry(const Try &stmt) {
    const Fork fork{stmt.span, "this 'try'", "the 'try' is", " if it succeeds, ", " otherwise"};
    forgetAssigned(stmt.body);
    auto region = variables->openRegion();
    Flow flow = checkBody(stmt.body);
    auto changes = variables->closeRegion(region);

    region = variables->openRegion();
    for (const Variables::Change &c : changes)
        mergeVariable(fork, c.slot, c.after, Variable(variables->at(c.slot)));
    variables->openScope();
    if (!stmt.message.empty())
        variables->define(stmt.message, {Type::scalar(ValueType::Str)}, stmt.messageSpan);
    if (!stmt.place.empty())
        variables->define(stmt.place, {Type::scalar(ValueType::Str)}, stmt.placeSpan);
    if (!stmt.message.empty() && stmt.message == stmt.place)
        report(stmt.placeSpan, "message and place need different names");
    Flow handlerFlow = checkBody(stmt.handler);
    variables->closeScope();
    return mergeBranches(fork, flow, changes, handlerFlow, variables->closeRegion(region));
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
    case StmtKind::ForEach:
        variables->forgetConstant(as<ForEach>(stmt).variable);
        forgetAssigned(as<ForEach>(stmt).body);
        break;
    case StmtKind::Try:
        forgetAssigned(as<Try>(stmt).body);
        forgetAssigned(as<Try>(stmt).handler);
        break;
    default: break;
    }
}

/// A variable of that name makes it an expression statement, as in scripts that were written before.
Checker::Flow Checker::checkJump(Jump &stmt) {
    std::string_view name = as<Var>(stmt.value).name;
    stmt.isExpression = variables->find(name) != nullptr;
    if (stmt.isExpression)
        return Flow::Continues;
    if (!loop) {
        report(stmt.span, "'" + std::string(name) + "' is only possible in a loop")
            .withHint("it belongs to the innermost for, while or do around it; 'return' leaves a function, "
                      "stop(\"...\") ends the program");
        return Flow::Continues;
    }
    loop->anyBreak |= stmt.to == JumpTo::LoopEnd;
    for (Variables::Change &c : variables->changesSince(loop->region))
        loop->atJumps.push_back(std::move(c));
    return Flow::Jumps;
}

namespace {

/// The bodies of loops, what they look like from outside.
struct LoopParts {
    const Expr *condition; ///< null if it counts
    Stmt *body;
    std::string_view variable; ///< "" if there is none
    SourceSpan variableSpan;
};

LoopParts partsOf(const Stmt &loop) {
    switch (loop.kind) {
    case StmtKind::For: {
        const For &f = as<For>(&loop);
        return {nullptr, f.body, f.variable, f.variableSpan};
    }
    case StmtKind::ForEach: {
        const ForEach &f = as<ForEach>(&loop);
        return {nullptr, f.body, f.variable, f.variableSpan};
    }
    default: return {as<While>(&loop).condition, as<While>(&loop).body, {}, {}};
    }
}

bool isAlwaysTrue(const Expr *condition) {
    auto c = condition ? literalConstant(condition) : std::nullopt;
    return c && isNumeric(c->type) && (isFloat(c->type) ? c->d != 0 : c->i != 0);
}

} // namespace

/// Integers if start and step are integers; the end is only a limit.
Checker::Type Checker::rangeType(const For &f) {
    Type from = checkType(f.from);
    checkValue(f.to);
    Type step = f.step ? checkType(f.step) : Type::scalar(ValueType::SI64);
    if (isFloat(from.valueType) || isFloat(step.valueType))
        return Type::scalar(ValueType::F64);
    bool isKnown = from.valueType != ValueType::Unknown && step.valueType != ValueType::Unknown;
    return isKnown ? Type::scalar(ValueType::SI64) : Type::unknown();
}

Checker::Type Checker::elementType(const ForEach &f) {
    std::optional<Parts> parts;
    if (f.elements->kind == ExprKind::Call && namesBuiltin(as<Call>(f.elements).callee))
        parts = partsNamed(as<Call>(f.elements).callee);
    if (!parts) {
        Type list = checkType(f.elements);
        if (!list.isUnknown() && !list.isList())
            report(f.elements->span, "a loop runs through the elements of a list, this is " + list.typeText())
                .withHint(list.isMatrix() || list.isFrame()
                              ? "languages differ in what they take from a matrix: write rows(x), cols(x) or cells(x)"
                              : "numbers are counted as in 1:10");
        return Type::unknown();
    }
    const Call &call = as<Call>(f.elements);
    if (call.args.size() != 1 || !call.args[0].keyword.empty()) {
        report(call.span,
               "'" + std::string(call.callee) + "' takes 1 argument, got " + std::to_string(call.args.size()));
        checkArguments(call);
        return Type::unknown();
    }
    Type of = checkType(call.args[0].value);
    bool fits = of.isUnknown() || of.isMatrix() || (of.isFrame() && *parts != Parts::Cells);
    if (!fits)
        report(call.args[0].span, "'" + std::string(call.callee) + "' needs a matrix" +
                                      (*parts == Parts::Cells ? "" : " or a frame") + ", this is " + of.typeText());
    if (of.isMatrix())
        return *parts == Parts::Cells ? Type::scalar(of.valueType) : Type::matrix(of.valueType);
    return of.isFrame() && *parts == Parts::Rows ? of : Type::unknown();
}

/// Widens outer variables to what they are after a turn as well; true if one changed.
bool Checker::widenEntry(const Changes &changes) {
    bool changed = false;
    for (const Variables::Change &c : changes) {
        const Variable &before = variables->at(c.slot);
        const Type &a = before.value.type, &b = c.after.value.type;
        auto common = ops::commonType(a, b);
        // A loop that changes a type otherwise is rejected by the compiler.
        if (!common && (!a.compatible(b) || b.isComplete()))
            continue;
        Known wider = mergedFunction(before.value, c.after.value);
        wider.type = common ? *common : ops::join(a, b);
        bool sameFunction = wider.isFunction == before.value.isFunction &&
                            (wider.numParams == before.value.numParams || c.after.value.numParams);
        if (wider.type == a && sameFunction)
            continue;
        variables->set(c.slot, std::move(wider), before.assignedAt);
        changed = true;
    }
    return changed;
}

/// A variable holds functions of one number of parameters before a loop and after its turns.
void Checker::checkFunctionsAfter(const Stmt &loop, const Changes &changes) {
    for (const Variables::Change &c : changes) {
        const Variable before = variables->at(c.slot);
        Known merged = mergedFunction(before.value, c.after.value);
        if (!merged.isFunction || merged.numParams == before.value.numParams)
            continue;
        reportOtherFunction(before.name, c.after.assignedAt, "this loop").withNote("the loop is", loop.span);
        variables->set(c.slot, std::move(merged), before.assignedAt);
    }
}

Checker::Flow Checker::checkTurn(const Stmt &stmt, const Type &variable, Loop &state) {
    const LoopParts parts = partsOf(stmt);
    if (stmt.kind == StmtKind::While)
        checkValue(parts.condition);
    variables->openScope();
    if (!parts.variable.empty())
        variables->define(parts.variable, {variable}, parts.variableSpan, Variables::Access::ReadOnly);
    loop = &state;
    Flow flow = checkBody(parts.body);
    loop = state.outer;
    variables->closeScope();
    if (stmt.kind == StmtKind::DoWhile)
        checkValue(parts.condition);
    return flow;
}

/// The variables of a loop have one type from its entry on: where the body widens one, it is checked again.
Checker::Flow Checker::checkLoop(const Stmt &stmt) {
    const LoopParts parts = partsOf(stmt);
    Type variable;
    if (stmt.kind == StmtKind::For)
        variable = rangeType(as<For>(&stmt));
    else if (stmt.kind == StmtKind::ForEach)
        variable = elementType(as<ForEach>(&stmt));
    if (!parts.variable.empty()) {
        const Variable *outer = variables->find(parts.variable);
        if (outer && outer->readOnly)
            report(parts.variableSpan,
                   "'" + std::string(parts.variable) + "' already is the variable of an enclosing loop")
                .withNote("which starts", outer->assignedAt);
    }
    forgetAssigned(&stmt);
    const size_t mark = run.diagnostics.mark(), count = run.diagnostics.count();
    const auto undefinedBefore = undefined;
    const std::optional<Body> bodyBefore = body ? std::optional(*body) : std::nullopt;
    while (true) {
        Loop state{.region = variables->openRegion(), .outer = loop};
        Flow flow = checkTurn(stmt, variable, state);
        Changes changes = variables->closeRegion(state.region);
        bool widened = flow == Flow::Continues && widenEntry(changes);
        widened |= widenEntry(state.atJumps);
        if (!widened) {
            changes.insert(changes.end(), state.atJumps.begin(), state.atJumps.end());
            checkFunctionsAfter(stmt, changes);
            return isAlwaysTrue(parts.condition) && !state.anyBreak ? Flow::Returns : Flow::Continues;
        }
        run.diagnostics.forgetSince(mark, count);
        undefined = undefinedBefore;
        if (body)
            *body = *bodyBefore;
    }
}

} // namespace daphne::lang
