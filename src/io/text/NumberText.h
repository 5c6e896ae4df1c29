// SPDX-License-Identifier: Apache-2.0
/// Numbers at the start of a text, fast and exact to the last bit: the result is
/// always the double nearest to the decimal number. No reading beyond `end`.
///
/// Digits become one integer, eight at a time in a register, behind the point
/// sixteen where the processor has vectors for it (NumberText.cpp); NearestDouble.h
/// does the rounding, and std::from_chars what that cannot.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/WideVectors.h"

namespace daphne::io {

inline bool isDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

namespace detail {

/// The digits of eight characters as one number; the first digit is the lowest byte. Pairs, then fours, then all.
inline uint64_t valueOfEightDigits(uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    return ((digits & 0x000000FF000000FF) * 0x000F424000000064 +
            ((digits >> 16) & 0x000000FF000000FF) * 0x0000271000000001) >>
           32;
}
inline constexpr auto kPowersOfTen = [] {
    std::array<uint64_t, 17> powers{1};
    for (size_t i = 1; i < powers.size(); ++i)
        powers[i] = powers[i - 1] * 10;
    return powers;
}();

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
        w = w * kPowersOfTen[static_cast<size_t>(numBits >> 3)] + valueOfEightDigits(aligned);
        return p + (numBits >> 3);
    }
    while (p != end && isDigit(*p))
        w = w * 10 + static_cast<uint64_t>(*p++ - '0');
    return p;
}

/// A number and the place behind it, null if there is none; in registers.
struct ScannedDouble {
    const char *end;
    double value;
};
ScannedDouble scanDoubleWide(const char *p, const char *end);
ScannedDouble scanDoubleNarrow(const char *p, const char *end);

} // namespace detail

/// A decimal number "[-]digits[.digits][e[+-]digits]". Returns the end of it, or null if there is none or it needs more
/// than this: infinities, nan, hexadecimal numbers, a leading plus, numbers out of range.
inline const char *scanDouble(const char *p, const char *end, double &value) {
    auto scanned = daphne::detail::useWideVectors ? detail::scanDoubleWide(p, end) : detail::scanDoubleNarrow(p, end);
    value = scanned.value;
    return scanned.end;
}

/// Whether the float nearest to this double is the one nearest to the decimal number that the double is nearest to:
/// neither half-way between two floats, nor smaller than normal ones, nor too large.
[[gnu::always_inline]] inline bool roundsToFloat(double x) {
    constexpr uint64_t kLeast = std::bit_cast<uint64_t>(0x1p-126), kGreatest = std::bit_cast<uint64_t>(0x1.fffffep127);
    constexpr uint64_t kBelow = (uint64_t(1) << 29) - 1, kHalf = uint64_t(1) << 28;
    uint64_t bits = std::bit_cast<uint64_t>(x) << 1 >> 1;
    return bits == 0 || (bits - kLeast <= kGreatest - kLeast && (bits & kBelow) != kHalf);
}

/// Such numbers one behind another, with a delimiter between them: fills at most `count` cells and stops at the first
/// field that is anything else or ends the line too early. Returns how many were read; p is where the next one would
/// begin, or behind the last if all were read. Behind that one a delimiter or the end of a line stands.
size_t scanDoubles(const char *&p, const char *end, char delimiter, double *cells, size_t count);
size_t scanDoubles(const char *&p, const char *end, char delimiter, float *cells, size_t count);

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
