// SPDX-License-Identifier: Apache-2.0
/// The value types of DaphneDSL, in the order of their generality, and the one
/// type switch of the project (withValueType).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace daphne {

/// Enumerators are ordered by generality rank: "the most general of" a set of
/// value types that are alike is its maximum. Beside numbers and strings, times
/// have no rank: operations that take them have rules of their own (ops/Times.h).
enum class ValueType : uint8_t {
    Bool,
    SI8,
    UI8,
    SI32,
    UI32,
    Size,
    SI64,
    UI64,
    F32,
    F64,
    Str,
    Unknown,
    Date,      ///< days since 1970 as si32
    Timestamp, ///< microseconds since 1970 as si64
    Duration,  ///< microseconds as si64
};

constexpr int kNumValueTypes = 11; ///< with a rank: without Unknown and times

constexpr ValueType mostGeneral(ValueType a, ValueType b) {
    return a == ValueType::Unknown || b == ValueType::Unknown ? ValueType::Unknown : a < b ? b : a;
}

constexpr bool isFloat(ValueType t) { return t == ValueType::F32 || t == ValueType::F64; }
/// bool, every integer and size.
constexpr bool isIntegerLike(ValueType t) { return t <= ValueType::UI64; }
constexpr bool isNumeric(ValueType t) { return t <= ValueType::F64; }
/// Dates, timestamps and durations: integers that mean something else. They are no numbers.
constexpr bool isTime(ValueType t) { return t > ValueType::Unknown; }
/// Dates and timestamps.
constexpr bool isMoment(ValueType t) { return t == ValueType::Date || t == ValueType::Timestamp; }
/// Whether cells of both types can be compared and brought into one column, whose type is the most general of them:
/// numbers, strings, durations, or dates and timestamps.
constexpr bool areAlike(ValueType a, ValueType b) {
    return a == b || (isNumeric(a) && isNumeric(b)) || (isMoment(a) && isMoment(b));
}
constexpr bool isSigned(ValueType t) {
    return t == ValueType::SI8 || t == ValueType::SI32 || t == ValueType::SI64 || isFloat(t) || isTime(t);
}
/// The integers that times are stored as; every other type itself. Its least number is the missing time, nat.
constexpr ValueType storedType(ValueType t) {
    return t == ValueType::Date ? ValueType::SI32 : isTime(t) ? ValueType::SI64 : t;
}

/// DaphneDSL spelling: "si64", "f64", "str"; "size" for Size, "?" for Unknown.
std::string_view dslName(ValueType t);
/// C++ spelling used when printing headers: "int64_t", "double", "std::string".
std::string_view cppName(ValueType t);
/// C++ spelling of a scalar, which differs for strings ("const char*").
std::string_view cppScalarName(ValueType t);
/// Inverse of dslName for the words of the language (not "size"); Unknown if none.
ValueType parseValueType(std::string_view dslWord);
/// Bytes of one matrix cell of this type.
size_t cellSize(ValueType t);

/// Tag carrying a C++ type into a generic lambda: [&]<class T>(TypeTag<T>) {...}.
template <class T> struct TypeTag {
    using Type = T;
};

/// Calls f(TypeTag<T>{}) with the C++ cell type of a numeric value type, times being the integers they are stored as.
/// Size and UI64 share uint64_t. The caller guarantees isNumeric(t) or isTime(t).
template <class F> decltype(auto) withNumericType(ValueType t, F &&f) {
    switch (t) {
    case ValueType::Bool: return f(TypeTag<bool>{});
    case ValueType::SI8: return f(TypeTag<int8_t>{});
    case ValueType::UI8: return f(TypeTag<uint8_t>{});
    case ValueType::Date:
    case ValueType::SI32: return f(TypeTag<int32_t>{});
    case ValueType::UI32: return f(TypeTag<uint32_t>{});
    case ValueType::Timestamp:
    case ValueType::Duration:
    case ValueType::SI64: return f(TypeTag<int64_t>{});
    case ValueType::Size:
    case ValueType::UI64: return f(TypeTag<uint64_t>{});
    case ValueType::F32: return f(TypeTag<float>{});
    default: return f(TypeTag<double>{});
    }
}

/// Like withNumericType, strings (std::string cells) included.
template <class F> decltype(auto) withValueType(ValueType t, F &&f) {
    if (t == ValueType::Str)
        return f(TypeTag<std::string>{});
    return withNumericType(t, std::forward<F>(f));
}

/// Value type of a C++ cell type; uint64_t maps to UI64.
template <class T> constexpr ValueType valueTypeOf() {
    if constexpr (std::is_same_v<T, bool>)
        return ValueType::Bool;
    else if constexpr (std::is_same_v<T, int8_t>)
        return ValueType::SI8;
    else if constexpr (std::is_same_v<T, uint8_t>)
        return ValueType::UI8;
    else if constexpr (std::is_same_v<T, int32_t>)
        return ValueType::SI32;
    else if constexpr (std::is_same_v<T, uint32_t>)
        return ValueType::UI32;
    else if constexpr (std::is_same_v<T, int64_t>)
        return ValueType::SI64;
    else if constexpr (std::is_same_v<T, uint64_t>)
        return ValueType::UI64;
    else if constexpr (std::is_same_v<T, float>)
        return ValueType::F32;
    else if constexpr (std::is_same_v<T, double>)
        return ValueType::F64;
    else
        return ValueType::Str;
}

} // namespace daphne
