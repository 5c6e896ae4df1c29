// SPDX-License-Identifier: Apache-2.0
/// Linear systems by conjugate gradients and by generalised minimal residuals,
/// with a preconditioner. Everything is computed in f64, on one thread and in
/// one order, from the stored cells of the matrix: results do not depend on its
/// representation.
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/ActiveRun.h"
#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/csr/StoredValues.h"

namespace daphne {

namespace {

using Vector = std::vector<double>;

/// Stored cells row by row.
struct SparseRows {
    size_t n = 0;
    std::vector<uint64_t> offsets;
    std::vector<uint32_t> columns;
    Vector values;

    /// y = A x
    void multiply(const Vector &x, Vector &y) const {
        for (size_t r : cancellable(n, values.size() / std::max<size_t>(1, n))) {
            double sum = 0;
            for (uint64_t k = offsets[r]; k < offsets[r + 1]; ++k)
                sum += values[k] * x[columns[k]];
            y[r] = sum;
        }
    }
    /// Position of the diagonal cell of a row; the end of the row if it is not stored.
    uint64_t diagonal(size_t r) const {
        auto begin = columns.begin() + static_cast<ptrdiff_t>(offsets[r]);
        auto end = columns.begin() + static_cast<ptrdiff_t>(offsets[r + 1]);
        auto at = std::lower_bound(begin, end, static_cast<uint32_t>(r));
        return at != end && *at == r ? static_cast<uint64_t>(at - columns.begin()) : offsets[r + 1];
    }
};

SparseRows rowsOf(const Matrix &m) {
    if (m.rows() != m.cols())
        throw executionError("needs a square matrix, got " + m.shapeText());
    if (m.cols() > UINT32_MAX)
        throw executionError("a " + m.shapeText() + " matrix is too large");
    Ref<Csr> csr = m.isCsr() ? Ref<Csr>::share(&const_cast<Csr &>(static_cast<const Csr &>(m)))
                             : toCsr(static_cast<const Dense &>(m));
    SparseRows rows;
    rows.n = m.rows();
    uint64_t first = csr->offsets()[0], count = csr->nonZeros();
    for (size_t r = 0; r <= rows.n; ++r)
        rows.offsets.push_back(csr->offsets()[r] - first);
    rows.columns.assign(csr->columns<uint32_t>() + first, csr->columns<uint32_t>() + first + count);
    rows.values.resize(count);
    StoredValues values(*csr, ValueType::F64);
    constexpr size_t kBlock = 4096;
    for (uint64_t k = 0; k < count; k += kBlock) {
        size_t part = std::min<uint64_t>(kBlock, count - k);
        std::copy_n(reinterpret_cast<const double *>(values.at(first + k, part)), part, rows.values.begin() + k);
    }
    return rows;
}

double dot(const Vector &x, const Vector &y) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i)
        sum += x[i] * y[i];
    return sum;
}
double length(const Vector &x) { return std::sqrt(dot(x, x)); }
/// y += a x
void addMultiple(Vector &y, double a, const Vector &x) {
    for (size_t i = 0; i < x.size(); ++i)
        y[i] += a * x[i];
}

[[noreturn]] void breakdown(const std::string &why) { throw executionError("breakdown: " + why); }

// ------------------------------------------------------------ preconditioners

/// z = M r with M about the inverse of A.
using Preconditioner = std::function<void(const Vector &r, Vector &z)>;

Preconditioner jacobi(const SparseRows &a) {
    Vector inverse(a.n);
    for (size_t r = 0; r < a.n; ++r) {
        uint64_t d = a.diagonal(r);
        if (d == a.offsets[r + 1])
            breakdown("the Jacobi preconditioner needs a diagonal without zeros, that of row " + std::to_string(r) +
                      " is 0");
        inverse[r] = 1 / a.values[d];
    }
    return [inverse = std::move(inverse)](const Vector &r, Vector &z) {
        for (size_t i = 0; i < r.size(); ++i)
            z[i] = inverse[i] * r[i];
    };
}

/// The incomplete LU factors of A: stored cells are where A has them.
Preconditioner incompleteFactors(SparseRows lu) {
    std::vector<uint64_t> diagonal(lu.n), at(lu.n, ~uint64_t(0)); // position of a column in the current row
    for (size_t r : cancellable(lu.n, lu.values.size() / std::max<size_t>(1, lu.n))) {
        diagonal[r] = lu.diagonal(r);
        for (uint64_t k = lu.offsets[r]; k < lu.offsets[r + 1]; ++k)
            at[lu.columns[k]] = k;
        for (uint64_t k = lu.offsets[r]; k < lu.offsets[r + 1] && lu.columns[k] < r; ++k) {
            uint32_t above = lu.columns[k];
            double factor = lu.values[k] /= lu.values[diagonal[above]];
            for (uint64_t j = diagonal[above] + 1; j < lu.offsets[above + 1]; ++j)
                if (uint64_t here = at[lu.columns[j]]; here != ~uint64_t(0))
                    lu.values[here] -= factor * lu.values[j];
        }
        for (uint64_t k = lu.offsets[r]; k < lu.offsets[r + 1]; ++k)
            at[lu.columns[k]] = ~uint64_t(0);
        if (diagonal[r] == lu.offsets[r + 1] || lu.values[diagonal[r]] == 0)
            breakdown("pivot " + std::to_string(r) + " of the incomplete LU factors is zero");
    }
    return [lu = std::move(lu), diagonal = std::move(diagonal)](const Vector &r, Vector &z) {
        for (size_t i : cancellable(lu.n, lu.values.size() / std::max<size_t>(1, lu.n))) {
            double x = r[i];
            for (uint64_t k = lu.offsets[i]; k < diagonal[i]; ++k)
                x -= lu.values[k] * z[lu.columns[k]];
            z[i] = x;
        }
        for (size_t i = lu.n; i-- > 0;) {
            double x = z[i];
            for (uint64_t k = diagonal[i] + 1; k < lu.offsets[i + 1]; ++k)
                x -= lu.values[k] * z[lu.columns[k]];
            z[i] = x / lu.values[diagonal[i]];
        }
    };
}

Preconditioner preconditionerNamed(const std::string &name, const SparseRows &a) {
    if (name == "jacobi")
        return jacobi(a);
    if (name == "ilu0")
        return incompleteFactors(a);
    if (name != "none")
        throw executionError("unknown preconditioner \"" + name + "\"")
            .withHint("it is one of \"none\", \"jacobi\" and \"ilu0\"");
    return [](const Vector &r, Vector &z) { z = r; };
}

// -------------------------------------------------------------------- systems

struct System {
    SparseRows a;
    Vector b;
    double tol;
    int64_t maxIter;
    Preconditioner precondition;
    double scale; ///< length of b, or 1 if that is 0
};

System systemOf(KernelCall &call, const Matrix &a, const Dense &b, double tol, int64_t maxIter,
                const std::string &precond) {
    if (a.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    if (b.type() == ValueType::Str)
        wrongArgument(call, 1, "a numeric matrix");
    if (b.cols() != 1 || b.rows() != a.rows())
        throw executionError("needs a right-hand side with one column and as many rows as the matrix, got " +
                             a.shapeText() + " and " + b.shapeText());
    System s{rowsOf(a), Vector(b.rows()), tol, maxIter, {}, 1};
    Ref<Dense> cells = convertMatrix(b, ValueType::F64);
    for (size_t r = 0; r < b.rows(); ++r)
        s.b[r] = cells->view<double>()(r, 0);
    auto isFinite = [](double x) { return std::isfinite(x); };
    if (!std::ranges::all_of(s.a.values, isFinite) || !std::ranges::all_of(s.b, isFinite))
        throw executionError("needs a matrix and a right-hand side without nan and inf");
    s.precondition = preconditionerNamed(precond, s.a);
    if (double size = length(s.b); size > 0)
        s.scale = size;
    return s;
}

/// r = b - A x
Vector residual(const System &s, const Vector &x) {
    Vector r(s.a.n);
    s.a.multiply(x, r);
    for (size_t i = 0; i < r.size(); ++i)
        r[i] = s.b[i] - r[i];
    return r;
}

std::array<Value, 3> solution(const System &s, const Vector &x, int64_t iterations) {
    auto result = Dense::create(ValueType::F64, x.size(), 1);
    std::ranges::copy(x, result->mutableView<double>().data);
    return {Value(result), Value::scalar(iterations), Value::scalar(length(residual(s, x)) / s.scale)};
}

std::array<Value, 3> cg(KernelCall &call, const Matrix &a, const Dense &b, double tol, int64_t maxIter,
                        const std::string &precond) {
    System s = systemOf(call, a, b, tol, maxIter, precond);
    Vector x(s.a.n), r = s.b, z(s.a.n), direction(s.a.n), product(s.a.n);
    double energy = 0;
    int64_t iterations = 0;
    for (; iterations < s.maxIter && length(r) > s.tol * s.scale; ++iterations) {
        throwIfCancelled();
        s.precondition(r, z);
        double next = dot(r, z);
        if (!(next > 0))
            breakdown("the preconditioned residual is not positive; the matrix or its preconditioner is not positive "
                      "definite");
        for (size_t i = 0; i < x.size(); ++i)
            direction[i] = z[i] + (iterations ? next / energy * direction[i] : 0);
        energy = next;
        s.a.multiply(direction, product);
        double curvature = dot(direction, product);
        if (!(curvature > 0))
            breakdown("the matrix is not positive definite");
        addMultiple(x, energy / curvature, direction);
        addMultiple(r, -energy / curvature, product);
    }
    return solution(s, x, iterations);
}

/// One round of at most `restart` steps from x, which it improves; the number of steps. Preconditioned on the right, so
/// that residuals are those of the system itself.
int64_t minimise(const System &s, Vector &x, size_t restart, int64_t most) {
    Vector r = residual(s, x);
    double size = length(r);
    std::vector<Vector> basis{r};
    for (double &v : basis[0])
        v /= size;
    std::vector<Vector> columns; // of the Hessenberg matrix, made triangular by rotations
    std::vector<std::pair<double, double>> rotations;
    Vector rhs{size};
    Vector z(s.a.n);
    while (columns.size() < restart && static_cast<int64_t>(columns.size()) < most &&
           std::abs(rhs.back()) > s.tol * s.scale) {
        throwIfCancelled();
        size_t j = columns.size();
        Vector w(s.a.n), h(j + 2);
        s.precondition(basis[j], z);
        s.a.multiply(z, w);
        double before = length(w);
        for (size_t i = 0; i <= j; ++i) {
            h[i] = dot(w, basis[i]);
            addMultiple(w, -h[i], basis[i]);
        }
        h[j + 1] = length(w);
        bool isComplete = h[j + 1] <= 1e-14 * before; // nothing new: the solution lies in the space
        for (size_t i = 0; i < j; ++i) {
            auto [c, t] = rotations[i];
            double upper = c * h[i] + t * h[i + 1];
            h[i + 1] = c * h[i + 1] - t * h[i];
            h[i] = upper;
        }
        if (isComplete)
            h[j + 1] = 0;
        double radius = std::hypot(h[j], h[j + 1]);
        if (!(radius > 1e-14 * before))
            breakdown("the matrix is singular");
        double c = h[j] / radius, t = h[j + 1] / radius, below = h[j + 1];
        rotations.emplace_back(c, t);
        h[j] = radius;
        rhs.push_back(-t * rhs[j]);
        rhs[j] *= c;
        h.resize(j + 1);
        columns.push_back(std::move(h));
        if (below == 0)
            break;
        for (double &v : w)
            v /= below;
        basis.push_back(std::move(w));
    }
    size_t steps = columns.size();
    Vector y(steps), sum(s.a.n);
    for (size_t i = steps; i-- > 0;) {
        y[i] = rhs[i];
        for (size_t j = i + 1; j < steps; ++j)
            y[i] -= columns[j][i] * y[j];
        y[i] /= columns[i][i];
        addMultiple(sum, y[i], basis[i]);
    }
    s.precondition(sum, z);
    addMultiple(x, 1, z);
    return static_cast<int64_t>(steps);
}

std::array<Value, 3> gmres(KernelCall &call, const Matrix &a, const Dense &b, double tol, int64_t maxIter,
                           const std::string &precond, size_t restart) {
    if (restart == 0)
        throw executionError("needs at least one iteration before it starts again, got 0");
    System s = systemOf(call, a, b, tol, maxIter, precond);
    Vector x(s.a.n);
    int64_t iterations = 0;
    while (iterations < s.maxIter && length(residual(s, x)) > s.tol * s.scale)
        iterations += minimise(s, x, restart, s.maxIter - iterations);
    return solution(s, x, iterations);
}

} // namespace

void addIterativeSolvers(KernelTable &t) {
    t.add<&cg>("cg");
    t.add<&gmres>("gmres");
}

} // namespace daphne
