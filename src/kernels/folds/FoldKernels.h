// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/KernelTable.h"

namespace daphne {

/// Adds kernels for those aggregates among the ops whose row says all there is to know and which have none yet.
void addKernelsOfFolds(KernelTable &t, std::span<const ops::OpInfo *const> ops);

} // namespace daphne
