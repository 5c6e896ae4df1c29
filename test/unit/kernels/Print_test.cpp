// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <limits>

#include "data/Sequence.h"
#include "kernels/Run.h"

namespace daphne::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string asPercentG(double x) {
    char text[64];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

TEST(Print, ShowsSixSignificantDigits) {
    EXPECT_EQ(printed(number(1.0)), "1\n");
    EXPECT_EQ(printed(number(0.1)), "0.1\n");
    EXPECT_EQ(printed(number(123456.0)), "123456\n");
    EXPECT_EQ(printed(number(1234567.0)), "1.23457e+06\n");
    EXPECT_EQ(printed(number(1000000.0)), "1e+06\n");
    EXPECT_EQ(printed(number(0.00001)), "1e-05\n");
    EXPECT_EQ(printed(number(1 / 3.0)), "0.333333\n");
    EXPECT_EQ(printed(number(-0.0)), "-0\n");
    EXPECT_EQ(printed(number(0.1f)), "0.1\n");
    EXPECT_EQ(printed(number(16777216.0f)), "1.67772e+07\n");
}

TEST(Print, AgreesWithPercentG) {
    double special[] = {kNan,     -kNan,    kInf,           -kInf,  1e-4,     9.99999e-5,
                        999999.5, 999999.4, 1e100,          1e-100, 5e-324,   1.7976931348623157e308,
                        2.5,      1.234565, 0.000123456789, 100000, 99999.95, 12345.65};
    for (double x : special)
        EXPECT_EQ(printed(number(x), false), asPercentG(x));
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 2000; ++i) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double x = std::bit_cast<double>(bits);
        EXPECT_EQ(printed(number(x), false), asPercentG(x));
    }
}

TEST(Print, ShowsEveryScalar) {
    EXPECT_EQ(printed(number(true)), "1\n");
    EXPECT_EQ(printed(number(int8_t(-5))), "-5\n");
    EXPECT_EQ(printed(number(uint8_t(65))), "65\n");
    EXPECT_EQ(printed(number(std::numeric_limits<int64_t>::min())), "-9223372036854775808\n");
    EXPECT_EQ(printed(number(~uint64_t(0))), "18446744073709551615\n");
    EXPECT_EQ(printed(Value::size(7)), "7\n");
    EXPECT_EQ(printed(text("a \"b\"\n")), "a \"b\"\n\n");
    EXPECT_EQ(printed(text("x"), false), "x");
}

TEST(Print, ShowsMatrices) {
    Value m = matrix<double>(2, 2, {1.5, -2.0, 0.25, 1e7});
    EXPECT_EQ(printed(m), "DenseMatrix(2x2, double)\n1.5 -2\n0.25 1e+07\n");
    EXPECT_EQ(printed(windowed(m), false), "DenseMatrix(2x2, double)\n1.5 -2\n0.25 1e+07\n");
    EXPECT_EQ(printed(matrix<double>(0, 3, {})), "DenseMatrix(0x3, double)\n");
    EXPECT_EQ(printed(matrix<float>(2, 0, {})), "DenseMatrix(2x0, float)\n\n\n");
    EXPECT_EQ(printed(strings(1, 2, {"a b", ""})), "DenseMatrix(1x2, std::string)\na b \n");
    EXPECT_EQ(printed(matrix<uint8_t>(1, 2, {65, 66})), "DenseMatrix(1x2, uint8_t)\n65 66\n");
    EXPECT_EQ(printed(matrix<bool>(1, 2, {true, false})), "DenseMatrix(1x2, bool)\n1 0\n");
}

TEST(Print, ShowsFramesAndLists) {
    auto f = Ref<Frame>::make(size_t(2));
    f->addColumn("id", column<int64_t>({1, 2}).denseRef());
    f->addColumn("w", column<double>({0.5, 2.0}).denseRef());
    EXPECT_EQ(printed(Value(f)), "Frame(2x2, [id:int64_t, w:double])\n1 0.5\n2 2\n");
    EXPECT_EQ(printed(Value(Ref<Frame>::make(size_t(2)))), "Frame(2x0, [])\n\n\n");
    auto l = Ref<Sequence>::make();
    EXPECT_EQ(printed(makeList(l)), "List(0)\n");
    l->emptied = ValueType::SI64;
    EXPECT_EQ(printed(makeList(l)), "List(0, DenseMatrix, int64_t)\n");
    l->elements.push_back(column<int64_t>({7}).denseRef());
    EXPECT_EQ(printed(makeList(l)), "List(1, DenseMatrix, int64_t)\nDenseMatrix(1x1, int64_t)\n7\n");
    EXPECT_EQ(run("typeOf", {Value(f)}).text(), "Frame(2x2, [id:int64_t, w:double])");
    EXPECT_EQ(run("typeOf", {makeList(l)}).text(), "List(1, DenseMatrix, int64_t)");
}

TEST(Print, NamesTypes) {
    EXPECT_EQ(run("typeOf", {matrix<double>(2, 1, {1, 2})}).text(), "DenseMatrix(2x1, double)");
    EXPECT_EQ(run("typeOf", {number(1.0)}).text(), "double");
    EXPECT_EQ(run("typeOf", {Value::size(1)}).text(), "uint64_t");
    EXPECT_EQ(run("typeOf", {text("")}).text(), "const char*");
    EXPECT_EQ(run("typeOf", {strings(1, 1, {""})}).text(), "DenseMatrix(1x1, std::string)");
}

TEST(Output, GoesToItsSinkInLargePiecesAndFailsAsTheSinkFails) {
    std::vector<std::string> pieces;
    Output out([&](std::string_view text) { pieces.emplace_back(text); });
    out.write("x");
    out.write("y");
    EXPECT_TRUE(pieces.empty());
    out.flush();
    out.flush();
    EXPECT_EQ(pieces, std::vector<std::string>{"xy"});
    out.write(std::string(1 << 17, 'z'));
    EXPECT_EQ(pieces.size(), 2u);
    Output closed([](std::string_view) { throw executionError("closed"); });
    closed.write("x");
    EXPECT_THROW(closed.flush(), Error);
    Output discarded;
    discarded.write("x");
    discarded.flush();
}

} // namespace
} // namespace daphne::test
