// SPDX-License-Identifier: Apache-2.0
/// A loop program meets the operands that a message names. What the loop is going
/// to touch is checked: after this, running it touches nothing else.
#pragma once

#include <functional>

#include "data/Value.h"
#include "dist/protocol/Message.h"
#include "exec/BoundLoop.h"

namespace daphne::dist {

/// Returns the outputs, by parameter; they take at most so many bytes. `loop` has its program, rows and columns, `find`
/// knows the objects or throws. Throws WireError for operands that are not those of the program, Error if there is no
/// memory for results.
std::vector<Ref<Dense>> bindOperands(exec::BoundLoop &loop, const Compute &message,
                                     const std::function<const Value &(uint64_t object)> &find, uint64_t mostBytes);

/// Sums of the groups of rows of an output, of which the first row is this one of the loop, added up as far as these
/// rows go: the nodes of kernels/aggregates/PairwiseRows.h. The groups are overwritten.
Ref<Dense> mergedGroups(const exec::BoundLoop &loop, size_t p, uint64_t firstRow, const Ref<Dense> &groups);

} // namespace daphne::dist
