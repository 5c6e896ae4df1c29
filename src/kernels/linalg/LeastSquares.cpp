// SPDX-License-Identifier: Apache-2.0
/// Least squares, pseudo-inverses and eigenvalues of any square matrix, by
/// LAPACK in f64; f32 is rounded at the end. nan and inf are errors.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <complex>
#include <numeric>

#include <lapacke.h>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/products/ColumnMajor.h"

namespace daphne {

namespace {

void needNumbers(const KernelCall &call, size_t i, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix");
}

ColumnMajor<double> finiteCells(const Dense &m) {
    auto cells = columnMajor<double>(m);
    if (!std::ranges::all_of(cells.cells, [](double x) { return std::isfinite(x); }))
        throw executionError("needs a matrix without nan and inf");
    return cells;
}

void needResult(int status, const Dense &m, const char *what, const char *function) {
    if (status == LAPACK_WORK_MEMORY_ERROR)
        throw executionError("out of memory for " + std::string(what) + " of a " + m.shapeText() + " matrix");
    if (status > 0)
        throw executionError(std::string(what) + " of the " + m.shapeText() + " matrix did not converge");
    if (status < 0)
        throw internalError(std::string(function) + " rejected argument " + std::to_string(-status));
}

Value asFloats(const ColumnMajor<double> &m, ValueType type) { return convertMatrix(*rowMajor(m), type); }

/// Singular values of at most this share of the largest one are 0.
double smallShare(const Dense &m, ValueType type) {
    return static_cast<double>(std::max(m.rows(), m.cols())) * (type == ValueType::F32 ? FLT_EPSILON : DBL_EPSILON);
}

// -------------------------------------------------------- pseudo-inverse

/// t(U), s and V without the parts that belong to singular values that count as 0.
struct Singular {
    ColumnMajor<double> u, vt;
    std::vector<double> values;
    size_t rank = 0;
};

Singular singularValues(const Dense &a, double share) {
    auto cells = finiteCells(a);
    size_t k = std::min(a.rows(), a.cols());
    Singular s{ColumnMajor<double>(a.rows(), k), ColumnMajor<double>(k, a.cols()), std::vector<double>(k)};
    if (k == 0)
        return s;
    int status = LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'S', cells.numRows(), cells.numCols(), cells.data(), cells.stride(),
                                s.values.data(), s.u.data(), s.u.stride(), s.vt.data(), s.vt.stride());
    needResult(status, a, "the singular values", "gesdd");
    while (s.rank < k && s.values[s.rank] > share * s.values[0])
        ++s.rank;
    return s;
}

/// V @ diagMatrix(1 / s) @ t(U) @ b for every column of b.
ColumnMajor<double> solveBySingularValues(const Singular &s, const ColumnMajor<double> &b) {
    ColumnMajor<double> x(s.vt.cols, b.cols);
    for (size_t c = 0; c < b.cols; ++c)
        for (size_t k : cancellable(s.rank, b.rows + x.rows)) {
            double share = 0;
            for (size_t r = 0; r < b.rows; ++r)
                share += s.u(r, k) * b(r, c);
            share /= s.values[k];
            for (size_t r = 0; r < x.rows; ++r)
                x(r, c) += s.vt(k, r) * share;
        }
    return x;
}

Value lstsq(KernelCall &call, const Dense &a, const Dense &b) {
    needNumbers(call, 0, a);
    needNumbers(call, 1, b);
    if (a.rows() != b.rows())
        throw executionError("needs equal numbers of rows, got " + a.shapeText() + " and " + b.shapeText());
    ValueType type = mostGeneral(a.type(), b.type()) == ValueType::F32 ? ValueType::F32 : ValueType::F64;
    return asFloats(solveBySingularValues(singularValues(a, smallShare(a, type)), finiteCells(b)), type);
}

Value pinv(KernelCall &call, const Dense &a) {
    needNumbers(call, 0, a);
    ValueType type = a.type() == ValueType::F32 ? ValueType::F32 : ValueType::F64;
    Singular s = singularValues(a, smallShare(a, type));
    ColumnMajor<double> result(a.cols(), a.rows());
    for (size_t k : cancellable(s.rank, result.cols * result.rows))
        for (size_t c = 0; c < result.cols; ++c)
            for (size_t r = 0; r < result.rows; ++r)
                result(r, c) += s.vt(k, r) / s.values[k] * s.u(c, k);
    return asFloats(result, type);
}

// ------------------------------------------------------------ eigenvalues

using Complex = std::complex<double>;

/// Length 1, the largest component real and positive. Of components that differ by rounding errors the first one.
void normalise(std::vector<Complex> &v) {
    constexpr double kAlike = 1e-10;
    double square = 0, largest = 0;
    for (Complex x : v) {
        square += std::norm(x);
        largest = std::max(largest, std::abs(x));
    }
    auto at = std::ranges::find_if(v, [&](Complex x) { return std::abs(x) >= largest * (1 - kAlike); });
    if (at == v.end() || largest == 0)
        return;
    Complex factor = std::conj(*at) / (std::abs(*at) * std::sqrt(square));
    for (Complex &x : v)
        x *= factor;
    *at = at->real();
}

std::array<Value, 4> eigenGeneral(KernelCall &call, const Dense &m) {
    needNumbers(call, 0, m);
    needSquare(m);
    size_t n = m.rows();
    ValueType type = m.type() == ValueType::F32 ? ValueType::F32 : ValueType::F64;
    auto cells = finiteCells(m);
    ColumnMajor<double> vectors(n, n), re(n, 1), im(n, 1), vre(n, n), vim(n, n);
    std::vector<double> real(n), imaginary(n);
    if (n > 0)
        needResult(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', cells.numRows(), cells.data(), cells.stride(), real.data(),
                                 imaginary.data(), nullptr, 1, vectors.data(), vectors.stride()),
                   m, "the eigenvalues", "geev");
    std::vector<size_t> order(n);
    std::iota(order.begin(), order.end(), size_t(0));
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
        return real[a] < real[b] || (real[a] == real[b] && imaginary[a] < imaginary[b]);
    });
    for (size_t to = 0; to < n; ++to) {
        size_t from = order[to];
        // Of a conjugate pair, the one with the positive imaginary part first, columns are real and imaginary parts.
        double sign = imaginary[from] > 0 ? 1 : imaginary[from] < 0 ? -1 : 0;
        size_t first = sign < 0 ? from - 1 : from;
        std::vector<Complex> vector(n);
        for (size_t r = 0; r < n; ++r)
            vector[r] = Complex(vectors(r, first), sign == 0 ? 0 : sign * vectors(r, first + 1));
        normalise(vector);
        re(to, 0) = real[from] + 0.0;
        im(to, 0) = imaginary[from] + 0.0;
        for (size_t r = 0; r < n; ++r) {
            vre(r, to) = vector[r].real() + 0.0;
            vim(r, to) = vector[r].imag() + 0.0;
        }
    }
    return {asFloats(re, type), asFloats(im, type), asFloats(vre, type), asFloats(vim, type)};
}

} // namespace

void addLeastSquares(KernelTable &t) {
    t.add<&lstsq>("lstsq");
    t.add<&pinv>("pinv");
    t.add<&eigenGeneral>("eigenGeneral");
}

} // namespace daphne
