// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/CsrCase.h"

namespace daphne::test {
namespace {

Value integer(int64_t x) { return number(x); }

/// Inserts into x, which is given away: nobody else sees it.
Value inserted(const char *op, Value x, std::vector<Value> rest) {
    std::vector<Value> args;
    args.push_back(std::move(x));
    args.insert(args.end(), rest.begin(), rest.end());
    return runConsuming(op, 1, std::move(args));
}

std::vector<Value> everyForm(size_t rows, size_t cols) {
    std::vector<Value> all;
    for (ValueType type : kNumericTypes)
        for (Value &x : csrForms(type, rows, cols, 40))
            all.push_back(std::move(x));
    return all;
}

TEST(CsrIndexing, RangesAgreeWithDense) {
    for (const Value &x : everyForm(6, 5))
        for (auto [lo, hi] :
             {std::pair<int64_t, int64_t>{0, 3}, {2, 5}, {1, 1}, {-2, 0}, {-3, -1}, {3, 9}, {4, 2}, {7, 8}}) {
            expectAsDense("sliceRow", {x, integer(lo), integer(hi)});
            expectAsDense("sliceCol", {x, integer(lo), integer(hi)});
        }
}

TEST(CsrIndexing, RowWindowsShareTheCells) {
    Value x = randomCsr({ValueType::F64, 6, 5, 0.5}, 1);
    Value rows = run("sliceRow", {x, integer(2), integer(5)});
    EXPECT_EQ(rows.csr().values<double>(), x.csr().values<double>());
    Value one = run("extractRow", {x, integer(-1)});
    EXPECT_EQ(one.csr().values<double>(), x.csr().values<double>());
}

TEST(CsrIndexing, PositionsAgreeWithDense) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (const Value &x : everyForm(5, 5))
        for (const char *op : {"extractRow", "extractCol"}) {
            for (const Value &p : {column<int64_t>({0, 2, 4}), column<int64_t>({1, 2, 3}),
                                   column<int64_t>({4, 0, 0, 3}), column<int64_t>({-1, 2}), column<double>({1, 0}),
                                   column<uint64_t>({2, 2}), integer(3), integer(-5), number(1.0)})
                expectAsDense(op, {x, p});
            expectAsDense(op, {x, randomCsr({ValueType::SI64, 4, 1, 0.5, true}, 2)});
            for (const Value &wrong : {integer(5), integer(-6), number(kNan), number(1.5), column<int64_t>({0, 9}),
                                       rowVector<int64_t>({0, 1}), column<uint64_t>({~uint64_t(0)}), text("a")})
                expectAsDense(op, {x, wrong});
            expectAsDense(op, {x, Value(Dense::create(ValueType::SI64, 0, 1))});
        }
}

TEST(CsrIndexing, FiltersAgreeWithDense) {
    for (const Value &x : everyForm(5, 5))
        for (const char *op : {"filterRow", "filterCol"}) {
            for (const Value &bits :
                 {column<bool>({true, false, true, true, false}), column<double>({0, 0, 0, 0, 0}),
                  column<int64_t>({1, 1, 1, 1, 1}), column<double>({0, 0, 0.5, 0, 0}), column<bool>({true}),
                  rowVector<bool>({true, true, true, true, true}), strings(5, 1, {"a", "b", "c", "d", "e"})})
                expectAsDense(op, {x, bits});
            expectAsDense(op, {x, randomCsr({ValueType::SI64, 5, 1, 0.5}, 2)});
        }
}

TEST(CsrIndexing, InsertionsAgreeWithDense) {
    for (const Value &x : everyForm(6, 5))
        for (double density : {0.0, 0.4, 1.0})
            for (bool pattern : {false, true}) {
                auto part = [&](size_t rows, size_t cols) {
                    return randomCsr({x.valueType(), rows, cols, density, pattern, true}, 8);
                };
                for (bool dense : {false, true}) {
                    auto y = [&](size_t rows, size_t cols) {
                        return dense ? asDense(part(rows, cols)) : part(rows, cols);
                    };
                    expectAsDense("insertRow", {x, y(2, 5), integer(1), integer(3)});
                    expectAsDense("insertRow", {x, y(1, 5), integer(-1), integer(0)});
                    expectAsDense("insertCol", {x, y(6, 2), integer(3), integer(5)});
                    expectAsDense("insertCol", {x, y(6, 5), integer(0), integer(5)});
                    expectAsDense("insert", {x, y(2, 3), integer(2), integer(4), integer(1), integer(4)});
                    expectAsDense("insert", {x, y(0, 3), integer(2), integer(2), integer(1), integer(4)});
                    // Failures: shape, range.
                    expectAsDense("insertRow", {x, y(1, 5), integer(1), integer(3)});
                    expectAsDense("insert", {x, y(2, 3), integer(5), integer(7), integer(1), integer(4)});
                }
            }
}

TEST(CsrIndexing, InsertionErrorsAreThoseOfDense) {
    Value x = randomCsr({ValueType::F64, 3, 3, 0.5}, 1);
    expectAsDense("insertRow", {x, number(1.0), integer(0), integer(1)});
    expectAsDense("insertRow", {x, rowVector<int64_t>({1, 2, 3}), integer(0), integer(1)});
    expectAsDense("insertRow", {x, strings(1, 3, {"a", "b", "c"}), integer(0), integer(1)});
    expectAsDense("insertCol", {x, Value(Ref<Frame>::make(3)), integer(0), integer(1)});
}

TEST(CsrIndexing, InsertionsIntoASharedMatrixLeaveItAlone) {
    Value x = randomCsr({ValueType::F64, 8, 8, 0.1}, 1), before = asDense(x);
    inserted("insertRow", x, {rowVector<double>({1, 0, 2, 0, 0, 0, 0, 3}), integer(3), integer(4)});
    expectSame(x, before, "shared");
    // A window of the matrix is inserted into it.
    Value window = run("sliceRow", {x, integer(0), integer(1)});
    Value y = inserted("insertRow", std::move(x), {window, integer(7), integer(8)});
    expectSame(y, run("insertRow", {before, asDense(window), integer(7), integer(8)}), "window");
}

TEST(CsrIndexing, RowByRowInsertionsReuseTheMatrix) {
    constexpr size_t kRows = 60, kCols = 400;
    Value x = Csr::create(ValueType::F64, kRows, kCols, 0);
    Value expected = asDense(x);
    size_t reused = 0;
    for (size_t i = 0; i < kRows; ++i) {
        size_t r = i * 7 % kRows;
        Value row = randomCsr({ValueType::F64, 1, kCols, 0.05}, i + 1);
        auto lo = static_cast<int64_t>(r);
        expected = run("insertRow", {expected, asDense(row), integer(lo), integer(lo + 1)});
        Object *before = x.object();
        x = inserted("insertRow", std::move(x), {asDense(row), integer(lo), integer(lo + 1)});
        reused += x.object() == before;
        // And single cells, also zeros.
        Value cell = matrix<double>(1, 1, {static_cast<double>(i % 3)});
        expected = run("insert", {expected, cell, integer(lo), integer(lo + 1), integer(5), integer(6)});
        x = inserted("insert", std::move(x), {cell, integer(lo), integer(lo + 1), integer(5), integer(6)});
        ASSERT_NO_FATAL_FAILURE(expectSame(x, expected, std::to_string(i)));
    }
    EXPECT_TRUE(x.isCsr());
    EXPECT_GT(reused, kRows / 2);
}

TEST(CsrIndexing, AMatrixFilledByInsertionsBecomesDense) {
    Value x = Csr::create(ValueType::F64, 4, 4, 0);
    for (int64_t r = 0; r < 4; ++r)
        x = inserted("insertRow", std::move(x), {rowVector<double>({1, 2, 3, 4}), integer(r), integer(r + 1)});
    EXPECT_FALSE(x.isCsr());
    EXPECT_EQ(cells<double>(x), (std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}));
}

} // namespace
} // namespace daphne::test
