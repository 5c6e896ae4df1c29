// SPDX-License-Identifier: Apache-2.0
/// The pools of a process: who asks for the same number of threads, the same
/// pinning and the same machine gets the same pool, so that several engines do not
/// start more threads than there are CPUs. Threads end when the last user of a pool
/// lets it go. A child of fork() gets pools of its own. Any thread may ask.
#pragma once

#include <cstdint>
#include <memory>

#include "sched/Pool.h"

namespace daphne::sched {

std::shared_ptr<Pool> sharedPool(const Topology &topology, uint32_t numWorkers, Pinning pinning);

} // namespace daphne::sched
