// SPDX-License-Identifier: Apache-2.0
/// Products of large matrices of floating-point numbers, computed by BLAS in
/// blocks whose sizes depend on shapes only. So a product does not depend on who
/// computes which blocks.
///
/// A row product is cut by rows of its left-hand side, which give rows of the
/// result. A deep one, few cells that are sums of many products, is cut along the
/// inner dimension; blocks leave partial results, which are added pairwise (PairwiseRows.h).
#pragma once

#include <algorithm>
#include <climits>

#include "data/Dense.h"
#include "kernels/RunContext.h"

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

/// Time of a multiplication and an addition on one thread with vectors of four doubles.
template <class T> constexpr double kMultiplicationNs = sizeof(T) == 4 ? 0.02 : 0.04;
template <class T> double productNs(const Oriented<T> &a, const Oriented<T> &b) {
    return kMultiplicationNs<T> * static_cast<double>(a.rows) * static_cast<double>(a.cols) *
           static_cast<double>(b.cols);
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
template <class T> void multiplyByBlas(RunContext &context, const Oriented<T> &a, const Oriented<T> &b, T *c);

/// The lower triangle of a square matrix becomes the upper one.
template <class T> void mirrorUpper(T *c, size_t n) {
    constexpr size_t kTile = 32;
    for (size_t i0 = 0; i0 < n; i0 += kTile)
        for (size_t j0 = i0; j0 < n; j0 += kTile)
            for (size_t i = i0; i < std::min(i0 + kTile, n); ++i)
                for (size_t j = std::max(j0, i + 1); j < std::min(j0 + kTile, n); ++j)
                    c[j * n + i] = c[i * n + j];
}

// ---- blocks of products

/// Rows of a product that are computed together.
constexpr uint64_t kProductRows = 256;
/// Whether a product has few cells, each the sum of many products, and how many of these are summed together. Blocks
/// are powers of two, so that other loops over the same rows can be cut where they are.
constexpr uint64_t kMostDeepCells = 1 << 18;
template <class T> bool isDeep(const Oriented<T> &a, const Oriented<T> &b) {
    constexpr size_t kLeastDepth = 8192;
    return a.cols >= kLeastDepth && a.rows <= kMostDeepCells / b.cols;
}
uint64_t deepBlock(uint64_t cells);

/// Rows [begin, end) of op(A) times op(B), to rows of c.
template <class T> void multiplyRowBlock(const Oriented<T> &a, const Oriented<T> &b, size_t begin, size_t end, T *c);
/// A block of the inner dimension: columns [begin, end) of op(A) and these rows of op(B) give a partial result. Of a
/// product with its own transpose that is a triangle, and zeros.
template <class T>
void multiplyDeepBlock(const Oriented<T> &a, const Oriented<T> &b, bool isSymmetric, size_t begin, size_t end, T *out);

} // namespace daphne
