// SPDX-License-Identifier: Apache-2.0
/// The shared state of one parallel loop: its tasks, the queues they wait in, its
/// error. Of several errors the one of the lowest units counts, as if one thread had
/// run all tasks in order: tasks before a failed one are still run, those behind it
/// are dropped.
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
    uint32_t victim = 0;   ///< SEQ: where it looks next
    uint64_t random = 0;   ///< state of its generator
    bool ownGroup = true;  ///< PRI: its own group may still have tasks
    uint64_t batch = 0;    ///< central queue: how many it took last
    uint64_t nextTask = 0; ///< central queue: what came after those
};

class LoopRun {
  public:
    /// Cuts units [0, total) into tasks and fills the queues.
    void prepare(uint64_t total, const LoopPlan &plan, const Placement &placement);
    /// Queues of the next part; false if there is none. The first part is there after prepare().
    bool nextPart();

    Thief thief(uint32_t worker) const;
    /// The next task of this worker; false if no queue has any.
    bool claim(Thief &thief, Claim &out) {
        if (layout != Layout::Centralized)
            return popHome(thief, out) || steal(thief, out);
        uint64_t task, count = 1;
        if (!(batchShift && batches[thief.worker].popFront(task)) && !takeCentral(thief, task, count))
            return false;
        out.range = tasks.task(task);
        if (count > 1)
            out.range.end = tasks.task(task + count - 1).end;
        return true;
    }
    /// The same for a caller whom nobody can join yet: without atomic operations where that is simple.
    bool claimAlone(Thief &thief, Claim &out) {
        if (layout != Layout::Centralized)
            return claim(thief, out);
        uint64_t task = nextTask.load(std::memory_order_relaxed);
        if (task >= tasks.count())
            return false;
        nextTask.store(task + 1, std::memory_order_relaxed);
        out.range = tasks.task(task);
        return true;
    }
    /// Starts to move what a claim reads to this CPU.
    void prefetch() const {
        __builtin_prefetch(&lowestFailed);
        __builtin_prefetch(reinterpret_cast<const char *>(&lowestFailed) + 64);
        __builtin_prefetch(&nextTask, 1);
    }

    /// Whether a task must be run: none before it has failed.
    bool isWanted(const Claim &claim) const { return claim.range.begin < lowestFailed.load(std::memory_order_relaxed); }
    /// Whether the worker holds tasks that it has not begun and that others might not find.
    bool holdsTasks(const Thief &thief) const {
        if (layout == Layout::Centralized)
            return batchShift && !batches[thief.worker].empty();
        return piecesPerBlock && !queues[thief.home].tasks.empty();
    }

    /// The task that begins there has thrown.
    void fail(uint64_t begin, std::exception_ptr thrown);
    /// Tasks may have been left out because the host has cancelled the run.
    void cancel() { isCancelled.store(true, std::memory_order_relaxed); }
    /// Throws the error of the lowest task that has one, else that of a cancelled run if it was. All must have left.
    void rethrow();

    uint32_t numQueues() const { return queueCount; }
    uint64_t numTasks() const;

  private:
    struct alignas(64) Queue {
        TaskInterval tasks;
        uint32_t group = 0;
    };
    struct alignas(64) Batch : TaskBatch {};
    static constexpr uint64_t kNoneFailed = ~uint64_t(0);

    Range taskOf(uint32_t queue, uint32_t k) const {
        if (piecesPerBlock)
            return blocks[k / piecesPerBlock].task(k % piecesPerBlock + part * piecesPerBlock);
        if (prePartitioned)
            return blocks[queue].task(k + part * kMostTasks);
        return tasks.task((uint64_t(k) + part * kMostTasks) * queueCount + queue);
    }
    void prepareBatches();
    bool takeCentral(Thief &thief, uint64_t &task, uint64_t &joined);
    bool popHome(Thief &thief, Claim &out) {
        auto k = queues[thief.home].tasks.popFront();
        if (k)
            take(thief, thief.home, *k, out);
        return k.has_value();
    }
    void take(const Thief &thief, uint32_t queue, uint32_t k, Claim &out) const {
        uint32_t origin = piecesPerBlock ? k / piecesPerBlock : queue;
        out = {taskOf(queue, k), origin, origin != thief.home};
    }
    bool steal(Thief &thief, Claim &out);
    bool stealFrom(const Thief &thief, uint32_t queue, Claim &out);
    bool stealQuarter(Thief &thief, Claim &out);
    bool stealSequential(Thief &thief, Claim &out, bool ownGroupOnly);
    bool stealRandom(Thief &thief, Claim &out, bool ownGroupOnly);
    uint64_t tasksOfQueue(uint32_t queue) const;
    bool fill();
    void dropFrom(uint64_t begin);

    // What every claim reads and nobody writes while the loop runs, apart from what is written.
    alignas(64) std::atomic<uint64_t> lowestFailed{kNoneFailed}; ///< first unit of a task
    std::atomic<bool> isCancelled{false};
    Layout layout = Layout::Centralized;
    Victim victim = Victim::Seq;
    bool prePartitioned = false, joinsTasks = false;
    uint8_t batchShift = 0; ///< a batch is at most the rest of the tasks over two to this; 0: no batches
    uint32_t queueCount = 1, numWorkers = 1;
    uint32_t piecesPerBlock = 0;      ///< if not 0: queues hold numbers of pieces, block * this + piece of the block
    TaskSequence tasks;               ///< of the whole loop, or
    std::vector<TaskSequence> blocks; ///< of the block of each queue
    std::unique_ptr<Queue[]> queues;
    std::unique_ptr<Batch[]> batches; ///< of each worker
    const Placement *placement = nullptr;
    uint64_t seed = 1, part = 0;
    uint32_t queueCapacity = 0, batchCapacity = 0;

    alignas(64) std::atomic<uint64_t> nextTask{0}; ///< of the central queue
    alignas(64) std::mutex errorMutex;
    std::exception_ptr error;
};

} // namespace daphne::sched
