// SPDX-License-Identifier: Apache-2.0
/// Every decomposition is multiplied out by three loops and compared with its argument.
#include <cmath>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

template <class T> Value randomMatrix(size_t rows, size_t cols, uint32_t seed) {
    std::mt19937 gen(seed);
    std::normal_distribution<double> draw;
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->template mutableView<T>().data[i] = static_cast<T>(draw(gen));
    return m;
}

/// The definition, in double.
struct Plain {
    size_t rows, cols;
    std::vector<double> cells;
    double &operator()(size_t r, size_t c) { return cells[r * cols + c]; }
};

Plain plain(const Value &v) {
    auto f64 = cast(v, ValueKind::None, ValueType::F64);
    return {v.dense().rows(), v.dense().cols(), cells<double>(f64)};
}
Plain times(Plain a, Plain b) {
    EXPECT_EQ(a.cols, b.rows);
    Plain c{a.rows, b.cols, std::vector<double>(a.rows * b.cols)};
    for (size_t i = 0; i < a.rows; ++i)
        for (size_t j = 0; j < b.cols; ++j)
            for (size_t k = 0; k < a.cols; ++k)
                c(i, j) += a(i, k) * b(k, j);
    return c;
}
Plain transposed(Plain a) {
    Plain t{a.cols, a.rows, std::vector<double>(a.cells.size())};
    for (size_t i = 0; i < a.rows; ++i)
        for (size_t j = 0; j < a.cols; ++j)
            t(j, i) = a(i, j);
    return t;
}
Plain diagonal(Plain column) {
    Plain d{column.rows, column.rows, std::vector<double>(column.rows * column.rows)};
    for (size_t i = 0; i < column.rows; ++i)
        d(i, i) = column(i, 0);
    return d;
}
Plain identity(size_t n) { return diagonal({n, 1, std::vector<double>(n, 1)}); }

void expectNear(const Plain &a, const Plain &b, double tolerance) {
    ASSERT_EQ(a.rows, b.rows);
    ASSERT_EQ(a.cols, b.cols);
    for (size_t i = 0; i < a.cells.size(); ++i)
        ASSERT_NEAR(a.cells[i], b.cells[i], tolerance) << "cell " << i;
}

struct Shape {
    size_t rows, cols;
};
constexpr Shape kShapes[] = {{1, 1}, {2, 2}, {5, 3}, {3, 5}, {40, 40}, {70, 33},
                               {33, 70}, {1, 9}, {9, 1}, {0, 3}, {3, 0}};

template <class T> class DecompositionOf : public testing::Test {
  protected:
    static constexpr double tolerance = std::is_same_v<T, float> ? 2e-4 : 1e-11;
};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(DecompositionOf, FloatTypes);

TYPED_TEST(DecompositionOf, LuMultipliesToThePermutedMatrix) {
    for (Shape shape : kShapes) {
        Value a = randomMatrix<TypeParam>(shape.rows, shape.cols, 1);
        auto f = runAll("lu", {windowed(a)}, 3);
        Plain l = plain(f[0]), u = plain(f[1]), p = plain(f[2]);
        expectNear(times(p, plain(a)), times(l, u), this->tolerance);
        expectNear(times(p, transposed(p)), identity(shape.rows), 0);
        for (size_t r = 0; r < l.rows; ++r)
            for (size_t c = 0; c < l.cols; ++c) {
                ASSERT_LE(std::abs(l(r, c)), 1);
                ASSERT_TRUE(c < r || l(r, c) == (c == r));
            }
        for (size_t r = 0; r < u.rows; ++r)
            for (size_t c = 0; c < r && c < u.cols; ++c)
                ASSERT_EQ(u(r, c), 0);
    }
}

TYPED_TEST(DecompositionOf, QrHasOrthonormalColumnsAndAPositiveDiagonal) {
    for (Shape shape : kShapes) {
        Value a = randomMatrix<TypeParam>(shape.rows, shape.cols, 2);
        auto f = runAll("qr", {windowed(a)}, 2);
        Plain q = plain(f[0]), r = plain(f[1]);
        expectNear(times(q, r), plain(a), this->tolerance);
        expectNear(times(transposed(q), q), identity(q.cols), this->tolerance);
        for (size_t i = 0; i < r.rows; ++i) {
            ASSERT_GE(r(i, i), 0);
            for (size_t c = 0; c < i; ++c)
                ASSERT_EQ(r(i, c), 0);
        }
    }
}

TYPED_TEST(DecompositionOf, SvdHasDescendingValuesAndFixedSigns) {
    for (Shape shape : kShapes) {
        Value a = randomMatrix<TypeParam>(shape.rows, shape.cols, 3);
        auto f = runAll("svd", {windowed(a)}, 3);
        Plain u = plain(f[0]), s = plain(f[1]), v = plain(f[2]);
        if (shape.rows && shape.cols)
            expectNear(times(times(u, diagonal(s)), transposed(v)), plain(a), this->tolerance);
        expectNear(times(transposed(u), u), identity(u.cols), this->tolerance);
        expectNear(times(transposed(v), v), identity(v.cols), this->tolerance);
        for (size_t i = 0; i < s.rows; ++i) {
            ASSERT_GE(s(i, 0), 0);
            ASSERT_TRUE(i == 0 || s(i, 0) <= s(i - 1, 0));
            double largest = 0;
            for (size_t r = 0; r < u.rows; ++r)
                if (std::abs(u(r, i)) > std::abs(largest))
                    largest = u(r, i);
            ASSERT_GT(largest, 0);
        }
        double norm = run("norm", {a, number(2)}).as<double>();
        EXPECT_NEAR(norm, s.rows ? s(0, 0) : 0, this->tolerance);
    }
}

TYPED_TEST(DecompositionOf, CholeskyMultipliesToTheMatrix) {
    for (size_t n : {0, 1, 2, 7, 60}) {
        Value x = randomMatrix<TypeParam>(2 * n + 1, n, 4);
        Value a = run("syrk", {x});
        Plain l = plain(run("cholesky", {windowed(a)}));
        expectNear(times(l, transposed(l)), plain(a), this->tolerance * 10);
        for (size_t r = 0; r < n; ++r)
            for (size_t c = r + 1; c < n; ++c)
                ASSERT_EQ(l(r, c), 0);
    }
}

TYPED_TEST(DecompositionOf, InverseTimesTheMatrixIsTheIdentity) {
    for (size_t n : {0, 1, 2, 7, 60}) {
        Value a = randomMatrix<TypeParam>(n, n, 5);
        expectNear(times(plain(run("inv", {windowed(a)})), plain(a)), identity(n), this->tolerance * 50);
    }
}

/// Sum over all permutations, by expansion along the first row.
double expandedDeterminant(Plain m) {
    if (m.rows == 0)
        return 1;
    double sum = 0;
    for (size_t k = 0; k < m.cols; ++k) {
        Plain minor{m.rows - 1, m.cols - 1, {}};
        for (size_t r = 1; r < m.rows; ++r)
            for (size_t c = 0; c < m.cols; ++c)
                if (c != k)
                    minor.cells.push_back(m(r, c));
        sum += (k % 2 ? -1 : 1) * m(0, k) * expandedDeterminant(minor);
    }
    return sum;
}

TYPED_TEST(DecompositionOf, DeterminantEqualsItsExpansion) {
    for (size_t n : {0, 1, 2, 3, 4, 6})
        for (uint32_t seed : {1, 2, 3, 4}) {
            Value a = randomMatrix<TypeParam>(n, n, seed);
            EXPECT_NEAR(run("det", {a}).as<double>(), expandedDeterminant(plain(a)), this->tolerance);
        }
}

TEST(Decompositions, OfIntegersAreF64) {
    Value a = matrix<int64_t>(2, 2, {4, 2, 2, 5});
    for (auto [op, count] : {std::pair{"lu", 3}, {"qr", 2}, {"svd", 3}, {"cholesky", 1}, {"inv", 1}})
        for (const Value &result : runAll(op, {a}, size_t(count)))
            EXPECT_EQ(result.valueType(), ValueType::F64) << op;
}

TEST(Decompositions, FailWithAClearMessage) {
    EXPECT_NE(failure("inv", {matrix<double>(2, 2, {1, 2, 2, 4})}).find("singular"), std::string::npos);
    EXPECT_NE(failure("cholesky", {matrix<double>(2, 2, {1, 2, 2, 1})}).find("first 2 rows"), std::string::npos);
    EXPECT_NE(failure("cholesky", {matrix<double>(2, 2, {1, 2, 3, 9})}).find("symmetric"), std::string::npos);
    EXPECT_NE(failure("det", {matrix<double>(1, 2, {1, 2})}).find("1x2"), std::string::npos);
    EXPECT_NE(failure("norm", {column<double>({1}), number(3)}).find("no norm 3"), std::string::npos);
}

TEST(Norm, EqualsItsDefinition) {
    Value a = randomMatrix<double>(37, 23, 6);
    Plain m = plain(a);
    double squares = 0, largestRow = 0, largestColumn = 0;
    for (size_t r = 0; r < m.rows; ++r) {
        double sum = 0;
        for (size_t c = 0; c < m.cols; ++c) {
            squares += m(r, c) * m(r, c);
            sum += std::abs(m(r, c));
        }
        largestRow = std::max(largestRow, sum);
    }
    for (size_t c = 0; c < m.cols; ++c) {
        double sum = 0;
        for (size_t r = 0; r < m.rows; ++r)
            sum += std::abs(m(r, c));
        largestColumn = std::max(largestColumn, sum);
    }
    for (const Value &x : {a, windowed(a)}) {
        EXPECT_NEAR(run("norm", {x, text("fro")}).as<double>(), std::sqrt(squares), 1e-12);
        EXPECT_NEAR(run("norm", {x, number(1)}).as<double>(), largestColumn, 1e-12);
        EXPECT_NEAR(run("norm", {x, number(INFINITY)}).as<double>(), largestRow, 1e-12);
    }
}

TEST(Kronecker, EqualsItsDefinition) {
    Value a = randomMatrix<double>(3, 4, 7), b = randomMatrix<double>(2, 5, 8);
    Plain x = plain(a), y = plain(b), k = plain(run("kron", {windowed(a), windowed(b)}));
    ASSERT_EQ(k.rows, 6u);
    ASSERT_EQ(k.cols, 20u);
    for (size_t r = 0; r < k.rows; ++r)
        for (size_t c = 0; c < k.cols; ++c)
            EXPECT_EQ(k(r, c), x(r / 2, c / 5) * y(r % 2, c % 5));
}

} // namespace
} // namespace daphne::test
