// SPDX-License-Identifier: Apache-2.0
/// Runs a function on a very large stack (reserved, not committed): deep recursion in
/// scripts and deeply nested expressions need it.
#pragma once

#include <cstdint>
#include <functional>

namespace daphne::driver {

/// Returns what body returns, which must not throw. Falls back to smaller stacks where address space is limited.
int runOnBigStack(const std::function<int()> &body);

/// Lowest address generated code may use on the current big stack; 0 outside one.
uint64_t stackLimit();

} // namespace daphne::driver
