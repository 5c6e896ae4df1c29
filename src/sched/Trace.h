// SPDX-License-Identifier: Apache-2.0
/// An observer that keeps every task: who ran what, when, and from which queue.
/// Each worker writes to its own list.
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
    explicit Trace(uint32_t numWorkers) : perWorker(numWorkers), start(Clock::now()) {}

    using Token = int64_t;
    Token begin(uint32_t, const Claim &) { return now(); }
    void end(Token begin, uint32_t worker, const Claim &claim) {
        perWorker[worker].events.push_back({claim.range, worker, claim.queue, claim.stolen, begin, now()});
    }

    /// All tasks, worker by worker.
    std::vector<TaskEvent> events() const;
    RunStats stats() const;

  private:
    using Clock = std::chrono::steady_clock;
    int64_t now() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count(); }
    struct alignas(64) Worker {
        std::vector<TaskEvent> events;
    };
    std::vector<Worker> perWorker;
    Clock::time_point start;
};

} // namespace daphne::sched
