// SPDX-License-Identifier: Apache-2.0
/// Conversion of cells between value types, by the rules of casts (language 8).
/// Kernels use it to bring operands to one type, block by block or as a whole.
#pragma once

#include <cstddef>
#include <string>

#include "data/Value.h"

namespace daphne {

/// Converts n adjacent cells; the ranges do not overlap unless they are the same cells of the same size.
using ConvertFn = void (*)(const void *from, void *to, size_t n);

/// Both types numeric. Size and UI64 count as the same.
ConvertFn converter(ValueType from, ValueType to);

/// Size and UI64 share their cells.
constexpr bool sameCells(ValueType a, ValueType b) {
    auto is64BitUnsigned = [](ValueType t) { return t == ValueType::Size || t == ValueType::UI64; };
    return a == b || (is64BitUnsigned(a) && is64BitUnsigned(b));
}

/// The scalar converted to the cell type t and stored at `cell`. Needs a number.
void storeScalar(const Value &number, ValueType t, void *cell);
/// A scalar of type t read from a cell. Needs a numeric t.
Value loadScalar(ValueType t, const void *cell);

/// m with cells of type t, strings included; m itself (shared) if nothing is to do.
/// Throws Error (status 3) with the text if a string is no number.
Ref<Dense> convertMatrix(const Dense &m, ValueType t);
/// Scalars, strings included.
Value convertScalar(const Value &scalar, ValueType t);

} // namespace daphne
