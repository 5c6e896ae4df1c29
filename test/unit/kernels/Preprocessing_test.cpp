// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

using I = std::vector<int64_t>;
using D = std::vector<double>;
using S = std::vector<std::string>;

Value num(int64_t x) { return number(x); }

TEST(Ctable, CountsPairs) {
    Value a = column<int64_t>({0, 1, 1}), b = column<double>({1, 0, 0.9});
    EXPECT_EQ(printed(run("ctable", {a, b})), "DenseMatrix(2x2, double)\n0 1\n2 0\n");
    EXPECT_EQ(printed(run("ctable", {a, b, num(3)})), "DenseMatrix(2x2, int64_t)\n0 3\n6 0\n");
    EXPECT_EQ(run("ctable", {a, b, num(3), num(2)}).dense().shapeText(), "3x2");
    EXPECT_EQ(printed(run("ctable", {a, b, number(2.5f), num(1), num(-1)})), "DenseMatrix(1x2, float)\n0 2.5\n");
    EXPECT_EQ(run("ctable", {matrix<int64_t>(0, 1, {}), matrix<int64_t>(0, 1, {})}).dense().shapeText(), "0x0");
}

TEST(Ctable, RejectsWrongCoordinates) {
    EXPECT_NE(failure("ctable", {column<int64_t>({0}), column<int64_t>({0, 1})}), "");
    EXPECT_NE(failure("ctable", {rowVector<int64_t>({0, 1}), rowVector<int64_t>({0, 1})}), "");
    EXPECT_NE(failure("ctable", {column<int64_t>({-1}), column<int64_t>({0})}), "");
    EXPECT_NE(failure("ctable", {column<double>({NAN}), column<int64_t>({0})}), "");
    EXPECT_NE(failure("ctable", {column<double>({1e300}), column<int64_t>({0})}), "");
    EXPECT_NE(failure("ctable", {strings(1, 1, {"a"}), column<int64_t>({0})}), "");
    EXPECT_NE(failure("ctable", {column<int64_t>({0}), column<int64_t>({0}), text("w")}), "");
}

TEST(Recode, NumbersValuesByAppearanceOrByOrder) {
    auto byAppearance = runAll("recode", {column<double>({2.5, 1, 2.5, 7}), number(false)}, 2);
    EXPECT_EQ(cells<int64_t>(byAppearance[0]), (I{0, 1, 0, 2}));
    EXPECT_EQ(cells<double>(byAppearance[1]), (D{2.5, 1, 7}));
    auto byOrder = runAll("recode", {strings(4, 1, {"b", "a", "c", "a"}), number(true)}, 2);
    EXPECT_EQ(cells<int64_t>(byOrder[0]), (I{1, 0, 2, 0}));
    EXPECT_EQ(cells<std::string>(byOrder[1]), (S{"a", "b", "c"}));
}

TEST(Recode, GivesNanOneCodeAndAcceptsNothing) {
    auto results = runAll("recode", {column<double>({NAN, 1, NAN}), number(true)}, 2);
    EXPECT_EQ(cells<int64_t>(results[0]), (I{1, 0, 1}));
    auto empty = runAll("recode", {matrix<float>(0, 1, {}), number(true)}, 2);
    EXPECT_EQ(printed(empty[0]), "DenseMatrix(0x1, int64_t)\n");
    EXPECT_EQ(printed(empty[1]), "DenseMatrix(0x1, float)\n");
    EXPECT_THROW(runAll("recode", {rowVector<double>({1, 2}), number(true)}, 2), Error);
}

TEST(OneHot, KeepsDropsAndEncodesColumns) {
    Value x = matrix<int64_t>(2, 3, {7, 5, 0, 8, 6, 2});
    EXPECT_EQ(printed(run("oneHot", {x, rowVector<int64_t>({-1, 0, 3})})),
              "DenseMatrix(2x4, int64_t)\n7 1 0 0\n8 0 0 1\n");
    EXPECT_EQ(printed(run("oneHot", {strings(3, 1, {"u", "v", "u"}), rowVector<int64_t>({2})})),
              "DenseMatrix(3x2, int64_t)\n1 0\n0 1\n1 0\n");
}

TEST(OneHot, RejectsWrongInfoAndValues) {
    auto fails = [](Value x, Value info) { return failure("oneHot", {x, info}) != ""; };
    Value x = column<double>({0, 2});
    EXPECT_TRUE(fails(x, rowVector<int64_t>({2})));
    EXPECT_TRUE(fails(column<double>({-1}), rowVector<int64_t>({2})));
    EXPECT_TRUE(fails(column<double>({NAN}), rowVector<int64_t>({2})));
    EXPECT_TRUE(fails(x, rowVector<int64_t>({-2})));
    EXPECT_TRUE(fails(x, rowVector<int64_t>({0})));
    EXPECT_TRUE(fails(x, rowVector<int64_t>({1, 1})));
    EXPECT_TRUE(fails(x, column<int64_t>({1, 1})));
    EXPECT_TRUE(fails(strings(1, 1, {"a"}), rowVector<int64_t>({-1})));
    EXPECT_TRUE(fails(strings(2, 1, {"a", "b"}), rowVector<int64_t>({1})));
}

TEST(Bin, IsLeftOpenExceptForTheFirst) {
    EXPECT_EQ(cells<double>(run("bin", {column<double>({0, 2.5, 2.6, 5, 10}), num(4)})), (D{0, 0, 1, 1, 3}));
    EXPECT_EQ(cells<int64_t>(run("bin", {column<int64_t>({1, 2, 3, 4}), num(2), num(0), num(4)})), (I{0, 0, 1, 1}));
}

TEST(Bin, ClipsAndKeepsNan) {
    auto v = cells<double>(
        run("bin", {column<double>({-INFINITY, INFINITY, NAN, -3, 99}), num(2), number(0.0), number(4.0)}));
    EXPECT_EQ(v[0], 0);
    EXPECT_EQ(v[1], 1);
    EXPECT_TRUE(std::isnan(v[2]));
    EXPECT_EQ(v[3], 0);
    EXPECT_EQ(v[4], 1);
}

TEST(Bin, OfAnEmptyRangeIsZeroForOneBin) {
    EXPECT_EQ(cells<double>(run("bin", {column<double>({5, NAN}), num(1), num(5), num(5)})), (D{0, 0}));
    EXPECT_EQ(run("bin", {matrix<double>(0, 1, {}), num(2), num(0), num(1)}).dense().shapeText(), "0x1");
}

TEST(Bin, RejectsWrongBounds) {
    Value x = column<double>({1, 2});
    EXPECT_NE(failure("bin", {x, num(0)}), "");
    EXPECT_NE(failure("bin", {x, num(2), num(3), num(1)}), "");
    EXPECT_NE(failure("bin", {x, num(2), num(1), num(1)}), "");
    EXPECT_NE(failure("bin", {x, num(2), number(NAN), number(1.0)}), "");
    EXPECT_NE(failure("bin", {x, num(2), number(0.0), number(INFINITY)}), "");
    EXPECT_NE(failure("bin", {matrix<double>(0, 1, {}), num(2)}), "");
    EXPECT_NE(failure("bin", {x, num(2), num(0)}), "");
    EXPECT_NE(failure("bin", {strings(1, 1, {"a"}), num(1)}), "");
}

TEST(Quantize, MapsTheRangeTo256Values) {
    EXPECT_EQ(cells<uint8_t>(run("quantize", {column<float>({0, 1, .5}), number(0.0f), number(1.0f)})),
              (std::vector<uint8_t>{0, 255, 128}));
    // The range always contains zero.
    EXPECT_EQ(cells<uint8_t>(run("quantize", {column<float>({2, 4}), number(2.0f), number(4.0f)})),
              (std::vector<uint8_t>{128, 255}));
    EXPECT_EQ(cells<uint8_t>(run("quantize", {column<float>({-1, 0}), number(-1.0f), number(1.0f)})),
              (std::vector<uint8_t>{0, 127}));
    EXPECT_EQ(failure("quantize", {column<float>({1, NAN}), number(0.0f), number(0.0f)}), "");
}

TEST(Softmax, RowsSumToOneWithoutOverflow) {
    auto v = cells<double>(run("softmax", {matrix<double>(2, 2, {1000, 1000, 0, std::log(3.0)})}));
    EXPECT_EQ(v[0], .5);
    EXPECT_NEAR(v[2], .25, 1e-15);
    EXPECT_EQ(printed(run("softmax", {rowVector<int64_t>({0, 0})})), "DenseMatrix(1x2, double)\n0.5 0.5\n");
    EXPECT_EQ(run("softmax", {matrix<float>(2, 0, {})}).dense().shapeText(), "2x0");
}

TEST(Relu, KeepsPositiveCells) {
    EXPECT_EQ(cells<int64_t>(run("relu", {column<int64_t>({-3, 0, 4})})), (I{0, 0, 4}));
    EXPECT_NE(failure("relu", {strings(1, 1, {"a"})}), "");
}

TEST(BiasAdd, AddsPerChannel) {
    Value x = matrix<double>(2, 4, {1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(cells<double>(run("biasAdd", {x, column<double>({10, 20})})), (D{11, 12, 23, 24, 15, 16, 27, 28}));
    EXPECT_NE(failure("biasAdd", {x, column<double>({1, 2, 3})}), "");
    EXPECT_NE(failure("biasAdd", {x, rowVector<double>({1, 2})}), "");
    EXPECT_NE(failure("biasAdd", {x, matrix<double>(0, 1, {})}), "");
}

} // namespace
} // namespace daphne::test
