// SPDX-License-Identifier: Apache-2.0
#include "sched/LoopRun.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

namespace daphne::sched {
namespace {

Placement workers(uint32_t n) { return placeWorkers(Topology::fake(1, n, 1), n, Pinning::Off); }

/// Marks the task as done; true if it was not.
bool mark(std::vector<bool> &done, Range r) {
    EXPECT_EQ(r.size(), 1u);
    bool isNew = !done[r.begin];
    done[r.begin] = true;
    return isNew;
}

TEST(TaskSequence, IsWhatTheSchemeSaysForAllSchemes) {
    for (const Scheme &scheme : schemes())
        for (uint64_t total : {1, 2, 3, 7, 8, 9, 31, 32, 100, 1003})
            for (uint32_t p : {1, 2, 3, 8})
                for (uint64_t grain : {0, 1, 2, 5, 13, 5000}) {
                    Loop loop{.total = total, .workers = p, .grain = grain};
                    TaskSequence tasks;
                    tasks.build(scheme, loop, 1000);
                    ChunkSequence chunks(scheme, loop);
                    uint64_t begin = 1000, k = 0;
                    for (uint64_t size; (size = chunks.next()) > 0; begin += size, ++k) {
                        ASSERT_LT(k, tasks.count());
                        ASSERT_EQ(tasks.task(k), (Range{begin, begin + size}))
                            << scheme.name << " N " << total << " P " << p << " g " << grain << " task " << k;
                    }
                    EXPECT_EQ(tasks.count(), k) << scheme.name << " N " << total << " P " << p << " g " << grain;
                }
}

TEST(TaskSequence, ReachesTheEndOfTheNumbers) {
    constexpr uint64_t kAll = ~uint64_t(0);
    TaskSequence tasks;
    tasks.build(*findScheme("STATIC"), {.total = kAll, .workers = 7}, 0);
    ASSERT_EQ(tasks.count(), 7u);
    EXPECT_EQ(tasks.task(6).end, kAll);
    tasks.build(*findScheme("SS"), {.total = kAll, .workers = 7, .grain = kAll / 2}, 0);
    ASSERT_EQ(tasks.count(), 3u);
    EXPECT_EQ(tasks.task(2), (Range{kAll - 1, kAll}));
}

TEST(CentralQueue, OneWorkerTakesAllTasksInOrder) {
    Placement placement = workers(1);
    LoopRun run;
    run.prepare(5000, {.scheme = findScheme("SS")}, placement);
    Thief thief = run.thief(0);
    Claim claim;
    for (uint64_t i = 0; i < 5000; ++i) {
        ASSERT_TRUE(run.claim(thief, claim));
        ASSERT_EQ(claim.range, (Range{i, i + 1}));
        ASSERT_FALSE(claim.stolen);
    }
    EXPECT_FALSE(run.claim(thief, claim));
    EXPECT_FALSE(run.claim(thief, claim));
}

TEST(CentralQueue, NobodyWaitsForTasksThatAStuckWorkerTookButDidNotBegin) {
    Placement placement = workers(4);
    LoopRun run;
    constexpr uint64_t kTasks = 10000;
    run.prepare(kTasks, {.scheme = findScheme("SS")}, placement);
    Thief stuck = run.thief(0);
    std::vector<bool> done(kTasks);
    Claim claim;
    for (int i = 0; i < 8; ++i) { // the fourth increment takes eight at once, one of which it begins
        ASSERT_TRUE(run.claim(stuck, claim));
        EXPECT_TRUE(mark(done, claim.range));
    }
    for (uint32_t w = 1; w < 4; ++w)
        for (Thief thief = run.thief(w); run.claim(thief, claim);)
            EXPECT_TRUE(mark(done, claim.range)) << claim.range.begin;
    EXPECT_EQ(std::count(done.begin(), done.end(), false), 0);
    EXPECT_FALSE(run.claim(stuck, claim));
}

TEST(CentralQueue, TheFirstAndTheLastTasksAreTakenOneByOne) {
    Placement placement = workers(2);
    LoopRun run;
    run.prepare(1000, {.scheme = findScheme("SS")}, placement);
    Thief a = run.thief(0), b = run.thief(1);
    Claim claim;
    ASSERT_TRUE(run.claim(a, claim));
    ASSERT_TRUE(run.claim(b, claim));
    EXPECT_EQ(claim.range.begin, 1u) << "the second worker gets the second task";
    uint64_t last[2] = {0, 1};
    for (uint64_t taken = 2; taken < 1000; ++taken) {
        ASSERT_TRUE(run.claim(taken % 2 ? b : a, claim));
        last[taken % 2] = claim.range.begin;
    }
    EXPECT_GE(std::min(last[0], last[1]), 997u) << "in turn until the end";
}

TEST(CentralQueue, DecreasingTasksAreNeverTakenInBatches) {
    Placement placement = workers(2);
    LoopRun run;
    run.prepare(1 << 20, {.scheme = findScheme("FAC2")}, placement);
    Thief a = run.thief(0), b = run.thief(1);
    Claim claim;
    uint64_t end = 0;
    for (bool turn = false; run.claim(turn ? a : b, claim); turn = !turn) {
        EXPECT_EQ(claim.range.begin, end);
        end = claim.range.end;
    }
    EXPECT_EQ(end, uint64_t(1) << 20);
}

TEST(CentralQueue, LeftoversOfACancelledLoopDoNotReachTheNext) {
    Placement placement = workers(2);
    LoopRun run;
    run.prepare(1000, {.scheme = findScheme("SS")}, placement);
    Thief thief = run.thief(0);
    Claim claim;
    for (int i = 0; i < 4; ++i)
        run.claim(thief, claim);
    run.fail(claim.range.begin, std::make_exception_ptr(1));
    EXPECT_ANY_THROW(run.rethrow());
    run.prepare(1000, {.scheme = findScheme("SS")}, placement);
    EXPECT_NO_THROW(run.rethrow());
    thief = run.thief(0);
    ASSERT_TRUE(run.claim(thief, claim));
    EXPECT_TRUE(run.isWanted(claim));
    EXPECT_EQ(claim.range.begin, 0u);
}

TEST(Errors, TasksBeforeAFailedOneStayAndThoseBehindItGo) {
    Placement placement = workers(4);
    for (Layout layout : {Layout::Centralized, Layout::PerGroup, Layout::PerCpu})
        for (const char *scheme : {"SS", "GSS", "STEAL"})
            for (bool prePartition : {false, true}) {
                LoopRun run;
                LoopPlan plan{.scheme = findScheme(scheme), .layout = layout, .prePartition = prePartition};
                run.prepare(1000, plan, placement);
                Thief two = run.thief(2), zero = run.thief(0);
                Claim failed, claim;
                std::vector<bool> isThere(1000);
                auto mark = [&](Range r) { std::fill(isThere.begin() + r.begin, isThere.begin() + r.end, true); };
                for (int i = 0; i < 3; ++i) {
                    ASSERT_TRUE(run.claim(two, failed));
                    if (i < 2)
                        mark(failed.range);
                }
                uint64_t lowest = failed.range.begin;
                run.fail(lowest, std::make_exception_ptr(std::runtime_error("second")));
                run.fail(lowest + 1, std::make_exception_ptr(std::runtime_error("last")));
                for (size_t behind = 0; run.claim(zero, claim); behind += !run.isWanted(claim)) {
                    EXPECT_LT(behind, 32u) << "only what the failed worker held";
                    if (run.isWanted(claim))
                        mark(claim.range);
                }
                for (uint64_t i = 0; i < 1000; ++i)
                    EXPECT_EQ(isThere[i], i < lowest) << scheme << " layout " << int(layout) << " unit " << i;
                run.fail(0, std::make_exception_ptr(std::runtime_error("first")));
                try {
                    run.rethrow();
                    ADD_FAILURE();
                } catch (const std::runtime_error &e) {
                    EXPECT_STREQ(e.what(), lowest == 0 ? "second" : "first");
                }
            }
}

} // namespace
} // namespace daphne::sched
