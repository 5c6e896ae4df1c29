// SPDX-License-Identifier: Apache-2.0
/// e^x without branches, tables or calls, so that loops over it become vector
/// code. The error is below one unit in the last place; overflow gives
/// infinity, underflow is gradual, NaN stays NaN.
///
/// x = k ln 2 + r with integer k and |r| <= ln 2 / 2, so e^x = 2^k e^r. The
/// Taylor series of e^r up to r^13 / 13! is exact to 2^-57 there.
#pragma once

#include <bit>
#include <cstdint>

namespace daphne {

inline double exponential(double x) {
    // Beyond these the result is infinite or zero anyway, and k would leave the exponent's range.
    constexpr double kLargest = 710.0, kSmallest = -746.0;
    x = x > kLargest ? kLargest : x;
    x = x < kSmallest ? kSmallest : x;

    // Adding 1.5 * 2^52 rounds to an integer, which appears in the low bits of the sum.
    constexpr double kRounder = 0x1.8p52, kLog2OfE = 0x1.71547652b82fep0;
    // ln 2 in two parts; the first has 11 zero bits at the end, so its product with k is exact.
    constexpr double kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
    double shifted = x * kLog2OfE + kRounder;
    double k = shifted - kRounder;
    double r = (x - k * kLn2High) - k * kLn2Low;

    // (e^r - 1 - r) / r^2, even and odd terms apart: short chains of dependent operations.
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double c2 = 1.0 / 2 + r * (1.0 / 6), c4 = 1.0 / 24 + r * (1.0 / 120);
    double c6 = 1.0 / 720 + r * (1.0 / 5040), c8 = 1.0 / 40320 + r * (1.0 / 362880);
    double c10 = 1.0 / 3628800 + r * (1.0 / 39916800), c12 = 1.0 / 479001600 + r * (1.0 / 6227020800);
    double q = (c2 + r2 * c4) + (r4 * (c6 + r2 * c8) + r8 * (c10 + r2 * c12));
    double power = 1.0 + (r + r2 * q);

    // 2^k as a product of two factors: either alone stays a normal number, and only the last product rounds.
    constexpr uint64_t kOffset = 2048, kBias = 1023;
    uint64_t biased = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRounder) + kOffset;
    uint64_t half = biased >> 1, rest = biased - half;
    double first = std::bit_cast<double>((half - kOffset / 2 + kBias) << 52);
    double second = std::bit_cast<double>((rest - kOffset / 2 + kBias) << 52);
    return power * first * second;
}

/// In double precision, which makes it exact but for the last rounding.
inline float exponential(float x) { return static_cast<float>(exponential(static_cast<double>(x))); }

} // namespace daphne
