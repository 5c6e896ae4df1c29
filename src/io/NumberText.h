// SPDX-License-Identifier: Apache-2.0
/// Numbers at the start of a text, fast and exact to the last bit: the result is
/// always the double nearest to the decimal number. No reading beyond `end`.
///
/// With the digits as one integer w < 2^64 the number is w * 10^q. If w < 2^53
/// and |q| <= 22 one multiplication or division by an exact power of ten rounds
/// correctly (Clinger, PLDI 1990). For -27 <= q <= 55 the upper bits of w times a
/// 128-bit approximation of 5^q decide the rounding (Lemire, "Number parsing at a
/// gigabyte per second", 2021). std::from_chars does the rest.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace daphne::io {

inline bool isDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

namespace detail {

constexpr int kLeastPower = -27, kGreatestPower = 55;

struct Power {
    uint64_t high, low;
};

/// The upper 128 bits of 5^q, rounded down for q >= 0 and up for q < 0, with the top bit set.
consteval std::array<Power, kGreatestPower - kLeastPower + 1> powersOfFive() {
    using Wide = unsigned __int128;
    std::array<Power, kGreatestPower - kLeastPower + 1> table{};
    auto put = [&](int q, Wide x) {
        table[static_cast<size_t>(q - kLeastPower)] = {static_cast<uint64_t>(x >> 64), static_cast<uint64_t>(x)};
    };
    Wide power = 1;
    for (int q = 0; q <= kGreatestPower; ++q, power *= 5) {
        Wide x = power;
        while (!(x >> 127))
            x <<= 1;
        put(q, x);
    }
    Wide divisor = 1;
    for (int q = -1; q >= kLeastPower; --q) {
        divisor *= 5;
        // Long division of a power of two, bit by bit, until the quotient has 128 bits.
        Wide quotient = 0, rest = 1;
        while (!(quotient >> 127)) {
            rest <<= 1;
            quotient <<= 1;
            if (rest >= divisor) {
                rest -= divisor;
                quotient |= 1;
            }
        }
        put(q, quotient + 1);
    }
    return table;
}

inline constexpr auto kPowersOfFive = powersOfFive();
inline constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// The double nearest to w * 10^q; false if this method cannot tell.
inline bool nearestDouble(uint64_t w, int64_t q, double &value) {
    if (w <= (uint64_t(1) << 53) && q >= -22 && q <= 22) {
        value = static_cast<double>(w);
        value = q < 0 ? value / kExactPowers[-q] : value * kExactPowers[q];
        return true;
    }
    if (q < kLeastPower || q > kGreatestPower || w == 0)
        return false;
    int shift = std::countl_zero(w);
    w <<= shift;
    const Power &p = kPowersOfFive[static_cast<size_t>(q - kLeastPower)];
    using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(w) * p.high;
    auto high = static_cast<uint64_t>(product >> 64), low = static_cast<uint64_t>(product);
    constexpr uint64_t kUndecided = ~uint64_t(0) >> 55; // bits below the two that round
    if ((high & kUndecided) == kUndecided) {
        auto more = static_cast<uint64_t>(static_cast<Wide>(w) * p.low >> 64);
        low += more;
        high += low < more;
    }
    int top = static_cast<int>(high >> 63);
    uint64_t mantissa = high >> (top + 9);
    int64_t exponent = ((217706 * q) >> 16) + 63 + top - shift + 1023;
    if (exponent <= 0 || exponent >= 2046)
        return false;
    // Half-way cases are possible only for small powers; then round to even.
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (top + 9) == high)
        mantissa &= ~uint64_t(1);
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa >>= 1;
        ++exponent;
    }
    mantissa &= ~(uint64_t(1) << 52);
    value = std::bit_cast<double>(mantissa | static_cast<uint64_t>(exponent) << 52);
    return true;
}

/// The digits of eight characters as one number; the first digit is the lowest byte. Pairs, then fours, then all.
inline uint64_t valueOfEightDigits(uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    return ((digits & 0x000000FF000000FF) * 0x000F424000000064 +
            ((digits >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
           32;
}
inline constexpr uint64_t kShortPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Appends the digits at p to w (modulo 2^64), up to eight at a time without a branch for their number.
[[gnu::always_inline]] inline const char *digits(const char *p, const char *end, uint64_t &w) {
    while (end - p >= 8) [[likely]] {
        uint64_t chars;
        std::memcpy(&chars, p, 8);
        chars ^= 0x3030303030303030; // digits become 0 to 9
        uint64_t others = (chars | (chars + 0x0606060606060606)) & 0xF0F0F0F0F0F0F0F0;
        if (others == 0) {
            w = w * 100000000 + valueOfEightDigits(chars);
            p += 8;
            continue;
        }
        int numBits = std::countr_zero(others) & ~7;
        // Shifted to the end, with zeros in front.
        uint64_t aligned = numBits == 0 ? 0 : chars << (64 - numBits);
        w = w * kShortPowers[numBits >> 3] + valueOfEightDigits(aligned);
        return p + (numBits >> 3);
    }
    while (p != end && isDigit(*p))
        w = w * 10 + static_cast<uint64_t>(*p++ - '0');
    return p;
}

/// What the fast ways cannot do.
[[gnu::noinline, gnu::cold]] inline const char *scanAnyDouble(const char *p, const char *end, double *value) {
    auto [last, error] = std::from_chars(p, end, *value);
    return error == std::errc() ? last : nullptr;
}

} // namespace detail

/// A decimal number "[-]digits[.digits][e[+-]digits]". Returns the end of it, or null if there is none or it needs more
/// than this: infinities, nan, hexadecimal numbers, a leading plus, numbers out of range.
[[gnu::always_inline]] inline const char *scanDouble(const char *p, const char *end, double &value) {
    const char *begin = p;
    bool negative = p != end && *p == '-';
    p += negative;
    const char *first = p;
    uint64_t w = 0;
    p = detail::digits(p, end, w);
    int64_t count = p - first, q = 0;
    if (p != end && *p == '.') {
        const char *fraction = ++p;
        p = detail::digits(p, end, w);
        q = fraction - p;
        count -= q;
    }
    if (count == 0)
        return nullptr;
    if (p != end && (*p | 0x20) == 'e') {
        const char *e = p + 1;
        bool down = e != end && *e == '-';
        e += down || (e != end && *e == '+');
        const char *digit = e;
        int64_t exponent = 0;
        for (; e != end && isDigit(*e); ++e)
            exponent = exponent < 100000 ? exponent * 10 + (*e - '0') : exponent;
        if (e != digit) {
            q += down ? -exponent : exponent;
            p = e;
        }
    }
    // Leading zeros do not count; 19 digits always fit.
    if (count > 19) {
        const char *digit = first;
        for (; count > 19 && (*digit == '0' || *digit == '.'); ++digit)
            count -= *digit == '0';
    }
    if (count <= 19 && detail::nearestDouble(w, q, value)) {
        value = negative ? -value : value;
        return p;
    }
    double any = 0; // so that the result itself may stay in a register
    const char *last = detail::scanAnyDouble(begin, end, &any);
    value = any;
    return last;
}

/// Digits below 2^63. Returns the end, or null if there are none or too many.
[[gnu::always_inline]] inline const char *scanUnsigned(const char *p, const char *end, uint64_t &value) {
    const char *first = p;
    uint64_t w = 0;
    p = detail::digits(p, end, w);
    value = w;
    if (p - first <= 18) [[likely]]
        return p == first ? nullptr : p;
    auto [last, error] = std::from_chars(first, end, w);
    value = w;
    return error == std::errc() && w <= static_cast<uint64_t>(INT64_MAX) ? last : nullptr;
}

/// "[-]digits" of 64 bits. Returns the end, or null if there is none or it is out of range.
[[gnu::always_inline]] inline const char *scanInteger(const char *p, const char *end, int64_t &value) {
    bool negative = p != end && *p == '-';
    uint64_t magnitude;
    if (const char *last = scanUnsigned(p + negative, end, magnitude)) {
        value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
        return last;
    }
    int64_t any = 0;
    auto [last, error] = std::from_chars(p, end, any);
    value = any;
    return error == std::errc() ? last : nullptr;
}

} // namespace daphne::io
