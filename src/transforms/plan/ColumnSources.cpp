// SPDX-License-Identifier: Apache-2.0
#include "transforms/plan/ColumnSources.h"

#include "transforms/plan/QueryExtraction.h"
#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::Family;
using ops::TypeDesc;

std::optional<std::string> constantText(Value v) {
    auto c = ir::constantOf(v);
    return c && c->type == ValueType::Str ? std::optional(c->s) : std::nullopt;
}

bool isComparisonOp(ops::OpName mnemonic) {
    return ops::isOneOf(mnemonic, {"ewEq", "ewNeq", "ewLt", "ewLe", "ewGt", "ewGe"});
}

namespace {

bool isCellwise(DaphneOp op) {
    Family family = op.info().family;
    return family == Family::EwUnary || family == Family::EwBinary || op.is("colCalcSub") || op.is("colCalcMul") ||
           op.is("cond");
}

bool isTable(Value v) {
    TypeDesc type = typeOf(v);
    return type.isMatrix() || type.isFrame();
}

} // namespace

/// The operand whose rows are those of the result; null if there is none.
Value ColumnSources::sameRowsAs(DaphneOp op) {
    constexpr ops::OpName kKeepRows[] = {"extractCol",         "sliceCol",    "filterCol",    "setColLabels",
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

Value ColumnSources::rowsOf(Value v) {
    v = withoutAdapt(v);
    if (Value known = rows.lookup(v))
        return known;
    DaphneOp op = ir::definingOp(v);
    Value result = v;
    if (op && op.hint().empty()) {
        bool isRowOfGroup = op.is("colGroupFirst") && v == op->getResult(1);
        if (op.is("colJoin"))
            result = op->getResult(0); // both lists have a position per pair
        else if (Value same = isRowOfGroup ? Value() : sameRowsAs(op))
            result = rowsOf(same);
    }
    return rows[v] = result;
}

bool ColumnSources::haveSameRows(Value a, Value b) {
    int64_t n = typeOf(a).rows;
    return (n >= 0 && n == typeOf(b).rows) || rowsOf(a) == rowsOf(b);
}

bool ColumnSources::isColumn(Value v) {
    v = withoutAdapt(v);
    if (auto known = columns.find(v); known != columns.end())
        return known->second;
    bool found = findOut(v);
    return columns[v] = found;
}

bool ColumnSources::findOut(Value v) {
    DaphneOp op = ir::definingOp(v);
    if (!op || !op.hint().empty() || !typeOf(v).isMatrix())
        return false;
    if (op.is("cast")) {
        TypeDesc from = typeOf(op->getOperand(0));
        return from.isFrame() ? from.cols == 1 : isColumn(op->getOperand(0));
    }
    if (op.is("colProject") || op.is("like") || op.is("isMember"))
        return isColumn(op->getOperand(0));
    if (op.is("colSumGrp"))
        return true;
    if (!isCellwise(op) || !sameRowsAs(op))
        return false;
    bool any = false;
    for (Value operand : op->getOperands()) {
        bool column = isColumn(operand), isFilled = bool(definedBy(withoutAdapt(operand), "fill"));
        any |= column;
        if (!column && !isFilled && !typeOf(operand).isScalar())
            return false;
    }
    return any;
}

} // namespace daphne::transforms
