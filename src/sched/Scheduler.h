// SPDX-License-Identifier: Apache-2.0
/// Everything that runs the loops of an engine: the user's settings, the machine,
/// the pool of workers, what was observed. Finds out about the machine and starts
/// threads when a loop first needs them; schedulers that ask for the same threads
/// share them (SharedPools.h).
///
/// Thread-safe. Writes to no descriptor, reads no variable of the environment, and
/// binds the calling thread to CPUs only if the settings say so. After fork() the
/// child may go on using it, unless another thread was using it for the first time
/// at that moment.
///
///     scheduler.run({.site = "sum", .rows = n, .grain = 2048}, [&](Range rows, uint32_t worker) { ... });
///
/// A scheme that the user named is obeyed to the formula. Without one, workers
/// claim cache-sized pieces from a counter, and small loops stay on the calling
/// thread. The result of a loop must not depend on how it is cut.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/ActiveRun.h"
#include "base/Progress.h"
#include "sched/CacheTiles.h"
#include "sched/LoopReport.h"
#include "sched/ParallelFor.h"
#include "sched/Settings.h"
#include "sched/ThreadBinding.h"
#include "sched/Trace.h"
#include "sched/Weighted.h"

namespace daphne::sched {

/// What the caller knows of a loop over rows.
struct LoopDescription {
    std::string_view site;                ///< names the loop in logs and statistics
    uint64_t rows = 0;                    ///< N
    uint64_t grain = 2048;                ///< rows worth a task: Scheduler::cacheRows()
    uint64_t block = 1;                   ///< every range but the last ends at a multiple of it
    const uint64_t *rowOffsets = nullptr; ///< rows + 1 of the sparse matrix that drives the loop, if one does
    uint64_t rowWeight = 1;               ///< of a row in stored cells, besides its own: rowWeightOf()
    uint64_t rowCost = 0;                 ///< the same as estimated by the compiler; 0: rowWeight
    std::optional<double> serialNs = {};  ///< estimated time on one thread; none: worth sharing
};

/// Weight of a row besides its stored cells: 1 + dense output bytes / 16.
inline uint64_t rowWeightOf(uint64_t outputBytesPerRow) { return 1 + outputBytesPerRow / 16; }

class Scheduler {
  public:
    using Sink = std::function<void(std::string_view)>;
    /// What settings.debug asks for is given to the sink, by one thread at a time; without one it is dropped.
    explicit Scheduler(Settings settings = {}, Sink sink = {});
    ~Scheduler();
    Scheduler(const Scheduler &) = delete;
    Scheduler &operator=(const Scheduler &) = delete;

    const Settings &settings() const { return user; }
    const Topology &topology();
    /// P of every loop. Starts no threads.
    uint32_t numThreads();
    /// The same as long as the scheduler lives; another one in a child of fork().
    Pool &pool();
    /// Number of this thread at the loop whose task it runs; 0 outside of tasks. Starts no threads.
    uint32_t currentWorker() const {
        const Workers *made = workers.load(std::memory_order_acquire);
        return made ? made->pool->currentWorker() : 0;
    }

    uint64_t cacheRows(const RowFootprint &footprint) { return cacheSizedRows(topology(), footprint); }
    uint64_t batchRows(const RowFootprint &footprint) {
        return sched::batchRows(topology(), user.batchBytes, footprint);
    }

    /// Calls body(rows, worker) for ranges of rows that cover [0, loop.rows) exactly once and returns when all are
    /// done. The worker is below numThreads(). Of the exceptions of the body that of the lowest range is thrown here;
    /// cancelledError() if the host cancels the run of this thread.
    template <LoopBody Body> void run(const LoopDescription &loop, Body &&body);

    /// How run() would cut this loop.
    PlannedLoop plan(const LoopDescription &loop);
    /// For the statistics: a call that is no loop took so long.
    void noteCall(std::string_view site, double ns) { sites.addCall(site, ns); }
    /// One line per site, slowest first; empty if nothing was observed.
    std::string statisticsText() const { return sites.text(); }

  private:
    bool isObserved() const { return user.debug != DebugLevel::Off || user.statistics; }
    bool staysSerial(const LoopDescription &loop);
    bool cutsByWeight(const LoopDescription &loop) const;
    void report(const PlannedLoop &loop, const Trace &trace);

    Settings user;
    Sink sink;
    struct Workers {
        std::shared_ptr<Pool> pool;
        uint32_t forkCount = sched::forkCount();
        std::unique_ptr<ThreadBinding> binding = {}; ///< of the thread that asked first
    };
    std::once_flag topologyMade, threadsCounted;
    Topology machine;
    uint32_t threadCount = 0;
    std::atomic<Workers *> workers{nullptr}; ///< owned; what a parent process has made is leaked
    std::mutex sinkMutex;
    std::atomic<double> serialSoFarNs{0}; ///< work of loops that were too small to start threads for
    SiteStatistics sites;
};

template <LoopBody Body> void Scheduler::run(const LoopDescription &loop, Body &&body) {
    if (loop.rows == 0)
        return;
    throwIfCancelled();
    PlannedLoop planned = plan(loop);
    std::optional<Progress> bar; // a loop on one thread is one range
    if (!planned.isSerial)
        bar.emplace(loop.site, planned.units);
    auto runRows = [&](Range units, uint32_t worker) {
        Range rows = planned.rowsOf(units);
        if (rows.begin < rows.end)
            body(rows, worker);
        if (bar)
            bar->advance(units.size());
    };
    if (!isObserved()) {
        planned.plan.joinsTasks = true;
        if (planned.isSerial)
            return runRows({0, planned.units}, currentWorker());
        return parallelFor(pool(), planned.units, planned.plan, runRows);
    }
    Trace trace(numThreads(), user.debug == DebugLevel::Chunks ? Trace::Keep::Tasks : Trace::Keep::Sums);
    RowObserver observer{trace, planned};
    if (planned.isSerial) {
        uint32_t worker = currentWorker();
        Claim all{{0, planned.units}};
        auto token = observer.begin(worker, all);
        runRows(all.range, worker);
        observer.end(token, worker, all);
    } else {
        parallelFor(pool(), planned.units, planned.plan, runRows, observer);
    }
    report(planned, trace);
}

} // namespace daphne::sched
