// SPDX-License-Identifier: Apache-2.0
/// Stable sorting of numbers by their bits, digit by digit from the lowest: the
/// time does not depend on the order of the input, and is several times less
/// than that of comparing for more than some hundred numbers.
///
/// Every type gets a key, an unsigned number of the same size that orders like
/// it. Equal numbers have equal keys (-0 and 0); all NaNs have the largest one,
/// in both directions.
///
/// Many numbers are sorted on all workers: each pass counts the digits of one
/// part per worker, which says where their numbers go.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ValueType.h"
#include "kernels/RunContext.h"

namespace daphne {

/// Shorter runs are sorted faster by comparisons.
constexpr size_t kRadixCells = 512;

/// Sorts positions [0, n) by the cells at data[position * skip], of a numeric type.
void radixOrder(RunContext &context, ValueType type, const void *data, size_t skip, size_t n, bool ascending,
                uint64_t *positions);

/// Sorts the given positions by the cells they name; ties keep the order given.
void radixReorder(RunContext &context, ValueType type, const void *data, size_t skip, bool ascending,
                  uint64_t *positions, size_t n);

/// Sorts n adjacent cells into `sorted`, another place: what reading them in radixOrder gives, in half the time.
void radixSort(RunContext &context, ValueType type, const void *data, size_t n, bool ascending, void *sorted);

} // namespace daphne
