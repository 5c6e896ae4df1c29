// SPDX-License-Identifier: Apache-2.0
#include "driver/options/SchedulingEnvironment.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/Error.h"

namespace daphne::driver {

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

} // namespace daphne::driver
