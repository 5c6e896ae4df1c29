// SPDX-License-Identifier: Apache-2.0
/// The shared state of one parallel loop: its tasks, the queues they wait in,
/// its first error.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "sched/TaskTable.h"
#include "sched/Topology.h"

namespace daphne::sched {

/// A task and where it came from.
struct Claim {
    Range range;
    uint32_t queue = 0;
    bool stolen = false;
};

/// What one worker remembers while it looks for tasks.
struct Thief {
    uint32_t worker = 0, home = 0, group = 0;
    uint32_t victim = 0;  ///< SEQ: where it looks next
    uint64_t random = 0;  ///< state of its generator
    bool ownGroup = true; ///< PRI: its own group may still have tasks
};

class LoopRun {
  public:
    /// Cuts units [0, total) into tasks and fills the queues.
    void prepare(uint64_t total, const LoopPlan &plan, const Placement &placement);
    /// Queues of the next part; false if there is none. The first part is there after prepare().
    bool nextPart();

    Thief thief(uint32_t worker) const;
    /// The next task of this worker; false if no queue has any.
    bool claim(Thief &thief, Claim &out);

    void fail(std::exception_ptr error);
    bool failed() const { return hasFailed.load(std::memory_order_relaxed); }
    /// Throws the first error, if there was one.
    void rethrow();

    uint32_t numQueues() const { return queueCount; }
    uint64_t numTasks() const;

  private:
    struct alignas(64) Queue {
        TaskInterval tasks;
        uint32_t group = 0;
    };

    Range taskOf(uint32_t queue, uint32_t k) const {
        if (prePartitioned)
            return sequences[queue].task(k + part * kMostTasks);
        return sequences[0].task((uint64_t(k) + part * kMostTasks) * queueCount + queue);
    }
    bool popHome(Thief &thief, Claim &out);
    bool steal(Thief &thief, Claim &out);
    bool stealFrom(uint32_t queue, Claim &out);
    bool stealSequential(Thief &thief, Claim &out, bool ownGroupOnly);
    bool stealRandom(Thief &thief, Claim &out, bool ownGroupOnly);
    uint64_t tasksOfQueue(uint32_t queue) const;
    bool fill();

    alignas(64) std::atomic<uint64_t> nextTask{0}; ///< of the central queue
    alignas(64) std::atomic<bool> hasFailed{false};
    std::mutex errorMutex;
    std::exception_ptr error;
    Layout layout = Layout::Centralized;
    Victim victim = Victim::Seq;
    bool prePartitioned = false;
    uint64_t seed = 1, part = 0;
    uint32_t queueCount = 1;
    const Placement *placement = nullptr;
    std::vector<TaskSequence> sequences; ///< one, or one per queue
    std::unique_ptr<Queue[]> queues;
    uint32_t queueCapacity = 0;
};

} // namespace daphne::sched
