// SPDX-License-Identifier: Apache-2.0
/// Numbers as C reads them: what stands at the start of a text counts, whatever
/// follows. No reading beyond the text.
#pragma once

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/Error.h"
#include "data/Value.h"

namespace daphne::io {

inline bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

inline std::string_view withoutLeadingBlanks(std::string_view s) {
    while (!s.empty() && isBlank(s.front()))
        s.remove_prefix(1);
    return s;
}

/// What strtod reads at the start of a text, NaN if there is no number. `used` counts the characters read.
inline double leadingDouble(std::string_view text, size_t &used) {
    std::string_view s = withoutLeadingBlanks(text);
    size_t blanks = text.size() - s.size();
    size_t plus = s.size() > 1 && s[0] == '+' && s[1] != '-';
    double value = 0;
    auto [end, error] = std::from_chars(s.data() + plus, s.data() + s.size(), value);
    if (error == std::errc::invalid_argument) {
        used = 0;
        return std::numeric_limits<double>::quiet_NaN();
    }
    used = blanks + static_cast<size_t>(end - s.data());
    bool hex = value == 0 && end != s.data() + s.size() && (*end == 'x' || *end == 'X');
    if (error == std::errc::result_out_of_range || hex) {
        // Rare: overflow to inf, underflow to 0 and hexadecimal numbers as the C library does it.
        std::string copy(s);
        char *last = nullptr;
        value = std::strtod(copy.c_str(), &last);
        used = blanks + static_cast<size_t>(last - copy.c_str());
    }
    return value;
}

/// What strtoll (strtoull for uint64_t) reads at the start of a text, 0 if there is no integer; saturates.
template <class Wide> Wide leadingInteger(std::string_view text, size_t &used, bool &inRange) {
    std::string_view s = withoutLeadingBlanks(text);
    size_t blanks = text.size() - s.size();
    bool negative = !s.empty() && s[0] == '-';
    size_t sign = !s.empty() && (s[0] == '-' || s[0] == '+');
    uint64_t magnitude = 0;
    auto [end, error] = std::from_chars(s.data() + sign, s.data() + s.size(), magnitude);
    used = error == std::errc::invalid_argument ? 0 : blanks + static_cast<size_t>(end - s.data());
    inRange = error == std::errc();
    if (error == std::errc::invalid_argument)
        return 0;
    if constexpr (std::is_same_v<Wide, uint64_t>) {
        if (error == std::errc::result_out_of_range)
            return std::numeric_limits<uint64_t>::max();
        return negative ? uint64_t(0) - magnitude : magnitude;
    } else {
        constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
        if (error == std::errc::result_out_of_range || magnitude > kMax + negative) {
            inRange = false;
            return negative ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
        }
        return static_cast<int64_t>(negative ? uint64_t(0) - magnitude : magnitude);
    }
}

/// A field as a cell of a numeric type, by the lenient rules of files.
template <class T> T lenientNumber(std::string_view field) {
    size_t used = 0;
    bool inRange = true;
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(leadingDouble(field, used));
    else if constexpr (std::is_same_v<T, uint64_t>)
        return leadingInteger<uint64_t>(field, used, inRange);
    else
        return convertNumber<T>(leadingInteger<int64_t>(field, used, inRange));
}

} // namespace daphne::io
