// SPDX-License-Identifier: Apache-2.0
/// Where an error is caught: a frame among the root frames (ThreadContext.h)
/// that owns nothing. Releasing roots ends there.
#pragma once

#include "data/Value.h"
#include "exec/ThreadContext.h"

namespace daphne::exec {

struct GuardFrame {
    static constexpr uint64_t kMark = UINT64_MAX; ///< in the place of the number of slots
    RootFrame *outer;
    uint64_t mark = kMark;
    Slot *kept; ///< where the function that runs under the guard keeps values; generated code knows the place

    RootFrame *asRoot() { return reinterpret_cast<RootFrame *>(this); }
};

static_assert(offsetof(GuardFrame, outer) == offsetof(RootFrame, outer));
static_assert(offsetof(GuardFrame, mark) == offsetof(RootFrame, numSlots));

} // namespace daphne::exec
