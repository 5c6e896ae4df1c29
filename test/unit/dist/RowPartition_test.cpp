// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/RowPartition.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace daphne::dist {

namespace {

void expectCover(const std::vector<RowRange> &ranges, uint64_t rows, uint64_t block) {
    uint64_t at = 0;
    for (RowRange r : ranges) {
        EXPECT_EQ(r.begin, at);
        EXPECT_LE(r.begin, r.end);
        EXPECT_TRUE(r.end % block == 0 || r.end == rows) << r.end;
        at = r.end;
    }
    EXPECT_EQ(at, rows);
}

TEST(RowPartition, EqualMachinesGetRowsThatDifferByAtMostOne) {
    for (uint64_t rows : {0, 1, 2, 3, 5, 10, 101, 1000})
        for (size_t machines = 1; machines <= 9; ++machines) {
            auto ranges = partitionByWeight({rows, 1}, std::vector<double>(machines, 1.0));
            expectCover(ranges, rows, 1);
            auto [least, most] = std::ranges::minmax(ranges, {}, &RowRange::size);
            EXPECT_LE(most.size() - least.size(), 1u);
        }
}

TEST(RowPartition, MoreMachinesThanBlocksLeavesSomeWithoutWork) {
    auto ranges = partitionByWeight({100, 64}, std::vector<double>(5, 1.0));
    expectCover(ranges, 100, 64);
    EXPECT_EQ(std::ranges::count_if(ranges, [](RowRange r) { return r.size() > 0; }), 2);
}

TEST(RowPartition, GivenRangesAreMovedToBlocksOnlyIfTheyMustBe) {
    auto at = [](const PartitionRequest &request, std::vector<uint64_t> ends) {
        std::vector<RowRange> ranges;
        for (uint64_t begin = 0; uint64_t end : ends)
            ranges.push_back({begin, end}), begin = end;
        ranges = partitionRounded(request, ranges);
        expectCover(ranges, request.rows, request.block);
        for (size_t i = 0; i < ends.size(); ++i)
            ends[i] = ranges[i].end;
        return ends;
    };
    using Ends = std::vector<uint64_t>;
    EXPECT_EQ(at({1000, 100, {500}}, {300, 600, 1000}), (Ends{300, 600, 1000}));
    EXPECT_EQ(at({1000, 100}, {349, 350, 1000}), (Ends{300, 400, 1000}));
    EXPECT_EQ(at({1050, 100}, {10, 20, 1049, 1050}), (Ends{0, 0, 1000, 1050}));
    EXPECT_EQ(at({10000, 10, {100}}, {3333, 10000}), (Ends{3300, 10000}));
    EXPECT_EQ(at({50, 100}, {49, 50}), (Ends{0, 50}));
}

TEST(RowPartition, WeightsCount) {
    auto ranges = partitionByWeight({1000, 1}, std::vector<double>{3, 1});
    EXPECT_EQ(ranges[0].size(), 750u);
    for (uint64_t block : {1, 7, 512, 4096})
        expectCover(partitionByWeight({50000, block}, std::vector<double>{1, 2, 0.5}), 50000, block);
}

TEST(RowPartition, StoredCellsCount) {
    std::vector<uint64_t> offsets(1001);
    for (size_t r = 0; r < 1000; ++r) // all in the first hundred rows
        offsets[r + 1] = offsets[r] + (r < 100 ? 1000 : 0);
    auto ranges = partitionByWeight({1000, 1, {}, offsets.data()}, std::vector<double>{1, 1});
    expectCover(ranges, 1000, 1);
    EXPECT_NEAR(static_cast<double>(ranges[0].size()), 50, 2);
}

TEST(RowPartition, PreferredBlocksAreUsedWhereThereAreEnough) {
    expectCover(partitionByWeight({100000, 1, {4096}}, std::vector<double>(3, 1.0)), 100000, 4096);
    auto few = partitionByWeight({10000, 1, {4096}}, std::vector<double>(3, 1.0));
    EXPECT_EQ(few[0].size(), 3334u);
}

TEST(RowPartition, EverySchemeCoversAllRows) {
    for (const sched::Scheme &scheme : sched::schemes())
        for (uint64_t rows : {1, 100, 5000, 100000})
            for (uint64_t block : {1, 512})
                expectCover(partitionByScheme({rows, block}, scheme, 4, 1), rows, block);
}

} // namespace

} // namespace daphne::dist
