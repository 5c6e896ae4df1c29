// SPDX-License-Identifier: Apache-2.0
/// Conditions, `&&`, `||` and `?:`: of scalars only what decides is evaluated.
/// What may not run is generated aside first, because its type must be known
/// (matrices work cell by cell, so there everything runs), and because a few
/// instructions that cannot fail are cheaper than a branch around them.
#include "irgen/Generator.h"

namespace daphne::irgen {

using namespace lang;
using ops::TypeDesc;
using IrValue = mlir::Value;

namespace {

bool isNumber(const TypeDesc &t) { return t.isScalar() && isNumeric(t.valueType); }

/// Whether running the operations costs less than a branch: few, on numbers, none of which may fail.
bool isFree(mlir::Block &block) {
    constexpr unsigned kMostOperations = 8;
    unsigned count = 0;
    auto isReference = [](mlir::Type t) { return ir::isReference(t); };
    for (mlir::Operation &op : block) {
        auto daphne = mlir::dyn_cast<ir::DaphneOp>(op);
        if (!daphne || ++count > kMostOperations || ir::mustKeep(&op))
            return false;
        if (daphne.is("constant"))
            continue;
        bool isCellwise = daphne.info().family == ops::Family::EwUnary || daphne.info().family == ops::Family::EwBinary;
        if ((!isCellwise && !daphne.isOneOf({"cast", "condition", "cond"})) ||
            daphne.info().cost == ops::Cost::Costly || llvm::any_of(op.getOperandTypes(), isReference) ||
            llvm::any_of(op.getResultTypes(), isReference))
            return false;
    }
    return true;
}

bool isLogical(const Binary &e) { return e.op == "&&" || e.op == "||"; }

/// The operands of a chain of one operator, in the order of the text, brackets or not.
void flatten(const Expr *e, std::string_view op, std::vector<const Expr *> &operands) {
    std::vector<const Expr *> spine;
    for (; e->kind == ExprKind::Binary && as<Binary>(e).op == op; e = as<Binary>(e).lhs)
        spine.push_back(as<Binary>(e).rhs);
    operands.push_back(e);
    for (size_t i = spine.size(); i-- > 0;)
        flatten(spine[i], op, operands);
}

} // namespace

Generator::Aside Generator::aside(llvm::function_ref<IrValue()> body) {
    Aside result;
    result.block = std::make_unique<mlir::Block>();
    ViewRegion region(*this, ViewRegion::Entry::Keep);
    bool certainBefore = std::exchange(certain, false);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(result.block.get());
    try {
        result.value = body();
    } catch (const DeadCode &) {
    }
    certain = certainBefore;
    return result;
}

IrValue Generator::runAlways(Aside &part) {
    builder.getInsertionBlock()->getOperations().splice(builder.getInsertionPoint(), part.block->getOperations());
    return part.value;
}

IrValue Generator::runIf(IrValue condition, Aside thenPart, Aside elsePart, const TypeDesc &type, SourceSpan span) {
    mlir::Type result = irType(type);
    for (Aside *part : {&thenPart, &elsePart}) {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(part->block.get());
        builder.create<mlir::scf::YieldOp>(loc(span), part->value ? adapt(part->value, type, span) : undef(result));
    }
    auto op = builder.create<mlir::scf::IfOp>(loc(span), result, condition, /*withElseRegion=*/true);
    op.getThenRegion().getBlocks().clear();
    op.getElseRegion().getBlocks().clear();
    op.getThenRegion().push_back(thenPart.block.release());
    op.getElseRegion().push_back(elsePart.block.release());
    return op.getResult(0);
}

/// The left-hand side of `&&` or `||` is known, the right-hand side runs only if a number on the left does not decide.
IrValue Generator::logical(const Binary &e, IrValue lhs) {
    const Site site{e.opSpan, {e.lhs->span, e.rhs->span}};
    const ops::OpName mnemonic = ops::operatorMnemonic(e.op);
    const bool goesOn = e.op == "&&"; // the truth value that does not decide
    if (typeOf(lhs).isUnknown())
        return logicalAtRunTime(e, lhs);
    if (!isNumber(typeOf(lhs)))
        return emit(mnemonic, {lhs, expr(e.rhs)}, site);
    IrValue truth = emitCondition(lhs, e.lhs->span);
    const std::optional<bool> known = constantBool(truth);
    if (known == goesOn)
        return emit(mnemonic, {lhs, expr(e.rhs)}, site);

    Aside rhs = aside([&] { return expr(e.rhs); });
    if (rhs.value && (!isNumber(typeOf(rhs.value)) || (!known && isFree(*rhs.block))))
        return emit(mnemonic, {lhs, runAlways(rhs)}, site);
    const TypeDesc type =
        infer(mnemonic, {{typeOf(lhs), {}}, {rhs.value ? typeOf(rhs.value) : typeOf(lhs), {}}}, site).front();
    auto decided = [&] { return constant({.type = type.valueType, .i = !goesOn}, e.opSpan); };
    if (known)
        return decided();
    if (rhs.value) {
        mlir::OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToEnd(rhs.block.get());
        rhs.value = emit(mnemonic, {lhs, rhs.value}, site);
    }
    Aside other = aside(decided);
    return goesOn ? runIf(truth, std::move(rhs), std::move(other), type, e.opSpan)
                  : runIf(truth, std::move(other), std::move(rhs), type, e.opSpan);
}

/// Whether v is a number with this truth value.
IrValue Generator::decides(IrValue v, bool truth, SourceSpan span) {
    return emit("decides", {v, boolConstant(truth, span)}, {span, {}});
}

/// Only the run time knows whether the left-hand side is a number that decides.
IrValue Generator::logicalAtRunTime(const Binary &e, IrValue lhs) {
    const Site site{e.opSpan, {e.lhs->span, e.rhs->span}};
    const ops::OpName mnemonic = ops::operatorMnemonic(e.op);
    IrValue isDecided = decides(lhs, e.op == "||", e.opSpan);
    Aside decided = aside([&] { return emit(mnemonic, {lhs, lhs}, site); });
    Aside rest = aside([&] { return emit(mnemonic, {lhs, expr(e.rhs)}, site); });
    return runIf(isDecided, std::move(decided), std::move(rest), TypeDesc::unknown(), e.opSpan);
}

/// In a condition a number decides also where a matrix follows. From the first matrix on everything runs.
IrValue Generator::condition(const Expr *e) {
    if (e->kind != ExprKind::Binary || !isLogical(as<Binary>(e)))
        return emitCondition(expr(e), e->span);
    const std::string_view op = as<Binary>(e).op;
    const ops::OpName mnemonic = ops::operatorMnemonic(op);
    const bool goesOn = op == "&&";
    const Site site{as<Binary>(e).opSpan, {}};
    std::vector<const Expr *> operands;
    flatten(e, op, operands);
    size_t next = 0;
    /// The truth value of the next operand, of all that remain if it is no number.
    auto truthOfNext = [&] {
        const Expr *operand = operands[next++];
        if (next == operands.size())
            return condition(operand);
        IrValue v = expr(operand);
        if (!isNumber(typeOf(v)) && !typeOf(v).isUnknown())
            while (next < operands.size())
                v = emit(mnemonic, {v, expr(operands[next++])}, site);
        return emitCondition(v, operand->span);
    };
    IrValue truth = truthOfNext();
    const TypeDesc type = TypeDesc::scalar(ValueType::Bool);
    while (next < operands.size()) {
        const std::optional<bool> known = constantBool(truth);
        if (known && *known != goesOn)
            return truth;
        if (known) {
            truth = truthOfNext();
            continue;
        }
        Aside part = aside(truthOfNext);
        if (part.value && isFree(*part.block)) {
            truth = emit(mnemonic, {truth, runAlways(part)}, site);
            continue;
        }
        Aside other = aside([&] { return boolConstant(!goesOn, site.span); });
        truth = goesOn ? runIf(truth, std::move(part), std::move(other), type, site.span)
                       : runIf(truth, std::move(other), std::move(part), type, site.span);
    }
    return truth;
}

/// Only the run time knows whether c chooses one value or cell by cell.
IrValue Generator::conditionalAtRunTime(const Cond &e, IrValue c) {
    const Site site{e.span, {e.condition->span, e.thenValue->span, e.elseValue->span}};
    IrValue onlyThen = decides(c, true, e.span), onlyElse = decides(c, false, e.span);
    auto unless = [&](IrValue skipped, const Expr *value) {
        Aside part = aside([&] { return expr(value); });
        const TypeDesc type = part.value ? typeOf(part.value) : TypeDesc::unknown();
        return runIf(skipped, aside([&] { return undef(irType(type)); }), std::move(part), type, value->span);
    };
    IrValue thenValue = unless(onlyElse, e.thenValue), elseValue = unless(onlyThen, e.elseValue);
    infer("cond", {{typeOf(c), {}}, {typeOf(thenValue), {}}, {typeOf(elseValue), {}}}, site);
    const TypeDesc type = TypeDesc::unknown();
    Aside both = aside([&] {
        Aside other = aside([&] { return emit("cond", {c, thenValue, elseValue}, site); });
        return runIf(onlyElse, aside([&] { return elseValue; }), std::move(other), type, e.span);
    });
    return runIf(onlyThen, aside([&] { return thenValue; }), std::move(both), type, e.span);
}

IrValue Generator::conditional(const Cond &e) {
    IrValue c = expr(e.condition);
    const Site site{e.span, {e.condition->span, e.thenValue->span, e.elseValue->span}};
    if (typeOf(c).isUnknown())
        return conditionalAtRunTime(e, c);
    if (!isNumber(typeOf(c))) {
        IrValue t = expr(e.thenValue);
        return emit("cond", {c, t, expr(e.elseValue)}, site);
    }
    auto checked = [&](const TypeDesc &t, const TypeDesc &f) {
        return infer("cond", {{typeOf(c), {}}, {t, {}}, {f, {}}}, site).front();
    };
    IrValue truth = emitCondition(c, e.condition->span);
    if (auto known = constantBool(truth)) {
        IrValue chosen = expr(*known ? e.thenValue : e.elseValue);
        Aside other = aside([&] { return expr(*known ? e.elseValue : e.thenValue); });
        if (other.value)
            checked(typeOf(chosen), typeOf(other.value)); // both need one type, though only one runs
        return chosen;
    }
    Aside t = aside([&] { return expr(e.thenValue); });
    Aside f = aside([&] { return expr(e.elseValue); });
    if (!t.value && !f.value) {
        runIf(truth, std::move(t), std::move(f), TypeDesc::scalar(ValueType::Bool), e.span);
        throw DeadCode{};
    }
    if (t.value && f.value && isFree(*t.block) && isFree(*f.block)) {
        runAlways(t);
        runAlways(f);
        return emit("cond", {c, t.value, f.value}, site);
    }
    const TypeDesc type =
        t.value && f.value ? checked(typeOf(t.value), typeOf(f.value)) : typeOf(t.value ? t.value : f.value);
    return runIf(truth, std::move(t), std::move(f), type, e.span);
}

} // namespace daphne::irgen
