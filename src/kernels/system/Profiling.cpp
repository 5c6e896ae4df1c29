// SPDX-License-Identifier: Apache-2.0
/// Named regions for profilers: the marks are checked, nothing is printed.
#include <algorithm>

#include "kernels/KernelTable.h"

namespace daphne {

namespace {

void startProfiling(KernelCall &call, const std::string &region) {
    auto &regions = call.context.profiledRegions;
    if (std::find(regions.begin(), regions.end(), region) != regions.end())
        throw executionError("the region \"" + region + "\" is being profiled already");
    regions.push_back(region);
}

void stopProfiling(KernelCall &call, const std::string &region) {
    if (std::erase(call.context.profiledRegions, region) == 0)
        throw executionError("the region \"" + region + "\" is not being profiled: it was not started");
}

} // namespace

void addProfiling(KernelTable &t) {
    t.add<&startProfiling>("startProfiling");
    t.add<&stopProfiling>("stopProfiling");
}

} // namespace daphne
