// SPDX-License-Identifier: Apache-2.0
#include "sched/Scheduler.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/Error.h"

namespace daphne::sched {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Settings onThreads(int64_t n) { return {.threads = {.numThreads = n}}; }

/// Sizes of the ranges in the order of the rows; fails unless each row was visited once.
std::vector<uint64_t> sizesOf(Scheduler &scheduler, const LoopDescription &loop) {
    std::mutex mutex;
    std::vector<Range> ranges;
    scheduler.run(loop, [&](Range rows, uint32_t worker) {
        EXPECT_LT(worker, scheduler.numThreads());
        std::lock_guard lock(mutex);
        ranges.push_back(rows);
    });
    std::ranges::sort(ranges, {}, &Range::begin);
    std::vector<uint64_t> sizes;
    uint64_t next = 0;
    for (Range r : ranges) {
        EXPECT_EQ(r.begin, next);
        EXPECT_LT(r.begin, r.end);
        next = r.end;
        sizes.push_back(r.size());
    }
    EXPECT_EQ(next, loop.rows);
    return sizes;
}

TEST(Scheduler, ASchemeThatIsNamedIsObeyedToTheFormula) {
    Settings settings = onThreads(4);
    settings.plan.scheme = findScheme("GSS");
    Scheduler scheduler(settings);
    std::vector<uint64_t> expected;
    ChunkSequence chunks(*settings.plan.scheme, {.total = 1000, .workers = 4});
    while (uint64_t size = chunks.next())
        expected.push_back(size);
    EXPECT_EQ(sizesOf(scheduler, {.site = "x", .rows = 1000, .grain = 64, .serialNs = 1}), expected);
}

TEST(Scheduler, WithoutASchemeTasksHaveTheSizeOfTheCacheAndEveryWorkerGetsSome) {
    Scheduler scheduler(onThreads(2));
    EXPECT_EQ(scheduler.plan({.rows = 1 << 20, .grain = 2048}).grain, 2048u);
    EXPECT_EQ(sizesOf(scheduler, {.site = "x", .rows = 80, .grain = 2048}), std::vector<uint64_t>(8, 10));
    EXPECT_TRUE(sizesOf(scheduler, {.site = "x", .rows = 0}).empty());
}

TEST(Scheduler, AGrainThatIsGivenRaisesTheSizeOfTasksWithoutAScheme) {
    Settings settings = onThreads(2);
    settings.grain = 30;
    Scheduler scheduler(settings);
    EXPECT_THAT(sizesOf(scheduler, {.site = "x", .rows = 100}), ElementsAre(30, 30, 30, 10));
    EXPECT_EQ(scheduler.plan({.rows = 1 << 20, .grain = 2048}).grain, 2048u);
}

TEST(Scheduler, TheGrainIsOneWithASchemeUnlessItIsGivenOrAutomatic) {
    Settings settings = onThreads(2);
    settings.plan.scheme = findScheme("SS");
    EXPECT_EQ(Scheduler(settings).plan({.rows = 100, .grain = 32}).grain, 1u);
    settings.grain = 7;
    EXPECT_EQ(Scheduler(settings).plan({.rows = 100, .grain = 32}).grain, 7u);
    settings.cacheSizedGrain = true;
    EXPECT_EQ(Scheduler(settings).plan({.rows = 100, .grain = 32}).grain, 32u);
}

TEST(Scheduler, RangesEndAtMultiplesOfTheBlock) {
    for (const Scheme &scheme : schemes()) {
        Settings settings = onThreads(3);
        settings.plan.scheme = &scheme;
        Scheduler scheduler(settings);
        std::vector<uint64_t> sizes = sizesOf(scheduler, {.site = "x", .rows = 1003, .block = 16});
        for (size_t i = 0; i + 1 < sizes.size(); ++i)
            EXPECT_EQ(sizes[i] % 16, 0u) << scheme.name;
    }
}

/// Rows of 0 .. 99 stored cells.
std::vector<uint64_t> growingRows() {
    std::vector<uint64_t> offsets(101, 0);
    for (uint64_t r = 0; r < 100; ++r)
        offsets[r + 1] = offsets[r] + r;
    return offsets;
}

TEST(Scheduler, RowsOfASparseMatrixAreCutByStoredCellsUnlessToldOtherwise) {
    std::vector<uint64_t> growing = growingRows(), equal(101);
    for (uint64_t r = 0; r <= 100; ++r)
        equal[r] = 5 * r;
    auto unitsBy = [](PartitionBy by, const std::vector<uint64_t> &offsets) {
        Settings settings = onThreads(2);
        settings.partitionBy = by;
        PlannedLoop p =
            Scheduler(settings).plan({.rows = 100, .rowOffsets = offsets.data(), .rowWeight = 2, .rowCost = 3});
        return p.units;
    };
    EXPECT_EQ(unitsBy(PartitionBy::NotGiven, growing), 4950u + 200);
    EXPECT_EQ(unitsBy(PartitionBy::NonZeros, growing), 4950u + 200);
    EXPECT_EQ(unitsBy(PartitionBy::Cost, growing), 4950u + 300);
    EXPECT_EQ(unitsBy(PartitionBy::Rows, growing), 100u);
    EXPECT_EQ(unitsBy(PartitionBy::Auto, growing), 4950u + 200) << "coefficient of variation 0.58";
    EXPECT_EQ(unitsBy(PartitionBy::Auto, equal), 100u);
}

TEST(Scheduler, WeightsAndBlocksTogetherStillCoverEveryRowOnce) {
    std::vector<uint64_t> offsets = growingRows();
    for (const Scheme &scheme : schemes())
        for (uint64_t block : {1, 7, 200}) {
            Settings settings = onThreads(4);
            settings.plan.scheme = &scheme;
            settings.plan.layout = Layout::PerCpu;
            Scheduler scheduler(settings);
            sizesOf(scheduler, {.site = "x", .rows = 100, .block = block, .rowOffsets = offsets.data()});
        }
}

TEST(Scheduler, SmallLoopsStayOnTheCallingThreadAsOneRange) {
    Scheduler scheduler(onThreads(2));
    auto caller = std::this_thread::get_id();
    int calls = 0;
    for (int i = 0; i < 10; ++i)
        scheduler.run({.site = "x", .rows = 1000, .serialNs = 100}, [&](Range rows, uint32_t) {
            EXPECT_EQ(std::this_thread::get_id(), caller);
            EXPECT_EQ(rows, (Range{0, 1000}));
            ++calls;
        });
    EXPECT_EQ(calls, 10);
    EXPECT_FALSE(scheduler.plan({.rows = 1000, .serialNs = 1e9}).isSerial);
}

TEST(Scheduler, AnErrorOfTheBodyArrivesAndTheNextLoopWorks) {
    for (bool observed : {false, true}) {
        Settings settings = onThreads(3);
        settings.statistics = observed;
        Scheduler scheduler(settings);
        EXPECT_THROW(scheduler.run({.site = "x", .rows = 100}, [](Range, uint32_t) { throw std::runtime_error("x"); }),
                     std::runtime_error);
        EXPECT_FALSE(sizesOf(scheduler, {.site = "x", .rows = 100}).empty());
    }
}

TEST(Scheduler, LoopsInsideLoopsWork) {
    Settings settings = onThreads(3);
    settings.statistics = true;
    Scheduler scheduler(settings);
    std::atomic<uint64_t> sum = 0;
    scheduler.run({.site = "outer", .rows = 50, .grain = 1}, [&](Range outer, uint32_t) {
        for (uint64_t i = outer.begin; i < outer.end; ++i)
            scheduler.run({.site = "inner", .rows = 20}, [&](Range inner, uint32_t) { sum += inner.size(); });
    });
    EXPECT_EQ(sum, 1000u);
    EXPECT_THAT(scheduler.statisticsText(), HasSubstr("inner"));
}

// ---- what is observed

TEST(DebugMt, ShowsTheMachineTheLoopItsWorkersAndChunks) {
    Settings settings = {.machine = Topology::fake("2x2"), .debug = DebugLevel::Chunks};
    settings.plan.scheme = findScheme("STATIC");
    settings.plan.layout = Layout::PerGroup;
    settings.plan.victim = Victim::RandomPri;
    std::string log;
    Scheduler scheduler(settings, [&](std::string_view text) { log += text; });
    sizesOf(scheduler, {.site = "rowSums", .rows = 10});
    EXPECT_THAT(log, StartsWith("topologyPhysicalIds:\n0,0,1,1,\n"
                                "topologyUniqueThreads:\n0,1,2,3,\n"
                                "topologyResponsibleThreads:\n0,2,\n"
                                "_totalNumaDomains=2\n"
                                "_numQueues=2\n"
                                "[mt] pipeline=rowSums N=10 P=4 scheme=STATIC grain=1 layout=PERGROUP "
                                "victim=RANDOMPRI queues=2 tasks=4 steals="));
    EXPECT_THAT(log, HasSubstr(" makespan_us="));
    EXPECT_THAT(log, HasSubstr(" lib_pct="));
    EXPECT_THAT(log, HasSubstr(" overhead_us="));
    EXPECT_THAT(log, HasSubstr("\n[mt] worker=3 cpu=3 domain=1 tasks="));
    EXPECT_THAT(log, HasSubstr("\n[mt] chunks=[[3,2],[2,2]]\n"));
}

TEST(DebugMt, ShowsChunksOnlyWhenAsked) {
    Settings settings = onThreads(2);
    settings.debug = DebugLevel::On;
    std::string log;
    Scheduler scheduler(settings, [&](std::string_view text) { log += text; });
    sizesOf(scheduler, {.site = "a", .rows = 10});
    EXPECT_THAT(log, HasSubstr(" scheme=DEFAULT "));
    EXPECT_THAT(log, testing::Not(HasSubstr("chunks")));
    log.clear();
    sizesOf(scheduler, {.site = "b", .rows = 10});
    EXPECT_THAT(log, StartsWith("topologyPhysicalIds:")) << "once per execution";
}

TEST(DebugMt, CountsRowsAlsoWhereTasksAreCutByWeight) {
    std::vector<uint64_t> offsets = growingRows();
    Settings settings = onThreads(1);
    settings.debug = DebugLevel::On;
    std::string log;
    Scheduler scheduler(settings, [&](std::string_view text) { log += text; });
    sizesOf(scheduler, {.site = "a", .rows = 100, .rowOffsets = offsets.data()});
    EXPECT_THAT(log, HasSubstr(" by=nnz\n"));
    EXPECT_THAT(log, HasSubstr(" units=100 "));
}

TEST(RunLengths, AreListsOfSizeAndRepetition) {
    EXPECT_EQ(runLengths({}), "[]");
    EXPECT_EQ(runLengths({5}), "[[5,1]]");
    EXPECT_EQ(runLengths({125, 125, 63, 1, 1}), "[[125,2],[63,1],[1,2]]");
}

TEST(Statistics, HaveOneLinePerSite) {
    Settings settings = onThreads(2);
    settings.statistics = true;
    settings.plan.scheme = findScheme("FAC2");
    Scheduler scheduler(settings);
    EXPECT_EQ(scheduler.statisticsText(), "");
    for (int i = 0; i < 3; ++i)
        sizesOf(scheduler, {.site = "rows.daph:3:5 sumAll", .rows = 100});
    sizesOf(scheduler, {.site = "b", .rows = 100});
    std::string text = scheduler.statisticsText();
    EXPECT_EQ(std::ranges::count(text, '\n'), 3);
    EXPECT_THAT(text, HasSubstr("rows.daph:3:5 sumAll           3 "));
    EXPECT_THAT(text, HasSubstr("  FAC2\n"));
}

// ---- threads

TEST(Threads, PhysicalCoresUnlessHyperthreadingOrANumberIsAskedFor) {
    auto numThreads = [](ThreadRequest request) {
        return Scheduler({.threads = request, .machine = Topology::fake("2x4x2")}).numThreads();
    };
    EXPECT_EQ(numThreads({}), 8u);
    EXPECT_EQ(numThreads({.hyperthreading = true}), 16u);
    EXPECT_EQ(numThreads({.numThreads = 3, .hyperthreading = true}), 3u);
    EXPECT_EQ(numThreads({.numThreads = -1}), 8u);
    EXPECT_EQ(numThreads({.most = 6}), 6u);
    EXPECT_EQ(numThreads({.most = 100}), 8u);
    EXPECT_EQ(numThreads({.numThreads = 9, .most = 6}), 9u);
}

TEST(ControlGroups, TheLeastQuotaOnThePathCounts) {
    namespace fs = std::filesystem;
    fs::path root = fs::path(testing::TempDir()) / "daphne-control-groups";
    auto write = [&](const fs::path &file, const char *text) {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text;
    };
    auto quota = [&] { return controlGroupQuota((root / "fs").string(), (root / "membership").string()); };
    EXPECT_EQ(quota(), 0u) << "no files at all";
    write("membership", "0::/user/job\n");
    write("fs/cpu.max", "max 100000\n");
    EXPECT_EQ(quota(), 0u);
    write("fs/user/job/cpu.max", "350000 100000\n");
    EXPECT_EQ(quota(), 4u) << "rounded up";
    write("fs/user/cpu.max", "200000 100000\n");
    EXPECT_EQ(quota(), 2u);
    write("fs/cpu.max", "10000 100000\n");
    EXPECT_EQ(quota(), 1u);
    fs::remove_all(root);
    write("membership", "3:memory:/other\n4:cpu,cpuacct:/job\n");
    write("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
    write("fs/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), 3u) << "version 1";
    write("fs/cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(quota(), 0u);
    fs::remove_all(root);
}

// ---- pinning

std::vector<uint32_t> cpusOf(Pinning pinning, uint32_t numWorkers) {
    std::vector<uint32_t> cpus;
    for (const auto &worker : placeWorkers(Topology::fake(2, 2, 2), numWorkers, pinning).workers)
        cpus.push_back(worker.cpu);
    return cpus;
}

TEST(PinningOrder, FollowsTheStrategy) {
    // CPUs 0 1 | 2 3 are the first threads of the cores of two domains, 4 5 | 6 7 the second ones.
    EXPECT_THAT(cpusOf(Pinning::RoundRobin, 9), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 0));
    EXPECT_THAT(cpusOf(Pinning::Compact, 5), ElementsAre(0, 4, 1, 5, 2));
    EXPECT_THAT(cpusOf(Pinning::Scatter, 5), ElementsAre(0, 2, 1, 3, 4));
    Placement numa = placeWorkers(Topology::fake(2, 2, 2), 4, Pinning::Numa);
    EXPECT_THAT(numa.workers[1].mayRunOn, ElementsAre(0, 1, 4, 5));
    EXPECT_THAT(numa.workers[2].mayRunOn, ElementsAre(2, 3, 6, 7));
    EXPECT_EQ(numa.workers[2].group, 1u);
}

TEST(PinningOrder, LeavesTheCallingThreadAloneUnlessToldOtherwise) {
    cpu_set_t before, during;
    sched_getaffinity(0, sizeof before, &before);
    Settings settings = onThreads(2);
    settings.pinning = Pinning::RoundRobin;
    Scheduler scheduler(settings);
    scheduler.pool();
    sched_getaffinity(0, sizeof during, &during);
    EXPECT_TRUE(CPU_EQUAL(&before, &during));
}

TEST(PinningOrder, BindsTheCallingThreadWhileTheSchedulerLivesIfAskedTo) {
    cpu_set_t before, during, after;
    sched_getaffinity(0, sizeof before, &before);
    {
        Settings settings = onThreads(2);
        settings.pinning = Pinning::RoundRobin;
        settings.bindsCaller = true;
        Scheduler scheduler(settings);
        scheduler.pool();
        sched_getaffinity(0, sizeof during, &during);
    }
    sched_getaffinity(0, sizeof after, &after);
    EXPECT_EQ(CPU_COUNT(&during), 1);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(PinningOrder, NothingIsBoundToCpusThatDoNotExist) {
    cpu_set_t before, during;
    sched_getaffinity(0, sizeof before, &before);
    Settings settings = onThreads(2);
    settings.machine = Topology::fake("1x2");
    settings.bindsCaller = true;
    settings.pinning = Pinning::Compact;
    Scheduler scheduler(settings);
    scheduler.pool();
    sched_getaffinity(0, sizeof during, &during);
    EXPECT_TRUE(CPU_EQUAL(&before, &during));
}

TEST(PinningOrder, EveryStrategyRunsLoopsOnThisMachine) {
    for (Pinning pinning : {Pinning::RoundRobin, Pinning::Compact, Pinning::Scatter, Pinning::Numa}) {
        Settings settings = onThreads(3);
        settings.pinning = pinning;
        Scheduler scheduler(settings);
        sizesOf(scheduler, {.site = "x", .rows = 1000});
    }
}

// ---- cache-sized tasks

Topology withCaches(uint64_t l2, uint64_t l3) {
    Topology t = Topology::fake(1, 4, 1);
    t.l2Bytes = l2;
    t.l3Bytes = l3;
    return t;
}

TEST(CacheTiles, RowsFillHalfOfTheSecondLevelCache) {
    Topology t = withCaches(1 << 20, 8 << 20);
    EXPECT_EQ(cacheSizedRows(t, {.rowBytes = 64}), (1u << 19) / 64);
    EXPECT_EQ(cacheSizedRows(t, {.rowBytes = 64, .broadcastBytes = 1 << 10}), ((1u << 19) - (1u << 10)) / 64);
    EXPECT_EQ(cacheSizedRows(t, {.rowBytes = 64, .broadcastBytes = 1 << 19}), (1u << 18) / 64)
        << "broadcast inputs take at most half of it";
    EXPECT_EQ(cacheSizedRows(t, {.rowBytes = 1e9}), 1u);
    EXPECT_GE(cacheSizedRows(t, {}), uint64_t(1) << 62);
}

TEST(CacheTiles, BroadcastInputsThatDoNotFitMoveItToTheShareOfTheThirdLevel) {
    Topology t = withCaches(1 << 20, 16 << 20); // 4 MiB per core
    EXPECT_EQ(cacheSizedRows(t, {.rowBytes = 64, .broadcastBytes = (1 << 19) + 1}), ((2u << 20) - (1u << 19) - 1) / 64);
}

TEST(CacheTiles, BatchesHaveTheBytesOfTheOption) {
    Topology t = withCaches(1 << 20, 8 << 20);
    EXPECT_EQ(batchRows(t, 98304, {.rowBytes = 80}), 1228u);
    EXPECT_EQ(batchRows(t, 98304, {.rowBytes = 1e6}), 1u);
    EXPECT_EQ(batchRows(t, 0, {.rowBytes = 64}), (1u << 19) / 64);
    EXPECT_GE(batchRows(t, 98304, {}), uint64_t(1) << 62) << "rows without bytes: the whole range";
    EXPECT_EQ(sparseRowBytes(10, 40), 3);
}

TEST(CacheTiles, GrainsAreWholeBatches) {
    EXPECT_EQ(wholeBatches(1, 100), 100u);
    EXPECT_EQ(wholeBatches(200, 100), 200u);
    EXPECT_EQ(wholeBatches(201, 100), 300u);
    EXPECT_EQ(wholeBatches(201, 1), 201u);
    EXPECT_EQ(wholeBatches(201, 0), 201u);
}

} // namespace
} // namespace daphne::sched
