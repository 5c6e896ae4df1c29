// SPDX-License-Identifier: Apache-2.0
/// Lenient number parsing and a cursor over the fields of a CSV text. No
/// allocation per numeric field, no reading beyond the text.
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

/// Position in a CSV text. Fields are read one after another; after each stands a separator or a line end.
class FieldCursor {
  public:
    FieldCursor(std::string_view text, const std::string &path)
        : at(text.data()), end(text.data() + text.size()), path(path) {}

    bool atEnd() const { return at == end; }
    size_t line() const { return lineNumber; }
    Error error(const std::string &what) const {
        return executionError("file \"" + path + "\", line " + std::to_string(lineNumber) + ": " + what);
    }

    /// True if the current line is empty; then skips it.
    bool skipEmptyLine() {
        if (!atLineEnd())
            return false;
        nextLine();
        return true;
    }

    template <class T> void number(T &cell) {
        // The usual field is nothing but a number.
        if constexpr (!std::is_same_v<T, bool>) {
            std::conditional_t<std::is_floating_point_v<T>, double, T> value;
            auto [last, failure] = std::from_chars(at, end, value);
            if (failure == std::errc() && (last == end || *last == ',' || *last == '\n')) {
                cell = static_cast<T>(value);
                at = last;
                return;
            }
        }
        cell = lenientNumber<T>(raw());
    }

    void text(std::string &cell) {
        if (atEnd() || *at != '"') {
            cell.assign(raw());
            return;
        }
        cell.clear();
        quoted(&cell);
    }

    /// The characters of the field as they stand, quotes included.
    std::string_view raw() {
        const char *begin = at;
        if (at != end && *at == '"') {
            quoted(nullptr);
            return {begin, static_cast<size_t>(at - begin)};
        }
        while (at != end && *at != ',' && *at != '\n')
            ++at;
        // A line end may be \r\n.
        if (at != begin && at[-1] == '\r' && (at == end || *at == '\n'))
            --at;
        return {begin, static_cast<size_t>(at - begin)};
    }

    bool atSeparator() const { return at != end && *at == ','; }
    bool atLineEnd() const { return at == end || *at == '\n' || (*at == '\r' && (at + 1 == end || at[1] == '\n')); }
    void skipSeparator() { ++at; }
    /// From a line end to the start of the next line.
    void nextLine() {
        if (at != end && *at == '\r')
            ++at;
        if (at != end)
            ++at;
        ++lineNumber;
    }

  private:
    /// From an opening quote to behind the closing one; a doubled quote is one.
    void quoted(std::string *cell) {
        size_t first = lineNumber;
        for (++at;; ++at) {
            if (at == end) {
                lineNumber = first;
                throw error("a quoted string is not closed");
            }
            if (*at == '"') {
                if (at + 1 == end || at[1] != '"')
                    break;
                ++at;
            }
            lineNumber += *at == '\n';
            if (cell)
                *cell += *at;
        }
        ++at;
        if (!atSeparator() && !atLineEnd())
            throw error("text after the closing quote of a string");
    }

    const char *at, *end;
    const std::string &path;
    size_t lineNumber = 1;
};

} // namespace daphne::io
