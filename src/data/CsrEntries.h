// SPDX-License-Identifier: Apache-2.0
/// Making a Csr from entries in any order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/Cancellable.h"
#include "data/CopyCells.h"

namespace daphne {

/// What several entries at one place mean.
enum class SamePlace { LastCounts, Add };

/// Entries (row, column, value); values may be zero.
template <class T> struct Entries {
    std::vector<uint64_t> rows, columns;
    std::vector<T> values; ///< empty: all of them `single`
    T single = T(1);

    void add(size_t row, size_t column) {
        rows.push_back(row);
        columns.push_back(column);
    }
    void add(size_t row, size_t column, T value) {
        add(row, column);
        values.push_back(value);
    }
    size_t size() const { return rows.size(); }
    T value(size_t k) const { return values.empty() ? single : values[k]; }
};

namespace detail {

/// Sorts one row by column (entries of one place keep their order) and combines entries of one place.
template <class T, class I> size_t tidyRow(std::pair<I, T> *row, size_t n, SamePlace meaning) {
    auto before = [](const auto &a, const auto &b) { return a.first < b.first; };
    if (!std::is_sorted(row, row + n, before))
        std::stable_sort(row, row + n, before);
    size_t kept = 0;
    for (size_t i = 0; i < n; ++i) {
        bool again = kept > 0 && row[kept - 1].first == row[i].first;
        if (again)
            row[kept - 1].second =
                meaning == SamePlace::Add ? sumOfCells(row[kept - 1].second, row[i].second) : row[i].second;
        else
            row[kept++] = row[i];
    }
    return kept;
}

} // namespace detail

/// All rows and columns lie inside the shape. Ones alone give a pattern. Counting sort by row, then each row by column.
template <class T>
Ref<Csr> csrFromEntries(const Entries<T> &entries, ValueType type, size_t rows, size_t cols, SamePlace meaning) {
    bool ones = entries.values.empty() && entries.single == T(1) && meaning == SamePlace::LastCounts;
    auto result = Csr::create(type, rows, cols, entries.size(), ones ? Csr::Values::AllOnes : Csr::Values::Stored);
    uint64_t *offsets = result->mutableOffsets();
    std::vector<uint64_t> next(rows + 1);
    for (size_t k : cancellable(entries.size()))
        ++next[entries.rows[k] + 1];
    for (size_t r = 0; r < rows; ++r)
        next[r + 1] += next[r];
    withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        std::vector<std::pair<I, T>> sorted(entries.size());
        for (size_t k : cancellable(entries.size()))
            sorted[next[entries.rows[k]]++] = {static_cast<I>(entries.columns[k]), entries.value(k)};
        I *columns = result->template mutableColumns<I>();
        T *values = result->template mutableValues<T>();
        uint64_t at = 0, begin = 0;
        for (size_t r : cancellable(rows, entries.size() / (rows + 1) + 1)) {
            // next[r] has become the end of row r.
            size_t n = detail::tidyRow(sorted.data() + begin, next[r] - begin, meaning);
            for (size_t i = 0; i < n; ++i)
                if (sorted[begin + i].second != T(0)) {
                    columns[at] = sorted[begin + i].first;
                    if (values)
                        values[at] = sorted[begin + i].second;
                    ++at;
                }
            offsets[r + 1] = at;
            begin = next[r];
        }
    });
    return result;
}

} // namespace daphne
