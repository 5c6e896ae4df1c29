// SPDX-License-Identifier: Apache-2.0
/// How well schemes balance rows whose costs follow Zipf's law (the k-th costliest takes 1/k of the costliest):
/// makespan over the ideal, measured on two threads beside the simulator's prediction, then simulated with up to 1024
/// workers. The ideal is the work divided by the workers, or the costliest row if that takes longer. Usage:
/// sched_balance [file.csv]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sched/Simulate.h"
#include "sched/ThreadBinding.h"
#include "sched/Weighted.h"

namespace {

using namespace daphne::sched;

constexpr size_t kRows = 4000, kSimulatedRows = 200000;
constexpr double kTotalNs = 2e6; ///< work of the measured loop: on two threads less than a time slice
constexpr int kTurns = 41;
constexpr double kLongestNs = 20e9; ///< of the turns of one order of rows, on a busy machine
constexpr Layout kLayouts[] = {Layout::Centralized, Layout::PerGroup, Layout::PerCpu};
constexpr const char *kLayoutNames[] = {"CENTRALIZED", "PERGROUP", "PERCPU"};

std::vector<double> zipfCosts(size_t rows, double total, bool shuffled) {
    std::vector<double> cost(rows);
    for (size_t i = 0; i < rows; ++i)
        cost[i] = 1.0 / static_cast<double>(i + 1);
    double scale = total / std::accumulate(cost.begin(), cost.end(), 0.0);
    for (double &c : cost)
        c *= scale;
    if (shuffled)
        std::shuffle(cost.begin(), cost.end(), std::mt19937_64(1));
    return cost;
}

/// So many dependent steps; the result keeps the compiler from leaving them out.
uint64_t spin(uint64_t steps) {
    uint64_t x = steps | 1;
    for (uint64_t i = 0; i < steps; ++i)
        x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : : "r"(x) : "memory");
    return x;
}

template <class F> double nanoseconds(F f) {
    auto start = std::chrono::steady_clock::now();
    f();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

double stepsPerNanosecond() {
    constexpr uint64_t kSteps = 1000000;
    double best = 1e300;
    for (int i = 0; i < 20; ++i)
        best = std::min(best, nanoseconds([] { spin(kSteps); }));
    return kSteps / best;
}

double idealOf(const std::vector<double> &cost, const SimulatedMachine &machine) {
    return std::max(idealMakespan(cost, machine), *std::max_element(cost.begin(), cost.end()));
}

/// One line of the table: makespans over the ideal.
struct Row {
    std::string order, scheme, layout, by;
    LoopPlan plan;
    bool weighted = false;
    double simulated = 0;
    std::vector<double> real = {};
};

/// Rows as a matrix in compressed form, a step of spin() being a stored cell.
struct Workload {
    std::vector<double> cost;      ///< ns
    std::vector<uint64_t> offsets; ///< in steps

    Workload(bool shuffled, double stepsPerNs) : cost(zipfCosts(kRows, kTotalNs, shuffled)), offsets{0} {
        for (double &c : cost) {
            offsets.push_back(offsets.back() + static_cast<uint64_t>(c * stepsPerNs));
            c = static_cast<double>(offsets.back() - offsets[offsets.size() - 2]) / stepsPerNs;
        }
    }
    void work(Range rows) const {
        for (uint64_t r = rows.begin; r < rows.end; ++r)
            spin(offsets[r + 1] - offsets[r]);
    }
    double run(Pool &pool, const Row &row) const {
        auto body = [this](Range rows, uint32_t) { work(rows); };
        return nanoseconds([&] {
            if (row.weighted)
                parallelForWeighted(pool, RowWeights(offsets.data(), kRows), row.plan, body);
            else
                parallelFor(pool, kRows, row.plan, body);
        });
    }
};

/// Units of weight are the costs themselves: each row's cost stands at its first unit, as rowsOf() assigns it.
SimulatedRun simulateWeighted(const Workload &load, const LoopPlan &plan, const SimulatedMachine &machine) {
    RowWeights weights(load.offsets.data(), kRows);
    std::vector<double> cost(weights.total());
    for (size_t r = 0; r < kRows; ++r)
        cost[weights.before(r)] += load.cost[r];
    return simulate(cost, plan, machine);
}

std::vector<Row> rowsOf(const Workload &load, const std::string &order, const SimulatedMachine &machine) {
    std::vector<Row> rows;
    double ideal = idealOf(load.cost, machine);
    for (const Scheme &scheme : schemes())
        for (size_t l = 0; l < std::size(kLayouts); ++l) {
            LoopPlan plan{.scheme = &scheme, .layout = kLayouts[l]};
            rows.push_back({order, std::string(scheme.name), kLayoutNames[l], "rows", plan, false,
                            simulate(load.cost, plan, machine).makespan / ideal});
        }
    for (const char *name : {"STATIC", "GSS", "FAC2", "MFSC"}) {
        LoopPlan plan{.scheme = findScheme(name)};
        rows.push_back({order, name, kLayoutNames[0], "weight", plan, true,
                        simulateWeighted(load, plan, machine).makespan / ideal});
    }
    return rows;
}

void printTable(const std::vector<Row> &rows) {
    std::printf("%-10s %-9s %-12s %-7s %8s %8s %10s\n", "rows are", "scheme", "layout", "cut by", "median", "best",
                "simulated");
    for (const Row &r : rows)
        std::printf("%-10s %-9s %-12s %-7s %8.3f %8.3f %10.3f\n", r.order.c_str(), r.scheme.c_str(), r.layout.c_str(),
                    r.by.c_str(), r.real[r.real.size() / 2], r.real[0], r.simulated);
}

/// Two threads: measured and simulated.
std::vector<Row> measure() {
    constexpr uint32_t kThreads = 2;
    double speed = stepsPerNanosecond();
    Topology topology = Topology::detect();
    if (topology.cpus.size() >= kThreads && topology.numDomains == 1) {
        topology.cpus[1].domain = 1; // two domains, so that PERGROUP has two queues
        topology.numDomains = 2;
    }
    Pool pool(topology, kThreads, Pinning::RoundRobin);
    ThreadBinding binding(pool.workers().workers[0].mayRunOn);
    SimulatedMachine machine{.speeds = std::vector<double>(kThreads, 1.0), .numGroups = kThreads};
    machine.claimCost = 5;
    machine.stealCost = 100;
    std::vector<Row> all;
    for (bool shuffled : {true, false}) {
        Workload load(shuffled, speed);
        auto rows = rowsOf(load, shuffled ? "shuffled" : "descending", machine);
        double serial = 1e300, spent = 0;
        for (int turn = 0; turn < kTurns && spent < kLongestNs; ++turn)
            spent += nanoseconds([&] {
                serial = std::min(serial, nanoseconds([&] { load.work({0, kRows}); }));
                for (Row &row : rows)
                    row.real.push_back(load.run(pool, row));
            });
        for (Row &row : rows) {
            std::sort(row.real.begin(), row.real.end());
            for (double &t : row.real)
                t /= serial / kThreads;
            all.push_back(row);
        }
    }
    return all;
}

/// Simulated, many workers: scheme x workers, central queue.
void simulateMany(std::ofstream *csv) {
    std::vector<double> cost = zipfCosts(kSimulatedRows, 100e6, true);
    std::printf("\nsimulated, %zu shuffled rows, central queue, 20 ns per claim\n%-9s", kSimulatedRows, "workers");
    for (uint32_t p = 2; p <= 1024; p *= 2)
        std::printf("%8u", p);
    std::printf("\n");
    for (const Scheme &scheme : schemes()) {
        std::printf("%-9s", scheme.name.data());
        for (uint32_t p = 2; p <= 1024; p *= 2) {
            SimulatedMachine machine{.speeds = std::vector<double>(p, 1.0), .claimCost = 20};
            double ratio = simulate(cost, {.scheme = &scheme}, machine).makespan / idealOf(cost, machine);
            std::printf("%8.3f", ratio);
            if (csv)
                *csv << "many," << scheme.name << ",CENTRALIZED,rows," << p << ",,," << ratio << "\n";
        }
        std::printf("\n");
    }
}

} // namespace

int main(int argc, char **argv) {
    std::ofstream csv;
    if (argc > 1) {
        csv.open(argv[1]);
        if (!csv)
            return std::fprintf(stderr, "sched_balance: cannot write %s\n", argv[1]), 1;
        csv << "order,scheme,layout,by,workers,median,best,simulated\n";
    }
    std::vector<Row> rows = measure();
    std::printf("two threads: makespan over the ideal (medians and best of up to %d runs)\n", kTurns);
    printTable(rows);
    for (const Row &r : rows)
        if (csv.is_open())
            csv << r.order << "," << r.scheme << "," << r.layout << "," << r.by << ",2," << r.real[r.real.size() / 2]
                << "," << r.real[0] << "," << r.simulated << "\n";
    simulateMany(csv.is_open() ? &csv : nullptr);
}
