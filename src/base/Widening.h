// SPDX-License-Identifier: Apache-2.0
/// Which numbers become which without being asked: widening keeps every value
/// of a type that is an integer below 2^53, and most others. It is an order:
/// reflexive, transitive. Strings and unknown types widen to themselves only.
#pragma once

#include <optional>

#include "base/ValueType.h"

namespace daphne {

/// Whether each value of `from` may stand where one of `to` is needed.
constexpr bool widens(ValueType from, ValueType to) {
    if (from == to)
        return true;
    if (!isNumeric(from) || !isNumeric(to) || to == ValueType::Bool)
        return false;
    if (from == ValueType::Bool || to == ValueType::F64)
        return true;
    switch (from) {
    case ValueType::SI8: return to == ValueType::SI32 || to == ValueType::SI64 || to == ValueType::F32;
    case ValueType::UI8: return to != ValueType::SI8 && to != ValueType::Size;
    case ValueType::SI32: return to == ValueType::SI64;
    case ValueType::UI32:
    case ValueType::Size: return to == ValueType::SI64 || to == ValueType::UI64;
    default: return false;
    }
}

/// The least type both widen to: an integer for two integers, of which a signed one and ui64 have none. Where the order
/// leaves a choice (ui32 and size), the one of lower rank.
constexpr std::optional<ValueType> leastCommonType(ValueType a, ValueType b) {
    if (a == b)
        return a;
    bool integers = isIntegerLike(a) && isIntegerLike(b);
    for (int i = 0; i < kNumValueTypes; ++i) {
        auto t = static_cast<ValueType>(i);
        if (widens(a, t) && widens(b, t) && (!integers || isIntegerLike(t)))
            return t;
    }
    return std::nullopt;
}

} // namespace daphne
