// SPDX-License-Identifier: Apache-2.0
/// Sums and means of durations, exact as long as the result fits.
#pragma once

#include <cstdint>
#include <span>

#include "data/Dense.h"

namespace daphne {

enum class Total : uint8_t { Sum, Mean };
enum class MissingCells : uint8_t {
    Win,        ///< nat is the result
    AreSkipped, ///< nat is no cell
};

class DurationTotal {
  public:
    void add(int64_t cell, MissingCells missing);
    /// Without a cell the sum is PT0S, the mean nat. Throws Error (status 3) if it is too long for a duration.
    int64_t result(Total what) const;

  private:
    __int128 sum = 0;
    int64_t count = 0;
    bool isMissing = false;
};

/// A column with the result of every total.
Ref<Dense> totalsOf(std::span<const DurationTotal> totals, Total what);

} // namespace daphne
