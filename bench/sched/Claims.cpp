// SPDX-License-Identifier: Apache-2.0
/// Nanoseconds per empty task and per empty parallel region, beside OpenMP and
/// oneTBB, interleaved in one process; medians. Usage: sched_bench [threads]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include <omp.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include "sched/ParallelFor.h"

namespace {

using namespace daphne::sched;

constexpr uint64_t kTasks = 1 << 20;
constexpr int kRounds = 15, kRegions = 2000;

/// What no compiler may leave out.
void touch(uint64_t i) { asm volatile("" : : "r"(i) : "memory"); }

double nanoseconds(const std::function<void()> &f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

struct Subject {
    const char *name;
    std::function<void()> run;
    double per; ///< tasks or regions in one run
    std::vector<double> times = {};
};

void compare(const char *title, std::vector<Subject> subjects) {
    std::printf("%s\n", title);
    for (int round = 0; round < kRounds; ++round)
        for (Subject &s : subjects)
            s.times.push_back(nanoseconds(s.run) / s.per);
    for (Subject &s : subjects) {
        std::sort(s.times.begin(), s.times.end());
        std::printf("  %-40s %10.1f ns (best %.1f)\n", s.name, s.times[kRounds / 2], s.times[0]);
    }
}

} // namespace

int main(int argc, char **argv) {
    int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    Pool pool(Topology::detect(), static_cast<uint32_t>(threads));
    omp_set_num_threads(threads);
    omp_set_dynamic(0);
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
    auto ours = [&](const char *scheme, Layout layout) {
        return [&pool, plan = LoopPlan{.scheme = findScheme(scheme), .layout = layout}] {
            parallelFor(pool, kTasks, plan, [](Range r, uint32_t) { touch(r.begin); });
        };
    };
    std::printf("%d threads\n", threads);
    compare("one empty task (SS and the like)", {{"ours SS, central queue", ours("SS", Layout::Centralized), kTasks},
                                                 {"ours SS, queue per worker", ours("SS", Layout::PerCpu), kTasks},
                                                 {"OpenMP schedule(dynamic, 1)",
                                                  [] {
#pragma omp parallel for schedule(dynamic, 1)
                                                      for (uint64_t i = 0; i < kTasks; ++i)
                                                          touch(i);
                                                  },
                                                  kTasks},
                                                 {"oneTBB simple_partitioner, grain 1",
                                                  [] {
                                                      tbb::parallel_for(
                                                          tbb::blocked_range<uint64_t>(0, kTasks, 1),
                                                          [](const tbb::blocked_range<uint64_t> &r) {
                                                              for (uint64_t i = r.begin(); i < r.end(); ++i)
                                                                  touch(i);
                                                          },
                                                          tbb::simple_partitioner());
                                                  },
                                                  kTasks}});
    compare("one unit of a guided loop", {{"ours GSS", ours("GSS", Layout::Centralized), kTasks},
                                          {"OpenMP schedule(guided)",
                                           [] {
#pragma omp parallel for schedule(guided)
                                               for (uint64_t i = 0; i < kTasks; ++i)
                                                   touch(i);
                                           },
                                           kTasks}});
    auto regions = [&](auto region) {
        return [region] {
            for (int i = 0; i < kRegions; ++i)
                region();
        };
    };
    compare("one parallel region (STATIC)",
            {{"ours",
              regions([&pool] { parallelFor(pool, pool.numWorkers(), {}, [](Range r, uint32_t) { touch(r.begin); }); }),
              kRegions},
             {"OpenMP", regions([] {
#pragma omp parallel
                  touch(0);
              }),
              kRegions}});
}
