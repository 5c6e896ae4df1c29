// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();

using Doubles = std::vector<double>;
using Ints = std::vector<int64_t>;

/// Calls f(TypeTag<T>) for every numeric cell type except bool.
template <class F> void forEachNumber(F f) {
    for (int i = 1; i <= static_cast<int>(ValueType::F64); ++i)
        withNumericType(static_cast<ValueType>(i), [&]<class T>(TypeTag<T> tag) {
            if constexpr (!std::is_same_v<T, bool>)
                f(tag);
        });
}

TEST(ElementwiseBinary, CombinesScalarsOfEveryType) {
    forEachNumber([]<class T>(TypeTag<T>) {
        Value r = run("ewAdd", {number(T(3)), number(T(4))});
        EXPECT_EQ(r.scalarType(), valueTypeOf<T>());
        EXPECT_EQ(r.template as<T>(), T(7));
        EXPECT_EQ(run("ewSub", {number(T(9)), number(T(4))}).template as<T>(), T(5));
        EXPECT_EQ(run("ewMul", {number(T(3)), number(T(4))}).template as<T>(), T(12));
        EXPECT_EQ(run("ewPow", {number(T(2)), number(T(5))}).template as<T>(), T(32));
        EXPECT_EQ(run("ewMod", {number(T(9)), number(T(4))}).template as<T>(), T(1));
        EXPECT_EQ(run("ewMin", {number(T(9)), number(T(4))}).template as<T>(), T(4));
        EXPECT_EQ(run("ewLt", {number(T(3)), number(T(4))}).template as<T>(), T(1));
        EXPECT_EQ(run("ewLt", {number(T(3)), number(T(4))}).scalarType(), valueTypeOf<T>());
    });
}

TEST(ElementwiseBinary, CombinesMatricesOfEveryType) {
    forEachNumber([]<class T>(TypeTag<T>) {
        Value a = matrix<T>(2, 2, {1, 2, 3, 4}), b = matrix<T>(2, 2, {4, 3, 2, 1});
        EXPECT_EQ(cells<T>(run("ewAdd", {a, b})), (std::vector<T>{5, 5, 5, 5}));
        EXPECT_EQ(cells<T>(run("ewMax", {a, b})), (std::vector<T>{4, 3, 3, 4}));
        EXPECT_EQ(cells<T>(run("ewGe", {a, b})), (std::vector<T>{0, 0, 1, 1}));
        EXPECT_EQ(cells<T>(run("ewMul", {a, number(T(2))})), (std::vector<T>{2, 4, 6, 8}));
        EXPECT_EQ(cells<T>(run("ewSub", {number(T(5)), a})), (std::vector<T>{4, 3, 2, 1}));
    });
}

TEST(ElementwiseBinary, UsesTheMostGeneralType) {
    Value r = run("ewAdd", {number(int64_t(1)), number(1.5f)});
    EXPECT_EQ(r.scalarType(), ValueType::F32);
    EXPECT_EQ(r.as<double>(), 2.5);
    EXPECT_EQ(run("ewSub", {Value::size(3), number(int64_t(5))}).as<int64_t>(), -2);
    EXPECT_EQ(run("ewSub", {Value::size(3), number(int64_t(5))}).scalarType(), ValueType::SI64);
    EXPECT_EQ(run("ewAdd", {number(int64_t(1)), number(uint64_t(1))}).scalarType(), ValueType::UI64);
    EXPECT_EQ(run("ewSub", {Value::size(0), Value::size(1)}).as<uint64_t>(), ~uint64_t(0));
    EXPECT_EQ(run("ewSub", {Value::size(0), Value::size(1)}).scalarType(), ValueType::Size);
    EXPECT_EQ(cells<double>(run("ewMul", {column<int64_t>({1, 2}), column<double>({0.5, 0.25})})), (Doubles{0.5, 0.5}));
}

TEST(ElementwiseBinary, CountsTruthValues) {
    Value r = run("ewAdd", {number(true), number(true)});
    EXPECT_EQ(r.scalarType(), ValueType::SI64);
    EXPECT_EQ(r.as<int64_t>(), 2);
    EXPECT_EQ(cells<int64_t>(run("ewSub", {column<bool>({false, true}), number(true)})), (Ints{-1, 0}));
    EXPECT_EQ(run("ewAnd", {number(true), number(false)}).scalarType(), ValueType::Bool);
    EXPECT_EQ(run("ewEq", {number(true), number(true)}).scalarType(), ValueType::Bool);
    EXPECT_EQ(cells<double>(run("ewMul", {column<bool>({true, false}), number(2.5)})), (Doubles{2.5, 0}));
}

TEST(ElementwiseBinary, BroadcastsBothWays) {
    Value m = matrix<int64_t>(2, 3, {1, 2, 3, 4, 5, 6}), row = rowVector<int64_t>({10, 20, 30});
    Value col = column<int64_t>({100, 200}), one = matrix<int64_t>(1, 1, {1000});
    EXPECT_EQ(cells<int64_t>(run("ewAdd", {m, row})), (Ints{11, 22, 33, 14, 25, 36}));
    EXPECT_EQ(cells<int64_t>(run("ewSub", {row, m})), (Ints{9, 18, 27, 6, 15, 24}));
    EXPECT_EQ(cells<int64_t>(run("ewAdd", {m, col})), (Ints{101, 102, 103, 204, 205, 206}));
    EXPECT_EQ(cells<int64_t>(run("ewSub", {col, m})), (Ints{99, 98, 97, 196, 195, 194}));
    EXPECT_EQ(cells<int64_t>(run("ewAdd", {m, one})), (Ints{1001, 1002, 1003, 1004, 1005, 1006}));
    EXPECT_EQ(cells<int64_t>(run("ewSub", {one, m})), (Ints{999, 998, 997, 996, 995, 994}));
    EXPECT_EQ(failure("ewAdd", {m, column<int64_t>({1, 2, 3})}),
              "'+' needs equal shapes or a vector to broadcast, got 2x3 and 3x1");
    EXPECT_EQ(failure("ewAdd", {row, col}), "'+' needs equal shapes or a vector to broadcast, got 1x3 and 2x1");
}

/// Reference: cell by cell in double.
Doubles spread(const Value &a, const Value &b, size_t rows, size_t cols) {
    Value x = cast(a, ValueKind::Matrix, ValueType::F64), y = cast(b, ValueKind::Matrix, ValueType::F64);
    auto at = [](const Value &v, size_t r, size_t c) {
        auto m = v.dense().view<double>();
        return m(m.rows == 1 ? 0 : r, m.cols == 1 ? 0 : c);
    };
    Doubles out;
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < cols; ++c)
            out.push_back(at(x, r, c) - 2 * at(y, r, c));
    return out;
}

template <class T> Value counting(size_t rows, size_t cols) {
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->template mutableView<T>().data[i] = static_cast<T>(i * 7 % 101);
    return m;
}

TEST(ElementwiseBinary, AgreesWithTheDefinitionForAllLayoutsShapesAndTypes) {
    for (auto [rows, cols] : {std::pair<size_t, size_t>{3, 5}, {700, 3}, {1, 4000}, {2500, 1}, {5, 1500}, {70, 64}})
        for (auto [r, c] : {std::pair<size_t, size_t>{rows, cols}, {1, cols}, {rows, 1}, {1, 1}})
            for (bool strided : {false, true})
                for (int kind = 0; kind < 3; ++kind) {
                    Value full = counting<double>(rows, cols);
                    Value small = kind == 0   ? counting<double>(r, c)
                                  : kind == 1 ? counting<int64_t>(r, c)
                                              : counting<uint8_t>(r, c);
                    if (strided) {
                        full = windowed(full);
                        small = windowed(small);
                    }
                    Value twice = run("ewMul", {small, number(int64_t(2))});
                    EXPECT_EQ(cells<double>(run("ewSub", {full, twice})), spread(full, small, rows, cols));
                    Value back = run("ewSub", {twice, full});
                    EXPECT_EQ(cells<double>(run("ewMinus", {back})), spread(full, small, rows, cols));
                }
}

TEST(ElementwiseBinary, HandlesMatricesWithoutCells) {
    Value none = matrix<double>(0, 3, {});
    EXPECT_EQ(run("ewAdd", {none, number(1.0)}).dense().rows(), 0u);
    EXPECT_EQ(run("ewAdd", {none, rowVector<double>({1, 2, 3})}).dense().shapeText(), "0x3");
    EXPECT_EQ(run("ewDiv", {matrix<int64_t>(2, 0, {}), number(int64_t(0))}).dense().shapeText(), "2x0");
}

TEST(ElementwiseBinary, DividesIntegersTowardZero) {
    EXPECT_EQ(run("ewDiv", {number(int64_t(7)), number(int64_t(2))}).as<int64_t>(), 3);
    EXPECT_EQ(run("ewDiv", {number(int64_t(-7)), number(int64_t(2))}).as<int64_t>(), -3);
    EXPECT_EQ(run("ewMod", {number(int64_t(-7)), number(int64_t(3))}).as<int64_t>(), -1);
    EXPECT_EQ(run("ewMod", {number(int64_t(7)), number(int64_t(-3))}).as<int64_t>(), 1);
    EXPECT_EQ(run("ewMod", {number(7.5), number(2.0)}).as<double>(), 1.5);
    EXPECT_EQ(run("ewDiv", {number(kMin64), number(int64_t(-1))}).as<int64_t>(), kMin64);
    EXPECT_EQ(run("ewMod", {number(kMin64), number(int64_t(-1))}).as<int64_t>(), 0);
    EXPECT_EQ(run("ewDiv", {number(int8_t(-128)), number(int8_t(-1))}).as<int>(), -128);
    EXPECT_EQ(run("ewDiv", {number(1.0), number(0.0)}).as<double>(), kInf);
    EXPECT_TRUE(std::isnan(run("ewDiv", {number(0.0), number(0.0)}).as<double>()));
}

TEST(ElementwiseBinary, ReportsDivisionByZeroWithItsPlace) {
    EXPECT_EQ(failure("ewDiv", {number(int64_t(7)), number(int64_t(0))}), "integer division by zero: 7 / 0");
    Value m = matrix<int64_t>(2, 2, {1, 2, 0, 4});
    EXPECT_EQ(failure("ewDiv", {number(int64_t(5)), m}), "integer division by zero: 5 / 0 at row 1, column 0");
    EXPECT_EQ(failure("ewMod", {m, windowed(m)}), "integer division by zero: 0 % 0 at row 1, column 0");
    EXPECT_EQ(failure("ewDiv", {m, number(false)}), "integer division by zero: 1 / 0 at row 0, column 0");
    EXPECT_EQ(failure("ewDiv", {m, number(0.0)}), "");
}

TEST(ElementwiseBinary, WrapsIntegers) {
    EXPECT_EQ(run("ewAdd", {number(std::numeric_limits<int64_t>::max()), number(int64_t(1))}).as<int64_t>(), kMin64);
    EXPECT_EQ(run("ewMul", {number(uint8_t(200)), number(uint8_t(2))}).as<int>(), 144);
    EXPECT_EQ(run("ewSub", {number(uint32_t(0)), number(uint32_t(1))}).as<uint64_t>(), 4294967295u);
    EXPECT_EQ(run("ewAdd", {number(int8_t(127)), number(int8_t(1))}).as<int>(), -128);
}

TEST(ElementwiseBinary, TakesPowersOfIntegersByMultiplication) {
    EXPECT_EQ(run("ewPow", {number(int64_t(3)), number(int64_t(39))}).as<int64_t>(), 4052555153018976267);
    EXPECT_EQ(run("ewPow", {number(int64_t(3)), number(int64_t(41))}).as<int64_t>(), -420491770248316829);
    EXPECT_EQ(run("ewPow", {number(int64_t(0)), number(int64_t(0))}).as<int64_t>(), 1);
    EXPECT_EQ(run("ewPow", {number(uint8_t(3)), number(int8_t(6))}).as<int>(), 729 % 256);
    EXPECT_EQ(run("ewPow", {number(uint8_t(1)), number(uint8_t(255))}).as<int>(), 1);
    EXPECT_EQ(cells<int64_t>(run("ewPow", {column<int64_t>({3, -1}), number(int64_t(39))})),
              (Ints{4052555153018976267, -1}));
    EXPECT_THROW(run("ewPow", {number(int64_t(2)), number(int64_t(-1))}), Error);
    EXPECT_THROW(run("ewPow", {number(uint8_t(2)), number(int8_t(-1))}), Error);
    EXPECT_THROW(run("ewPow", {number(uint64_t(2)), number(int64_t(-1))}), Error);
    EXPECT_THROW(run("ewPow", {column<int64_t>({-1, 2}), number(int64_t(-1))}), Error);
}

TEST(ElementwiseBinary, TakesPowersInDoublePrecision) {
    EXPECT_EQ(run("ewPow", {number(int64_t(-3)), number(int64_t(3))}).as<int64_t>(), -27);
    EXPECT_EQ(run("ewPow", {number(int64_t(2)), number(int64_t(52))}).as<int64_t>(), int64_t(1) << 52);
    EXPECT_EQ(run("ewPow", {number(2.0), number(0.5)}).as<double>(), std::sqrt(2.0));
    EXPECT_EQ(cells<double>(run("ewPow", {column<double>({-2, 0, 3}), number(2.0)})), (Doubles{4, 0, 9}));
    EXPECT_EQ(cells<double>(run("ewPow", {column<double>({-2, 0.5}), number(-1.0)})), (Doubles{-0.5, 2}));
    EXPECT_EQ(cells<int64_t>(run("ewPow", {column<int64_t>({-2, 5}), number(int64_t(3))})), (Ints{-8, 125}));
}

TEST(ElementwiseBinary, TakesLogarithmsToAnyBase) {
    for (int k = 0; k <= 20; ++k)
        EXPECT_EQ(run("ewLog", {number(int64_t(1) << k), number(int64_t(2))}).as<double>(), k);
    EXPECT_EQ(run("ewLog", {number(8.0f), number(2.0f)}).scalarType(), ValueType::F32);
    EXPECT_EQ(failure("ewLog", {column<double>({1, -4}), number(2.0)}),
              "log is not defined for a negative number or base: log(-4, 2) at row 1, column 0");
    EXPECT_TRUE(std::isnan(run("ewLog", {number(kNan), number(2.0)}).as<double>()));
}

TEST(ElementwiseBinary, MinAndMaxAreNanBesideNan) {
    auto is = [](const Value &v) { return v.as<double>(); };
    EXPECT_TRUE(std::isnan(is(run("ewMin", {number(kNan), number(1.0)}))));
    EXPECT_TRUE(std::isnan(is(run("ewMin", {number(1.0), number(kNan)}))));
    EXPECT_TRUE(std::isnan(is(run("ewMax", {number(kNan), number(1.0)}))));
    EXPECT_TRUE(std::isnan(is(run("ewMax", {number(1.0), number(kNan)}))));
    EXPECT_TRUE(std::signbit(is(run("ewMin", {number(-0.0), number(0.0)}))));
    EXPECT_FALSE(std::signbit(is(run("ewMax", {number(0.0), number(-0.0)}))));
    Value first = column<double>({kNan, 1, 2, 3, 4}), second = column<double>({1, kNan, 1, 5, -kInf});
    Doubles r = cells<double>(run("ewMin", {first, second}));
    EXPECT_TRUE(std::isnan(r[0]) && std::isnan(r[1]));
    EXPECT_EQ(Doubles(r.begin() + 2, r.end()), (Doubles{1, 3, -kInf}));
    EXPECT_EQ(run("ewMin", {number(true), number(false)}).scalarType(), ValueType::Bool);
}

TEST(ElementwiseBinary, ComparesInTheOperandsType) {
    for (auto [op, expected] : {std::pair<const char *, double>{"ewEq", 0}, {"ewNeq", 1}, {"ewLt", 0}, {"ewGe", 0}}) {
        Value r = run(op, {number(kNan), number(kNan)});
        EXPECT_EQ(r.scalarType(), ValueType::F64);
        EXPECT_EQ(r.as<double>(), expected) << op;
    }
    // -1 becomes the largest unsigned number.
    EXPECT_EQ(run("ewGt", {number(int64_t(-1)), number(uint64_t(1))}).as<int>(), 1);
    EXPECT_EQ(run("ewEq", {number(-0.0), number(0.0)}).as<int>(), 1);
    EXPECT_EQ(cells<double>(run("ewLe", {column<double>({1, 2, 3}), number(int64_t(2))})), (Doubles{1, 1, 0}));
}

TEST(ElementwiseBinary, LogicalResultsAreNeverFloatingPoint) {
    Value r = run("ewAnd", {number(2.0), number(int64_t(1))});
    EXPECT_EQ(r.scalarType(), ValueType::UI64);
    EXPECT_EQ(r.as<int>(), 1);
    EXPECT_EQ(run("ewOr", {number(0.0), number(kNan)}).as<int>(), 1);
    EXPECT_EQ(run("ewAnd", {number(int8_t(4)), number(true)}).scalarType(), ValueType::SI8);
    EXPECT_EQ(cells<uint64_t>(run("ewOr", {column<float>({0, 0.5}), column<float>({0, 0})})),
              (std::vector<uint64_t>{0, 1}));
    EXPECT_EQ(cells<bool>(run("ewAnd", {column<bool>({true, false}), number(true)})), (std::vector<bool>{true, false}));
}

TEST(ElementwiseBinary, JoinsAndComparesStrings) {
    EXPECT_EQ(run("ewAdd", {text("v="), number(0.1)}).text(), "v=0.100000");
    EXPECT_EQ(run("ewAdd", {number(true), text("!")}).text(), "1!");
    EXPECT_EQ(run("ewConcat", {number(int8_t(-5)), number(1e20)}).text(), "-5100000000000000000000.000000");
    EXPECT_EQ(run("ewConcat", {number(kNan), number(-kInf)}).text(), "nan-inf");
    Value m = strings(2, 2, {"a", "b", "c", "d"});
    using Texts = std::vector<std::string>;
    EXPECT_EQ(cells<std::string>(run("ewAdd", {m, text("x")})), (Texts{"ax", "bx", "cx", "dx"}));
    EXPECT_EQ(cells<std::string>(run("ewAdd", {column<int64_t>({1, 2}), m})), (Texts{"1a", "1b", "2c", "2d"}));
    EXPECT_EQ(cells<std::string>(run("ewAdd", {text("x"), windowed(m)})), (Texts{"xa", "xb", "xc", "xd"}));
    EXPECT_EQ(cells<int64_t>(run("ewLt", {m, text("c")})), (Ints{1, 1, 0, 0}));
    EXPECT_EQ(cells<int64_t>(run("ewEq", {m, strings(1, 2, {"a", "d"})})), (Ints{1, 0, 0, 1}));
    Value r = run("ewEq", {text("a"), text("a")});
    EXPECT_EQ(r.scalarType(), ValueType::SI64);
    EXPECT_EQ(run("ewMax", {text("a"), text("ab")}).text(), "ab");
    EXPECT_EQ(failure("ewSub", {text("a"), number(1.0)}), "'-' needs numbers as argument 1, got str");
    EXPECT_NE(failure("ewEq", {text("a"), number(1.0)}), "");
    EXPECT_NE(failure("ewAnd", {text("a"), text("b")}), "");
}

TEST(ElementwiseBinary, CombinesFramesWithScalarsColumnByColumn) {
    auto frame = Ref<Frame>::make(size_t(2));
    frame->addColumn("a", column<int64_t>({1, 2}).denseRef());
    frame->addColumn("b", column<double>({0.5, 1.5}).denseRef());
    Value r = run("ewAdd", {Value(frame), number(1.5)});
    EXPECT_EQ(r.frame().labels, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(cells<int64_t>(Value(r.frame().columns[0])), (Ints{2, 3}));
    EXPECT_EQ(cells<double>(Value(r.frame().columns[1])), (Doubles{2, 3}));
    EXPECT_EQ(cells<double>(Value(run("ewSub", {number(2.0), Value(frame)}).frame().columns[1])), (Doubles{1.5, 0.5}));
    EXPECT_NE(failure("ewAdd", {Value(frame), column<double>({1, 2})}), "");
    EXPECT_NE(failure("ewAdd", {Value(frame), Value(frame)}), "");
}

TEST(ElementwiseBinary, OverwritesAnOperandNobodyElseSees) {
    Value a = column<double>({1, 2, 3}), b = column<double>({10, 20, 30});
    const Dense *storage = &a.dense();
    std::vector<Value> args;
    args.push_back(std::move(a));
    args.push_back(b);
    std::vector<Value> r = runAll("ewSub", std::move(args), 1, 1);
    EXPECT_EQ(&r[0].dense(), storage);
    EXPECT_EQ(cells<double>(r[0]), (Doubles{-9, -18, -27}));
    Value kept = run("ewAdd", {b, b});
    EXPECT_EQ(cells<double>(b), (Doubles{10, 20, 30}));
    Value shared = column<double>({1, 2, 3}), other = shared;
    Value s = runConsuming("ewSub", 3, {shared, b});
    EXPECT_EQ(cells<double>(other), (Doubles{1, 2, 3}));
}

TEST(ElementwiseUnary, KeepsTheTypeOfEveryNumber) {
    forEachNumber([]<class T>(TypeTag<T>) {
        Value m = matrix<T>(1, 3, {0, 1, 5});
        EXPECT_EQ(cells<T>(run("ewAbs", {m})), (std::vector<T>{0, 1, 5}));
        EXPECT_EQ(cells<T>(run("ewSign", {m})), (std::vector<T>{0, 1, 1}));
        EXPECT_EQ(cells<T>(run("ewMinus", {m})), (std::vector<T>{0, T(-1), T(-5)}));
        EXPECT_EQ(cells<T>(run("ewFloor", {m})), (std::vector<T>{0, 1, 5}));
        EXPECT_EQ(cells<T>(run("ewIsnan", {m})), (std::vector<T>{0, 0, 0}));
        EXPECT_EQ(cells<T>(run("ewNot", {windowed(m)})), (std::vector<T>{1, 0, 0}));
        EXPECT_EQ(run("ewRound", {number(T(3))}).scalarType(), valueTypeOf<T>());
    });
}

TEST(ElementwiseUnary, TreatsSpecialValues) {
    Doubles r = cells<double>(run("ewSign", {column<double>({-kInf, -0.0, kNan, 3})}));
    EXPECT_EQ(r[0], -1);
    EXPECT_EQ(r[1], 0);
    EXPECT_TRUE(std::isnan(r[2]));
    EXPECT_EQ(cells<double>(run("ewRound", {column<double>({-2.5, -0.5, 0.5, 2.5})})), (Doubles{-3, -1, 1, 3}));
    EXPECT_EQ(cells<double>(run("ewIsnan", {column<double>({kNan, kInf})})), (Doubles{1, 0}));
    EXPECT_TRUE(std::signbit(run("ewMinus", {number(0.0)}).as<double>()));
    EXPECT_EQ(run("ewAbs", {number(kMin64)}).as<int64_t>(), kMin64);
    EXPECT_EQ(run("ewMinus", {Value::size(1)}).as<uint64_t>(), ~uint64_t(0));
    EXPECT_EQ(run("ewMinus", {Value::size(1)}).scalarType(), ValueType::Size);
    EXPECT_EQ(run("ewLn", {number(0.0)}).as<double>(), -kInf);
    EXPECT_TRUE(std::isnan(run("ewSqrt", {number(kNan)}).as<double>()));
    EXPECT_TRUE(std::isnan(run("ewAcos", {number(kNan)}).as<double>()));
    EXPECT_TRUE(std::signbit(run("ewSqrt", {number(-0.0)}).as<double>()));
}

TEST(ElementwiseUnary, ComputesInFloatingPoint) {
    EXPECT_EQ(run("ewExp", {number(int64_t(0))}).scalarType(), ValueType::F64);
    EXPECT_EQ(run("ewSqrt", {number(4.0f)}).scalarType(), ValueType::F32);
    EXPECT_EQ(run("ewExp", {number(0.3f)}).as<float>(), std::exp(0.3f));
    EXPECT_EQ(cells<double>(run("ewSqrt", {column<uint8_t>({4, 9})})), (Doubles{2, 3}));
    EXPECT_EQ(cells<double>(run("ewSin", {column<bool>({false, true})})), (Doubles{0, std::sin(1.0)}));
}

TEST(ElementwiseUnary, ReportsTheOffendingCell) {
    EXPECT_EQ(failure("ewSqrt", {number(-1.5)}), "sqrt is not defined for negative numbers: sqrt(-1.5)");
    EXPECT_EQ(failure("ewLn", {matrix<int64_t>(2, 2, {1, 2, 3, -4})}),
              "ln is not defined for negative numbers: ln(-4) at row 1, column 1");
    EXPECT_EQ(failure("ewAsin", {column<double>({0, 1, -1, 1.25})}),
              "asin is not defined outside [-1, 1]: asin(1.25) at row 3, column 0");
    EXPECT_EQ(failure("ewAcos", {windowed(column<double>({-1, kInf}))}),
              "acos is not defined outside [-1, 1]: acos(inf) at row 1, column 0");
    EXPECT_EQ(failure("ewExp", {text("x")}), "'exp' needs a number or a numeric matrix as argument 1, got str");
}

TEST(ElementwiseUnary, ChangesTheCaseOfAsciiLetters) {
    EXPECT_EQ(run("ewLower", {text("AbC-\xc3\x84z")}).text(), "abc-\xc3\x84z");
    EXPECT_EQ(cells<std::string>(run("ewUpper", {strings(1, 2, {"ab", "Z1"})})),
              (std::vector<std::string>{"AB", "Z1"}));
    EXPECT_NE(failure("ewUpper", {number(1.0)}), "");
}

TEST(Outer, CombinesAllPairs) {
    Value a = column<int64_t>({1, 2}), b = rowVector<double>({0.5, 2, 3});
    EXPECT_EQ(cells<double>(run("outerMul", {a, b})), (Doubles{0.5, 2, 3, 1, 4, 6}));
    EXPECT_EQ(cells<double>(run("outerLt", {a, b})), (Doubles{0, 1, 1, 0, 0, 1}));
    EXPECT_EQ(cells<uint64_t>(run("outerXor", {column<double>({0, 1}), rowVector<double>({0, 1})})),
              (std::vector<uint64_t>{0, 1, 1, 0}));
    EXPECT_EQ(cells<std::string>(run("outerConcat", {a, rowVector<int64_t>({7, 8})})),
              (std::vector<std::string>{"17", "18", "27", "28"}));
    EXPECT_EQ(cells<int64_t>(run("outerEq", {strings(2, 1, {"a", "b"}), strings(1, 1, {"b"})})), (Ints{0, 1}));
    EXPECT_EQ(run("outerAdd", {matrix<double>(0, 1, {}), b}).dense().shapeText(), "0x3");
    EXPECT_EQ(failure("outerAdd", {b, b}),
              "'outerAdd' needs a matrix with one column as argument 1, got matrix<f64> 1x3");
    EXPECT_NE(failure("outerAdd", {a, a}), "");
    EXPECT_EQ(failure("outerMod", {a, rowVector<int64_t>({3, 0})}),
              "integer division by zero: 1 % 0 at row 0, column 1");
}

TEST(Conditional, ChoosesByAScalar) {
    EXPECT_EQ(run("cond", {number(kNan), text("yes"), text("no")}).text(), "yes");
    EXPECT_EQ(run("cond", {number(int64_t(0)), number(1.0), number(2.0)}).as<double>(), 2.0);
    Value m = column<double>({1, 2});
    EXPECT_EQ(&run("cond", {number(true), m, column<double>({1})}).dense(), &m.dense());
    EXPECT_EQ(failure("cond", {number(true), number(1.0), number(int64_t(1))}),
              "'?:' needs two values of the same type, got f64 and si64");
    EXPECT_NE(failure("cond", {text("x"), number(1.0), number(1.0)}), "");
}

TEST(Conditional, SelectsCellsByAMatrix) {
    Value c = matrix<double>(2, 2, {0, 1, kNan, -0.0}), t = matrix<int64_t>(2, 2, {1, 2, 3, 4});
    EXPECT_EQ(cells<int64_t>(run("cond", {c, t, number(int64_t(9))})), (Ints{9, 2, 3, 9}));
    EXPECT_EQ(cells<int64_t>(run("cond", {c, number(int64_t(9)), windowed(t)})), (Ints{1, 9, 9, 4}));
    EXPECT_EQ(cells<int8_t>(run("cond", {windowed(c), number(int8_t(1)), number(int8_t(2))})),
              (std::vector<int8_t>{2, 1, 1, 2}));
    EXPECT_EQ(cells<std::string>(run("cond", {c, text("t"), strings(2, 2, {"a", "b", "c", "d"})})),
              (std::vector<std::string>{"a", "t", "t", "d"}));
    EXPECT_EQ(failure("cond", {c, column<int64_t>({1, 2}), t}),
              "'?:' needs branches of the shape of the condition, 2x2, got 2x1");
    EXPECT_NE(failure("cond", {c, t, number(1.0)}), "");
    // Wide and tall matrices take other paths.
    for (auto [rows, cols] : {std::pair<size_t, size_t>{3000, 2}, {2, 3000}}) {
        Value mask = counting<uint8_t>(rows, cols), x = counting<double>(rows, cols);
        Doubles expected = cells<double>(run("ewMul", {run("ewNeq", {x, number(0.0)}), x}));
        EXPECT_EQ(cells<double>(run("cond", {windowed(mask), x, number(0.0)})), expected);
    }
}

TEST(Conditional, TurnsOneCellIntoACondition) {
    EXPECT_TRUE(run("condition", {number(kNan)}).as<bool>());
    EXPECT_FALSE(run("condition", {number(-0.0)}).as<bool>());
    EXPECT_TRUE(run("condition", {windowed(matrix<int8_t>(1, 1, {3}))}).as<bool>());
    EXPECT_EQ(run("condition", {number(3.5)}).scalarType(), ValueType::Bool);
    EXPECT_EQ(failure("condition", {column<double>({1, 2})}),
              "a condition must be a number or a numeric 1x1 matrix, got matrix<f64> 2x1");
    EXPECT_NE(failure("condition", {text("true")}), "");
}

} // namespace
} // namespace daphne::test
