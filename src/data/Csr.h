// SPDX-License-Identifier: Apache-2.0
/// Compressed sparse rows. The stored cells of row r are those at positions
/// offsets()[r] .. offsets()[r + 1] - 1 of columns() and of the values.
///
/// Invariants: the columns of a row ascend, each at most once; no stored value
/// is zero. Column numbers are 32 bits wide if the number of columns fits, else
/// 64. A matrix whose stored cells are all 1 may have no values (isPattern()).
/// Row windows share the buffers of the whole: offsets()[0] need not be 0.
/// Numeric value types only.
#pragma once

#include <cstdint>

#include "base/ValueType.h"
#include "data/Buffer.h"
#include "data/Dense.h"
#include "data/Matrix.h"

namespace daphne {

/// Calls f with TypeTag<uint32_t> or TypeTag<uint64_t>: the type of column numbers.
template <class F> decltype(auto) withIndexType(bool wide, F &&f) {
    return wide ? f(TypeTag<uint64_t>{}) : f(TypeTag<uint32_t>{});
}
constexpr bool needsWideIndex(size_t cols) { return cols > (uint64_t(1) << 32); }

/// Borrowed typed window.
template <class T, class I> struct CsrView {
    const uint64_t *offsets;
    const I *columns;
    const T *values; ///< null: all ones
    size_t rows, cols;
    T value(uint64_t k) const { return values ? values[k] : T(1); }
    size_t count(size_t r) const { return offsets[r + 1] - offsets[r]; }
};

class Csr final : public Matrix {
  public:
    enum class Values : bool { Stored, AllOnes };
    /// A matrix under construction with room for `capacity` stored cells; all offsets are 0. Throws Error (status 3)
    /// if memory is exhausted or rows*cols is no 63-bit number.
    static Ref<Csr> create(ValueType type, size_t rows, size_t cols, size_t capacity, Values values = Values::Stored);
    /// A matrix under construction whose columns and values (none: all ones) are there: buffers with `capacity` of
    /// each. All offsets are 0.
    static Ref<Csr> withCells(ValueType type, size_t rows, size_t cols, size_t capacity, BufferRef columns,
                              BufferRef values);
    /// A complete matrix in buffers: rows + 1 offsets, columns as wide as the number of columns asks for, values or
    /// none (all ones). The caller guarantees the invariants, or calls check().
    static Ref<Csr> over(ValueType type, size_t rows, size_t cols, BufferRef offsets, BufferRef columns,
                         BufferRef values);
    /// Rows [r0, r1) without copying.
    static Ref<Csr> rowWindow(const Csr &m, size_t r0, size_t r1);
    /// The same stored cells with other values: a buffer as long as m's or none (all ones). Zeros must be dropped by
    /// the caller (withoutZeros).
    static Ref<Csr> withStructureOf(const Csr &m, ValueType type, BufferRef values);
    /// The same matrix; only what print and typeOf call it differs.
    static Ref<Csr> shown(const Csr &m, bool asCsr);

    size_t nonZeros() const { return offsets()[rows()] - offsets()[0]; }
    size_t nonZeros(size_t r) const { return offsets()[r + 1] - offsets()[r]; }
    bool isPattern() const { return !valueBuffer; }
    bool hasWideIndex() const { return needsWideIndex(cols()); }

    const uint64_t *offsets() const { return offsetBuffer.as<uint64_t>() + firstRow; }
    /// I as withIndexType(hasWideIndex(), ...) says.
    template <class I> const I *columns() const { return columnBuffer.as<I>(); }
    /// Null for a pattern.
    template <class T> const T *values() const { return valueBuffer.as<T>(); }
    template <class T, class I> CsrView<T, I> view() const {
        return {offsets(), columns<I>(), values<T>(), rows(), cols()};
    }

    /// For construction and updates in place; the buffers must be unshared.
    uint64_t *mutableOffsets() { return offsetBuffer.as<uint64_t>() + firstRow; }
    template <class I> I *mutableColumns() { return columnBuffer.as<I>(); }
    template <class T> T *mutableValues() { return valueBuffer.as<T>(); }
    /// Room for stored cells, before and after the used ones included.
    size_t capacity() const { return numSlots; }
    /// Nobody else sees anything of it: structure and values may be overwritten by the holder of the only reference.
    bool isExclusive() const {
        return unique() && offsetBuffer.unique() && columnBuffer.unique() && (!valueBuffer || valueBuffer.unique());
    }
    /// Nobody else sees the values.
    bool ownsValues() const { return unique() && valueBuffer && valueBuffer.unique(); }

    /// Knows where the cells are that are not here; null: all cells are here. Windows share it.
    Residency *residency() const { return columnBuffer.residency(); }

    /// Print and typeOf say CSRMatrix: the representation was asked for, not chosen for memory's sake.
    bool isShownAsCsr() const { return showsAsCsr; }

    /// Throws internalError naming the first broken invariant. For tests and readers of foreign data.
    void check() const;

  private:
    friend class Ref<Csr>;
    Csr(ValueType type, size_t rows, size_t cols) : Matrix(Form::Csr, type, rows, cols) {}
    static Ref<Csr> sameShape(const Csr &m, ValueType type, size_t r0, size_t r1);

    BufferRef offsetBuffer, columnBuffer, valueBuffer;
    size_t firstRow = 0, numSlots = 0;
    bool showsAsCsr = false;
};

/// The same matrix in the other representation.
Ref<Dense> toDense(const Csr &m);
/// Numeric types only.
Ref<Csr> toCsr(const Dense &m);
/// m itself if it has values, else with ones stored.
Ref<Csr> withValues(const Csr &m);
/// m itself, or without stored zeros, which operations on values may have made.
Ref<Csr> withoutZeros(Ref<Csr> m);
/// Cells that are not zero.
size_t countNonZeros(const Dense &m);

} // namespace daphne
