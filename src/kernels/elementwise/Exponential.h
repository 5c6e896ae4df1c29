// SPDX-License-Identifier: Apache-2.0
/// e^x, tanh x and ln x without branches, tables or calls, so that loops over
/// them become vector code. Errors are below one (tanh: three) units in the last
/// place; overflow gives infinity, underflow is gradual, NaN stays NaN.
///
/// float arguments are computed in double precision: exact but for the rounding.
/// Products are added with one rounding where the processor can
/// (fusesMultiplyAdd()); compiled loops do the same operations.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace daphne {

namespace detail {

/// ln 2 in two parts; the first ends in 11 zero bits, so its products with exponents are exact.
constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
/// Adding 1.5 * 2^52 rounds to an integer, which appears in the low bits of the sum.
constexpr double kRounder = 0x1.8p52;

/// e^x = 2^k (1 + fraction) with integer k and |fraction| < 0.42.
struct PowerOfE {
    double shifted;  ///< k + kRounder
    double fraction; ///< accurate also near 0

    uint64_t exponentPlus(uint64_t offset) const {
        return std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRounder) + offset;
    }
};

/// x y + z, with one rounding or two. On processors that have no instruction for it, one rounding is slow.
template <bool Fused> double multiplyAdd(double x, double y, double z) {
    if constexpr (Fused)
        return __builtin_fma(x, y, z);
    else
        return x * y + z;
}

/// x = k ln 2 + r with |r| <= ln 2 / 2; the Taylor series of e^r up to r^13 / 13! is exact to 2^-57 there.
template <bool Fused> PowerOfE powerOfE(double x) {
    constexpr double kLog2OfE = 0x1.71547652b82fep0;
    constexpr auto mad = multiplyAdd<Fused>;
    double shifted = mad(x, kLog2OfE, kRounder);
    double k = shifted - kRounder;
    double r = mad(k, -kLn2Low, mad(k, -kLn2High, x));
    // (e^r - 1 - r) / r^2 in pairs of terms: short chains of dependent operations.
    double r2 = r * r, r4 = r2 * r2;
    double c2 = mad(r, 1.0 / 6, 1.0 / 2), c4 = mad(r, 1.0 / 120, 1.0 / 24);
    double c6 = mad(r, 1.0 / 5040, 1.0 / 720), c8 = mad(r, 1.0 / 362880, 1.0 / 40320);
    double c10 = mad(r, 1.0 / 39916800, 1.0 / 3628800), c12 = mad(r, 1.0 / 6227020800, 1.0 / 479001600);
    double high = mad(r4, mad(r2, c12, c10), mad(r2, c8, c6));
    double q = mad(r4, high, mad(r2, c4, c2));
    return {shifted, mad(r2, q, r)};
}

template <bool Fused> double exponential(double x) {
    // Beyond these the result is infinite or zero anyway, and k would leave the exponent's range.
    constexpr double kLargest = 710.0, kSmallest = -746.0;
    x = x > kLargest ? kLargest : x;
    x = x < kSmallest ? kSmallest : x;
    PowerOfE power = powerOfE<Fused>(x);
    // 2^k as a product of two factors: either alone is a normal number, and only the last product rounds.
    constexpr uint64_t kOffset = 2048, kBias = 1023;
    uint64_t offsetK = power.exponentPlus(kOffset), half = offsetK >> 1, rest = offsetK - half;
    double first = std::bit_cast<double>((half - kOffset / 2 + kBias) << 52);
    double second = std::bit_cast<double>((rest - kOffset / 2 + kBias) << 52);
    return (1.0 + power.fraction) * first * second;
}

/// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x.
template <bool Fused> double hyperbolicTangent(double x) {
    constexpr double kOneFrom = 22.0; // the result is 1 in double precision
    double size = std::fabs(x);
    size = size > kOneFrom ? kOneFrom : size;
    PowerOfE power = powerOfE<Fused>(2 * size);
    double scale = std::bit_cast<double>(power.exponentPlus(1023) << 52);
    double minusOne = multiplyAdd<Fused>(scale, power.fraction, scale - 1.0);
    return std::copysign(minusOne / (minusOne + 2.0), x);
}

/// NaN for negative numbers.
template <bool Fused> double naturalLogarithm(double x) {
    constexpr auto mad = multiplyAdd<Fused>;
    // x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2); numbers below the normal ones are scaled first.
    constexpr uint64_t kOffset = 1024, kRootOfHalf = 0x3fe6a09e667f3bcd;
    constexpr double kInteger = 0x1p52, kInfinity = std::numeric_limits<double>::infinity();
    bool tiny = x < std::numeric_limits<double>::min();
    double scaled = tiny ? x * 0x1p54 : x;
    uint64_t bits = std::bit_cast<uint64_t>(scaled);
    uint64_t offsetK = (bits - kRootOfHalf + (kOffset << 52)) >> 52;
    double f = std::bit_cast<double>(bits - ((offsetK - kOffset) << 52)) - 1.0;
    double k = std::bit_cast<double>(offsetK | std::bit_cast<uint64_t>(kInteger)) - (kInteger + kOffset);
    k = tiny ? k - 54 : k;

    // ln(1 + f) = 2 artanh s with s = f / (2 + f): twice the series s + s^3/3 + s^5/5 + ..., exact to 2^-56 up to s^21.
    double s = f / (2.0 + f), z = s * s, z2 = z * z, z4 = z2 * z2;
    double low = mad(z2, mad(z, 2.0 / 9, 2.0 / 7), mad(z, 2.0 / 5, 2.0 / 3));
    double high = mad(z2, mad(z, 2.0 / 17, 2.0 / 15), mad(z, 2.0 / 13, 2.0 / 11));
    double highest = mad(z, 2.0 / 21, 2.0 / 19);
    double series = z * mad(z4, mad(z4, highest, high), low);
    // 2 s = f - f^2/2 + s f^2/2, so that the largest term f is exact.
    double halfSquare = 0.5 * f * f;
    double correction = halfSquare - mad(s, halfSquare + series, k * kLn2Low);
    double result = mad(k, kLn2High, f - correction);

    result = x == 0 ? -kInfinity : result;
    result = x == kInfinity ? kInfinity : result;
    return x >= 0 ? result : std::numeric_limits<double>::quiet_NaN();
}

} // namespace detail

double exponential(double x);
double hyperbolicTangent(double x);
/// NaN for negative numbers.
double naturalLogarithm(double x);
float exponential(float x);
float hyperbolicTangent(float x);
float naturalLogarithm(float x);

/// out[i] = f(in[i]); in may be out.
template <class T> void exponentials(const T *in, T *out, size_t n);
template <class T> void hyperbolicTangents(const T *in, T *out, size_t n);
template <class T> void naturalLogarithms(const T *in, T *out, size_t n);

} // namespace daphne
