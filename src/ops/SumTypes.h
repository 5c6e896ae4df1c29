// SPDX-License-Identifier: Apache-2.0
/// Types of sums and products of cells, wherever they are formed: all cells, rows, columns, groups, running, in
/// queries.
#pragma once

#include "base/ValueType.h"

namespace daphne::ops {

/// Of the result. What is narrower than 64 bits counts in 64 bits, signed so that differences of sums do not wrap.
/// Durations add up to durations.
constexpr ValueType sumType(ValueType cells) { return cells <= ValueType::UI32 ? ValueType::SI64 : cells; }

/// Of the computation; the result is rounded once.
constexpr ValueType sumPrecision(ValueType cells) { return cells == ValueType::F32 ? ValueType::F64 : sumType(cells); }

} // namespace daphne::ops
