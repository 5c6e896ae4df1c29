// SPDX-License-Identifier: Apache-2.0
/// Medians, quantiles and differences of rows.
///
/// The quantile q of n sorted cells x is at position p = q (n - 1): the value
/// between x[floor(p)] and x[ceil(p)] by linear interpolation. nan where one of
/// the cells is nan or there are none. Computed in f64, stored as f32 for f32.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/KernelTable.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/cells/CellTable.h"
#include "kernels/objects/CellText.h"

namespace daphne {

namespace {

enum class Over { All, Row, Col };

/// Quantiles in [0, 1] of one set of cells after the other.
class Quantiles {
  public:
    explicit Quantiles(std::vector<double> wanted) : wanted(std::move(wanted)) {
        for (double q : this->wanted)
            if (!(q >= 0 && q <= 1))
                throw executionError("a quantile must be between 0 and 1, got " + printedText(q));
    }
    size_t count() const { return wanted.size(); }

    /// Calls store(i, value) for every quantile; the cells are reordered.
    template <class F> void of(std::vector<double> &cells, F &&store) const {
        bool undefined = cells.empty() || std::any_of(cells.begin(), cells.end(), [](double x) { return x != x; });
        // Few positions are found faster than all are sorted.
        bool sorted = wanted.size() > 3;
        if (sorted && !undefined)
            std::sort(cells.begin(), cells.end());
        for (size_t i = 0; i < wanted.size(); ++i)
            store(i, undefined ? std::numeric_limits<double>::quiet_NaN() : at(cells, wanted[i], sorted));
    }

  private:
    static double at(std::vector<double> &cells, double q, bool sorted) {
        double position = q * static_cast<double>(cells.size() - 1);
        auto below = static_cast<size_t>(position);
        if (!sorted)
            std::nth_element(cells.begin(), cells.begin() + below, cells.end());
        double low = cells[below], share = position - static_cast<double>(below);
        if (share == 0)
            return low;
        double high = sorted ? cells[below + 1] : *std::min_element(cells.begin() + below + 1, cells.end());
        if (low == high)
            return low; // also where both are infinite
        return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
    }

    std::vector<double> wanted;
};

ValueType resultType(KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    return isFloat(m.type()) ? m.type() : ValueType::F64;
}

std::vector<double> allCells(const Dense &m) {
    std::vector<double> cells;
    cells.reserve(m.cells());
    CellReader<double>(m).all([&](const double *x, size_t n) { cells.insert(cells.end(), x, x + n); });
    return cells;
}

/// One column of results for each quantile: rows x k.
Ref<Dense> ofRows(const Quantiles &quantiles, const Dense &m) {
    auto result = Dense::create(ValueType::F64, m.rows(), quantiles.count());
    auto out = result->mutableView<double>();
    CellReader<double> reader(m);
    std::vector<double> cells;
    for (size_t r = 0; r < m.rows(); ++r) {
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
        for (size_t r = 0; r < in.rows; ++r)
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

/// result(r, c) = arg(r + 1, c) - arg(r, c), computed as the operator does.
Value diff(KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    BinaryLoops loops = cellFunction("ewSub").binary(m.type());
    Ref<Dense> source = convertMatrix(m, loops.compute);
    auto in = rawCells(*source);
    auto result = Dense::create(loops.result, m.rows() > 1 ? m.rows() - 1 : 0, m.cols());
    auto out = mutableRawCells(*result);
    for (size_t r = 0; r < out.rows; ++r)
        loops.cells(in.row(r + 1), in.row(r), out.row(r), out.cols);
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
