// SPDX-License-Identifier: Apache-2.0
#include "exec/ThreadContext.h"

#include <new>

#include <unwind.h>

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
    if (!roots)
        noteLeftFrames();
}

/// Several runtime functions may let the same error go, one after the other: the first knows most.
void ThreadContext::noteLeftFrames() noexcept {
    if (!leftFrames.empty())
        return;
    _Unwind_Backtrace(
        [](_Unwind_Context *frame, void *to) {
            try {
                static_cast<std::vector<uintptr_t> *>(to)->push_back(_Unwind_GetIP(frame));
                return _URC_NO_REASON;
            } catch (const std::bad_alloc &) { // the calls that are known by now will do
                return _URC_END_OF_STACK;
            }
        },
        &leftFrames);
}

} // namespace daphne::exec
