// SPDX-License-Identifier: Apache-2.0
/// An observer that keeps every task: who ran what, when, and from which queue;
/// or only the sums of each worker, for loops of any length. Each worker writes to
/// its own part.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "sched/LoopRun.h"

namespace daphne::sched {

struct TaskEvent {
    Range range;
    uint32_t worker = 0, queue = 0;
    bool stolen = false;
    int64_t beginNs = 0, endNs = 0; ///< since the trace was made
};

/// What one worker did in a loop.
struct WorkerStats {
    uint64_t numTasks = 0, numUnits = 0, numSteals = 0;
    int64_t busyNs = 0, firstNs = 0, lastNs = 0; ///< begin of its first task, end of its last
};

/// Figures of one loop.
struct RunStats {
    uint64_t numTasks = 0, numUnits = 0, numSteals = 0;
    double makespanNs = 0;
    std::vector<double> busyNs;  ///< per worker
    double imbalancePercent = 0; ///< (makespan - mean finishing time) / makespan * P / (P - 1)
    double overheadPercent = 0;  ///< share of the workers' time until they finished that was not spent on tasks
};

class Trace {
  public:
    enum class Keep : bool { Sums, Tasks };
    explicit Trace(uint32_t numWorkers, Keep keep = Keep::Tasks)
        : perWorker(numWorkers), keep(keep), start(Clock::now()) {}

    using Token = int64_t;
    Token begin(uint32_t, const Claim &) { return now(); }
    void end(Token begin, uint32_t worker, const Claim &claim) {
        int64_t end = now();
        Worker &own = perWorker[worker];
        if (own.sums.numTasks++ == 0)
            own.sums.firstNs = begin;
        own.sums.numUnits += claim.range.size();
        own.sums.numSteals += claim.stolen;
        own.sums.busyNs += end - begin;
        own.sums.lastNs = end;
        if (keep == Keep::Tasks)
            own.events.push_back({claim.range, worker, claim.queue, claim.stolen, begin, end});
    }

    /// All tasks, worker by worker.
    std::vector<TaskEvent> events() const;
    const WorkerStats &worker(uint32_t w) const { return perWorker[w].sums; }
    RunStats stats() const;

  private:
    using Clock = std::chrono::steady_clock;
    int64_t now() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count(); }
    struct alignas(64) Worker {
        WorkerStats sums;
        std::vector<TaskEvent> events;
    };
    std::vector<Worker> perWorker;
    Keep keep;
    Clock::time_point start;
};

} // namespace daphne::sched
