// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Doubles = std::vector<double>;
using Ints = std::vector<int64_t>;
using Sizes = std::vector<uint64_t>;

TEST(Aggregate, SumsEveryType) {
    for (int i = 0; i <= static_cast<int>(ValueType::F64); ++i)
        withNumericType(static_cast<ValueType>(i), [&]<class T>(TypeTag<T>) {
            using R = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 8, int64_t, T>;
            Value m = matrix<T>(2, 2, {T(1), T(0), T(1), T(1)});
            EXPECT_EQ(run("sumAll", {m}).template as<R>(), R(3));
            EXPECT_EQ(run("sumAll", {m}).scalarType(), valueTypeOf<R>());
            EXPECT_EQ(cells<R>(run("sumRow", {windowed(m)})), (std::vector<R>{1, 2}));
            EXPECT_EQ(cells<R>(run("sumCol", {m})), (std::vector<R>{2, 1}));
            EXPECT_EQ(cells<T>(run("maxCol", {m})), (std::vector<T>{T(1), T(1)}));
            EXPECT_EQ(cells<T>(run("minRow", {m})), (std::vector<T>{T(0), T(1)}));
        });
}

TEST(Aggregate, SumsOfNarrowIntegersHave64Bits) {
    EXPECT_EQ(run("sumAll", {column<int8_t>({100, 100})}).as<int>(), 200);
    EXPECT_EQ(run("sumAll", {column<uint8_t>({200, 100})}).as<int>(), 300);
}

TEST(Aggregate, KeepsTheSizeType) {
    auto m = Dense::create(ValueType::Size, 1, 1, Buffer::Init::Zero);
    EXPECT_EQ(run("sumAll", {Value(m)}).scalarType(), ValueType::Size);
    EXPECT_EQ(run("maxRow", {Value(m)}).valueType(), ValueType::Size);
}

TEST(Aggregate, HasAnAnswerForNoCells) {
    Value none = matrix<double>(0, 2, {}), ints = matrix<int64_t>(0, 0, {});
    EXPECT_EQ(run("sumAll", {none}).as<double>(), 0);
    EXPECT_EQ(run("minAll", {none}).as<double>(), kInf);
    EXPECT_EQ(run("maxAll", {none}).as<double>(), -kInf);
    EXPECT_EQ(run("minAll", {ints}).as<int64_t>(), std::numeric_limits<int64_t>::max());
    EXPECT_EQ(run("maxAll", {ints}).as<int64_t>(), std::numeric_limits<int64_t>::min());
    EXPECT_TRUE(std::isnan(run("meanAll", {none}).as<double>()));
    EXPECT_FALSE(std::signbit(run("meanAll", {none}).as<double>()));
    EXPECT_TRUE(std::isnan(run("stddevAll", {ints}).as<double>()));
    EXPECT_EQ(cells<double>(run("sumCol", {none})), (Doubles{0, 0}));
    EXPECT_EQ(run("sumRow", {none}).dense().shapeText(), "0x1");
    EXPECT_TRUE(std::isnan(cells<double>(run("meanCol", {none}))[1]));
    EXPECT_EQ(cells<double>(run("minRow", {matrix<double>(2, 0, {})})), (Doubles{kInf, kInf}));
    EXPECT_EQ(cells<uint64_t>(run("idxminCol", {none})), (Sizes{0, 0}));
    EXPECT_EQ(run("idxminRow", {none}).dense().shapeText(), "0x1");
}

TEST(Aggregate, NanIsTheExtremeWhereverItStands) {
    auto isPositiveNan = [](double x) { return std::isnan(x) && !std::signbit(x); };
    for (size_t at : {0, 1, 7, 100, 4095, 4096, 9999}) {
        auto cellsWithNan = Dense::create(ValueType::F64, 2, 5000);
        std::fill_n(cellsWithNan->mutableView<double>().data, 10000, 1.0);
        cellsWithNan->mutableView<double>().data[at] = -kNan;
        Value m(std::move(cellsWithNan));
        for (const char *aggregate : {"minAll", "maxAll"})
            EXPECT_TRUE(isPositiveNan(run(aggregate, {m}).as<double>())) << aggregate << at;
        for (const char *aggregate : {"minRow", "maxRow"}) {
            Doubles rows = cells<double>(run(aggregate, {m}));
            EXPECT_TRUE(isPositiveNan(rows[at / 5000])) << aggregate << at;
            EXPECT_EQ(rows[1 - at / 5000], 1);
        }
        for (const char *aggregate : {"minCol", "maxCol"}) {
            Doubles columns = cells<double>(run(aggregate, {m}));
            EXPECT_TRUE(isPositiveNan(columns[at % 5000])) << aggregate << at;
            EXPECT_EQ(std::ranges::count(columns, 1.0), 4999);
        }
        for (const char *position : {"idxminRow", "idxmaxRow"})
            EXPECT_EQ(cells<uint64_t>(run(position, {m}))[at / 5000], at % 5000) << position;
    }
}

TEST(Aggregate, ComputesMomentsInFloatingPoint) {
    Value m = matrix<int64_t>(2, 2, {1, 2, 3, 4});
    EXPECT_EQ(run("meanAll", {m}).as<double>(), 2.5);
    EXPECT_EQ(run("meanAll", {m}).scalarType(), ValueType::F64);
    EXPECT_EQ(run("varAll", {m}).as<double>(), 1.25);
    EXPECT_EQ(run("stddevAll", {m}).as<double>(), std::sqrt(1.25));
    EXPECT_EQ(cells<double>(run("varRow", {windowed(m)})), (Doubles{0.25, 0.25}));
    EXPECT_EQ(cells<double>(run("meanCol", {m})), (Doubles{2, 3}));
    EXPECT_EQ(cells<double>(run("stddevCol", {m})), (Doubles{1, 1}));
    EXPECT_EQ(cells<double>(run("varCol", {column<int64_t>({1, 2, 3, 4})})), (Doubles{1.25}));
    EXPECT_EQ(run("meanRow", {matrix<float>(1, 2, {1, 2})}).valueType(), ValueType::F32);
    EXPECT_EQ(run("meanAll", {column<bool>({true, false})}).as<double>(), 0.5);
}

/// 1, 2, ..., n scaled, with rounding errors.
Value tenths(size_t rows, size_t cols) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->mutableView<double>().data[i] = 0.1 * static_cast<double>(i % 1000);
    return m;
}

TEST(Aggregate, SumsDoNotDependOnTheLayout) {
    for (auto [rows, cols] : {std::pair<size_t, size_t>{1, 10000}, {10000, 1}, {300, 77}, {5, 4097}}) {
        Value m = tenths(rows, cols), w = windowed(m);
        for (const char *op : {"sumAll", "meanAll", "varAll"})
            EXPECT_EQ(run(op, {m}).as<double>(), run(op, {w}).as<double>()) << op;
        for (const char *op : {"sumRow", "sumCol", "varRow", "varCol"})
            EXPECT_EQ(cells<double>(run(op, {m})), cells<double>(run(op, {w}))) << op;
        double exact = 0;
        for (double x : cells<double>(m))
            exact += std::round(x * 10);
        EXPECT_NEAR(run("sumAll", {m}).as<double>(), exact / 10, 1e-9 * exact);
    }
}

TEST(Aggregate, FindsPositionsOfExtremes) {
    Value m = matrix<double>(3, 2, {4, 2, 2, 2, 3, 5});
    EXPECT_EQ(cells<uint64_t>(run("idxminRow", {m})), (Sizes{1, 0, 0}));
    EXPECT_EQ(cells<uint64_t>(run("idxmaxRow", {windowed(m)})), (Sizes{0, 0, 1}));
    EXPECT_EQ(cells<uint64_t>(run("idxminCol", {m})), (Sizes{1, 0}));
    EXPECT_EQ(cells<uint64_t>(run("idxmaxCol", {m})), (Sizes{0, 2}));
    EXPECT_EQ(run("idxmaxCol", {m}).valueType(), ValueType::Size);
    EXPECT_EQ(cells<uint64_t>(run("idxminRow", {matrix<double>(2, 2, {kNan, 1, 1, kNan})})), (Sizes{0, 1}));
    EXPECT_EQ(cells<uint64_t>(run("idxmaxRow", {matrix<double>(2, 0, {})})), (Sizes{0, 0}));
}

TEST(Aggregate, RejectsWhatIsNoNumericMatrix) {
    EXPECT_EQ(failure("sumAll", {number(1.0)}), "'sum' needs a matrix as argument 1, got f64");
    EXPECT_EQ(failure("sumRow", {strings(1, 1, {"a"})}),
              "'sum' needs a numeric matrix as argument 1, got matrix<str> 1x1");
    EXPECT_NE(failure("meanCol", {strings(1, 1, {"a"})}), "");
    EXPECT_NE(failure("sumCum", {strings(1, 1, {"a"})}), "");
}

TEST(Cumulative, RunsDownEachColumn) {
    Value m = matrix<int64_t>(3, 2, {1, 6, 2, 4, 3, 5});
    EXPECT_EQ(cells<int64_t>(run("sumCum", {m})), (Ints{1, 6, 3, 10, 6, 15}));
    EXPECT_EQ(cells<int64_t>(run("prodCum", {windowed(m)})), (Ints{1, 6, 2, 24, 6, 120}));
    EXPECT_EQ(cells<int64_t>(run("minCum", {m})), (Ints{1, 6, 1, 4, 1, 4}));
    EXPECT_EQ(cells<int64_t>(run("maxCum", {m})), (Ints{1, 6, 2, 6, 3, 6}));
    EXPECT_EQ(cells<int64_t>(run("sumCum", {column<bool>({true, true})})), (Ints{1, 2}));
    EXPECT_EQ(cells<bool>(run("maxCum", {column<bool>({false, true})})), (std::vector<bool>{false, true}));
    EXPECT_EQ(run("sumCum", {matrix<double>(0, 2, {})}).dense().shapeText(), "0x2");
    Doubles minima = cells<double>(run("minCum", {column<double>({1, kNan, 0})}));
    EXPECT_EQ(minima[0], 1);
    EXPECT_TRUE(std::isnan(minima[1]) && std::isnan(minima[2]));
}

} // namespace
} // namespace daphne::test
