// SPDX-License-Identifier: Apache-2.0
/// Building blocks of the kernels on compressed sparse rows: a writer that
/// assembles a matrix from runs of stored cells of others, and what is made of
/// it. Cells are moved as bytes, so nothing here is compiled per value type.
/// Every result keeps the invariants of Csr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "data/Value.h"
#include "kernels/KernelTable.h"
#include "kernels/csr/StoredValues.h"

namespace daphne {

/// Writes a matrix row by row. The caller appends runs in the order of their columns.
class CsrWriter {
  public:
    CsrWriter(ValueType type, size_t rows, size_t cols, size_t capacity, Csr::Values values);
    /// The stored cells at positions [begin, end) of a matrix with cells of the same type, `shift` added to their
    /// columns. A pattern gives ones.
    void append(const Csr &from, uint64_t begin, uint64_t end, int64_t shift = 0);
    void endRow() { offsets[++row] = at; }
    /// All rows of a matrix with as many columns.
    void appendRows(const Csr &from);
    Ref<Csr> finish() { return std::move(target); }

  private:
    Ref<Csr> target;
    uint64_t *offsets;
    size_t row = 0;
    uint64_t at = 0;
};

inline Csr::Values valuesOf(const Csr &m) { return m.isPattern() ? Csr::Values::AllOnes : Csr::Values::Stored; }

/// Position of the first stored cell of row r in a column >= c.
uint64_t lowerBound(const Csr &m, size_t r, uint64_t c);

/// m with cells of another numeric type; m itself (shared) if it has them. A pattern stays one.
Ref<Csr> converted(const Csr &m, ValueType to);
Ref<Csr> transposed(RunContext &context, const Csr &m);
/// Columns [lo, hi).
Ref<Csr> columnWindow(const Csr &m, size_t lo, size_t hi);
/// Column c as an n x 1 matrix.
Ref<Dense> denseColumn(const Csr &m, size_t c);
/// Rows of m in the given order; every position is below m.rows().
Ref<Csr> pickRows(const Csr &m, std::span<const size_t> positions);
/// Columns of m in the given order; every position is below m.cols().
Ref<Csr> pickCols(RunContext &context, const Csr &m, std::span<const size_t> positions);
/// Below and beside each other; equal types, and equally many columns or rows. `room` is the least capacity.
Ref<Csr> joinRows(RunContext &context, std::span<const Csr *const> parts, size_t room = 0);
Ref<Csr> joinCols(std::initializer_list<const Csr *> parts);

} // namespace daphne
