// SPDX-License-Identifier: Apache-2.0
/// The workers of a process: threads made once, which run one job at a time.
/// The calling thread is worker 0 and starts at once; the others join it when
/// they see the job, and whoever comes after the caller is done stays out. So a
/// job must not rely on how many take part, and a short one never waits for a
/// thread that still sleeps or has no CPU. Idle workers spin for some
/// microseconds, then sleep: loops in quick succession start in less than a
/// microsecond and idle programs cost nothing.
///
/// One loop at a time: who comes while another thread's loop runs, or calls from
/// inside a task, gets `false` from tryAcquire() and works alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sched/LoopRun.h"
#include "sched/Topology.h"

namespace daphne::sched {

class Pool {
  public:
    Pool(const Topology &topology, uint32_t numWorkers, Pinning pinning = Pinning::Off);
    ~Pool();
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    uint32_t numWorkers() const { return static_cast<uint32_t>(placement.workers.size()); }
    const Placement &workers() const { return placement; }

    using Job = void (*)(void *argument, uint32_t worker);
    /// Runs the job here and on every worker that joins before it is done here, once on each; returns when all have
    /// left it. Needs tryAcquire(). The job must not throw.
    void run(Job job, void *argument);

    /// Whether this thread may use the workers now; then release() must follow.
    bool tryAcquire();
    void release();
    /// Tasks and queues of the loop that holds the pool; keeps its memory from loop to loop.
    LoopRun &loop() { return *current; }

    /// Nanoseconds from the start of a job until every worker has been there: measured once, on first use.
    double forkJoinNs();

    /// Number of the worker this thread is, 0 outside of tasks.
    static uint32_t currentWorker();

    /// While it lives, this thread is inside a task: loops it starts run on it alone.
    class TaskScope {
      public:
        TaskScope();
        ~TaskScope();
        TaskScope(const TaskScope &) = delete;
        TaskScope &operator=(const TaskScope &) = delete;

      private:
        bool before;
    };

  private:
    void stop();
    void work(uint32_t worker);
    bool isOpenFor(uint64_t seen, uint64_t now) const;
    void waitForWork(uint64_t seen);
    void leave();
    void waitForOthers();

    Placement placement;
    std::unique_ptr<LoopRun> current;
    std::vector<std::thread> threads;
    uint32_t spins; ///< tests before sleeping
    std::mutex owner;
    std::atomic<double> measuredNs{-1};

    /// Number of the job, whether it can be joined, whether its caller sleeps, how many workers are inside. On one
    /// cache line with the job, so that joining moves nothing else between CPUs.
    alignas(64) std::atomic<uint64_t> state{0};
    Job job = nullptr;
    std::atomic<void *> argument{nullptr}; ///< atomic for those who look before they join
    std::atomic<bool> stopping{false};

    alignas(64) std::atomic<bool> mayBeAsleep{false}; ///< some worker, so a new job must wake it
    std::atomic<uint32_t> wakeups{0};                 ///< workers sleep on this
    std::atomic<uint32_t> departures{0};              ///< a caller sleeps on this
};

} // namespace daphne::sched
