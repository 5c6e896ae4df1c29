// SPDX-License-Identifier: Apache-2.0
/// Nanoseconds per empty task and per empty parallel region, beside OpenMP and oneTBB. All subjects take turns in one
/// process, so that whatever else the machine does meets all of them alike. Before each turn the threads of the one
/// before get time to fall asleep (OpenMP's spin for some milliseconds), and its own are woken.
/// Usage: sched_bench [threads...] (default: 1 2)
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "sched/ParallelFor.h"

namespace {

using namespace daphne::sched;

constexpr uint64_t kTasks = 1 << 18;
constexpr int kTurns = 9, kRunsPerTurn = 7, kRegions = 100;
constexpr auto kPause = std::chrono::milliseconds(12);
constexpr auto kLongest = std::chrono::seconds(10); ///< of a comparison: threads that spin on a busy machine take ages

/// What no compiler may leave out.
void touch(uint64_t i) { asm volatile("" : : "r"(i) : "memory"); }

/// Waits until so many have come, so that no thread can do the work of another.
class Meeting {
  public:
    void attend(uint32_t expected) {
        uint32_t round = come.fetch_add(1) / expected;
        while (come.load() / expected == round)
            __builtin_ia32_pause();
    }

  private:
    alignas(64) std::atomic<uint32_t> come{0};
};

struct Subject {
    std::string name;
    std::function<void()> run;
    double per; ///< tasks or regions in one run
    std::vector<double> times = {};
    double median() const { return times[times.size() / 2]; }
    double best() const { return times[0]; }
};

/// Runs them in turn. The first is ours; its figures are divided by the best of those of the others.
void compare(const std::string &title, std::vector<Subject> subjects, size_t numOurs = 1) {
    using Clock = std::chrono::steady_clock;
    auto end = Clock::now() + kLongest;
    for (int turn = 0; turn < kTurns && (turn == 0 || Clock::now() < end); ++turn)
        for (Subject &s : subjects) {
            std::this_thread::sleep_for(kPause);
            s.run();
            for (int run = 0; run < kRunsPerTurn; ++run) {
                auto start = Clock::now();
                s.run();
                s.times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / s.per);
            }
        }
    std::printf("  %s\n", title.c_str());
    double otherMedian = 1e300, otherBest = 1e300;
    for (size_t i = 0; i < subjects.size(); ++i) {
        std::sort(subjects[i].times.begin(), subjects[i].times.end());
        if (i >= numOurs) {
            otherMedian = std::min(otherMedian, subjects[i].median());
            otherBest = std::min(otherBest, subjects[i].best());
        }
    }
    for (size_t i = 0; i < subjects.size(); ++i) {
        const Subject &s = subjects[i];
        std::printf("    %-44s median %9.2f ns   best %9.2f ns", s.name.c_str(), s.median(), s.best());
        if (i < numOurs)
            std::printf("   ratio %.2f / %.2f", s.median() / otherMedian, s.best() / otherBest);
        std::printf("\n");
    }
}

void compareTasks(Pool &pool) {
    auto ours = [&](const char *scheme, Layout layout) {
        return [&pool, plan = LoopPlan{.scheme = findScheme(scheme), .layout = layout}] {
            parallelFor(pool, kTasks, plan, [](Range r, uint32_t) {
                for (uint64_t i = r.begin; i < r.end; ++i)
                    touch(i);
            });
        };
    };
    auto dynamic = [] {
#pragma omp parallel for schedule(dynamic, 1)
        for (uint64_t i = 0; i < kTasks; ++i)
            touch(i);
    };
    auto guided = [] {
#pragma omp parallel for schedule(guided)
        for (uint64_t i = 0; i < kTasks; ++i)
            touch(i);
    };
    auto simple = [] {
        auto body = [](const tbb::blocked_range<uint64_t> &r) {
            for (uint64_t i = r.begin(); i < r.end(); ++i)
                touch(i);
        };
        tbb::parallel_for(tbb::blocked_range<uint64_t>(0, kTasks, 1), body, tbb::simple_partitioner());
    };
    compare("one empty task of one unit",
            {{"ours, SS, central queue", ours("SS", Layout::Centralized), kTasks},
             {"ours, SS, queue per worker", ours("SS", Layout::PerCpu), kTasks},
             {"OpenMP, schedule(dynamic, 1)", dynamic, kTasks},
             {"oneTBB, simple_partitioner, grain 1", simple, kTasks}},
            2);
    compare("one unit of a guided loop, cut by the same formula",
            {{"ours, GSS", ours("GSS", Layout::Centralized), kTasks}, {"OpenMP, schedule(guided)", guided, kTasks}});
}

void compareRegions(Pool &pool) {
    uint32_t threads = pool.numWorkers();
    auto regions = [&](auto region) {
        return [region] {
            for (int i = 0; i < kRegions; ++i)
                region();
        };
    };
    compare("one parallel region, a task per worker (ours: whoever is there first takes it)",
            {{"ours, STATIC",
              regions([&pool, threads] { parallelFor(pool, threads, {}, [](Range r, uint32_t) { touch(r.begin); }); }),
              kRegions},
             {"OpenMP, parallel", regions([] {
#pragma omp parallel
                  touch(0);
              }),
              kRegions}});
    Meeting meeting;
    compare("one parallel region in which all workers meet",
            {{"ours, STATIC", regions([&pool, &meeting, threads] {
                  parallelFor(pool, threads, {}, [&](Range, uint32_t) { meeting.attend(threads); });
              }),
              kRegions},
             {"OpenMP, parallel", regions([&meeting, threads] {
#pragma omp parallel
                  meeting.attend(threads);
              }),
              kRegions}});
}

} // namespace

int main(int argc, char **argv) {
    std::vector<int> counts;
    for (int i = 1; i < argc; ++i)
        counts.push_back(std::max(1, std::atoi(argv[i])));
    if (counts.empty())
        counts = {1, 2};
    omp_set_dynamic(0);
    for (int threads : counts) {
        Pool pool(Topology::detect(), static_cast<uint32_t>(threads));
        omp_set_num_threads(threads);
        tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
        std::printf("%d thread%s (ratio of medians / of best runs to the best of the others)\n", threads,
                    threads == 1 ? "" : "s");
        compareTasks(pool);
        compareRegions(pool);
    }
}
