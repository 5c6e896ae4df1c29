// SPDX-License-Identifier: Apache-2.0
/// Loops over a Csr that add to one place per column, shared by columns: every
/// worker goes through all rows, in order, but visits only the stored cells in
/// its own range of columns. So each sum has the order it has on one thread.
#pragma once

#include <algorithm>
#include <utility>

#include "data/Csr.h"
#include "kernels/RowBlocks.h"

namespace daphne {

struct ColumnRange {
    size_t from, to; ///< columns [from, to)
    bool isAll;      ///< nothing to search for

    static ColumnRange all(const Csr &m) { return {0, m.cols(), true}; }

    /// Positions [first, second) of the stored cells of row r in the range.
    template <class T, class I> std::pair<uint64_t, uint64_t> cellsOf(const CsrView<T, I> &m, size_t r) const {
        uint64_t begin = m.offsets[r], end = m.offsets[r + 1];
        if (isAll)
            return {begin, end};
        auto position = [&](size_t column, uint64_t first) {
            return static_cast<uint64_t>(std::lower_bound(m.columns + first, m.columns + end, column) - m.columns);
        };
        if (from > 0)
            begin = position(from, begin);
        return {begin, to < m.cols ? position(to, begin) : end};
    }
};

/// Calls f(range) for ranges that cover the columns of m exactly once.
template <class F>
void forColumnRanges(RunContext &context, std::string_view site, const Csr &m, double serialNs, F &&f) {
    // What the searches cost must be gained first; more ranges than workers balance the load.
    constexpr double kSearchNs = 25, kMostPerWorker = 4, kShareOfSearches = 0.1;
    double searchNs = kSearchNs * static_cast<double>(m.rows());
    uint32_t parts = numParts(context, m.cols(), std::max(0.0, serialNs - 2 * searchNs));
    if (parts > 1)
        parts *=
            static_cast<uint32_t>(std::clamp(kShareOfSearches * serialNs / (searchNs * parts), 1.0, kMostPerWorker));
    forParts(context, site, parts, [&](uint32_t part) {
        f(ColumnRange{beginOfPart(m.cols(), parts, part), beginOfPart(m.cols(), parts, part + 1), parts == 1});
    });
}

} // namespace daphne
