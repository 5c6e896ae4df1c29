// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

/// The definition on sorted cells.
double quantileOf(std::vector<double> x, double q) {
    std::sort(x.begin(), x.end());
    double position = q * double(x.size() - 1), below = std::floor(position);
    double low = x[size_t(below)], high = x[size_t(std::ceil(position))];
    return low + (high - low) * (position - below);
}

Value randomMatrix(size_t rows, size_t cols, uint32_t seed) {
    std::mt19937 gen(seed);
    std::uniform_int_distribution<int> draw(0, 50); // many ties
    auto m = Dense::create(ValueType::F64, rows, cols);
    for (size_t i = 0; i < rows * cols; ++i)
        m->mutableView<double>().data[i] = draw(gen) / 4.0;
    return m;
}

TEST(Quantile, EqualsItsDefinition) {
    constexpr size_t kRows = 21, kCols = 18;
    Value a = randomMatrix(kRows, kCols, 1), w = windowed(a);
    auto x = a.dense().view<double>();
    std::vector<double> all(x.data, x.data + kRows * kCols);
    Value many = column<double>({0, 0.05, 0.25, 0.5, 0.77, 1});
    auto several = cells<double>(run("quantileAll", {w, many}));
    auto rows = cells<double>(run("quantileRow", {w, many})), cols = cells<double>(run("quantileCol", {w, many}));
    for (size_t i = 0; i < 6; ++i) {
        double q = cells<double>(many)[i];
        EXPECT_NEAR(run("quantileAll", {w, number(q)}).as<double>(), quantileOf(all, q), 1e-12);
        EXPECT_NEAR(several[i], quantileOf(all, q), 1e-12);
        auto oneRow = cells<double>(run("quantileRow", {w, number(q)})),
             oneCol = cells<double>(run("quantileCol", {w, number(q)}));
        for (size_t r = 0; r < kRows; ++r) {
            double expected = quantileOf({x.row(r), x.row(r) + kCols}, q);
            EXPECT_NEAR(rows[r * 6 + i], expected, 1e-12);
            EXPECT_NEAR(oneRow[r], expected, 1e-12);
        }
        for (size_t c = 0; c < kCols; ++c) {
            std::vector<double> column;
            for (size_t r = 0; r < kRows; ++r)
                column.push_back(x(r, c));
            EXPECT_NEAR(cols[i * kCols + c], quantileOf(column, q), 1e-12);
            EXPECT_NEAR(oneCol[c], quantileOf(column, q), 1e-12);
        }
    }
}

TEST(Quantile, OfOneHalfIsTheMedian) {
    for (size_t n : {1, 2, 3, 10, 101}) {
        Value a = randomMatrix(n, 4, uint32_t(n));
        EXPECT_EQ(run("medianAll", {a}).as<double>(), run("quantileAll", {a, number(0.5)}).as<double>());
        EXPECT_EQ(cells<double>(run("medianRow", {a})), cells<double>(run("quantileRow", {a, number(0.5)})));
        EXPECT_EQ(cells<double>(run("medianCol", {a})), cells<double>(run("quantileCol", {a, number(0.5)})));
    }
}

TEST(Diff, SubtractsEveryRowFromTheNext) {
    EXPECT_EQ(cells<int32_t>(run("diff", {windowed(matrix<int32_t>(3, 2, {1, 2, 4, 8, 16, 33})), number(int64_t(1))})),
              (std::vector<int32_t>{3, 6, 12, 25}));
    Value one = run("diff", {matrix<double>(1, 2, {1, 2}), number(int64_t(1))});
    EXPECT_EQ(one.dense().rows(), 0u);
    EXPECT_EQ(one.dense().cols(), 2u);
}

} // namespace
} // namespace daphne::test
