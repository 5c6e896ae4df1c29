// SPDX-License-Identifier: Apache-2.0
#include "kernels/aggregates/PairwiseRows.h"

#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace daphne {

namespace {

constexpr size_t kCells = 3;

/// Numbers of very different size: every other order of additions is rounded in another way.
std::vector<double> randomGroups(uint64_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> groups(count * kCells);
    for (double &x : groups)
        x = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 80) *
            (random() % 2 ? 1 : -1);
    return groups;
}

/// By definition: halves, the first of which is the largest power of two that is less than all.
double sumByDefinition(const double *x, uint64_t count) {
    if (count == 1)
        return *x;
    uint64_t half = 1;
    while (2 * half < count)
        half *= 2;
    return sumByDefinition(x, half) + sumByDefinition(x + half * kCells, count - half);
}

std::vector<double> sumOf(std::vector<double> groups) {
    std::vector<double> total(kCells);
    sumGroups(groups.data(), groups.size() / kCells, kCells, total.data());
    return total;
}

bool sameBits(const std::vector<double> &a, const std::vector<double> &b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

} // namespace

TEST(PairwiseRows, AddsPairsThenPairsOfPairs) {
    for (uint64_t count : {1, 2, 3, 5, 7, 8, 13, 64, 100, 1023}) {
        std::vector<double> groups = randomGroups(count, count), total = sumOf(groups);
        for (size_t c = 0; c < kCells; ++c)
            EXPECT_EQ(total[c], sumByDefinition(groups.data() + c, count)) << count << " groups";
    }
    EXPECT_EQ(sumOf({}), std::vector<double>(kCells));
}

TEST(PairwiseRows, RoomIsZeroAndUsedAgain) {
    constexpr uint64_t kCount = 1000;
    std::vector<double> groups = randomGroups(kCount, 1), total(kCells);
    PairwiseRows<double> sum(kCells);
    std::set<double *> rooms;
    for (uint64_t g = 0; g < kCount; ++g) {
        double *room = sum.room();
        for (size_t c = 0; c < kCells; ++c) {
            EXPECT_EQ(room[c], 0);
            room[c] = groups[g * kCells + c];
        }
        rooms.insert(room);
        sum.add(room);
    }
    sum.total(total.data());
    EXPECT_TRUE(sameBits(total, sumOf(groups)));
    EXPECT_LE(rooms.size(), 12u);
}

TEST(PairwiseRows, NodesCoverARangeAndAreAligned) {
    for (uint64_t begin = 0; begin < 40; ++begin)
        for (uint64_t end = begin; end < 70; ++end) {
            uint64_t at = begin, previous = 0;
            std::vector<GroupNode> nodes = nodesOf(begin, end);
            for (const GroupNode &node : nodes) {
                EXPECT_EQ(node.first, at);
                EXPECT_EQ(node.first % (node.end() - node.first), 0u);
                at = node.end();
                // Two equal ones that could be one are one.
                bool couldJoin = node.end() - node.first == previous && node.first % (2 * previous) == previous;
                EXPECT_FALSE(couldJoin) << begin << " to " << end;
                previous = node.end() - node.first;
            }
            EXPECT_EQ(at, end);
        }
    EXPECT_EQ(nodesOf(0, 12), (std::vector<GroupNode>{{0, 3}, {8, 2}}));
    EXPECT_EQ(nodesOf(5, 12), (std::vector<GroupNode>{{5, 0}, {6, 1}, {8, 2}}));
}

TEST(PairwiseRows, WhoeverAddsUpItsOwnGroupsTheSumHasTheSameBits) {
    std::mt19937_64 random(7);
    for (int trial = 0; trial < 300; ++trial) {
        uint64_t count = 1 + random() % 200;
        std::vector<double> groups = randomGroups(count, random()), wanted = sumOf(groups), total(kCells);
        PairwiseRows<double> sum(kCells);
        for (uint64_t begin = 0; begin < count;) {
            uint64_t end = std::min(count, begin + 1 + random() % 60);
            double *first = groups.data() + begin * kCells;
            std::vector<GroupNode> nodes = nodesOf(begin, end);
            ASSERT_EQ(mergeGroups(first, begin, end, kCells), nodes.size());
            for (size_t k = 0; k < nodes.size(); ++k)
                sum.add(first + k * kCells, nodes[k].level);
            begin = end;
        }
        sum.total(total.data());
        ASSERT_TRUE(sameBits(total, wanted)) << count << " groups";
    }
}

} // namespace daphne
