// SPDX-License-Identifier: Apache-2.0
#include "base/FloatText.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

namespace daphne {

namespace {

constexpr int kLeastFixed = -5, kLeastExponent = 16; ///< powers of ten

/// From "[-]d[.ddd]e[+-]dd".
char *layOut(char *to, std::string_view text) {
    auto put = [&to](std::string_view piece) { to = std::copy(piece.begin(), piece.end(), to); };
    auto putZeros = [&to](size_t n) { to = std::fill_n(to, n, '0'); };
    size_t e = text.rfind('e');
    std::string_view mantissa = text.substr(0, e), power = text.substr(e);
    if (mantissa.front() == '-') {
        put("-");
        mantissa.remove_prefix(1);
    }
    int exponent = 0;
    size_t sign = power[1] == '+' || power[1] == '-';
    std::from_chars(power.data() + 1 + sign, power.data() + power.size(), exponent);
    if (power[1] == '-')
        exponent = -exponent;
    std::string_view first = mantissa.substr(0, 1), rest = mantissa.size() > 2 ? mantissa.substr(2) : "";
    while (!rest.empty() && rest.back() == '0')
        rest.remove_suffix(1);
    if (exponent < kLeastFixed || exponent >= kLeastExponent) {
        put(first);
        if (!rest.empty())
            put("."), put(rest);
        put(power);
    } else if (exponent < 0) {
        put("0.");
        putZeros(static_cast<size_t>(-exponent - 1));
        put(first), put(rest);
    } else {
        auto whole = static_cast<size_t>(exponent);
        put(first), put(rest.substr(0, whole));
        putZeros(whole - std::min(whole, rest.size()));
        put("."), put(rest.size() > whole ? rest.substr(whole) : "0");
    }
    return to;
}

template <class T> char *write(char *to, T x, int digits) {
    if (!std::isfinite(x)) {
        std::string_view text = std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
        return std::copy(text.begin(), text.end(), to);
    }
    char text[48];
    auto written = digits == 0 ? std::to_chars(text, text + sizeof text, x, std::chars_format::scientific)
                               : std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1);
    return layOut(to, {text, written.ptr});
}

template <class T> void append(std::string &out, T x, int digits) {
    char text[kMaxFloatText];
    out.append(text, write(text, x, digits));
}

} // namespace

char *writeFloat(char *to, double x, int digits) { return write(to, x, digits); }
char *writeFloat(char *to, float x, int digits) { return write(to, x, digits); }
void appendFloat(std::string &out, double x, int digits) { append(out, x, digits); }
void appendFloat(std::string &out, float x, int digits) { append(out, x, digits); }

} // namespace daphne
