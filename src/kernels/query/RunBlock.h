// SPDX-License-Identifier: Apache-2.0
/// Runs a query block: plans the joins with what the data are, runs one pipeline
/// per source that is filtered or joined, smallest parts of the tree first.
#pragma once

#include "kernels/KernelTable.h"
#include "ops/QueryBlock.h"

namespace daphne::query {

/// The result, a frame. Operands are those of the op `queryBlock` behind its text: frames, then scalars and sets.
Ref<Frame> runBlock(RunContext &context, ops::QueryBlock block, std::span<const Value> operands);

} // namespace daphne::query
