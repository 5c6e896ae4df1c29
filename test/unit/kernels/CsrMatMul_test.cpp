// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "kernels/CsrCase.h"

namespace daphne::test {
namespace {

/// A matrix of the wanted shape after transposing.
struct Operand {
    ValueType type;
    size_t rows, cols;
    bool transposed;
    size_t storedRows() const { return transposed ? cols : rows; }
    size_t storedCols() const { return transposed ? rows : cols; }
};

std::vector<Value> formsOf(const Operand &o, uint64_t seed) {
    return csrForms(o.type, o.storedRows(), o.storedCols(), seed);
}

Value product(const Value &l, const Value &r, bool tl, bool tr) {
    return expectAsDense("matMul", {l, r, number(tl), number(tr)});
}

TEST(CsrMatMul, AgreesWithTheDenseProductForAllShapesFormsAndFlags) {
    struct Shape {
        size_t rows, inner, cols;
    };
    for (Shape s : {Shape{7, 9, 5}, {1, 9, 6}, {6, 9, 1}, {1, 9, 1}, {9, 1, 9}, {23, 6, 37}, {4, 8, 16}})
        for (int flags = 0; flags < 4; ++flags) {
            Operand l{ValueType::F64, s.rows, s.inner, (flags & 1) != 0};
            Operand r{ValueType::F64, s.inner, s.cols, (flags & 2) != 0};
            auto rights = formsOf(r, 100);
            size_t k = 0;
            for (const Value &left : formsOf(l, 7)) {
                const Value &right = rights[k++ * 5 % rights.size()];
                product(left, right, l.transposed, r.transposed);
                product(left, asDense(right), l.transposed, r.transposed);
                product(left, windowed(asDense(right)), l.transposed, r.transposed);
                product(asDense(left), right, l.transposed, r.transposed);
                product(windowed(asDense(left)), right, l.transposed, r.transposed);
            }
        }
}

TEST(CsrMatMul, TakesAllCombinationsOfValueTypes) {
    for (ValueType l : kNumericTypes)
        for (ValueType r : kNumericTypes)
            for (bool pattern : {false, true}) {
                Value left = randomCsr({l, 6, 8, 0.4, pattern}, 3), right = randomCsr({r, 8, 5, 0.4, false, true}, 4);
                product(left, right, false, false);
                product(left, asDense(right), false, false);
                product(asDense(left), right, false, false);
                Value turned = randomCsr({l, 8, 6, 0.4, pattern}, 5);
                product(turned, right, true, false);
                product(turned, asDense(right), true, false);
            }
}

TEST(CsrMatMul, MultipliesEmptyMatrices) {
    for (auto [rows, inner, cols] : {std::array<size_t, 3>{0, 4, 3}, {3, 0, 4}, {3, 4, 0}, {0, 0, 0}, {1, 0, 1}}) {
        Value l = randomCsr({ValueType::F64, rows, inner, 1}, 1), r = randomCsr({ValueType::F64, inner, cols, 1}, 2);
        product(l, r, false, false);
        product(l, asDense(r), false, false);
        product(asDense(l), r, false, false);
    }
}

TEST(CsrMatMul, AbsentCellsTimesNanOrInfinityAreNan) {
    constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
    for (double special : {kInf, -kInf, kNan})
        for (int flags = 0; flags < 4; ++flags)
            for (size_t cols : {1, 3, 6}) {
                bool tl = flags & 1, tr = flags & 2;
                Operand l{ValueType::F64, 6, 5, tl}, r{ValueType::F64, 5, cols, tr};
                for (bool pattern : {false, true}) {
                    Value left = randomCsr({l.type, l.storedRows(), l.storedCols(), 0.5, pattern}, 9);
                    Value right = asDense(randomCsr({r.type, r.storedRows(), r.storedCols(), 0.5}, 10));
                    auto cells = right.dense().mutableView<double>();
                    (tr ? cells(0, 1) : cells(1, 0)) = special;
                    (tr ? cells(cols - 1, 4) : cells(4, cols - 1)) = special;
                    product(left, right, tl, tr);
                    product(left, toCsr(right.dense()), tl, tr);
                    // The mirrored product: t(right) @ t(left).
                    product(right, left, !tr, !tl);
                    product(toCsr(right.dense()), left, !tr, !tl);
                }
            }
}

TEST(CsrMatMul, IntegerProductsWrapAndZerosAreNotStored) {
    Value l = Value(toCsr(matrix<int32_t>(2, 2, {65536, 0, 3, 1}).dense()));
    Value r = Value(toCsr(matrix<int32_t>(2, 2, {65536, 2, 0, 5}).dense()));
    product(l, r, false, false);
    Value f = Value(toCsr(matrix<double>(1, 2, {1, 1}).dense()));
    Value g = Value(toCsr(matrix<double>(2, 3, {1, 2, 0, -1, 2, 0}).dense()));
    RunContext context;
    std::vector<Value> args{f, g, number(false), number(false)}, results(1);
    KernelCall call{context, *KernelTable::get().find("matMul"), args, results, 0, {}, 1};
    call.kernel.run(call);
    ASSERT_TRUE(results[0].isCsr());
    results[0].csr().check();
    EXPECT_EQ(results[0].csr().nonZeros(), 1u);
}

TEST(CsrMatMul, LargeProductsAreSparseSortedAndEqualToDenseOnes) {
    for (bool pattern : {false, true}) {
        Value a = randomCsr({ValueType::F64, 90, 200, 0.02, pattern}, 1);
        Value b = randomCsr({ValueType::F64, 200, 9000, 0.003}, 2);
        EXPECT_TRUE(product(a, b, false, false).isCsr());
        Value c = randomCsr({ValueType::F64, 90, 9000, 0.01, pattern}, 3);
        EXPECT_TRUE(product(a, c, true, false).isCsr());
        Value d = randomCsr({ValueType::F64, 90, 9000, 0.1, pattern}, 4);
        EXPECT_FALSE(product(b, d, false, true).isCsr()) << "too many cells are not zero";
        EXPECT_FALSE(product(d, d, false, true).isCsr());
    }
}

TEST(CsrMatMul, RowsOfFewAndManyProductsOfWideMatricesAreSummedAlike) {
    // Sums are far from each other in memory; the first rows of b are long, the others short.
    Value a = randomCsr({ValueType::F64, 60, 40, 0.06}, 1);
    auto dense = Dense::create(ValueType::F64, 40, 100000, Buffer::Init::Zero);
    auto out = dense->mutableView<double>();
    for (size_t r = 0; r < 40; ++r)
        for (size_t k = 0; k < (r < 4 ? 900 : 9); ++k)
            out(r, k * 104729 % (r % 2 ? 100000 : 50)) = static_cast<double>(k % 5) - 2;
    EXPECT_TRUE(product(a, toCsr(*dense), false, false).isCsr());
    Value pattern = Csr::withStructureOf(*toCsr(*dense), ValueType::F64, BufferRef());
    EXPECT_TRUE(product(a, pattern, false, false).isCsr());
}

TEST(CsrMatMul, ManyColumnsAreMultipliedBySorting) {
    size_t cols = size_t(1) << 33; // columns of 64 bits, too many for an array of sums
    auto b = Csr::create(ValueType::F64, 3, cols, 4);
    uint64_t columns[] = {5, cols - 1, 5, cols - 1};
    std::copy_n(columns, 4, b->mutableColumns<uint64_t>());
    double values[] = {1, 2, 3, -2};
    std::copy_n(values, 4, b->mutableValues<double>());
    b->mutableOffsets()[1] = 2;
    b->mutableOffsets()[2] = b->mutableOffsets()[3] = 4;
    b->check();
    Value a = Value(toCsr(matrix<double>(2, 3, {1, 1, 0, 0, 0, 7}).dense()));
    Value c = run("matMul", {a, b, number(false), number(false)});
    ASSERT_TRUE(c.isCsr());
    c.csr().check();
    ASSERT_EQ(c.csr().nonZeros(), 1u);
    EXPECT_EQ(c.csr().columns<uint64_t>()[0], 5u);
    EXPECT_EQ(c.csr().values<double>()[0], 4);
}

TEST(CsrMatMul, AMatrixTimesItsTransposeIsExactlySymmetric) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double density : {0.02, 0.3}) {
        Value x = randomCsr({ValueType::F64, 120, 80, density}, 5);
        auto dense = toDense(x.csr());
        auto cells = dense->mutableView<double>();
        for (size_t i = 0; i < dense->cells(); ++i)
            cells.data[i] *= uniform(random);
        Value s = toCsr(*dense);
        for (bool left : {false, true}) {
            Value g = asDense(run("matMul", {s, s, number(left), number(!left)}));
            auto out = g.dense().view<double>();
            for (size_t r = 0; r < out.rows; ++r)
                for (size_t c = 0; c < r; ++c)
                    ASSERT_EQ(out(r, c), out(c, r)) << density << " " << left;
        }
    }
}

TEST(CsrMatMul, SyrkAndGemvAgreeWithDense) {
    for (ValueType type : kNumericTypes)
        for (const Value &x : csrForms(type, 8, 5, 30)) {
            expectAsDense("syrk", {x});
            expectAsDense("gemv", {x, asDense(randomCsr({type, 8, 1, 0.7}, 1))});
            expectAsDense("gemv", {x, randomCsr({type, 8, 1, 0.7}, 1)});
            expectAsDense("gemv", {asDense(x), randomCsr({type, 8, 1, 0.7}, 1)});
        }
}

TEST(CsrMatMul, ErrorsAreThoseOfDenseProducts) {
    Value s = randomCsr({ValueType::F64, 3, 4, 0.5}, 1);
    Value words = strings(4, 1, {"a", "b", "c", "d"});
    for (int flags = 0; flags < 4; ++flags)
        for (const Value &other : {s, asDense(s)}) {
            product(s, other, flags & 1, flags & 2);
            product(other, s, flags & 1, flags & 2);
        }
    EXPECT_NE(failure("matMul", {s, words, number(false), number(false)}), "");
    product(s, words, false, false);
    product(words, s, true, false);
    EXPECT_NE(failure("gemv", {s, s}), "");
    expectAsDense("gemv", {s, s});
    expectAsDense("gemv", {s, words});
}

TEST(CsrTranspose, AgreesWithDenseForAllTypesAndForms) {
    for (ValueType type : kNumericTypes)
        for (auto [rows, cols] : {std::pair<size_t, size_t>{5, 7}, {1, 6}, {6, 1}, {0, 3}, {3, 0}, {40, 3}})
            for (const Value &x : csrForms(type, rows, cols, 3)) {
                Value t = expectAsDense("transpose", {x});
                ASSERT_TRUE(t.isCsr());
                EXPECT_EQ(t.csr().isPattern(), x.csr().isPattern());
            }
}

} // namespace
} // namespace daphne::test
