// SPDX-License-Identifier: Apache-2.0
/// Processes on one host get CPUs of their own, and keep to them.
#include "dist/samehost/CpuShare.h"

#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

namespace daphne::dist {

namespace {

using Shares = std::vector<CpuShare>;

TEST(CpuShare, ProcessesFollowEachOther) {
    EXPECT_EQ(shareCpus({1, 1}, 2), (Shares{{0, 1}, {1, 1}}));
    EXPECT_EQ(shareCpus({2, 1, 4}, 8), (Shares{{0, 2}, {2, 1}, {3, 4}}));
}

TEST(CpuShare, MoreThreadsThanCpusGoAround) {
    EXPECT_EQ(shareCpus({1, 1, 1, 1}, 2), (Shares{{0, 1}, {1, 1}, {0, 1}, {1, 1}}));
    EXPECT_EQ(shareCpus({2, 2}, 3), (Shares{{0, 2}, {2, 2}}));
}

TEST(CpuShare, WhoNeedsAllOrIsAloneOrLeavesMostFreeIsNotBound) {
    EXPECT_EQ(shareCpus({2, 2}, 2), (Shares{{}, {}}));
    EXPECT_EQ(shareCpus({1, 3}, 2), (Shares{{0, 1}, {}}));
    EXPECT_EQ(shareCpus({3}, 4), (Shares{{}}));
    EXPECT_EQ(shareCpus({1, 1}, 4), (Shares{{}, {}}));
    EXPECT_EQ(shareCpus({}, 4), Shares{});
}

Seat on(const char *machine, std::vector<uint32_t> cpus) { return {machine, std::move(cpus)}; }

std::vector<bool> atWork(const std::vector<Seat> &seats, const std::vector<uint32_t> &threads, double wantedThreads) {
    std::vector<Candidate> candidates;
    for (size_t i = 0; i < seats.size(); ++i)
        candidates.push_back({&seats[i], threads[i]});
    CpuUse use = useCpus(candidates);
    EXPECT_EQ(use.threads, wantedThreads);
    return use.isAtWork;
}

TEST(UseCpus, WhoFindsNoCpuFreeStandsBy) {
    Seat seat = on("a", {0, 1});
    EXPECT_EQ(atWork({seat, seat, seat, seat}, {1, 1, 1, 1}, 2), (std::vector<bool>{true, true, false, false}));
    EXPECT_EQ(atWork({seat, seat}, {2, 1}, 2), (std::vector<bool>{true, false}));
    EXPECT_EQ(atWork({seat, seat}, {1, 2}, 2), (std::vector<bool>{true, true}));
    EXPECT_EQ(atWork({}, {}, 0), std::vector<bool>{});
}

TEST(UseCpus, MachinesAndDividedCpusDoNotDisturbEachOther) {
    EXPECT_EQ(atWork({on("a", {0, 1}), on("b", {0, 1}), on("a", {0, 1}), on("b", {0, 1})}, {2, 1, 1, 1}, 4),
              (std::vector<bool>{true, true, false, true}));
    // As a launcher divides them.
    EXPECT_EQ(atWork({on("a", {0}), on("a", {1}), on("a", {1})}, {1, 1, 1}, 2), (std::vector<bool>{true, true, false}));
    // More threads than CPUs are no reason to take those of others.
    EXPECT_EQ(atWork({on("a", {0}), on("a", {1})}, {8, 8}, 2), (std::vector<bool>{true, true}));
}

TEST(UseCpus, WhoDoesNotTellItsCpusHasSome) {
    EXPECT_EQ(atWork({on("a", {0}), on("a", {}), on("a", {0})}, {1, 3, 1}, 4), (std::vector<bool>{true, true, false}));
}

TEST(UseCpus, ASeatKnowsItsMachine) {
    Seat seat = ownSeat();
    EXPECT_FALSE(seat.machine.empty());
    EXPECT_FALSE(seat.cpus.empty());
    EXPECT_EQ(seat, ownSeat());
}

std::vector<int> cpusOfThisThread() {
    std::vector<int> cpus;
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for (int c = 0; c < CPU_SETSIZE; ++c)
        if (CPU_ISSET(c, &set))
            cpus.push_back(c);
    return cpus;
}

TEST(BoundToCpus, HoldsForTheThreadAndItsChildrenUntilItEnds) {
    std::vector<int> all = cpusOfThisThread(), child;
    if (all.size() < 2)
        GTEST_SKIP() << "one CPU";
    {
        BoundToCpus bound({1, 1});
        EXPECT_EQ(cpusOfThisThread(), std::vector<int>{all[1]});
        std::thread([&] { child = cpusOfThisThread(); }).join();
        EXPECT_EQ(child, std::vector<int>{all[1]});
    }
    EXPECT_EQ(cpusOfThisThread(), all);
    {
        BoundToCpus around({static_cast<uint32_t>(all.size()), 1}), none({0, 0});
        EXPECT_EQ(cpusOfThisThread(), std::vector<int>{all[0]});
    }
    EXPECT_EQ(cpusOfThisThread(), all);
    BoundToCpus everything({0, static_cast<uint32_t>(all.size())});
    EXPECT_EQ(cpusOfThisThread(), all);
}

} // namespace

} // namespace daphne::dist
