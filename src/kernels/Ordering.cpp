// SPDX-License-Identifier: Apache-2.0
/// order: rows of a matrix or frame sorted by some columns, lexicographically
/// and stable. NaN is the last in both directions.
#include <algorithm>
#include <numeric>

#include "kernels/KernelTable.h"
#include "kernels/Selection.h"
#include "kernels/csr/CsrParts.h"

namespace daphne {

namespace {

struct SortKey {
    Ref<Dense> column; ///< n x 1
    bool ascending;
};

/// Strict order of two cells; NaN after everything else.
template <class T> bool comesBefore(const T &a, const T &b, bool ascending) {
    if constexpr (std::is_floating_point_v<T>)
        if (a != a || b != b)
            return a == a;
    return ascending ? a < b : b < a;
}

/// Sorts each of the runs [begins[i], begins[i+1]) of equal rows by one more key, then cuts them at changes.
template <class T> void refine(std::vector<size_t> &rows, std::vector<size_t> &begins, const SortKey &key) {
    auto cells = key.column->view<T>();
    auto before = [&](size_t a, size_t b) { return comesBefore(cells(a, 0), cells(b, 0), key.ascending); };
    std::vector<size_t> cuts;
    for (size_t i = 0; i + 1 < begins.size(); ++i) {
        auto first = rows.begin() + begins[i], last = rows.begin() + begins[i + 1];
        std::stable_sort(first, last, before);
        cuts.push_back(begins[i]);
        for (size_t k = begins[i] + 1; k < begins[i + 1]; ++k)
            if (before(rows[k - 1], rows[k]))
                cuts.push_back(k);
    }
    cuts.push_back(rows.size());
    begins = std::move(cuts);
}

std::vector<size_t> sortedRows(size_t n, std::span<const SortKey> keys) {
    std::vector<size_t> rows(n);
    std::iota(rows.begin(), rows.end(), size_t(0));
    std::vector<size_t> begins{0, n};
    for (const SortKey &key : keys)
        withValueType(key.column->type(), [&]<class T>(TypeTag<T>) { refine<T>(rows, begins, key); });
    return rows;
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
    auto positions = sortedRows(rows, sortKeys(call, x, cols));
    if (!detail::FromValue<bool>::get(call, call.args.size() - 1)) {
        if (x.isFrame())
            return pickRows(x.frame(), positions);
        if (x.isCsr())
            return pickRows(x.csr(), positions);
        return pickRows(x.dense(), positions);
    }
    auto result = Dense::create(ValueType::Size, rows, 1);
    std::copy(positions.begin(), positions.end(), result->mutableView<uint64_t>().data);
    return result;
}

} // namespace

void addOrdering(KernelTable &t) { t.add<&order>("order"); }

} // namespace daphne
