// SPDX-License-Identifier: Apache-2.0
/// Aggregates over all cells, per row, per column and per group, positions of
/// extremes, and cumulative operations.
#include "ops/Operands.h"
#include "ops/SumTypes.h"

namespace daphne::ops {

namespace {

using namespace rule;

bool ifTypeUnknown(const InferCall &call) { return !call.type(0).isComplete(); }

ValueType same(ValueType t) { return t; }
ValueType truth(ValueType) { return ValueType::Bool; }
ValueType counts(ValueType) { return ValueType::SI64; }
ValueType position(ValueType) { return ValueType::Size; }

using TypeRule = ValueType (*)(ValueType);

template <TypeRule Result> Types all(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::scalar(Result(call.type(0).valueType))};
}
template <TypeRule Result> Types perRow(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::matrix(Result(call.type(0).valueType), call.type(0).rows, 1)};
}
template <TypeRule Result> Types perColumn(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::matrix(Result(call.type(0).valueType), 1, call.type(0).cols)};
}
/// Smallest and largest cells: strings too.
Types extremeOfAll(const InferCall &call) {
    needMatrix(call, 0);
    return {TypeDesc::scalar(call.type(0).valueType)};
}
Types extremePerRow(const InferCall &call) {
    needMatrix(call, 0);
    return {TypeDesc::matrix(call.type(0).valueType, call.type(0).rows, 1)};
}
Types extremePerColumn(const InferCall &call) {
    needMatrix(call, 0);
    return {TypeDesc::matrix(call.type(0).valueType, 1, call.type(0).cols)};
}
/// No string is larger than all others, so that no cells have no extreme.
bool ifStringsMayBeMissing(const InferCall &call) {
    const TypeDesc &x = call.type(0);
    return ifTypeUnknown(call) || (x.valueType == ValueType::Str && (x.rows <= 0 || x.cols <= 0));
}

/// f(arg, ddof)
template <InferFn OfCells> Types withDdof(const InferCall &call) {
    needNumericScalar(call, 1);
    return OfCells(call);
}
constexpr OpInfo sample(Mnemonic name, InferFn infer) {
    return {.mnemonic = name, .minArgs = 2, .maxArgs = 2, .infer = infer, .mayFail = always};
}

template <TypeRule Result> Types cumulative(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {TypeDesc::matrix(Result(call.type(0).valueType), call.type(0).rows, call.type(0).cols)};
}

/// f(arg, groupIds, numGroups): entry k of the result is over the cells of the column arg whose id is k.
TypeDesc grouped(const InferCall &call, ValueType result) {
    const TypeDesc &x = call.type(0), &ids = call.type(1);
    needNumericMatrix(call, 1);
    int64_t numGroups = sizeOperand(call, 2);
    for (const TypeDesc *t : {&x, &ids})
        if (t->cols >= 0 && t->cols != 1)
            throw wrong(call, "values and group ids must have one column each, got " + x.shapeText() + " and " +
                                  ids.shapeText());
    if (x.rows >= 0 && ids.rows >= 0 && x.rows != ids.rows)
        throw wrong(call,
                    "needs one group id per value, got " + x.shapeText() + " values and " + ids.shapeText() + " ids");
    return TypeDesc::matrix(result, numGroups, 1);
}
template <TypeRule Result> Types perGroup(const InferCall &call) {
    needNumericMatrix(call, 0);
    return {grouped(call, Result(call.type(0).valueType))};
}
Types countPerGroup(const InferCall &call) {
    needMatrix(call, 0);
    return {grouped(call, ValueType::Size)};
}

constexpr OpInfo groups(Mnemonic name, InferFn infer) {
    return {.mnemonic = name, .minArgs = 3, .maxArgs = 3, .infer = infer, .mayFail = always};
}

constexpr OpInfo row(Mnemonic name, Family family, InferFn infer, FaultFn mayFail = ifTypeUnknown,
                     FoldFacts fold = {}) {
    return {.mnemonic = name, .family = family, .infer = infer, .mayFail = mayFail, .fold = fold};
}

constexpr FoldFacts kSum{.combine = "sum", .prepare = FoldFacts::Prepare::Count};
constexpr FoldFacts kMin{.combine = "min"}, kMax{.combine = "max"};
constexpr FoldFacts kMean{
    .combine = "sum", .prepare = FoldFacts::Prepare::Float, .finish = FoldFacts::Finish::DivideByCount};

/// NaN is no cell.
constexpr FoldFacts kMinNumber{.combine = "minNumber"}, kMaxNumber{.combine = "maxNumber"};
constexpr FoldFacts kNumberSum{.combine = "sum of ewNanToZero", .prepare = FoldFacts::Prepare::Count};
constexpr FoldFacts kNumberCount{.combine = "sum of ewNotNan", .prepare = FoldFacts::Prepare::Count};

constexpr OpInfo down(Mnemonic name, InferFn infer) {
    return {.mnemonic = name,
            .family = Family::Cumulative,
            .infer = infer,
            .mayFail = ifTypeUnknown,
            .zeroPreserving = true,
            .reusable = 1};
}
/// Whether some, or all cells are not 0.
constexpr FoldFacts kAny{.combine = "max", .prepare = FoldFacts::Prepare::Truth};
constexpr FoldFacts kEvery{.combine = "min", .prepare = FoldFacts::Prepare::Truth};

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    row("anyAll", Family::AggAll, all<truth>, ifTypeUnknown, kAny),
    row("anyRow", Family::AggRow, perRow<truth>, ifTypeUnknown, kAny),
    row("anyCol", Family::AggCol, perColumn<truth>, ifTypeUnknown, kAny),
    row("everyAll", Family::AggAll, all<truth>, ifTypeUnknown, kEvery),
    row("everyRow", Family::AggRow, perRow<truth>, ifTypeUnknown, kEvery),
    row("everyCol", Family::AggCol, perColumn<truth>, ifTypeUnknown, kEvery),
    row("sumAll", Family::AggAll, all<sumType>, ifTypeUnknown, kSum),
    row("sumRow", Family::AggRow, perRow<sumType>, ifTypeUnknown, kSum),
    row("sumCol", Family::AggCol, perColumn<sumType>, ifTypeUnknown, kSum),
    row("prodAll", Family::AggAll, all<sumType>),
    row("prodRow", Family::AggRow, perRow<sumType>),
    row("prodCol", Family::AggCol, perColumn<sumType>),
    row("minAll", Family::AggAll, extremeOfAll, ifStringsMayBeMissing, kMin),
    row("minRow", Family::AggRow, extremePerRow, ifStringsMayBeMissing, kMin),
    row("minCol", Family::AggCol, extremePerColumn, ifStringsMayBeMissing, kMin),
    row("maxAll", Family::AggAll, extremeOfAll, ifStringsMayBeMissing, kMax),
    row("maxRow", Family::AggRow, extremePerRow, ifStringsMayBeMissing, kMax),
    row("maxCol", Family::AggCol, extremePerColumn, ifStringsMayBeMissing, kMax),
    row("meanAll", Family::AggAll, all<floatOf>, ifTypeUnknown, kMean),
    row("meanRow", Family::AggRow, perRow<floatOf>, ifTypeUnknown, kMean),
    row("meanCol", Family::AggCol, perColumn<floatOf>, ifTypeUnknown, kMean),
    row("varAll", Family::AggAll, all<floatOf>),
    row("varRow", Family::AggRow, perRow<floatOf>),
    row("varCol", Family::AggCol, perColumn<floatOf>),
    row("stddevAll", Family::AggAll, all<floatOf>),
    row("stddevRow", Family::AggRow, perRow<floatOf>),
    row("stddevCol", Family::AggCol, perColumn<floatOf>),
    sample("sampleVarAll", withDdof<all<floatOf>>),
    sample("sampleVarRow", withDdof<perRow<floatOf>>),
    sample("sampleVarCol", withDdof<perColumn<floatOf>>),
    sample("sampleStddevAll", withDdof<all<floatOf>>),
    sample("sampleStddevRow", withDdof<perRow<floatOf>>),
    sample("sampleStddevCol", withDdof<perColumn<floatOf>>),
    row("idxminRow", Family::AggRow, perRow<position>),
    row("idxminCol", Family::AggCol, perColumn<position>),
    row("idxmaxRow", Family::AggRow, perRow<position>),
    row("idxmaxCol", Family::AggCol, perColumn<position>),
    row("nanSumAll", Family::AggAll, all<sumType>, ifTypeUnknown, kNumberSum),
    row("nanSumRow", Family::AggRow, perRow<sumType>, ifTypeUnknown, kNumberSum),
    row("nanSumCol", Family::AggCol, perColumn<sumType>, ifTypeUnknown, kNumberSum),
    row("nanCountAll", Family::AggAll, all<counts>, ifTypeUnknown, kNumberCount),
    row("nanCountRow", Family::AggRow, perRow<counts>, ifTypeUnknown, kNumberCount),
    row("nanCountCol", Family::AggCol, perColumn<counts>, ifTypeUnknown, kNumberCount),
    row("nanMinAll", Family::AggAll, all<same>, ifTypeUnknown, kMinNumber),
    row("nanMinRow", Family::AggRow, perRow<same>, ifTypeUnknown, kMinNumber),
    row("nanMinCol", Family::AggCol, perColumn<same>, ifTypeUnknown, kMinNumber),
    row("nanMaxAll", Family::AggAll, all<same>, ifTypeUnknown, kMaxNumber),
    row("nanMaxRow", Family::AggRow, perRow<same>, ifTypeUnknown, kMaxNumber),
    row("nanMaxCol", Family::AggCol, perColumn<same>, ifTypeUnknown, kMaxNumber),
    groups("sumGrp", perGroup<sumType>),
    groups("minGrp", perGroup<same>),
    groups("maxGrp", perGroup<same>),
    groups("meanGrp", perGroup<floatOf>),
    groups("varGrp", perGroup<floatOf>),
    groups("stddevGrp", perGroup<floatOf>),
    groups("countGrp", countPerGroup),
    down("sumCum", cumulative<sumType>),
    down("prodCum", cumulative<sumType>),
    down("minCum", cumulative<same>),
    down("maxCum", cumulative<same>),
};

constexpr Builtin kBuiltins[] = {
    {.signature = "sum(arg[, axisOrGroups[, numGroups]])", .op = "sumAll", .rowOp = "sumRow", .colOp = "sumCol",
     .groupOp = "sumGrp",
     .doc = "Sum of all cells, per row (axis 0), per column (axis 1), or per group: the cells of a column whose group "
            "id, in a column of the same length, is 0, 1, ..., numGroups - 1. Integers of less than 64 bits and truth values "
            "are added up in si64, f32 in f64.",
     .example = "X = [1, 2, 3, 4](2, 2); print(sum(X)); print(sum(X, 0)); print(sum([5, 6, 7], [1, 0, 1], 2));",
     .expect = "10\nDenseMatrix(2x1, int64_t)\n3\n7\nDenseMatrix(2x1, int64_t)\n6\n12\n"},
    {.signature = "prod(arg[, axis])", .op = "prodAll", .rowOp = "prodRow", .colOp = "prodCol",
     .doc = "Product of all cells, per row (axis 0) or per column (axis 1); 1 for no cells. Types are those of sum; "
            "integers wrap.",
     .example = "X = [1, 2, 3, 4](2, 2); print(prod(X)); print(prod(X, 0));",
     .expect = "24\nDenseMatrix(2x1, int64_t)\n2\n12\n"},
    {.signature = "aggMin(arg[, axisOrGroups[, numGroups]])", .op = "minAll", .rowOp = "minRow", .colOp = "minCol",
     .groupOp = "minGrp",
     .doc = "Smallest of all cells, per row (axis 0), per column (axis 1) or per group as sum. Strings, compared byte "
            "by byte, have no groups.",
     .example = "X = [1, 2, 3, 4](2, 2); print(aggMin(X)); print(aggMin(X, 1));",
     .expect = "1\nDenseMatrix(1x2, int64_t)\n1 2\n"},
    {.signature = "aggMax(arg[, axisOrGroups[, numGroups]])", .op = "maxAll", .rowOp = "maxRow", .colOp = "maxCol",
     .groupOp = "maxGrp",
     .doc = "Largest of all cells, per row (axis 0), per column (axis 1) or per group as sum. Strings, compared byte "
            "by byte, have no groups.",
     .example = "X = [1, 2, 3, 4](2, 2); print(aggMax(X)); print(aggMax(X, 0));",
     .expect = "4\nDenseMatrix(2x1, int64_t)\n2\n4\n"},
    {.signature = "mean(arg[, axisOrGroups[, numGroups]])", .op = "meanAll", .rowOp = "meanRow", .colOp = "meanCol",
     .groupOp = "meanGrp",
     .doc = "Arithmetic mean of all cells, per row (axis 0), per column (axis 1) or per group as sum; nan for no "
            "cells.",
     .example = "X = [1, 2, 3, 4](2, 2); print(mean(X)); print(mean(X, 1));",
     .expect = "2.5\nDenseMatrix(1x2, double)\n2 3\n"},
    {.signature = "var(arg[, axisOrGroups[, numGroups]])", .op = "varAll", .rowOp = "varRow", .colOp = "varCol",
     .groupOp = "varGrp",
     .doc = "Population variance of all cells, per row (axis 0), per column (axis 1) or per group as sum. With the "
            "keyword ddof, as in var(X, ddof = 1) or var(X, 1, ddof = 1), sums of squares are divided by the number of "
            "cells less ddof; nan if that leaves none.",
     .example = "X = [1, 2, 3, 4](2, 2); print(var(X)); print(var(X, 0)); print(var(X, 0, ddof = 1));",
     .expect = "1.25\nDenseMatrix(2x1, double)\n0.25\n0.25\nDenseMatrix(2x1, double)\n0.5\n0.5\n"},
    {.signature = "var(arg, axisOrGroups = none, ddof = 0)", .op = "sampleVarAll", .rowOp = "sampleVarRow",
     .colOp = "sampleVarCol", .formWithKeyword = "ddof"},
    {.signature = "stddev(arg[, axisOrGroups[, numGroups]])", .op = "stddevAll", .rowOp = "stddevRow",
     .colOp = "stddevCol", .groupOp = "stddevGrp",
     .doc = "Population standard deviation of all cells, per row (axis 0), per column (axis 1) or per group as sum; "
            "the square root of var, which takes the keyword ddof, too.",
     .example = "X = [1, 2, 3, 4](2, 2); print(stddev(X)); print(stddev(X, 1));",
     .expect = "1.11803\nDenseMatrix(1x2, double)\n1 1\n"},
    {.signature = "stddev(arg, axisOrGroups = none, ddof = 0)", .op = "sampleStddevAll", .rowOp = "sampleStddevRow",
     .colOp = "sampleStddevCol", .formWithKeyword = "ddof"},
    {.signature = "nanSum(arg[, axis])", .op = "nanSumAll", .rowOp = "nanSumRow", .colOp = "nanSumCol",
     .doc = "Sum of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); 0 if there are none.",
     .example = "print(nanSum([1.0, nan, 3.0]));", .expect = "4\n"},
    {.signature = "nanCount(arg[, axis])", .op = "nanCountAll", .rowOp = "nanCountRow", .colOp = "nanCountCol",
     .doc = "Number of the cells that are not nan, of all, per row (axis 0) or per column (axis 1).",
     .example = "print(nanCount([1.0, nan, 3.0]));", .expect = "2\n"},
    {.signature = "nanMin(arg[, axis])", .op = "nanMinAll", .rowOp = "nanMinRow", .colOp = "nanMinCol",
     .doc = "Smallest of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are "
            "none.",
     .example = "print(nanMin([1.0, nan, 3.0]));", .expect = "1\n"},
    {.signature = "nanMax(arg[, axis])", .op = "nanMaxAll", .rowOp = "nanMaxRow", .colOp = "nanMaxCol",
     .doc = "Largest of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are "
            "none.",
     .example = "X = [1.0, nan, 3.0]; print(aggMax(X)); print(nanMax(X));", .expect = "nan\n3\n"},
    {.signature = "any(arg[, axis])", .op = "anyAll", .rowOp = "anyRow", .colOp = "anyCol",
     .doc = "Whether some cell is not 0, of all, per row (axis 0) or per column (axis 1); false for no cells.",
     .example = "X = [0, 2, 0, 0](2, 2); print(any(X)); print(any(X, 0));",
     .expect = "1\nDenseMatrix(2x1, bool)\n1\n0\n"},
    {.signature = "all(arg[, axis])", .op = "everyAll", .rowOp = "everyRow", .colOp = "everyCol",
     .doc = "Whether no cell is 0, of all, per row (axis 0) or per column (axis 1); true for no cells.",
     .example = "X = [0, 2, 1, 3](2, 2); print(all(X)); print(all(X, 0));",
     .expect = "0\nDenseMatrix(2x1, bool)\n0\n1\n"},
    {.signature = "count(arg, groupIds, numGroups)", .op = "countGrp",
     .doc = "Number of cells of the column arg per group: entry k counts those whose group id is k.",
     .example = "print(count([5, 6, 7], [1, 0, 1], 3));", .expect = "DenseMatrix(3x1, uint64_t)\n1\n2\n0\n"},
    {.signature = "idxMin(arg, axis)", .op = "idxminRow", .rowOp = "idxminRow", .colOp = "idxminCol",
     .doc = "Position of the smallest cell of each row (axis 0) or column (axis 1), the first one on ties; that of the "
            "first nan if there is one, 0 if there are no cells.",
     .example = "print(idxMin([4, 2, 2, 5](2, 2), 0));", .expect = "DenseMatrix(2x1, uint64_t)\n1\n0\n"},
    {.signature = "idxMax(arg, axis)", .op = "idxmaxRow", .rowOp = "idxmaxRow", .colOp = "idxmaxCol",
     .doc = "Position of the largest cell of each row (axis 0) or column (axis 1), the first one on ties; that of the "
            "first nan if there is one, 0 if there are no cells.",
     .example = "print(idxMax([4, 2, 2, 5](2, 2), 1));", .expect = "DenseMatrix(1x2, uint64_t)\n0 1\n"},
    {.signature = "cumSum(arg)", .op = "sumCum", .doc = "Running sums down each column, of the types of sum.",
     .example = "print(cumSum([1, 2, 3]));", .expect = "DenseMatrix(3x1, int64_t)\n1\n3\n6\n"},
    {.signature = "cumProd(arg)", .op = "prodCum", .doc = "Running products down each column, of the types of sum.",
     .example = "print(cumProd([2, 3, 4]));", .expect = "DenseMatrix(3x1, int64_t)\n2\n6\n24\n"},
    {.signature = "cumMin(arg)", .op = "minCum", .doc = "Running minima down each column.",
     .example = "print(cumMin([3, 1, 2]));", .expect = "DenseMatrix(3x1, int64_t)\n3\n1\n1\n"},
    {.signature = "cumMax(arg)", .op = "maxCum", .doc = "Running maxima down each column.",
     .example = "print(cumMax([2, 1, 3]));", .expect = "DenseMatrix(3x1, int64_t)\n2\n2\n3\n"},
};
// clang-format on

} // namespace

void addAggregates(Registry &registry) {
    registry.add(kOps);
    registry.add(kBuiltins);
}

} // namespace daphne::ops
