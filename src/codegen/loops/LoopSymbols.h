// SPDX-License-Identifier: Apache-2.0
/// Functions that compiled loops call, by name.
#pragma once

#include <string>
#include <string_view>

#include "kernels/cells/CellTable.h"
#include "kernels/folds/Folds.h"

namespace daphne::codegen {

/// A loop of kernels/cells over cells of this type: size_t f(const void *arg, void *result, size_t n), or
/// size_t f(const void *lhs, const void *rhs, void *result, size_t n).
std::string cellLoopSymbol(const CellFunction &f, ValueType type);

/// void f(void *state, const void *block): adds the result of a block to a PairwiseFold.
std::string pairwiseAddSymbol(Reduce how, ValueType type);
/// void f(const void *state, void *total).
std::string pairwiseTotalSymbol(Reduce how, ValueType type);
/// Bytes of a PairwiseFold of this type; all zero is empty.
size_t pairwiseBytes(ValueType type);

/// Address of a function named by one of the above; null for other names.
void *loopSymbolAddress(std::string_view symbol);

} // namespace daphne::codegen
