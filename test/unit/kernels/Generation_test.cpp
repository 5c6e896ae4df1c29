// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

using testing::Test;

Value randMatrix(int64_t rows, int64_t cols, Value min, Value max, double sparsity, int64_t seed) {
    return run("randMatrix", {number(rows), number(cols), min, max, number(sparsity), number(seed)});
}
std::string randFailure(int64_t rows, int64_t cols, Value min, Value max, double sparsity) {
    return failure("randMatrix", {number(rows), number(cols), min, max, number(sparsity), number(int64_t(1))});
}

TEST(Fill, RepeatsTheValueInItsOwnType) {
    EXPECT_EQ(printed(run("fill", {number(1.5), number(int64_t(2)), number(int64_t(3))})),
              "DenseMatrix(2x3, double)\n1.5 1.5 1.5\n1.5 1.5 1.5\n");
    EXPECT_EQ(printed(run("fill", {number(true), number(int64_t(1)), number(int64_t(2))})),
              "DenseMatrix(1x2, bool)\n1 1\n");
    EXPECT_EQ(printed(run("fill", {text("ab"), number(int64_t(2)), number(int64_t(1))})),
              "DenseMatrix(2x1, std::string)\nab\nab\n");
}

TEST(Fill, TakesWholeSizesAndAllowsNoCells) {
    EXPECT_EQ(run("fill", {number(1.0), number(2.0), number(int64_t(1))}).dense().shapeText(), "2x1");
    EXPECT_EQ(run("fill", {number(1.0), number(int64_t(0)), number(int64_t(3))}).dense().shapeText(), "0x3");
    EXPECT_EQ(failure("fill", {number(1.0), number(2.5), number(int64_t(3))}),
              "positions and sizes must be whole numbers, got 2.5");
}

TEST(Fill, RejectsNegativeSizesMatricesAndSizesBeyondMemory) {
    EXPECT_NE(failure("fill", {number(1.0), number(int64_t(-1)), number(int64_t(3))}), "");
    EXPECT_NE(failure("fill", {column<double>({1}), number(int64_t(1)), number(int64_t(1))}), "");
    EXPECT_NE(failure("fill", {number(1.0), number(int64_t(1) << 40), number(int64_t(1) << 40)}), "");
}

TEST(Rand, SeededDoublesAreThoseOfTheStandardLibrary) {
    auto values = cells<double>(randMatrix(1000, 1, number(0.0), number(1.0), 1, 7));
    EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 505.936, 0.0005);
    std::mt19937 gen(7);
    for (double v : values) {
        double low = gen(), high = gen();
        ASSERT_EQ(v, (low + high * 4294967296.0) / 18446744073709551616.0);
    }
}

TEST(Rand, SeededFloatsTakeOneDrawEach) {
    auto values = cells<float>(randMatrix(50, 2, number(-2.0f), number(3.0f), 1, 11));
    std::mt19937 gen(11);
    for (float v : values)
        ASSERT_EQ(v, static_cast<float>(gen()) / 4294967296.0f * 5.0f - 2.0f);
}

TEST(Rand, SeededIntegersUseMultiplyShiftRejection) {
    auto values = cells<int64_t>(randMatrix(100, 1, number(int64_t(1)), number(int64_t(6)), 1, 42));
    std::mt19937 gen(42);
    for (int64_t v : values) {
        uint64_t product = uint64_t(gen()) * 6;
        if ((product & 0xffffffffu) < 6)
            while ((product & 0xffffffffu) < (4294967296u % 6))
                product = uint64_t(gen()) * 6;
        ASSERT_EQ(v, 1 + int64_t(product >> 32));
    }
}

TEST(Rand, NeverDrawsZeroForANonZeroCell) {
    auto values = cells<int64_t>(randMatrix(200, 1, number(int64_t(-1)), number(int64_t(1)), 0.9, 3));
    EXPECT_EQ(std::count(values.begin(), values.end(), 0), 20);
}

TEST(Rand, DrawsZeroLikeAnyIntegerIfAllCellsAreDrawn) {
    auto values = cells<int64_t>(randMatrix(200, 1, number(int64_t(-1)), number(int64_t(1)), 1, 3));
    EXPECT_EQ(std::count(values.begin(), values.end(), 0), 70);
}

/// The selection of the specification, cell by cell.
std::vector<bool> selected(size_t n, size_t limit, int64_t seed) {
    std::mt19937 gen(static_cast<uint32_t>(3 * seed));
    std::uniform_int_distribution<int> draw(0, int(n) - 1);
    std::vector<bool> chosen(n);
    for (size_t i = 0, k = 0; i < n && k < limit; ++i)
        if (std::fmod(draw(gen), double(n - i)) < double(limit - k))
            chosen[i] = true, ++k;
    return chosen;
}

TEST(Rand, DenseSparsityZeroesChosenCellsOfAFullMatrix) {
    auto full = cells<double>(randMatrix(10, 7, number(1.0), number(2.0), 1, 5));
    auto some = cells<double>(randMatrix(10, 7, number(1.0), number(2.0), 0.75, 5));
    auto zero = selected(70, size_t(std::round((1 - 0.75) * 7 * 10)), 5);
    for (size_t i = 0; i < 70; ++i)
        EXPECT_EQ(some[i], zero[i] ? 0 : full[i]) << i;
}

TEST(Rand, LowSparsityPlacesDrawsAtChosenCells) {
    auto draws = cells<double>(randMatrix(70, 1, number(1.0), number(2.0), 1, 5));
    auto some = cells<double>(randMatrix(10, 7, number(1.0), number(2.0), 0.2, 5));
    auto chosen = selected(70, 14, 5);
    for (size_t i = 0, k = 0; i < 70; ++i)
        EXPECT_EQ(some[i], chosen[i] ? draws[k++] : 0) << i;
}

TEST(Rand, WorksForEveryNumericType) {
    EXPECT_EQ(randMatrix(2, 2, number(int8_t(1)), number(int8_t(9)), 1, 1).dense().type(), ValueType::SI8);
    EXPECT_EQ(randMatrix(2, 2, number(uint8_t(1)), number(uint8_t(9)), 1, 1).dense().type(), ValueType::UI8);
    EXPECT_EQ(randMatrix(2, 2, number(uint32_t(1)), number(uint32_t(9)), 1, 1).dense().type(), ValueType::UI32);
    EXPECT_EQ(randMatrix(2, 2, number(uint64_t(1)), number(~uint64_t(0)), 1, 1).dense().type(), ValueType::UI64);
    EXPECT_EQ(cells<bool>(randMatrix(1, 2, number(false), number(true), 1, 1)), (std::vector<bool>{false, true}));
    EXPECT_EQ(cells<int64_t>(randMatrix(1, 2, number(int64_t(4)), number(int64_t(4)), 1, 1)),
              (std::vector<int64_t>{4, 4}));
}

TEST(Rand, SparsityZeroGivesZerosAndUnseededCallsDiffer) {
    EXPECT_EQ(cells<int64_t>(randMatrix(1, 3, number(int64_t(1)), number(int64_t(2)), 0, 1)),
              (std::vector<int64_t>{0, 0, 0}));
    auto draw = [] { return cells<double>(randMatrix(4, 1, number(0.0), number(1.0), 1, -1)); };
    EXPECT_NE(draw(), draw());
}

TEST(Rand, RejectsWrongArguments) {
    Value zero = number(0.0), one = number(1.0), two = number(2.0);
    EXPECT_NE(randFailure(0, 1, one, two, 1), "");
    EXPECT_NE(randFailure(1, -1, one, two, 1), "");
    EXPECT_NE(randFailure(1, 1, two, one, 1), "");
    EXPECT_NE(randFailure(1, 1, zero, zero, 0), "");
    EXPECT_NE(randFailure(1, 1, one, two, 1.5), "");
    EXPECT_NE(randFailure(1, 1, one, two, -0.1), "");
    EXPECT_NE(randFailure(1, 1, one, two, std::nan("")), "");
    EXPECT_NE(randFailure(1, 1, one, number(int64_t(2)), 1), "");
    EXPECT_NE(randFailure(1, 1, number(std::nan("")), two, 1), "");
    EXPECT_NE(randFailure(1, 1, one, number(INFINITY), 1), "");
    EXPECT_NE(randFailure(1, 1, text("a"), text("b"), 1), "");
}

Value sample(Value range, int64_t size, bool replace, int64_t seed) {
    return run("sample", {range, number(size), number(replace), number(seed)});
}

TEST(Sample, WithReplacementIsAPlainDraw) {
    std::mt19937 gen(9);
    std::uniform_int_distribution<int64_t> draw(0, 99);
    for (int64_t v : cells<int64_t>(sample(number(int64_t(100)), 50, true, 9)))
        ASSERT_EQ(v, draw(gen));
    std::mt19937 genReal(9);
    std::uniform_real_distribution<double> drawReal(0, std::nextafter(2.5, 0));
    for (double v : cells<double>(sample(number(2.5), 50, true, 9)))
        ASSERT_EQ(v, drawReal(genReal));
}

TEST(Sample, WithoutReplacementShufflesASelection) {
    std::mt19937 gen(4);
    std::uniform_int_distribution<int64_t> draw(0, 19);
    std::vector<int64_t> expected;
    for (int64_t i = 0; expected.size() < 6; ++i)
        if (std::fmod(draw(gen), 20 - i) < 6 - double(expected.size()))
            expected.push_back(i);
    std::shuffle(expected.begin(), expected.end(), gen);
    EXPECT_EQ(cells<int64_t>(sample(number(int64_t(20)), 6, false, 4)), expected);
}

TEST(Sample, WithoutReplacementNeverRepeats) {
    auto all = cells<int64_t>(sample(number(int64_t(30)), 30, false, 1));
    EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), 30u);
    auto reals = cells<float>(sample(number(1.0f), 1000, false, 1));
    EXPECT_EQ(std::set<float>(reals.begin(), reals.end()).size(), 1000u);
    EXPECT_EQ(cells<bool>(sample(number(true), 1, false, 1)), (std::vector<bool>{false}));
}

TEST(Sample, RejectsWrongArguments) {
    auto fails = [](Value range, int64_t size, bool replace) {
        return failure("sample", {range, number(size), number(replace), number(int64_t(1))});
    };
    EXPECT_NE(fails(number(int64_t(5)), 0, true), "");
    EXPECT_NE(fails(number(int64_t(0)), 1, true), "");
    EXPECT_NE(fails(number(-1.0), 1, true), "");
    EXPECT_NE(fails(number(std::nan("")), 1, true), "");
    EXPECT_NE(fails(number(INFINITY), 1, true), "");
    EXPECT_NE(fails(number(int64_t(5)), 6, false), "");
    EXPECT_NE(fails(number(std::numeric_limits<float>::denorm_min()), 2, false), "");
}

template <class T> Value seq(T from, T to, T inc) { return run("seq", {number(from), number(to), number(inc)}); }

TEST(Seq, CountsUpAndDownAndIncludesTheEnd) {
    EXPECT_EQ(cells<int64_t>(seq<int64_t>(1, 5, 2)), (std::vector<int64_t>{1, 3, 5}));
    EXPECT_EQ(cells<int64_t>(seq<int64_t>(1, 6, 2)), (std::vector<int64_t>{1, 3, 5}));
    EXPECT_EQ(cells<int64_t>(seq<int64_t>(3, 1, -1)), (std::vector<int64_t>{3, 2, 1}));
    EXPECT_EQ(cells<int64_t>(seq<int64_t>(4, 4, -3)), (std::vector<int64_t>{4}));
    EXPECT_EQ(printed(seq(0.0, 1.0, 0.3)), "DenseMatrix(4x1, double)\n0\n0.3\n0.6\n0.9\n");
    EXPECT_EQ(cells<double>(seq(0.0, 1.0, 0.1)).size(), 11u);
    EXPECT_EQ(cells<double>(seq(1.0, 0.0, -0.25)), (std::vector<double>{1, 0.75, 0.5, 0.25, 0}));
}

TEST(Seq, AddsRepeatedlyInTheResultType) {
    auto values = cells<double>(seq(0.0, 1.0, 0.1));
    double x = 0;
    for (double v : values) {
        EXPECT_EQ(v, x);
        x += 0.1;
    }
}

TEST(Seq, IsEmptyIfTheIncrementPointsAway) {
    EXPECT_EQ(printed(run("seq", {number(int64_t(3)), number(int64_t(1))})), "DenseMatrix(0x1, int64_t)\n");
    EXPECT_EQ(seq(1.0, 2.0, -1.0).dense().rows(), 0u);
    EXPECT_EQ(seq<uint64_t>(3, 1, 1).dense().rows(), 0u);
}

TEST(Seq, TakesTheMostGeneralTypeAndTheDefaultIncrementNeverWidens) {
    EXPECT_EQ(run("seq", {number(int64_t(1)), Value::size(3), number(1.0f)}).dense().type(), ValueType::F32);
    EXPECT_EQ(run("seq", {Value::size(1), Value::size(3)}).dense().type(), ValueType::Size);
    EXPECT_EQ(run("seq", {number(uint8_t(1)), number(uint8_t(3))}).dense().type(), ValueType::UI8);
    EXPECT_EQ(run("seq", {number(false), number(true)}).dense().type(), ValueType::SI8);
}

TEST(Seq, ReachesTheLimitsOfItsType) {
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(cells<int64_t>(seq<int64_t>(kMax - 1, kMax, 1)), (std::vector<int64_t>{kMax - 1, kMax}));
    EXPECT_EQ(cells<int64_t>(seq<int64_t>(-kMax, kMax, kMax)), (std::vector<int64_t>{-kMax, 0, kMax}));
    EXPECT_EQ(cells<int8_t>(seq<int8_t>(-128, 127, 127)), (std::vector<int8_t>{-128, -1, 126}));
}

TEST(Seq, RejectsZeroNanAndEndlessSequences) {
    auto fails = [](Value a, Value b, Value c) { return failure("seq", {a, b, c}); };
    EXPECT_NE(fails(number(int64_t(1)), number(int64_t(2)), number(int64_t(0))), "");
    EXPECT_NE(fails(number(1.0), number(2.0), number(0.0)), "");
    EXPECT_NE(fails(number(1.0), number(std::nan("")), number(1.0)), "");
    EXPECT_NE(fails(number(std::nan("")), number(1.0), number(1.0)), "");
    EXPECT_NE(fails(number(0.0), number(INFINITY), number(1.0)), "");
    EXPECT_NE(fails(number(0.0), number(1.0), text("a")), "");
}

TEST(MatrixConstant, TakesTheMostGeneralTypeOfItsCells) {
    EXPECT_EQ(printed(run("matrixConstant", {number(int64_t(1)), number(2.5)})), "DenseMatrix(2x1, double)\n1\n2.5\n");
    EXPECT_EQ(printed(run("matrixConstant", {number(true), number(false)})), "DenseMatrix(2x1, bool)\n1\n0\n");
    EXPECT_EQ(run("matrixConstant", {Value::size(3)}).dense().type(), ValueType::UI64);
    EXPECT_EQ(cells<std::string>(run("matrixConstant", {text("a"), text("")})), (std::vector<std::string>{"a", ""}));
}

TEST(MatrixConstant, RejectsMixedAndNonScalarCells) {
    EXPECT_NE(failure("matrixConstant", {number(1.0), text("a")}), "");
    EXPECT_NE(failure("matrixConstant", {column<double>({1})}), "");
}

} // namespace
} // namespace daphne::test
