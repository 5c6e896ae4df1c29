// SPDX-License-Identifier: Apache-2.0
/// What a thread has to itself while it runs generated code: the operation it is
/// at, how deep its stack may grow, the references its frames own. On the stack
/// of whoever calls generated code; one thread uses it. Its run may have several.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/Object.h"
#include "kernels/RunContext.h"

namespace daphne::exec {

class Placement;
class PlanObserver;
class PrivatePlans;

/// The references that one activation of a generated function owns. Generated code has no landing pads: a runtime
/// function that throws releases them for all activations before it lets the exception go.
struct RootFrame {
    RootFrame *outer;
    uint64_t numSlots;
    Object *slots[1]; ///< numSlots; null where nothing is owned
};

struct ThreadContext {
    explicit ThreadContext(RunContext &run, uint64_t stackLimit = 0, Placement *placement = nullptr);
    ~ThreadContext();
    ThreadContext(const ThreadContext &) = delete;
    ThreadContext &operator=(const ThreadContext &) = delete;

    // Generated code knows the layout of these.
    uint64_t callSite = 0;               ///< id of the operation being executed
    uint64_t stackLimit;                 ///< lowest stack address that generated code may reach
    RootFrame *roots = nullptr;          ///< of the innermost activation
    const std::atomic<bool> *cancelFlag; ///< never null

    RunContext &run;
    Placement *placement;                 ///< decides where loops of this run run; null: on this CPU
    PlanObserver *planObserver = nullptr; ///< null: nobody wants to see plans
    std::unique_ptr<PrivatePlans> plans;  ///< of regions that have published as many as they may

    std::vector<Ref<Object>> kept; ///< where the program does not say when references end

    /// Return addresses of the activations that the error of the run leaves, the innermost first. They tell which calls
    /// of the script led to it; calls themselves write nothing down.
    std::vector<uintptr_t> leftFrames;

    /// Releases what all activations own, before an exception unwinds them: those above the innermost guard
    /// (GuardFrame.h), where it is caught. Without a guard the error ends the run: leftFrames is filled.
    void releaseRoots() noexcept;

  private:
    void noteLeftFrames() noexcept;
};

} // namespace daphne::exec
