// SPDX-License-Identifier: Apache-2.0
/// Large products of matrices on several machines. They are kernel calls, not
/// parts of fused loops, but they are cut by rows in the same way.
#pragma once

#include "exec/Distribution.h"
#include "kernels/KernelTable.h"

namespace daphne::exec {

/// Runs a product (matMul, syrk) on several machines, if that is wanted: its result is there, with cells that
/// may be elsewhere. False if the kernel has to be called. Operands may have cells that are elsewhere.
bool runProductElsewhere(Distribution &distribution, KernelCall &call);

} // namespace daphne::exec
