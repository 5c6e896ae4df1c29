// SPDX-License-Identifier: Apache-2.0
/// Several schedulers in one process, several threads at one scheduler, and fork().
#include <algorithm>
#include <filesystem>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include "base/Error.h"
#include "sched/Scheduler.h"
#include "sched/SharedPools.h"
#include "sched/Watchdog.h"

namespace daphne::sched {
namespace {

Settings onThreads(int64_t n) { return {.threads = {.numThreads = n}, .machine = Topology::fake(1, 4, 1)}; }

void atOnce(uint32_t n, const std::function<void(uint32_t)> &f) {
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < n; ++t)
        threads.emplace_back([&f, t] { f(t); });
    for (std::thread &t : threads)
        t.join();
}

uint64_t rowsSeen(Scheduler &scheduler, uint64_t rows) {
    std::atomic<uint64_t> sum{0};
    scheduler.run({.site = "x", .rows = rows, .grain = 4}, [&](Range r, uint32_t) { sum += r.size(); });
    return sum;
}

size_t numThreadsOfProcess() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

TEST(SharedPools, EqualRequestsShareThreadsWhichEndWithTheLastUser) {
    size_t before = numThreadsOfProcess();
    {
        Scheduler a(onThreads(4)), c(onThreads(3));
        {
            Scheduler b(onThreads(4));
            EXPECT_EQ(&a.pool(), &b.pool());
            EXPECT_NE(&a.pool(), &c.pool());
            Settings pinned = onThreads(4), elsewhere = onThreads(4);
            pinned.pinning = Pinning::Compact;
            elsewhere.machine = Topology::fake(2, 2, 1);
            EXPECT_NE(&Scheduler(pinned).pool(), &a.pool());
            EXPECT_NE(&Scheduler(elsewhere).pool(), &a.pool());
        }
        EXPECT_EQ(numThreadsOfProcess(), before + 3 + 2);
        EXPECT_EQ(rowsSeen(a, 1000), 1000u);
    }
    EXPECT_EQ(numThreadsOfProcess(), before);
}

TEST(SharedPools, LoopsOfOneSchedulerMayBeInsideOfAnothers) {
    Watchdog watchdog;
    for (int64_t other : {4, 2}) {
        Scheduler outer(onThreads(4)), inner(onThreads(other));
        std::atomic<uint64_t> sum{0};
        outer.run({.site = "x", .rows = 40, .grain = 1}, [&](Range, uint32_t) {
            inner.run({.site = "y", .rows = 30, .grain = 1}, [&](Range r, uint32_t worker) {
                EXPECT_LT(worker, inner.numThreads());
                EXPECT_EQ(worker, inner.currentWorker());
                sum += r.size();
            });
            // A loop that is not worth sharing has a number of its own scheduler, too.
            inner.run({.site = "z", .rows = 5, .serialNs = 1},
                      [&](Range, uint32_t worker) { EXPECT_LT(worker, inner.numThreads()); });
        });
        EXPECT_GE(sum, 40u);
        watchdog.progress();
    }
}

TEST(Threads, ManyMayUseANewSchedulerAtOnce) {
    Watchdog watchdog;
    for (int round = 0; round < 20; ++round) {
        Settings settings = onThreads(3);
        settings.statistics = true;
        settings.debug = DebugLevel::Chunks;
        size_t reports = 0; // the scheduler sees to it that one thread at a time writes
        Scheduler scheduler(settings, [&](std::string_view text) { reports += text.starts_with("topology"); });
        atOnce(8, [&](uint32_t thread) {
            EXPECT_EQ(scheduler.numThreads(), 3u);
            EXPECT_EQ(scheduler.topology().cpus.size(), 4u);
            EXPECT_EQ(rowsSeen(scheduler, 100 + thread), 100 + thread);
            scheduler.plan({.rows = 100, .serialNs = 1e6});
            scheduler.noteCall("call", 5);
            EXPECT_FALSE(scheduler.statisticsText().empty());
        });
        EXPECT_EQ(reports, 8u);
        watchdog.progress();
    }
}

TEST(Threads, EachMayHaveASchedulerOfItsOwn) {
    Watchdog watchdog;
    atOnce(6, [&](uint32_t thread) {
        for (int round = 0; round < 10; ++round) {
            Scheduler scheduler(onThreads(2 + thread % 2));
            for (uint64_t rows : {1, 10, 1000})
                EXPECT_EQ(rowsSeen(scheduler, rows), rows);
            watchdog.progress();
        }
    });
}

TEST(Policy, WithoutASinkNothingIsWritten) {
    Settings settings = onThreads(2);
    settings.debug = DebugLevel::Chunks;
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    {
        Scheduler scheduler(settings);
        rowsSeen(scheduler, 100);
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Cancelling, EndsLoopsOfASchedulerWhetherTheyAreSharedOrNot) {
    Scheduler scheduler(onThreads(2));
    std::atomic<bool> isCancelled{true};
    ActiveRun run;
    run.cancelFlag = &isCancelled;
    ActiveRun::Scope scope(&run);
    for (std::optional<double> serialNs : {std::optional<double>(), std::optional<double>(1)})
        try {
            scheduler.run({.site = "x", .rows = 100, .serialNs = serialNs}, [](Range, uint32_t) { ADD_FAILURE(); });
            ADD_FAILURE();
        } catch (const Error &e) {
            EXPECT_EQ(e.stage, Stage::Cancelled);
        }
}

// ---- fork

/// Runs f in a child process; whether it returned true in time.
bool inChild(const std::function<bool()> &f) {
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(f() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class Fork : public testing::Test {
    void SetUp() override {
#if defined(__SANITIZE_THREAD__)
        GTEST_SKIP() << "the thread sanitizer allows no threads after fork()";
#endif
    }
};

/// Runs loops until a thread of the pool has helped.
bool hasHelp(Scheduler &scheduler) {
    for (std::atomic<bool> hasHelped{false}; !hasHelped;)
        scheduler.run({.site = "x", .rows = 100, .grain = 1}, [&](Range, uint32_t worker) {
            if (worker > 0)
                hasHelped = true;
            usleep(20);
        });
    return true;
}

TEST_F(Fork, AChildHasThreadsOfItsOwn) {
    auto scheduler = std::make_unique<Scheduler>(onThreads(4));
    Pool &before = scheduler->pool();
    EXPECT_TRUE(hasHelp(*scheduler));
    EXPECT_TRUE(inChild([&] {
        bool isNew = &scheduler->pool() != &before && !before.hasThreads() && scheduler->pool().hasThreads();
        bool works = hasHelp(*scheduler) && rowsSeen(*scheduler, 1000) == 1000;
        bool grandchildWorks = inChild([&] { return hasHelp(*scheduler); });
        scheduler.reset();
        return isNew && works && grandchildWorks;
    }));
    EXPECT_TRUE(inChild([&] { // never used there
        scheduler.reset();
        Scheduler other(onThreads(4));
        return rowsSeen(other, 1000) == 1000;
    }));
    EXPECT_EQ(&scheduler->pool(), &before);
    EXPECT_TRUE(hasHelp(*scheduler));
}

TEST_F(Fork, APoolOfTheParentIsUsableAndEndsInTheChild) {
    auto pool = std::make_unique<Pool>(Topology::fake(1, 4, 1), 4);
    parallelFor(*pool, 100, {}, [](Range, uint32_t) {});
    EXPECT_TRUE(inChild([&] {
        uint64_t sum = 0; // nobody else is there
        parallelFor(*pool, 100, {}, [&](Range r, uint32_t) { sum += r.size(); });
        pool.reset();
        return sum == 100;
    }));
}

TEST_F(Fork, OthersMayRunLoopsMeanwhile) {
    Watchdog watchdog;
    Scheduler scheduler(onThreads(4));
    std::atomic<bool> isOver{false};
    std::vector<std::thread> others;
    for (int t = 0; t < 3; ++t)
        others.emplace_back([&] {
            while (!isOver)
                rowsSeen(scheduler, 500);
        });
    for (int round = 0; round < 10; ++round) {
        EXPECT_TRUE(inChild([&] { return rowsSeen(scheduler, 1000) == 1000; }));
        watchdog.progress();
    }
    isOver = true;
    for (std::thread &t : others)
        t.join();
}

} // namespace
} // namespace daphne::sched
