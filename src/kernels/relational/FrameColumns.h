// SPDX-License-Identifier: Apache-2.0
/// Columns of frames by label, and frames put together from rows of others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/KernelTable.h"
#include "kernels/relational/RowKeys.h"

namespace daphne::relational {

/// Position of a label. Throws Error (status 3) with the closest label as a hint.
size_t positionOf(const Frame &frame, const std::string &label);
/// Positions a label, "prefix.*" or "*" stands for. Throws as positionOf.
std::vector<size_t> positionsOf(const Frame &frame, const std::string &label);
Columns columnsOf(const Frame &frame, std::span<const std::string> labels);

/// The texts of arguments [first, first + n) of a call; throws Error (status 3) if one is not a string.
std::vector<std::string> textArguments(const KernelCall &call, size_t first, size_t n);

/// A row position that stands for a row of defaults: 0, NaN for floating point, "".
constexpr size_t kNoRow = ~size_t(0);
/// Rows of a column in the given order; positions may be kNoRow.
Ref<Dense> pickOrDefault(const Dense &column, std::span<const size_t> rows);

/// All columns of lhs at lhsRows beside all columns of rhs at rhsRows. Throws Error (status 3) for equal labels.
Ref<Frame> besideEachOther(const Frame &lhs, std::span<const size_t> lhsRows, const Frame &rhs,
                           std::span<const size_t> rhsRows);

/// n x 1 matrix of type size.
Ref<Dense> positionColumn(std::span<const size_t> rows);

} // namespace daphne::relational
