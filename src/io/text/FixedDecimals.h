// SPDX-License-Identifier: Apache-2.0
/// Numbers with six decimals, as C's "%f" writes them: correctly rounded, ties of
/// the exact binary value to even.
#pragma once

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace daphne::io {

/// nan without a sign, inf and -inf.
inline void appendSixDecimals(std::string &out, double x) {
    if (std::isnan(x)) {
        out += "nan";
        return;
    }
    char text[400]; // the greatest double has 309 digits before the point
    double size = std::fabs(x);
    if (!(size < 9007199254740992.0)) {
        auto [end, error] = std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, 6);
        out.append(text, end);
        return;
    }
    // size = whole + mantissa / 2^shift; the decimals are mantissa * 10^6 / 2^shift, rounded.
    auto whole = static_cast<uint64_t>(size);
    double fraction = size - static_cast<double>(whole);
    uint64_t decimals = 0;
    if (fraction > 1e-9) {
        auto bits = std::bit_cast<uint64_t>(fraction);
        int shift = 1075 - static_cast<int>(bits >> 52);
        using Wide = unsigned __int128;
        Wide scaled = static_cast<Wide>((bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52) * 1000000;
        decimals = static_cast<uint64_t>(scaled >> shift);
        Wide rest = scaled - (static_cast<Wide>(decimals) << shift), half = static_cast<Wide>(1) << (shift - 1);
        decimals += rest > half || (rest == half && (decimals & 1));
        if (decimals == 1000000) {
            decimals = 0;
            ++whole;
        }
    }
    char *at = text;
    if (std::signbit(x))
        *at++ = '-';
    at = std::to_chars(at, text + sizeof text, whole).ptr;
    *at++ = '.';
    for (int i = 5; i >= 0; --i, decimals /= 10)
        at[i] = static_cast<char>('0' + decimals % 10);
    out.append(text, at + 6);
}

} // namespace daphne::io
