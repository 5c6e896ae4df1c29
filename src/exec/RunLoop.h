// SPDX-License-Identifier: Apache-2.0
/// Runs a fused step on all workers.
#pragma once

#include "exec/LoopEngine.h"
#include "exec/Plan.h"
#include "exec/ThreadContext.h"

namespace daphne::exec {

/// The values of a region while it runs.
struct RegionState {
    std::vector<Value> values;
    std::vector<uint32_t> readers; ///< operations that have not read the value yet; outputs count once more
};

/// Computes the results of the step. False if a cell lies outside of an operation's domain or absent cells would not
/// stay zero: then nothing has changed and kernels must do it. function: the code of its program; null: interpreted.
bool runLoop(ThreadContext &thread, const LoopEngine &engine, const Region &region, const PlanStep &step,
             LoopFunction function, RegionState &state);

/// Runs the program without compiling it, for rows as a LoopFunction would. Slow; the reference for compiled code.
void interpretLoop(const LoopProgram &program, const uint64_t *arguments, uint64_t begin, uint64_t end);

} // namespace daphne::exec
