// SPDX-License-Identifier: Apache-2.0
/// Calls of kernels from generated code and from plans.
#pragma once

#include "exec/ThreadContext.h"
#include "kernels/KernelTable.h"

namespace daphne::exec {

/// Bit of an expected result's tag: the plan wants a Csr.
constexpr uint64_t kWantsCsr = uint64_t(1) << 16;

/// Runs the kernel. results[i].tag holds the expected tag of result i (0: unknown) and is replaced by the result;
/// consumable arguments are released, also if the call throws. Numbers are converted to the expected type; other
/// disagreement is our bug.
void callKernel(ThreadContext &thread, const Kernel &kernel, std::span<Slot> results, std::span<Slot> args,
                uint64_t consumable, uint64_t castTarget);

} // namespace daphne::exec
