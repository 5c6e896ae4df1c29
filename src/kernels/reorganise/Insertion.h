// SPDX-License-Identifier: Apache-2.0
/// Checks of left indexing, the same for all representations. All throw Error
/// (status 3).
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
/// args[0] and args[1] are two matrices or two frames.
void needInsertable(const KernelCall &call);
/// The right-hand side fills the part.
void needPartShape(const Part &part, size_t rows, size_t cols);
void needEqualTypes(ValueType x, ValueType y);

} // namespace daphne
