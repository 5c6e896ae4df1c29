// SPDX-License-Identifier: Apache-2.0
#include "sched/Simulate.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "sched/LoopRun.h"

namespace daphne::sched {

namespace {

Placement placeSimulated(const SimulatedMachine &machine) {
    Placement p;
    auto n = static_cast<uint32_t>(machine.speeds.size());
    for (uint32_t w = 0; w < n; ++w)
        p.workers.push_back({w, static_cast<uint32_t>(uint64_t(w) * machine.numGroups / n)});
    p.numGroups = std::min(machine.numGroups, n);
    return p;
}

/// Costs of ranges in constant time.
class PrefixCosts {
  public:
    explicit PrefixCosts(std::span<const double> cost) : sums(cost.size() + 1) {
        std::partial_sum(cost.begin(), cost.end(), sums.begin() + 1);
    }
    double of(Range r) const { return sums[r.end] - sums[r.begin]; }

  private:
    std::vector<double> sums;
};

} // namespace

SimulatedRun simulate(std::span<const double> cost, const LoopPlan &plan, const SimulatedMachine &machine) {
    Placement placement = placeSimulated(machine);
    size_t numWorkers = machine.speeds.size();
    SimulatedRun result{.busy = std::vector<double>(numWorkers)};
    PrefixCosts costs(cost);
    LoopRun loop;
    loop.prepare(cost.size(), plan, placement);
    std::vector<Thief> thieves;
    for (uint32_t w = 0; w < numWorkers; ++w)
        thieves.push_back(loop.thief(w));
    // Who is free first claims next; ties go to the lower number.
    using Event = std::pair<double, uint32_t>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> free;
    for (uint32_t w = 0; w < numWorkers; ++w)
        free.push({0, w});
    double sumOfFinishes = 0;
    while (!free.empty()) {
        auto [now, w] = free.top();
        free.pop();
        Claim claim;
        if (!loop.claim(thieves[w], claim)) {
            sumOfFinishes += now;
            result.makespan = std::max(result.makespan, now);
            continue;
        }
        double work = costs.of(claim.range) / machine.speeds[w];
        ++result.numTasks;
        result.numSteals += claim.stolen;
        result.busy[w] += work;
        free.push({now + machine.claimCost + (claim.stolen ? machine.stealCost : 0) + work, w});
    }
    auto p = static_cast<double>(numWorkers);
    if (numWorkers > 1 && result.makespan > 0)
        result.imbalancePercent = (result.makespan - sumOfFinishes / p) / result.makespan * p / (p - 1) * 100;
    return result;
}

double idealMakespan(std::span<const double> cost, const SimulatedMachine &machine) {
    return std::accumulate(cost.begin(), cost.end(), 0.0) /
           std::accumulate(machine.speeds.begin(), machine.speeds.end(), 0.0);
}

} // namespace daphne::sched
