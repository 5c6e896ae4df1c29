// SPDX-License-Identifier: Apache-2.0
/// Medians, quantiles, aggregates that ignore NaN, covariances, histograms, differences of rows.
#include <algorithm>
#include <memory>

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

/// diff(arg, lag)
Types diff(const InferCall &call) {
    needNumericMatrix(call, 0);
    const TypeDesc &x = call.type(0);
    ValueType t = valueTypeOf(x);
    int64_t lag = sizeOperand(call, 1), rows = x.rows < 0 || lag < 0 ? -1 : std::max<int64_t>(0, x.rows - lag);
    if (lag == 0)
        throw wrongAtRunTime(call, "the lag must be at least 1, got 0");
    return {TypeDesc::matrix(t == ValueType::Bool ? ValueType::SI64 : t, rows, x.cols)};
}

bool diffMayFail(const InferCall &call) { return numericMayFail(call) || sizeOperand(call, 1) < 1; }

ValueType floating(ValueType t) { return t == ValueType::F32 || t == ValueType::Unknown ? t : ValueType::F64; }
ValueType position(ValueType) { return ValueType::Size; }

template <ValueType (*Result)(ValueType)> Types all(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::scalar(Result(valueTypeOf(call.type(0))))};
}
template <ValueType (*Result)(ValueType)> Types perRow(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::matrix(Result(valueTypeOf(call.type(0))), call.type(0).rows, 1)};
}
template <ValueType (*Result)(ValueType)> Types perColumn(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::matrix(Result(valueTypeOf(call.type(0))), 1, call.type(0).cols)};
}

/// cov, cor (arg, other, ddof): other is a matrix, or a number for arg itself
Types betweenColumns(const InferCall &call) {
    needNumericMatrix(call, 0);
    needNumericScalar(call, 2);
    const TypeDesc &x = call.type(0), &y = call.type(1);
    if (y.isScalar()) {
        if (const auto &c = call.args[1].constant; c && c->asDouble() != 0)
            wrongOperand(call, 1, "a matrix");
        return {TypeDesc::matrix(floatOf(valueTypeOf(x)), x.cols, x.cols)};
    }
    needNumericMatrix(call, 1);
    if (x.rows >= 0 && y.rows >= 0 && x.rows != y.rows)
        throw wrong(call, "needs equal numbers of rows, got " + x.shapeText() + " and " + y.shapeText());
    return {TypeDesc::matrix(floatOf(generalise(call, {0, 1})), x.cols, y.isMatrix() ? y.cols : -1)};
}

/// histogram(arg, numBins[, min, max]): counts and edges
Types histogram(const InferCall &call) {
    needNumericMatrix(call, 0);
    int64_t n = sizeOperand(call, 1);
    if (call.args.size() == 3)
        throw wrong(call, "takes both bounds or none");
    for (size_t i = 2; i < call.args.size(); ++i)
        needNumericScalar(call, i);
    if (n == 0)
        throw wrongAtRunTime(call, "needs at least one bin, got 0");
    return {TypeDesc::matrix(ValueType::SI64, n, 1), TypeDesc::matrix(ValueType::F64, n < 0 ? -1 : n + 1, 1)};
}

/// describe(arg): a row per column
Types describe(const InferCall &call) {
    static const auto schema = std::make_shared<FrameSchema>(
        FrameSchema{{"column", "count", "mean", "stddev", "min", "q25", "median", "q75", "max"},
                    {ValueType::Str, ValueType::SI64, ValueType::F64, ValueType::F64, ValueType::F64, ValueType::F64,
                     ValueType::F64, ValueType::F64, ValueType::F64}});
    needMatrixOrFrame(call, 0);
    const TypeDesc &x = call.type(0);
    return {TypeDesc::frame(schema, x.isMatrix() || x.isFrame() ? x.cols : -1, 9)};
}

constexpr OpInfo aggregate(Mnemonic name, Family family, InferFn infer, FaultFn mayFail = numericMayFail) {
    return {.mnemonic = name, .family = family, .infer = infer, .mayFail = mayFail};
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
    {.mnemonic = "diff", .minArgs = 2, .maxArgs = 2, .infer = diff, .mayFail = diffMayFail,
     .zeroPreserving = true},
    aggregate("nanMeanAll", Family::AggAll, all<floating>),
    aggregate("nanMeanRow", Family::AggRow, perRow<floating>),
    aggregate("nanMeanCol", Family::AggCol, perColumn<floating>),
    aggregate("nanVarAll", Family::AggAll, all<floating>),
    aggregate("nanVarRow", Family::AggRow, perRow<floating>),
    aggregate("nanVarCol", Family::AggCol, perColumn<floating>),
    aggregate("nanStddevAll", Family::AggAll, all<floating>),
    aggregate("nanStddevRow", Family::AggRow, perRow<floating>),
    aggregate("nanStddevCol", Family::AggCol, perColumn<floating>),
    aggregate("nanMedianAll", Family::AggAll, all<floating>),
    aggregate("nanMedianRow", Family::AggRow, perRow<floating>),
    aggregate("nanMedianCol", Family::AggCol, perColumn<floating>),
    aggregate("nanIdxMinAll", Family::AggAll, all<position>, always),
    aggregate("nanIdxMinRow", Family::AggRow, perRow<position>, always),
    aggregate("nanIdxMinCol", Family::AggCol, perColumn<position>, always),
    aggregate("nanIdxMaxAll", Family::AggAll, all<position>, always),
    aggregate("nanIdxMaxRow", Family::AggRow, perRow<position>, always),
    aggregate("nanIdxMaxCol", Family::AggCol, perColumn<position>, always),
    {.mnemonic = "cov", .minArgs = 3, .maxArgs = 3, .infer = betweenColumns, .mayFail = always},
    {.mnemonic = "cor", .minArgs = 3, .maxArgs = 3, .infer = betweenColumns, .mayFail = always},
    {.mnemonic = "histogram", .minArgs = 2, .maxArgs = 4, .numResults = 2, .infer = histogram, .mayFail = always},
    {.mnemonic = "describe", .infer = describe, .mayFail = always},
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
    {.signature = "diff(arg, lag = 1)", .op = "diff",
     .doc = "Differences of rows: row i of the result is row i + lag minus row i of arg.",
     .example = "print(diff([1, 4, 9]));", .expect = "DenseMatrix(2x1, int64_t)\n3\n5\n"},
    {.signature = "nanMean(arg[, axis])", .op = "nanMeanAll", .rowOp = "nanMeanRow", .colOp = "nanMeanCol",
     .doc = "Arithmetic mean of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if "
            "there are none.",
     .example = "print(nanMean([1.0, nan, 3.0]));", .expect = "2\n"},
    {.signature = "nanVar(arg[, axis])", .op = "nanVarAll", .rowOp = "nanVarRow", .colOp = "nanVarCol",
     .doc = "Population variance of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if "
            "there are none.",
     .example = "print(nanVar([1.0, nan, 3.0]));", .expect = "1\n"},
    {.signature = "nanStddev(arg[, axis])", .op = "nanStddevAll", .rowOp = "nanStddevRow", .colOp = "nanStddevCol",
     .doc = "Population standard deviation of the cells that are not nan, of all, per row (axis 0) or per column "
            "(axis 1); nan if there are none.",
     .example = "print(nanStddev([1.0, nan, 3.0]));", .expect = "1\n"},
    {.signature = "nanMedian(arg[, axis])", .op = "nanMedianAll", .rowOp = "nanMedianRow", .colOp = "nanMedianCol",
     .doc = "Median of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are "
            "none.",
     .example = "print(nanMedian([1.0, nan, 3.0]));", .expect = "2\n"},
    {.signature = "nanIdxMin(arg[, axis])", .op = "nanIdxMinAll", .rowOp = "nanIdxMinRow", .colOp = "nanIdxMinCol",
     .doc = "Position of the smallest cell that is not nan, the first one on ties: of each row (axis 0), of each column "
            "(axis 1), or of all cells, counted row by row. Only nan is an error; no cells: 0.",
     .example = "print(nanIdxMin([nan, 2.0, 1.0]));", .expect = "2\n"},
    {.signature = "nanIdxMax(arg[, axis])", .op = "nanIdxMaxAll", .rowOp = "nanIdxMaxRow", .colOp = "nanIdxMaxCol",
     .doc = "Position of the largest cell that is not nan, the first one on ties: of each row (axis 0), of each column "
            "(axis 1), or of all cells, counted row by row. Only nan is an error; no cells: 0.",
     .example = "print(nanIdxMax([nan, 2.0, 1.0]));", .expect = "1\n"},
    {.signature = "cov(arg, other = 0, ddof = 0)", .op = "cov",
     .doc = "Covariances of the columns of arg with those of other, a matrix with as many rows; without it, with each "
            "other. Sums of products are divided by the number of rows less ddof.",
     .example = "print(cov([1.0, 2.0, 3.0, 6.0](2, 2)));", .expect = "DenseMatrix(2x2, double)\n1 2\n2 4\n"},
    {.signature = "cor(arg, other = 0, ddof = 0)", .op = "cor",
     .doc = "Correlations of columns as cov; nan for a column whose cells are all equal.",
     .example = "print(cor([1.0, 2.0, 3.0, 6.0](2, 2)));", .expect = "DenseMatrix(2x2, double)\n1 1\n1 1\n"},
    {.signature = "histogram(arg, numBins[, min, max])", .op = "histogram",
     .doc = "Two results: how many cells are in each of numBins intervals of equal width from min to max (those of the "
            "cells unless given), and the numBins + 1 edges. An interval includes its lower edge, the last one both; "
            "nan and cells outside are not counted.",
     .example = "counts, edges = histogram([1, 2, 2, 5], 2); print(t(counts)); print(t(edges));",
     .expect = "DenseMatrix(1x2, int64_t)\n3 1\nDenseMatrix(1x3, double)\n1 3 5\n"},
    {.signature = "describe(arg)", .op = "describe",
     .doc = "Frame with a row per column of a matrix or frame: its label, number of cells, mean, standard deviation, "
            "minimum, quartiles and maximum. nan is no cell; of strings only those that are not empty are counted, of "
            "times those that are not nat.",
     .example = "print(describe({\"x\": [1, 2, 3]}));",
     .expect = "Frame(1x9, [column:std::string, count:int64_t, mean:double, stddev:double, min:double, q25:double, "
               "median:double, q75:double, max:double])\nx 3 2 0.816497 1 1.5 2 2.5 3\n"},
    {.signature = "summary(arg)", .op = "describe", .doc = "The same as describe.",
     .example = "print(summary({\"x\": [1, 2, 3]})[, \"mean\"]);", .expect = "Frame(1x1, [mean:double])\n2\n"},
};
// clang-format on

} // namespace

void addStatistics(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
