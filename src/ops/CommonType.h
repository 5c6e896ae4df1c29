// SPDX-License-Identifier: Apache-2.0
/// The type of a variable where paths meet that give it different numbers.
#pragma once

#include "base/Widening.h"
#include "ops/TypeDesc.h"

namespace daphne::ops {

/// What is known of a value that is one of two scalars, or one of two matrices, of numbers: facts that differ become
/// unknown, and both are widened to the least value type they have in common. Nothing for other kinds of values, for
/// value types that are not known, and if there is no such type.
inline std::optional<TypeDesc> commonType(TypeDesc a, TypeDesc b) {
    if (a.kind != b.kind || (!a.isScalar() && !a.isMatrix()) || !isNumeric(a.valueType) || !isNumeric(b.valueType))
        return std::nullopt;
    std::optional<ValueType> common = leastCommonType(a.valueType, b.valueType);
    if (!common)
        return std::nullopt;
    a.valueType = b.valueType = *common;
    return join(a, b);
}

} // namespace daphne::ops
