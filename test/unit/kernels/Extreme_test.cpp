// SPDX-License-Identifier: Apache-2.0
/// Extremes and their positions, by vectors, beside a walk from cell to cell.
#include <cmath>
#include <random>

#include "kernels/Run.h"
#include "kernels/aggregates/Extreme.h"

namespace daphne::test {
namespace {

template <class T> std::vector<T> randomCells(size_t n, bool withNans) {
    std::mt19937_64 source(n);
    std::vector<T> cells(n);
    for (T &x : cells) {
        x = static_cast<T>(source() % 100000);
        if constexpr (std::is_floating_point_v<T>)
            if (withNans && source() % 300 == 0)
                x = std::numeric_limits<T>::quiet_NaN();
    }
    return cells;
}

template <class Order, class T> void compareWithWalk(const std::vector<T> &cells) {
    bool wantsSmaller = std::is_same_v<Order, Smaller>;
    size_t position = 0;
    for (size_t i = 0; i < cells.size() && cells[position] == cells[position]; ++i)
        if (cells[i] != cells[i] || (wantsSmaller ? cells[i] < cells[position] : cells[i] > cells[position]))
            position = i;
    T best = cells[position], found = extremeOf<Order>(cells.data(), cells.size(), Order::template worst<T>());
    EXPECT_TRUE(found == best || (found != found && best != best)) << cells.size() << ": " << found << ", " << best;
    EXPECT_EQ(positionOfExtreme<Order>(cells.data(), cells.size()), position) << cells.size();
}

template <class T> class ExtremeOf : public testing::Test {};
using Numbers = testing::Types<int8_t, uint8_t, int32_t, uint32_t, int64_t, uint64_t, float, double>;
TYPED_TEST_SUITE(ExtremeOf, Numbers);

TYPED_TEST(ExtremeOf, IsWhatAWalkFinds) {
    for (size_t n : {1, 7, 63, 64, 65, 127, 256, 513, 1024, 1025, 5000})
        for (bool withNans : {false, true}) {
            std::vector<TypeParam> cells = randomCells<TypeParam>(n, withNans);
            compareWithWalk<Smaller>(cells);
            compareWithWalk<Larger>(cells);
            allowWideVectors(false);
            compareWithWalk<Smaller>(cells);
            compareWithWalk<Larger>(cells);
            allowWideVectors(true);
        }
}

TYPED_TEST(ExtremeOf, FindsTheOnlyBestCellEverywhere) {
    constexpr size_t kCells = 1200;
    for (size_t at = 0; at < kCells; at += 7) {
        std::vector<TypeParam> cells(kCells, TypeParam(5));
        cells[at] = TypeParam(6);
        compareWithWalk<Larger>(cells);
        cells[at] = TypeParam(4);
        compareWithWalk<Smaller>(cells);
    }
}

TEST(Extremes, OfTruthValues) {
    auto m = Dense::create(ValueType::Bool, 1, 1000, Buffer::Init::Zero);
    EXPECT_EQ(run("maxAll", {m}).as<int64_t>(), 0);
    m->mutableView<bool>()(0, 777) = true;
    EXPECT_EQ(run("maxAll", {m}).as<int64_t>(), 1);
    EXPECT_EQ(run("minAll", {m}).as<int64_t>(), 0);
    EXPECT_EQ(cells<uint64_t>(run("idxmaxRow", {m})), (std::vector<uint64_t>{777}));
}

} // namespace
} // namespace daphne::test
