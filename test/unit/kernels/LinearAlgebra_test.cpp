// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

/// Small whole numbers, so that every product is exact in every type.
template <class T> Value randomMatrix(size_t rows, size_t cols, uint32_t seed, int low = -4, int high = 4) {
    std::mt19937 gen(seed);
    std::uniform_int_distribution<int> draw(std::is_signed_v<T> ? low : 0, high);
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    auto v = m->template mutableView<T>();
    for (size_t i = 0; i < rows * cols; ++i)
        v.data[i] = static_cast<T>(draw(gen));
    return m;
}

Value realMatrix(size_t rows, size_t cols, uint32_t seed) {
    std::mt19937 gen(seed);
    std::normal_distribution<double> draw;
    auto m = Dense::create(ValueType::F64, rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->mutableView<double>().data[i] = draw(gen);
    return m;
}

Value product(const Value &a, const Value &b, bool ta = false, bool tb = false) {
    return run("matMul", {a, b, number(ta), number(tb)});
}

/// The definition, three loops.
template <class T> std::vector<T> naive(const Value &a, const Value &b, bool ta, bool tb) {
    auto x = a.dense().view<T>(), y = b.dense().view<T>();
    size_t m = ta ? x.cols : x.rows, k = ta ? x.rows : x.cols, n = tb ? y.rows : y.cols;
    std::vector<T> c(m * n);
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j)
            for (size_t l = 0; l < k; ++l)
                c[i * n + j] = static_cast<T>(c[i * n + j] + (ta ? x(l, i) : x(i, l)) * (tb ? y(j, l) : y(l, j)));
    return c;
}

template <class T> class ProductOf : public testing::Test {};
using NumericTypes = testing::Types<int8_t, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(ProductOf, NumericTypes);

TYPED_TEST(ProductOf, MatchesTheDefinitionForAllShapesTransposesAndWindows) {
    using T = TypeParam;
    struct Shape {
        size_t m, k, n;
    };
    for (Shape s : {Shape{1, 1, 1},
                    {2, 3, 4},
                    {1, 40, 1},
                    {1, 300, 50},
                    {60, 300, 1},
                    {20, 1, 30},
                    {40, 37, 29},
                    {3, 200, 600},
                    {0, 3, 2},
                    {2, 0, 3},
                    {2, 3, 0}})
        for (bool ta : {false, true})
            for (bool tb : {false, true}) {
                Value a = ta ? randomMatrix<T>(s.k, s.m, 1) : randomMatrix<T>(s.m, s.k, 1);
                Value b = tb ? randomMatrix<T>(s.n, s.k, 2) : randomMatrix<T>(s.k, s.n, 2);
                auto expected = naive<T>(a, b, ta, tb);
                Value c = product(a, b, ta, tb);
                ASSERT_EQ(c.dense().rows(), s.m);
                ASSERT_EQ(c.dense().cols(), s.n);
                ASSERT_EQ(cells<T>(c), expected);
                ASSERT_EQ(cells<T>(product(windowed(a), windowed(b), ta, tb)), expected);
            }
}

TYPED_TEST(ProductOf, OfAMatrixWithItsOwnTransposeIsRight) {
    using T = TypeParam;
    for (size_t n : {1, 5, 40}) {
        Value a = windowed(randomMatrix<T>(n + 30, n, 3));
        ASSERT_EQ(cells<T>(product(a, a, true, false)), naive<T>(a, a, true, false));
        ASSERT_EQ(cells<T>(product(a, a, false, true)), naive<T>(a, a, false, true));
        ASSERT_EQ(cells<T>(run("syrk", {a})), naive<T>(a, a, true, false));
    }
}

TEST(MatMul, OfAMatrixWithItsOwnTransposeIsBitwiseSymmetric) {
    for (auto [rows, cols] : {std::pair<size_t, size_t>{5, 3}, {37, 41}, {200, 63}, {63, 200}, {1000, 7}}) {
        Value a = realMatrix(rows, cols, 5);
        for (bool ta : {true, false}) {
            Value c = product(a, a, ta, !ta);
            auto v = c.dense().view<double>();
            for (size_t i = 0; i < v.rows; ++i)
                for (size_t j = 0; j < i; ++j)
                    ASSERT_EQ(v(i, j), v(j, i));
        }
    }
}

TEST(MatMul, ComputesInTheMostGeneralType) {
    EXPECT_EQ(printed(product(matrix<int64_t>(1, 2, {1, 2}), column<double>({.5, .25}))),
              "DenseMatrix(1x1, double)\n1\n");
    EXPECT_EQ(product(column<int8_t>({1}), column<uint32_t>({1})).dense().type(), ValueType::UI32);
    EXPECT_EQ(printed(product(rowVector<bool>({true, true}), column<bool>({true, true}))),
              "DenseMatrix(1x1, int64_t)\n2\n");
}

TEST(MatMul, WrapsIntegersAndPassesNanOn) {
    EXPECT_EQ(cells<int8_t>(product(column<int8_t>({100}), column<int8_t>({3}))), (std::vector<int8_t>{44}));
    EXPECT_EQ(cells<int64_t>(product(column<int64_t>({INT64_MAX}), column<int64_t>({2}))), (std::vector<int64_t>{-2}));
    EXPECT_TRUE(std::isnan(cells<double>(product(column<double>({NAN}), column<double>({0})))[0]));
    Value zeros = run("fill", {number(0.0), number(int64_t(40)), number(int64_t(40))});
    Value nans = run("fill", {number(NAN), number(int64_t(40)), number(int64_t(40))});
    EXPECT_TRUE(std::isnan(cells<double>(product(zeros, nans))[0]));
}

TEST(MatMul, RejectsShapesThatDoNotFitAndStrings) {
    EXPECT_EQ(failure("matMul", {matrix<double>(2, 3, {1, 2, 3, 4, 5, 6}), matrix<double>(2, 3, {1, 2, 3, 4, 5, 6}),
                                 number(false), number(false)}),
              "needs as many columns on the left as rows on the right, got 2x3 and 2x3");
    EXPECT_NE(failure("matMul", {column<double>({1, 2}), column<double>({1, 2}), number(true), number(true)}), "");
    EXPECT_NE(failure("matMul", {strings(1, 1, {"a"}), column<double>({1}), number(false), number(false)}), "");
    EXPECT_NE(failure("matMul", {number(1.0), column<double>({1}), number(false), number(false)}), "");
}

TEST(Gemv, MultipliesTheTransposeWithAColumn) {
    EXPECT_EQ(cells<double>(run("gemv", {matrix<double>(2, 2, {1, 2, 3, 4}), column<double>({1, 1})})),
              (std::vector<double>{4, 6}));
    EXPECT_NE(failure("gemv", {matrix<double>(2, 2, {1, 2, 3, 4}), matrix<double>(2, 2, {1, 2, 3, 4})}), "");
    EXPECT_NE(failure("gemv", {matrix<double>(2, 2, {1, 2, 3, 4}), column<double>({1})}), "");
}

TEST(Solve, SolvesForOneAndSeveralColumns) {
    for (size_t n : {1, 2, 7, 60})
        for (size_t k : {1, 3}) {
            Value a = realMatrix(n, n, 7), x = realMatrix(n, k, 8);
            auto expected = cells<double>(x), got = cells<double>(run("solve", {windowed(a), product(a, x)}));
            for (size_t i = 0; i < expected.size(); ++i)
                ASSERT_NEAR(got[i], expected[i], 1e-8);
        }
}

TEST(Solve, PromotesIntegersAndKeepsFloats) {
    EXPECT_EQ(printed(run("solve", {matrix<int64_t>(2, 2, {2, 0, 0, 4}), column<int64_t>({1, 1})})),
              "DenseMatrix(2x1, double)\n0.5\n0.25\n");
    EXPECT_EQ(printed(run("solve", {matrix<float>(1, 1, {2}), column<int64_t>({1})})),
              "DenseMatrix(1x1, float)\n0.5\n");
    EXPECT_EQ(run("solve", {matrix<double>(0, 0, {}), matrix<double>(0, 2, {})}).dense().shapeText(), "0x2");
}

TEST(Solve, RejectsOnlyExactlySingularMatrices) {
    EXPECT_NE(failure("solve", {matrix<double>(2, 2, {1, 2, 2, 4}), column<double>({1, 1})}), "");
    EXPECT_NE(failure("solve", {matrix<double>(1, 1, {0}), column<double>({1})}), "");
    EXPECT_EQ(failure("solve", {matrix<double>(2, 2, {1, 1, 1, 1 + 1e-15}), column<double>({1, 1})}), "");
    EXPECT_EQ(failure("solve", {matrix<double>(1, 1, {NAN}), column<double>({1})}), "");
}

TEST(Solve, RejectsWrongShapes) {
    EXPECT_NE(failure("solve", {matrix<double>(1, 2, {1, 2}), column<double>({1})}), "");
    EXPECT_NE(failure("solve", {matrix<double>(1, 1, {1}), column<double>({1, 2})}), "");
    EXPECT_NE(failure("solve", {strings(1, 1, {"a"}), column<double>({1})}), "");
}

TEST(Eigen, YieldsAscendingValuesAndUnitVectors) {
    Value b = realMatrix(12, 12, 9), a = product(b, b, true, false);
    auto results = runAll("eigenCal", {a}, 2);
    auto values = cells<double>(results[0]);
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
    auto av = cells<double>(product(a, results[1])), v = cells<double>(results[1]);
    for (size_t i = 0; i < 12; ++i)
        for (size_t j = 0; j < 12; ++j)
            ASSERT_NEAR(av[i * 12 + j], values[j] * v[i * 12 + j], 1e-9);
    auto gram = cells<double>(product(results[1], results[1], true, false));
    for (size_t i = 0; i < 12; ++i)
        for (size_t j = 0; j < 12; ++j)
            ASSERT_NEAR(gram[i * 12 + j], i == j, 1e-12);
}

TEST(Eigen, WorksForFloatsAndForNothing) {
    auto results = runAll("eigenCal", {matrix<float>(2, 2, {2, 0, 0, 1})}, 2);
    EXPECT_EQ(cells<float>(results[0]), (std::vector<float>{1, 2}));
    EXPECT_EQ(runAll("eigenCal", {matrix<double>(0, 0, {})}, 2)[1].dense().shapeText(), "0x0");
}

TEST(Eigen, RejectsWhatIsNotSymmetricFiniteAndFloating) {
    auto fails = [](Value m) { EXPECT_THROW(runAll("eigenCal", {m}, 2), Error); };
    fails(matrix<double>(1, 2, {1, 2}));
    fails(matrix<double>(2, 2, {1, 2, 3, 4}));
    fails(matrix<int64_t>(1, 1, {1}));
    fails(matrix<double>(1, 1, {INFINITY}));
    fails(matrix<double>(1, 1, {NAN}));
}

TEST(IsSymmetric, ComparesMirroredCells) {
    auto symmetric = [](Value m) { return run("isSymmetric", {m}).as<bool>(); };
    EXPECT_TRUE(symmetric(matrix<double>(2, 2, {1, 2, 2, 3})));
    EXPECT_FALSE(symmetric(matrix<double>(2, 2, {1, 2, 3, 3})));
    EXPECT_TRUE(symmetric(matrix<double>(0, 0, {})));
    EXPECT_TRUE(symmetric(matrix<double>(1, 1, {NAN})));
    EXPECT_TRUE(symmetric(strings(2, 2, {"a", "b", "b", "c"})));
    EXPECT_EQ(run("isSymmetric", {matrix<double>(1, 1, {1})}).scalarType(), ValueType::Bool);
    EXPECT_NE(failure("isSymmetric", {matrix<double>(1, 2, {1, 2})}), "");
}

} // namespace
} // namespace daphne::test
