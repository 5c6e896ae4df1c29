// SPDX-License-Identifier: Apache-2.0
/// Virtual time: the same schemes, queues and victims as the real loop, on
/// workers that do not exist; adaptive schemes get the virtual times. Deterministic; for studies with hundreds of
/// workers and for tests.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sched/LoopPlan.h"
#include "sched/Topology.h"

namespace daphne::sched {

struct SimulatedMachine {
    std::vector<double> speeds; ///< of each worker; its length is their number
    double claimCost = 0;       ///< time to get a task
    double stealCost = 0;       ///< further time if it comes from another queue
    uint32_t numGroups = 1;
};

struct SimulatedRun {
    double makespan = 0;
    std::vector<double> busy;    ///< time each worker spent on units
    std::vector<uint64_t> units; ///< of each worker
    uint64_t numTasks = 0, numSteals = 0;
    /// (makespan - mean finishing time) / makespan * P / (P - 1), in percent.
    double imbalancePercent = 0;
};

/// cost[i] is the time of unit i on a worker of speed 1; adaptive schemes take it for nanoseconds.
SimulatedRun simulate(std::span<const double> cost, const LoopPlan &plan, const SimulatedMachine &machine);

/// Makespan if the work could be cut anywhere and claiming were free.
double idealMakespan(std::span<const double> cost, const SimulatedMachine &machine);

} // namespace daphne::sched
