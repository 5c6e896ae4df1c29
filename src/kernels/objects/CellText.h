// SPDX-License-Identifier: Apache-2.0
/// Numbers as text: the two formats of the language. Printing shows six
/// significant digits (language 5.1), conversion to a string six decimals
/// (language 4.3).
#pragma once

#include <charconv>
#include <string>
#include <type_traits>

#include "base/FloatText.h"
#include "base/ValueType.h"

namespace daphne {

/// Longest text of a printed number: sign, 17 digits, point, exponent or leading zeros, or 20 digits.
constexpr size_t kMaxPrintedNumber = kMaxFloatText;

/// Writes x as print shows it; `to` has room for kMaxPrintedNumber characters. Returns the end.
template <class T> char *writePrinted(char *to, T x) {
    if constexpr (std::is_same_v<T, bool>)
        return *to = static_cast<char>('0' + x), to + 1;
    else if constexpr (std::is_floating_point_v<T>)
        return std::to_chars(to, to + kMaxPrintedNumber, x, std::chars_format::general, 6).ptr;
    else
        return std::to_chars(to, to + kMaxPrintedNumber, x).ptr;
}

template <class T> std::string printedText(T x) {
    char text[kMaxPrintedNumber];
    return {text, writePrinted(text, x)};
}

/// How floating-point numbers are printed: the number of significant digits, 0 for the shortest text that reads back
/// equal and shows that it is one.
using Digits = int;
constexpr Digits kPrintedDigits = 6, kShortestText = 0;

/// As writePrinted, with so many digits.
template <class T> char *writeDigits(char *to, T x, Digits digits) {
    if constexpr (std::is_floating_point_v<T>)
        return digits == kShortestText
                   ? writeFloat(to, x)
                   : std::to_chars(to, to + kMaxPrintedNumber, x, std::chars_format::general, digits).ptr;
    else
        return writePrinted(to, x);
}

/// x converted to a string, as std::to_string does.
template <class T> std::string convertedText(T x) {
    if constexpr (std::is_floating_point_v<T>) {
        char text[400]; // the largest double has 309 digits before the point
        return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, 6).ptr};
    } else {
        return printedText(x);
    }
}

} // namespace daphne
