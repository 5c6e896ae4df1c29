// SPDX-License-Identifier: Apache-2.0
#include "sched/SharedPools.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace daphne::sched {

namespace {

struct Registry {
    struct Row {
        Topology topology;
        uint32_t numWorkers;
        Pinning pinning;
        std::weak_ptr<Pool> pool;
    };
    const uint32_t forkCount = sched::forkCount();
    std::mutex mutex;
    std::vector<Row> rows;
};

/// Of this process, never destroyed. A child leaves the one of its parent alone: another thread may have held its lock.
Registry &registry() {
    static constinit std::atomic<Registry *> current{nullptr};
    Registry *seen = current.load(std::memory_order_acquire);
    while (!seen || seen->forkCount != forkCount()) {
        auto fresh = std::make_unique<Registry>();
        if (current.compare_exchange_strong(seen, fresh.get()))
            return *fresh.release();
    }
    return *seen;
}

} // namespace

std::shared_ptr<Pool> sharedPool(const Topology &topology, uint32_t numWorkers, Pinning pinning) {
    Registry &all = registry();
    std::lock_guard lock(all.mutex);
    std::erase_if(all.rows, [](const Registry::Row &row) { return row.pool.expired(); });
    for (const Registry::Row &row : all.rows)
        if (row.numWorkers == numWorkers && row.pinning == pinning && row.topology == topology)
            if (std::shared_ptr<Pool> pool = row.pool.lock())
                return pool;
    auto pool = std::make_shared<Pool>(topology, numWorkers, pinning);
    all.rows.push_back({topology, numWorkers, pinning, pool});
    return pool;
}

} // namespace daphne::sched
