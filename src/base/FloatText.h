// SPDX-License-Identifier: Apache-2.0
/// Floating-point numbers as the shortest text that reads back as the same number
/// of the same type. It always has a point or an exponent, so that it reads back as
/// a floating-point number, too: 0.1, 20.0, 1e+16, nan, -inf.
#pragma once

#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

namespace daphne {

/// Longest text that writeShortest writes, with some to spare.
constexpr size_t kMaxShortest = 32;

/// Without exponent for 1e-5 <= |x| < 1e16. `to` has room for kMaxShortest characters. Returns the end.
template <class T> char *writeShortest(char *to, T x) {
    if (x != x)
        return static_cast<char *>(std::memcpy(to, "nan", 3)) + 3;
    T size = std::abs(x);
    bool isFixed = size == T(0) || (size >= T(1e-5) && size < T(1e16));
    auto format = isFixed ? std::chars_format::fixed : std::chars_format::scientific;
    char *end = std::to_chars(to, to + kMaxShortest, x, format).ptr;
    if (isFixed && !std::memchr(to, '.', static_cast<size_t>(end - to))) {
        *end++ = '.';
        *end++ = '0';
    }
    return end;
}

template <class T> std::string shortestText(T x) {
    char text[kMaxShortest];
    return {text, writeShortest(text, x)};
}

} // namespace daphne
