// SPDX-License-Identifier: Apache-2.0
/// Threads that run parallel loops: of several callers at the same time, and of
/// loops inside of tasks. A pool of P workers has P - 1 threads; the caller of a
/// loop works, too, and starts at once. The others join when they see the loop,
/// and whoever comes after the last task stays out. So a loop must not rely on how
/// many take part, and a short one never waits for a thread that still sleeps or
/// has no CPU. Idle threads spin for some microseconds, then sleep: loops in quick
/// succession start in less than a microsecond and idle programs cost nothing.
///
/// A loop inside of a task is run by its caller alone while all threads have
/// something to do; once one has not, what is left is open to all.
///
/// Who waits for others at its loop helps with loops inside of it and with no
/// others. So a thread is at a loop once at most, every wait is for threads that
/// work or wait for deeper loops, and the number of a worker may be used as an
/// index: it is 0 for the thread outside of the pool that called the outermost
/// loop, and 1 to P - 1 for the threads of the pool.
///
/// Threads help the run (ActiveRun) that has the fewest helpers. A helper leaves
/// between two tasks if another run with open loops has two helpers less, and if
/// callers and helpers are more than P. While it is at a loop, a thread works for
/// the run of the loop's caller.
///
/// After fork() the child has none of the threads: loops of a pool that was made
/// before are run by their callers alone there.
///
/// Everything but the destructor may be called by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "sched/Board.h"
#include "sched/LoopRun.h"
#include "sched/Topology.h"

namespace daphne::sched {

class Entry;

class Pool {
  public:
    /// Threads are bound to their CPUs if there is pinning; callers never are. Throws Error if they cannot be started.
    Pool(const Topology &topology, uint32_t numWorkers, Pinning pinning = Pinning::Off);
    /// No loop may be running.
    ~Pool();
    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    uint32_t numWorkers() const { return static_cast<uint32_t>(placement.workers.size()); }
    const Placement &workers() const { return placement; }

    /// Number of this thread at the loop of this pool whose task it runs; 0 outside of tasks.
    uint32_t currentWorker() const;

    /// Nanoseconds from the start of a loop until every worker has been there: measured once, on first use. A guess as
    /// long as that cannot be measured, because the pool has work.
    double forkJoinNs();

    /// False in a child that was forked after the pool was made.
    bool hasThreads() const;

  private:
    friend class Entry;
    friend class Visit;
    enum class Counted : bool { No, Yes }; ///< as a helper of the run: threads that were idle are
    void stop();
    void work(uint32_t worker);
    uint32_t waitForWork();
    void wakeSleepers();
    bool join(uint32_t slot, uint32_t worker, Counted counted, uint64_t neededAncestor);
    void leave(uint32_t slot, uint64_t amount);
    void waitForOthers(uint32_t slot);
    /// Several callers have loops now.
    bool isShared() const {
        uint64_t roots = board.taken().load(std::memory_order_relaxed) & Board::kRootMask;
        return (roots & (roots - 1)) != 0;
    }

    Placement placement;
    std::vector<std::thread> threads;
    uint32_t spins; ///< tests before sleeping
    const uint32_t forkCount;
    std::atomic<double> measuredNs{-1};
    std::atomic<bool> isMeasuring{false};
    std::atomic<bool> stopping{false};

    Board board;
    alignas(64) std::atomic<bool> mayBeAsleep{false}; ///< some thread, so that a new loop must wake it
    std::atomic<uint32_t> wakeups{0};                 ///< idle threads sleep on this
    alignas(64) std::atomic<uint64_t> numIdle{0};     ///< threads that have had nothing to do for a while
};

/// One thread at a loop. Between tasks it asks whether somebody wants something.
class Visit {
  public:
    uint32_t worker() const { return number; }
    /// The caller of a loop inside of a task, as long as nobody can join it.
    bool isAlone() const { return entry != nullptr; }
    /// One load. If so, leaves() must be asked.
    bool isAsked() const { return (watched->load(std::memory_order_relaxed) & mask) != 0; }
    /// The caller of a loop inside of a task opens it to idle threads. A helper says whether it is needed elsewhere and
    /// leaves; it cannot while it holds tasks that it has not begun.
    bool leaves(bool holdsTasks);

  private:
    friend class Pool;
    friend class Entry;
    Visit(Pool &pool, uint32_t number) : watched(&pool.numIdle), pool(pool), number(number) {}

    const std::atomic<uint64_t> *watched;
    uint64_t mask = 0; ///< 0: nobody will ask
    Pool &pool;
    uint32_t number;
    Entry *entry = nullptr; ///< of the caller of a loop that is not open yet
    uint32_t root = 0;      ///< helpers: the family
    bool hasLeft = false;
};

/// A loop that this thread calls, on its stack.
class Entry {
  public:
    /// Takes a slot of the board, if it can. Inside of tasks that happens when somebody wants to help.
    explicit Entry(Pool &pool);
    ~Entry();
    Entry(const Entry &) = delete;
    Entry &operator=(const Entry &) = delete;

    /// Nobody can help: the pool has no threads or no free slot.
    bool worksAlone() const { return !isInner && slot == Board::kNone; }
    /// Where the loop may keep its tasks; has the memory of earlier loops.
    LoopRun &tasks();
    /// Runs the job here and on every thread that joins; returns when all have left. May be called again.
    void run(Job job, void *argument);

  private:
    friend class Visit;
    bool open();

    Pool &pool;
    uint32_t slot = Board::kNone;
    bool isInner = false, isOpen = false;
    LoopRun *innerTasks = nullptr; ///< of this thread
    Job job = nullptr;
    void *argument = nullptr;
};

/// While one lives, this thread starts no loops: it uses memory of its own that tasks of such a loop would use, too.
/// Checked where assertions are.
class NoLoopsHere {
#ifdef NDEBUG
  public:
    NoLoopsHere() {}
    ~NoLoopsHere() {}
#else
  public:
    NoLoopsHere();
    ~NoLoopsHere();
#endif
    NoLoopsHere(const NoLoopsHere &) = delete;
    NoLoopsHere &operator=(const NoLoopsHere &) = delete;
};

/// How often this process has been forked off since its ancestor made its first pool.
uint32_t forkCount();

} // namespace daphne::sched
