// SPDX-License-Identifier: Apache-2.0
#include "kernels/products/BlasProduct.h"

#include <algorithm>
#include <bit>

#include <cblas.h>

#include "base/WideVectors.h"
#include "kernels/RowBlocks.h"
#include "kernels/aggregates/PairwiseRows.h"

namespace daphne {

namespace {

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

} // namespace

uint64_t deepBlock(uint64_t cells) {
    constexpr uint64_t kLeast = 4096;
    return std::max(kLeast, std::bit_floor(cells / 8));
}

template <class T> void multiplyRowBlock(const Oriented<T> &a, const Oriented<T> &b, size_t begin, size_t end, T *c) {
    gemm(someRows(a, begin, end), b, c + begin * b.cols, b.cols);
}

template <class T>
void multiplyDeepBlock(const Oriented<T> &a, const Oriented<T> &b, bool isSymmetric, size_t begin, size_t end, T *out) {
    if (!isSymmetric)
        return gemm(someCols(a, begin, end), someRows(b, begin, end), out, b.cols);
    for (size_t i = 1; i < a.rows; ++i)
        std::fill_n(out + i * a.rows, i, T(0)); // partial results travel as a whole
    gram(someCols(a, begin, end), out);
}

namespace {

template <class T>
void multiplyDeep(RunContext &context, const Oriented<T> &a, const Oriented<T> &b, bool isSymmetric, T *c) {
    size_t cells = a.rows * b.cols, block = deepBlock(cells), numBlocks = (a.cols + block - 1) / block;
    auto partial = Dense::create(valueTypeOf<T>(), numBlocks, cells);
    T *parts = partial->template mutableView<T>().data;
    forRowBlocks(context, "matMul", a.cols, block, productNs(a, b), [&](size_t begin, size_t end) {
        multiplyDeepBlock(a, b, isSymmetric, begin, end, parts + begin / block * cells);
    });
    sumGroups(parts, numBlocks, cells, c);
}

} // namespace

template <class T> void multiplyByBlas(RunContext &context, const Oriented<T> &a, const Oriented<T> &b, T *c) {
    bool isSymmetric = isGram(a, b);
    if (isDeep(a, b))
        return multiplyDeep(context, a, b, isSymmetric, c);
    double ns = productNs(a, b) * (isSymmetric ? 0.5 : 1.0);
    forRowBlocks(context, "matMul", a.rows, kProductRows, ns, [&](size_t begin, size_t end) {
        size_t left = isSymmetric ? begin : 0;
        gemm(someRows(a, begin, end), someCols(b, left, b.cols), c + begin * b.cols + left, b.cols);
    });
}

#define DAPHNE_PRODUCTS_OF(T)                                                                                          \
    template void multiplyByBlas(RunContext &, const Oriented<T> &, const Oriented<T> &, T *);                         \
    template void multiplyRowBlock(const Oriented<T> &, const Oriented<T> &, size_t, size_t, T *);                     \
    template void multiplyDeepBlock(const Oriented<T> &, const Oriented<T> &, bool, size_t, size_t, T *);
DAPHNE_PRODUCTS_OF(double)
DAPHNE_PRODUCTS_OF(float)

} // namespace daphne
