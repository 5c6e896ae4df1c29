// SPDX-License-Identifier: Apache-2.0
#include "transforms/plan/ColumnBuilder.h"

#include "transforms/plan/QueryExtraction.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

/// The selection that a comparison with a scalar on the right, or on the left, is.
struct Selection {
    ops::OpName comparison, ofRight, ofLeft;
};
constexpr Selection kSelections[] = {
    {"ewEq", "colSelectEq", "colSelectEq"}, {"ewNeq", "colSelectNeq", "colSelectNeq"},
    {"ewLt", "colSelectLt", "colSelectGt"}, {"ewLe", "colSelectLe", "colSelectGe"},
    {"ewGt", "colSelectGt", "colSelectLt"}, {"ewGe", "colSelectGe", "colSelectLe"},
};

bool hasLabel(Value frame, StringRef label) {
    TypeDesc t = typeOf(frame);
    return t.schema && llvm::is_contained(t.schema->labels, label);
}

} // namespace

ValueRange ColumnBuilder::create(Location loc, ops::OpName mnemonic, ValueRange operands) {
    const ops::OpInfo *info = ops::Registry::get().findOp(mnemonic);
    std::vector<ops::Arg> args = ir::argsOf(operands);
    SmallVector<Type> results;
    for (const TypeDesc &t : info->resultTypes({*info, args, {}}))
        results.push_back(ir::toIrType(builder.getContext(), t));
    return ir::createOp(builder, loc, mnemonic, operands, results)->getResults();
}

Value ColumnBuilder::frame(Location loc, ArrayRef<Value> columns, ArrayRef<std::string> labels) {
    SmallVector<Value> operands(columns);
    for (const std::string &label : labels)
        operands.push_back(constant(loc, {.type = ValueType::Str, .s = label}));
    return createOne(loc, "createFrame", operands);
}

Value ColumnBuilder::join(Location loc, Value left, Value right, const std::string &leftOn,
                          const std::string &rightOn) {
    ValueRange rows = create(loc, "colJoin", {column(loc, left, leftOn), column(loc, right, rightOn)});
    return paired(loc, left, rows[0], right, rows[1]);
}

Value ColumnBuilder::paired(Location loc, Value left, Value leftRows, Value right, Value rightRows) {
    Value l = createOne(loc, "colProject", {left, leftRows}), r = createOne(loc, "colProject", {right, rightRows});
    Value both = createOne(loc, "colBind", {l, r});
    drop(both.getDefiningOp()); // needed only if somebody wants the whole frame; it does not fail
    return both;
}

void ColumnBuilder::replace(Value old, Value by) {
    if (old.getType() != by.getType())
        by = ir::createOp(builder, old.getLoc(), "adapt", by, old.getType())->getResult(0);
    old.replaceAllUsesWith(by);
}

// -------------------------------------------------------------------- columns

Value ColumnBuilder::column(Location loc, Value frame, const std::string &label) {
    DaphneOp op = ir::definingOp(withoutAdapt(frame));
    if (op && op.hint().empty()) {
        if (op.is("colProject"))
            return fetched(loc, column(loc, op->getOperand(0), label), op);
        if (op.is("extractCol") && constantText(op->getOperand(1)) == label)
            return column(loc, op->getOperand(0), label);
        if (op.is("colBind"))
            for (Value side : op->getOperands())
                if (hasLabel(side, label))
                    return column(loc, side, label);
        if (op.is("createFrame"))
            if (Value found = columnOfNewFrame(op, label))
                return found;
    }
    auto part = [&] {
        Value text = constant(loc, {.type = ValueType::Str, .s = label});
        return asMatrix(loc, createOne(loc, "extractCol", {frame, text}));
    };
    if (!typeOf(frame).schema) // it may fail: not before it is needed
        return part();
    auto &known = columnOf[{frame.getAsOpaquePointer(), label}];
    if (!known) {
        // Right behind the frame, so that every later use finds it.
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(frame);
        known = part();
    }
    return known;
}

/// Only columns of other frames: a matrix that became a column may have another representation.
Value ColumnBuilder::columnOfNewFrame(DaphneOp op, StringRef label) {
    size_t n = op->getNumOperands() / 2;
    Value found;
    for (size_t c = 0; c < n; ++c) {
        auto text = constantText(op->getOperand(n + c));
        if (!text)
            return {};
        if (*text == label)
            found = op->getOperand(c);
    }
    return found && sources.isColumn(found) ? found : Value();
}

bool ColumnBuilder::isFoundBelow(Value frame, const std::string &label) {
    DaphneOp op = ir::definingOp(withoutAdapt(frame));
    if (!op || !op.hint().empty())
        return false;
    if (op.is("colProject"))
        return true;
    if (op.is("extractCol") && constantText(op->getOperand(1)) == label)
        return isFoundBelow(op->getOperand(0), label);
    if (op.is("colBind"))
        return llvm::any_of(op->getOperands(),
                            [&](Value side) { return hasLabel(side, label) && isFoundBelow(side, label); });
    return op.is("createFrame") && columnOfNewFrame(op, label);
}

Value ColumnBuilder::asMatrix(Location loc, Value frame) {
    const ops::OpInfo *info = ops::Registry::get().findOp("cast");
    std::vector<ops::Arg> args = ir::argsOf(frame);
    TypeDesc target{.kind = ops::Kind::Matrix};
    Type type = ir::toIrType(builder.getContext(), info->resultTypes({*info, args, target})[0]);
    NamedAttribute attributes[] = {
        builder.getNamedAttr(ir::kTargetKind, builder.getI64IntegerAttr(static_cast<int64_t>(target.kind))),
        builder.getNamedAttr(ir::kValue, builder.getI64IntegerAttr(static_cast<int64_t>(target.valueType)))};
    return ir::createOp(builder, loc, "cast", frame, type, attributes)->getResult(0);
}

/// Cells of a column at the positions of a projection.
Value ColumnBuilder::fetched(Location loc, Value column, DaphneOp projection) {
    SmallVector<Value> operands(projection->getOperands());
    operands[0] = column;
    auto &known = fetchedAt[{column, operands[1]}];
    if (!known) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfter(projection);
        // The column may have been made behind the projection.
        if (Operation *made = column.getDefiningOp();
            made && made->getBlock() == projection->getBlock() && projection->isBeforeInBlock(made))
            builder.setInsertionPointAfter(made);
        known = createOne(loc, "colProject", operands);
    }
    return known;
}

// ------------------------------------------------------------------ positions

Value ColumnBuilder::positions(Value bits) {
    bits = withoutAdapt(bits);
    if (Value known = positionsOf.lookup(bits))
        return known;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(bits);
    return positionsOf[bits] = newPositions(bits);
}

Value ColumnBuilder::newPositions(Value bits) {
    DaphneOp op = ir::definingOp(bits);
    Location loc = bits.getLoc();
    if (op && op.hint().empty() && op->getNumOperands() == 2 && sources.isColumn(bits)) {
        Value l = op->getOperand(0), r = op->getOperand(1);
        bool bothColumns = typeOf(l).isMatrix() && typeOf(r).isMatrix();
        if (bothColumns && (op.is("ewAnd") || op.is("ewOr"))) {
            drop(op);
            return createOne(loc, op.is("ewAnd") ? ops::OpName("colIntersect") : ops::OpName("colMerge"),
                             {positions(l), positions(r)});
        }
        for (const Selection &s : kSelections)
            if (op.is(s.comparison)) {
                drop(op);
                return typeOf(l).isScalar() ? createOne(loc, s.ofLeft, {r, l}) : createOne(loc, s.ofRight, {l, r});
            }
    }
    return createOne(loc, "colSelectNeq", {bits, constant(loc, {.type = ValueType::SI64})});
}

Value ColumnBuilder::lengthOf(Value bits) {
    DaphneOp op = ir::definingOp(withoutAdapt(bits));
    if (op && dropped.contains(op))
        for (Value operand : op->getOperands())
            if (typeOf(operand).isMatrix())
                return lengthOf(operand);
    return bits;
}

// -------------------------------------------------------------------- the end

void ColumnBuilder::eraseDropped() {
    for (bool changed = true; changed;) {
        changed = false;
        for (Operation *op : llvm::to_vector(llvm::reverse(dropped)))
            if (dropped.contains(op) && op->use_empty()) {
                erase(op);
                changed = true;
            }
    }
}

void ColumnBuilder::erase(Operation *op) {
    llvm::SmallSetVector<Operation *, 4> operands;
    for (Value v : op->getOperands())
        if (Operation *definition = v.getDefiningOp())
            operands.insert(definition);
    dropped.remove(op);
    op->erase();
    for (Operation *definition : operands)
        if (definition->use_empty() && !dropped.contains(definition) && !ir::mustKeep(definition))
            erase(definition);
}

} // namespace daphne::transforms
