// SPDX-License-Identifier: Apache-2.0
/// Medians, quantiles and differences of rows.
/// Quantiles are computed in f64 and stored as f32 for f32.
#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Quantiles.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/cells/CellTable.h"

namespace daphne {

namespace {

enum class Over { All, Row, Col };

ValueType resultType(KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    return isFloat(m.type()) ? m.type() : ValueType::F64;
}

std::vector<double> allCells(const Dense &m) {
    std::vector<double> cells;
    cells.reserve(m.cells());
    CancelCountdown look;
    CellReader<double>(m).all([&](const double *x, size_t n) {
        cells.insert(cells.end(), x, x + n);
        look.after(n);
    });
    return cells;
}

/// One column of results for each quantile: rows x k.
Ref<Dense> ofRows(const Quantiles &quantiles, const Dense &m) {
    auto result = Dense::create(ValueType::F64, m.rows(), quantiles.count());
    auto out = result->mutableView<double>();
    CellReader<double> reader(m);
    std::vector<double> cells;
    for (size_t r : cancellableRows(m)) {
        cells.clear();
        reader.row(r, [&](const double *x, size_t n) { cells.insert(cells.end(), x, x + n); });
        quantiles.of(cells, [&](size_t i, double value) { out(r, i) = value; });
    }
    return result;
}

/// One row of results for each quantile: k x cols.
Ref<Dense> ofColumns(const Quantiles &quantiles, const Dense &m) {
    auto result = Dense::create(ValueType::F64, quantiles.count(), m.cols());
    auto out = result->mutableView<double>();
    Ref<Dense> source = convertMatrix(m, ValueType::F64);
    auto in = source->view<double>();
    // Several columns at a time use what a cache line brings.
    constexpr size_t kBlock = 8;
    std::vector<double> columns[kBlock];
    for (size_t begin = 0; begin < in.cols; begin += kBlock) {
        size_t width = std::min(kBlock, in.cols - begin);
        for (auto &column : columns)
            column.resize(in.rows);
        for (size_t r : cancellableRows(in))
            for (size_t c = 0; c < width; ++c)
                columns[c][r] = in(r, begin + c);
        for (size_t c = 0; c < width; ++c)
            quantiles.of(columns[c], [&](size_t i, double value) { out(i, begin + c) = value; });
    }
    return result;
}

template <Over O> Value quantilesOf(const Quantiles &quantiles, const Dense &m, ValueType type) {
    if (O != Over::All)
        return convertMatrix(O == Over::Row ? *ofRows(quantiles, m) : *ofColumns(quantiles, m), type);
    auto result = Dense::create(ValueType::F64, quantiles.count(), 1);
    auto out = result->mutableView<double>();
    auto cells = allCells(m);
    quantiles.of(cells, [&](size_t i, double value) { out(i, 0) = value; });
    return convertMatrix(*result, type);
}

/// The value of a scalar quantile: a number over all cells, else a column or row.
template <Over O> Value oneQuantile(double q, const Dense &m, ValueType type) {
    Value result = quantilesOf<O>(Quantiles({q}), m, type);
    return O == Over::All ? loadScalar(type, rawCells(result.dense()).data) : result;
}

template <Over O> Value median(KernelCall &call, const Dense &m) { return oneQuantile<O>(0.5, m, resultType(call, m)); }

template <Over O> Value quantile(KernelCall &call, const Dense &m, const Value &q) {
    ValueType type = resultType(call, m);
    if (q.isScalar() && !q.isString())
        return oneQuantile<O>(q.as<double>(), m, type);
    if (!q.isMatrix() || q.valueType() == ValueType::Str)
        wrongArgument(call, 1, "a number or a vector of numbers");
    if (q.dense().cols() != 1 && q.dense().rows() != 1)
        throw executionError("needs one row or one column of quantiles, got " + q.dense().shapeText());
    return quantilesOf<O>(Quantiles(allCells(q.dense())), m, type);
}

/// result(r, c) = arg(r + lag, c) - arg(r, c), computed as the operator does.
Value diff(KernelCall &call, const Dense &m, size_t lag) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    if (lag == 0)
        throw executionError("the lag must be at least 1, got 0");
    BinaryLoops loops = cellFunction("ewSub").binary(m.type());
    Ref<Dense> source = convertMatrix(m, loops.compute);
    auto in = rawCells(*source);
    auto result = Dense::create(loops.result, m.rows() > lag ? m.rows() - lag : 0, m.cols());
    auto out = mutableRawCells(*result);
    for (size_t r : cancellableRows(out))
        loops.cells(in.row(r + lag), in.row(r), out.row(r), out.cols);
    return result;
}

} // namespace

void addStatistics(KernelTable &t) {
    t.add<&median<Over::All>>("medianAll");
    t.add<&median<Over::Row>>("medianRow");
    t.add<&median<Over::Col>>("medianCol");
    t.add<&quantile<Over::All>>("quantileAll");
    t.add<&quantile<Over::Row>>("quantileRow");
    t.add<&quantile<Over::Col>>("quantileCol");
    t.add<&diff>("diff");
}

} // namespace daphne
