// SPDX-License-Identifier: Apache-2.0
/// Dense row-major matrices. A Dense is a window (offset, rows, cols, row skip)
/// on a shared, 64-byte aligned Buffer; views of it share the buffer. Cells are
/// written only while the matrix and its buffer are unshared (isExclusive()).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/ValueType.h"
#include "data/Buffer.h"
#include "data/Matrix.h"

namespace daphne {

/// Borrowed typed window on a dense matrix; cell (r, c) is data[r * skip + c].
template <class T> struct DenseView {
    T *data;
    size_t rows, cols, skip;
    T &operator()(size_t r, size_t c) const { return data[r * skip + c]; }
    T *row(size_t r) const { return data + r * skip; }
    bool contiguous() const { return skip == cols || rows <= 1; }
};

class Dense final : public Matrix {
  public:
    /// A fresh matrix. Cells are uninitialised unless init is Zero (strings: always empty).
    /// Throws Error (status 3) if rows*cols overflows or memory is exhausted.
    static Ref<Dense> create(ValueType type, size_t rows, size_t cols, Buffer::Init init = Buffer::Init::None);
    /// Rows [r0, r1) and columns [c0, c1) of m without copying.
    static Ref<Dense> window(const Dense &m, size_t r0, size_t r1, size_t c0, size_t c1);
    /// The same cells with another shape; needs contiguous() and equal cell count.
    static Ref<Dense> reshaped(const Dense &m, size_t rows, size_t cols);
    /// A deep, contiguous copy.
    Ref<Dense> copy() const;

    bool contiguous() const { return rowSkip == cols() || rows() <= 1; }
    /// Nobody else sees these cells: they may be overwritten by the holder of the only reference.
    bool isExclusive() const { return unique() && buffer->unique(); }

    /// T must be the cell type of type() (uint64_t for Size).
    template <class T> DenseView<const T> view() const {
        return {reinterpret_cast<const T *>(buffer->data()) + offset, rows(), cols(), rowSkip};
    }
    template <class T> DenseView<T> mutableView() {
        return {reinterpret_cast<T *>(buffer->data()) + offset, rows(), cols(), rowSkip};
    }

  private:
    friend class Ref<Dense>;
    Dense(ValueType type, Buffer *buffer, size_t offset, size_t rows, size_t cols, size_t skip)
        : Matrix(Form::Dense, type, rows, cols), buffer(buffer), offset(offset), rowSkip(skip) {}
    ~Dense() override { buffer->release(); }

    Buffer *buffer;
    size_t offset, rowSkip;
};

} // namespace daphne
