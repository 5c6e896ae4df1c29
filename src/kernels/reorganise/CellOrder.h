// SPDX-License-Identifier: Apache-2.0
/// The order in which cells are sorted.
#pragma once

#include <type_traits>

namespace daphne {

/// A strict order of two cells, NaN after everything else in both directions.
template <class T> bool comesBefore(const T &a, const T &b, bool ascending) {
    if constexpr (std::is_floating_point_v<T>)
        if (a != a || b != b)
            return a == a;
    return ascending ? a < b : b < a;
}

} // namespace daphne
