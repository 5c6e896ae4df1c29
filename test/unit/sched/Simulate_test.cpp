// SPDX-License-Identifier: Apache-2.0
#include "sched/Simulate.h"

#include <gtest/gtest.h>

namespace daphne::sched {
namespace {

SimulatedMachine machine(uint32_t workers) { return {.speeds = std::vector<double>(workers, 1.0)}; }

TEST(Simulate, EqualUnitsOnEqualWorkersAreBalancedByAllSchemes) {
    std::vector<double> cost(100000, 1.0);
    for (const Scheme &scheme : schemes())
        for (uint32_t p : {1u, 4u, 64u}) {
            SimulatedRun run = simulate(cost, {.scheme = &scheme}, machine(p));
            double ideal = idealMakespan(cost, machine(p));
            EXPECT_LE(run.makespan, ideal * 1.25) << scheme.name << " " << p;
            EXPECT_GE(run.makespan, ideal * 0.999999);
        }
}

TEST(Simulate, SelfSchedulingBeatsStaticOnSkewedCosts) {
    std::vector<double> cost(10000);
    for (size_t i = 0; i < cost.size(); ++i)
        cost[i] = 1.0 / static_cast<double>(i + 1);
    double fixed = simulate(cost, {.scheme = findScheme("STATIC")}, machine(8)).makespan;
    double dynamic = simulate(cost, {.scheme = findScheme("SS")}, machine(8)).makespan;
    EXPECT_LT(dynamic, fixed / 3);
}

TEST(Simulate, OverheadMakesSelfSchedulingOfSingleUnitsSlow) {
    std::vector<double> cost(10000, 1.0);
    SimulatedMachine m = machine(4);
    m.claimCost = 1.0;
    EXPECT_GT(simulate(cost, {.scheme = findScheme("SS")}, m).makespan,
              1.8 * simulate(cost, {.scheme = findScheme("STATIC")}, m).makespan);
}

TEST(Simulate, ASlowWorkerIsRelievedByThieves) {
    std::vector<double> cost(4000, 1.0);
    SimulatedMachine m{.speeds = {0.1, 1, 1, 1}};
    for (Victim victim : {Victim::Seq, Victim::Random}) {
        SimulatedRun run = simulate(cost, {.scheme = findScheme("SS"), .layout = Layout::PerCpu, .victim = victim}, m);
        EXPECT_LT(run.makespan, 1.3 * idealMakespan(cost, m));
        EXPECT_GT(run.numSteals, 0u);
    }
}

TEST(Simulate, ManyWorkersAreFastToStudy) {
    std::vector<double> cost(100000, 1.0);
    SimulatedRun run = simulate(cost, {.scheme = findScheme("GSS"), .layout = Layout::PerGroup},
                                {.speeds = std::vector<double>(1024, 1.0), .numGroups = 8});
    EXPECT_GE(run.makespan, idealMakespan(cost, machine(1024)));
    EXPECT_EQ(run.busy.size(), 1024u);
}

TEST(Simulate, TheSameLoopTwiceIsTheSame) {
    std::vector<double> cost(5000);
    for (size_t i = 0; i < cost.size(); ++i)
        cost[i] = static_cast<double>(i % 17);
    LoopPlan plan{.scheme = findScheme("FAC2"), .layout = Layout::PerCpu, .victim = Victim::Random, .seed = 5};
    EXPECT_EQ(simulate(cost, plan, machine(7)).makespan, simulate(cost, plan, machine(7)).makespan);
}

} // namespace
} // namespace daphne::sched
