// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "lang/dsl/Lexer.h"

namespace daphne::lang {

namespace {

std::string withoutSeparators(std::string_view digits) {
    std::string out;
    for (char c : digits)
        if (c != '_' && c != '\'')
            out += c;
    return out;
}

/// Cuts an integer suffix off and returns the type it stands for.
ValueType takeIntSuffix(std::string_view &literal) {
    if (literal.ends_with("ull")) {
        literal.remove_suffix(3);
        return ValueType::UI64;
    }
    char last = literal.back();
    if (last >= '0' && last <= '9')
        return ValueType::SI64;
    literal.remove_suffix(1);
    return last == 'u' ? ValueType::UI64 : last == 'z' ? ValueType::Size : ValueType::SI64;
}

template <class T> FloatValue parseFloat(const std::string &digits, ValueType type) {
    T value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc::result_out_of_range)
        return {static_cast<double>(value), type, true};
    // Too small a number is zero, too large a one is an error; strtod tells them apart.
    double wide = std::strtod(digits.c_str(), nullptr);
    if (std::fabs(wide) >= 1)
        return {std::numeric_limits<double>::infinity(), type, false};
    return {static_cast<double>(static_cast<T>(wide)), type, true};
}

} // namespace

IntValue decodeInt(std::string_view literal) {
    bool plain = literal.back() >= '0' && literal.back() <= '9';
    ValueType type = takeIntSuffix(literal);
    uint64_t value = 0;
    for (char c : literal) {
        if (c == '_' || c == '\'')
            continue;
        if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
            __builtin_add_overflow(value, uint64_t(c - '0'), &value))
            return {0, type, false};
    }
    // 2^63 itself is allowed for the sake of its negation.
    constexpr uint64_t kTwo63 = uint64_t(1) << 63;
    bool inRange = type != ValueType::SI64 || value < kTwo63 || (value == kTwo63 && plain);
    return {static_cast<int64_t>(value), type, inRange};
}

FloatValue decodeFloat(std::string_view literal) {
    bool narrow = literal.back() == 'f' && literal != "inf";
    ValueType type = narrow ? ValueType::F32 : ValueType::F64;
    if (literal.starts_with("nan"))
        return {std::numeric_limits<double>::quiet_NaN(), type, true};
    if (literal.starts_with("inf"))
        return {std::numeric_limits<double>::infinity(), type, true};
    std::string digits = withoutSeparators(narrow ? literal.substr(0, literal.size() - 1) : literal);
    return narrow ? parseFloat<float>(digits, type) : parseFloat<double>(digits, type);
}

std::string_view rawString(std::string_view literal) {
    literal.remove_prefix(1);
    if (!literal.empty() && literal.back() == '"')
        literal.remove_suffix(1);
    return literal;
}

std::string decodeEscapes(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    for (size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\' || i + 1 == raw.size()) {
            out += raw[i];
            continue;
        }
        switch (char c = raw[++i]) {
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        default: out += c; break;
        }
    }
    return out;
}

} // namespace daphne::lang
