// SPDX-License-Identifier: Apache-2.0
/// How much stack a thread has, and threads with a lot of it (reserved, not
/// committed): deep recursion in scripts and deeply nested expressions need it.
#pragma once

#include <cstdint>
#include <functional>

namespace daphne {

/// Lowest address that generated code may use on the stack of this thread. Below it there is room for kernels.
uint64_t scriptStackLimit();

/// Runs the body on the stack of this thread if it is large enough for the compiler, else on a large one.
/// What the body throws is thrown here. Falls back to smaller stacks where address space is limited.
void runOnLargeStack(const std::function<void()> &body);

} // namespace daphne
