// SPDX-License-Identifier: Apache-2.0
#include "kernels/products/RowwiseProduct.h"

#include <algorithm>

#include "kernels/csr/CsrProducts.h"
#include "kernels/products/BlasProduct.h"
#include "kernels/products/NarrowProduct.h"

namespace daphne {

namespace {

using Form = RowwiseProduct::Form;

template <class F> auto withFloatType(ValueType type, F f) {
    return type == ValueType::F32 ? f(TypeTag<float>()) : f(TypeTag<double>());
}

/// For questions about shapes: cells may be elsewhere.
template <class T> Oriented<T> shapeOf(const Dense &m, bool transposed) {
    return orient(DenseView<const T>{reinterpret_cast<const T *>(m.storage()), m.rows(), m.cols(), m.skip()},
                  transposed);
}

std::optional<RowwiseProduct> denseProduct(const Dense &lhs, const Dense &rhs, TransposeFlags transpose) {
    return withFloatType(lhs.type(), [&]<class T>(TypeTag<T>) -> std::optional<RowwiseProduct> {
        Oriented<T> a = shapeOf<T>(lhs, transpose.lhs), b = shapeOf<T>(rhs, transpose.rhs);
        bool hasVector = a.rows == 1 || a.cols == 1 || b.cols == 1;
        bool isNarrow = (!transpose.lhs && isRowsTimesSmall(a.rows, a.cols, b.cols)) ||
                        (transpose.lhs && !transpose.rhs && isSumOfOuterProducts(a.cols, a.rows, b.cols));
        if (a.cols != b.rows || hasVector || isNarrow || !goesToBlas(a, b))
            return std::nullopt;
        RowwiseProduct product{Form::Rows, lhs.type(), lhs.cols(), b.cols};
        bool isSymmetric = isGram(a, b);
        if (isDeep(a, b)) {
            if (!transpose.lhs || transpose.rhs)
                return std::nullopt;
            product.form = isSymmetric ? Form::Gram : Form::Sums;
        } else {
            if (transpose.lhs || isSymmetric)
                return std::nullopt;
            product.form = transpose.rhs ? Form::RowsByTransposed : Form::Rows;
        }
        return product;
    });
}

/// A single column is a product of its own, and part of fused loops.
std::optional<RowwiseProduct> sparseProduct(const Csr &lhs, const Dense &rhs, TransposeFlags transpose) {
    if (transpose.lhs || transpose.rhs || lhs.cols() != rhs.rows() || rhs.cols() < 2 || !rhs.contiguous())
        return std::nullopt;
    return RowwiseProduct{Form::SparseRows, lhs.type(), lhs.cols(), rhs.cols(), lhs.hasWideIndex(), lhs.isPattern()};
}

} // namespace

uint64_t RowwiseProduct::block() const {
    return isDeep() ? deepBlock(cols * width) : form == Form::SparseRows ? 1 : kProductRows;
}

double RowwiseProduct::nsPerRow() const {
    if (form == Form::SparseRows)
        return 1;
    double ns = type == ValueType::F32 ? kMultiplicationNs<float> : kMultiplicationNs<double>;
    return ns * static_cast<double>(cols) * static_cast<double>(width) * (form == Form::Gram ? 0.5 : 1.0);
}

double RowwiseProduct::nsPerStored() const { return form == Form::SparseRows ? sparseProductNs(width) : 0; }

bool RowwiseProduct::isPossible() const {
    if (form == Form::SparseRows)
        return isFloat(type) && cols > 0 && width > 1 && width <= INT_MAX && cols < (uint64_t(1) << 60) / width;
    return isFloat(type) && !isWide && !isPattern && cols > 0 && width > 0 && cols <= INT_MAX && width <= INT_MAX &&
           (!isDeep() || cols <= kMostDeepCells / width) && (form != Form::Gram || cols == width);
}

std::optional<RowwiseProduct> rowwiseProductOf(const Matrix &lhs, const Matrix &rhs, TransposeFlags transpose) {
    if (lhs.type() != rhs.type() || !isFloat(lhs.type()) || lhs.cells() == 0 || rhs.cells() == 0 || rhs.isCsr())
        return std::nullopt;
    const auto &right = static_cast<const Dense &>(rhs);
    return lhs.isCsr() ? sparseProduct(static_cast<const Csr &>(lhs), right, transpose)
                       : denseProduct(static_cast<const Dense &>(lhs), right, transpose);
}

void multiplyRows(const RowwiseProduct &product, const ProductArguments &arguments, uint64_t begin, uint64_t end) {
    withFloatType(product.type, [&]<class T>(TypeTag<T>) {
        auto *out = reinterpret_cast<T *>(arguments.out);
        if (product.form == Form::SparseRows)
            return withIndexType(product.isWide, [&]<class I>(TypeTag<I>) {
                CsrView<T, I> rows{};
                rows.rows = end, rows.cols = product.cols;
                rows.offsets = arguments.offsets;
                rows.columns = reinterpret_cast<const I *>(arguments.columns);
                rows.values = product.isPattern ? nullptr : reinterpret_cast<const T *>(arguments.lhs);
                multiplySparseRows(rows, reinterpret_cast<const T *>(arguments.rhs), product.width, begin, end, out);
            });
        size_t cols = product.cols, width = product.width, block = product.block();
        DenseView<const T> lhs{reinterpret_cast<const T *>(arguments.lhs), end, cols, arguments.lhsSkip};
        const T *right = reinterpret_cast<const T *>(arguments.rhs);
        DenseView<const T> rhs{right, product.isDeep() ? end : cols, width, arguments.rhsSkip};
        if (product.form == Form::RowsByTransposed)
            rhs = {right, width, cols, arguments.rhsSkip};
        else if (product.form == Form::Gram)
            rhs = lhs;
        Oriented<T> a = orient(lhs, product.isDeep()), b = orient(rhs, product.form == Form::RowsByTransposed);
        for (uint64_t first = begin; first < end; first += block) {
            uint64_t last = std::min(end, first + block);
            if (product.isDeep())
                multiplyDeepBlock(a, b, product.form == Form::Gram, first, last, out + first / block * (cols * width));
            else
                multiplyRowBlock(a, b, first, last, out);
        }
    });
}

void finishDeepProduct(const RowwiseProduct &product, Dense &sum) {
    if (product.form != Form::Gram)
        return;
    withFloatType(product.type, [&]<class T>(TypeTag<T>) { mirrorUpper(sum.mutableView<T>().data, product.width); });
}

} // namespace daphne
