// SPDX-License-Identifier: Apache-2.0
/// Products of large matrices of floating-point numbers, computed by BLAS in
/// blocks whose sizes depend on shapes only. So a product does not depend on who
/// computes which blocks, and rows of it may be computed on different machines.
///
/// A row product is cut by rows of its left-hand side, which give rows of the
/// result. A deep one, few cells that are sums of many products, is cut along the
/// inner dimension; blocks leave partial results, which are added in order.
#pragma once

#include <algorithm>
#include <climits>
#include <optional>

#include "data/Dense.h"
#include "kernels/MatMul.h"

namespace daphne {

/// Operand seen through its transpose flag; element (i, k) is data[i * rowStep + k * colStep].
template <class T> struct Oriented {
    const T *data;
    size_t rows, cols, rowStep, colStep;
    size_t skip; ///< of the matrix in memory
    bool transposed;
};

template <class T> Oriented<T> orient(DenseView<const T> v, bool transposed) {
    if (transposed)
        return {v.data, v.cols, v.rows, 1, v.skip, v.skip, true};
    return {v.data, v.rows, v.cols, v.skip, 1, v.skip, false};
}

template <class T> Oriented<T> orient(const Dense &m, bool transposed) { return orient(m.view<T>(), transposed); }

template <class T> Oriented<T> transposed(const Oriented<T> &a) {
    return {a.data, a.cols, a.rows, a.colStep, a.rowStep, a.skip, !a.transposed};
}

/// Both operands are the same cells, one of them transposed.
template <class T> bool isGram(const Oriented<T> &a, const Oriented<T> &b) {
    return a.data == b.data && a.rows == b.cols && a.cols == b.rows && a.skip == b.skip && a.transposed != b.transposed;
}

/// Time of one thread: a few billion multiplications per second.
template <class T> double productNs(const Oriented<T> &a, const Oriented<T> &b) {
    return 0.1 * static_cast<double>(a.rows) * static_cast<double>(a.cols) * static_cast<double>(b.cols);
}

/// Whether BLAS gets the product of two non-empty matrices.
template <class T> bool goesToBlas(const Oriented<T> &a, const Oriented<T> &b) {
    constexpr size_t kTinyWork = 16 * 16 * 16; // multiplications below which a call costs more than it saves
    auto fits = [](const Oriented<T> &x) { return x.rows <= INT_MAX && x.cols <= INT_MAX && x.skip <= INT_MAX; };
    // Dividing twice instead of multiplying: no overflow.
    bool tiny = a.rows <= kTinyWork / a.cols / b.cols;
    return std::is_floating_point_v<T> && !tiny && fits(a) && fits(b);
}

/// c = op(A) @ op(B); of a product with its own transpose only the upper triangle counts. T: double, float.
template <class T> void multiplyByBlas(Context &context, const Oriented<T> &a, const Oriented<T> &b, T *c);

/// The lower triangle of a square matrix becomes the upper one.
template <class T> void mirrorUpper(T *c, size_t n) {
    constexpr size_t kTile = 32;
    for (size_t i0 = 0; i0 < n; i0 += kTile)
        for (size_t j0 = i0; j0 < n; j0 += kTile)
            for (size_t i = i0; i < std::min(i0 + kTile, n); ++i)
                for (size_t j = std::max(j0, i + 1); j < std::min(j0 + kTile, n); ++j)
                    c[j * n + i] = c[i * n + j];
}

/// A product that is cut by the rows of a matrix.
struct RowwiseProduct {
    enum class Form : uint8_t {
        Rows,             ///< A @ B
        RowsByTransposed, ///< A @ t(B)
        Sums,             ///< t(A) @ B, deep
        Gram,             ///< t(A) @ A, deep
    };
    Form form = Form::Rows;
    ValueType type = ValueType::F64;
    uint64_t cols = 0;  ///< of A
    uint64_t width = 0; ///< columns of the result

    bool isDeep() const { return form >= Form::Sums; }
    /// Rows of A that are computed together.
    uint64_t block() const;
    /// What multiplications of one row take, on one thread.
    double nsPerRow() const;
    /// Whether there is such a product at all: for descriptions that come from elsewhere.
    bool isPossible() const;
    bool operator==(const RowwiseProduct &) const = default;
};

/// How the matMul kernel computes the product, if it is one of these. Both matrices have the same type.
std::optional<RowwiseProduct> rowwiseProductOf(const Dense &lhs, const Dense &rhs, TransposeFlags transpose);

/// Cells in memory and how many there are from row to row.
struct ProductArguments {
    const std::byte *lhs;
    size_t lhsSkip;
    const std::byte *rhs; ///< Gram: not used
    size_t rhsSkip;
    std::byte *out; ///< rows of the result; deep: a partial result of cols x width cells per block
};

/// Rows [begin, end) of A; begin is a multiple of the block, end too unless it is the last row.
void multiplyRows(const RowwiseProduct &product, const ProductArguments &arguments, uint64_t begin, uint64_t end);
/// The result of a deep product: partial results, a row for each, added in order.
Ref<Dense> sumOfPartialProducts(const RowwiseProduct &product, const Dense &partial);

} // namespace daphne
