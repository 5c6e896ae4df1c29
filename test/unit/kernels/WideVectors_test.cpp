// SPDX-License-Identifier: Apache-2.0
/// Results must be the same bits on every processor, but for what fuses multiplications with additions.
#include <cmath>
#include <cstring>
#include <random>

#include "base/WideVectors.h"
#include "kernels/Run.h"
#include "kernels/elementwise/Exponential.h"

namespace daphne::test {
namespace {

template <class T> Value randomMatrix(size_t rows, size_t cols) {
    std::mt19937_64 source(rows * 1000 + cols);
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    for (size_t i = 0; i < rows * cols; ++i) {
        double x = std::uniform_real_distribution<double>(0, 100)(source);
        m->template mutableView<T>().data[i] = static_cast<T>(x);
    }
    return m;
}

/// What a kernel gives on the oldest processor, and on this one.
std::pair<Value, Value> runBothWays(std::string_view mnemonic, const std::vector<Value> &args) {
    allowWideVectors(false);
    Value narrow = run(mnemonic, args);
    allowWideVectors(true);
    return {narrow, run(mnemonic, args)};
}

bool sameBits(const Value &a, const Value &b) {
    if (a.isScalar())
        return a.as<double>() == b.as<double>();
    const Dense &x = a.dense(), &y = b.dense();
    return withNumericType(x.type(), [&]<class T>(TypeTag<T>) {
        return x.shapeText() == y.shapeText() &&
               std::memcmp(x.view<T>().data, y.view<T>().data, x.cells() * sizeof(T)) == 0;
    });
}

template <class T> class WideVectors : public testing::Test {};
using Numbers = testing::Types<int8_t, int32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(WideVectors, Numbers);

TYPED_TEST(WideVectors, ChangeNoResult) {
    if (!hasWideVectors())
        GTEST_SKIP() << "this processor has none";
    for (auto [rows, cols] : {std::pair<size_t, size_t>{1, 1}, {3, 5}, {7, 33}, {1029, 19}, {3, 20011}}) {
        Value x = randomMatrix<TypeParam>(rows, cols), y = randomMatrix<TypeParam>(rows, cols);
        for (std::string_view op : {"ewAdd", "ewSub", "ewMul", "ewMin", "ewMax", "ewLt", "ewEq", "ewAnd"}) {
            auto [narrow, wide] = runBothWays(op, {x, y});
            EXPECT_TRUE(sameBits(narrow, wide)) << op << " " << rows << "x" << cols;
        }
        for (std::string_view op : {"ewMinus", "ewAbs",  "ewSign", "ewExp",   "ewSqrt", "ewRound",  "ewFloor", "ewCeil",
                                    "sumAll",  "sumRow", "sumCol", "meanCol", "varAll", "varRow",   "varCol",  "sumCum",
                                    "prodCum", "minCum", "minAll", "maxRow",  "maxCol", "transpose"}) {
            auto [narrow, wide] = runBothWays(op, {x});
            EXPECT_TRUE(sameBits(narrow, wide)) << op << " " << rows << "x" << cols;
        }
        auto [narrow, wide] = runBothWays("matMul", {x, y, number(false), number(true)});
        EXPECT_TRUE(sameBits(narrow, wide)) << "matMul " << rows << "x" << cols;
    }
}

TEST(Exponential, IsWithinOneUnitOfTheLastPlace) {
    std::mt19937_64 source(1);
    for (auto [low, high] : {std::pair<double, double>{-1, 1}, {-708, 709}, {-1e-3, 1e-3}, {700, 709.78}}) {
        std::uniform_real_distribution<double> inputs(low, high);
        for (int i = 0; i < 20000; ++i) {
            double x = inputs(source);
            long double exact = std::exp(static_cast<long double>(x));
            double nearest = static_cast<double>(exact);
            double unit = std::nextafter(nearest, INFINITY) - nearest;
            ASSERT_LT(std::fabs(static_cast<double>(exact - exponential(x))), unit) << x;
            ASSERT_LT(std::fabs(static_cast<double>(exact - detail::exponential<false>(x))), unit) << x;
            float single = exponential(static_cast<float>(x));
            float rounded = static_cast<float>(std::exp(static_cast<double>(static_cast<float>(x))));
            ASSERT_TRUE(single == rounded || single == std::nextafter(rounded, 0.f) ||
                        single == std::nextafter(rounded, INFINITY))
                << x;
        }
    }
}

double unitsOff(double found, long double exact) {
    double nearest = std::fabs(static_cast<double>(exact));
    double unit = std::nextafter(nearest, INFINITY) - nearest;
    return std::fabs(static_cast<double>(exact - found)) / unit;
}

TEST(Logarithm, IsWithinOneUnitOfTheLastPlace) {
    std::mt19937_64 source(2);
    for (auto [low, high] : {std::pair<double, double>{0, 1}, {0.6, 1.6}, {0.999, 1.001}, {0, 1e6}, {1e300, 1e308}}) {
        std::uniform_real_distribution<double> inputs(low, high);
        for (int i = 0; i < 20000; ++i) {
            double x = inputs(source);
            ASSERT_LT(unitsOff(naturalLogarithm(x), std::log(static_cast<long double>(x))), 1) << x;
            ASSERT_LT(unitsOff(detail::naturalLogarithm<false>(x), std::log(static_cast<long double>(x))), 1) << x;
        }
    }
    for (double x : {5e-324, 1e-320, 1e-310, 2.2250738585072014e-308, 0.5, 2.0, 0.7071067811865475, 1.414213562373095})
        EXPECT_LT(unitsOff(naturalLogarithm(x), std::log(static_cast<long double>(x))), 1) << x;
}

TEST(Logarithm, IsExactAtSpecialValues) {
    EXPECT_EQ(naturalLogarithm(1.0), 0.0);
    EXPECT_EQ(naturalLogarithm(0.0), -INFINITY);
    EXPECT_EQ(naturalLogarithm(-0.0), -INFINITY);
    EXPECT_EQ(naturalLogarithm(double(INFINITY)), INFINITY);
    EXPECT_TRUE(std::isnan(naturalLogarithm(-1.0)));
    EXPECT_TRUE(std::isnan(naturalLogarithm(-double(INFINITY))));
    EXPECT_TRUE(std::isnan(naturalLogarithm(double(NAN))));
    EXPECT_EQ(naturalLogarithm(0.0f), -INFINITY);
}

TEST(HyperbolicTangent, IsWithinThreeUnitsOfTheLastPlace) {
    std::mt19937_64 source(3);
    for (auto [low, high] : {std::pair<double, double>{-1, 1}, {-25, 25}, {-0.2, 0.2}, {-1e-5, 1e-5}}) {
        std::uniform_real_distribution<double> inputs(low, high);
        for (int i = 0; i < 20000; ++i) {
            double x = inputs(source);
            ASSERT_LT(unitsOff(hyperbolicTangent(x), std::tanh(static_cast<long double>(x))), 3) << x;
            ASSERT_LT(unitsOff(detail::hyperbolicTangent<false>(x), std::tanh(static_cast<long double>(x))), 3) << x;
            ASSERT_EQ(hyperbolicTangent(-x), -hyperbolicTangent(x));
        }
    }
    EXPECT_TRUE(std::signbit(hyperbolicTangent(-0.0)));
    EXPECT_EQ(hyperbolicTangent(-0.0), 0.0);
    EXPECT_EQ(hyperbolicTangent(5e-324), 5e-324);
    EXPECT_EQ(hyperbolicTangent(double(INFINITY)), 1.0);
    EXPECT_EQ(hyperbolicTangent(-double(INFINITY)), -1.0);
    EXPECT_TRUE(std::isnan(hyperbolicTangent(double(NAN))));
}

TEST(Exponential, IsExactAtSpecialValues) {
    EXPECT_EQ(exponential(0.0), 1.0);
    EXPECT_EQ(exponential(-0.0), 1.0);
    EXPECT_EQ(exponential(5e-324), 1.0);
    EXPECT_EQ(exponential(double(INFINITY)), INFINITY);
    EXPECT_EQ(exponential(-double(INFINITY)), 0.0);
    EXPECT_FALSE(std::signbit(exponential(-double(INFINITY))));
    EXPECT_TRUE(std::isnan(exponential(double(NAN))));
    EXPECT_EQ(exponential(std::numeric_limits<double>::max()), INFINITY);
    EXPECT_EQ(exponential(std::numeric_limits<double>::lowest()), 0.0);
    // The last finite result, the first infinite one; the smallest number, the first zero.
    EXPECT_TRUE(std::isfinite(exponential(0x1.62e42fefa39efp+9)));
    EXPECT_EQ(exponential(0x1.62e42fefa39f0p+9), INFINITY);
    EXPECT_EQ(exponential(-0x1.74910d52d3051p+9), 5e-324);
    EXPECT_EQ(exponential(-0x1.74910d52d3052p+9), 0.0);
    // Gradual underflow.
    for (double x : {-709.0, -720.5, -744.0})
        EXPECT_NEAR(exponential(x) / 5e-324, std::exp(x) / 5e-324, 1.0) << x;
    EXPECT_EQ(exponential(float(INFINITY)), INFINITY);
    EXPECT_EQ(exponential(100.0f), INFINITY);
    EXPECT_EQ(exponential(-200.0f), 0.0f);
    EXPECT_TRUE(std::isnan(exponential(float(NAN))));
}

} // namespace
} // namespace daphne::test
