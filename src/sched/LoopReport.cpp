// SPDX-License-Identifier: Apache-2.0
#include "sched/LoopReport.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <set>

#include "sched/PolicyNames.h"
#include "sched/SchemeCatalog.h"

namespace daphne::sched {

namespace {

[[gnu::format(printf, 1, 2)]] std::string formatted(const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

double micros(double ns) { return ns / 1000; }

template <class List, class Project> std::string listed(const List &list, Project project) {
    std::string out;
    for (const auto &element : list)
        out += std::to_string(project(element)) + ",";
    return out + "\n";
}

/// The worker that answers for each queue: the first at home there.
std::vector<Placement::Worker> responsibleWorkers(Layout layout, const Placement &placement) {
    std::vector<Placement::Worker> first;
    if (layout == Layout::PerCpu)
        return placement.workers;
    if (layout == Layout::Centralized)
        return {placement.workers.front()};
    for (uint32_t group = 0; group < placement.numGroups; ++group)
        first.push_back(*std::ranges::find(placement.workers, group, &Placement::Worker::group));
    return first;
}

std::string machineText(const Topology &topology, const Placement &placement, Layout layout) {
    std::vector<Cpu> cores;
    std::set<uint32_t> seen;
    for (const Cpu &cpu : topology.cpus)
        if (seen.insert(cpu.core).second)
            cores.push_back(cpu);
    std::vector<uint32_t> cpus;
    for (const Placement::Worker &worker : placement.workers)
        if (std::ranges::find(cpus, worker.cpu) == cpus.end())
            cpus.push_back(worker.cpu);
    auto queues = responsibleWorkers(layout, placement);
    return "topologyPhysicalIds:\n" + listed(cores, [](const Cpu &c) { return c.domain; }) +
           "topologyUniqueThreads:\n" + listed(cpus, [](uint32_t cpu) { return cpu; }) +
           "topologyResponsibleThreads:\n" + listed(queues, [](const Placement::Worker &w) { return w.cpu; }) +
           "_totalNumaDomains=" + std::to_string(topology.numDomains) +
           "\n_numQueues=" + std::to_string(queues.size()) + "\n";
}

/// Sizes of all tasks, in the order of their rows.
std::vector<uint64_t> sizesInOrder(const Trace &trace) {
    std::vector<TaskEvent> events = trace.events();
    std::ranges::sort(events, {}, [](const TaskEvent &e) { return e.range.begin; });
    std::vector<uint64_t> sizes;
    for (const TaskEvent &e : events)
        sizes.push_back(e.range.size());
    return sizes;
}

} // namespace

std::string runLengths(const std::vector<uint64_t> &sizes) {
    std::string out;
    for (size_t i = 0; i < sizes.size();) {
        size_t same = i;
        while (same < sizes.size() && sizes[same] == sizes[i])
            ++same;
        out += (out.empty() ? "[" : ",[") + std::to_string(sizes[i]) + "," + std::to_string(same - i) + "]";
        i = same;
    }
    return "[" + out + "]";
}

std::string debugText(const PlannedLoop &loop, const Trace &trace, const Topology &topology, const Placement &placement,
                      DebugLevel level) {
    RunStats run = trace.stats();
    auto numWorkers = static_cast<uint32_t>(placement.workers.size());
    double overheadNs = 0;
    for (uint32_t w = 0; w < numWorkers; ++w)
        if (const WorkerStats &own = trace.worker(w); own.numTasks > 0)
            overheadNs += static_cast<double>(own.lastNs - own.firstNs - own.busyNs);
    size_t numQueues = responsibleWorkers(loop.plan.layout, placement).size();

    std::string out = machineText(topology, placement, loop.plan.layout);
    out += "[mt] pipeline=" + std::string(loop.site) +
           formatted(" N=%llu P=%u", static_cast<unsigned long long>(loop.rows), numWorkers) +
           " scheme=" + std::string(loop.schemeName) +
           formatted(" grain=%llu", static_cast<unsigned long long>(loop.grain)) +
           " layout=" + std::string(nameOf(kLayouts, loop.plan.layout)) +
           " victim=" + std::string(nameOf(kVictims, loop.plan.victim)) +
           formatted(" queues=%zu tasks=%llu steals=%llu makespan_us=%.3f lib_pct=%.2f overhead_us=%.3f", numQueues,
                     static_cast<unsigned long long>(run.numTasks), static_cast<unsigned long long>(run.numSteals),
                     micros(run.makespanNs), run.imbalancePercent, micros(overheadNs)) +
           " by=" + std::string(nameOf(kPartitionUnits, loop.by));
    if (uint64_t faults = numFaults(*loop.plan.scheme) - loop.faultsBefore)
        out += formatted(" faults=%llu", static_cast<unsigned long long>(faults));
    out += "\n";
    for (uint32_t w = 0; w < numWorkers; ++w) {
        const WorkerStats &own = trace.worker(w);
        auto busy = static_cast<double>(own.busyNs);
        out += formatted(
            "[mt] worker=%u cpu=%u domain=%u tasks=%llu units=%llu stolen=%llu busy_us=%.3f wait_us=%.3f\n", w,
            placement.workers[w].cpu, placement.workers[w].domain, static_cast<unsigned long long>(own.numTasks),
            static_cast<unsigned long long>(own.numUnits), static_cast<unsigned long long>(own.numSteals), micros(busy),
            micros(std::max(0.0, run.makespanNs - busy)));
    }
    if (level == DebugLevel::Chunks)
        out += "[mt] chunks=" + runLengths(sizesInOrder(trace)) + "\n";
    return out;
}

void SiteStatistics::add(const PlannedLoop &loop, const RunStats &run) {
    std::lock_guard lock(mutex);
    Site &site = sites.try_emplace(std::string(loop.site)).first->second;
    ++site.executions;
    site.numTasks += run.numTasks;
    site.totalNs += run.makespanNs;
    site.longestNs = std::max(site.longestNs, run.makespanNs);
    site.imbalanceTimesNs += run.imbalancePercent * run.makespanNs;
    site.overheadTimesNs += run.overheadPercent * run.makespanNs;
    site.scheme = loop.schemeName;
}

void SiteStatistics::addCall(std::string_view name, double ns) {
    std::lock_guard lock(mutex);
    Site &site = sites.try_emplace(std::string(name) + "()").first->second;
    ++site.executions;
    site.totalNs += ns;
    site.longestNs = std::max(site.longestNs, ns);
    site.scheme = "-";
}

std::string SiteStatistics::text() const {
    std::lock_guard lock(mutex);
    if (sites.empty())
        return "";
    size_t width = std::string_view("loop or call()").size();
    std::vector<const std::pair<const std::string, Site> *> order;
    for (const auto &entry : sites) {
        order.push_back(&entry);
        width = std::max(width, entry.first.size());
    }
    std::ranges::stable_sort(order, std::greater<>(), [](const auto *entry) { return entry->second.totalNs; });
    auto padded = [&](std::string name) {
        name.resize(width, ' ');
        return name;
    };
    std::string out = padded("loop or call()") +
                      "  executions     tasks    total us     mean us      max us  imbalance %  "
                      "overhead %  scheme\n";
    for (const auto *entry : order) {
        const Site &s = entry->second;
        double weight = s.totalNs > 0 ? s.totalNs : 1;
        out += padded(entry->first) +
               formatted("  %10llu %9llu %11.1f %11.1f %11.1f %12.1f %11.1f  ",
                         static_cast<unsigned long long>(s.executions), static_cast<unsigned long long>(s.numTasks),
                         micros(s.totalNs), micros(s.totalNs) / static_cast<double>(s.executions), micros(s.longestNs),
                         s.imbalanceTimesNs / weight, s.overheadTimesNs / weight) +
               s.scheme + "\n";
    }
    return out;
}

} // namespace daphne::sched
