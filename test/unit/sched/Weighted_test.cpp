// SPDX-License-Identifier: Apache-2.0
#include "sched/Weighted.h"

#include <gtest/gtest.h>

#include "sched/Trace.h"

namespace daphne::sched {
namespace {

std::vector<uint64_t> offsetsOf(const std::vector<uint64_t> &counts, uint64_t first = 0) {
    std::vector<uint64_t> offsets{first};
    for (uint64_t n : counts)
        offsets.push_back(offsets.back() + n);
    return offsets;
}

/// Row r has about 10000 / (r + 1) cells.
std::vector<uint64_t> skewedRows(size_t rows) {
    std::vector<uint64_t> counts;
    for (size_t r = 0; r < rows; ++r)
        counts.push_back(10000 / (r + 1));
    return counts;
}

TEST(Weighted, EveryRowOnceWithAllSchemes) {
    Pool pool(Topology::fake(1, 4, 1), 3);
    auto offsets = offsetsOf(skewedRows(1000), 17);
    for (const Scheme &scheme : schemes()) {
        std::vector<std::atomic<int>> visits(1000);
        parallelForWeighted(pool, RowWeights(offsets.data(), 1000), {.scheme = &scheme}, [&](Range r, uint32_t) {
            for (uint64_t i = r.begin; i < r.end; ++i)
                ++visits[i];
        });
        for (auto &n : visits)
            EXPECT_EQ(n, 1) << scheme.name;
    }
}

TEST(Weighted, BlocksHaveEqualWeightUnlessOneRowIsHeavier) {
    std::vector<uint64_t> counts;
    for (uint64_t r = 0; r < 5000; ++r)
        counts.push_back(20 + 1000 / (r + 1));
    counts[3000] = 100000;
    auto offsets = offsetsOf(counts);
    RowWeights weights(offsets.data(), 5000);
    uint64_t target = weights.total() / 8;
    for (uint64_t b = 0; b < 8; ++b) {
        Range rows = weights.rowsOf({b * weights.total() / 8, (b + 1) * weights.total() / 8});
        uint64_t weight = weights.before(rows.end) - weights.before(rows.begin);
        uint64_t heaviest = rows.size() ? *std::max_element(&counts[rows.begin], &counts[rows.begin] + rows.size()) : 0;
        EXPECT_TRUE(weight <= target + target / 10 || weight - heaviest <= target) << b << ": " << weight;
    }
}

TEST(Weighted, EqualRowsAreCutAsIfTheyWereUnits) {
    auto offsets = offsetsOf(std::vector<uint64_t>(1000, 7));
    RowWeights weights(offsets.data(), 1000);
    ChunkSequence byRows(*findScheme("GSS"), {.total = 1000, .workers = 4});
    ChunkSequence byWeight(*findScheme("GSS"), {.total = weights.total(), .workers = 4});
    uint64_t row = 0, weight = 0;
    for (int i = 0; i < 10; ++i) {
        row += byRows.next();
        weight += byWeight.next();
        EXPECT_NEAR(static_cast<double>(weights.rowAt(weight)), static_cast<double>(row), 1.0);
    }
}

TEST(Weighted, RowsWithoutCellsAreVisitedToo) {
    Pool pool(Topology::fake(1, 2, 1), 2);
    auto offsets = offsetsOf(std::vector<uint64_t>(100, 0));
    std::atomic<uint64_t> rows{0};
    parallelForWeighted(pool, RowWeights(offsets.data(), 100), {.scheme = findScheme("SS")},
                        [&](Range r, uint32_t) { rows += r.size(); });
    EXPECT_EQ(rows, 100u);
}

TEST(Trace, AccountsForEveryUnit) {
    Pool pool(Topology::fake(1, 4, 1), 3);
    Trace trace(3);
    parallelFor(pool, 1000, {.scheme = findScheme("FAC2"), .layout = Layout::PerCpu}, [](Range, uint32_t) {}, trace);
    RunStats s = trace.stats();
    EXPECT_EQ(s.numUnits, 1000u);
    EXPECT_EQ(s.numTasks, trace.events().size());
    EXPECT_GE(s.makespanNs, 0);
    EXPECT_EQ(s.busyNs.size(), 3u);
    for (const TaskEvent &e : trace.events()) {
        EXPECT_LE(e.beginNs, e.endNs);
        EXPECT_EQ(e.stolen, e.queue != e.worker);
    }
}

TEST(Trace, OfNothing) {
    RunStats s = Trace(2).stats();
    EXPECT_EQ(s.numTasks, 0u);
    EXPECT_EQ(s.makespanNs, 0);
}

TEST(CostRule, SmallWorkStaysOnOneThread) {
    Pool alone(Topology::fake(1, 1, 1), 1), pair(Topology::fake(1, 2, 1), 2);
    EXPECT_FALSE(isWorthSharing(alone, 1e12));
    EXPECT_FALSE(isWorthSharing(pair, 0));
    EXPECT_TRUE(isWorthSharing(pair, 1e12));
}

} // namespace
TEST(RowWeights, FindTheSameRowFromEveryHint) {
    std::vector<uint64_t> offsets{5};
    for (uint64_t r = 0; r < 200; ++r)
        offsets.push_back(offsets.back() + (r * r) % 7 * (r % 13 == 0 ? 40 : 1));
    RowWeights weights(offsets.data(), 200, 2);
    for (uint64_t weight = 0; weight <= weights.total(); ++weight)
        for (uint64_t hint : {0, 1, 7, 100, 199, 200, 100000})
            ASSERT_EQ(weights.rowNear(weight, hint), weights.rowAt(weight)) << weight << " from " << hint;
}

} // namespace daphne::sched
