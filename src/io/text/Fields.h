// SPDX-License-Identifier: Apache-2.0
/// Numbers in fields of a text: exactly, or as C reads them, where what stands at
/// the start counts, whatever follows. No reading beyond the text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/Error.h"
#include "data/Value.h"
#include "io/text/NumberText.h"

namespace daphne::io {

inline bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

inline std::string_view withoutLeadingBlanks(std::string_view s) {
    while (!s.empty() && isBlank(s.front()))
        s.remove_prefix(1);
    return s;
}

/// What strtod (strtof for float) reads at the start of a text, NaN if there is no number. `used` counts the characters
/// read.
template <class T> T leadingFloat(std::string_view text, size_t &used) {
    std::string_view s = withoutLeadingBlanks(text);
    size_t blanks = text.size() - s.size();
    size_t plus = s.size() > 1 && s[0] == '+' && s[1] != '-';
    T value = 0;
    auto [end, error] = std::from_chars(s.data() + plus, s.data() + s.size(), value);
    if (error == std::errc::invalid_argument) {
        used = 0;
        return std::numeric_limits<T>::quiet_NaN();
    }
    used = blanks + static_cast<size_t>(end - s.data());
    bool hex = value == 0 && end != s.data() + s.size() && (*end == 'x' || *end == 'X');
    if (error == std::errc::result_out_of_range || hex) {
        // Rare: overflow to inf, underflow to 0 and hexadecimal numbers as the C library does it.
        std::string copy(s);
        char *last = nullptr;
        if constexpr (std::is_same_v<T, float>)
            value = std::strtof(copy.c_str(), &last);
        else
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

inline std::string_view withoutBlanks(std::string_view s) {
    s = withoutLeadingBlanks(s);
    while (!s.empty() && isBlank(s.back()))
        s.remove_suffix(1);
    return s;
}

/// Whether an integer is a value of a type.
template <class T> bool fitsInto(int64_t x) {
    if constexpr (std::is_same_v<T, bool>)
        return x == 0 || x == 1;
    else
        return std::in_range<T>(x);
}

/// A field as a cell of a numeric type, by the lenient rules of files: what stands at its start counts, what is out of
/// range becomes the nearest value.
template <class T> T lenientNumber(std::string_view field) {
    size_t used = 0;
    bool inRange = true;
    if constexpr (std::is_floating_point_v<T>) {
        return leadingFloat<T>(field, used);
    } else if constexpr (std::is_same_v<T, bool>) {
        return leadingInteger<int64_t>(field, used, inRange) != 0;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
        bool negative = withoutLeadingBlanks(field).starts_with('-');
        return negative ? 0 : leadingInteger<uint64_t>(field, used, inRange);
    } else {
        using Limits = std::numeric_limits<T>;
        return static_cast<T>(
            std::clamp<int64_t>(leadingInteger<int64_t>(field, used, inRange), Limits::min(), Limits::max()));
    }
}

/// What a field is, seen as a cell of a numeric type.
enum class Fit : uint8_t {
    Exact,
    Fraction, ///< a number that is no integer, for an integer
    OutOfRange,
    NoNumber,
};

/// A field without blanks around it as a cell of a numeric type. Floats out of range become infinite, integers are not
/// set unless the field fits.
template <class T> Fit exactNumber(std::string_view field, T &cell) {
    size_t used = 0;
    if constexpr (std::is_floating_point_v<T>) {
        cell = leadingFloat<T>(field, used);
        if (used != field.size() || field.empty())
            return Fit::NoNumber;
        bool tooLarge = std::isinf(cell) && field.find_first_of("0123456789") != field.npos;
        return tooLarge ? Fit::OutOfRange : Fit::Exact;
    } else {
        // Zeros behind the point are no fraction.
        std::string_view whole = field;
        if (size_t point = field.find('.'); point != field.npos && point > 0 && isDigit(field[point - 1]) &&
                                            field.find_first_not_of('0', point + 1) == field.npos)
            whole = field.substr(0, point);
        bool inRange = false;
        using Wide = std::conditional_t<std::is_same_v<T, uint64_t>, uint64_t, int64_t>;
        Wide value = leadingInteger<Wide>(whole, used, inRange);
        if (used == whole.size() && used > 0) {
            bool negative = whole.front() == '-' && value != 0;
            if constexpr (std::is_same_v<T, uint64_t>)
                inRange = inRange && !negative;
            else
                inRange = inRange && fitsInto<T>(value);
            if (inRange)
                cell = static_cast<T>(value);
            return inRange ? Fit::Exact : Fit::OutOfRange;
        }
        double number = leadingFloat<double>(field, used);
        if (used != field.size() || field.empty() || std::isnan(number))
            return Fit::NoNumber;
        constexpr double kExact = 9007199254740992.0; // integers up to here are exact
        if (std::trunc(number) != number)
            return Fit::Fraction;
        if (!(std::fabs(number) <= kExact) || (std::is_unsigned_v<T> && number < 0) ||
            !fitsInto<T>(static_cast<int64_t>(number)))
            return std::isinf(number) && field.find_first_of("0123456789") == field.npos ? Fit::NoNumber
                                                                                         : Fit::OutOfRange;
        cell = static_cast<T>(number);
        return Fit::Exact;
    }
}

} // namespace daphne::io
