// SPDX-License-Identifier: Apache-2.0
/// Stable sorting of rows by several columns; NaN last in both directions.
#pragma once

#include <span>

#include "data/Value.h"
#include "kernels/RunContext.h"

namespace daphne {

struct SortKey {
    Ref<Dense> column; ///< n x 1
    bool ascending = true;
};

/// Positions of all n rows in order, n x 1 of type size; 0, 1, ... without keys.
Ref<Dense> sortedRows(RunContext &context, size_t n, std::span<const SortKey> keys);

} // namespace daphne
