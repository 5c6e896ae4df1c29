// SPDX-License-Identifier: Apache-2.0
/// Loops over rows whose work differs: units are not rows but weight, so that
/// every scheme hands out equal work instead of equal rows.
///
/// Row r of a sparse matrix weighs its stored cells plus a constant; the prefix
/// sums are its row offsets plus a multiple of r, so nothing is stored.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/ParallelFor.h"

namespace daphne::sched {

/// Rows of a matrix in compressed form; offsets[0 .. rows] ascend.
class RowWeights {
  public:
    /// perRow: weight of a row without stored cells, at least 1.
    RowWeights(const uint64_t *offsets, uint64_t rows, uint64_t perRow = 1)
        : offsets(offsets), numRows(rows), perRow(std::max<uint64_t>(1, perRow)) {}

    uint64_t rows() const { return numRows; }
    /// Weight of rows [0, r).
    uint64_t before(uint64_t r) const { return offsets[r] - offsets[0] + perRow * r; }
    uint64_t total() const { return before(numRows); }
    /// The smallest r with before(r) >= weight.
    uint64_t rowAt(uint64_t weight) const {
        uint64_t low = 0, high = numRows;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            if (before(middle) >= weight)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
    /// The same, found in a few steps if it lies near the hint.
    uint64_t rowNear(uint64_t weight, uint64_t hint) const {
        uint64_t low = std::min(hint, numRows), high = low, step = 1;
        if (before(low) >= weight) {
            while (low > 0 && before(low) >= weight) {
                high = low;
                low -= std::min(low, step);
                step *= 2;
            }
            if (before(low) >= weight)
                return low;
        } else {
            while (high < numRows && before(high) < weight) {
                low = high;
                high += std::min(numRows - high, step);
                step *= 2;
            }
        }
        // before(low) < weight <= before(high)
        while (high - low > 1) {
            uint64_t middle = low + (high - low) / 2;
            (before(middle) >= weight ? high : low) = middle;
        }
        return high;
    }
    /// Adjacent ranges of weight give adjacent ranges of rows, which may be empty.
    Range rowsOf(Range weight) const { return {rowAt(weight.begin), rowAt(weight.end)}; }

  private:
    const uint64_t *offsets;
    uint64_t numRows, perRow;
};

/// As parallelFor over the rows, cut by weight; the grain of the plan counts rows of average weight.
template <LoopBody Body, class Observer = NoObserver>
void parallelForWeighted(Pool &pool, const RowWeights &weights, LoopPlan plan, Body &&body, Observer &&observer = {}) {
    if (weights.rows() == 0)
        return;
    auto grain = static_cast<unsigned __int128>(std::max<uint64_t>(1, plan.grain)) * weights.total() / weights.rows();
    plan.grain = static_cast<uint64_t>(std::min<unsigned __int128>(grain, weights.total()));
    parallelFor(
        pool, weights.total(), plan,
        [&](Range weight, uint32_t worker) {
            Range rows = weights.rowsOf(weight);
            if (rows.begin < rows.end)
                body(rows, worker);
        },
        observer);
}

} // namespace daphne::sched
