// SPDX-License-Identifier: Apache-2.0
/// Functions that compiled loops call, by name.
#pragma once

#include <string>
#include <string_view>

#include "kernels/CellLoops.h"

namespace daphne::codegen {

/// size_t f(const void *arg, void *result, size_t n): UnaryLoop::cells of the kernels.
std::string unaryLoopSymbol(UnaryOp op, ValueType type);
/// size_t f(const void *lhs, const void *rhs, void *result, size_t n): BinaryLoops::cells of the kernels.
std::string binaryLoopSymbol(BinaryOp op, ValueType type);

/// void f(void *state, const void *block): adds the sum of a block to a PairwiseSum.
std::string pairwiseAddSymbol(ValueType type);
/// void f(const void *state, void *total).
std::string pairwiseTotalSymbol(ValueType type);
/// Bytes of a PairwiseSum of this type; all zero is empty.
size_t pairwiseBytes(ValueType type);

/// Address of a function named by one of the above; null for other names.
void *loopSymbolAddress(std::string_view symbol);

} // namespace daphne::codegen
