// SPDX-License-Identifier: Apache-2.0
/// Matrix products: matMul(lhs, rhs, transposeLhs, transposeRhs), syrk, gemv.
///
/// C(i,j) = sum over k of op(A)(i,k) * op(B)(k,j), computed in the most general
/// value type. f64 and f32 go to BLAS; integers, and products too small to pay
/// for the call, to a loop of our own. A matrix times its own transpose is
/// computed as one triangle and mirrored: exactly symmetric.
#include <algorithm>
#include <climits>
#include <vector>

#include <cblas.h>

#include "data/CopyCells.h"
#include "kernels/MatMul.h"
#include "kernels/WideVectors.h"

namespace daphne {

ValueType productType(const Matrix &lhs, const Matrix &rhs, TransposeFlags transpose) {
    auto shape = [](const Matrix &m, bool t) {
        return std::to_string(t ? m.cols() : m.rows()) + "x" + std::to_string(t ? m.rows() : m.cols());
    };
    size_t left = transpose.lhs ? lhs.rows() : lhs.cols(), right = transpose.rhs ? rhs.cols() : rhs.rows();
    if (left != right)
        throw executionError("needs as many columns on the left as rows on the right, got " +
                             shape(lhs, transpose.lhs) + " and " + shape(rhs, transpose.rhs));
    ValueType g = mostGeneral(lhs.type(), rhs.type());
    return g == ValueType::Bool ? ValueType::SI64 : g;
}

void needOneColumn(const Matrix &x) {
    if (x.cols() != 1)
        throw executionError("needs a right-hand side with one column, got " + x.shapeText());
}

void needNumericMatrices(const KernelCall &call, size_t numMatrices) {
    for (size_t i = 0; i < numMatrices; ++i)
        if (call.args[i].matrix().type() == ValueType::Str)
            wrongArgument(call, i, "a numeric matrix");
}

namespace {

constexpr size_t kTinyWork = 16 * 16 * 16; ///< multiplications below which a BLAS call costs more than it saves

/// Operand seen through its transpose flag; element (i, k) is data[i * rowStep + k * colStep].
template <class T> struct Oriented {
    const T *data;
    size_t rows, cols, rowStep, colStep;
    size_t skip; ///< of the matrix in memory
    bool transposed;
};

template <class T> Oriented<T> orient(const Dense &m, bool transposed) {
    auto v = m.view<T>();
    if (transposed)
        return {v.data, v.cols, v.rows, 1, v.skip, v.skip, true};
    return {v.data, v.rows, v.cols, v.skip, 1, v.skip, false};
}

/// Both operands are the same cells, one of them transposed.
template <class T> bool isGram(const Oriented<T> &a, const Oriented<T> &b) {
    return a.data == b.data && a.rows == b.cols && a.cols == b.rows && a.skip == b.skip && a.transposed != b.transposed;
}

template <class T> bool fitsBlas(const Oriented<T> &a) {
    return a.rows <= INT_MAX && a.cols <= INT_MAX && a.skip <= INT_MAX;
}

int blasInt(size_t n) { return static_cast<int>(n); }
CBLAS_TRANSPOSE blasTranspose(bool t) { return t ? CblasTrans : CblasNoTrans; }

void gemm(const Oriented<double> &a, const Oriented<double> &b, double *c) {
    cblas_dgemm(CblasRowMajor, blasTranspose(a.transposed), blasTranspose(b.transposed), blasInt(a.rows),
                blasInt(b.cols), blasInt(a.cols), 1, a.data, blasInt(a.skip), b.data, blasInt(b.skip), 0, c,
                blasInt(b.cols));
}
void gemm(const Oriented<float> &a, const Oriented<float> &b, float *c) {
    cblas_sgemm(CblasRowMajor, blasTranspose(a.transposed), blasTranspose(b.transposed), blasInt(a.rows),
                blasInt(b.cols), blasInt(a.cols), 1, a.data, blasInt(a.skip), b.data, blasInt(b.skip), 0, c,
                blasInt(b.cols));
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

/// y = op(A) @ x, x with a step between its cells; y starts as zeros.
void matrixVector(const Oriented<double> &a, const double *x, size_t step, double *y) {
    size_t rows = a.transposed ? a.cols : a.rows, cols = a.transposed ? a.rows : a.cols;
    cblas_dgemv(CblasRowMajor, blasTranspose(a.transposed), blasInt(rows), blasInt(cols), 1, a.data, blasInt(a.skip), x,
                blasInt(step), 0, y, 1);
}
void matrixVector(const Oriented<float> &a, const float *x, size_t step, float *y) {
    size_t rows = a.transposed ? a.cols : a.rows, cols = a.transposed ? a.rows : a.cols;
    cblas_sgemv(CblasRowMajor, blasTranspose(a.transposed), blasInt(rows), blasInt(cols), 1, a.data, blasInt(a.skip), x,
                blasInt(step), 0, y, 1);
}

template <class T> void mirrorUpper(T *c, size_t n) {
    constexpr size_t kTile = 32;
    for (size_t i0 = 0; i0 < n; i0 += kTile)
        for (size_t j0 = i0; j0 < n; j0 += kTile)
            for (size_t i = i0; i < std::min(i0 + kTile, n); ++i)
                for (size_t j = std::max(j0, i + 1); j < std::min(j0 + kTile, n); ++j)
                    c[j * n + i] = c[i * n + j];
}

template <class T> Oriented<T> transposed(const Oriented<T> &a) {
    return {a.data, a.cols, a.rows, a.colStep, a.rowStep, a.skip, !a.transposed};
}

template <class T> void multiplyByBlas(const Oriented<T> &a, const Oriented<T> &b, T *c) {
    if (isGram(a, b)) {
        gram(a, c);
        mirrorUpper(c, a.rows);
    } else if (b.cols == 1) {
        matrixVector(a, b.data, b.rowStep, c);
    } else if (a.rows == 1) {
        matrixVector(transposed(b), a.data, a.colStep, c); // a row from the left is a column for the transpose
    } else {
        gemm(a, b, c);
    }
}

/// Type in which sums of products wrap without undefined behaviour.
template <class T>
using Accumulator =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

/// Rows of op(B) one after another, so that the inner loop runs along both.
template <class T> std::vector<T> packed(const Oriented<T> &b) {
    std::vector<T> out(b.rows * b.cols);
    for (size_t k = 0; k < b.rows; ++k)
        for (size_t j = 0; j < b.cols; ++j)
            out[k * b.cols + j] = b.data[k * b.rowStep + j * b.colStep];
    return out;
}

/// out[j] += sum over N rows of factor[i] * row i of B [j], in the order of the rows.
template <class T, size_t N>
void addMultiples(const Accumulator<T> (&factor)[N], const T *rows, size_t step, T *out, size_t n) {
    using Acc = Accumulator<T>;
#pragma GCC ivdep
    for (size_t j = 0; j < n; ++j) {
        Acc sum = static_cast<Acc>(out[j]);
        for (size_t i = 0; i < N; ++i)
            sum = static_cast<Acc>(sum + static_cast<Acc>(factor[i] * static_cast<Acc>(rows[i * step + j])));
        out[j] = static_cast<T>(sum);
    }
}

/// c += op(A) @ B with blocks of B that stay in the cache. Every cell is summed in the order of k.
template <class T> void multiplyByLoop(const Oriented<T> &a, const Oriented<T> &b, T *c) {
    using Acc = Accumulator<T>;
    constexpr size_t kDepth = 128, kWidth = 512, kTogether = 4;
    std::vector<T> copy;
    const T *rows = b.data;
    size_t step = b.rowStep;
    if (b.colStep != 1 && b.cols > 1) {
        copy = packed(b);
        rows = copy.data();
        step = b.cols;
    }
    auto block = [&](size_t i, size_t k0, size_t k1, size_t j0, size_t n) {
        T *out = c + i * b.cols + j0;
        auto factor = [&](size_t k) { return static_cast<Acc>(a.data[i * a.rowStep + k * a.colStep]); };
        size_t k = k0;
        for (; k + kTogether <= k1; k += kTogether) {
            Acc factors[kTogether];
            for (size_t l = 0; l < kTogether; ++l)
                factors[l] = factor(k + l);
            addMultiples<T>(factors, rows + k * step + j0, step, out, n);
        }
        for (; k < k1; ++k) {
            Acc factors[1] = {factor(k)};
            addMultiples<T>(factors, rows + k * step + j0, step, out, n);
        }
    };
    vectorised([&] {
        for (size_t k0 = 0; k0 < a.cols; k0 += kDepth)
            for (size_t j0 = 0; j0 < b.cols; j0 += kWidth)
                for (size_t i = 0; i < a.rows; ++i)
                    block(i, k0, std::min(k0 + kDepth, a.cols), j0, std::min(kWidth, b.cols - j0));
    });
}

/// Whether BLAS gets the product of two non-empty matrices.
template <class T> bool goesToBlas(const Oriented<T> &a, const Oriented<T> &b) {
    // Dividing twice instead of multiplying: no overflow.
    bool tiny = a.rows <= kTinyWork / a.cols / b.cols;
    return std::is_floating_point_v<T> && !tiny && fitsBlas(a) && fitsBlas(b);
}

template <class T> Ref<Dense> multiply(ValueType type, const Oriented<T> &a, const Oriented<T> &b) {
    bool empty = a.rows == 0 || a.cols == 0 || b.cols == 0, blas = !empty && goesToBlas(a, b);
    // A general product writes every cell; the other ways add to what is there.
    bool writesAll = blas && a.rows > 1 && b.cols > 1 && !isGram(a, b);
    auto result = Dense::create(type, a.rows, b.cols, writesAll ? Buffer::Init::None : Buffer::Init::Zero);
    T *c = result->template mutableView<T>().data;
    if (empty)
        return result;
    if constexpr (std::is_floating_point_v<T>)
        if (blas) {
            multiplyByBlas(a, b, c);
            return result;
        }
    multiplyByLoop(a, b, c);
    if (isGram(a, b))
        mirrorUpper(c, a.rows);
    return result;
}

Value product(const Dense &lhs, const Dense &rhs, TransposeFlags transpose) {
    ValueType g = productType(lhs, rhs, transpose);
    auto l = converted(lhs, g);
    auto r = &lhs == &rhs ? l : converted(rhs, g);
    return withNumericType(g, [&]<class T>(TypeTag<T>) -> Value {
        if constexpr (std::is_same_v<T, bool>)
            throw internalError("product of bool"); // excluded above
        else
            return multiply(g, orient<T>(*l, transpose.lhs), orient<T>(*r, transpose.rhs));
    });
}

Value matMul(KernelCall &call, const Dense &lhs, const Dense &rhs, bool transposeLhs, bool transposeRhs) {
    needNumericMatrices(call, 2);
    return product(lhs, rhs, {transposeLhs, transposeRhs});
}

Value syrk(KernelCall &call, const Dense &x) {
    needNumericMatrices(call, 1);
    return product(x, x, {true, false});
}

Value gemv(KernelCall &call, const Dense &a, const Dense &x) {
    needNumericMatrices(call, 2);
    needOneColumn(x);
    return product(a, x, {true, false});
}

} // namespace

void addMatMul(KernelTable &t) {
    t.add<&matMul>("matMul");
    t.add<&syrk>("syrk");
    t.add<&gemv>("gemv");
}

} // namespace daphne
