// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/Convert.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

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
    if (scalar.isString())
        return withNumericType(
            t, [&]<class T>(TypeTag<T>) { return Value::scalar(parseLeading<T>(scalar.text(), t), t); });
    if (t == ValueType::Str)
        return withNumericType(scalar.scalarType(),
                               [&]<class T>(TypeTag<T>) { return Value::string(convertedText(scalar.as<T>())); });
    return withNumericType(t, [&]<class T>(TypeTag<T>) { return Value::scalar(scalar.as<T>(), t); });
}

} // namespace daphne
