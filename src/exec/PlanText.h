// SPDX-License-Identifier: Apache-2.0
/// Plans as people read them: what will run, and what it took (--explain=loops).
#pragma once

#include <functional>
#include <string>

#include "exec/RegionPlans.h"

namespace daphne::exec {

/// Hears of every plan when it is made, on the thread that runs.
class PlanObserver {
  public:
    virtual ~PlanObserver() = default;
    /// isKept: the plan lives as long as the region.
    virtual void planned(const Region &region, const PlannedRegion &plan, std::span<const Value> inputs,
                         bool isKept) = 0;
};

struct PlanTextOptions {
    std::function<std::string(uint64_t callSite)> placeOf; ///< "script.daph:3:7"
    std::string_view scheme;                               ///< of parallel loops
    uint32_t numThreads = 1;
    bool otherMachines = false; ///< they may take loops, too
    bool measured = false;      ///< with what steps took so far
};

/// One line per loop and kernel call, and one per reason why something is not fused. inputs: null if they are gone.
std::string planText(const Region &region, const PlannedRegion &plan, const std::span<const Value> *inputs,
                     const PlanTextOptions &options);

} // namespace daphne::exec
