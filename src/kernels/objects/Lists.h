// SPDX-License-Identifier: Apache-2.0
/// Elements of lists, for the kernels of indexing: what rows are to a matrix,
/// elements are to a list.
#pragma once

#include <span>

#include "data/Sequence.h"

namespace daphne {

/// Positions may count from the end. Throws Error (status 3) if there is no such element.
Value elementAt(const Sequence &list, int64_t position);
/// A new list; every position must exist.
Value pickElements(const Sequence &list, std::span<const size_t> positions);

} // namespace daphne
