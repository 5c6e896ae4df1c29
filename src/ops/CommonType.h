// SPDX-License-Identifier: Apache-2.0
/// The type of a variable where paths meet that give it different numbers.
#pragma once

#include "base/Widening.h"
#include "ops/TypeDesc.h"

namespace daphne::ops {

/// What is known of a value that is one of two scalars, or one of two matrices, of numbers: facts that differ become
/// unknown, and both are widened to the least value type they have in common. Of one of two lists it is what both
/// certainly hold. Nothing for other kinds of values, for value types that are not known, and if there is no such type.
inline std::optional<TypeDesc> commonType(TypeDesc a, TypeDesc b) {
    if (a.isList() && b.isList())
        return join(a, b);
    if (a.kind != b.kind || (!a.isScalar() && !a.isMatrix()) || !isNumeric(a.valueType) || !isNumeric(b.valueType))
        return std::nullopt;
    std::optional<ValueType> common = leastCommonType(a.valueType, b.valueType);
    if (!common)
        return std::nullopt;
    a.valueType = b.valueType = *common;
    return join(a, b);
}

/// Whether a variable of the type can hold such a value as it is, perhaps after a check when the program runs: what is
/// unknown, or a list of anything, makes the variable one of that kind.
inline bool holds(const TypeDesc &variable, const TypeDesc &value) {
    if (value.isUnknown())
        return variable.isUnknown();
    if (variable.isList() && value.isList())
        return variable.valueType == ValueType::Unknown || variable.valueType == value.valueType;
    return value.compatible(variable);
}

} // namespace daphne::ops
