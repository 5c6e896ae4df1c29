// SPDX-License-Identifier: Apache-2.0
/// solve, eigenCal, isSymmetric. LAPACK works on column-major copies; its
/// functions of two precisions are overloaded below.
#include <cmath>

#include <lapacke.h>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/products/ColumnMajor.h"

namespace daphne {

namespace {

// The "work" variants do not reject NaN: ill-posed systems yield numbers, not errors.
int gesv(int n, int numRhs, double *a, int *pivots, double *b) {
    return LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, numRhs, a, n, pivots, b, n);
}
int gesv(int n, int numRhs, float *a, int *pivots, float *b) {
    return LAPACKE_sgesv_work(LAPACK_COL_MAJOR, n, numRhs, a, n, pivots, b, n);
}
int syevd(int n, double *a, double *values) { return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values); }
int syevd(int n, float *a, float *values) { return LAPACKE_ssyevd(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, values); }

template <class T> Value solveAs(ValueType type, const Dense &a, const Dense &b) {
    size_t n = a.rows(), numRhs = b.cols();
    if (n == 0 || numRhs == 0)
        return Dense::create(type, n, numRhs);
    auto lu = columnMajor<T>(a), x = columnMajor<T>(b);
    std::vector<int> pivots(n);
    int info = gesv(lu.numRows(), x.numCols(), lu.data(), pivots.data(), x.data());
    if (info > 0)
        throw executionError("the matrix is singular: pivot " + std::to_string(info - 1) + " of its " + a.shapeText() +
                             " LU decomposition is zero");
    if (info < 0)
        throw internalError("gesv rejected argument " + std::to_string(-info));
    return rowMajor(x);
}

Value solve(KernelCall &call, const Dense &a, const Dense &b) {
    for (size_t i = 0; i < 2; ++i)
        if (call.args[i].dense().type() == ValueType::Str)
            wrongArgument(call, i, "a numeric matrix");
    needSquare(a);
    if (a.rows() != b.rows())
        throw executionError("needs equal numbers of rows, got " + a.shapeText() + " and " + b.shapeText());
    ValueType g = mostGeneral(a.type(), b.type());
    return g == ValueType::F32 ? solveAs<float>(g, a, b) : solveAs<double>(ValueType::F64, a, b);
}

template <class T> bool allFinite(const Dense &m) {
    auto v = m.view<T>();
    for (size_t r : cancellableRows(v))
        for (size_t c = 0; c < v.cols; ++c)
            if (!std::isfinite(v(r, c)))
                return false;
    return true;
}

template <class T> std::array<Value, 2> eigenAs(const Dense &m) {
    if (!allFinite<T>(m))
        throw executionError("needs a matrix without nan and inf");
    if (!isSymmetricAs<T>(m))
        throw executionError("needs a symmetric matrix");
    size_t n = m.rows();
    auto values = Dense::create(m.type(), n, 1);
    if (n == 0)
        return {Value(values), Value(Dense::create(m.type(), 0, 0))};
    auto vectors = columnMajor<T>(m);
    int info = syevd(vectors.numRows(), vectors.data(), values->template mutableView<T>().data);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        throw executionError("out of memory for the eigenvectors of a " + m.shapeText() + " matrix");
    if (info > 0)
        throw executionError("the eigenvalues of the " + m.shapeText() + " matrix did not converge");
    if (info < 0)
        throw internalError("syevd rejected argument " + std::to_string(-info));
    return {Value(values), Value(rowMajor(vectors))};
}

std::array<Value, 2> eigenCal(KernelCall &call, const Dense &m) {
    if (!isFloat(m.type()))
        wrongArgument(call, 0, "a matrix of f64 or f32");
    needSquare(m);
    return m.type() == ValueType::F32 ? eigenAs<float>(m) : eigenAs<double>(m);
}

Value isSymmetric(KernelCall &, const Dense &m) {
    needSquare(m);
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) { return Value::scalar(isSymmetricAs<T>(m)); });
}

} // namespace

void addLinearAlgebra(KernelTable &t) {
    t.add<&solve>("solve");
    t.add<&eigenCal>("eigenCal");
    t.add<&isSymmetric>("isSymmetric");
}

} // namespace daphne
