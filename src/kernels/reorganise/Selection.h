// SPDX-License-Identifier: Apache-2.0
/// Picking rows and columns of matrices by position, transposing; what positions the arguments of indexing mean.
#pragma once

#include <span>
#include <vector>

#include "data/Value.h"
#include "kernels/KernelTable.h"
#include "ops/Range.h"

namespace daphne {

/// Rows of m in the given order; every position is below m.rows().
Ref<Dense> pickRows(const Dense &m, std::span<const size_t> positions);
/// Columns of m in the given order; every position is below m.cols().
Ref<Dense> pickCols(const Dense &m, std::span<const size_t> positions);
/// Rows of all columns of f in the given order.
Ref<Frame> pickRows(const Frame &f, std::span<const size_t> positions);
/// Rows and columns exchanged; shares the cells where they stay in place.
Ref<Dense> transposed(RunContext &context, const Dense &m);

/// The positions meant by lo:hi among n rows or columns, as `dimension` says. Throws Error (status 3) if out of range.
ops::Range rangeIn(int64_t lo, int64_t hi, size_t n, const char *dimension);
/// Positions meant by args[1]: a dense column of numbers, a dense column of bool that marks them, or one number. Throws
/// Error (status 3).
std::vector<size_t> positionsIn(const KernelCall &call, size_t n, const char *dimension);
/// Positions whose entry in args[i], a dense column, is not zero. Throws Error (status 3).
std::vector<size_t> keptIn(const KernelCall &call, size_t i, size_t n, const char *dimension);

} // namespace daphne
