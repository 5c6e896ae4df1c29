// SPDX-License-Identifier: Apache-2.0
#include "sched/ThreadBinding.h"

#include <algorithm>

#include <unistd.h>

namespace daphne::sched {

namespace {

constexpr size_t kMasks = 64; ///< room for 64 K CPUs

size_t bytesOf(const std::vector<cpu_set_t> &masks) { return masks.size() * sizeof(cpu_set_t); }

} // namespace

ThreadBinding::ThreadBinding(std::span<const uint32_t> cpus) {
    std::vector<cpu_set_t> now(kMasks), wanted(kMasks);
    for (uint32_t cpu : cpus)
        if (cpu < bytesOf(wanted) * 8)
            CPU_SET_S(cpu, bytesOf(wanted), wanted.data());
    process = getpid();
    thread = gettid();
    if (cpus.empty() || sched_getaffinity(thread, bytesOf(now), now.data()) != 0)
        return;
    if (sched_setaffinity(thread, bytesOf(wanted), wanted.data()) == 0)
        before = std::move(now);
}

ThreadBinding::~ThreadBinding() {
    if (!before.empty() && process == getpid())
        sched_setaffinity(thread, bytesOf(before), before.data());
}

} // namespace daphne::sched
