// SPDX-License-Identifier: Apache-2.0
/// Dense row-major matrices. A Dense is a window (offset, rows, cols, row skip)
/// on a shared, 64-byte aligned Buffer; views of it share the buffer. Cells are
/// written only while the matrix and its buffer are unshared (isExclusive()).
///
/// Strings have two forms: cells, one std::string each, and codes, numbers of
/// entries of a shared Dictionary (4 bytes per cell, no allocation per cell). Who
/// asks for cells of a matrix that has codes, or the other way round, gets them:
/// they are made once and kept until the matrix is written.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/ValueType.h"
#include "data/Buffer.h"
#include "data/Dictionary.h"
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
    /// Numbers that are in a buffer already, which is taken over: cell (r, c) at position r * skip + c.
    static Ref<Dense> over(ValueType type, Buffer *cells, size_t rows, size_t cols, size_t skip);
    /// A column of strings: cell r is dictionary[codes[r]]. Takes over the buffer of ui32.
    static Ref<Dense> coded(std::shared_ptr<const Dictionary> dictionary, Buffer *codes, size_t rows);
    /// A deep, contiguous copy.
    Ref<Dense> copy() const;

    bool contiguous() const { return rowSkip == cols() || rows() <= 1; }
    /// Nobody else sees these cells: they may be overwritten by the holder of the only reference.
    bool isExclusive() const { return unique() && buffer->unique(); }

    /// T must be the cell type of type() (uint64_t for Size). All cells must be here; debug builds check that.
    template <class T> DenseView<const T> view() const {
#ifndef NDEBUG
        if (residency())
            throwCellsElsewhere(*this);
#endif
        if constexpr (std::is_same_v<T, std::string>)
            if (dictionaryOfBuffer)
                return cellsOfCodes();
        return {reinterpret_cast<const T *>(buffer->data()) + offset, rows(), cols(), rowSkip};
    }
    template <class T> DenseView<T> mutableView() {
        if constexpr (std::is_same_v<T, std::string>)
            dropCodes();
        return {reinterpret_cast<T *>(buffer->data()) + offset, rows(), cols(), rowSkip};
    }

    /// Knows where the cells are that are not here; null: all cells are here. Windows share it.
    Residency *residency() const { return buffer->residency(); }
    void setResidency(Residency *residency) { buffer->setResidency(residency); }
    /// Address of the first cell, for those who bind loops and transfer cells: cells may be elsewhere. Numbers only.
    const std::byte *storage() const { return buffer->data() + offset * cellSize(type()); }
    std::byte *mutableStorage() { return buffer->data() + offset * cellSize(type()); }
    /// Cells from one row to the next.
    size_t skip() const { return rowSkip; }

    /// Strings that have codes.
    bool isCoded() const { return dictionaryOfBuffer != nullptr; }
    /// Strings: the codes and what they stand for; encodes cells at the first call, on this thread.
    struct Codes {
        std::shared_ptr<const Dictionary> dictionary;
        DenseView<const uint32_t> view;
    };
    Codes codes() const;
    /// Keeps codes that somebody else found for the cells; a buffer of rows x cols ui32, taken over.
    void keepCodes(std::shared_ptr<const Dictionary> dictionary, Buffer *codes) const;

  private:
    friend class Ref<Dense>;
    Dense(ValueType type, Buffer *buffer, size_t offset, size_t rows, size_t cols, size_t skip)
        : Matrix(Form::Dense, type, rows, cols), buffer(buffer), offset(offset), rowSkip(skip) {}
    ~Dense() override;
    DenseView<const std::string> cellsOfCodes() const;
    void dropCodes();

    Buffer *buffer;
    size_t offset, rowSkip;
    std::shared_ptr<const Dictionary> dictionaryOfBuffer; ///< the buffer holds codes; none: it holds cells
    /// Strings in the other form, made on demand: cells, or codes with their dictionary.
    struct OtherForm;
    mutable std::atomic<OtherForm *> other{nullptr};
};

} // namespace daphne
