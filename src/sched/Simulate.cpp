// SPDX-License-Identifier: Apache-2.0
#include "sched/Simulate.h"

#include <algorithm>
#include <cmath>
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

uint64_t nanosecondsOf(double time) { return static_cast<uint64_t>(std::llround(std::max(0.0, time))); }

/// Workers that claim from the queues of a real loop.
class QueuedClaims {
  public:
    QueuedClaims(uint64_t total, const LoopPlan &plan, const SimulatedMachine &machine)
        : placement(placeSimulated(machine)) {
        loop.prepare(total, plan, placement);
        for (uint32_t w = 0; w < machine.speeds.size(); ++w)
            thieves.push_back(loop.thief(w));
    }
    bool claim(uint32_t worker, Claim &out) { return loop.claim(thieves[worker], out); }

  private:
    Placement placement;
    LoopRun loop;
    std::vector<Thief> thieves;
};

/// Workers that ask an adaptive scheme and tell it the virtual times of their tasks when they ask again.
class AdaptiveClaims {
  public:
    AdaptiveClaims(const PrefixCosts &costs, const LoopPlan &plan, const SimulatedMachine &machine, uint64_t total)
        : costs(costs), machine(machine), samples(plan.scheme->samplesPerTask),
          chunks(*plan.scheme, loopOf(total, static_cast<uint32_t>(machine.speeds.size()), plan)),
          before(machine.speeds.size()) {}
    bool claim(uint32_t worker, Claim &out) {
        tell(worker, before[worker]);
        uint64_t size = chunks.next(worker);
        before[worker] = out.range = {cursor, cursor + size};
        cursor += size;
        return size > 0;
    }

  private:
    void tell(uint32_t worker, Range task) {
        uint64_t parts = task.size() < samples ? 1 : samples;
        for (uint64_t i = 0; task.size() > 0 && i < parts; ++i) {
            Range part{task.begin + task.size() * i / parts, task.begin + task.size() * (i + 1) / parts};
            chunks.update({worker, part.size(), nanosecondsOf(costs.of(part) / machine.speeds[worker]),
                           nanosecondsOf(machine.claimCost / static_cast<double>(parts))});
        }
    }
    const PrefixCosts &costs;
    const SimulatedMachine &machine;
    uint64_t samples, cursor = 0;
    ChunkSequence chunks;
    std::vector<Range> before;
};

/// Who is free first claims next; ties go to the lower number.
template <class Claims>
SimulatedRun runEvents(const PrefixCosts &costs, const SimulatedMachine &machine, Claims claims) {
    size_t numWorkers = machine.speeds.size();
    SimulatedRun result{.busy = std::vector<double>(numWorkers), .units = std::vector<uint64_t>(numWorkers)};
    using Event = std::pair<double, uint32_t>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> free;
    for (uint32_t w = 0; w < numWorkers; ++w)
        free.push({0, w});
    double sumOfFinishes = 0;
    while (!free.empty()) {
        auto [now, w] = free.top();
        free.pop();
        Claim claim;
        if (!claims.claim(w, claim)) {
            sumOfFinishes += now;
            result.makespan = std::max(result.makespan, now);
            continue;
        }
        double work = costs.of(claim.range) / machine.speeds[w];
        ++result.numTasks;
        result.numSteals += claim.stolen;
        result.busy[w] += work;
        result.units[w] += claim.range.size();
        free.push({now + machine.claimCost + (claim.stolen ? machine.stealCost : 0) + work, w});
    }
    auto p = static_cast<double>(numWorkers);
    if (numWorkers > 1 && result.makespan > 0)
        result.imbalancePercent = (result.makespan - sumOfFinishes / p) / result.makespan * p / (p - 1) * 100;
    return result;
}

} // namespace

SimulatedRun simulate(std::span<const double> cost, const LoopPlan &plan, const SimulatedMachine &machine) {
    PrefixCosts costs(cost);
    if (plan.scheme && plan.scheme->kind == Scheme::Kind::Adaptive)
        return runEvents(costs, machine, AdaptiveClaims(costs, plan, machine, cost.size()));
    return runEvents(costs, machine, QueuedClaims(cost.size(), plan, machine));
}

double idealMakespan(std::span<const double> cost, const SimulatedMachine &machine) {
    return std::accumulate(cost.begin(), cost.end(), 0.0) /
           std::accumulate(machine.speeds.begin(), machine.speeds.end(), 0.0);
}

} // namespace daphne::sched
