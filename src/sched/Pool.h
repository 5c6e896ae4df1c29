// SPDX-License-Identifier: Apache-2.0
/// The workers of a process: threads made once, which run one job at a time on
/// all of them. The calling thread is worker 0. Idle workers spin for some
/// microseconds, then sleep, so that loops in quick succession start in less
/// than a microsecond and idle programs cost nothing.
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
    /// Runs the job once on every worker and returns when all are done. Needs tryAcquire(). The job must not throw.
    void runOnAll(Job job, void *argument);

    /// Whether this thread may use the workers now; then release() must follow.
    bool tryAcquire();
    void release();
    /// Tasks and queues of the loop that holds the pool; keeps its memory from loop to loop.
    LoopRun &loop() { return *current; }

    /// Nanoseconds from the start of an empty job to its end on all workers: measured once, on first use.
    double forkJoinNs();

    /// Number of the worker this thread is, 0 outside of tasks.
    static uint32_t currentWorker();

  private:
    void stop();
    void work(uint32_t worker);
    void waitForWork(uint32_t seen);
    void waitForWorkers();

    Placement placement;
    std::unique_ptr<LoopRun> current;
    std::vector<std::thread> threads;
    uint32_t spins; ///< tests before sleeping
    std::mutex owner;
    double measuredNs = -1;

    alignas(64) std::atomic<uint32_t> generation{0}; ///< one more for every job
    Job job = nullptr;
    void *argument = nullptr;
    bool stopping = false;
    alignas(64) std::atomic<uint32_t> pending{0}; ///< workers still at the job
};

} // namespace daphne::sched
