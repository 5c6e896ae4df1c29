// SPDX-License-Identifier: Apache-2.0
#include "sched/ParallelFor.h"

#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>

namespace daphne::sched {
namespace {

constexpr Layout kLayouts[] = {Layout::Centralized, Layout::PerGroup, Layout::PerCpu};
constexpr Victim kVictims[] = {Victim::Seq, Victim::SeqPri, Victim::Random, Victim::RandomPri};

/// Runs a loop and returns how often each unit was visited.
std::vector<uint32_t> visits(Pool &pool, uint64_t n, const LoopPlan &plan) {
    std::vector<std::atomic<uint32_t>> counts(n);
    parallelFor(pool, n, plan, [&](Range r, uint32_t worker) {
        EXPECT_LT(worker, pool.numWorkers());
        EXPECT_LT(r.begin, r.end);
        for (uint64_t i = r.begin; i < r.end; ++i)
            counts[i].fetch_add(1, std::memory_order_relaxed);
    });
    return {counts.begin(), counts.end()};
}

class EveryPool : public testing::TestWithParam<uint32_t> {};

TEST_P(EveryPool, VisitsEveryUnitOnceWithAllSchemesLayoutsAndVictims) {
    Pool pool(Topology::fake(2, 4, 1), GetParam());
    for (const Scheme &scheme : schemes())
        for (Layout layout : kLayouts)
            for (Victim victim : kVictims)
                for (bool prePartition : {false, true})
                    for (uint64_t n : {1, 2, 5, 64, 1003}) {
                        LoopPlan plan{
                            .scheme = &scheme, .layout = layout, .victim = victim, .prePartition = prePartition};
                        EXPECT_EQ(visits(pool, n, plan), std::vector<uint32_t>(n, 1))
                            << scheme.name << " layout " << int(layout) << " victim " << int(victim) << " n " << n;
                    }
}

TEST_P(EveryPool, AnEmptyLoopCallsNothing) {
    Pool pool(Topology::fake(1, 4, 1), GetParam());
    parallelFor(pool, 0, {}, [](Range, uint32_t) { FAIL(); });
}

TEST_P(EveryPool, TheErrorOfTheLowestUnitIsThrownAndThePoolStaysUsable) {
    Pool pool(Topology::fake(2, 4, 1), GetParam());
    for (Layout layout : kLayouts)
        for (int round = 0; round < 20; ++round) {
            LoopPlan plan{.scheme = findScheme("SS"), .layout = layout};
            auto loop = [&] {
                parallelFor(pool, 1000, plan, [&](Range r, uint32_t) {
                    if (r.begin % 97 == 13)
                        throw std::runtime_error("unit " + std::to_string(r.begin));
                });
            };
            try {
                loop();
                ADD_FAILURE() << "no error";
            } catch (const std::runtime_error &e) {
                EXPECT_STREQ(e.what(), "unit 13");
            }
            EXPECT_EQ(visits(pool, 100, plan), std::vector<uint32_t>(100, 1));
        }
}

TEST_P(EveryPool, LoopsInsideLoopsWork) {
    Pool pool(Topology::fake(1, 4, 1), GetParam());
    std::atomic<uint64_t> sum{0};
    parallelFor(pool, 20, {.scheme = findScheme("SS")}, [&](Range outer, uint32_t) {
        parallelFor(pool, 50, {.scheme = findScheme("GSS")}, [&](Range inner, uint32_t worker) {
            EXPECT_LT(worker, pool.numWorkers());
            EXPECT_EQ(worker, pool.currentWorker());
            sum += inner.size() * outer.size();
        });
    });
    EXPECT_EQ(sum, 1000u);
    EXPECT_EQ(pool.currentWorker(), 0u);
}

TEST_P(EveryPool, SeveralThreadsMayAskAtOnce) {
    Pool pool(Topology::fake(1, 4, 1), GetParam());
    std::vector<std::thread> callers;
    std::atomic<uint64_t> sum{0};
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round)
                parallelFor(pool, 100, {.scheme = findScheme("FAC2")}, [&](Range r, uint32_t) { sum += r.size(); });
        });
    for (std::thread &t : callers)
        t.join();
    EXPECT_EQ(sum, 4u * 50 * 100);
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryPool, testing::Values(1, 2, 3, 7, 16));

/// Remembers who took what.
struct Recorder {
    struct Token {};
    std::mutex mutex;
    std::vector<std::pair<uint32_t, Claim>> claims;
    Token begin(uint32_t worker, const Claim &claim) {
        std::lock_guard lock(mutex);
        claims.emplace_back(worker, claim);
        return {};
    }
    void end(Token, uint32_t, const Claim &) {}
};

TEST(ParallelFor, ThievesTakeTheWorkOfASlowWorker) {
    Pool pool(Topology::fake(1, 4, 1), 4);
    Recorder recorder;
    std::atomic<bool> released{false};
    LoopPlan plan{.scheme = findScheme("SS"), .layout = Layout::PerCpu};
    std::atomic<uint32_t> done{0};
    parallelFor(
        pool, 400, plan,
        [&](Range, uint32_t worker) {
            ++done;
            while (worker == 0 && !released && done < 399) // worker 0 holds one task until all others are done
                std::this_thread::yield();
            released = released || done >= 399;
        },
        recorder);
    size_t stolenFromZero = 0, byZero = 0;
    for (auto &[worker, claim] : recorder.claims) {
        stolenFromZero += claim.stolen && claim.queue == 0;
        byZero += worker == 0;
        EXPECT_EQ(claim.stolen, claim.queue != worker);
    }
    EXPECT_EQ(recorder.claims.size(), 400u);
    EXPECT_GE(stolenFromZero + byZero, 100u) << "all tasks of queue 0 were run by somebody";
    EXPECT_LE(byZero, 100u);
}

TEST(ParallelFor, PriorityKeepsThievesInTheirGroupWhileItHasTasks) {
    Topology topology = Topology::fake(2, 4, 1);
    Placement placement = placeWorkers(topology, 8, Pinning::RoundRobin);
    for (Victim victim : {Victim::SeqPri, Victim::RandomPri}) {
        LoopRun run;
        run.prepare(800, {.scheme = findScheme("SS"), .layout = Layout::PerCpu, .victim = victim}, placement);
        Thief thief = run.thief(5);
        Claim claim;
        for (size_t taken = 0; run.claim(thief, claim); ++taken) {
            bool own = placement.workers[claim.queue].group == placement.workers[5].group;
            EXPECT_EQ(own, taken < 400) << "task " << taken << " from queue " << claim.queue;
        }
    }
}

TEST(ParallelFor, HomeTasksComeFromTheFrontStolenOnesFromTheBack) {
    Placement placement = placeWorkers(Topology::fake(1, 2, 1), 2, Pinning::Off);
    LoopRun run;
    run.prepare(10, {.scheme = findScheme("SS"), .layout = Layout::PerCpu, .prePartition = true}, placement);
    Thief zero = run.thief(0);
    Claim claim;
    std::vector<uint64_t> order;
    while (run.claim(zero, claim))
        order.push_back(claim.range.begin);
    EXPECT_EQ(order, (std::vector<uint64_t>{0, 1, 2, 3, 4, 9, 8, 7, 6, 5}));
}

TEST(Topology, TextsOfFakeMachines) {
    Topology t = Topology::fake("2x4x2");
    EXPECT_EQ(t.cpus.size(), 16u);
    EXPECT_EQ(t.numCores(), 8u);
    EXPECT_EQ(t.numDomains, 2u);
    EXPECT_EQ(t.cpus[0].sibling, 0u);
    EXPECT_EQ(t.cpus[8].sibling, 1u) << "second siblings come last";
    for (const char *bad : {"", "2", "2x", "x4", "2x4x", "0x4", "2x4x2x1", "axb", "2 x 4", "99999x99999"})
        EXPECT_ANY_THROW(Topology::fake(bad)) << bad;
}

TEST(Topology, NumberOfWorkers) {
    Topology t = Topology::fake(2, 4, 2);
    EXPECT_EQ(chooseNumWorkers(t, {}), 8u);
    EXPECT_EQ(chooseNumWorkers(t, {.hyperthreading = true}), 16u);
    EXPECT_EQ(chooseNumWorkers(t, {.numThreads = 3}), 3u);
    t.quota = 2;
    EXPECT_EQ(chooseNumWorkers(t, {}), 2u);
    EXPECT_EQ(chooseNumWorkers(t, {.numThreads = 5}), 5u);
}

TEST(Topology, DetectsAtLeastOneCpu) {
    Topology t = Topology::detect();
    EXPECT_GE(t.cpus.size(), 1u);
    EXPECT_GE(chooseNumWorkers(t, {}), 1u);
}

TEST(Topology, GroupsAreTheDomainsOfTheWorkers) {
    Topology t = Topology::fake(4, 2, 1);
    EXPECT_EQ(placeWorkers(t, 1, Pinning::Off).numGroups, 1u);
    EXPECT_EQ(placeWorkers(t, 8, Pinning::Off).numGroups, 4u);
    EXPECT_EQ(placeWorkers(t, 2, Pinning::RoundRobin).numGroups, 1u) << "the first two CPUs are in one domain";
    EXPECT_EQ(placeWorkers(t, 64, Pinning::RoundRobin).workers[63].group, 3u);
}

} // namespace
} // namespace daphne::sched
