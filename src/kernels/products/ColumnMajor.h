// SPDX-License-Identifier: Apache-2.0
/// Matrices as LAPACK wants them: a copy of the cells, column by column, in f32
/// or f64, with sizes that fit its integers.
#pragma once

#include <algorithm>
#include <climits>
#include <vector>

#include "base/Cancellable.h"
#include "base/Error.h"
#include "data/CopyCells.h"

namespace daphne {

template <class T> struct ColumnMajor {
    size_t rows, cols;
    std::vector<T> cells;

    ColumnMajor(size_t rows, size_t cols) : rows(rows), cols(cols), cells(rows * cols) {}
    T &operator()(size_t r, size_t c) { return cells[c * rows + r]; }
    const T &operator()(size_t r, size_t c) const { return cells[c * rows + r]; }
    T *data() { return cells.data(); }
    int numRows() const { return static_cast<int>(rows); }
    int numCols() const { return static_cast<int>(cols); }
    /// Distance of columns; LAPACK wants it positive.
    int stride() const { return std::max(1, numRows()); }
};

/// The cells of a numeric matrix of any type. Throws Error (status 3) if it is too large for LAPACK.
template <class T> ColumnMajor<T> columnMajor(const Dense &m) {
    if (m.rows() > INT_MAX || m.cols() > INT_MAX)
        throw executionError("a " + m.shapeText() + " matrix is too large");
    Ref<Dense> source = converted(m, valueTypeOf<T>());
    auto in = source->view<T>();
    ColumnMajor<T> out(in.rows, in.cols);
    // Blocks of rows keep the lines of the columns being written in the cache.
    constexpr size_t kBlock = 32;
    CancelCountdown look;
    for (size_t begin = 0; begin < in.rows; begin += kBlock, look.after(kBlock * in.cols))
        for (size_t c = 0, end = std::min(in.rows, begin + kBlock); c < in.cols; ++c)
            for (size_t r = begin; r < end; ++r)
                out(r, c) = in(r, c);
    return out;
}

template <class T> Ref<Dense> rowMajor(const ColumnMajor<T> &m) {
    auto result = Dense::create(valueTypeOf<T>(), m.rows, m.cols);
    auto out = result->template mutableView<T>();
    constexpr size_t kBlock = 32;
    CancelCountdown look;
    for (size_t begin = 0; begin < m.rows; begin += kBlock, look.after(kBlock * m.cols))
        for (size_t c = 0, end = std::min(m.rows, begin + kBlock); c < m.cols; ++c)
            for (size_t r = begin; r < end; ++r)
                out(r, c) = m(r, c);
    return result;
}

inline void needSquare(const Dense &m) {
    if (m.rows() != m.cols())
        throw executionError("needs a square matrix, got " + m.shapeText());
}

/// T must be the cell type of m. NaN differs from itself, but cells of the diagonal are not compared.
template <class T> bool isSymmetricAs(const Dense &m) {
    auto v = m.view<T>();
    for (size_t r : cancellableRows(v))
        for (size_t c = r + 1; c < v.cols; ++c)
            if (v(r, c) != v(c, r))
                return false;
    return true;
}

} // namespace daphne
