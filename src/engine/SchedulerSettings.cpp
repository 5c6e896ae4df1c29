// SPDX-License-Identifier: Apache-2.0
#include "engine/SchedulerSettings.h"

#include <algorithm>

#include "sched/PolicyNames.h"

namespace daphne::engine {

namespace {

constexpr std::string_view kAuto = "auto";

/// The number, or what stands for "auto".
uint64_t numberOr(const OptionValues &all, std::string_view option, uint64_t automatic) {
    return all.text(option) == kAuto ? automatic : static_cast<uint64_t>(std::max<int64_t>(0, all.integer(option)));
}

sched::DebugLevel debugLevel(const std::string &text) {
    if (text == "chunks")
        return sched::DebugLevel::Chunks;
    return text == "true" ? sched::DebugLevel::On : sched::DebugLevel::Off;
}

} // namespace

sched::Settings schedulerSettings(const Options &options) {
    const OptionValues &all = options.settings;
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
    s.debug = debugLevel(all.text("debug-mt"));
    s.statistics = all.flag("statistics");
    return s;
}

} // namespace daphne::engine
