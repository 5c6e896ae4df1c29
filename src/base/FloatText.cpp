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
void layOut(std::string &out, std::string_view text) {
    size_t e = text.rfind('e');
    std::string_view mantissa = text.substr(0, e), power = text.substr(e);
    if (mantissa.front() == '-') {
        out += '-';
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
    auto numRest = static_cast<int>(rest.size());
    if (exponent < kLeastFixed || exponent >= kLeastExponent) {
        out += first;
        if (numRest > 0)
            (out += '.') += rest;
        out += power;
    } else if (exponent < 0) {
        out += "0.";
        out.append(static_cast<size_t>(-exponent - 1), '0');
        (out += first) += rest;
    } else {
        auto whole = static_cast<size_t>(exponent);
        (out += first) += rest.substr(0, whole);
        out.append(whole - std::min(whole, rest.size()), '0');
        out += '.';
        numRest > exponent ? out += rest.substr(whole) : out += '0';
    }
}

template <class T> void append(std::string &out, T x, int digits) {
    if (!std::isfinite(x)) {
        out += std::isnan(x) ? "nan" : x < 0 ? "-inf" : "inf";
        return;
    }
    char text[48];
    auto written = digits == 0 ? std::to_chars(text, text + sizeof text, x, std::chars_format::scientific)
                               : std::to_chars(text, text + sizeof text, x, std::chars_format::scientific, digits - 1);
    layOut(out, {text, written.ptr});
}

} // namespace

void appendFloat(std::string &out, double x, int digits) { append(out, x, digits); }
void appendFloat(std::string &out, float x, int digits) { append(out, x, digits); }

} // namespace daphne
