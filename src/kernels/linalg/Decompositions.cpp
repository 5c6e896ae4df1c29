// SPDX-License-Identifier: Apache-2.0
/// LU, QR, singular value and Cholesky decompositions, inverse and determinant,
/// by LAPACK. f32 is computed in f32, everything else in f64. Signs that LAPACK
/// leaves open are fixed: qr has no negative number on the diagonal of R; in svd
/// the first cell of largest magnitude in every column of U is positive.
#include "kernels/linalg/Decompositions.h"

#include <cmath>

#include <lapacke.h>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/products/ColumnMajor.h"

namespace daphne {

namespace {

/// The "work" variants do not reject NaN: ill-posed problems yield numbers, not errors.
template <class T> struct Lapack;
template <> struct Lapack<double> {
    static constexpr auto kGetrf = &LAPACKE_dgetrf_work;
    static constexpr auto kGetri = &LAPACKE_dgetri_work;
    static constexpr auto kGeqrf = &LAPACKE_dgeqrf_work;
    static constexpr auto kOrgqr = &LAPACKE_dorgqr_work;
    static constexpr auto kGesdd = &LAPACKE_dgesdd_work;
    static constexpr auto kPotrf = &LAPACKE_dpotrf_work;
};
template <> struct Lapack<float> {
    static constexpr auto kGetrf = &LAPACKE_sgetrf_work;
    static constexpr auto kGetri = &LAPACKE_sgetri_work;
    static constexpr auto kGeqrf = &LAPACKE_sgeqrf_work;
    static constexpr auto kOrgqr = &LAPACKE_sorgqr_work;
    static constexpr auto kGesdd = &LAPACKE_sgesdd_work;
    static constexpr auto kPotrf = &LAPACKE_spotrf_work;
};

/// A negative status means that we passed a wrong argument.
void needAccepted(int status, std::string_view function) {
    if (status < 0)
        throw internalError(std::string(function) + " rejected argument " + std::to_string(-status));
}

/// Runs call(work, size) twice: first with size -1, which asks for the best size of the work space.
template <class T, class F> int withWorkSpace(std::string_view function, F &&call) {
    T wanted = 0;
    needAccepted(call(&wanted, -1), function);
    // The answer is a floating-point number, rounded to nearest.
    double size = std::max(1.0, std::ceil(static_cast<double>(wanted) * (1 + 1e-6)));
    if (size > INT_MAX)
        throw executionError("the matrix is too large");
    std::vector<T> work(static_cast<size_t>(size));
    int status = call(work.data(), static_cast<int>(work.size()));
    needAccepted(status, function);
    return status;
}

/// f<T>(matrix) with the type of computation.
template <class F> auto inFloats(KernelCall &call, const Dense &m, F &&f) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    return m.type() == ValueType::F32 ? f(TypeTag<float>{}) : f(TypeTag<double>{});
}

/// The cells as a matrix. Whether a zero is negative says nothing here: none is.
template <class T> Ref<Dense> result(ColumnMajor<T> &m) {
    for (T &x : m.cells)
        x += T(0);
    return rowMajor(m);
}

// ------------------------------------------------------------------------- LU

/// Both factors in one matrix, as LAPACK returns them: U on and above the diagonal, below it L without its ones.
template <class T> struct Factors {
    ColumnMajor<T> lu;
    std::vector<int> pivots; ///< row i was exchanged with row pivots[i] - 1, one after the other
    int zeroPivot;           ///< position of the first pivot that is exactly zero, counted from 1; 0 if there is none
};

template <class T> Factors<T> factorise(const Dense &m) {
    Factors<T> f{columnMajor<T>(m), std::vector<int>(std::min(m.rows(), m.cols())), 0};
    if (m.cells() == 0)
        return f;
    f.zeroPivot = Lapack<T>::kGetrf(LAPACK_COL_MAJOR, f.lu.numRows(), f.lu.numCols(), f.lu.data(), f.lu.stride(),
                                    f.pivots.data());
    needAccepted(f.zeroPivot, "getrf");
    return f;
}

/// L, U, P with P @ A = L @ U: A is m x n, P m x m, L m x k, U k x n with k = min(m, n).
template <class T> std::array<Value, 3> luAs(const Dense &a) {
    auto f = factorise<T>(a);
    size_t k = f.pivots.size();
    ColumnMajor<T> l(a.rows(), k), u(k, a.cols());
    for (size_t c = 0; c < a.cols(); ++c)
        for (size_t r : cancellableRows(a)) {
            if (r <= c)
                u(r, c) = f.lu(r, c);
            else
                l(r, c) = f.lu(r, c);
        }
    for (size_t i = 0; i < k; ++i)
        l(i, i) = 1;
    std::vector<size_t> origin(a.rows()); // row r of P @ A is row origin[r] of A
    for (size_t r = 0; r < origin.size(); ++r)
        origin[r] = r;
    for (size_t i = 0; i < k; ++i)
        std::swap(origin[i], origin[static_cast<size_t>(f.pivots[i]) - 1]);
    auto p = Dense::create(valueTypeOf<T>(), a.rows(), a.rows(), Buffer::Init::Zero);
    auto permutation = p->template mutableView<T>();
    for (size_t r = 0; r < origin.size(); ++r)
        permutation(r, origin[r]) = 1;
    return {Value(result(l)), Value(result(u)), Value(p)};
}

std::array<Value, 3> lu(KernelCall &call, const Dense &m) {
    return inFloats(call, m, [&]<class T>(TypeTag<T>) { return luAs<T>(m); });
}

template <class T> Value inverseAs(const Dense &m) {
    auto f = factorise<T>(m);
    if (f.zeroPivot > 0)
        throw executionError("the matrix is singular: pivot " + std::to_string(f.zeroPivot - 1) + " of its " +
                             m.shapeText() + " LU decomposition is zero");
    if (m.cells() > 0)
        withWorkSpace<T>("getri", [&](T *work, int size) {
            return Lapack<T>::kGetri(LAPACK_COL_MAJOR, f.lu.numRows(), f.lu.data(), f.lu.stride(), f.pivots.data(),
                                     work, size);
        });
    return result(f.lu);
}

Value inverse(KernelCall &call, const Dense &m) {
    needSquare(m);
    return inFloats(call, m, [&]<class T>(TypeTag<T>) { return inverseAs<T>(m); });
}

/// The product of the pivots; every exchange of rows changes its sign.
template <class T> Value determinantAs(const Dense &m) {
    auto f = factorise<T>(m);
    T product = 1;
    for (size_t i = 0; i < f.pivots.size(); ++i) {
        product *= f.lu(i, i);
        if (static_cast<size_t>(f.pivots[i]) != i + 1)
            product = -product;
    }
    return Value::scalar(product + T(0));
}

Value determinant(KernelCall &call, const Dense &m) {
    needSquare(m);
    return inFloats(call, m, [&]<class T>(TypeTag<T>) { return determinantAs<T>(m); });
}

// ------------------------------------------------------------------------- QR

/// Q and R with A = Q @ R: A is m x n, Q m x k with orthonormal columns, R k x n upper triangular, k = min(m, n).
template <class T> std::array<Value, 2> qrAs(const Dense &a) {
    size_t m = a.rows(), n = a.cols(), k = std::min(m, n);
    auto factors = columnMajor<T>(a);
    ColumnMajor<T> q(m, k), r(k, n);
    if (k == 0)
        return {Value(result(q)), Value(result(r))};
    std::vector<T> reflectors(k);
    withWorkSpace<T>("geqrf", [&](T *work, int size) {
        return Lapack<T>::kGeqrf(LAPACK_COL_MAJOR, factors.numRows(), factors.numCols(), factors.data(),
                                 factors.stride(), reflectors.data(), work, size);
    });
    for (size_t c = 0; c < n; ++c)
        for (size_t row = 0; row <= std::min(c, k - 1); ++row)
            r(row, c) = factors(row, c);
    std::copy_n(factors.cells.begin(), m * k, q.cells.begin());
    withWorkSpace<T>("orgqr", [&](T *work, int size) {
        return Lapack<T>::kOrgqr(LAPACK_COL_MAJOR, q.numRows(), q.numCols(), q.numCols(), q.data(), q.stride(),
                                 reflectors.data(), work, size);
    });
    for (size_t i = 0; i < k; ++i) {
        if (!std::signbit(r(i, i)))
            continue;
        for (size_t c = i; c < n; ++c)
            r(i, c) = -r(i, c);
        for (size_t row = 0; row < m; ++row)
            q(row, i) = -q(row, i);
    }
    return {Value(result(q)), Value(result(r))};
}

std::array<Value, 2> qr(KernelCall &call, const Dense &m) {
    return inFloats(call, m, [&]<class T>(TypeTag<T>) { return qrAs<T>(m); });
}

// ------------------------------------------------------------ singular values

template <class T> struct Singular {
    ColumnMajor<T> u, vTransposed; ///< empty if only the values are wanted
    Ref<Dense> values;             ///< k x 1, descending
};

enum class Vectors : char { None = 'N', Thin = 'S' };

/// The cells are overwritten; they must be finite, and there must be some.
template <class T> Singular<T> singular(ColumnMajor<T> a, Vectors vectors) {
    size_t k = std::min(a.rows, a.cols);
    constexpr size_t kMost = 20'000; // the work space of gesdd, about 4 k^2, must fit an int
    if (k > kMost)
        throw executionError("the matrix is too large");
    bool thin = vectors == Vectors::Thin;
    Singular<T> s{
        {thin ? a.rows : 0, thin ? k : 0}, {thin ? k : 0, thin ? a.cols : 0}, Dense::create(valueTypeOf<T>(), k, 1)};
    std::vector<int> integers(8 * k);
    int status = withWorkSpace<T>("gesdd", [&](T *work, int size) {
        return Lapack<T>::kGesdd(LAPACK_COL_MAJOR, static_cast<char>(vectors), a.numRows(), a.numCols(), a.data(),
                                 a.stride(), s.values->template mutableView<T>().data, s.u.data(), s.u.stride(),
                                 s.vTransposed.data(), s.vTransposed.stride(), work, size, integers.data());
    });
    if (status > 0)
        throw executionError("the singular values of the " + std::to_string(a.rows) + "x" + std::to_string(a.cols) +
                             " matrix did not converge");
    return s;
}

template <class T> bool allFinite(const ColumnMajor<T> &m) {
    return std::all_of(m.cells.begin(), m.cells.end(), [](T x) { return std::isfinite(x); });
}

/// Makes the first cell of largest magnitude in column j of U positive.
template <class T> void fixSign(Singular<T> &s, size_t j) {
    size_t largest = 0;
    for (size_t r = 1; r < s.u.rows; ++r)
        if (std::abs(s.u(r, j)) > std::abs(s.u(largest, j)))
            largest = r;
    if (!(s.u(largest, j) < 0))
        return;
    for (size_t r : cancellableRows(s.u))
        s.u(r, j) = -s.u(r, j);
    for (size_t c = 0; c < s.vTransposed.cols; ++c)
        s.vTransposed(j, c) = -s.vTransposed(j, c);
}

/// U, s, V with A = U @ diagMatrix(s) @ t(V): A is m x n, U m x k, V n x k with orthonormal columns, k = min(m, n).
template <class T> std::array<Value, 3> svdAs(const Dense &m) {
    auto a = columnMajor<T>(m);
    size_t k = std::min(m.rows(), m.cols());
    if (k == 0)
        return {Value(Dense::create(valueTypeOf<T>(), m.rows(), 0)), Value(Dense::create(valueTypeOf<T>(), 0, 1)),
                Value(Dense::create(valueTypeOf<T>(), m.cols(), 0))};
    if (!allFinite(a))
        throw executionError("needs a matrix without nan and inf");
    auto s = singular<T>(std::move(a), Vectors::Thin);
    for (size_t j = 0; j < k; ++j)
        fixSign(s, j);
    // t(V) column by column is V row by row.
    auto v = Dense::create(valueTypeOf<T>(), m.cols(), k);
    std::transform(s.vTransposed.cells.begin(), s.vTransposed.cells.end(), v->template mutableView<T>().data,
                   [](T x) { return x + T(0); });
    return {Value(result(s.u)), Value(s.values), Value(v)};
}

std::array<Value, 3> svd(KernelCall &call, const Dense &m) {
    return inFloats(call, m, [&]<class T>(TypeTag<T>) { return svdAs<T>(m); });
}

template <class T> Value spectralNormAs(const Dense &m) {
    auto a = columnMajor<T>(m);
    if (a.cells.empty())
        return Value::scalar(T(0));
    if (!allFinite(a)) {
        bool nan = std::any_of(a.cells.begin(), a.cells.end(), [](T x) { return std::isnan(x); });
        return Value::scalar(nan ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity());
    }
    return Value::scalar(singular<T>(std::move(a), Vectors::None).values->template view<T>()(0, 0));
}

// ------------------------------------------------------------------- Cholesky

/// The lower triangular L with A = L @ t(L).
template <class T> Value choleskyAs(const Dense &m) {
    if (!withNumericType(m.type(), [&]<class Cell>(TypeTag<Cell>) { return isSymmetricAs<Cell>(m); }))
        throw executionError("needs a symmetric matrix");
    auto l = columnMajor<T>(m);
    size_t failed = 0; // size of the first leading block that is not positive definite
    if (m.cells() > 0) {
        int status = Lapack<T>::kPotrf(LAPACK_COL_MAJOR, 'L', l.numRows(), l.data(), l.stride());
        needAccepted(status, "potrf");
        failed = static_cast<size_t>(status);
    }
    for (size_t i = 0; i < l.rows && !failed; ++i)
        if (std::isnan(l(i, i))) // LAPACK lets it pass
            failed = i + 1;
    if (failed)
        throw executionError("the matrix is not positive definite: the determinant of its first " +
                             std::to_string(failed) + " rows and columns is not positive");
    for (size_t c = 1; c < l.cols; ++c)
        std::fill_n(&l(0, c), c, T(0));
    return result(l);
}

Value cholesky(KernelCall &call, const Dense &m) {
    needSquare(m);
    return inFloats(call, m, [&]<class T>(TypeTag<T>) { return choleskyAs<T>(m); });
}

} // namespace

Value spectralNorm(const Dense &m) {
    return m.type() == ValueType::F32 ? spectralNormAs<float>(m) : spectralNormAs<double>(m);
}

void addDecompositions(KernelTable &t) {
    t.add<&lu>("lu");
    t.add<&inverse>("inv");
    t.add<&determinant>("det");
    t.add<&qr>("qr");
    t.add<&svd>("svd");
    t.add<&cholesky>("cholesky");
}

} // namespace daphne
