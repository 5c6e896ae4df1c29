// SPDX-License-Identifier: Apache-2.0
#include "driver/SchedulerSettings.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "base/Error.h"
#include "sched/PolicyNames.h"

namespace daphne::driver {

namespace {

constexpr std::string_view kAuto = "auto";

/// The number, or what stands for "auto".
uint64_t numberOr(const Settings &all, std::string_view option, uint64_t automatic) {
    return all.text(option) == kAuto ? automatic : static_cast<uint64_t>(std::max<int64_t>(0, all.integer(option)));
}

sched::DebugLevel debugLevel(const std::string &text) {
    if (text == "chunks")
        return sched::DebugLevel::Chunks;
    return text == "true" ? sched::DebugLevel::On : sched::DebugLevel::Off;
}

} // namespace

Environment environmentOfThisProcess() {
    return [](const char *name) -> const char * { return std::getenv(name); };
}

void applyEnvironment(sched::Settings &settings, const Environment &environment) {
    constexpr const char *kFakeMachine = "DAPHNE_FAKE_TOPOLOGY";
    if (const char *text = environment(kFakeMachine)) {
        try {
            settings.machine = sched::Topology::fake(text);
        } catch (const Error &e) {
            throw parseError({}, std::string(kFakeMachine) + ": " + e.message);
        }
    }
    for (const char *name : {"SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK"}) {
        const char *text = environment(name);
        long most = text ? std::atol(text) : 0;
        uint32_t &limit = settings.threads.most;
        if (most > 0 && (limit == 0 || most < static_cast<long>(limit)))
            limit = static_cast<uint32_t>(std::min<long>(most, 1 << 16));
    }
}

void prepareEnvironment() {
    // hwloc's plugins know files and devices, not CPUs, and the libraries they bring take longer to load than all the
    // rest. There is no function that would say so.
    ::setenv("HWLOC_PLUGINS_PATH", "/dev/null", 0);
}

void writeToStandardError(std::string_view text) {
    while (!text.empty()) {
        ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0)
            return;
        text.remove_prefix(static_cast<size_t>(written));
    }
}

sched::Settings schedulerSettings(const Options &options, const Environment &environment) {
    const Settings &all = options.settings;
    sched::Settings s;
    s.schemes = options.schemes;
    if (const std::string &name = all.text("partitioning"); !name.empty())
        s.plan.scheme = options.schemes->find(name);
    s.plan.params = {.fissStages = numberOr(all, "fiss-stages", 0),
                     .vissX = numberOr(all, "viss-x", 4),
                     .plsSwr = all.number("pls-swr")};
    s.plan.layout = valueOf(sched::kLayouts, all.text("queue_layout"));
    s.plan.victim = valueOf(sched::kVictims, all.text("victim_selection"));
    s.plan.prePartition = all.flag("pre-partition");
    s.plan.seed = static_cast<uint64_t>(all.integer("sched-seed"));
    s.cacheSizedGrain = all.text("grain-size") == kAuto;
    s.grain = std::max<uint64_t>(1, numberOr(all, "grain-size", 1));
    s.batchBytes = numberOr(all, "phy-batch-size", 0);
    if (const std::string &name = all.text("partition-by"); !name.empty())
        s.partitionBy = valueOf(sched::kPartitionUnits, name);
    s.threads = {.numThreads = all.integer("num-threads"), .hyperthreading = all.flag("hyperthreading")};
    if (all.flag("pin-workers"))
        s.pinning = valueOf(sched::kPinStrategies, all.text("pin-strategy"));
    s.bindsCaller = true;
    s.debug = debugLevel(all.text("debug-mt"));
    s.statistics = all.flag("statistics");
    applyEnvironment(s, environment);
    return s;
}

} // namespace daphne::driver
