// SPDX-License-Identifier: Apache-2.0
/// Loops of several callers and loops inside of tasks, on one pool.
#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/ActiveRun.h"
#include "base/Error.h"
#include "sched/FurtherSchemes.h"
#include "sched/ParallelFor.h"
#include "sched/Watchdog.h"

namespace daphne::sched {
namespace {

constexpr Layout kLayouts[] = {Layout::Centralized, Layout::PerGroup, Layout::PerCpu};

std::vector<const Scheme *> allSchemes() {
    std::vector<const Scheme *> all;
    for (std::span<const Scheme> table : {schemes(), furtherSchemes()})
        for (const Scheme &scheme : table)
            all.push_back(&scheme);
    return all;
}

LoopPlan randomPlan(std::mt19937_64 &random) {
    static const std::vector<const Scheme *> all = allSchemes();
    return {.scheme = all[random() % all.size()],
            .layout = kLayouts[random() % 3],
            .victim = static_cast<Victim>(random() % 4),
            .prePartition = random() % 2 == 0,
            .seed = random(),
            .joinsTasks = random() % 2 == 0};
}

const LoopPlan kOneByOne{.scheme = findScheme("SS")};

template <class Condition> void waitUntil(Condition condition) {
    while (!condition())
        std::this_thread::sleep_for(std::chrono::microseconds(100));
}

/// Runs f(i) on so many threads of the host at once.
void onThreads(uint32_t n, const std::function<void(uint32_t)> &f) {
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < n; ++t)
        threads.emplace_back([&f, t] { f(t); });
    for (std::thread &t : threads)
        t.join();
}

/// A loop that checks that no two threads have the same number in it at the same time.
class Checked {
  public:
    explicit Checked(Pool &pool, uint64_t units) : pool(pool), visits(units), isBusy(pool.numWorkers()) {}

    template <class Task> void run(const LoopPlan &plan, Task &&task) {
        parallelFor(pool, visits.size(), plan, [&](Range r, uint32_t worker) {
            ASSERT_LT(worker, pool.numWorkers());
            EXPECT_EQ(worker, pool.currentWorker());
            EXPECT_FALSE(isBusy[worker].exchange(true)) << "two threads are worker " << worker;
            for (uint64_t i = r.begin; i < r.end; ++i) {
                ++visits[i]; // not atomic: the thread sanitizer sees two at the same unit
                task(i);
            }
            isBusy[worker] = false;
        });
        for (uint8_t count : visits)
            EXPECT_EQ(count, 1u);
    }

  private:
    Pool &pool;
    std::vector<uint8_t> visits;
    std::vector<std::atomic<bool>> isBusy;
};

TEST(Board, EightCallersRunRandomLoopsAtOnce) {
    Watchdog watchdog;
    for (uint32_t workers : {2u, 4u, 16u}) {
        Pool pool(Topology::fake(2, 4, 1), workers);
        onThreads(8, [&](uint32_t caller) {
            std::mt19937_64 random(caller);
            for (int i = 0; i < 60; ++i) {
                Checked loop(pool, random() % 300);
                loop.run(randomPlan(random), [](uint64_t) {});
                EXPECT_EQ(pool.currentWorker(), 0u);
                watchdog.progress();
            }
        });
    }
}

/// A loop of random width; a third of its units have a loop inside.
void nest(Pool &pool, uint64_t seed, uint32_t depth, Watchdog &watchdog) {
    std::mt19937_64 random(seed);
    LoopPlan plan = randomPlan(random);
    Checked loop(pool, random() % 9);
    loop.run(plan, [&](uint64_t unit) {
        std::mt19937_64 own(seed * 31 + unit);
        if (depth > 1 && own() % 3 == 0)
            nest(pool, own(), depth - 1, watchdog);
        if (own() % 8 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(own() % 50));
        watchdog.progress();
    });
}

TEST(Board, NestsOfEveryDepthEnd) {
    Watchdog watchdog;
    for (uint32_t workers : {2u, 3u, 8u}) {
        Pool pool(Topology::fake(2, 4, 1), workers);
        for (uint32_t depth = 1; depth <= 4; ++depth)
            for (uint64_t seed = 0; seed < 40; ++seed)
                nest(pool, seed * 1000 + depth, depth, watchdog);
    }
}

TEST(Board, NestsOfSeveralCallersEnd) {
    Watchdog watchdog;
    Pool pool(Topology::fake(2, 4, 1), 6);
    onThreads(4, [&](uint32_t caller) {
        for (uint64_t seed = 0; seed < 25; ++seed)
            nest(pool, seed * 77 + caller, 4, watchdog);
    });
}

TEST(Board, ALoopInsideATaskIsSharedOnceSomebodyIsIdle) {
    Watchdog watchdog;
    for (const char *scheme : {"SS", "AWF_B"})
        for (Layout layout : kLayouts) {
            Pool pool(Topology::fake(1, 4, 1), 4);
            // One task only has much to do: all others come to its loop, also the caller of the outer one.
            std::atomic<uint32_t> come{0};
            std::vector<std::atomic<bool>> wasThere(4);
            parallelFor(pool, 2, kOneByOne, [&](Range outer, uint32_t) {
                while (outer.begin == 1 && come < 4)
                    parallelFor(pool, 1000, {.scheme = findScheme(scheme), .layout = layout},
                                [&](Range, uint32_t worker) {
                                    if (!wasThere[worker].exchange(true))
                                        ++come;
                                    std::this_thread::sleep_for(std::chrono::microseconds(20));
                                });
            });
            watchdog.progress();
        }
}

TEST(Board, WhoWaitsHelpsWithLoopsInsideOfItsOwn) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 2, 1), 2);
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> isTaken{false}, hasHelped{false};
    parallelFor(pool, 2, kOneByOne, [&](Range, uint32_t worker) {
        if (worker == 0) { // waits until the other has the second task, has nothing to do then
            waitUntil([&] { return isTaken.load(); });
            return;
        }
        isTaken = true;
        while (!hasHelped)
            parallelFor(pool, 64, kOneByOne, [&](Range, uint32_t inner) {
                if (std::this_thread::get_id() == caller) {
                    EXPECT_EQ(inner, 0u);
                    hasHelped = true;
                }
                std::this_thread::yield();
            });
    });
    EXPECT_TRUE(hasHelped);
}

TEST(Board, MoreLoopsThanSlotsWork) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 4, 1), 4);
    constexpr uint32_t kCallers = Board::kRoots + 8;
    std::atomic<uint32_t> started{0};
    std::atomic<uint64_t> sum{0};
    onThreads(kCallers, [&](uint32_t) {
        std::atomic<bool> isFirst{true};
        parallelFor(pool, 10, kOneByOne, [&](Range r, uint32_t) {
            if (isFirst.exchange(false)) {
                ++started;
                waitUntil([&] { return started == kCallers; });
            }
            sum += r.size();
        });
    });
    EXPECT_EQ(sum, 10u * kCallers);
}

TEST(Board, ATaskMayUseAnotherPool) {
    Watchdog watchdog;
    Pool large(Topology::fake(1, 8, 1), 8), small(Topology::fake(1, 2, 1), 2);
    std::atomic<uint64_t> sum{0};
    parallelFor(large, 40, kOneByOne, [&](Range, uint32_t worker) {
        EXPECT_EQ(small.currentWorker(), 0u);
        Checked other(small, 10);
        other.run(kOneByOne, [&](uint64_t) {
            Checked back(large, 3);
            back.run(kOneByOne, [&](uint64_t) { ++sum; });
        });
        EXPECT_EQ(large.currentWorker(), worker);
    });
    EXPECT_EQ(sum, 40u * 10 * 3);
}

// ---- errors

TEST(BoardErrors, TheLowestOneWinsAtEveryDepth) {
    Watchdog watchdog;
    Pool pool(Topology::fake(2, 4, 1), 4);
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        LoopPlan outer = randomPlan(random), inner = randomPlan(random);
        outer.joinsTasks = inner.joinsTasks = false;
        std::string message;
        try {
            parallelFor(pool, 40, outer, [&](Range r, uint32_t) {
                for (uint64_t i = r.begin; i < r.end; ++i)
                    parallelFor(pool, 20, inner, [&](Range s, uint32_t) {
                        for (uint64_t j = s.begin; j < s.end; ++j)
                            if (i >= 17 && j % 7 == 5)
                                throw std::runtime_error(std::to_string(i) + "," + std::to_string(j));
                    });
            });
        } catch (const std::runtime_error &e) {
            message = e.what();
        }
        EXPECT_EQ(message, "17,5") << outer.scheme->name << " " << inner.scheme->name;
        Checked(pool, 50).run(outer, [](uint64_t) {});
        watchdog.progress();
    }
}

// ---- runs

TEST(Runs, AThreadThatHelpsWorksForTheRunOfTheLoop) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 4, 1), 4);
    ActiveRun run;
    {
        ActiveRun::Scope scope(&run);
        std::atomic<bool> hasHelped{false};
        while (!hasHelped)
            parallelFor(pool, 100, kOneByOne, [&](Range, uint32_t worker) {
                EXPECT_EQ(ActiveRun::current(), &run);
                EXPECT_LE(run.helpers, 3u);
                if (worker > 0) {
                    EXPECT_GE(run.helpers, 1u);
                    hasHelped = true;
                    parallelFor(pool, 3, kOneByOne, [&](Range, uint32_t) { EXPECT_EQ(ActiveRun::current(), &run); });
                }
                std::this_thread::yield();
            });
    }
    EXPECT_EQ(run.helpers, 0u);
    parallelFor(pool, 100, kOneByOne, [&](Range, uint32_t) { EXPECT_EQ(ActiveRun::current(), nullptr); });
}

/// A caller with a run of its own whose loop goes on until it is told to stop.
class Endless {
  public:
    Endless(Pool &pool, LoopPlan plan = kOneByOne)
        : thread([this, &pool, plan] {
              ActiveRun::Scope scope(&run);
              while (!isOver)
                  parallelFor(pool, 1 << 16, plan, [this](Range, uint32_t) {
                      ++tasks;
                      if (!isOver)
                          std::this_thread::sleep_for(std::chrono::microseconds(50));
                  });
          }) {}
    ~Endless() {
        isOver = true;
        thread.join();
    }
    ActiveRun run;
    std::atomic<uint64_t> tasks{0};

  private:
    std::atomic<bool> isOver{false};
    std::thread thread;
};

TEST(Runs, HelpersAreSharedEvenly) {
    Watchdog watchdog;
    for (Layout layout : {Layout::Centralized, Layout::PerCpu}) {
        Pool pool(Topology::fake(1, 8, 1), 9);
        LoopPlan plan{.scheme = findScheme("SS"), .layout = layout};
        Endless first(pool, plan);
        waitUntil([&] { return first.run.helpers == 8; });
        Endless second(pool, plan);
        waitUntil([&] { return first.run.helpers <= 4 && second.run.helpers >= 3; });
        Endless third(pool, plan);
        waitUntil([&] {
            return first.run.helpers == 2 && second.run.helpers == 2 && third.run.helpers == 2; // and three callers
        });
        watchdog.progress();
    }
}

TEST(Runs, HelpersComeBackWhenTheOtherRunEnds) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 8, 1), 5);
    Endless first(pool);
    {
        Endless second(pool);
        waitUntil([&] { return second.run.helpers > 0; });
    }
    waitUntil([&] { return first.run.helpers == 4; });
}

TEST(Runs, AsManyCallersAsWorkersNeedNoHelp) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 2, 1), 2);
    Endless first(pool), second(pool);
    waitUntil([&] { return first.tasks > 0 && second.tasks > 0; });
    waitUntil([&] { return first.run.helpers + second.run.helpers == 0; });
}

// ---- cancelling

TEST(Cancelling, EndsLoopsAtEveryDepthAndThrows) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 4, 1), 4);
    std::mt19937_64 random(3);
    for (int round = 0; round < 60; ++round) {
        std::atomic<bool> isCancelled{false};
        ActiveRun run;
        run.cancelFlag = &isCancelled;
        ActiveRun::Scope scope(&run);
        LoopPlan plan = randomPlan(random);
        plan.joinsTasks = false;
        std::atomic<uint64_t> tasks{0};
        auto cancelSoon = [&](Range, uint32_t) {
            if (++tasks == 30)
                isCancelled = true;
        };
        bool isNested = round % 2;
        try {
            parallelFor(pool, 1000, kOneByOne, [&](Range r, uint32_t w) {
                if (isNested)
                    parallelFor(pool, 1000, plan, cancelSoon);
                else
                    cancelSoon(r, w);
            });
            ADD_FAILURE() << "not cancelled";
        } catch (const Error &e) {
            EXPECT_EQ(e.stage, Stage::Cancelled);
        }
        EXPECT_LE(tasks, 30u + 16) << "a task that had begun may end, no other begins";
        EXPECT_THROW(parallelFor(pool, 5, plan, [](Range, uint32_t) { ADD_FAILURE(); }), Error);
        EXPECT_THROW(parallelFor(pool, 1, plan, [](Range, uint32_t) { ADD_FAILURE(); }), Error);
        watchdog.progress();
    }
    Checked(pool, 100).run(kOneByOne, [](uint64_t) {});
}

TEST(Cancelling, ConcernsOneRunOnly) {
    Watchdog watchdog;
    Pool pool(Topology::fake(1, 4, 1), 4);
    std::atomic<bool> isCancelled{false};
    Endless other(pool);
    ActiveRun run;
    run.cancelFlag = &isCancelled;
    ActiveRun::Scope scope(&run);
    EXPECT_THROW(parallelFor(pool, 1 << 20, kOneByOne, [&](Range, uint32_t) { isCancelled = true; }), Error);
    uint64_t before = other.tasks;
    waitUntil([&] { return other.tasks > before + 100; });
}

#ifndef NDEBUG
TEST(NoLoopsHereDeathTest, ATaskThatUsesMemoryOfItsThreadStartsNoLoop) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            Pool pool(Topology::fake(1, 2, 1), 2);
            NoLoopsHere scratch;
            parallelFor(pool, 10, kOneByOne, [](Range, uint32_t) {});
        },
        "start no loop");
}
#endif

} // namespace
} // namespace daphne::sched
