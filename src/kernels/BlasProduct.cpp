// SPDX-License-Identifier: Apache-2.0
#include "kernels/BlasProduct.h"

#include <algorithm>
#include <bit>

#include <cblas.h>

#include "base/WideVectors.h"
#include "kernels/NarrowProduct.h"
#include "kernels/RowBlocks.h"

namespace daphne {

namespace {

constexpr uint64_t kRowBlock = 256;
/// Of deep products: most cells of the result, and least length of the sums. Blocks are powers of two, so that other
/// loops over the same rows can be cut where they are.
constexpr uint64_t kMostDeepCells = 1 << 18, kLeastDepth = 8192, kLeastDeepBlock = 4096;

uint64_t deepBlock(uint64_t cells) { return std::max(kLeastDeepBlock, std::bit_ceil(cells / 8)); }

int blasInt(size_t n) { return static_cast<int>(n); }
CBLAS_TRANSPOSE blasTranspose(bool t) { return t ? CblasTrans : CblasNoTrans; }

void gemm(const Oriented<double> &a, const Oriented<double> &b, double *c, size_t skip) {
    cblas_dgemm(CblasRowMajor, blasTranspose(a.transposed), blasTranspose(b.transposed), blasInt(a.rows),
                blasInt(b.cols), blasInt(a.cols), 1, a.data, blasInt(a.skip), b.data, blasInt(b.skip), 0, c,
                blasInt(skip));
}
void gemm(const Oriented<float> &a, const Oriented<float> &b, float *c, size_t skip) {
    cblas_sgemm(CblasRowMajor, blasTranspose(a.transposed), blasTranspose(b.transposed), blasInt(a.rows),
                blasInt(b.cols), blasInt(a.cols), 1, a.data, blasInt(a.skip), b.data, blasInt(b.skip), 0, c,
                blasInt(skip));
}

/// Upper triangle of op(A) @ t(op(A)).
void gram(const Oriented<double> &a, double *c) {
    cblas_dsyrk(CblasRowMajor, CblasUpper, blasTranspose(a.transposed), blasInt(a.rows), blasInt(a.cols), 1, a.data,
                blasInt(a.skip), 0, c, blasInt(a.rows));
}
void gram(const Oriented<float> &a, float *c) {
    cblas_ssyrk(CblasRowMajor, CblasUpper, blasTranspose(a.transposed), blasInt(a.rows), blasInt(a.cols), 1, a.data,
                blasInt(a.skip), 0, c, blasInt(a.rows));
}

/// Rows [begin, end) of op(A).
template <class T> Oriented<T> someRows(const Oriented<T> &a, size_t begin, size_t end) {
    Oriented<T> part = a;
    part.data += begin * a.rowStep;
    part.rows = end - begin;
    return part;
}
/// Columns [begin, end) of op(A).
template <class T> Oriented<T> someCols(const Oriented<T> &a, size_t begin, size_t end) {
    return transposed(someRows(transposed(a), begin, end));
}

/// Few cells, each the sum of many products.
template <class T> bool isDeep(const Oriented<T> &a, const Oriented<T> &b) {
    return a.cols >= kLeastDepth && a.rows <= kMostDeepCells / b.cols;
}

/// Partial result of columns [begin, end) of op(A) and these rows of op(B).
template <class T>
void multiplyDeepBlock(const Oriented<T> &a, const Oriented<T> &b, bool isSymmetric, size_t begin, size_t end, T *out) {
    if (!isSymmetric)
        return gemm(someCols(a, begin, end), someRows(b, begin, end), out, b.cols);
    for (size_t i = 1; i < a.rows; ++i)
        std::fill_n(out + i * a.rows, i, T(0)); // partial results travel as a whole
    gram(someCols(a, begin, end), out);
}

template <class T> void addPartialProducts(const T *parts, size_t numBlocks, size_t cells, T *c) {
    std::copy_n(parts, cells, c);
    vectorised([=] {
        for (size_t k = 1; k < numBlocks; ++k)
            for (size_t i = 0; i < cells; ++i)
                c[i] += parts[k * cells + i];
    });
}

template <class T>
void multiplyDeep(Context &context, const Oriented<T> &a, const Oriented<T> &b, bool isSymmetric, T *c) {
    size_t cells = a.rows * b.cols, block = deepBlock(cells), numBlocks = (a.cols + block - 1) / block;
    auto partial = Dense::create(valueTypeOf<T>(), numBlocks, cells);
    T *parts = partial->template mutableView<T>().data;
    forRowBlocks(context, "matMul", a.cols, block, productNs(a, b), [&](size_t begin, size_t end) {
        multiplyDeepBlock(a, b, isSymmetric, begin, end, parts + begin / block * cells);
    });
    addPartialProducts(parts, numBlocks, cells, c);
}

template <class F> auto withFloatType(ValueType type, F f) {
    return type == ValueType::F32 ? f(TypeTag<float>()) : f(TypeTag<double>());
}

} // namespace

template <class T> void multiplyByBlas(Context &context, const Oriented<T> &a, const Oriented<T> &b, T *c) {
    bool isSymmetric = isGram(a, b);
    if (isDeep(a, b))
        return multiplyDeep(context, a, b, isSymmetric, c);
    double ns = productNs(a, b) * (isSymmetric ? 0.5 : 1.0);
    forRowBlocks(context, "matMul", a.rows, kRowBlock, ns, [&](size_t begin, size_t end) {
        size_t left = isSymmetric ? begin : 0;
        gemm(someRows(a, begin, end), someCols(b, left, b.cols), c + begin * b.cols + left, b.cols);
    });
}

template void multiplyByBlas(Context &, const Oriented<double> &, const Oriented<double> &, double *);
template void multiplyByBlas(Context &, const Oriented<float> &, const Oriented<float> &, float *);

// ---- parts of products

uint64_t RowwiseProduct::block() const { return isDeep() ? deepBlock(cols * width) : kRowBlock; }

double RowwiseProduct::nsPerRow() const {
    return 0.1 * static_cast<double>(cols) * static_cast<double>(width) * (form == Form::Gram ? 0.5 : 1.0);
}

bool RowwiseProduct::isPossible() const {
    return isFloat(type) && cols > 0 && width > 0 && cols <= INT_MAX && width <= INT_MAX &&
           (!isDeep() || cols <= kMostDeepCells / width) && (form != Form::Gram || cols == width);
}

std::optional<RowwiseProduct> rowwiseProductOf(const Dense &lhs, const Dense &rhs, TransposeFlags transpose) {
    using Form = RowwiseProduct::Form;
    if (lhs.type() != rhs.type() || !isFloat(lhs.type()) || lhs.cells() == 0 || rhs.cells() == 0)
        return std::nullopt;
    return withFloatType(lhs.type(), [&]<class T>(TypeTag<T>) -> std::optional<RowwiseProduct> {
        Oriented<T> a = orient<T>(lhs, transpose.lhs), b = orient<T>(rhs, transpose.rhs);
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

void multiplyRows(const RowwiseProduct &product, const ProductArguments &arguments, uint64_t begin, uint64_t end) {
    using Form = RowwiseProduct::Form;
    withFloatType(product.type, [&]<class T>(TypeTag<T>) {
        auto *out = reinterpret_cast<T *>(arguments.out);
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
                gemm(someRows(a, first, last), b, out + first * width, width);
        }
    });
}

Ref<Dense> sumOfPartialProducts(const RowwiseProduct &product, const Dense &partial) {
    auto result = Dense::create(product.type, product.cols, product.width);
    withFloatType(product.type, [&]<class T>(TypeTag<T>) {
        T *c = result->mutableView<T>().data;
        addPartialProducts(partial.view<T>().data, partial.rows(), result->cells(), c);
        if (product.form == RowwiseProduct::Form::Gram)
            mirrorUpper(c, product.width);
    });
    return result;
}

} // namespace daphne
