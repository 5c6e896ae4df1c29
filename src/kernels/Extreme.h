// SPDX-License-Identifier: Apache-2.0
/// Smallest and largest cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace daphne {

template <class T> constexpr bool isNan(T x) {
    if constexpr (std::numeric_limits<T>::has_quiet_NaN)
        return x != x;
    else
        return false;
}

/// better(x, best): x replaces best. Comparisons with NaN are false.
struct Smaller {
    template <class T> static bool better(T x, T best) { return x < best; }
    /// Worse than every other value.
    template <class T> static constexpr T worst() {
        return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::max();
    }
};
struct Larger {
    template <class T> static bool better(T x, T best) { return x > best; }
    template <class T> static constexpr T worst() {
        return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::lowest();
    }
};

/// Best cell of a block and a previous best, NaNs ignored.
template <class Order, class T> [[gnu::noinline]] T extremeOf(const T *x, size_t n, T best) {
    constexpr size_t kLanes = 8;
    T lane[kLanes];
    std::fill_n(lane, kLanes, best);
    size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (size_t l = 0; l < kLanes; ++l)
            lane[l] = Order::better(x[i + l], lane[l]) ? x[i + l] : lane[l];
    for (T y : lane)
        best = Order::better(y, best) ? y : best;
    for (; i < n; ++i)
        best = Order::better(x[i], best) ? x[i] : best;
    return best;
}

} // namespace daphne
