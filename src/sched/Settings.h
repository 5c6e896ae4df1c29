// SPDX-License-Identifier: Apache-2.0
/// What users can say about scheduling, as typed values. Made once, from the
/// command line, the configuration file and the environment; everything has a
/// default.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sched/LoopPlan.h"
#include "sched/Topology.h"

namespace daphne::sched {

class SchemeCatalog;

/// What equal tasks have equal amounts of.
enum class PartitionBy : uint8_t {
    NotGiven, ///< NonZeros where a sparse matrix drives the loop, else Rows
    Rows,
    NonZeros,
    Cost, ///< what the compiler estimates
    Auto, ///< NonZeros where the rows of the sparse matrix differ much
};

/// What is written about every loop.
enum class DebugLevel : uint8_t { Off, On, Chunks };

struct Settings {
    LoopPlan plan;                ///< scheme: null unless the user named one; its grain is not used
    uint64_t grain = 1;           ///< least rows of a task
    bool cacheSizedGrain = false; ///< least rows of a task are what fits the cache
    uint64_t batchBytes = 98304;  ///< of one call inside a task; 0: cache-sized
    PartitionBy partitionBy = PartitionBy::NotGiven;
    ThreadRequest threads = {};
    Pinning pinning = Pinning::Off;
    bool bindsCaller = false; ///< pinning binds the thread that first needs the pool, too, while the scheduler lives
    std::optional<Topology> machine = {}; ///< to be used instead of looking at this one
    DebugLevel debug = DebugLevel::Off;
    bool statistics = false;                      ///< figures per site at the end
    std::shared_ptr<const SchemeCatalog> schemes; ///< owns the scheme of the plan if it is not built in

    bool schemeGiven() const { return plan.scheme != nullptr; }
};

} // namespace daphne::sched
