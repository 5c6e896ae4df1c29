// SPDX-License-Identifier: Apache-2.0
/// Conversion of the cells of dense matrices between value types, by the rules
/// of casts (language 8): convertNumber between numbers, std::to_string from
/// numbers to strings. Strings are never turned into numbers here, and times are
/// times of their own kind, dates also timestamps.
#pragma once

#include <string>
#include <type_traits>

#include "data/Value.h"

namespace daphne {

/// One cell; From a string and To a number is not instantiable.
template <class To, class From> To convertCell(const From &x) {
    static_assert(std::is_same_v<To, std::string> || !std::is_same_v<From, std::string>);
    if constexpr (std::is_same_v<To, From>)
        return x;
    else if constexpr (std::is_same_v<To, std::string>)
        return std::to_string(x);
    else
        return convertNumber<To>(x);
}

/// Sum of two numbers; integers wrap, bool is "or".
template <class T> T sumOfCells(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        return a || b;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) + static_cast<std::make_unsigned_t<T>>(b));
    else
        return a + b;
}

/// m with cells of type `to`; m itself (shared) if it has them already. Throws Error (status 3) for strings to numbers,
/// and for times to anything but the integers they are stored as, dates also to timestamps.
Ref<Dense> converted(const Dense &m, ValueType to);

/// Writes source, converted to the type of target, into target with its first cell at (row, col). The cells of target
/// must not be visible to anybody else, the part must lie inside. Throws as converted() does.
void copyInto(Dense &target, const Dense &source, size_t row, size_t col);

/// The scalar as a cell of type T (a string scalar for strings). Needs a scalar of a fitting kind.
template <class T> T cellOf(const Value &scalar) {
    if constexpr (std::is_same_v<T, std::string>)
        return scalar.isString() ? scalar.text() : withNumericType(scalar.scalarType(), [&]<class S>(TypeTag<S>) {
            return std::to_string(scalar.as<S>());
        });
    else
        return scalar.as<T>();
}

} // namespace daphne
