// SPDX-License-Identifier: Apache-2.0
/// while, do-while and for. Variables assigned in the body that exist before
/// the loop are carried from turn to turn. Their shapes may change. Their types
/// are what their types at the entry, at the end of the body and where it is left
/// have in common: where an assignment widens one, the body is generated again.
///
/// A loop that ends only by its condition is an scf.for, or an scf.while with
/// the condition before and the body after. Where the body may leave early, the
/// part before does all that a turn does and ends with whether another follows.
#include "irgen/Generator.h"

#include "llvm/ADT/ScopeExit.h"

#include "ops/CommonType.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

/// What is known of a carried variable in every iteration.
TypeDesc inEveryIteration(const TypeDesc &t) {
    switch (t.kind) {
    case ops::Kind::Matrix: return TypeDesc::matrix(t.valueType);
    case ops::Kind::Frame: return TypeDesc::frame(nullptr);
    default: return t;
    }
}

} // namespace

Generator::Carried Generator::carriedThrough(const Stmt *loop) {
    Carried carried;
    carried.names = assignedExisting({loop});
    for (std::string_view name : carried.names) {
        carried.before.push_back(*find(name));
        carried.types.push_back(inEveryIteration(typeOf(carried.before.back())));
    }
    return carried;
}

void Generator::bindCarried(const Carried &carried, mlir::ValueRange values) {
    for (auto [name, value] : llvm::zip(carried.names, values))
        *find(name) = value;
}

/// Makes the type of carried variable i hold `after` as well; false if there is no such type.
bool Generator::tryWiden(Carried &carried, size_t i, const TypeDesc &after) {
    auto common = ops::commonType(carried.types[i], after);
    if (!common && after.isUnknown())
        common = after;
    if (common)
        carried.types[i] = inEveryIteration(*common);
    return common.has_value();
}

/// The same; raises an error if there is none.
void Generator::widenCarried(Carried &carried, size_t i, const TypeDesc &after, SourceSpan span) {
    if (!tryWiden(carried, i, after))
        raise(compileError(span, "variable " + std::string(carried.names[i]) + " is " + carried.types[i].typeText() +
                                     " before the loop and " + after.typeText() + " after its body")
                  .withHint("a loop must not change the type of a variable"));
}

/// Generates aside what happens in a turn. Its block has the operands `own` and the carried variables as arguments;
/// where `body` widens variables, their types in `wider` change and the turn is worth nothing.
Generator::Turn Generator::turn(const Carried &carried, mlir::TypeRange own, SourceSpan span, Carried &wider,
                                llvm::function_ref<void(mlir::ValueRange own)> body) {
    Turn result;
    result.block = std::make_unique<mlir::Block>();
    for (mlir::Type t : own)
        result.block->addArgument(t, loc(span));
    for (const TypeDesc &t : carried.types)
        result.block->addArgument(irType(t), loc(span));
    const mlir::ValueRange arguments = result.block->getArguments();
    const bool certainOutside = std::exchange(certain, false);
    Exits outside = std::exchange(exits, {});
    mlir::OpBuilder::InsertionGuard guard(builder);
    auto restore = llvm::make_scope_exit([&] {
        certain = certainOutside;
        exits = std::move(outside);
        bindCarried(carried, carried.before);
    });
    builder.setInsertionPointToEnd(result.block.get());
    bindCarried(carried, arguments.drop_front(own.size()));
    try {
        loops.push_back({&carried, &wider});
        auto leave = llvm::make_scope_exit([&] { loops.pop_back(); });
        ViewRegion region(*this, ViewRegion::Entry::Forget);
        body(arguments.take_front(own.size()));
    } catch (const DeadCode &) {
        exits = {.ways = 0};
    }
    try {
        certain = certainOutside;
        for (size_t i = 0; i < carried.names.size() && exits.keepVariables(); ++i)
            if (TypeDesc after = typeOf(*find(carried.names[i])); !ops::holds(carried.types[i], after))
                widenCarried(wider, i, after, span);
    } catch (const DeadCode &) {
        exits = {.ways = 0}; // the loop itself may never run: it fails when it does
    }
    for (size_t i = 0; i < carried.names.size(); ++i) {
        const bool isKept = exits.keepVariables() && wider.types[i] == carried.types[i];
        result.values.push_back(isKept ? convert(*find(carried.names[i]), carried.types[i], span)
                                       : undef(irType(carried.types[i])));
    }
    result.exits = exits;
    return result;
}

/// Where a jump leaves the body the variables have their types, too, whether or not it is known that it happens.
void Generator::jump(JumpTo to) {
    const Around &loop = loops.back();
    for (size_t i = 0; i < loop.carried->names.size(); ++i)
        tryWiden(*loop.wider, i, typeOf(*find(loop.carried->names[i])));
    exits = {.ways = to == JumpTo::LoopEnd ? Exits::Breaks : Exits::Continues};
}

/// Generates with the types that carried variables have before the loop, and again as long as that widens one.
void Generator::untilTypesHold(Carried &carried, llvm::function_ref<void(Carried &wider)> generate) {
    while (true) {
        Carried wider = carried;
        generate(wider);
        if (wider.types == carried.types)
            return;
        carried.types = std::move(wider.types);
    }
}

llvm::SmallVector<IrValue> Generator::initialValues(const Carried &carried, SourceSpan span) {
    llvm::SmallVector<IrValue> values;
    for (size_t i = 0; i < carried.names.size(); ++i)
        values.push_back(convert(carried.before[i], carried.types[i], span));
    return values;
}

/// Whether another turn follows one that ends like this.
IrValue Generator::goesOn(const Exits &ways, SourceSpan span) {
    if (!(ways.ways & ~Exits::kGoesOn) || !(ways.ways & Exits::kGoesOn))
        return boolConstant((ways.ways & Exits::kGoesOn) != 0, span);
    return emitCondition(emit("ewLt", {ways.way, intConstant(Exits::Breaks, span)}, {span, {}}), span);
}

/// How the loop is left after such a turn: its way, if that is worth a value, and what is returned.
void Generator::appendLeaving(llvm::SmallVectorImpl<IrValue> &values, const Exits &body, const Exits &loop,
                              SourceSpan span) {
    if (loop.isSeveral()) {
        IrValue falls = intConstant(Exits::Falls, span), returns = intConstant(Exits::Returns, span);
        if (body.ways == Exits::Returns)
            values.push_back(returns);
        else
            values.push_back(emit("cond", {emit("ewEq", {body.way, returns}, {span, {}}), returns, falls}, {span, {}}));
    }
    llvm::append_range(values, body.values);
}

/// The part before of a loop that may be left early, ready but for its end: the body runs if `enters` holds.
Generator::EarlyPart Generator::enterBody(mlir::Block *before, IrValue enters, size_t numOwn, Turn body,
                                          const Exits &loop, SourceSpan span) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(body.block.get());
    llvm::SmallVector<IrValue> values{goesOn(body.exits, span)};
    llvm::append_range(values, body.values);
    appendLeaving(values, body.exits, loop, span);
    auto yield = builder.create<mlir::scf::YieldOp>(loc(span), values);
    for (auto [inner, outer] : llvm::zip(body.block->getArguments(), before->getArguments()))
        inner.replaceAllUsesWith(outer);
    body.block->eraseArguments([](mlir::BlockArgument) { return true; });
    auto partOf = [](mlir::ValueRange all) { return EarlyPart{all.front(), llvm::to_vector(llvm::drop_begin(all))}; };
    if (constantBool(enters) == true) {
        EarlyPart part = partOf(yield.getOperands());
        yield.erase();
        before->getOperations().splice(before->end(), body.block->getOperations());
        return part;
    }
    auto otherwise = std::make_unique<mlir::Block>();
    builder.setInsertionPointToEnd(otherwise.get());
    values = {boolConstant(false, span)};
    llvm::append_range(values, before->getArguments().drop_front(numOwn));
    if (loop.isSeveral())
        values.push_back(intConstant(Exits::Falls, span));
    for (IrValue v : body.exits.values)
        values.push_back(undef(v.getType()));
    builder.create<mlir::scf::YieldOp>(loc(span), values);

    builder.setInsertionPointToEnd(before);
    auto op = builder.create<mlir::scf::IfOp>(loc(span), mlir::ValueRange(values).getTypes(), enters, true);
    op.getThenRegion().getBlocks().clear();
    op.getElseRegion().getBlocks().clear();
    op.getThenRegion().push_back(body.block.release());
    op.getElseRegion().push_back(otherwise.release());
    return partOf(op.getResults());
}

/// A loop with all its work in the part before. Of what that passes on, the first values go into the next turn: as
/// many as there are initial ones, changed by `step`.
llvm::SmallVector<IrValue> Generator::earlyLoop(std::unique_ptr<mlir::Block> before, mlir::ValueRange inits,
                                                IrValue again, mlir::ValueRange passed, SourceSpan span,
                                                llvm::function_ref<void(llvm::SmallVectorImpl<IrValue> &)> step) {
    auto op = builder.create<mlir::scf::WhileOp>(loc(span), passed.getTypes(), inits);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(before.get());
    builder.create<mlir::scf::ConditionOp>(loc(span), again, passed);
    op.getBefore().push_back(before.release());
    llvm::SmallVector<mlir::Location> locations(passed.size(), loc(span));
    mlir::Block *after = builder.createBlock(&op.getAfter(), {}, passed.getTypes(), locations);
    llvm::SmallVector<IrValue> next(after->args_begin(), after->args_begin() + inits.size());
    step(next);
    builder.create<mlir::scf::YieldOp>(loc(span), next);
    return llvm::to_vector(mlir::ValueRange(op.getResults()));
}

/// After a loop: the variables, how it was left, what is returned.
void Generator::leaveLoop(const Carried &carried, mlir::ValueRange results, Exits loop) {
    bindCarried(carried, results.take_front(carried.names.size()));
    results = results.drop_front(carried.names.size());
    if (loop.isSeveral()) {
        loop.way = results.front();
        results = results.drop_front();
    }
    loop.values.assign(results.begin(), results.end());
    exits = std::move(loop);
    if (exits.ways == 0)
        throw DeadCode{};
}

void Generator::whileLoop(const While &s) {
    const SourceSpan span = s.span;
    Carried carried = carriedThrough(s.body);
    Turn head, body;
    IrValue enters;
    untilTypesHold(carried, [&](Carried &wider) {
        head = turn(carried, {}, s.condition->span, wider, [&](mlir::ValueRange) { enters = condition(s.condition); });
        body = turn(carried, {}, s.body->span, wider, [&](mlir::ValueRange) { scoped(s.body); });
    });
    Exits loop = body.exits.afterLoop(!head.exits.falls() || constantBool(enters) == true);
    {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(head.block.get());
        if (!head.exits.falls()) { // evaluating the condition fails
            enters = boolConstant(false, span);
            loop = {.ways = 0};
        }
    }
    llvm::SmallVector<IrValue> inits = initialValues(carried, span);
    if (body.exits.leavesEarly()) {
        auto [again, passed] = enterBody(head.block.get(), enters, 0, std::move(body), loop, span);
        return leaveLoop(carried, earlyLoop(std::move(head.block), inits, again, passed, span, [](auto &) {}), loop);
    }
    auto op = builder.create<mlir::scf::WhileOp>(loc(span), mlir::ValueRange(inits).getTypes(), inits);
    {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(head.block.get());
        builder.create<mlir::scf::ConditionOp>(loc(s.condition->span), enters,
                                               mlir::ValueRange(head.block->getArguments()));
        builder.setInsertionPointToEnd(body.block.get());
        builder.create<mlir::scf::YieldOp>(loc(span), body.values);
    }
    op.getBefore().push_back(head.block.release());
    op.getAfter().push_back(body.block.release());
    leaveLoop(carried, op.getResults(), loop);
}

void Generator::doLoop(const While &s) {
    const SourceSpan span = s.span;
    Carried carried = carriedThrough(s.body);
    Turn body;
    IrValue again;
    bool isEndless = false;
    untilTypesHold(carried, [&](Carried &wider) {
        body = turn(carried, {}, s.body->span, wider, [&](mlir::ValueRange) {
            scoped(s.body);
            if (!(exits.ways & Exits::kGoesOn))
                return;
            Aside part = aside([&] { return condition(s.condition); });
            const bool fails = !part.value;
            isEndless = !fails && constantBool(part.value) == true;
            IrValue comes = goesOn(exits, s.condition->span);
            if (constantBool(comes) == true)
                again = runAlways(part);
            else
                again = runIf(comes, std::move(part), aside([&] { return boolConstant(false, s.condition->span); }),
                              TypeDesc::scalar(ValueType::Bool), s.condition->span);
            if (fails)
                exits.ways &= ~Exits::kGoesOn;
        });
    });
    Exits loop = body.exits.afterLoop(isEndless || !(body.exits.ways & Exits::kGoesOn));
    mlir::Block &before = *body.block;
    llvm::SmallVector<IrValue> passed(body.values.begin(), body.values.end());
    {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(&before);
        if (!(body.exits.ways & Exits::kGoesOn) || !again)
            again = boolConstant(false, span);
        if (body.exits.leavesEarly())
            appendLeaving(passed, body.exits, loop, span);
    }
    llvm::SmallVector<IrValue> inits = initialValues(carried, span);
    leaveLoop(carried, earlyLoop(std::move(body.block), inits, again, passed, span, [](auto &) {}), loop);
}

/// A loop over the numbers k below `count`, whose variable is valueOf(k).
void Generator::countedLoop(const Stmt &s, std::string_view variable, const Stmt *statements, IrValue count,
                            llvm::function_ref<IrValue(IrValue k)> valueOf) {
    const SourceSpan span = s.span;
    auto number = [&](int64_t i) { return constant({.type = ValueType::Size, .i = i}, span); };
    IrValue zero = number(0), one = number(1);
    Carried carried = carriedThrough(&s);
    const mlir::Type size = zero.getType();
    Turn body;
    untilTypesHold(carried, [&](Carried &wider) {
        body = turn(carried, size, statements->span, wider, [&](mlir::ValueRange own) {
            scopes.emplace_back();
            auto close = llvm::make_scope_exit([&] { scopes.pop_back(); });
            IrValue value = valueOf(own.front());
            scopes.back()[variable] = value;
            scoped(statements);
            close.release();
            scopes.pop_back();
            if (find(variable)) // an outer variable of that name has the last value afterwards
                assign(variable, value, span);
        });
    });
    const Exits loop = body.exits.afterLoop(false);
    llvm::SmallVector<IrValue> inits = initialValues(carried, span);
    if (!body.exits.leavesEarly()) {
        auto op = builder.create<mlir::scf::ForOp>(loc(span), zero, count, one, inits);
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(body.block.get());
        builder.create<mlir::scf::YieldOp>(loc(span), body.values);
        op.getRegion().getBlocks().clear();
        op.getRegion().push_back(body.block.release());
        return leaveLoop(carried, op.getResults(), loop);
    }
    inits.insert(inits.begin(), zero);
    auto before = std::make_unique<mlir::Block>();
    for (IrValue v : inits)
        before->addArgument(v.getType(), loc(span));
    IrValue again;
    llvm::SmallVector<IrValue> passed;
    {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(before.get());
        IrValue k = before->getArgument(0);
        IrValue enters = emitCondition(emit("ewLt", {k, count}, {span, {}}), span);
        auto part = enterBody(before.get(), enters, 1, std::move(body), loop, span);
        again = part.again;
        passed = std::move(part.passed);
        passed.insert(passed.begin(), k);
    }
    auto results = earlyLoop(std::move(before), inits, again, passed, span,
                             [&](auto &next) { next.front() = emit("ewAdd", {next.front(), one}, {span, {}}); });
    leaveLoop(carried, mlir::ValueRange(results).drop_front(), loop);
}

namespace {

/// The type of the numbers that a range counts in: integers if the start and the step are integers.
bool isFloatRange(const TypeDesc &from, const TypeDesc &step) {
    return isFloat(from.valueType) || isFloat(step.valueType);
}

} // namespace

/// A bound of a range as a scalar.
IrValue Generator::bound(const Expr *e) {
    IrValue v = expr(e);
    return typeOf(v).isScalar() ? v : emitCast(v, {.kind = ops::Kind::Scalar}, e->span);
}

void Generator::forLoop(const For &s) {
    const TypeDesc integer = TypeDesc::scalar(ValueType::SI64), real = TypeDesc::scalar(ValueType::F64);
    IrValue from = bound(s.from), to = bound(s.to), step = s.step ? bound(s.step) : IrValue();
    const Site site{s.span, {}};
    const bool isFloating = isFloatRange(typeOf(from), step ? typeOf(step) : integer);
    if (!isIntegerLike(typeOf(to).valueType))
        to = emitCast(to, real, s.to->span); // no more than a limit
    if (!step) {
        IrValue up = emit("ewGe", {to, from}, site);
        step = adapt(emit("cond", {up, intConstant(1, s.span), intConstant(-1, s.span)}, site), integer, s.span);
    }
    if (isFloating) {
        from = emitCast(from, real, s.from->span);
        to = emitCast(to, real, s.to->span);
        step = emitCast(step, real, s.span);
        IrValue count = emit("rangeCount", {from, to, step}, site);
        IrValue up =
            emitCondition(emit("ewGt", {step, constant({.type = ValueType::F64, .d = 0}, s.span)}, site), s.span);
        return countedLoop(s, s.variable, s.body, count, [&](IrValue k) {
            IrValue v = emit("ewAdd", {from, emit("ewMul", {emitCast(k, real, s.variableSpan), step}, site)}, site);
            // Rounding may lead beyond the end, which is meant then.
            if (auto ascends = constantBool(up))
                return emit(*ascends ? ops::OpName("ewMin") : ops::OpName("ewMax"), {v, to}, site);
            return emit("cond", {up, emit("ewMin", {v, to}, site), emit("ewMax", {v, to}, site)}, site);
        });
    }
    // What is no integer after all must not become one.
    auto asInteger = [&](IrValue v, SourceSpan span) {
        return typeOf(v).isComplete() ? emitCast(v, integer, span) : adapt(v, integer, span);
    };
    from = asInteger(from, s.from->span);
    step = asInteger(step, s.span);
    if (isIntegerLike(typeOf(to).valueType))
        to = emitCast(to, integer, s.to->span);
    else
        to = emit("rangeEnd", {to, step}, site);
    const TypeDesc size = TypeDesc::scalar(ValueType::Size);
    IrValue count = ir::createOp(builder, loc(s.span), "tripCount", {from, to, step}, irType(size))->getResult(0);
    countedLoop(s, s.variable, s.body, count, [&](IrValue k) {
        return emit("ewAdd", {from, emit("ewMul", {emitCast(k, integer, s.variableSpan), step}, site)},
                    {s.variableSpan, {}});
    });
}

} // namespace daphne::irgen
