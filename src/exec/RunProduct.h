// SPDX-License-Identifier: Apache-2.0
/// Large products of matrices on other backends than this CPU. They are kernel
/// calls, not parts of fused loops, but they are divided by rows in the same way.
#pragma once

#include "exec/Placement.h"
#include "kernels/KernelTable.h"
#include "ops/Registry.h"

namespace daphne::exec {

/// Runs a product where the Placement wants it: its result is there, with cells that may be elsewhere. False if the
/// kernel has to be called, which is how this CPU multiplies. Operands may have cells that are elsewhere.
bool runProduct(Placement &placement, KernelCall &call, ops::ProductForm form);

} // namespace daphne::exec
