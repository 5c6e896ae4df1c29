// SPDX-License-Identifier: Apache-2.0
/// The quantile q of n sorted cells x is at position p = q (n - 1): the value
/// between x[floor(p)] and x[ceil(p)] by linear interpolation. nan where one of
/// the cells is nan or there are none.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/Cancellable.h"
#include "base/Error.h"
#include "kernels/objects/CellText.h"

namespace daphne {

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
        bool undefined = cells.empty() || anyNan(cells);
        // Few positions are found faster than all are sorted.
        bool sorted = wanted.size() > 3;
        CancelCountdown look;
        if (sorted && !undefined)
            std::sort(cells.begin(), cells.end(), [&](double a, double b) {
                look.after(1);
                return a < b;
            });
        for (size_t i = 0; i < wanted.size(); ++i)
            store(i, undefined ? std::numeric_limits<double>::quiet_NaN() : at(cells, wanted[i], sorted));
    }

  private:
    static bool anyNan(const std::vector<double> &cells) {
        for (auto [begin, end] : cancellablePieces(cells.size()))
            if (std::any_of(cells.data() + begin, cells.data() + end, [](double x) { return x != x; }))
                return true;
        return false;
    }

    /// Of a part that is not empty.
    static double smallestFrom(const std::vector<double> &cells, size_t first) {
        const double *part = cells.data() + first;
        double smallest = *part;
        for (auto [begin, end] : cancellablePieces(cells.size() - first))
            smallest = std::min(smallest, *std::min_element(part + begin, part + end));
        return smallest;
    }

    static double at(std::vector<double> &cells, double q, bool sorted) {
        double position = q * static_cast<double>(cells.size() - 1);
        auto below = static_cast<size_t>(position);
        if (!sorted)
            std::nth_element(cells.begin(), cells.begin() + below, cells.end(),
                             [look = CancelCountdown()](double a, double b) mutable {
                                 look.after(1);
                                 return a < b;
                             });
        double low = cells[below], share = position - static_cast<double>(below);
        if (share == 0)
            return low;
        double high = sorted ? cells[below + 1] : smallestFrom(cells, below + 1);
        if (low == high)
            return low; // also where both are infinite
        return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
    }

    std::vector<double> wanted;
};

} // namespace daphne
