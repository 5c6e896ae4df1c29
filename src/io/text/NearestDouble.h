// SPDX-License-Identifier: Apache-2.0
/// The double nearest to w * 10^q, for an integer w below 2^64: the upper bits of
/// w times a 128-bit approximation of 5^q decide the rounding (Lemire, "Number
/// parsing at a gigabyte per second", 2021). Hardly a branch depends on the digits,
/// so that it takes nearly the same time for all of them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace daphne::io {

namespace detail {

constexpr int kLeastPower = -342, kGreatestPower = 308;
/// Between these, products with powers of five are exact enough whatever w is.
constexpr int kLeastSafePower = -27, kGreatestSafePower = 55;

struct Power {
    uint64_t high, low;
};
/// The upper 128 bits of 5^q, with the top bit set: rounded up for the safe negative powers, else down.
extern const std::array<Power, kGreatestPower - kLeastPower + 1> kPowersOfFive;

} // namespace detail

/// False if this method cannot tell, as for subnormal, very large and infinite results.
[[gnu::always_inline]] inline bool nearestDouble(uint64_t w, int64_t q, double &value) {
    using namespace detail;
    if (w == 0) {
        value = 0;
        return true;
    }
    if (q < kLeastPower || q > kGreatestPower)
        return false;
    int shift = std::countl_zero(w);
    w <<= shift;
    const Power &p = kPowersOfFive[static_cast<size_t>(q - kLeastPower)];
    using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(w) * p.high;
    auto high = static_cast<uint64_t>(product >> 64), low = static_cast<uint64_t>(product);
    constexpr uint64_t kUndecided = ~uint64_t(0) >> 55; // bits below the two that round
    if ((high & kUndecided) == kUndecided) [[unlikely]] {
        auto more = static_cast<uint64_t>(static_cast<Wide>(w) * p.low >> 64);
        low += more;
        high += low < more;
    }
    if (low == ~uint64_t(0) && (q < kLeastSafePower || q > kGreatestSafePower)) [[unlikely]]
        return false;
    int top = static_cast<int>(high >> 63);
    uint64_t mantissa = high >> (top + 9);
    int64_t exponent = ((217706 * q) >> 16) + 63 + top - shift + 1023;
    if (exponent <= 0 || exponent >= 2046) [[unlikely]]
        return false;
    // Half-way cases are possible only for small powers; then round to even.
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (top + 9) == high) [[unlikely]]
        mantissa &= ~uint64_t(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    // The leading bit, which is not stored, adds one to the exponent; so does a carry.
    value = std::bit_cast<double>(mantissa + (static_cast<uint64_t>(exponent - 1) << 52));
    return true;
}

} // namespace daphne::io
