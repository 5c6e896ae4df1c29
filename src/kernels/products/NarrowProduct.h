// SPDX-License-Identifier: Apache-2.0
/// Products of a long matrix with less than kNarrowColumns columns on one side:
/// what clustering, projections and small regressions consist of. They are bound
/// by memory, so they are made to be part of fused loops, row by row; kernels do
/// the same sums in the same order.
///
///     X @ B       X is n x depth, B is depth x c: cell (r, j) is the sum of X(r,k) B(k,j) in the order of k
///     t(P) @ X    P is n x c, X is n x width: groups of kRowGroup rows, each summed in the order of rows, are added
///                 up pairwise (PairwiseRows.h)
///
/// Every sum starts from zero. A product is added with one rounding where the processor can
/// (fusesMultiplyAdd() of WideVectors.h), as BLAS does there.
#pragma once

#include <cstddef>

namespace daphne {

constexpr size_t kNarrowColumns = 16; ///< of B or P: less than that
constexpr size_t kMostDepth = 256;    ///< of X @ B: B stays in the first cache
constexpr size_t kMostWidth = 64;     ///< of t(P) @ X: so do the sums
constexpr size_t kRowGroup = 512;

/// X @ B is computed here.
constexpr bool isRowsTimesSmall(size_t rows, size_t depth, size_t cols) {
    return rows > 1 && depth > 1 && depth <= kMostDepth && cols > 1 && cols < kNarrowColumns;
}
/// t(P) @ X is.
constexpr bool isSumOfOuterProducts(size_t rows, size_t cols, size_t width) {
    return rows > 1 && cols > 1 && cols < kNarrowColumns && width > 1 && width <= kMostWidth;
}

/// A matrix in memory; `skip` cells from row to row.
template <class T> struct Rows {
    const T *data;
    size_t skip;
};

/// out = X @ B for so many rows; B has no gaps, `outSkip` cells from row to row of the result.
template <class T>
void multiplyRows(Rows<T> x, size_t rows, size_t depth, const T *b, size_t cols, T *out, size_t outSkip);

/// sums += t(P) @ X for so many rows of one group; sums are cols x width without gaps.
template <class T> void addOuterProducts(Rows<T> p, Rows<T> x, size_t rows, size_t cols, size_t width, T *sums);

} // namespace daphne
