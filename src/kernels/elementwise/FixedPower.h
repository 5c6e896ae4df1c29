// SPDX-License-Identifier: Apache-2.0
/// Powers whose exponent is a small integer or half of one: products, roots and
/// reciprocals, many times faster than the general function, and vector code.
#pragma once

#include <cmath>
#include <limits>

#include "data/Value.h"
#include "kernels/cells/BinaryLoop.h"

namespace daphne {

/// x ^ (Twice / 2).
template <int Twice> double fixedPower(double x) {
    static_assert(Twice == 4 || Twice == 6 || Twice == -2 || Twice == 1 || Twice == 3 || Twice == -1 || Twice == -3);
    if constexpr (Twice == 4)
        return x * x;
    else if constexpr (Twice == 6)
        return x * x * x;
    else if constexpr (Twice == -2)
        return 1.0 / x;
    // Powers of -inf and -0 are those of inf and 0.
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double base = x == -kInfinity ? kInfinity : x + 0.0;
    double power = Twice == 1 || Twice == -1 ? std::sqrt(base) : base * std::sqrt(base);
    return Twice < 0 ? 1.0 / power : power;
}

template <int Twice> struct FixedPower {
    template <class T> static T apply(T a, T) { return convertNumber<T>(fixedPower<Twice>(static_cast<double>(a))); }
};

/// Calls f(std::integral_constant<int, twice>) if there is a fixed power for it; false if there is none.
template <class F> bool withFixedPower(double twice, F &&f) {
    auto test = [&]<int Twice>(std::integral_constant<int, Twice> t) { return twice == Twice && (f(t), true); };
    return test(std::integral_constant<int, 4>{}) || test(std::integral_constant<int, 6>{}) ||
           test(std::integral_constant<int, -2>{}) || test(std::integral_constant<int, 1>{}) ||
           test(std::integral_constant<int, 3>{}) || test(std::integral_constant<int, -1>{}) ||
           test(std::integral_constant<int, -3>{});
}

/// result[i] = arg[i] ^ (twice / 2) in a floating-point type.
inline void fixedPowerCells(int twice, ValueType type, const void *arg, void *result, size_t n) {
    auto run = [&]<class T>(TypeTag<T>) {
        const T *in = static_cast<const T *>(arg);
        T *out = static_cast<T *>(result);
        withFixedPower(twice, [&]<int Twice>(std::integral_constant<int, Twice>) {
            for (size_t i = 0; i < n; ++i)
                out[i] = FixedPower<Twice>::apply(in[i], in[i]);
        });
    };
    type == ValueType::F32 ? run(TypeTag<float>{}) : run(TypeTag<double>{});
}

} // namespace daphne
