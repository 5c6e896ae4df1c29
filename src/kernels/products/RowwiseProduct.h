// SPDX-License-Identifier: Apache-2.0
/// Products of matrices that are cut by the rows of a matrix, so that everybody,
/// on whichever machine, may compute some of them. Blocks depend on shapes only;
/// together they are what the matMul kernel computes, to the last bit.
///
/// A deep product, few cells that are sums of many products, is cut by rows of
/// its inner dimension. Blocks leave partial results, which are added
/// pairwise (PairwiseRows.h).
#pragma once

#include <optional>

#include "data/Csr.h"
#include "data/Dense.h"
#include "kernels/products/MatMul.h"

namespace daphne {

struct RowwiseProduct {
    enum class Form : uint8_t {
        Rows,             ///< A @ B
        RowsByTransposed, ///< A @ t(B)
        SparseRows,       ///< A @ B, A is sparse, B is not and finite
        Sums,             ///< t(A) @ B, deep
        Gram,             ///< t(A) @ A, deep
    };
    Form form = Form::Rows;
    ValueType type = ValueType::F64;
    uint64_t cols = 0;                      ///< of A
    uint64_t width = 0;                     ///< columns of the result
    bool isWide = false, isPattern = false; ///< of a sparse A: 64-bit column numbers, no values

    bool isDeep() const { return form >= Form::Sums; }
    /// Rows of A that are computed together.
    uint64_t block() const;
    /// What a row and a stored cell of it take, on one thread.
    double nsPerRow() const;
    double nsPerStored() const;
    /// Whether there is such a product at all: for descriptions that come from elsewhere.
    bool isPossible() const;
    bool operator==(const RowwiseProduct &) const = default;
};

/// How the matMul kernel computes the product, if it is one of these; whether B is finite is not looked at.
std::optional<RowwiseProduct> rowwiseProductOf(const Matrix &lhs, const Matrix &rhs, TransposeFlags transpose);

/// Cells in memory and how many there are from row to row.
struct ProductArguments {
    const std::byte *lhs; ///< of a sparse matrix: its values
    size_t lhsSkip;
    const std::byte *rhs; ///< Gram: not used
    size_t rhsSkip;
    std::byte *out;                    ///< rows of the result; deep: a partial result of cols x width cells per block
    const uint64_t *offsets = nullptr; ///< of a sparse matrix
    const std::byte *columns = nullptr;
};

/// Rows [begin, end) of A; begin is a multiple of the block, end too unless it is the last row.
void multiplyRows(const RowwiseProduct &product, const ProductArguments &arguments, uint64_t begin, uint64_t end);
/// The result of a deep product: the sum of the partial results of all blocks, of which a triangle is enough if it is
/// symmetric.
void finishDeepProduct(const RowwiseProduct &product, Dense &sum);

} // namespace daphne
