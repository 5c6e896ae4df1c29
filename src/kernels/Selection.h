// SPDX-License-Identifier: Apache-2.0
/// Picking rows and columns of dense matrices by position.
#pragma once

#include <span>

#include "data/Value.h"

namespace daphne {

/// Rows of m in the given order; every position is below m.rows().
Ref<Dense> pickRows(const Dense &m, std::span<const size_t> positions);
/// Columns of m in the given order; every position is below m.cols().
Ref<Dense> pickCols(const Dense &m, std::span<const size_t> positions);
/// Rows of all columns of f in the given order.
Ref<Frame> pickRows(const Frame &f, std::span<const size_t> positions);

} // namespace daphne
