// SPDX-License-Identifier: Apache-2.0
#include "kernels/products/NarrowProduct.h"

#include <algorithm>

#include "base/WideVectors.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace daphne {

namespace {

// ---- any processor

template <class T>
void multiplyRowsPlainly(Rows<T> x, size_t rows, size_t depth, const T *b, size_t cols, T *out, size_t outSkip) {
    for (size_t r = 0; r < rows; ++r) {
        T sums[kNarrowColumns] = {};
        for (size_t k = 0; k < depth; ++k)
            for (size_t c = 0; c < cols; ++c)
                sums[c] += x.data[r * x.skip + k] * b[k * cols + c];
        std::copy_n(sums, cols, out + r * outSkip);
    }
}

template <class T> void addOuterProductsPlainly(Rows<T> p, Rows<T> x, size_t rows, size_t cols, size_t width, T *sums) {
    for (size_t r = 0; r < rows; ++r)
        for (size_t i = 0; i < cols; ++i)
            for (size_t j = 0; j < width; ++j)
                sums[i * width + j] += p.data[r * p.skip + i] * x.data[r * x.skip + j];
}

// ---- with fused multiplication and addition

#if defined(__x86_64__) && defined(__GNUC__)

#define DAPHNE_FUSED [[gnu::target("avx2,fma")]]

/// 256 bits of numbers.
template <class T> struct Wide;
template <> struct Wide<double> {
    using V = __m256d;
    static constexpr size_t kLanes = 4;
    DAPHNE_FUSED static V load(const double *x) { return _mm256_loadu_pd(x); }
    DAPHNE_FUSED static void store(double *x, V v) { _mm256_storeu_pd(x, v); }
    DAPHNE_FUSED static V spread(double x) { return _mm256_set1_pd(x); }
    DAPHNE_FUSED static V multiplyAdd(V x, V y, V z) { return _mm256_fmadd_pd(x, y, z); }
};
template <> struct Wide<float> {
    using V = __m256;
    static constexpr size_t kLanes = 8;
    DAPHNE_FUSED static V load(const float *x) { return _mm256_loadu_ps(x); }
    DAPHNE_FUSED static void store(float *x, V v) { _mm256_storeu_ps(x, v); }
    DAPHNE_FUSED static V spread(float x) { return _mm256_set1_ps(x); }
    DAPHNE_FUSED static V multiplyAdd(V x, V y, V z) { return _mm256_fmadd_ps(x, y, z); }
};

DAPHNE_FUSED inline double multiplyAdd(double x, double y, double z) { return __builtin_fma(x, y, z); }
DAPHNE_FUSED inline float multiplyAdd(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

/// NumRows rows of X times B, of `NumVectors` vectors per row.
template <size_t NumRows, size_t NumVectors, class T>
DAPHNE_FUSED void multiplyTile(Rows<T> x, size_t depth, const T *b, T *out) {
    using W = Wide<T>;
    typename W::V sums[NumRows][NumVectors];
    for (auto &row : sums)
        for (auto &v : row)
            v = W::spread(0);
    for (size_t k = 0; k < depth; ++k)
        for (size_t v = 0; v < NumVectors; ++v) {
            auto cells = W::load(b + (k * NumVectors + v) * W::kLanes);
            for (size_t r = 0; r < NumRows; ++r)
                sums[r][v] = W::multiplyAdd(W::spread(x.data[r * x.skip + k]), cells, sums[r][v]);
        }
    for (size_t r = 0; r < NumRows; ++r)
        for (size_t v = 0; v < NumVectors; ++v)
            W::store(out + (r * NumVectors + v) * W::kLanes, sums[r][v]);
}

template <size_t NumVectors, class T>
DAPHNE_FUSED void multiplyRowsFused(Rows<T> x, size_t rows, size_t depth, const T *b, size_t cols, T *out,
                                    size_t outSkip) {
    constexpr size_t kTogether = 4, kPadded = NumVectors * Wide<T>::kLanes;
    T padded[kMostDepth * kPadded], tile[kTogether * kPadded];
    for (size_t k = 0; k < depth; ++k)
        for (size_t c = 0; c < kPadded; ++c)
            padded[k * kPadded + c] = c < cols ? b[k * cols + c] : T(0);
    for (size_t r = 0; r < rows; r += kTogether) {
        Rows<T> here{x.data + r * x.skip, x.skip};
        size_t count = std::min(kTogether, rows - r);
        if (count == kTogether)
            multiplyTile<kTogether, NumVectors>(here, depth, padded, tile);
        for (size_t i = 0; i < count; ++i) {
            if (count < kTogether)
                multiplyTile<1, NumVectors>({here.data + i * x.skip, x.skip}, depth, padded, tile + i * kPadded);
            std::copy_n(tile + i * kPadded, cols, out + (r + i) * outSkip);
        }
    }
}

template <class T>
void multiplyRowsFused(Rows<T> x, size_t rows, size_t depth, const T *b, size_t cols, T *out, size_t outSkip) {
    switch ((cols + Wide<T>::kLanes - 1) / Wide<T>::kLanes) {
    case 1: return multiplyRowsFused<1>(x, rows, depth, b, cols, out, outSkip);
    case 2: return multiplyRowsFused<2>(x, rows, depth, b, cols, out, outSkip);
    case 3: return multiplyRowsFused<3>(x, rows, depth, b, cols, out, outSkip);
    default: return multiplyRowsFused<4>(x, rows, depth, b, cols, out, outSkip);
    }
}

/// N rows of the sums, two vectors of their columns.
template <size_t N, size_t NumVectors, class T>
DAPHNE_FUSED void addOuterTile(Rows<T> p, Rows<T> x, size_t rows, T *sums, size_t width) {
    using W = Wide<T>;
    typename W::V own[N][NumVectors];
    for (size_t i = 0; i < N; ++i)
        for (size_t v = 0; v < NumVectors; ++v)
            own[i][v] = W::load(sums + i * width + v * W::kLanes);
    for (size_t r = 0; r < rows; ++r) {
        typename W::V cells[NumVectors];
        for (size_t v = 0; v < NumVectors; ++v)
            cells[v] = W::load(x.data + r * x.skip + v * W::kLanes);
        for (size_t i = 0; i < N; ++i) {
            auto factor = W::spread(p.data[r * p.skip + i]);
            for (size_t v = 0; v < NumVectors; ++v)
                own[i][v] = W::multiplyAdd(factor, cells[v], own[i][v]);
        }
    }
    for (size_t i = 0; i < N; ++i)
        for (size_t v = 0; v < NumVectors; ++v)
            W::store(sums + i * width + v * W::kLanes, own[i][v]);
}

template <size_t N, class T> DAPHNE_FUSED void addOuterRows(Rows<T> p, Rows<T> x, size_t rows, size_t width, T *sums) {
    constexpr size_t kLanes = Wide<T>::kLanes;
    size_t j = 0;
    for (; j + 2 * kLanes <= width; j += 2 * kLanes)
        addOuterTile<N, 2>(p, {x.data + j, x.skip}, rows, sums + j, width);
    for (; j + kLanes <= width; j += kLanes)
        addOuterTile<N, 1>(p, {x.data + j, x.skip}, rows, sums + j, width);
    for (; j < width; ++j)
        for (size_t i = 0; i < N; ++i) {
            T sum = sums[i * width + j];
            for (size_t r = 0; r < rows; ++r)
                sum = multiplyAdd(p.data[r * p.skip + i], x.data[r * x.skip + j], sum);
            sums[i * width + j] = sum;
        }
}

template <class T> void addOuterProductsFused(Rows<T> p, Rows<T> x, size_t rows, size_t cols, size_t width, T *sums) {
    constexpr size_t kTogether = 5;
    size_t i = 0;
    for (; i + kTogether <= cols; i += kTogether)
        addOuterRows<kTogether>({p.data + i, p.skip}, x, rows, width, sums + i * width);
    for (; i < cols; ++i)
        addOuterRows<1>({p.data + i, p.skip}, x, rows, width, sums + i * width);
}

#undef DAPHNE_FUSED

#else

template <class T>
void multiplyRowsFused(Rows<T> x, size_t rows, size_t depth, const T *b, size_t cols, T *out, size_t outSkip) {
    multiplyRowsPlainly(x, rows, depth, b, cols, out, outSkip);
}
template <class T> void addOuterProductsFused(Rows<T> p, Rows<T> x, size_t rows, size_t cols, size_t width, T *sums) {
    addOuterProductsPlainly(p, x, rows, cols, width, sums);
}

#endif

} // namespace

template <class T>
void multiplyRows(Rows<T> x, size_t rows, size_t depth, const T *b, size_t cols, T *out, size_t outSkip) {
    (fusesMultiplyAdd() ? multiplyRowsFused<T> : multiplyRowsPlainly<T>)(x, rows, depth, b, cols, out, outSkip);
}

template <class T> void addOuterProducts(Rows<T> p, Rows<T> x, size_t rows, size_t cols, size_t width, T *sums) {
    (fusesMultiplyAdd() ? addOuterProductsFused<T> : addOuterProductsPlainly<T>)(p, x, rows, cols, width, sums);
}

template void multiplyRows(Rows<double>, size_t, size_t, const double *, size_t, double *, size_t);
template void multiplyRows(Rows<float>, size_t, size_t, const float *, size_t, float *, size_t);
template void addOuterProducts(Rows<double>, Rows<double>, size_t, size_t, size_t, double *);
template void addOuterProducts(Rows<float>, Rows<float>, size_t, size_t, size_t, float *);

} // namespace daphne
