// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/CsrCase.h"

namespace daphne::test {
namespace {

using Shapes = std::initializer_list<std::pair<size_t, size_t>>;

/// Runs f with a matrix of every type, form and shape.
template <class F> void forAll(Shapes shapes, F f) {
    uint64_t seed = 1;
    for (ValueType type : kNumericTypes)
        for (auto [rows, cols] : shapes)
            for (const Value &x : csrForms(type, rows, cols, seed += 20))
                f(x);
}

TEST(CsrReorganisation, BindsAgreeWithDenseAndStayCsr) {
    forAll({{5, 4}, {1, 3}, {3, 1}, {4, 0}}, [](const Value &x) {
        size_t rows = x.matrix().rows(), cols = x.matrix().cols();
        for (ValueType type : {ValueType::Bool, ValueType::SI64, ValueType::F64, x.valueType()})
            for (bool pattern : {false, true}) {
                Value beside = randomCsr({type, rows, 3, 0.5, pattern, true}, 5);
                Value below = randomCsr({type, 4, cols, 0.5, pattern, true}, 6);
                EXPECT_TRUE(expectAsDense("colBind", {x, beside}).isCsr());
                EXPECT_TRUE(expectAsDense("colBind", {beside, x}).isCsr());
                EXPECT_TRUE(expectAsDense("rowBind", {x, below}).isCsr());
                EXPECT_TRUE(expectAsDense("rowBind", {below, x}).isCsr());
                expectAsDense("colBind", {asDense(beside), x});
                expectAsDense("rowBind", {x, asDense(below)});
            }
    });
}

TEST(CsrReorganisation, BindingADenseMatrixStaysCsrIfTheResultIsLargeAndSparse) {
    Value x = randomCsr({ValueType::F64, 40, 30, 0.05}, 1), column = asDense(randomCsr({ValueType::F64, 40, 1, 1}, 2));
    for (size_t largeBytes : {size_t(1000), size_t(1) << 26}) {
        RunContext context;
        context.representation.largeBytes = largeBytes;
        std::vector<Value> args{x, column}, results(1);
        KernelCall call{context, *KernelTable::get().find("colBind"), args, results, 0, {}};
        call.kernel.run(call);
        EXPECT_EQ(results[0].isCsr(), largeBytes == 1000);
        expectSame(results[0], run("colBind", {asDense(x), column}), "colBind");
    }
}

TEST(CsrReorganisation, BindingStringsAndFramesBehavesAsWithDense) {
    Value x = randomCsr({ValueType::SI64, 2, 2, 0.5}, 1);
    Value bound = run("colBind", {x, strings(2, 1, {"a", "b"})});
    EXPECT_EQ(cells<std::string>(bound), cells<std::string>(run("colBind", {asDense(x), strings(2, 1, {"a", "b"})})));
    auto frame = Ref<Frame>::make(2);
    frame->addColumn("a", column<double>({1, 2}).denseRef());
    for (const char *op : {"colBind", "rowBind"}) {
        expectAsDense(op, {x, Value(frame)});
        expectAsDense(op, {Value(frame), x});
        expectAsDense(op, {x, number(1)});
        expectAsDense(op, {x, randomCsr({ValueType::SI64, 3, 3, 0.5}, 1)});
        expectAsDense(op, {x, asDense(randomCsr({ValueType::SI64, 3, 3, 0.5}, 1))});
    }
}

TEST(CsrReorganisation, ReshapesAgreeWithDense) {
    forAll({{6, 4}, {1, 24}, {24, 1}}, [](const Value &x) {
        for (size_t rows : {1, 2, 3, 4, 6, 8, 12, 24})
            EXPECT_TRUE(expectAsDense("reshape", {x, Value::size(rows), Value::size(24 / rows)}).isCsr());
        expectAsDense("reshape", {x, Value::size(5), Value::size(5)});
        expectAsDense("reshape", {x, Value::size(uint64_t(1) << 63), Value::size(2)});
    });
    Value empty = randomCsr({ValueType::F64, 0, 3, 1}, 1);
    expectAsDense("reshape", {empty, Value::size(3), Value::size(0)});
    expectAsDense("reshape", {empty, Value::size(0), Value::size(7)});
}

TEST(CsrReorganisation, ReversedRowsTrianglesAndDiagonalsAgreeWithDense) {
    forAll({{5, 5}, {1, 1}, {0, 0}, {3, 4}, {4, 1}}, [](const Value &x) {
        EXPECT_TRUE(expectAsDense("reverse", {x}).isCsr());
        for (int flags = 0; flags < 8; ++flags)
            expectAsDense("tri", {x, number((flags & 1) != 0), number((flags & 2) != 0), number((flags & 4) != 0)});
        expectAsDense("diagVector", {x});
        expectAsDense("diagMatrix", {x});
        expectAsDense("isSymmetric", {x});
    });
}

TEST(CsrReorganisation, ReplacesAgreeWithDense) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    forAll({{5, 4}}, [](const Value &x) {
        for (double from : {0.0, 1.0, 2.0, 2.5, kNan})
            for (double to : {0.0, 1.0, 9.0, kNan})
                expectAsDense("replace", {x, number(from), number(to)});
        expectAsDense("replace", {x, number<int64_t>(1), number<int64_t>(0)});
        expectAsDense("replace", {x, number<int64_t>(1), number<int64_t>(5)});
        expectAsDense("replace", {x, number(true), number(false)});
        expectAsDense("replace", {x, text("a"), text("b")});
        expectAsDense("replace", {x, x, number(1)});
    });
    Value nans = matrix<double>(2, 2, {kNan, 0, 1, kNan});
    EXPECT_TRUE(expectAsDense("replace", {toCsr(nans.dense()), number(kNan), number(0.0)}).isCsr());
}

TEST(CsrReorganisation, SymmetryIsFoundAsInDenseMatrices) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    for (const Value &m :
         {matrix<double>(3, 3, {1, 2, 0, 2, kNan, 4, 0, 4, 0}), matrix<double>(2, 2, {1, kNan, kNan, 1}),
          matrix<double>(2, 2, {1, 2, 3, 1}), matrix<double>(2, 2, {0, 2, 0, 0})})
        expectAsDense("isSymmetric", {toCsr(m.dense())});
    Value x = randomCsr({ValueType::F64, 20, 20, 0.1}, 3);
    Value even = run("matMul", {x, x, number(true), number(false)});
    EXPECT_TRUE(run("isSymmetric", {even}).as<bool>());
    Value pattern = Csr::withStructureOf(x.csr(), ValueType::F64, BufferRef());
    expectAsDense("isSymmetric", {pattern});
}

TEST(CsrReorganisation, AConditionChoosesWholeMatricesAsTheyAre) {
    Value x = randomCsr({ValueType::F64, 3, 4, 0.5}, 1), y = randomCsr({ValueType::F64, 2, 2, 0.5}, 2);
    EXPECT_EQ(run("cond", {number(true), x, asDense(y)}).object(), x.object());
    EXPECT_EQ(run("cond", {number(0.0), x, y}).object(), y.object());
    Value z = randomCsr({ValueType::F64, 3, 4, 0.5}, 3);
    expectAsDense("cond", {x, x, z});
    expectAsDense("cond", {asDense(x), x, number(7.0)});
    expectAsDense("cond", {x, y, z});
    expectAsDense("cond", {number(true), x, randomCsr({ValueType::SI64, 3, 4, 0.5}, 3)});
    expectAsDense("cond", {number(true), x, number(1.0)});
    expectAsDense("cond", {text("a"), x, z});
}

TEST(CsrReorganisation, RowsAreOrderedAsInDenseMatrices) {
    forAll({{9, 3}, {1, 2}, {0, 2}}, [](const Value &x) {
        for (bool ascending : {false, true})
            for (bool positions : {false, true}) {
                expectAsDense("order", {x, number<int64_t>(1), number(ascending), number(positions)});
                expectAsDense("order", {x, number<int64_t>(1), number<int64_t>(0), number(ascending), number(true),
                                        number(positions)});
            }
        expectAsDense("order", {x, number<int64_t>(3), number(true), number(true)});
    });
}

} // namespace
} // namespace daphne::test
