// SPDX-License-Identifier: Apache-2.0
#include "kernels/strings/ValueText.h"

#include <charconv>
#include <cmath>

#include "base/Calendar.h"
#include "base/FloatText.h"
#include "base/Utf8.h"

namespace daphne {

namespace {

template <class F> decltype(auto) withCell(const CellRef &cell, F &&f) {
    return withNumericType(cell.type, [&]<class T>(TypeTag<T>) { return f(*static_cast<const T *>(cell.number)); });
}

int64_t storedTime(const CellRef &cell) {
    return withCell(cell, [](auto x) { return static_cast<int64_t>(x); });
}

/// A number as sign and digits, which are padded and grouped in between.
struct NumberText {
    bool isNegative = false, isFinite = true;
    std::string digits;
};

template <class T>
std::string_view written(char *buffer, size_t room, T magnitude, std::chars_format format, int digits) {
    return {buffer, static_cast<size_t>(std::to_chars(buffer, buffer + room, magnitude, format, digits).ptr - buffer)};
}

NumberText floatText(double x, char type, int precision) {
    constexpr size_t kRoom = 700; // 309 digits before the point, at most 300 behind it
    char buffer[kRoom];
    NumberText out{.isNegative = std::signbit(x) && x == x};
    double size = type == '%' ? std::abs(x) * 100 : std::abs(x);
    out.isFinite = std::isfinite(size);
    if (!out.isFinite) {
        out.digits = x != x ? "nan" : "inf";
        return out;
    }
    auto format = type == 'e'   ? std::chars_format::scientific
                  : type == 'g' ? std::chars_format::general
                                : std::chars_format::fixed;
    out.digits = written(buffer, kRoom, size, format, precision < 0 ? 6 : precision);
    if (type == '%')
        out.digits += '%';
    return out;
}

template <class T> NumberText integerText(T x, int base) {
    char buffer[72];
    bool isNegative = false;
    auto size = static_cast<uint64_t>(x);
    if constexpr (std::is_signed_v<T>)
        if (x < 0) {
            isNegative = true;
            size = uint64_t(0) - static_cast<uint64_t>(static_cast<int64_t>(x));
        }
    return {isNegative, true, {buffer, std::to_chars(buffer, buffer + sizeof buffer, size, base).ptr}};
}

NumberText numberText(const ops::FormatSpec &spec, const CellRef &cell) {
    return withCell(cell, [&]<class T>(T x) -> NumberText {
        if (spec.type == 'g' || spec.type == 'f' || spec.type == 'e' || spec.type == '%')
            return floatText(static_cast<double>(x), spec.type, spec.precision);
        if constexpr (std::is_floating_point_v<T>) {
            if (spec.precision >= 0)
                return floatText(static_cast<double>(x), 'g', spec.precision);
            NumberText out{.isNegative = std::signbit(x) && x == x, .isFinite = std::isfinite(x)};
            appendFloat(out.digits, std::abs(x));
            return out;
        } else {
            return integerText(x, spec.type == 'x' ? 16 : spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : 10);
        }
    });
}

/// A comma before every third of the leading digits.
void group(std::string &digits) {
    size_t whole = 0;
    while (whole < digits.size() && digits[whole] >= '0' && digits[whole] <= '9')
        ++whole;
    for (size_t at = whole; at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
}

void pad(std::string &out, const ops::FormatSpec &spec, std::string_view text, char align) {
    size_t have = numCodePoints(text), missing = spec.width > have ? spec.width - have : 0;
    size_t left = align == '>' ? missing : align == '^' ? missing / 2 : 0;
    for (size_t i = 0; i < left; ++i)
        out += spec.fill;
    out += text;
    for (size_t i = left; i < missing; ++i)
        out += spec.fill;
}

} // namespace

void appendText(std::string &out, const CellRef &cell) {
    if (cell.type == ValueType::Str) {
        out += cell.text;
        return;
    }
    if (isTime(cell.type))
        return calendar::append(out, storedTime(cell), cell.type);
    withCell(cell, [&]<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>) {
            appendFloat(out, x);
        } else {
            NumberText number = integerText(x, 10);
            out += number.isNegative ? "-" : "";
            out += number.digits;
        }
    });
}

void appendSignificant(std::string &out, const CellRef &cell, int digits) {
    if (!isFloat(cell.type))
        return appendText(out, cell);
    double x = withCell(cell, [](auto value) { return static_cast<double>(value); });
    NumberText number = floatText(x, 'g', digits);
    out += number.isNegative ? "-" : "";
    out += number.digits;
}

void appendFormatted(std::string &out, const ops::FormatSpec &spec, const CellRef &cell) {
    if (cell.type == ValueType::Str) {
        std::string_view text = cell.text;
        if (spec.precision >= 0)
            text = text.substr(0, skipCodePoints(text, static_cast<size_t>(spec.precision)));
        return pad(out, spec, text, spec.align ? spec.align : '<');
    }
    if (isTime(cell.type)) {
        std::string text;
        if (spec.dateParts.empty())
            calendar::append(text, storedTime(cell), cell.type);
        else
            calendar::append(text, storedTime(cell), cell.type, spec.dateParts);
        return pad(out, spec, text, spec.align ? spec.align : '<');
    }
    NumberText number = numberText(spec, cell);
    if (spec.thousands && number.isFinite)
        group(number.digits);
    std::string sign = number.isNegative ? "-" : spec.sign ? "+" : "";
    // Zeros stand between sign and digits; a fill is named only where it means something else.
    size_t have = sign.size() + number.digits.size();
    if (spec.zeros && !spec.align && number.isFinite && spec.width > have)
        number.digits.insert(0, spec.width - have, '0');
    pad(out, spec, sign + number.digits, spec.align ? spec.align : '>');
}

} // namespace daphne
