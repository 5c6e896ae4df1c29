// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "data/Sequence.h"
#include "kernels/Run.h"

namespace daphne::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Ints = std::vector<int64_t>;
using Texts = std::vector<std::string>;

Value as(const Value &v, ValueType t) { return cast(v, ValueKind::None, t); }
Value as(const Value &v, ValueKind k) { return cast(v, k, ValueType::Unknown); }

std::string castFailure(const Value &v, ValueKind k, ValueType t) {
    try {
        cast(v, k, t);
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute);
        return e.message;
    }
    return {};
}

TEST(Cast, ConvertsBetweenAllNumericTypes) {
    for (int from = 0; from <= static_cast<int>(ValueType::F64); ++from)
        for (int to = 0; to <= static_cast<int>(ValueType::F64); ++to) {
            auto source = static_cast<ValueType>(from), target = static_cast<ValueType>(to);
            Value one = as(number(int64_t(1)), source), m = as(column<int64_t>({1, 0}), source);
            EXPECT_EQ(as(one, target).scalarType(), target);
            EXPECT_EQ(as(one, target).as<int>(), 1);
            EXPECT_EQ(as(m, target).valueType(), target);
            EXPECT_EQ(cells<double>(as(as(windowed(m), target), ValueType::F64)), (std::vector<double>{1, 0}));
        }
}

TEST(Cast, TruncatesWrapsAndSaturates) {
    EXPECT_EQ(as(number(-1.9), ValueType::SI64).as<int64_t>(), -1);
    EXPECT_EQ(as(number(int64_t(300)), ValueType::UI8).as<int>(), 44);
    EXPECT_EQ(as(number(int64_t(-1)), ValueType::UI32).as<uint64_t>(), 4294967295u);
    EXPECT_EQ(as(number(0.5), ValueType::Bool).as<int>(), 1);
    EXPECT_EQ(cells<int64_t>(as(column<double>({kNan, kInf, -kInf, 1e300}), ValueType::SI64)),
              (Ints{0, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
                    std::numeric_limits<int64_t>::max()}));
}

TEST(Cast, WritesNumbersWithSixDecimals) {
    EXPECT_EQ(as(number(1.5), ValueType::Str).text(), "1.500000");
    EXPECT_EQ(as(number(true), ValueType::Str).text(), "1");
    EXPECT_EQ(as(number(int8_t(-7)), ValueType::Str).text(), "-7");
    EXPECT_EQ(as(number(1e20), ValueType::Str).text(), "100000000000000000000.000000");
    EXPECT_EQ(as(number(-kNan), ValueType::Str).text(), std::to_string(-kNan));
    double largest = std::numeric_limits<double>::max();
    for (double x : {largest, -largest, 5e-324, 0.5e-6, 1.5e-6, 2.5e-6, 0.1, -0.0, 123456789.123456789})
        EXPECT_EQ(as(number(x), ValueType::Str).text(), std::to_string(x));
    EXPECT_EQ(as(number(0.1f), ValueType::Str).text(), std::to_string(0.1f));
    EXPECT_EQ(cells<std::string>(as(matrix<int64_t>(1, 2, {1, -2}), ValueType::Str)), (Texts{"1", "-2"}));
}

TEST(Cast, ReadsLeadingNumbers) {
    EXPECT_EQ(as(text("  -12abc"), ValueType::SI64).as<int64_t>(), -12);
    EXPECT_EQ(as(text("1e3x"), ValueType::F64).as<double>(), 1000);
    EXPECT_EQ(as(text("7.9"), ValueType::SI32).as<int>(), 7);
    EXPECT_EQ(as(text("300"), ValueType::UI8).as<int>(), 44);
    EXPECT_EQ(as(text("18446744073709551615"), ValueType::UI64).as<uint64_t>(), ~uint64_t(0));
    EXPECT_TRUE(std::isnan(as(text("nan"), ValueType::F32).as<double>()));
    EXPECT_EQ(as(text("-inf"), ValueType::F64).as<double>(), -kInf);
    EXPECT_EQ(as(text("2"), ValueType::Bool).as<int>(), 1);
    EXPECT_EQ(cells<double>(as(strings(2, 1, {"1", "2.5"}), ValueType::F64)), (std::vector<double>{1, 2.5}));
    EXPECT_EQ(castFailure(text("abc"), ValueKind::None, ValueType::SI64),
              "cannot convert \"abc\" to si64: it does not start with a number");
    EXPECT_NE(castFailure(text(""), ValueKind::None, ValueType::F64), "");
    EXPECT_NE(castFailure(text("99999999999999999999"), ValueKind::None, ValueType::SI64), "");
    EXPECT_NE(castFailure(strings(1, 1, {"x"}), ValueKind::None, ValueType::F32), "");
}

TEST(Cast, ChangesTheDataType) {
    Value m = matrix<double>(1, 1, {2.5});
    EXPECT_EQ(as(m, ValueKind::Scalar).as<double>(), 2.5);
    EXPECT_EQ(cast(m, ValueKind::Scalar, ValueType::SI64).as<int64_t>(), 2);
    EXPECT_EQ(as(strings(1, 1, {"s"}), ValueKind::Scalar).text(), "s");
    EXPECT_EQ(cells<double>(as(number(2.5), ValueKind::Matrix)), (std::vector<double>{2.5}));
    EXPECT_EQ(cells<std::string>(as(text("s"), ValueKind::Matrix)), (Texts{"s"}));
    EXPECT_EQ(cells<int8_t>(cast(number(3.9), ValueKind::Matrix, ValueType::SI8)), (std::vector<int8_t>{3}));
    EXPECT_EQ(&as(m, ValueKind::Matrix).dense(), &m.dense());
    EXPECT_EQ(castFailure(column<double>({1, 2}), ValueKind::Scalar, ValueType::Unknown),
              "only a 1x1 matrix or frame can be cast to a scalar, got matrix<f64> 2x1");
    EXPECT_NE(castFailure(matrix<double>(0, 0, {}), ValueKind::Scalar, ValueType::F64), "");
}

TEST(Cast, ConvertsFrames) {
    Value f = as(matrix<int64_t>(2, 2, {1, 2, 3, 4}), ValueKind::Frame);
    EXPECT_EQ(f.frame().labels, (Texts{"col_0", "col_1"}));
    EXPECT_EQ(cells<int64_t>(Value(f.frame().columns[1])), (Ints{2, 4}));
    EXPECT_EQ(cells<int64_t>(as(f, ValueKind::Matrix)), (Ints{1, 2, 3, 4}));
    EXPECT_EQ(cells<double>(cast(f, ValueKind::Matrix, ValueType::F64)), (std::vector<double>{1, 2, 3, 4}));
    auto mixed = Ref<Frame>::make(size_t(1));
    mixed->addColumn("a", column<int64_t>({1}).denseRef());
    mixed->addColumn("b", column<double>({2.7}).denseRef());
    EXPECT_EQ(cells<int64_t>(as(Value(mixed), ValueKind::Matrix)), (Ints{1, 2}));
    EXPECT_EQ(as(as(number(7.5), ValueKind::Frame), ValueKind::Scalar).as<double>(), 7.5);
    EXPECT_NE(castFailure(f, ValueKind::Scalar, ValueType::Unknown), "");
    EXPECT_NE(castFailure(f, ValueKind::None, ValueType::F64), "");
    EXPECT_NE(castFailure(Value(Ref<Frame>::make(size_t(2))), ValueKind::Matrix, ValueType::Unknown), "");
    EXPECT_NE(castFailure(makeList(Ref<Sequence>::make()), ValueKind::Matrix, ValueType::F64), "");
}

TEST(Meta, KnowsShapes) {
    Value m = matrix<double>(2, 3, {0, 1, 0, 2, 0, kNan});
    EXPECT_EQ(run("numRows", {m}).as<int>(), 2);
    EXPECT_EQ(run("numCols", {m}).as<int>(), 3);
    EXPECT_EQ(run("numCells", {as(m, ValueKind::Frame)}).as<int>(), 6);
    EXPECT_EQ(run("numCells", {m}).scalarType(), ValueType::Size);
    EXPECT_EQ(run("sparsity", {windowed(m)}).as<double>(), 0.5);
    EXPECT_EQ(run("sparsity", {matrix<double>(0, 3, {})}).as<double>(), 0);
    EXPECT_EQ(failure("numRows", {number(1.0)}), "'nrow' needs a matrix or frame as argument 1, got f64");
}

TEST(Stop, ThrowsItsMessage) {
    try {
        runAll("stop", {text("enough")}, 0);
        FAIL();
    } catch (const Error &e) {
        EXPECT_TRUE(e.isStop);
        EXPECT_EQ(e.stage, Stage::Execute);
        EXPECT_EQ(e.message, "enough");
    }
    EXPECT_GT(run("now", {}).as<int64_t>(), int64_t(1'600'000'000) * 1'000'000'000);
}

} // namespace
} // namespace daphne::test
