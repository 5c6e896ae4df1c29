// SPDX-License-Identifier: Apache-2.0
/// Smallest and largest cells. NaN is better than every number, wherever it stands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/Cancellable.h"
#include "base/WideVectors.h"

namespace daphne {

template <class T> constexpr bool isNan(const T &x) {
    if constexpr (std::numeric_limits<T>::has_quiet_NaN)
        return x != x;
    else
        return false;
}

/// Extremes are never -0 and there is one NaN: which of two zeros or NaNs is met first depends on how cells are walked
/// through.
template <class T> constexpr T canonical(T best) {
    if constexpr (std::is_floating_point_v<T>)
        return isNan(best) ? std::numeric_limits<T>::quiet_NaN() : best + T(0);
    else
        return best;
}

/// beyond(x, best): the number x replaces the number best.
/// better(x, best): x replaces best. Of several NaNs the first stays.
struct Smaller {
    template <class T> static bool beyond(const T &x, const T &best) { return x < best; }
    template <class T> static bool better(const T &x, const T &best) {
        return beyond(x, best) || (isNan(x) && !isNan(best));
    }
    /// Worse than every other value.
    template <class T> static constexpr T worst() {
        return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::max();
    }
};
struct Larger {
    template <class T> static bool beyond(const T &x, const T &best) { return x > best; }
    template <class T> static bool better(const T &x, const T &best) {
        return beyond(x, best) || (isNan(x) && !isNan(best));
    }
    template <class T> static constexpr T worst() {
        return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                    : std::numeric_limits<T>::lowest();
    }
};

/// Four vectors of running extremes. Two read one place in memory, two another: that is faster than one place alone.
template <class Order, class T> class ExtremeVectors {
    using Vector [[gnu::vector_size(32)]] = T;
    static constexpr size_t kWidth = sizeof(Vector) / sizeof(T), kCount = 4;

  public:
    /// Fewer cells are treated faster one by one.
    static constexpr size_t kFewest = 2 * kCount * kWidth;

    /// Best of n cells and a previous best.
    static T best(const T *x, size_t n, T best) {
        Vector lane[kCount];
        for (Vector &v : lane)
            for (size_t l = 0; l < kWidth; ++l)
                v[l] = best;
        size_t half = n / kCount / kWidth * kWidth * (kCount / 2);
        for (size_t i = 0; i < half; i += 2 * kWidth) {
            take(lane[0], x + i);
            take(lane[1], x + i + kWidth);
            take(lane[2], x + half + i);
            take(lane[3], x + half + i + kWidth);
        }
        for (const Vector &v : lane)
            for (size_t l = 0; l < kWidth; ++l)
                best = Order::better(v[l], best) ? v[l] : best;
        for (size_t i = 2 * half; i < n; ++i)
            best = Order::better(x[i], best) ? x[i] : best;
        return canonical(best);
    }

  private:
    static void take(Vector &lane, const T *x) {
        Vector cells;
        std::memcpy(&cells, x, sizeof cells);
        if constexpr (std::is_same_v<Order, Smaller>)
            lane = cells < lane ? cells : lane;
        else
            lane = cells > lane ? cells : lane;
        // A lane that is NaN stays NaN: comparisons with it are false.
        if constexpr (std::is_floating_point_v<T>)
            lane = cells != cells ? cells : lane;
    }
};

/// Best cell of a block and a previous best, canonical.
template <class Order, class T> T extremeOf(const T *x, size_t n, T best) {
    using Cell = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>; // there are no vectors of bool
    using Vectors = ExtremeVectors<Order, Cell>;
    if (n >= Vectors::kFewest)
        return static_cast<T>(vectorised([cells = reinterpret_cast<const Cell *>(x), n, best] {
            return Vectors::best(cells, n, static_cast<Cell>(best));
        }));
    // Few cells, mostly a row of a narrow matrix: without branches, which unordered cells would mislead.
    bool anyNan = false;
    for (size_t i = 0; i < n; ++i) {
        best = Order::beyond(x[i], best) ? x[i] : best;
        anyNan |= isNan(x[i]);
    }
    return canonical(anyNan ? std::numeric_limits<T>::quiet_NaN() : best);
}

/// Position of the best of n cells, the first one on ties; 0 if there are none.
template <class Order, class T> size_t positionOfExtreme(const T *x, size_t n) {
    constexpr size_t kBlock = 1024;
    if (n == 0 || isNan(x[0]))
        return 0;
    T best = x[0];
    size_t bestBlock = 0;
    CancelCountdown look;
    for (size_t begin = 0; begin < n; begin += kBlock) {
        look.after(kBlock);
        T found = extremeOf<Order>(x + begin, std::min(kBlock, n - begin), best);
        if (Order::better(found, best)) {
            best = found;
            bestBlock = begin;
        }
        if (isNan(best))
            return static_cast<size_t>(std::find_if(x + bestBlock, x + n, isNan<T>) - x);
    }
    return static_cast<size_t>(std::find(x + bestBlock, x + n, best) - x);
}

} // namespace daphne
