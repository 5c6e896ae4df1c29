// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/Convert.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "base/Calendar.h"
#include "base/Cancellable.h"
#include "base/Error.h"
#include "kernels/RawCells.h"
#include "kernels/objects/CellText.h"

namespace daphne {

namespace {

template <class From, class To> void convertCells(const void *from, void *to, size_t n) {
    if constexpr (std::is_same_v<From, To>) {
        if (n > 0) // without cells there may be no memory to point to
            std::memmove(to, from, n * sizeof(To));
    } else {
        const From *in = static_cast<const From *>(from);
        To *out = static_cast<To *>(to);
        for (size_t i = 0; i < n; ++i)
            out[i] = convertNumber<To>(in[i]);
    }
}

[[noreturn]] void notANumber(const std::string &text, ValueType t, std::string_view why) {
    constexpr size_t kShown = 60;
    std::string shown = text.size() > kShown ? text.substr(0, kShown) + "..." : text;
    throw executionError("cannot convert \"" + shown + "\" to " + std::string(dslName(t)) + ": " + std::string(why));
}

/// Leading number of a text, like std::stod, stoull and stoll; what follows the number is ignored.
template <class T> T parseLeading(const std::string &text, ValueType t) {
    const char *begin = text.c_str();
    char *end = nullptr;
    errno = 0;
    T result;
    if constexpr (std::is_same_v<T, float>)
        result = std::strtof(begin, &end);
    else if constexpr (std::is_same_v<T, double>)
        result = std::strtod(begin, &end);
    else if constexpr (std::is_same_v<T, uint64_t>)
        result = std::strtoull(begin, &end, 10);
    else
        result = convertNumber<T>(static_cast<int64_t>(std::strtoll(begin, &end, 10)));
    if (end == begin)
        notANumber(text, t, "it does not start with a number");
    if (errno == ERANGE && std::is_integral_v<T>)
        notANumber(text, t, "the number is too large");
    return result;
}

template <class To, class From> To convertCell(const From &x, ValueType to) {
    constexpr bool fromText = std::is_same_v<From, std::string>, toText = std::is_same_v<To, std::string>;
    if constexpr (fromText && toText)
        return x;
    else if constexpr (fromText)
        return parseLeading<To>(x, to);
    else if constexpr (toText)
        return convertedText(x);
    else
        return convertNumber<To>(x);
}

/// Conversions with strings on one side.
template <class From, class To> void convertWithText(const Dense &m, Dense &result) {
    auto in = m.view<From>();
    auto out = result.mutableView<To>();
    for (size_t r : cancellableRows(in))
        for (size_t c = 0; c < in.cols; ++c)
            out(r, c) = convertCell<To>(in(r, c), result.type());
}

void convertNumbers(const Dense &m, Dense &result) {
    ConvertFn convert = converter(m.type(), result.type());
    auto in = rawCells(m);
    auto out = mutableRawCells(result);
    if (m.contiguous()) {
        for (auto [begin, end] : cancellablePieces(m.cells()))
            convert(in.data + begin * in.cellBytes, out.data + begin * out.cellBytes, end - begin);
        return;
    }
    for (size_t r : cancellableRows(m))
        convert(in.row(r), out.row(r), m.cols());
}

// ----------------------------------------------------------------------- times

using calendar::kNat;

/// A time as the 64-bit integer it is, nat being kNat.
int64_t widened(int64_t stored, ValueType type) { return stored == calendar::natOf(type) ? kNat : stored; }

/// One time, number or text (if `text` is given) as the number another type stores.
int64_t convertTime(int64_t x, ValueType from, ValueType to) {
    if (isTime(from) && x == kNat)
        return isTime(to) ? calendar::natOf(to) : calendar::natOf(from);
    if (from == ValueType::Date && to == ValueType::Timestamp)
        return x * calendar::kMicrosPerDay;
    if (from == ValueType::Timestamp && to == ValueType::Date)
        return calendar::floorDiv(x, calendar::kMicrosPerDay);
    bool fits = !isTime(to) || from == to || !isTime(from);
    if (!fits)
        throw executionError("a " + std::string(dslName(from)) + " cannot be cast to " + std::string(dslName(to)));
    bool inCalendar =
        to == ValueType::Date ? calendar::isDay(x) : to != ValueType::Timestamp || calendar::isTimestamp(x);
    if (!inCalendar && !(to == ValueType::Date && x == calendar::kNatDate) && x != kNat)
        throw executionError("the " + std::string(dslName(to)) + " lies outside of the years 1 to 9999");
    return to == ValueType::Date && x == kNat ? calendar::kNatDate : x;
}

int64_t parseTime(const std::string &text, ValueType to) {
    auto time = calendar::parse(text, to);
    if (!time)
        throw executionError("\"" + text.substr(0, 60) + "\" is no " + std::string(dslName(to)))
            .withHint("years, months and days are written 2024-02-29; date(text, pattern) reads other texts");
    return *time;
}

/// A cell that is a time before or afterwards. NaN and nat are the same.
template <class To, class From> To convertTimeCell(const From &x, ValueType from, ValueType to) {
    if constexpr (std::is_same_v<From, std::string>) {
        if constexpr (std::is_same_v<To, std::string>)
            return x;
        else
            return static_cast<To>(parseTime(x, to));
    } else if constexpr (std::is_same_v<To, std::string>) {
        return calendar::text(static_cast<int64_t>(x), from);
    } else {
        if (isTime(to) && x != x)
            return static_cast<To>(calendar::natOf(to));
        if (isFloat(to) && widened(static_cast<int64_t>(x), from) == kNat)
            return std::numeric_limits<To>::has_quiet_NaN ? std::numeric_limits<To>::quiet_NaN() : To();
        auto whole = convertNumber<int64_t>(x);
        return static_cast<To>(convertTime(isTime(from) ? widened(whole, from) : whole, from, to));
    }
}

Ref<Dense> convertTimes(const Dense &m, ValueType to) {
    auto result = Dense::create(to, m.rows(), m.cols());
    withValueType(m.type(), [&]<class From>(TypeTag<From>) {
        auto in = m.view<From>();
        auto each = [&]<class To>(TypeTag<To>) {
            auto out = result->mutableView<To>();
            for (size_t r = 0; r < in.rows; ++r)
                for (size_t c = 0; c < in.cols; ++c)
                    out(r, c) = convertTimeCell<To>(in(r, c), m.type(), to);
        };
        if (to == ValueType::Str)
            each(TypeTag<std::string>{});
        else
            withNumericType(to, each);
    });
    return result;
}

Value convertTimeScalar(const Value &x, ValueType to) {
    ValueType from = x.scalarType();
    if (x.isString())
        return withNumericType(
            to, [&]<class T>(TypeTag<T>) { return Value::scalar(static_cast<T>(parseTime(x.text(), to)), to); });
    return withNumericType(from, [&]<class From>(TypeTag<From>) -> Value {
        From cell = x.as<From>();
        if (to == ValueType::Str)
            return Value::string(convertTimeCell<std::string>(cell, from, to));
        return withNumericType(
            to, [&]<class To>(TypeTag<To>) { return Value::scalar(convertTimeCell<To>(cell, from, to), to); });
    });
}

} // namespace

ConvertFn converter(ValueType from, ValueType to) {
    return withNumericType(from, [&]<class From>(TypeTag<From>) {
        return withNumericType(to, []<class To>(TypeTag<To>) -> ConvertFn { return &convertCells<From, To>; });
    });
}

void storeScalar(const Value &number, ValueType t, void *cell) {
    withNumericType(t, [&]<class T>(TypeTag<T>) { *static_cast<T *>(cell) = number.as<T>(); });
}

Value loadScalar(ValueType t, const void *cell) {
    return withNumericType(t, [&]<class T>(TypeTag<T>) { return Value::scalar(*static_cast<const T *>(cell), t); });
}

Ref<Dense> convertMatrix(const Dense &m, ValueType t) {
    if (m.type() == t)
        return Ref<Dense>::share(const_cast<Dense *>(&m));
    if (sameCells(m.type(), t)) {
        auto view = Dense::window(m, 0, m.rows(), 0, m.cols());
        view->retag(t);
        return view;
    }
    if (isTime(t) || isTime(m.type()))
        return convertTimes(m, t);
    auto result = Dense::create(t, m.rows(), m.cols());
    if (m.type() == ValueType::Str)
        withNumericType(t, [&]<class T>(TypeTag<T>) { convertWithText<std::string, T>(m, *result); });
    else if (t == ValueType::Str)
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) { convertWithText<T, std::string>(m, *result); });
    else
        convertNumbers(m, *result);
    return result;
}

Value convertScalar(const Value &scalar, ValueType t) {
    if (scalar.scalarType() == t)
        return scalar;
    if (isTime(t) || isTime(scalar.scalarType()))
        return convertTimeScalar(scalar, t);
    if (scalar.isString())
        return withNumericType(
            t, [&]<class T>(TypeTag<T>) { return Value::scalar(parseLeading<T>(scalar.text(), t), t); });
    if (t == ValueType::Str)
        return withNumericType(scalar.scalarType(),
                               [&]<class T>(TypeTag<T>) { return Value::string(convertedText(scalar.as<T>())); });
    return withNumericType(t, [&]<class T>(TypeTag<T>) { return Value::scalar(scalar.as<T>(), t); });
}

} // namespace daphne
