// SPDX-License-Identifier: Apache-2.0
/// Groups of rows by one key after another, and sums of their cells.
///
/// Groups are numbered in ascending order of their keys (NaN last), which is the
/// order of the rows of a grouped result. colGroupFirst numbers them by one
/// column; colGroupNext cuts every group by another one. Both also give the
/// first row of every group, so that its keys can be read off.
#include <cmath>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/relational/FrameColumns.h"
#include "kernels/reorganise/Ordering.h"
#include "kernels/times/TimeTotals.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

using namespace relational;

Ref<Dense> shared(const Dense &m) { return Ref<Dense>::share(&const_cast<Dense &>(m)); }

void needColumn(const KernelCall &call, size_t i, size_t rows) {
    const Dense &m = call.args[i].dense();
    if (m.cols() != 1 || m.rows() != rows)
        throw executionError("argument " + std::to_string(i + 1) + " must be a column of " + std::to_string(rows) +
                             " rows, got " + m.shapeText());
}

/// Groups by all keys, numbered in their order: the number of every row, and the first row of every group.
std::array<Value, 2> sortedGroups(RunContext &context, size_t numRows, const Columns &keys) {
    RowGroups groups = groupRows(numRows, keys);
    std::vector<SortKey> sortKeys;
    for (const Ref<Dense> &key : keys)
        sortKeys.push_back({pickOrDefault(*key, groups.firstRow), true});
    auto order = sortedRows(context, groups.size(), sortKeys);
    auto numbers = Dense::create(ValueType::UI32, numRows, 1);
    auto rows = Dense::create(ValueType::Size, groups.size(), 1);
    const uint64_t *sorted = order->view<uint64_t>().data;
    std::vector<uint32_t> numberOf(groups.size());
    for (size_t k = 0; k < groups.size(); ++k) {
        numberOf[sorted[k]] = static_cast<uint32_t>(k);
        rows->mutableView<uint64_t>()(k, 0) = groups.firstRow[sorted[k]];
    }
    uint32_t *out = numbers->mutableView<uint32_t>().data;
    for (size_t r : cancellable(numRows))
        out[r] = numberOf[groups.idOfRow[r]];
    return {numbers, rows};
}

std::array<Value, 2> colGroupFirst(KernelCall &call, const Dense &keys) {
    needColumn(call, 0, keys.rows());
    return sortedGroups(call.context, keys.rows(), {shared(keys)});
}

std::array<Value, 2> colGroupNext(KernelCall &call, const Dense &numbers, const Dense &, const Dense &keys) {
    needColumn(call, 0, keys.rows());
    needColumn(call, 2, keys.rows());
    return sortedGroups(call.context, keys.rows(), {shared(numbers), shared(keys)});
}

// ----------------------------------------------------------------------- sums

/// Sums of 64-bit integers in two halves: the low ones, which every cell changes, lie close together; the high ones
/// are touched only where a sum leaves 32 bits or a cell has more. Every carry and borrow goes there, so the sum is
/// exact whatever comes.
class SplitSums {
  public:
    explicit SplitSums(size_t numGroups) : low(numGroups), high(numGroups) {}
    void add(uint32_t group, uint64_t x) {
        auto part = static_cast<uint32_t>(x);
        uint32_t sum = low[group] + part;
        uint32_t rest = static_cast<uint32_t>(x >> 32) + (sum < part);
        low[group] = sum;
        if (rest != 0) // not so for a small negative number: its ones and the carry cancel
            high[group] += rest;
    }
    uint64_t operator[](size_t group) const { return uint64_t(high[group]) << 32 | low[group]; }

  private:
    std::vector<uint32_t> low, high;
};

template <class T> void splitSums(DenseView<const T> cells, const uint32_t *group, size_t numGroups, T *out) {
    SplitSums sums(numGroups);
    for (size_t r : cancellableRows(cells))
        sums.add(group[r], static_cast<uint64_t>(cells(r, 0)));
    for (size_t k = 0; k < numGroups; ++k)
        out[k] = static_cast<T>(sums[k]);
}

/// Real numbers are added with their rounding errors beside them, as in query blocks.
template <class T> void realSums(DenseView<const T> cells, const uint32_t *group, size_t numGroups, T *out) {
    struct Sum {
        double high = 0, error = 0;
    };
    std::vector<Sum> sums(numGroups);
    for (size_t r : cancellableRows(cells)) {
        Sum &s = sums[group[r]];
        auto x = static_cast<double>(cells(r, 0));
        double total = s.high + x, part = total - s.high;
        s.error += (s.high - (total - part)) + (x - part);
        s.high = total;
    }
    for (size_t k = 0; k < numGroups; ++k) {
        double high = sums[k].high;
        out[k] = static_cast<T>(std::isfinite(high) ? high + sums[k].error : high);
    }
}

template <class T> void wrappingSums(DenseView<const T> cells, const uint32_t *group, T *out) {
    for (size_t r : cancellableRows(cells))
        out[group[r]] = sumOfCells(out[group[r]], cells(r, 0));
}

/// Durations: nat wins.
Value durationSums(KernelCall &call, const Dense &cells, const Dense &numbers, const Dense &rows, bool) {
    needColumn(call, 0, cells.rows());
    needColumn(call, 1, cells.rows());
    if (cells.type() != ValueType::Duration)
        wrongArgument(call, 0, "a column of numbers or durations");
    if (numbers.type() != ValueType::UI32)
        wrongArgument(call, 1, "a column of group numbers");
    std::vector<DurationTotal> sums(rows.rows());
    auto in = cells.view<int64_t>();
    auto group = numbers.view<uint32_t>();
    for (size_t r : cancellableRows(in))
        sums[group(r, 0)].add(in(r, 0), MissingCells::Win);
    return totalsOf(sums, Total::Sum);
}

/// colSumGrp(cells, group numbers, a row of every group, whether to split sums)
Value colSumGrp(KernelCall &call, const Dense &cells, const Dense &numbers, const Dense &rows, bool split) {
    if (cells.type() == ValueType::Str)
        throw executionError("cannot compute the sum of strings");
    needColumn(call, 0, cells.rows());
    needColumn(call, 1, cells.rows());
    if (numbers.type() != ValueType::UI32)
        wrongArgument(call, 1, "a column of group numbers");
    ValueType type = ops::sumType(cells.type());
    auto column = converted(cells, type);
    auto result = Dense::create(type, rows.rows(), 1, Buffer::Init::Zero);
    const uint32_t *group = numbers.view<uint32_t>().data;
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        T *out = result->mutableView<T>().data;
        auto in = column->view<T>();
        if constexpr (std::is_floating_point_v<T>)
            realSums(in, group, rows.rows(), out);
        else if (sizeof(T) == 8 && split)
            splitSums(in, group, rows.rows(), out);
        else
            wrappingSums(in, group, out);
    });
    return result;
}

} // namespace

void addColumnGroups(KernelTable &t) {
    t.add<&colGroupFirst>("colGroupFirst");
    t.add<&colGroupNext>("colGroupNext");
    t.add<&colSumGrp>("colSumGrp");
    t.addTimes<&durationSums>("colSumGrp");
}

} // namespace daphne
