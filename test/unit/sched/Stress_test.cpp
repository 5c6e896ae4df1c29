// SPDX-License-Identifier: Apache-2.0
/// Every combination of policies, many workers on few CPUs, errors, loops in loops, several callers. Units write cells
/// that are not atomic, so that the thread sanitizer sees any two workers at the same unit and any loop that returns
/// too early. DAPHNE_STRESS_SECONDS=60 makes the random part go on for so long (default: about a second).
#include "sched/FurtherSchemes.h"
#include "sched/ParallelFor.h"
#include "sched/Watchdog.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <stdexcept>

namespace daphne::sched {
namespace {

constexpr Layout kLayouts[] = {Layout::Centralized, Layout::PerGroup, Layout::PerCpu};
constexpr Victim kVictims[] = {Victim::Seq, Victim::SeqPri, Victim::Random, Victim::RandomPri};
constexpr uint32_t kPoolSizes[] = {1, 2, 3, 4, 8, 16};

struct Injected : std::runtime_error {
    using runtime_error::runtime_error;
};

/// One loop whose outcome is checked.
struct Trial {
    Pool &pool;
    LoopPlan plan;
    uint64_t units = 0;
    uint64_t failAt = ~uint64_t(0); ///< this unit throws
    bool nested = false;

    /// Number of tasks.
    uint64_t run() const {
        std::vector<uint8_t> visits(units);
        std::vector<uint64_t> tasks(pool.numWorkers() * 8);
        auto body = [&](Range r, uint32_t worker) {
            ++tasks[worker * 8];
            for (uint64_t i = r.begin; i < r.end; ++i) {
                if (i == failAt)
                    throw Injected("unit " + std::to_string(i));
                ++visits[i];
            }
            if (r.begin % std::max<uint64_t>(16, units / 16) == 0) // lets the others have their turn where CPUs are few
                std::this_thread::yield();
            if (nested)
                runInside();
        };
        bool failed = false;
        try {
            parallelFor(pool, units, plan, body);
        } catch (const Injected &e) {
            failed = true;
            EXPECT_EQ(e.what(), "unit " + std::to_string(failAt));
        }
        EXPECT_EQ(failed, failAt < units);
        uint64_t most = units ? *std::max_element(visits.begin(), visits.end()) : 0;
        EXPECT_LE(most, 1u) << describe();
        if (!failed) {
            EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), uint64_t(0)), units) << describe();
        }
        return std::accumulate(tasks.begin(), tasks.end(), uint64_t(0));
    }

  private:
    void runInside() const {
        std::atomic<uint64_t> inner{0};
        parallelFor(pool, 7, plan, [&](Range r, uint32_t) { inner += r.size(); });
        EXPECT_EQ(inner, 7u);
    }
    std::string describe() const {
        return std::string(plan.scheme->name) + " layout " + std::to_string(int(plan.layout)) + " victim " +
               std::to_string(int(plan.victim)) + " pre-partition " + std::to_string(plan.prePartition) + " units " +
               std::to_string(units) + " workers " + std::to_string(pool.numWorkers());
    }
};

std::vector<const Scheme *> allSchemes() {
    std::vector<const Scheme *> all;
    for (std::span<const Scheme> table : {schemes(), furtherSchemes()})
        for (const Scheme &scheme : table)
            all.push_back(&scheme);
    return all;
}

template <class F> void forAllPlans(F f) {
    for (const Scheme *scheme : allSchemes())
        for (Layout layout : kLayouts)
            for (Victim victim : kVictims)
                for (bool prePartition : {false, true})
                    f(LoopPlan{.scheme = scheme, .layout = layout, .victim = victim, .prePartition = prePartition});
}

double stressSeconds() {
    const char *text = std::getenv("DAPHNE_STRESS_SECONDS");
    return text ? std::atof(text) : 1;
}

TEST(Stress, AllPoliciesWithAndWithoutErrorsAndLoopsInside) {
    Watchdog watchdog;
    uint64_t tasks = 0;
    for (uint32_t workers : kPoolSizes) {
        Pool pool(Topology::fake(2, 4, 1), workers);
        std::mt19937_64 random(workers);
        forAllPlans([&](const LoopPlan &plan) {
            uint64_t units = 1 + random() % 1500;
            tasks += Trial{pool, plan, units}.run();
            tasks += Trial{pool, plan, units, random() % units}.run();
            tasks += Trial{.pool = pool, .plan = plan, .units = 1 + units % 50, .nested = true}.run();
            watchdog.progress();
        });
    }
    RecordProperty("tasks", std::to_string(tasks));
}

TEST(Stress, AMillionTasksInEveryLayout) {
    Watchdog watchdog;
    for (uint32_t workers : {2u, 16u}) {
        Pool pool(Topology::fake(2, 8, 1), workers);
        for (Layout layout : kLayouts) {
            EXPECT_EQ((Trial{pool, {.scheme = findScheme("SS"), .layout = layout}, 1 << 20}.run()), 1u << 20);
            watchdog.progress();
        }
    }
}

/// Loops at random moments: workers are found spinning, falling asleep and asleep.
TEST(Stress, RandomLoopsAtRandomTimes) {
    Watchdog watchdog;
    std::mt19937_64 random(7);
    const std::vector<const Scheme *> all = allSchemes();
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(stressSeconds());
    uint64_t tasks = 0, loops = 0;
    while (std::chrono::steady_clock::now() < end) {
        Pool pool(Topology::fake(2, 4, 1), 1 + static_cast<uint32_t>(random() % 16));
        for (int i = 0; i < 200; ++i) {
            LoopPlan plan{.scheme = all[random() % all.size()],
                          .grain = 1 + random() % 3,
                          .layout = kLayouts[random() % 3],
                          .victim = kVictims[random() % 4],
                          .prePartition = random() % 2 == 0,
                          .seed = random()};
            uint64_t units = random() % (random() % 8 == 0 ? 20000 : 64);
            uint64_t failAt = random() % 4 == 0 ? random() % (2 * units + 1) : ~uint64_t(0);
            tasks += Trial{pool, plan, units, failAt, random() % 16 == 0}.run();
            ++loops;
            if (random() % 4 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        }
        watchdog.progress();
    }
    std::printf("%llu tasks in %llu loops\n", static_cast<unsigned long long>(tasks),
                static_cast<unsigned long long>(loops));
}

TEST(Stress, SeveralCallersShareOnePool) {
    Watchdog watchdog;
    const std::vector<const Scheme *> all = allSchemes();
    for (uint32_t workers : {2u, 5u, 16u}) {
        Pool pool(Topology::fake(2, 4, 1), workers);
        std::vector<std::thread> callers;
        for (uint64_t c = 0; c < 4; ++c)
            callers.emplace_back([&, c] {
                std::mt19937_64 random(c);
                for (int i = 0; i < 300; ++i) {
                    LoopPlan plan{.scheme = all[random() % all.size()],
                                  .layout = kLayouts[random() % 3],
                                  .victim = kVictims[random() % 4]};
                    uint64_t units = random() % 500;
                    Trial{pool, plan, units, random() % 3 ? ~uint64_t(0) : units / 2, random() % 8 == 0}.run();
                    isWorthSharing(pool, 1e6);
                }
                watchdog.progress();
            });
        for (std::thread &t : callers)
            t.join();
    }
}

TEST(Stress, PoolsMayEndAtOnce) {
    Watchdog watchdog;
    for (int i = 0; i < 200; ++i) {
        Pool pool(Topology::fake(1, 4, 1), 1 + static_cast<uint32_t>(i % 6));
        if (i % 3)
            Trial{pool, {.scheme = findScheme("SS")}, 10}.run();
        watchdog.progress();
    }
}

} // namespace
} // namespace daphne::sched
