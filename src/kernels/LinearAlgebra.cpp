// SPDX-License-Identifier: Apache-2.0
/// solve, eigenCal, isSymmetric. LAPACK works on column-major copies; its
/// functions of two precisions are overloaded below.
#include <climits>
#include <cmath>
#include <vector>

#include <lapacke.h>

#include "data/CopyCells.h"
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

/// The cells column by column.
template <class T> std::vector<T> columnMajor(const Dense &m) {
    auto v = m.view<T>();
    std::vector<T> out(m.cells());
    for (size_t r = 0; r < v.rows; ++r)
        for (size_t c = 0; c < v.cols; ++c)
            out[c * v.rows + r] = v(r, c);
    return out;
}

template <class T> Ref<Dense> fromColumnMajor(ValueType type, const std::vector<T> &cells, size_t rows, size_t cols) {
    auto result = Dense::create(type, rows, cols);
    auto out = result->template mutableView<T>();
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < cols; ++c)
            out(r, c) = cells[c * rows + r];
    return result;
}

// The "work" variants do not reject NaN: ill-posed systems yield numbers, not errors.
int gesv(int n, int numRhs, double *a, int *pivots, double *b) {
    return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, numRhs, a, n, pivots, b, n);
}
int gesv(int n, int numRhs, float *a, int *pivots, float *b) {
    return LAPACKE_sgesv_work(LAPACK_COL_MAJOR, n, numRhs, a, n, pivots, b, n);
}
int syevd(int n, double *a, double *values) { return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values); }
int syevd(int n, float *a, float *values) { return LAPACKE_ssyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values); }

void needSquare(const Dense &m) {
    if (m.rows() != m.cols())
        throw executionError("needs a square matrix, got " + m.shapeText());
    if (m.rows() > INT_MAX)
        throw executionError("a " + m.shapeText() + " matrix is too large");
}

template <class T> Value solveAs(ValueType type, const Dense &a, const Dense &b) {
    size_t n = a.rows(), numRhs = b.cols();
    if (n == 0 || numRhs == 0)
        return Dense::create(type, n, numRhs);
    auto lu = columnMajor<T>(*converted(a, type));
    auto x = columnMajor<T>(*converted(b, type));
    std::vector<int> pivots(n);
    int info = gesv(static_cast<int>(n), static_cast<int>(numRhs), lu.data(), pivots.data(), x.data());
    if (info > 0)
        throw executionError("the matrix is singular: pivot " + std::to_string(info - 1) + " of its " + a.shapeText() +
                             " LU decomposition is zero");
    if (info < 0)
        throw internalError("gesv rejected argument " + std::to_string(-info));
    return fromColumnMajor(type, x, n, numRhs);
}

Value solve(KernelCall &call, const Dense &a, const Dense &b) {
    for (size_t i = 0; i < 2; ++i)
        if (call.args[i].dense().type() == ValueType::Str)
            wrongArgument(call, i, "a numeric matrix");
    needSquare(a);
    if (a.rows() != b.rows())
        throw executionError("needs equal numbers of rows, got " + a.shapeText() + " and " + b.shapeText());
    if (b.cols() > INT_MAX)
        throw executionError("a " + b.shapeText() + " right-hand side is too large");
    ValueType g = mostGeneral(a.type(), b.type());
    return g == ValueType::F32 ? solveAs<float>(g, a, b) : solveAs<double>(ValueType::F64, a, b);
}

template <class T> bool symmetric(const Dense &m) {
    auto v = m.view<T>();
    for (size_t r = 0; r < v.rows; ++r)
        for (size_t c = r + 1; c < v.cols; ++c)
            if (v(r, c) != v(c, r))
                return false;
    return true;
}

template <class T> bool allFinite(const Dense &m) {
    auto v = m.view<T>();
    for (size_t r = 0; r < v.rows; ++r)
        for (size_t c = 0; c < v.cols; ++c)
            if (!std::isfinite(v(r, c)))
                return false;
    return true;
}

template <class T> std::array<Value, 2> eigenAs(const Dense &m) {
    if (!allFinite<T>(m))
        throw executionError("needs a matrix without nan and inf");
    if (!symmetric<T>(m))
        throw executionError("needs a symmetric matrix");
    size_t n = m.rows();
    auto values = Dense::create(m.type(), n, 1);
    if (n == 0)
        return {Value(values), Value(Dense::create(m.type(), 0, 0))};
    auto vectors = columnMajor<T>(m);
    int info = syevd(static_cast<int>(n), vectors.data(), values->template mutableView<T>().data);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        throw executionError("out of memory for the eigenvectors of a " + m.shapeText() + " matrix");
    if (info > 0)
        throw executionError("the eigenvalues of the " + m.shapeText() + " matrix did not converge");
    if (info < 0)
        throw internalError("syevd rejected argument " + std::to_string(-info));
    return {Value(values), Value(fromColumnMajor(m.type(), vectors, n, n))};
}

std::array<Value, 2> eigenCal(KernelCall &call, const Dense &m) {
    if (!isFloat(m.type()))
        wrongArgument(call, 0, "a matrix of f64 or f32");
    needSquare(m);
    return m.type() == ValueType::F32 ? eigenAs<float>(m) : eigenAs<double>(m);
}

Value isSymmetric(KernelCall &, const Dense &m) {
    needSquare(m);
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) { return Value::scalar(symmetric<T>(m)); });
}

} // namespace

void addLinearAlgebra(KernelTable &t) {
    t.add<&solve>("solve");
    t.add<&eigenCal>("eigenCal");
    t.add<&isSymmetric>("isSymmetric");
}

} // namespace daphne
