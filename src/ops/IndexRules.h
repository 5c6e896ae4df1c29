// SPDX-License-Identifier: Apache-2.0
/// What the inference rules of right and left indexing share. All throw Error without position if the operands are
/// certain to be wrong.
#pragma once

#include "ops/Operands.h"
#include "ops/Range.h"

namespace daphne::ops::rule {

enum class Dim { Row, Col };

inline const char *nameOf(Dim d) { return d == Dim::Row ? "row" : "column"; }
inline int64_t sizeOf(const TypeDesc &t, Dim d) { return d == Dim::Row ? t.rows : t.cols; }

using Normalise = std::optional<Range> (*)(int64_t, int64_t, int64_t);

/// What is known of a range operand pair.
struct Bounds {
    std::optional<Range> range; ///< both bounds constant and the dimension known
    int64_t size = -1;
};

/// Bounds in operands i and i + 1, applied to a dimension of n entries (-1: unknown). Throws if out of range.
Bounds boundsOperand(const InferCall &call, size_t i, int64_t n, Dim d, Normalise normalised);
/// Throws unless `marks` is, or may be, a column with an entry for each of n rows or columns (-1: unknown).
void needMarks(const TypeDesc &marks, int64_t n, Dim d);
/// Throws unless the matrix of marks has, or may have, the shape of x.
void needEqualShapes(const TypeDesc &x, const TypeDesc &marks);

} // namespace daphne::ops::rule
