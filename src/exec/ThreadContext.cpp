// SPDX-License-Identifier: Apache-2.0
#include "exec/ThreadContext.h"

#include "exec/GuardFrame.h"
#include "exec/RegionPlans.h"

namespace daphne::exec {

namespace {
constinit const std::atomic<bool> never{false};
}

ThreadContext::ThreadContext(RunContext &run, uint64_t stackLimit, Placement *placement)
    : stackLimit(stackLimit), cancelFlag(run.active.cancelFlag ? run.active.cancelFlag : &never), run(run),
      placement(placement) {}

ThreadContext::~ThreadContext() = default;

void ThreadContext::releaseRoots() noexcept {
    for (; roots && roots->numSlots != GuardFrame::kMark; roots = roots->outer)
        for (uint64_t i = 0; i < roots->numSlots; ++i)
            if (Object *object = std::exchange(roots->slots[i], nullptr))
                object->release();
}

} // namespace daphne::exec
