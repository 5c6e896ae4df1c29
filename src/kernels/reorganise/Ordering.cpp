// SPDX-License-Identifier: Apache-2.0
/// order: rows of a matrix or frame sorted by some columns, lexicographically
/// and stable. NaN is the last in both directions.
#include "kernels/reorganise/Ordering.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/RawCells.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/reorganise/CellOrder.h"
#include "kernels/reorganise/RadixSort.h"
#include "kernels/reorganise/Selection.h"

namespace daphne {

namespace {

/// Sorts each of the runs [begins[i], begins[i+1]) of rows by one more key, on which all keys before agree.
template <class T>
void refine(RunContext &context, uint64_t *rows, const std::vector<size_t> &begins, const SortKey &key) {
    auto cells = key.column->view<T>();
    CancelCountdown look;
    auto before = [&](size_t a, size_t b) {
        look.after(1);
        return comesBefore(cells(a, 0), cells(b, 0), key.ascending);
    };
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
        uint64_t *first = rows + begins[i];
        size_t n = begins[i + 1] - begins[i];
        look.after(n); // a short run by itself does not
        if constexpr (!std::is_same_v<T, std::string>) {
            if (n >= kRadixCells) {
                radixReorder(context, key.column->type(), cells.data, cells.skip, key.ascending, first, n);
                continue;
            }
        }
        std::stable_sort(first, first + n, before);
    }
}

/// The runs cut where the key changes.
template <class T>
std::vector<size_t> cutRuns(const uint64_t *rows, const std::vector<size_t> &begins, const SortKey &key) {
    auto cells = key.column->view<T>();
    std::vector<size_t> cuts;
    CancelCountdown look;
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
        cuts.push_back(begins[i]);
        look.after(begins[i + 1] - begins[i]);
        for (size_t k = begins[i] + 1; k < begins[i + 1]; ++k)
            if (comesBefore(cells(rows[k - 1], 0), cells(rows[k], 0), key.ascending))
                cuts.push_back(k);
    }
    cuts.push_back(begins.back());
    return cuts;
}

/// nat is the least number, but comes last like NaN: where that makes a difference, a copy of the key says so.
std::vector<SortKey> withMissingLast(std::span<const SortKey> keys) {
    std::vector<SortKey> result(keys.begin(), keys.end());
    for (SortKey &key : result) {
        if (!isTime(key.column->type()) || !key.ascending)
            continue;
        key.column = key.column->copy();
        key.column->retag(storedType(key.column->type()));
        withNumericType(key.column->type(), [&]<class T>(TypeTag<T>) {
            using Limits = std::numeric_limits<T>;
            T *cells = key.column->mutableView<T>().data;
            std::replace(cells, cells + key.column->rows(), Limits::lowest(), Limits::max());
        });
    }
    return result;
}

} // namespace

Ref<Dense> sortedRows(RunContext &context, size_t n, std::span<const SortKey> givenKeys) {
    std::vector<SortKey> keys = withMissingLast(givenKeys);
    auto result = Dense::create(ValueType::Size, n, 1);
    uint64_t *rows = result->mutableView<uint64_t>().data;
    if (keys.empty()) {
        std::iota(rows, rows + n, uint64_t(0));
        return result;
    }
    const SortKey &first = keys[0];
    std::vector<size_t> begins{0, n};
    withValueType(first.column->type(), [&]<class T>(TypeTag<T>) {
        auto cells = first.column->view<T>();
        if (first.column->type() != ValueType::Str && n >= kRadixCells) {
            radixOrder(context, first.column->type(), cells.data, cells.skip, n, first.ascending, rows);
        } else {
            std::iota(rows, rows + n, uint64_t(0));
            refine<T>(context, rows, begins, first);
        }
    });
    for (size_t k = 1; k < keys.size(); ++k) {
        withValueType(keys[k - 1].column->type(),
                      [&]<class T>(TypeTag<T>) { begins = cutRuns<T>(rows, begins, keys[k - 1]); });
        withValueType(keys[k].column->type(), [&]<class T>(TypeTag<T>) { refine<T>(context, rows, begins, keys[k]); });
    }
    return result;
}

namespace {

/// A single column of numbers needs no positions on the way.
Value sortedColumn(RunContext &context, const Dense &x, bool ascending) {
    auto result = Dense::create(x.type(), x.rows(), 1);
    radixSort(context, storedType(x.type()), rawCells(x).data, x.rows(), ascending, mutableRawCells(*result).data);
    if (isTime(x.type()) && ascending)
        withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
            T *cells = result->mutableView<T>().data, *end = cells + x.rows();
            std::rotate(cells, std::upper_bound(cells, end, std::numeric_limits<T>::lowest()), end);
        });
    return result;
}

Ref<Dense> columnOf(const Value &x, size_t c) {
    if (x.isFrame())
        return x.frame().columns[c];
    return x.isCsr() ? denseColumn(x.csr(), c) : Dense::window(x.dense(), 0, x.dense().rows(), c, c + 1);
}

std::vector<SortKey> sortKeys(KernelCall &call, const Value &x, size_t numCols) {
    size_t numKeys = call.args.size() / 2 - 1;
    std::vector<SortKey> keys;
    for (size_t k = 0; k < numKeys; ++k) {
        auto column = detail::FromValue<int64_t>::get(call, 1 + k);
        if (column < 0 || static_cast<size_t>(column) >= numCols)
            throw executionError("column " + std::to_string(column) + " is out of range: there are " +
                                 std::to_string(numCols) + " columns");
        keys.push_back({columnOf(x, static_cast<size_t>(column)), detail::FromValue<bool>::get(call, 1 + numKeys + k)});
    }
    return keys;
}

Value order(KernelCall &call, AnyValue data, std::span<const Value> rest) {
    const Value &x = data.value;
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    if (rest.size() < 3 || rest.size() % 2 == 0)
        throw executionError("order needs the data, k column positions, k ascending flags and returnIdxs; got " +
                             std::to_string(call.args.size()) + " arguments");
    size_t rows = x.isFrame() ? x.frame().rows() : x.matrix().rows();
    size_t cols = x.isFrame() ? x.frame().cols() : x.matrix().cols();
    std::vector<SortKey> keys = sortKeys(call, x, cols);
    bool wantsPositions = detail::FromValue<bool>::get(call, call.args.size() - 1);
    if (!wantsPositions && x.isMatrix() && !x.isCsr() && cols == 1 && rows >= kRadixCells && x.dense().contiguous() &&
        x.dense().type() != ValueType::Str)
        return sortedColumn(call.context, x.dense(), keys[0].ascending); // further keys are the same column
    auto positions = sortedRows(call.context, rows, keys);
    if (wantsPositions)
        return positions;
    std::span<const size_t> order(positions->view<uint64_t>().data, rows);
    if (x.isFrame())
        return pickRows(x.frame(), order);
    if (x.isCsr())
        return pickRows(x.csr(), order);
    return pickRows(x.dense(), order);
}

} // namespace

void addOrdering(KernelTable &t) { t.add<&order>("order"); }

} // namespace daphne
