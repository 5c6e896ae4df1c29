// SPDX-License-Identifier: Apache-2.0
/// Matrix products: matMul(lhs, rhs, transposeLhs, transposeRhs), syrk, gemv.
///
/// C(i,j) = sum over k of op(A)(i,k) * op(B)(k,j), computed in the most general
/// value type. Products of f64 and f32 matrices go to BLAS; products with a
/// vector, integers, and products too small to pay for the call, to loops of our
/// own. A matrix times its own transpose is
/// computed as one triangle and mirrored: exactly symmetric.
#include <algorithm>
#include <vector>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/products/MatMul.h"

#include "base/WideVectors.h"
#include "kernels/RowBlocks.h"
#include "kernels/aggregates/PairwiseRows.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/products/BlasProduct.h"
#include "kernels/products/NarrowProduct.h"

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

/// Type in which sums of products wrap without undefined behaviour.
template <class T>
using Accumulator =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

/// Rows of op(B) one after another, so that the inner loop runs along both.
template <class T> std::vector<T> packed(const Oriented<T> &b) {
    std::vector<T> out(b.rows * b.cols);
    for (size_t k : cancellable(b.rows, b.cols))
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
    CancelCountdown look;
    vectorised([&] {
        for (size_t k0 = 0; k0 < a.cols; k0 += kDepth)
            for (size_t j0 = 0; j0 < b.cols; j0 += kWidth)
                for (size_t i = 0; i < a.rows; ++i) {
                    size_t depth = std::min(kDepth, a.cols - k0), width = std::min(kWidth, b.cols - j0);
                    look.after(depth * width / kTogether); // a cell of the others takes as long as some of these
                    block(i, k0, k0 + depth, j0, width);
                }
    });
}

// Products with a vector read the matrix once: memory is the limit, not arithmetic. They are sums of products in the
// order of sums of rows and columns (Aggregate.cpp), which is also the order of fused loops.

/// c(i) = sum over k of A(i,k) x(k)
template <class T> void dotRows(const Oriented<T> &a, const T *x, T *c) {
    constexpr size_t kBlock = CellReader<T>::kBlock;
    vectorised([=] {
        for (size_t i : cancellable(a.rows, a.cols)) {
            const T *row = a.data + i * a.rowStep;
            PairwiseSum<T> sum;
            for (size_t k = 0; k < a.cols; k += kBlock) {
                size_t n = std::min(kBlock, a.cols - k);
                sum.add(sumCells<T>(n, [=](size_t l) { return row[k + l] * x[k + l]; }));
            }
            c[i] = sum.total();
        }
    });
}

/// c(j) = sum over i of A(i,j) y(i), rows in groups.
template <class T> void sumWeightedRows(const T *rows, size_t skip, size_t numRows, size_t cols, const T *y, T *c) {
    constexpr size_t kTogether = 4;
    PairwiseRows<T> sum(cols);
    CancelCountdown look;
    for (size_t begin = 0; begin < numRows; begin += kRowGroup) {
        look.after(kRowGroup * cols);
        T *g = sum.room();
        vectorised([=] {
            size_t end = std::min(numRows, begin + kRowGroup), r = begin;
            for (; r + kTogether <= end; r += kTogether) {
                const T *a = rows + r * skip;
#pragma GCC ivdep
                for (size_t j = 0; j < cols; ++j) {
                    T cell = g[j];
                    for (size_t i = 0; i < kTogether; ++i)
                        cell += a[i * skip + j] * y[r + i];
                    g[j] = cell;
                }
            }
            for (; r < end; ++r)
#pragma GCC ivdep
                for (size_t j = 0; j < cols; ++j)
                    g[j] += rows[r * skip + j] * y[r];
        });
        sum.add(g);
    }
    sum.total(c);
}

/// c = op(A) @ x for a vector with a step between its cells; c starts as zeros.
template <class T> void multiplyVector(const Oriented<T> &a, const T *x, size_t step, T *c) {
    auto adjacent = [n = a.cols](const T *cells, size_t stepOfCells, std::vector<T> &room) {
        if (stepOfCells == 1)
            return cells;
        room.resize(n);
        for (size_t k = 0; k < n; ++k)
            room[k] = cells[k * stepOfCells];
        return static_cast<const T *>(room.data());
    };
    std::vector<T> vector, row;
    x = adjacent(x, step, vector);
    if (a.rows == 1)
        dotRows<T>({adjacent(a.data, a.colStep, row), 1, a.cols, 0, 1, 0, false}, x, c);
    else if (!a.transposed)
        dotRows(a, x, c);
    else
        sumWeightedRows(a.data, a.skip, a.cols, a.rows, x, c);
}

/// A column times a row.
template <class T> void multiplyOuter(const Oriented<T> &a, const Oriented<T> &b, T *c) {
    std::vector<T> row(b.cols);
    for (size_t j = 0; j < b.cols; ++j)
        row[j] = b.data[j * b.colStep];
    for (size_t i : cancellable(a.rows, b.cols))
        vectorised([=, x = a.data[i * a.rowStep], y = row.data(), out = c + i * b.cols, n = b.cols] {
            for (size_t j = 0; j < n; ++j)
                out[j] = x * y[j];
        });
}

/// Products with few columns, see NarrowProduct.h. False: this is none.
template <class T> bool multiplyNarrow(RunContext &context, const Oriented<T> &a, const Oriented<T> &b, T *c) {
    if (!a.transposed && isRowsTimesSmall(a.rows, a.cols, b.cols)) {
        std::vector<T> small = packed(b);
        forRowBlocks(context, "matMul", a.rows, kRowGroup, productNs(a, b), [&](size_t begin, size_t end) {
            multiplyRows<T>({a.data + begin * a.skip, a.skip}, end - begin, a.cols, small.data(), b.cols,
                            c + begin * b.cols, b.cols);
        });
        return true;
    }
    if (!a.transposed || b.transposed || !isSumOfOuterProducts(a.cols, a.rows, b.cols))
        return false;
    size_t cells = a.rows * b.cols, numGroups = (a.cols + kRowGroup - 1) / kRowGroup;
    auto partial = Dense::create(valueTypeOf<T>(), numGroups, cells, Buffer::Init::Zero);
    T *parts = partial->template mutableView<T>().data;
    forRowBlocks(context, "matMul", a.cols, kRowGroup, productNs(a, b), [&](size_t begin, size_t end) {
        addOuterProducts<T>({a.data + begin * a.skip, a.skip}, {b.data + begin * b.skip, b.skip}, end - begin, a.rows,
                            b.cols, parts + begin / kRowGroup * cells);
    });
    sumGroups(parts, numGroups, cells, c);
    return true;
}

template <class T>
Ref<Dense> multiply(RunContext &context, ValueType type, const Oriented<T> &a, const Oriented<T> &b) {
    bool empty = a.rows == 0 || a.cols == 0 || b.cols == 0, blas = !empty && goesToBlas(a, b);
    // A general product writes every cell; the other ways add to what is there.
    bool writesAll = blas && a.rows > 1 && b.cols > 1 && a.cols > 1 && !isGram(a, b);
    auto result = Dense::create(type, a.rows, b.cols, writesAll ? Buffer::Init::None : Buffer::Init::Zero);
    T *c = result->template mutableView<T>().data;
    if (empty)
        return result;
    if constexpr (std::is_floating_point_v<T>) {
        if (b.cols == 1 && a.cols > 1)
            multiplyVector(a, b.data, b.rowStep, c);
        else if (a.rows == 1 && a.cols > 1 && b.cols > 1) // a row from the left is a column for the transpose
            multiplyVector(transposed(b), a.data, a.colStep, c);
        else if (a.cols == 1 && a.rows > 1 && b.cols > 1)
            multiplyOuter(a, b, c);
        else if (multiplyNarrow(context, a, b, c))
            return result;
        else if (blas)
            multiplyByBlas(context, a, b, c);
        else
            multiplyByLoop(a, b, c);
        if (isGram(a, b))
            mirrorUpper(c, a.rows);
        return result;
    }
    multiplyByLoop(a, b, c);
    if (isGram(a, b))
        mirrorUpper(c, a.rows);
    return result;
}

Value product(RunContext &context, const Dense &lhs, const Dense &rhs, TransposeFlags transpose) {
    ValueType g = productType(lhs, rhs, transpose);
    auto l = converted(lhs, g);
    auto r = &lhs == &rhs ? l : converted(rhs, g);
    return withNumericType(g, [&]<class T>(TypeTag<T>) -> Value {
        if constexpr (std::is_same_v<T, bool>)
            throw internalError("product of bool"); // excluded above
        else
            return multiply(context, g, orient<T>(*l, transpose.lhs), orient<T>(*r, transpose.rhs));
    });
}

Value matMul(KernelCall &call, const Dense &lhs, const Dense &rhs, bool transposeLhs, bool transposeRhs) {
    needNumericMatrices(call, 2);
    return product(call.context, lhs, rhs, {transposeLhs, transposeRhs});
}

Value syrk(KernelCall &call, const Dense &x) {
    needNumericMatrices(call, 1);
    return product(call.context, x, x, {true, false});
}

Value gemv(KernelCall &call, const Dense &a, const Dense &x) {
    needNumericMatrices(call, 2);
    needOneColumn(x);
    return product(call.context, a, x, {true, false});
}

} // namespace

void addMatMul(KernelTable &t) {
    t.add<&matMul>("matMul");
    t.add<&syrk>("syrk");
    t.add<&gemv>("gemv");
}

} // namespace daphne
