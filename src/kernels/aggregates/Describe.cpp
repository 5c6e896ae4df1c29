// SPDX-License-Identifier: Apache-2.0
/// What columns look like: counts in intervals, and a table of their statistics.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Quantiles.h"
#include "kernels/aggregates/Reduction.h"

namespace daphne {

namespace {

// ------------------------------------------------------------------ histogram

struct Bounds {
    double min, max;
};

/// Of all numbers; 0 and 1 if there are none. A single number lies in the middle of them.
Bounds boundsOf(const Dense &m) {
    Bounds b{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    CellReader<double>(m).all([&](const double *x, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            b.min = x[i] < b.min ? x[i] : b.min;
            b.max = x[i] > b.max ? x[i] : b.max;
        }
    });
    if (b.min > b.max)
        return {0, 1};
    return b.min == b.max ? Bounds{b.min - 0.5, b.max + 0.5} : b;
}

std::array<Value, 2> histogram(KernelCall &call, const Dense &m, size_t numBins, std::span<const Value> given) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    if (numBins == 0)
        throw executionError("needs at least one bin, got 0");
    Bounds bounds = given.size() == 2
                        ? Bounds{detail::FromValue<double>::get(call, 2), detail::FromValue<double>::get(call, 3)}
                        : boundsOf(m);
    if (!(bounds.min < bounds.max) || !std::isfinite(bounds.max - bounds.min))
        throw executionError("needs finite bounds, the lower one first, got " + printedText(bounds.min) + " and " +
                             printedText(bounds.max));
    auto counts = Dense::create(ValueType::SI64, numBins, 1, Buffer::Init::Zero);
    auto edges = Dense::create(ValueType::F64, numBins + 1, 1);
    int64_t *count = counts->mutableView<int64_t>().data;
    double *edge = edges->mutableView<double>().data;
    double width = bounds.max - bounds.min, bins = static_cast<double>(numBins);
    for (size_t i = 0; i < numBins; ++i)
        edge[i] = bounds.min + width * (static_cast<double>(i) / bins);
    edge[numBins] = bounds.max;
    CellReader<double>(m).all([&](const double *x, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            if (!(x[i] >= bounds.min && x[i] <= bounds.max))
                continue;
            auto k = std::min(static_cast<size_t>((x[i] - bounds.min) / width * bins), numBins - 1);
            while (k > 0 && x[i] < edge[k]) // what rounding has moved
                --k;
            while (k + 1 < numBins && x[i] >= edge[k + 1])
                ++k;
            ++count[k];
        }
    });
    return {Value(counts), Value(edges)};
}

// ------------------------------------------------------------------- describe

constexpr size_t kNumStatistics = 7; ///< mean, stddev, min, q25, median, q75, max

struct Description {
    int64_t count = 0;
    std::array<double, kNumStatistics> statistics;
};

Description ofNumbers(const Dense &column) {
    Description d;
    d.statistics.fill(std::numeric_limits<double>::quiet_NaN());
    std::vector<double> numbers;
    numbers.reserve(column.cells());
    CellReader<double>(column).all([&](const double *x, size_t n) {
        std::copy_if(x, x + n, std::back_inserter(numbers), [](double cell) { return cell == cell; });
    });
    d.count = static_cast<int64_t>(numbers.size());
    if (numbers.empty())
        return d;
    auto n = static_cast<double>(numbers.size());
    double mean = sumRun<double>(numbers.data(), numbers.size(), Unchanged()) / n;
    double squares =
        sumRun<double>(numbers.data(), numbers.size(), [mean](double x) { return (x - mean) * (x - mean); });
    d.statistics[0] = mean;
    d.statistics[1] = std::sqrt(squares / n);
    Quantiles({0, 0.25, 0.5, 0.75, 1}).of(numbers, [&](size_t i, double value) { d.statistics[2 + i] = value; });
    return d;
}

Description ofStrings(const Dense &column) {
    Description d;
    d.statistics.fill(std::numeric_limits<double>::quiet_NaN());
    auto cells = column.view<std::string>();
    for (size_t r : cancellableRows(cells))
        d.count += !cells(r, 0).empty();
    return d;
}

Value describeColumns(KernelCall &call, const Value &x) {
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    size_t cols = x.isFrame() ? x.frame().cols() : x.dense().cols();
    auto labels = Dense::create(ValueType::Str, cols, 1);
    auto counts = Dense::create(ValueType::SI64, cols, 1);
    std::array<Ref<Dense>, kNumStatistics> statistics;
    for (auto &s : statistics)
        s = Dense::create(ValueType::F64, cols, 1);
    for (size_t c = 0; c < cols; ++c) {
        Ref<Dense> column =
            x.isFrame() ? x.frame().columns[c] : Dense::window(x.dense(), 0, x.dense().rows(), c, c + 1);
        Description d = column->type() == ValueType::Str ? ofStrings(*column) : ofNumbers(*column);
        labels->mutableView<std::string>()(c, 0) = x.isFrame() ? x.frame().labels[c] : "col_" + std::to_string(c);
        counts->mutableView<int64_t>()(c, 0) = d.count;
        for (size_t k = 0; k < kNumStatistics; ++k)
            statistics[k]->mutableView<double>()(c, 0) = d.statistics[k];
    }
    auto result = Ref<Frame>::make(cols);
    result->addColumn("column", labels);
    result->addColumn("count", counts);
    constexpr const char *kNames[kNumStatistics] = {"mean", "stddev", "min", "q25", "median", "q75", "max"};
    for (size_t k = 0; k < kNumStatistics; ++k)
        result->addColumn(kNames[k], statistics[k]);
    return result;
}

} // namespace

void addDescribe(KernelTable &t) {
    t.add<&histogram>("histogram");
    t.add<&describeColumns>("describe");
}

} // namespace daphne
