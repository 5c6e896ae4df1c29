// SPDX-License-Identifier: Apache-2.0
/// Medians, quantiles and differences of rows.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

bool numericMayFail(const InferCall &call) { return !numericMatrix(call.type(0)); }

ValueType floatingType(const InferCall &call) {
    needNumericMatrix(call, 0);
    return floatOf(valueTypeOf(call.type(0)));
}

Types medianAll(const InferCall &call) { return {TypeDesc::scalar(floatingType(call))}; }
Types medianRow(const InferCall &call) { return {TypeDesc::matrix(floatingType(call), call.type(0).rows, 1)}; }
Types medianCol(const InferCall &call) { return {TypeDesc::matrix(floatingType(call), 1, call.type(0).cols)}; }

/// Number of quantiles of operand 1, a number or a vector of numbers; -1 if not known.
int64_t numQuantiles(const InferCall &call) {
    const TypeDesc &q = call.type(1);
    if (q.isUnknown())
        return -1;
    if (q.valueType == ValueType::Str || (!q.isScalar() && !q.isMatrix()))
        wrongOperand(call, 1, "a number or a vector of numbers");
    if (q.isScalar()) {
        const auto &constant = call.args[1].constant;
        if (constant && !(constant->asDouble() >= 0 && constant->asDouble() <= 1))
            throw wrongAtRunTime(call,
                                 "a quantile must be between 0 and 1, got " + std::to_string(constant->asDouble()));
        return 1;
    }
    if (!q.hasShape())
        return -1;
    if (q.rows != 1 && q.cols != 1)
        throw wrong(call, "needs one row or one column of quantiles, got " + q.shapeText());
    return q.rows == 1 ? q.cols : q.rows;
}

/// One quantile of all cells is a number, several are a column.
Types quantileAll(const InferCall &call) {
    ValueType t = floatingType(call);
    int64_t k = numQuantiles(call);
    const TypeDesc &q = call.type(1);
    if (q.isUnknown())
        return {TypeDesc::unknown()};
    return {q.isScalar() ? TypeDesc::scalar(t) : TypeDesc::matrix(t, k, 1)};
}
Types quantileRow(const InferCall &call) {
    ValueType t = floatingType(call);
    return {TypeDesc::matrix(t, call.type(0).rows, numQuantiles(call))};
}
Types quantileCol(const InferCall &call) {
    ValueType t = floatingType(call);
    return {TypeDesc::matrix(t, numQuantiles(call), call.type(0).cols)};
}
bool quantileMayFail(const InferCall &call) { return numericMayFail(call) || !call.args[1].constant; }

Types diff(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    ValueType t = valueTypeOf(x);
    int64_t rows = x.rows > 0 ? x.rows - 1 : x.rows;
    return {TypeDesc::matrix(t == ValueType::Bool ? ValueType::SI64 : t, rows, x.cols)};
}

constexpr OpInfo quantiles(Mnemonic name, InferFn infer) {
    return {.mnemonic = name, .minArgs = 2, .maxArgs = 2, .infer = infer, .mayFail = quantileMayFail};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "medianAll", .family = Family::AggAll, .infer = medianAll, .mayFail = numericMayFail},
    {.mnemonic = "medianRow", .family = Family::AggRow, .infer = medianRow, .mayFail = numericMayFail},
    {.mnemonic = "medianCol", .family = Family::AggCol, .infer = medianCol, .mayFail = numericMayFail},
    quantiles("quantileAll", quantileAll),
    quantiles("quantileRow", quantileRow),
    quantiles("quantileCol", quantileCol),
    {.mnemonic = "diff", .infer = diff, .mayFail = numericMayFail, .zeroPreserving = true},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "median(arg[, axis])", .op = "medianAll", .rowOp = "medianRow", .colOp = "medianCol",
     .doc = "Median of all cells, per row (axis 0) or per column (axis 1): the mean of the two middle ones of an even "
            "number of cells; nan if a cell is nan or there are none.",
     .example = "X = [1, 9, 2, 4](2, 2); print(median(X)); print(median(X, 0));",
     .expect = "3\nDenseMatrix(2x1, double)\n5\n3\n"},
    {.signature = "quantile(arg, q[, axis])", .op = "quantileAll", .rowOp = "quantileRow", .colOp = "quantileCol",
     .doc = "Quantile q (0 is the minimum, 1 the maximum) of all cells, per row (axis 0) or per column (axis 1), with "
            "linear interpolation between neighbouring cells; nan if a cell is nan or there are none. A vector q of k "
            "quantiles gives k rows, with axis 0 k columns.",
     .example = "X = [1, 2, 3, 5]; print(quantile(X, 0.5)); print(quantile(X, [0.0, 0.75]));",
     .expect = "2.5\nDenseMatrix(2x1, double)\n1\n3.5\n"},
    {.signature = "diff(arg)", .op = "diff",
     .doc = "Differences of neighbouring rows: row i of the result is row i + 1 minus row i of arg.",
     .example = "print(diff([1, 4, 9]));", .expect = "DenseMatrix(2x1, int64_t)\n3\n5\n"},
};
// clang-format on

} // namespace

void addStatistics(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
