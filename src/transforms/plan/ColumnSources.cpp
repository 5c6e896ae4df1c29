// SPDX-License-Identifier: Apache-2.0
#include "transforms/plan/ColumnSources.h"

#include "transforms/plan/QueryExtraction.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::Family;

std::optional<std::string> constantText(Value v) {
    auto c = ir::constantOf(v);
    return c && c->type == ValueType::Str ? std::optional(c->s) : std::nullopt;
}

bool isComparisonOp(StringRef mnemonic) {
    constexpr StringLiteral kComparisons[] = {"ewEq", "ewNeq", "ewLt", "ewLe", "ewGt", "ewGe"};
    return llvm::is_contained(kComparisons, mnemonic);
}

namespace {

bool isCellwise(DaphneOp op) {
    Family family = op.info().family;
    return family == Family::EwUnary || family == Family::EwBinary || op.is("colCalcSub") || op.is("colCalcMul") ||
           op.is("cond");
}

bool isTable(Value v) {
    ops::TypeDesc type = typeOf(v);
    return type.isMatrix() || type.isFrame();
}

/// The operand whose rows are those of the result; null if there is none.
Value sameRowsAs(DaphneOp op) {
    constexpr StringLiteral kKeepRows[] = {"extractCol",         "sliceCol",    "filterCol",    "setColLabels",
                                           "setColLabelsPrefix", "createFrame", "colBind",      "like",
                                           "isMember",           "cast",        "colGroupFirst"};
    if (llvm::is_contained(kKeepRows, op.mnemonic()) && isTable(op->getOperand(0)))
        return op->getOperand(0);
    if (op.is("colProject"))
        return op->getOperand(1);
    if (op.is("colSumGrp"))
        return op->getOperand(2);
    if (op.is("fill"))
        if (DaphneOp rows = definedBy(op->getOperand(1), "numRows"))
            return rows->getOperand(0);
    if (isCellwise(op)) {
        // Vectors may be spread over matrices, so all operands must agree.
        Value rows;
        for (Value operand : op->getOperands())
            if (isTable(operand)) {
                if (rows && !haveSameRows(rows, operand))
                    return {};
                rows = operand;
            }
        return rows;
    }
    return {};
}

} // namespace

Value rowsOf(Value v) {
    while (true) {
        v = withoutAdapt(v);
        DaphneOp op = ir::definingOp(v);
        if (!op || !op.hint().empty())
            return v;
        if (op.is("colJoin"))
            return op->getResult(0); // both lists have a position per pair
        if (op.is("colGroupFirst") && v == op->getResult(1))
            return v;
        Value next = sameRowsAs(op);
        if (!next)
            return v;
        v = next;
    }
}

bool haveSameRows(Value a, Value b) {
    int64_t rows = typeOf(a).rows;
    return (rows >= 0 && rows == typeOf(b).rows) || rowsOf(a) == rowsOf(b);
}

bool isPlainColumn(Value v) {
    v = withoutAdapt(v);
    DaphneOp op = ir::definingOp(v);
    if (!op || !op.hint().empty() || !typeOf(v).isMatrix())
        return false;
    if (op.is("cast")) {
        ops::TypeDesc from = typeOf(op->getOperand(0));
        return (from.isFrame() && from.cols == 1) || (from.isMatrix() && isPlainColumn(op->getOperand(0)));
    }
    if (op.is("colProject"))
        return isColumn(op->getOperand(0));
    return op.is("colSumGrp");
}

bool isColumn(Value v) {
    if (isPlainColumn(v))
        return true;
    v = withoutAdapt(v);
    DaphneOp op = ir::definingOp(v);
    if (!op || !op.hint().empty() || !typeOf(v).isMatrix())
        return false;
    if (op.is("cast") || op.is("like") || op.is("isMember"))
        return isColumn(op->getOperand(0));
    if (!isCellwise(op) || !sameRowsAs(op))
        return false;
    bool any = false;
    for (Value operand : op->getOperands()) {
        bool column = isColumn(operand);
        any |= column;
        bool isFilled = bool(definedBy(withoutAdapt(operand), "fill"));
        if (!column && !isFilled && !typeOf(operand).isScalar())
            return false;
    }
    return any;
}

} // namespace daphne::transforms
