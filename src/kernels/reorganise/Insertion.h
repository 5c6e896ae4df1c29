// SPDX-License-Identifier: Apache-2.0
/// Pieces of left indexing, and its checks, which are the same for all
/// representations. All throw Error (status 3).
#pragma once

#include <string>

#include "kernels/KernelTable.h"
#include "ops/Range.h"

namespace daphne {

/// The cells to be replaced.
struct Part {
    ops::Range rows, cols;
    std::string shapeText() const { return std::to_string(rows.size()) + "x" + std::to_string(cols.size()); }
};

/// lo:hi among n rows or columns, as `dimension` says.
ops::Range insertRangeIn(int64_t lo, int64_t hi, size_t n, const char *dimension);
inline ops::Range wholeRange(size_t n) { return {0, static_cast<int64_t>(n)}; }
/// args[0] is a matrix or frame and args[1] a scalar or an object that may stand in a part of it.
void needInsertable(const KernelCall &call);
/// The right-hand side, a scalar or an object, fills the part.
void needPartShape(const Part &part, const Value &y);
/// Cells of type y may stand in a part of a matrix of type x, which keeps its type.
void needWidening(ValueType x, ValueType y);
/// args[0] itself if nobody else sees its cells, else a copy.
Ref<Dense> ownMatrix(KernelCall &call);
/// args[0] itself if nobody else holds it, else a frame with the same columns.
Ref<Frame> ownFrame(KernelCall &call);
/// Puts y, a scalar or a matrix of the part's shape, into x, whose cells nobody else sees.
void overwrite(Dense &x, const Part &part, const Value &y);
/// Column of a frame that nobody else holds, copied first if its cells are seen elsewhere.
Dense &ownColumn(Frame &frame, size_t column);
/// Column k of what is put into a frame: a scalar, a matrix or a frame.
Value columnToInsert(const Value &y, size_t k);
/// Columns of frames are replaced by columns of their type.
void needEqualColumnTypes(const Frame &x, size_t to, const Frame &y, size_t from);

} // namespace daphne
