// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "kernels/Run.h"

namespace daphne::test {
namespace {

/// Random groups of random sizes, one of them empty.
struct Sample {
    static constexpr size_t kRows = 5000, kGroups = 7, kEmpty = 4;
    Value values, ids;
    std::vector<std::vector<double>> cells{kGroups};

    explicit Sample(ValueType type) {
        std::mt19937 gen(7);
        std::uniform_int_distribution<int> value(0, 100), group(0, kGroups - 2);
        auto x = Dense::create(type, kRows, 1), g = Dense::create(ValueType::SI32, kRows, 1);
        for (size_t r = 0; r < kRows; ++r) {
            int v = value(gen), k = group(gen);
            k += k >= int(kEmpty);
            withNumericType(type, [&]<class T>(TypeTag<T>) { x->mutableView<T>()(r, 0) = static_cast<T>(v); });
            g->mutableView<int32_t>()(r, 0) = k;
            cells[size_t(k)].push_back(type == ValueType::Bool ? v != 0 : v);
        }
        values = x;
        ids = g;
    }
    /// Result k as a number.
    std::vector<double> apply(std::string_view op) const {
        Value result = run(op, {values, ids, number<int64_t>(kGroups)});
        EXPECT_EQ(result.dense().rows(), size_t(kGroups));
        EXPECT_EQ(result.dense().cols(), 1u);
        return daphne::test::cells<double>(cast(result, ValueKind::None, ValueType::F64));
    }
};

double sumOf(const std::vector<double> &x) {
    double sum = 0;
    for (double v : x)
        sum += v;
    return sum;
}

TEST(GroupedAggregate, EqualsTheAggregateOfEachGroupsCells) {
    for (auto type : {ValueType::SI32, ValueType::UI32, ValueType::SI64, ValueType::Size, ValueType::UI64,
                      ValueType::F32, ValueType::F64}) {
        Sample s(type);
        auto sums = s.apply("sumGrp"), counts = s.apply("countGrp"), means = s.apply("meanGrp"),
             variances = s.apply("varGrp"), deviations = s.apply("stddevGrp"), minima = s.apply("minGrp"),
             maxima = s.apply("maxGrp");
        for (size_t k = 0; k < s.cells.size(); ++k) {
            const auto &x = s.cells[k];
            EXPECT_EQ(counts[k], double(x.size()));
            EXPECT_EQ(sums[k], sumOf(x));
            if (x.empty()) {
                EXPECT_TRUE(std::isnan(means[k]) && std::isnan(variances[k]) && std::isnan(deviations[k]));
                continue;
            }
            double mean = sumOf(x) / double(x.size()), squares = 0;
            for (double v : x)
                squares += (v - mean) * (v - mean);
            EXPECT_NEAR(means[k], mean, 1e-5);
            EXPECT_NEAR(variances[k], squares / double(x.size()), 1e-3);
            EXPECT_NEAR(deviations[k], std::sqrt(squares / double(x.size())), 1e-4);
            EXPECT_EQ(minima[k], *std::min_element(x.begin(), x.end()));
            EXPECT_EQ(maxima[k], *std::max_element(x.begin(), x.end()));
        }
    }
}

TEST(GroupedAggregate, OfNoCellsIsTheAggregateOfAnEmptyMatrix) {
    for (int t = 0; t < int(ValueType::Str); ++t) {
        auto type = static_cast<ValueType>(t);
        Value none = Dense::create(type, 0, 1);
        for (auto [grouped, full] : {std::pair{"sumGrp", "sumAll"}, {"minGrp", "minAll"}, {"maxGrp", "maxAll"}}) {
            Value column = run(grouped, {none, Dense::create(ValueType::SI64, 0, 1), number<int64_t>(1)});
            Value scalar = run(full, {none});
            EXPECT_EQ(column.valueType(), scalar.scalarType()) << grouped;
            EXPECT_EQ(printed(cast(column, ValueKind::Scalar, ValueType::Unknown)), printed(scalar)) << grouped;
        }
    }
}

TEST(GroupedAggregate, ReadsValuesAndIdsFromWindows) {
    Value x = column<double>({1, 2, 3}), g = column<int64_t>({1, 0, 1});
    EXPECT_EQ(cells<double>(run("sumGrp", {windowed(x), windowed(g), number(2)})), (std::vector<double>{2, 4}));
}

TEST(GroupedAggregate, NeedsMemoryForItsGroups) {
    Value x = column<double>({1}), g = column<int64_t>({0});
    for (const char *op : {"sumGrp", "maxGrp", "varGrp", "countGrp"})
        EXPECT_TRUE(failure(op, {x, g, number(uint64_t(1) << 60)}).starts_with("out of memory")) << op;
}

TEST(Product, IsTheProductOfTheCells) {
    EXPECT_EQ(run("prodAll", {column<double>({0.5, -4, 3})}).as<double>(), -6);
    EXPECT_EQ(cells<int64_t>(run("prodRow", {windowed(matrix<int32_t>(2, 2, {1, 2, 3, 4}))})),
              (std::vector<int64_t>{2, 12}));
    EXPECT_EQ(cells<int64_t>(run("prodCol", {windowed(matrix<uint8_t>(2, 2, {16, 2, 17, 4}))})),
              (std::vector<int64_t>{272, 8}));
}

} // namespace
} // namespace daphne::test
