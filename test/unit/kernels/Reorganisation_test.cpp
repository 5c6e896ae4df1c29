// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

using I = std::vector<int64_t>;
using D = std::vector<double>;
using S = std::vector<std::string>;

Value frame(std::vector<std::pair<std::string, Value>> columns) {
    auto f = Ref<Frame>::make(columns[0].second.dense().rows());
    for (auto &[label, column] : columns)
        f->addColumn(label, column.denseRef());
    return f;
}

template <class T> Value counting(size_t rows, size_t cols) {
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    auto v = m->template mutableView<T>();
    for (size_t i = 0; i < rows * cols; ++i) {
        if constexpr (std::is_same_v<T, std::string>)
            v.data[i] = std::to_string(i);
        else
            v.data[i] = static_cast<T>(i);
    }
    return m;
}

template <class T> class TransposeOf : public testing::Test {};
using CellTypes =
    testing::Types<bool, int8_t, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float, double, std::string>;
TYPED_TEST_SUITE(TransposeOf, CellTypes);

TYPED_TEST(TransposeOf, ExchangesRowsAndColumnsInEveryShape) {
    for (auto [rows, cols] :
         {std::pair<size_t, size_t>{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1, 7}, {7, 1}, {3, 5}, {32, 32}, {33, 70}}) {
        Value m = counting<TypeParam>(rows, cols);
        for (const Value &x : {m, windowed(m)}) {
            Value t = run("transpose", {x});
            ASSERT_EQ(t.dense().rows(), cols);
            ASSERT_EQ(t.dense().cols(), rows);
            auto in = x.dense().view<TypeParam>(), out = t.dense().view<TypeParam>();
            for (size_t r = 0; r < rows; ++r)
                for (size_t c = 0; c < cols; ++c)
                    ASSERT_EQ(in(r, c), out(c, r));
        }
    }
}

TEST(Transpose, WritesLargeResultsAroundTheCaches) {
    auto check = []<class T>(TypeTag<T>) {
        Value x = counting<T>(1040, 1031), t = run("transpose", {x});
        auto in = x.dense().view<T>(), out = t.dense().view<T>();
        size_t wrong = 0;
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t c = 0; c < in.cols; ++c)
                wrong += in(r, c) != out(c, r);
        EXPECT_EQ(wrong, 0u);
    };
    check(TypeTag<double>{});
    check(TypeTag<int32_t>{});
    check(TypeTag<uint8_t>{});
}

TEST(ColBind, PutsColumnsSideBySideInTheGeneralType) {
    EXPECT_EQ(printed(run("colBind", {column<int64_t>({1, 2}), matrix<double>(2, 2, {.5, 1, 2, 3})})),
              "DenseMatrix(2x3, double)\n1 0.5 1\n2 2 3\n");
    EXPECT_EQ(printed(run("colBind", {strings(1, 1, {"a"}), strings(1, 1, {"b"})})),
              "DenseMatrix(1x2, std::string)\na b\n");
    EXPECT_EQ(printed(run("colBind", {strings(1, 1, {"a"}), column<double>({1.5})})),
              "DenseMatrix(1x2, std::string)\na 1.500000\n");
    EXPECT_EQ(run("colBind", {matrix<double>(0, 2, {}), matrix<double>(0, 3, {})}).dense().shapeText(), "0x5");
}

TEST(RowBind, PutsRowsBelowEachOtherInTheGeneralType) {
    EXPECT_EQ(cells<double>(run("rowBind", {windowed(rowVector<float>({1, 2})), matrix<double>(2, 2, {3, 4, 5, 6})})),
              (D{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(run("rowBind", {matrix<double>(2, 0, {}), matrix<double>(3, 0, {})}).dense().shapeText(), "5x0");
}

TEST(Binds, RejectUnequalShapesAndMixedKinds) {
    Value f = frame({{"a", column<int64_t>({1, 2})}});
    EXPECT_NE(failure("colBind", {column<double>({1}), column<double>({1, 2})}), "");
    EXPECT_NE(failure("rowBind", {rowVector<double>({1}), rowVector<double>({1, 2})}), "");
    EXPECT_NE(failure("colBind", {f, column<double>({1, 2})}), "");
    EXPECT_NE(failure("rowBind", {column<double>({1, 2}), f}), "");
    EXPECT_NE(failure("colBind", {number(1.0), column<double>({1})}), "");
}

TEST(Binds, OfFramesAppendColumnsOrRows) {
    Value f = frame({{"a", column<int64_t>({1, 2})}}), g = frame({{"b", strings(2, 1, {"x", "y"})}});
    EXPECT_EQ(printed(run("colBind", {f, g})), "Frame(2x2, [a:int64_t, b:std::string])\n1 x\n2 y\n");
    EXPECT_EQ(printed(run("rowBind", {f, f})), "Frame(4x1, [a:int64_t])\n1\n2\n1\n2\n");
}

TEST(Binds, OfFramesRejectClashes) {
    Value f = frame({{"a", column<int64_t>({1, 2})}});
    EXPECT_NE(failure("colBind", {f, f}), "");
    EXPECT_NE(failure("colBind", {f, frame({{"b", column<int64_t>({1})}})}), "");
    EXPECT_NE(failure("rowBind", {f, frame({{"b", column<int64_t>({1})}})}), "");
    EXPECT_NE(failure("rowBind", {f, frame({{"a", column<double>({1})}})}), "");
    EXPECT_NE(failure("rowBind", {f, frame({{"a", column<int64_t>({1})}, {"b", column<int64_t>({1})}})}), "");
}

TEST(Reshape, KeepsCellsRowByRow) {
    Value m = matrix<int64_t>(2, 3, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(printed(run("reshape", {m, number(int64_t(3)), number(2.0)})),
              "DenseMatrix(3x2, int64_t)\n1 2\n3 4\n5 6\n");
    EXPECT_EQ(cells<int64_t>(run("reshape", {windowed(m), number(int64_t(6)), number(int64_t(1))})),
              (I{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(run("reshape", {matrix<double>(0, 3, {}), number(int64_t(7)), number(int64_t(0))}).dense().shapeText(),
              "7x0");
    EXPECT_EQ(cells<std::string>(run("reshape", {strings(2, 1, {"a", "b"}), number(int64_t(1)), number(int64_t(2))})),
              (S{"a", "b"}));
}

TEST(Reshape, RejectsAnotherNumberOfCells) {
    Value m = column<double>({1, 2, 3});
    EXPECT_NE(failure("reshape", {m, number(int64_t(2)), number(int64_t(2))}), "");
    EXPECT_NE(failure("reshape", {m, number(int64_t(-1)), number(int64_t(-3))}), "");
    // The product overflows to 4 cells.
    EXPECT_NE(failure("reshape", {column<double>({1, 2, 3, 4}), number(uint64_t(1) << 63), number(int64_t(8))}), "");
}

TEST(Reverse, ReversesRowsAlsoInPlace) {
    auto m = [] { return matrix<int64_t>(3, 2, {1, 2, 3, 4, 5, 6}); };
    EXPECT_EQ(cells<int64_t>(run("reverse", {m()})), (I{5, 6, 3, 4, 1, 2}));
    EXPECT_EQ(cells<int64_t>(run("reverse", {windowed(m())})), (I{5, 6, 3, 4, 1, 2}));
    Value mine = m();
    std::vector<Value> args;
    args.push_back(std::move(mine));
    Value result = runConsuming("reverse", 1, std::move(args));
    EXPECT_EQ(cells<int64_t>(result), (I{5, 6, 3, 4, 1, 2}));
    EXPECT_EQ(printed(run("reverse", {frame({{"a", strings(2, 1, {"x", "y"})}})})),
              "Frame(2x1, [a:std::string])\ny\nx\n");
    EXPECT_EQ(run("reverse", {matrix<double>(0, 2, {})}).dense().shapeText(), "0x2");
    EXPECT_NE(failure("reverse", {number(1.0)}), "");
}

Value order(Value x, std::vector<int64_t> columns, std::vector<bool> ascending, bool positions) {
    std::vector<Value> args{x};
    for (int64_t c : columns)
        args.push_back(number(c));
    for (bool a : ascending)
        args.push_back(number(a));
    args.push_back(number(positions));
    return run("order", args);
}

TEST(Order, SortsByOneColumnInBothDirections) {
    EXPECT_EQ(cells<uint64_t>(order(column<int64_t>({3, 1, 2}), {0}, {true}, true)), (std::vector<uint64_t>{1, 2, 0}));
    EXPECT_EQ(order(column<int64_t>({3, 1, 2}), {0}, {true}, true).dense().type(), ValueType::Size);
    EXPECT_EQ(cells<int64_t>(order(column<int64_t>({3, 1, 2}), {0}, {false}, false)), (I{3, 2, 1}));
}

TEST(Order, IsStableInBothDirections) {
    Value m = matrix<int64_t>(4, 2, {1, 10, 0, 11, 1, 12, 0, 13});
    EXPECT_EQ(cells<uint64_t>(order(m, {0}, {true}, true)), (std::vector<uint64_t>{1, 3, 0, 2}));
    EXPECT_EQ(cells<uint64_t>(order(m, {0}, {false}, true)), (std::vector<uint64_t>{0, 2, 1, 3}));
}

TEST(Order, SortsLexicographicallyBySeveralColumns) {
    Value m = matrix<double>(4, 2, {1, 5, 0, 7, 1, 9, 0, 7.5});
    EXPECT_EQ(cells<uint64_t>(order(m, {0, 1}, {true, false}, true)), (std::vector<uint64_t>{3, 1, 2, 0}));
    EXPECT_EQ(cells<uint64_t>(order(windowed(m), {1, 0}, {true, true}, true)), (std::vector<uint64_t>{0, 1, 3, 2}));
}

TEST(Order, PutsNanLastInBothDirections) {
    Value m = column<double>({NAN, 2, -INFINITY, NAN, 1});
    EXPECT_EQ(cells<uint64_t>(order(m, {0}, {true}, true)), (std::vector<uint64_t>{2, 4, 1, 0, 3}));
    EXPECT_EQ(cells<uint64_t>(order(m, {0}, {false}, true)), (std::vector<uint64_t>{1, 4, 2, 0, 3}));
}

TEST(Order, SortsFramesByStringColumnsBytewise) {
    Value f = frame({{"s", strings(3, 1, {"b", "B", "a"})}, {"n", column<int64_t>({1, 2, 3})}});
    EXPECT_EQ(printed(order(f, {0}, {true}, false)), "Frame(3x2, [s:std::string, n:int64_t])\nB 2\na 3\nb 1\n");
    EXPECT_EQ(cells<uint64_t>(order(f, {1}, {false}, true)), (std::vector<uint64_t>{2, 1, 0}));
}

TEST(Order, AcceptsNoRowsAndRejectsWrongColumns) {
    EXPECT_EQ(order(matrix<double>(0, 2, {}), {1}, {true}, false).dense().shapeText(), "0x2");
    auto fails = [](int64_t c) {
        return failure("order", {column<double>({1}), number(c), number(true), number(true)});
    };
    EXPECT_NE(fails(1), "");
    EXPECT_NE(fails(-1), "");
    EXPECT_NE(failure("order", {column<double>({1}), number(int64_t(0)), number(true), number(true), number(true)}),
              "");
}

TEST(Replace, ReplacesEqualCellsInTheGeneralType) {
    EXPECT_EQ(printed(run("replace", {column<int64_t>({1, 2, 1}), number(int64_t(1)), number(0.5)})),
              "DenseMatrix(3x1, double)\n0.5\n2\n0.5\n");
    EXPECT_EQ(cells<double>(run("replace", {column<double>({1, NAN, 3}), number(NAN), number(int64_t(0))}))[1], 0);
    EXPECT_TRUE(std::isnan(cells<double>(run("replace", {column<double>({1, NAN}), number(1.0), number(2.0)}))[1]));
    EXPECT_EQ(cells<std::string>(run("replace", {strings(2, 1, {"a", "b"}), text("a"), text("c")})), (S{"c", "b"}));
    EXPECT_EQ(cells<double>(run("replace", {column<int64_t>({1, 2}), number(1.5), number(int64_t(9))})), (D{1, 2}));
}

TEST(Replace, LeavesASharedArgumentAlone) {
    Value m = column<int64_t>({1, 2});
    EXPECT_EQ(cells<int64_t>(runConsuming("replace", 1, {m, number(int64_t(1)), number(int64_t(7))})), (I{7, 2}));
    EXPECT_EQ(cells<int64_t>(m), (I{1, 2}));
    EXPECT_NE(failure("replace", {m, text("a"), text("b")}), "");
    EXPECT_NE(failure("replace", {strings(1, 1, {"a"}), number(1.0), text("b")}), "");
    EXPECT_NE(failure("replace", {m, m, number(1.0)}), "");
}

Value tri(Value x, bool upper, bool diag, bool values) {
    return run("tri", {x, number(upper), number(diag), number(values)});
}

TEST(Tri, KeepsOneTriangle) {
    Value m = matrix<int64_t>(3, 3, {1, 2, 3, 4, 5, 6, 7, 0, 9});
    EXPECT_EQ(cells<int64_t>(tri(m, false, true, true)), (I{1, 0, 0, 4, 5, 0, 7, 0, 9}));
    EXPECT_EQ(cells<int64_t>(tri(m, false, false, true)), (I{0, 0, 0, 4, 0, 0, 7, 0, 0}));
    EXPECT_EQ(cells<int64_t>(tri(m, false, false, false)), (I{0, 0, 0, 1, 0, 0, 1, 0, 0}));
    EXPECT_EQ(cells<int64_t>(tri(windowed(m), true, true, false)), (I{1, 1, 1, 0, 1, 1, 0, 0, 1}));
    EXPECT_EQ(cells<int64_t>(tri(m, true, false, true)), (I{0, 2, 3, 0, 0, 6, 0, 0, 0}));
    EXPECT_EQ(cells<int64_t>(m)[1], 2) << "the argument is unchanged";
}

TEST(Tri, NeedsASquareNumericMatrix) {
    EXPECT_NE(failure("tri", {rowVector<double>({1, 2}), number(true), number(true), number(true)}), "");
    EXPECT_NE(failure("tri", {strings(1, 1, {"a"}), number(true), number(true), number(true)}), "");
    EXPECT_EQ(tri(matrix<double>(0, 0, {}), true, true, true).dense().shapeText(), "0x0");
}

TEST(Diag, MatrixAndVectorAreInverse) {
    Value v = column<double>({1, 2, 3});
    Value m = run("diagMatrix", {v});
    EXPECT_EQ(cells<double>(m), (D{1, 0, 0, 0, 2, 0, 0, 0, 3}));
    EXPECT_EQ(cells<double>(run("diagVector", {windowed(m)})), (D{1, 2, 3}));
    EXPECT_EQ(cells<std::string>(run("diagMatrix", {strings(2, 1, {"a", "b"})})), (S{"a", "", "", "b"}));
    EXPECT_EQ(run("diagMatrix", {matrix<double>(0, 1, {})}).dense().shapeText(), "0x0");
    EXPECT_NE(failure("diagMatrix", {rowVector<double>({1, 2})}), "");
    EXPECT_NE(failure("diagVector", {rowVector<double>({1, 2})}), "");
}

} // namespace
} // namespace daphne::test
