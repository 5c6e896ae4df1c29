// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kernels/Run.h"
#include "ops/Range.h"

namespace daphne::test {
namespace {

using I = std::vector<int64_t>;
using S = std::vector<std::string>;

Value num(int64_t x) { return number(x); }

Value nine() { return matrix<int64_t>(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}); }

Value table() {
    auto f = Ref<Frame>::make(3);
    f->addColumn("p.a", column<int64_t>({1, 2, 3}).denseRef());
    f->addColumn("p.b", strings(3, 1, {"x", "y", "z"}).denseRef());
    f->addColumn("c", column<double>({.5, 1.5, 2.5}).denseRef());
    return f;
}

TEST(Normalise, FollowsTheRuleOfTheLanguage) {
    using ops::normalise, ops::Range;
    EXPECT_EQ(normalise(1, 3, 5), (Range{1, 3}));
    EXPECT_EQ(normalise(-3, -1, 5), (Range{2, 4}));
    EXPECT_EQ(normalise(-1, 0, 5), (Range{4, 5}));
    EXPECT_EQ(normalise(-2, 5, 5), (Range{3, 5}));
    EXPECT_EQ(normalise(1, -1, 5), (Range{1, 4}));
    EXPECT_EQ(normalise(2, 2, 5), (Range{2, 2}));
    EXPECT_EQ(normalise(0, 0, 5), (Range{0, 0}));
    EXPECT_EQ(normalise(-5, 0, 5), (Range{0, 5}));
    EXPECT_EQ(normalise(5, 5, 5), std::nullopt);
    EXPECT_EQ(normalise(0, 6, 5), std::nullopt);
    EXPECT_EQ(normalise(3, 2, 5), std::nullopt);
    EXPECT_EQ(normalise(-6, 2, 5), std::nullopt);
    EXPECT_EQ(normalise(0, 0, 0), std::nullopt);
    EXPECT_EQ(normalise(INT64_MIN, INT64_MIN, 5), std::nullopt);
    EXPECT_EQ(normalise(INT64_MAX, INT64_MIN, 5), std::nullopt);
}

TEST(Normalise, ForInsertAllowsNothingIntoNothing) {
    EXPECT_EQ(ops::normaliseForInsert(0, 0, 0), (ops::Range{0, 0}));
    EXPECT_EQ(ops::normaliseForInsert(5, 5, 5), std::nullopt);
}

TEST(Normalise, TellsTheSizeWithoutTheDimensionWhereItFollows) {
    EXPECT_EQ(ops::sizeWithoutDimension(0, 1), 1);
    EXPECT_EQ(ops::sizeWithoutDimension(-1, 0), 1);
    EXPECT_EQ(ops::sizeWithoutDimension(-3, -1), 2);
    EXPECT_EQ(ops::sizeWithoutDimension(-3, 2), -1);
    EXPECT_EQ(ops::sizeWithoutDimension(1, -1), -1);
    EXPECT_EQ(ops::sizeWithoutDimension(3, 1), -1);
}

TEST(Slice, SelectsRowsAndColumns) {
    EXPECT_EQ(cells<int64_t>(run("sliceRow", {nine(), num(1), num(3)})), (I{4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("sliceCol", {nine(), num(1), num(2)})), (I{2, 5, 8}));
    EXPECT_EQ(cells<int64_t>(run("sliceRow", {nine(), num(-1), num(0)})), (I{7, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("sliceCol", {nine(), number(1.0), number(2.0)})), (I{2, 5, 8}));
    EXPECT_EQ(run("sliceRow", {nine(), num(1), num(1)}).dense().shapeText(), "0x3");
    EXPECT_EQ(run("sliceCol", {strings(1, 2, {"a", "b"}), num(1), num(2)}).dense().shapeText(), "1x1");
}

TEST(Slice, OfASliceSelectsFromThePart) {
    Value part = run("sliceRow", {run("sliceCol", {nine(), num(1), num(3)}), num(1), num(3)});
    EXPECT_EQ(cells<int64_t>(part), (I{5, 6, 8, 9}));
}

TEST(Slice, DoesNotCopy) {
    Value x = nine();
    Value part = run("sliceRow", {x, num(1), num(2)});
    EXPECT_EQ(part.dense().view<int64_t>().data, x.dense().view<int64_t>().row(1));
}

TEST(Slice, RejectsBoundsOutOfRangeWithTheNumbers) {
    EXPECT_EQ(failure("sliceRow", {nine(), num(3), num(4)}), "row 3 is out of range: there are 3 rows");
    EXPECT_EQ(failure("sliceCol", {nine(), num(1), num(7)}), "columns 1:7 are out of range: there are 3 columns");
    EXPECT_NE(failure("sliceRow", {nine(), num(-4), num(-3)}), "");
    EXPECT_NE(failure("sliceRow", {nine(), num(2), num(1)}), "");
    EXPECT_NE(failure("sliceRow", {matrix<double>(0, 2, {}), num(0), num(0)}), "");
    EXPECT_NE(failure("sliceRow", {number(1.0), num(0), num(1)}), "");
}

TEST(Slice, OfFramesKeepsLabelsAndTypes) {
    EXPECT_EQ(printed(run("sliceRow", {table(), num(1), num(2)})),
              "Frame(1x3, [p.a:int64_t, p.b:std::string, c:double])\n2 y 1.5\n");
    EXPECT_EQ(printed(run("sliceCol", {table(), num(-1), num(0)})), "Frame(3x1, [c:double])\n0.5\n1.5\n2.5\n");
}

TEST(Extract, TakesPositionsInOrderWithRepetition) {
    EXPECT_EQ(cells<int64_t>(run("extractRow", {nine(), column<int64_t>({2, 0, 2})})), (I{7, 8, 9, 1, 2, 3, 7, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("extractCol", {nine(), column<double>({-1, 0.0})})), (I{3, 1, 6, 4, 9, 7}));
    EXPECT_EQ(cells<int64_t>(run("extractRow", {windowed(nine()), column<uint8_t>({1})})), (I{4, 5, 6}));
    EXPECT_EQ(cells<int64_t>(run("extractRow", {nine(), num(-3)})), (I{1, 2, 3}));
    EXPECT_EQ(run("extractRow", {nine(), matrix<int64_t>(0, 1, {})}).dense().shapeText(), "0x3");
    EXPECT_EQ(run("extractCol", {nine(), matrix<int64_t>(0, 1, {})}).dense().shapeText(), "3x0");
    EXPECT_EQ(cells<std::string>(run("extractCol", {strings(1, 2, {"a", "b"}), column<bool>({true, false})})),
              (S{"a"}));
}

TEST(Extract, RejectsWrongPositions) {
    EXPECT_EQ(failure("extractRow", {nine(), column<int64_t>({0, 3})}), "row 3 is out of range: there are 3 rows");
    EXPECT_NE(failure("extractRow", {nine(), column<int64_t>({-4})}), "");
    EXPECT_NE(failure("extractRow", {nine(), column<uint64_t>({~uint64_t(0)})}), "");
    EXPECT_NE(failure("extractRow", {nine(), column<double>({NAN})}), "");
    EXPECT_NE(failure("extractRow", {nine(), rowVector<int64_t>({0, 1})}), "");
    EXPECT_NE(failure("extractCol", {nine(), strings(1, 1, {"a"})}), "");
    EXPECT_NE(failure("extractCol", {nine(), text("a")}), "");
    EXPECT_NE(failure("extractRow", {table(), text("c")}), "");
}

TEST(Extract, SelectsFrameColumnsByLabelAndPrefix) {
    EXPECT_EQ(printed(run("extractCol", {table(), text("c")})), "Frame(3x1, [c:double])\n0.5\n1.5\n2.5\n");
    EXPECT_EQ(run("extractCol", {table(), text("p.*")}).frame().labels, (S{"p.a", "p.b"}));
    EXPECT_EQ(failure("extractCol", {table(), text("q")}), "the frame has no column \"q\"");
    EXPECT_NE(failure("extractCol", {table(), text("c.*")}), "");
}

TEST(Extract, RenamesFrameColumnsTakenAgain) {
    EXPECT_EQ(run("extractCol", {table(), column<int64_t>({2, 0, 2})}).frame().labels, (S{"c", "p.a", "col_2"}));
    EXPECT_EQ(printed(run("extractRow", {table(), column<int64_t>({-1, 0})})),
              "Frame(2x3, [p.a:int64_t, p.b:std::string, c:double])\n3 z 2.5\n1 x 0.5\n");
}

TEST(Filter, KeepsWhatIsNotZero) {
    EXPECT_EQ(cells<int64_t>(run("filterRow", {nine(), column<double>({0.5, 0, NAN})})), (I{1, 2, 3, 7, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("filterCol", {nine(), column<int64_t>({0, 1, 0})})), (I{2, 5, 8}));
    EXPECT_EQ(run("filterRow", {nine(), column<bool>({false, false, false})}).dense().shapeText(), "0x3");
    EXPECT_EQ(run("filterRow", {matrix<double>(0, 2, {}), matrix<int64_t>(0, 1, {})}).dense().shapeText(), "0x2");
    EXPECT_EQ(printed(run("filterRow", {table(), column<int64_t>({0, 1, 0})})),
              "Frame(1x3, [p.a:int64_t, p.b:std::string, c:double])\n2 y 1.5\n");
    EXPECT_EQ(run("filterCol", {table(), column<int64_t>({1, 0, 1})}).frame().labels, (S{"p.a", "c"}));
}

TEST(Filter, RejectsWrongLengthsAndTypes) {
    EXPECT_NE(failure("filterRow", {nine(), column<int64_t>({1, 0})}), "");
    EXPECT_NE(failure("filterCol", {nine(), rowVector<int64_t>({1, 0, 1})}), "");
    EXPECT_NE(failure("filterRow", {nine(), strings(3, 1, {"", "", ""})}), "");
    EXPECT_NE(failure("filterRow", {nine(), number(1.0)}), "");
    EXPECT_NE(failure("filterRow", {number(1.0), column<int64_t>({1})}), "");
}

TEST(Insert, ReplacesRowsColumnsAndCells) {
    EXPECT_EQ(cells<int64_t>(run("insertRow", {nine(), rowVector<int64_t>({0, 0, 0}), num(-1), num(0)})),
              (I{1, 2, 3, 4, 5, 6, 0, 0, 0}));
    EXPECT_EQ(cells<int64_t>(run("insertCol", {nine(), column<int64_t>({0, 0, 0}), num(0), num(1)})),
              (I{0, 2, 3, 0, 5, 6, 0, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("insert", {nine(), matrix<int64_t>(2, 1, {0, 0}), num(0), num(2), num(1), num(2)})),
              (I{1, 0, 3, 4, 0, 6, 7, 8, 9}));
    EXPECT_EQ(cells<std::string>(
                  run("insert", {strings(1, 2, {"a", "b"}), strings(1, 1, {"z"}), num(0), num(1), num(1), num(2)})),
              (S{"a", "z"}));
}

TEST(Insert, OfNothingIsANoOp) {
    EXPECT_EQ(cells<int64_t>(run("insertRow", {nine(), matrix<int64_t>(0, 3, {}), num(1), num(1)})),
              cells<int64_t>(nine()));
    EXPECT_EQ(
        run("insertRow", {matrix<double>(0, 2, {}), matrix<double>(0, 2, {}), num(0), num(0)}).dense().shapeText(),
        "0x2");
    EXPECT_NE(failure("insertRow", {nine(), matrix<int64_t>(0, 3, {}), num(3), num(3)}), "");
}

TEST(Insert, LeavesOtherHoldersOfTheMatrixAlone) {
    Value x = nine();
    run("insert", {x, column<int64_t>({0}), num(0), num(1), num(0), num(1)});
    EXPECT_EQ(cells<int64_t>(x), cells<int64_t>(nine()));
    Value other = x;
    runConsuming("insert", 1, {x, column<int64_t>({0}), num(0), num(1), num(0), num(1)});
    EXPECT_EQ(cells<int64_t>(other), cells<int64_t>(nine()));
    // A window sees the cells of the whole.
    Value whole = nine(), part = run("sliceRow", {whole, num(0), num(2)});
    std::vector<Value> args;
    args.push_back(std::move(part));
    args.push_back(column<int64_t>({0}));
    for (int64_t b : {0, 1, 0, 1})
        args.push_back(num(b));
    runConsuming("insert", 1, std::move(args));
    EXPECT_EQ(cells<int64_t>(whole), cells<int64_t>(nine()));
}

TEST(Insert, UpdatesInPlaceWhatNobodyElseSees) {
    Value x = nine();
    const int64_t *storage = x.dense().view<int64_t>().data;
    const Kernel *kernel = KernelTable::get().find("insertRow");
    RunContext context;
    std::vector<Value> args, results(1);
    args.push_back(std::move(x));
    args.push_back(rowVector<int64_t>({0, 0, 0}));
    args.push_back(num(1));
    args.push_back(num(2));
    KernelCall call{context, *kernel, args, results, 1, {}};
    kernel->run(call);
    EXPECT_EQ(results[0].dense().view<int64_t>().data, storage);
    EXPECT_EQ(cells<int64_t>(results[0]), (I{1, 2, 3, 0, 0, 0, 7, 8, 9}));
}

TEST(Insert, FillsThePartWithAScalar) {
    EXPECT_EQ(cells<int64_t>(run("insert", {nine(), number(true), num(0), num(2), num(1), num(2)})),
              (I{1, 1, 3, 4, 1, 6, 7, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("insertRow", {nine(), num(0), num(-1), num(0)})), (I{1, 2, 3, 4, 5, 6, 0, 0, 0}));
}

TEST(Insert, UpdatesColumnsOfFramesInPlaceWhereNobodyElseSeesThem) {
    Value frame = run("setColumn", {table(), column<int64_t>({1, 2, 3}), text("new")});
    const int64_t *storage = frame.frame().columns[3]->view<int64_t>().data;
    std::vector<Value> args;
    args.push_back(std::move(frame));
    for (Value v : {num(9), text("new"), num(0), num(1)})
        args.push_back(std::move(v));
    Value result = runConsuming("insertInColumn", 1, std::move(args));
    EXPECT_EQ(result.frame().columns[3]->view<int64_t>().data, storage);
    EXPECT_EQ(cells<int64_t>(Value(result.frame().columns[3])), (I{9, 2, 3}));
    // What others hold is copied.
    Value other = result;
    Value changed = run("insertInColumn", {result, num(5), text("new"), num(1), num(2)});
    EXPECT_EQ(cells<int64_t>(Value(other.frame().columns[3])), (I{9, 2, 3}));
    EXPECT_EQ(cells<int64_t>(Value(changed.frame().columns[3])), (I{9, 5, 3}));
}

TEST(MarkedCells, AreReadAndOverwrittenRowByRow) {
    Value marks = matrix<double>(3, 3, {0, 1, 0, -0.5, 0, 0, 0, 0, 2});
    EXPECT_EQ(cells<int64_t>(run("filterCells", {nine(), marks})), (I{2, 4, 9}));
    EXPECT_EQ(cells<int64_t>(run("insertCells", {nine(), column<int64_t>({7, 0, 5}), marks})),
              (I{1, 7, 3, 0, 5, 6, 7, 8, 5}));
    EXPECT_EQ(cells<int64_t>(run("insertCells", {nine(), num(0), marks})), (I{1, 0, 3, 0, 5, 6, 7, 8, 0}));
    Value x = nine();
    EXPECT_EQ(cells<int64_t>(runConsuming("insertCells", 1, {x, num(0), x})), I(9, 0));
    EXPECT_NE(failure("insertCells", {nine(), column<int64_t>({1, 2}), marks}), "");
    EXPECT_NE(failure("filterCells", {nine(), column<int64_t>({1, 0, 1})}), "");
    Value all = number(true);
    EXPECT_EQ(cells<int64_t>(run("insertMarked", {nine(), num(0), column<int64_t>({0, 1, 0}), all})),
              (I{1, 2, 3, 0, 0, 0, 7, 8, 9}));
    EXPECT_EQ(cells<int64_t>(run("insertMarked", {nine(), matrix<int64_t>(1, 2, {5, 6}), column<int64_t>({0, 1, 0}),
                                                  column<int64_t>({1, 0, 1})})),
              (I{1, 2, 3, 5, 5, 6, 7, 8, 9}));
}

TEST(Insert, RejectsWrongShapesTypesAndBounds) {
    EXPECT_EQ(failure("insertRow", {nine(), rowVector<int64_t>({1, 2}), num(0), num(1)}),
              "left indexing selects 1x3 cells, but the right-hand side is 1x2");
    EXPECT_NE(failure("insertRow", {nine(), rowVector<double>({1, 2, 3}), num(0), num(1)}), "");
    EXPECT_NE(failure("insertCol", {nine(), column<int64_t>({1, 2, 3}), num(3), num(4)}), "");
    EXPECT_EQ(failure("insert", {nine(), number(1.5), num(0), num(1), num(0), num(1)}),
              "values of type f64 do not fit into cells of type si64, which keep their type");
    EXPECT_NE(failure("insert", {nine(), text("a"), num(0), num(1), num(0), num(1)}), "");
    EXPECT_NE(failure("insert", {nine(), table(), num(0), num(1), num(0), num(1)}), "");
}

TEST(Insert, WorksOnFramesOfEqualColumnTypes) {
    auto row = Ref<Frame>::make(1);
    row->addColumn("x", column<int64_t>({9}).denseRef());
    row->addColumn("y", strings(1, 1, {"q"}).denseRef());
    EXPECT_EQ(printed(run("insert", {table(), row, num(0), num(1), num(0), num(2)})),
              "Frame(3x3, [p.a:int64_t, p.b:std::string, c:double])\n9 q 0.5\n2 y 1.5\n3 z 2.5\n");
    EXPECT_NE(failure("insert", {table(), row, num(0), num(1), num(1), num(3)}), "");
}

} // namespace
} // namespace daphne::test
