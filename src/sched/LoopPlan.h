// SPDX-License-Identifier: Apache-2.0
/// How one parallel loop is to be run: three independent policies (scheme,
/// queue layout, victim selection) and their parameters.
#pragma once

#include <cstdint>

#include "sched/Scheme.h"

namespace daphne::sched {

struct Range {
    uint64_t begin = 0, end = 0;
    uint64_t size() const { return end - begin; }
    bool operator==(const Range &) const = default;
};

/// Where tasks wait.
enum class Layout : uint8_t {
    Centralized, ///< one queue
    PerGroup,    ///< one per group of workers (NUMA domain)
    PerCpu,      ///< one per worker
};

/// Where a worker without tasks looks for some.
enum class Victim : uint8_t {
    Seq,       ///< the queues after its own, in turn
    SeqPri,    ///< as Seq, those of its own group first
    Random,    ///< any queue that is not known to be empty
    RandomPri, ///< as Random, those of its own group first
};

struct LoopPlan {
    const Scheme *scheme = nullptr; ///< null: STATIC
    uint64_t grain = 1;
    SchemeParams params = {};
    Layout layout = Layout::Centralized;
    Victim victim = Victim::Seq;
    bool prePartition = false; ///< cut the loop into one block per queue first
    uint64_t seed = 1;         ///< of random victims and sizes
    bool joinsTasks = false;   ///< adjacent tasks that a worker took at once may be one call of the body
};

/// What its scheme is going to cut.
inline Loop loopOf(uint64_t total, uint32_t workers, const LoopPlan &plan) {
    Loop loop{.total = total, .workers = workers, .grain = plan.grain, .params = plan.params};
    loop.params.seed = plan.seed;
    return loop;
}

} // namespace daphne::sched
