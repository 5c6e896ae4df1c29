// SPDX-License-Identifier: Apache-2.0
/// Smallest and largest strings, compared byte by byte.
#pragma once

#include "data/Value.h"

namespace daphne {

enum class Extreme : uint8_t { Min, Max };
enum class Cells : uint8_t { All, PerRow, PerColumn };

/// A string for all cells, else a column or row of strings. Throws Error (status 3) where there are no cells: no string
/// is larger than all others.
Value extremeOfStrings(Extreme extreme, Cells over, const Dense &m);

} // namespace daphne
