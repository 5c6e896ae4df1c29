// SPDX-License-Identifier: Apache-2.0
/// Products with few columns: the sums of the contract, cell by cell, for every number of columns and rows, in windows
/// of larger matrices, with infinities and NaN.
#include "base/WideVectors.h"
#include "kernels/products/NarrowProduct.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/Run.h"

namespace daphne {

namespace {

template <class T> T multiplyAdd(T x, T y, T z) { return fusesMultiplyAdd() ? std::fma(x, y, z) : x * y + z; }

template <class T> std::vector<T> numbers(size_t n, uint64_t state) {
    std::vector<T> x(n);
    for (T &cell : x) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        cell = static_cast<T>(state >> 40) / T(1 << 24) - T(0.5);
    }
    return x;
}

template <class T> void expectSameCells(const std::vector<T> &found, const std::vector<T> &expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i)
        EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
            << "cell " << i << ": " << found[i] << " instead of " << expected[i];
}

template <class T> class NarrowProduct : public ::testing::Test {
  protected:
    /// X @ B for rows with a gap behind them.
    void rowsTimesSmall(size_t rows, size_t depth, size_t cols, std::vector<T> x) {
        size_t skip = depth + 3;
        x.resize(rows * skip);
        std::vector<T> b = numbers<T>(depth * cols, 5), found(rows * cols), expected(rows * cols);
        for (size_t r = 0; r < rows; ++r)
            for (size_t k = 0; k < depth; ++k)
                for (size_t c = 0; c < cols; ++c)
                    expected[r * cols + c] = multiplyAdd(x[r * skip + k], b[k * cols + c], expected[r * cols + c]);
        multiplyRows<T>({x.data(), skip}, rows, depth, b.data(), cols, found.data(), cols);
        expectSameCells(found, expected);
    }

    void outerProducts(size_t rows, size_t cols, size_t width, std::vector<T> x) {
        size_t skip = width + 1;
        x.resize(rows * skip);
        std::vector<T> p = numbers<T>(rows * cols, 7), found(cols * width, T(1)), expected = found;
        for (size_t i = 0; i < p.size(); i += 3)
            p[i] = 0;
        for (size_t r = 0; r < rows; ++r)
            for (size_t i = 0; i < cols; ++i)
                for (size_t j = 0; j < width; ++j)
                    expected[i * width + j] = multiplyAdd(p[r * cols + i], x[r * skip + j], expected[i * width + j]);
        addOuterProducts<T>({p.data(), cols}, {x.data(), skip}, rows, cols, width, found.data());
        expectSameCells(found, expected);
    }
};

using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(NarrowProduct, Types);

} // namespace

TYPED_TEST(NarrowProduct, OfRowsIsSummedInOrder) {
    for (size_t cols = 2; cols < kNarrowColumns; ++cols)
        for (size_t rows : {1, 2, 3, 4, 5, 11})
            for (size_t depth : {size_t(2), size_t(7), size_t(20), kMostDepth}) {
                SCOPED_TRACE(testing::Message() << rows << " x " << depth << " x " << cols);
                this->rowsTimesSmall(rows, depth, cols, numbers<TypeParam>(rows * (depth + 3), rows));
            }
}

TYPED_TEST(NarrowProduct, OfColumnsIsSummedInTheOrderOfRows) {
    for (size_t cols = 2; cols < kNarrowColumns; ++cols)
        for (size_t rows : {1, 2, 100})
            for (size_t width : {size_t(2), size_t(5), size_t(8), size_t(20), size_t(31), kMostWidth}) {
                SCOPED_TRACE(testing::Message() << rows << ": " << cols << " x " << width);
                this->outerProducts(rows, cols, width, numbers<TypeParam>(rows * (width + 1), rows));
            }
}

TYPED_TEST(NarrowProduct, KeepsInfinitiesAndNaN) {
    using Limits = std::numeric_limits<TypeParam>;
    std::vector<TypeParam> x = numbers<TypeParam>(40 * 13, 3);
    x[5] = Limits::infinity();
    x[17] = -Limits::infinity();
    x[100] = Limits::quiet_NaN();
    x[200] = Limits::max();
    x[201] = Limits::denorm_min();
    this->rowsTimesSmall(20, 9, 10, x);
    this->outerProducts(20, 10, 9, x);
}

TEST(NarrowProducts, OfMatricesAddGroupsOfRowsInOrder) {
    constexpr size_t kRows = 2 * kRowGroup + 17, kCols = 3, kWidth = 5;
    auto p = numbers<double>(kRows * kCols, 1), x = numbers<double>(kRows * kWidth, 2);
    auto matrix = [](size_t rows, size_t cols, const std::vector<double> &cells) {
        auto m = Dense::create(ValueType::F64, rows, cols);
        std::memcpy(m->mutableView<double>().data, cells.data(), 8 * cells.size());
        return Value(std::move(m));
    };
    std::vector<double> expected(kCols * kWidth);
    for (size_t begin = 0; begin < kRows; begin += kRowGroup) {
        std::vector<double> group(kCols * kWidth);
        for (size_t r = begin; r < std::min(kRows, begin + kRowGroup); ++r)
            for (size_t i = 0; i < kCols; ++i)
                for (size_t j = 0; j < kWidth; ++j)
                    group[i * kWidth + j] = multiplyAdd(p[r * kCols + i], x[r * kWidth + j], group[i * kWidth + j]);
        for (size_t i = 0; i < group.size(); ++i)
            expected[i] += group[i];
    }
    RunContext context;
    const Kernel &kernel = *KernelTable::get().find("matMul");
    Value args[] = {matrix(kRows, kCols, p), matrix(kRows, kWidth, x), Value::scalar(true), Value::scalar(false)};
    Value result;
    KernelCall call{context, kernel, args, {&result, 1}};
    kernel.run(call);
    auto cells = result.dense().view<double>();
    expectSameCells(std::vector<double>(cells.data, cells.data + expected.size()), expected);
}

} // namespace daphne
