// SPDX-License-Identifier: Apache-2.0
#include "sched/FurtherSchemes.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "sched/ParallelFor.h"
#include "sched/Simulate.h"

namespace daphne::sched {
namespace {

using Json = nlohmann::json;

/// All sizes, asked for by the workers in turn.
std::vector<uint64_t> sizesInTurn(const Scheme &scheme, const Loop &loop) {
    std::vector<uint64_t> sizes;
    ChunkSequence chunks(scheme, loop);
    for (uint32_t worker = 0; uint64_t size = chunks.next(worker); worker = (worker + 1) % loop.workers)
        sizes.push_back(size);
    return sizes;
}

TEST(FurtherSchemes, SequencesAreThePublishedOnes) {
    Json golden = Json::parse(std::ifstream(DAPHNE_TEST_GOLDEN "/chunks.json"));
    ASSERT_EQ(golden["profiled_cases"].size(), 12u);
    for (const Json &c : golden["profiled_cases"]) {
        const Scheme *scheme = findScheme(c["scheme"].get<std::string>());
        ASSERT_NE(scheme, nullptr) << c["scheme"];
        std::vector<double> weights = c["params"].value("weights", std::vector<double>());
        SchemeParams params{.unitMean = c["params"].value("mu", 0.0),
                            .unitDeviation = c["params"].value("sigma", 0.0),
                            .requestTime = c["params"].value("h", 0.0),
                            .tapAlpha = c["params"].value("alpha", 1.3),
                            .weights = weights};
        std::vector<uint64_t> expected;
        for (const Json &run : c["rle"])
            expected.insert(expected.end(), run[1].get<size_t>(), run[0].get<uint64_t>());
        EXPECT_EQ(sizesInTurn(*scheme, {.total = c["N"], .workers = c["P"], .grain = c["grain"], .params = params}),
                  expected)
            << c["scheme"] << " N=" << c["N"] << " params " << c["params"];
    }
}

TEST(FurtherSchemes, WithoutAProfileTheyAreFactoringWithoutWeightsToo) {
    for (Loop loop : {Loop{.total = 1000, .workers = 4}, Loop{.total = 12345, .workers = 6, .grain = 10}})
        for (const char *name : {"FSC", "FAC", "MFAC", "TAP", "WF"})
            EXPECT_EQ(sizesInTurn(*findScheme(name), loop), sizesInTurn(*findScheme("FAC2"), loop)) << name;
}

TEST(FurtherSchemes, WeightsNeedNotBeNormalAndMissingOnesAreOne) {
    std::vector<double> few{3}, all{3, 1, 1, 1}, tenfold{30, 10, 10, 10};
    auto sizes = [](std::span<const double> weights) {
        return sizesInTurn(*findScheme("WF"), {.total = 1000, .workers = 4, .params = {.weights = weights}});
    };
    EXPECT_EQ(sizes(few), sizes(all));
    EXPECT_EQ(sizes(few), sizes(tenfold));
    EXPECT_EQ(sizes(all)[0], 250u);
    EXPECT_EQ(sizes(all)[1], 84u);
}

TEST(FurtherSchemes, FixedSizesWithoutDeviationAreStatic) {
    Loop loop{.total = 1003, .workers = 4, .params = {.unitMean = 1, .requestTime = 0.1}};
    EXPECT_EQ(sizesInTurn(*findScheme("FSC"), loop), (std::vector<uint64_t>{251, 251, 251, 250}));
}

TEST(FurtherSchemes, RandomSizesStayInTheirBoundsAndFollowTheSeed) {
    const Scheme &scheme = *findScheme("RAND");
    Loop loop{.total = 100000, .workers = 4};
    auto sizes = sizesInTurn(scheme, loop);
    EXPECT_EQ(sizes, sizesInTurn(scheme, loop));
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
        EXPECT_TRUE(sizes[i] >= 250 && sizes[i] <= 12500) << sizes[i];
    loop.params.seed = 2;
    EXPECT_NE(sizes, sizesInTurn(scheme, loop));
}

/// Whoever asks, whatever is measured: every unit once.
TEST(FurtherSchemes, EveryUnitOnceForAnyOrderOfRequestsAndAnyTimes) {
    std::mt19937_64 random(1);
    for (const Scheme &scheme : furtherSchemes())
        for (uint32_t p : {1u, 2u, 7u, 64u})
            for (uint64_t n : {uint64_t(0), uint64_t(1), uint64_t(p), uint64_t(12345)})
                for (uint64_t grain : {0, 5, 100000}) {
                    ChunkSequence chunks(scheme, {.total = n, .workers = p, .grain = grain});
                    uint64_t sum = 0, least = std::min(std::max<uint64_t>(1, grain), n);
                    for (;;) {
                        auto worker = static_cast<uint32_t>(random() % p);
                        uint64_t size = chunks.next(worker);
                        if (size == 0)
                            break;
                        sum += size;
                        EXPECT_TRUE(size >= least || sum == n) << scheme.name;
                        uint64_t time = random() % 3 == 0 ? 0 : random() >> (random() % 60);
                        if (random() % 8)
                            chunks.update({worker, size, time, random() % 100});
                    }
                    EXPECT_EQ(sum, n) << scheme.name;
                }
}

std::vector<double> noisyCosts(size_t units) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> noise(1.0, 0.05);
    std::vector<double> cost(units);
    for (double &c : cost)
        c = 1000 * std::max(0.1, noise(random));
    return cost;
}

TEST(AdaptiveSchemes, ASlowWorkerGetsWhatItCanDo) {
    std::vector<double> cost = noisyCosts(100000);
    SimulatedMachine machine{.speeds = {4, 4, 4, 1}};
    machine.claimCost = 50;
    double ideal = idealMakespan(cost, machine);
    for (const char *name : {"AWF_B", "AWF_C", "AWF_D", "AWF_E", "AF", "MAF"}) {
        SimulatedRun run = simulate(cost, {.scheme = findScheme(name)}, machine);
        EXPECT_LE(run.makespan, 1.02 * ideal) << name;
        EXPECT_LT(run.numTasks, 200u) << name;
        double fast = static_cast<double>(run.units[0] + run.units[1] + run.units[2]) / 3;
        EXPECT_GE(static_cast<double>(run.units[3]), 0.23 * fast) << name;
        EXPECT_LE(static_cast<double>(run.units[3]), 0.27 * fast) << name;
    }
}

TEST(AdaptiveSchemes, OtherSpeedsAreLearntToo) {
    std::vector<double> cost = noisyCosts(100000);
    for (std::vector<double> speeds : {std::vector<double>{8, 4, 2, 1}, {10, 10, 10, 1}, {1, 1, 1, 1}})
        for (const char *name : {"AWF_B", "AWF_C", "AF"}) {
            SimulatedMachine machine{.speeds = speeds};
            SimulatedRun run = simulate(cost, {.scheme = findScheme(name)}, machine);
            EXPECT_LE(run.makespan, 1.02 * idealMakespan(cost, machine)) << name << " " << speeds[0] << speeds[1];
        }
}

TEST(AdaptiveSchemes, GivenWeightsReplaceTheFirstProbe) {
    std::vector<double> weights{1, 3};
    ChunkSequence probing(*findScheme("AWF_B"), {.total = 1000, .workers = 2});
    ChunkSequence given(*findScheme("AWF_B"), {.total = 1000, .workers = 2, .params = {.weights = weights}});
    EXPECT_EQ(probing.next(1), fixedSize(*findScheme("MFSC"), {.total = 1000, .workers = 2}) / 2);
    EXPECT_EQ(given.next(1), 375u);
    EXPECT_EQ(given.next(0), 125u);
}

TEST(AdaptiveSchemes, EqualWorkersWithoutDeviationMakeAdaptiveFactoringGuided) {
    ChunkSequence chunks(*findScheme("AF"), {.total = 10000, .workers = 4});
    for (uint32_t w = 0; w < 4; ++w) {
        EXPECT_EQ(chunks.next(w), 100u);
        for (int part = 0; part < 10; ++part)
            chunks.update({w, 10, 1000, 0});
    }
    EXPECT_EQ(chunks.next(0), 1250u) << "not more than half of a P-th of the loop";
    uint64_t rest = chunks.remaining();
    while (rest > 5000)
        chunks.next(0), rest = chunks.remaining();
    EXPECT_EQ(chunks.next(0), (rest + 3) / 4);
}

TEST(AdaptiveSchemes, OnlyTheVariantsWithOverheadCountIt) {
    for (auto [name, counts] : {std::pair{"AWF_C", false}, {"AWF_E", true}, {"AF", false}, {"MAF", true}}) {
        ChunkSequence chunks(*findScheme(name), {.total = 100000, .workers = 2});
        for (uint32_t w = 0; w < 2; ++w) {
            uint64_t size = chunks.next(w);
            chunks.update({w, size, 1000 * size, w == 1 ? 9000 * size : 0});
        }
        uint64_t first = chunks.next(0), second = chunks.next(1);
        EXPECT_EQ(second * 2 < first, counts) << name << ": " << first << ", " << second;
    }
}

TEST(AdaptiveSchemes, TasksAreRunInMeasuredPartsButSeenWhole) {
    Pool pool(Topology::fake(1, 2, 1), 2);
    struct Sizes {
        struct Token {};
        std::mutex mutex;
        std::vector<uint64_t> sizes;
        Token begin(uint32_t, const Claim &) { return {}; }
        void end(Token, uint32_t, const Claim &claim) {
            std::lock_guard lock(mutex);
            sizes.push_back(claim.range.size());
        }
    } tasks;
    std::atomic<uint64_t> calls{0}, units{0};
    parallelFor(
        pool, 1000, {.scheme = findScheme("AF")},
        [&](Range r, uint32_t) {
            ++calls;
            units += r.size();
        },
        tasks);
    EXPECT_EQ(units, 1000u);
    EXPECT_EQ(std::accumulate(tasks.sizes.begin(), tasks.sizes.end(), uint64_t(0)), 1000u);
    EXPECT_GE(calls, 10u);
    EXPECT_GT(calls, tasks.sizes.size());
}

TEST(StaticStealing, OwnersGoForwardThievesTakeAQuarterFromTheBack) {
    Placement placement = placeWorkers(Topology::fake(1, 2, 1), 2, Pinning::Off);
    LoopRun run;
    run.prepare(32, {.scheme = findScheme("STEAL")}, placement);
    Thief zero = run.thief(0), one = run.thief(1);
    Claim claim;
    for (uint64_t i = 0; i < 16; ++i) {
        ASSERT_TRUE(run.claim(zero, claim));
        EXPECT_EQ(claim.range, (Range{i, i + 1}));
        EXPECT_FALSE(claim.stolen);
    }
    // 16 left in the other block: pieces 28 to 31 move over, then three of twelve, ...
    for (uint64_t expected : {28, 29, 30, 31, 25, 26, 27, 23, 24, 22}) {
        ASSERT_TRUE(run.claim(zero, claim));
        EXPECT_EQ(claim.range.begin, expected);
        EXPECT_TRUE(claim.stolen);
        EXPECT_EQ(claim.queue, 1u);
    }
    for (uint64_t expected : {16, 17, 18, 19, 20, 21}) {
        ASSERT_TRUE(run.claim(one, claim));
        EXPECT_EQ(claim.range.begin, expected);
    }
    EXPECT_FALSE(run.claim(one, claim));
    EXPECT_FALSE(run.claim(zero, claim));
}

TEST(StaticStealing, PiecesOfAWorkerWhoNeverComesAreDoneByOthers) {
    Placement placement = placeWorkers(Topology::fake(1, 8, 1), 3, Pinning::Off);
    for (uint64_t units : {1, 2, 3, 4, 7, 100, 1001}) {
        LoopRun run;
        run.prepare(units, {.scheme = findScheme("STEAL"), .grain = 2}, placement);
        Thief thief = run.thief(1);
        std::vector<int> visits(units);
        for (Claim claim; run.claim(thief, claim);)
            for (uint64_t i = claim.range.begin; i < claim.range.end; ++i)
                ++visits[i];
        EXPECT_EQ(visits, std::vector<int>(units, 1));
    }
}

TEST(StaticStealing, SlowWorkersAreRelieved) {
    std::vector<double> cost(40000, 100.0);
    SimulatedMachine machine{.speeds = {4, 4, 4, 1}};
    SimulatedRun run = simulate(cost, {.scheme = findScheme("STEAL")}, machine);
    EXPECT_LE(run.makespan, 1.02 * idealMakespan(cost, machine));
}

} // namespace
} // namespace daphne::sched
