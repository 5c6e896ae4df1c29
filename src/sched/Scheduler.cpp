// SPDX-License-Identifier: Apache-2.0
#include "sched/Scheduler.h"

#include <algorithm>

#include "sched/SchemeCatalog.h"
#include "sched/SharedPools.h"

namespace daphne::sched {

namespace {

/// Work that pays for starting the threads of a process.
constexpr double kPoolCostNs = 100'000;
/// Tasks per worker of the default scheme, so that the last ones do not leave the others waiting.
constexpr uint64_t kLeastTasksPerWorker = 4;
/// Rows of a sparse matrix that are looked at to see how much they differ.
constexpr uint64_t kSampledRows = 1 << 16;

uint64_t ceilDiv(uint64_t a, uint64_t b) { return a / b + (a % b != 0); }

/// Whether the coefficient of variation of stored cells per row is above one half.
bool rowsDiffer(const uint64_t *offsets, uint64_t rows) {
    uint64_t stride = std::max<uint64_t>(1, rows / kSampledRows), count = 0;
    double sum = 0, sumOfSquares = 0;
    for (uint64_t r = 0; r < rows; r += stride, ++count) {
        auto cells = static_cast<double>(offsets[r + 1] - offsets[r]);
        sum += cells;
        sumOfSquares += cells * cells;
    }
    double mean = sum / static_cast<double>(count);
    double variance = sumOfSquares / static_cast<double>(count) - mean * mean;
    return variance > 0.25 * mean * mean;
}

} // namespace

Scheduler::Scheduler(Settings settings, Sink sink) : user(std::move(settings)), sink(std::move(sink)) {}

Scheduler::~Scheduler() {
    Workers *made = workers.load();
    if (made && made->forkCount == forkCount())
        delete made;
}

const Topology &Scheduler::topology() {
    std::call_once(topologyMade, [this] { machine = user.machine ? *user.machine : Topology::detect(); });
    return machine;
}

uint32_t Scheduler::numThreads() {
    std::call_once(threadsCounted, [this] {
        bool isGiven = user.threads.numThreads > 0; // then the machine need not be looked at
        threadCount = chooseNumWorkers(isGiven ? Topology() : topology(), user.threads);
    });
    return threadCount;
}

/// Without a lock, which a child of fork() might never get: of several who make it at once one wins.
Pool &Scheduler::pool() {
    Workers *made = workers.load(std::memory_order_acquire);
    while (!made || made->forkCount != forkCount()) {
        auto fresh = std::make_unique<Workers>(sharedPool(topology(), numThreads(), user.pinning));
        bool isFirst = !made;
        if (!workers.compare_exchange_strong(made, fresh.get()))
            continue;
        made = fresh.release();
        if (isFirst && user.bindsCaller && !machine.isFake)
            made->binding = std::make_unique<ThreadBinding>(made->pool->workers().workers.front().mayRunOn);
    }
    return *made->pool;
}

bool Scheduler::staysSerial(const LoopDescription &loop) {
    if (user.schemeGiven() || !loop.serialNs)
        return false;
    if (!workers.load(std::memory_order_acquire) &&
        serialSoFarNs.fetch_add(*loop.serialNs, std::memory_order_relaxed) + *loop.serialNs < kPoolCostNs)
        return true;
    return !isWorthSharing(pool(), *loop.serialNs);
}

bool Scheduler::cutsByWeight(const LoopDescription &loop) const {
    if (!loop.rowOffsets || user.partitionBy == PartitionBy::Rows)
        return false;
    return user.partitionBy != PartitionBy::Auto || rowsDiffer(loop.rowOffsets, loop.rows);
}

PlannedLoop Scheduler::plan(const LoopDescription &loop) {
    PlannedLoop planned{.site = loop.site,
                        .rows = loop.rows,
                        .units = loop.rows,
                        .block = std::max<uint64_t>(1, loop.block),
                        .plan = user.plan};
    planned.isSerial = staysSerial(loop);
    uint64_t cacheSized = std::max<uint64_t>(1, loop.grain);
    if (user.schemeGiven()) {
        planned.schemeName = user.plan.scheme->name;
        planned.faultsBefore = numFaults(*user.plan.scheme);
        planned.grain = user.cacheSizedGrain ? cacheSized : user.grain;
    } else {
        static const Scheme &selfScheduling = *findScheme("SS");
        planned.plan.scheme = &selfScheduling;
        planned.schemeName = "DEFAULT";
        uint64_t balanced = ceilDiv(loop.rows, kLeastTasksPerWorker * numThreads());
        planned.grain = user.cacheSizedGrain ? cacheSized : std::max(user.grain, std::min(cacheSized, balanced));
    }
    planned.grain = std::max({uint64_t(1), planned.grain, planned.block});
    planned.plan.grain = planned.grain;
    if (cutsByWeight(loop)) {
        bool byCost = user.partitionBy == PartitionBy::Cost && loop.rowCost > 0;
        planned.by = byCost ? PartitionBy::Cost : PartitionBy::NonZeros;
        planned.weights.emplace(loop.rowOffsets, loop.rows, byCost ? loop.rowCost : loop.rowWeight);
        planned.units = planned.weights->total();
        planned.rowsPerUnit =
            static_cast<double>(loop.rows) / static_cast<double>(std::max<uint64_t>(1, planned.units));
        auto grain = static_cast<unsigned __int128>(planned.grain) * planned.units / loop.rows;
        planned.plan.grain = static_cast<uint64_t>(std::min<unsigned __int128>(grain, planned.units));
    }
    return planned;
}

void Scheduler::report(const PlannedLoop &loop, const Trace &trace) {
    if (user.statistics)
        sites.add(loop, trace.stats());
    if (user.debug == DebugLevel::Off || !sink)
        return;
    std::string text = debugText(loop, trace, topology(), pool().workers(), user.debug);
    std::lock_guard lock(sinkMutex);
    sink(text);
}

} // namespace daphne::sched
