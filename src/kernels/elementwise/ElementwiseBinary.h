// SPDX-License-Identifier: Apache-2.0
/// Elementwise binary operations on any two values, for kernels that contain one.
#pragma once

#include "kernels/KernelTable.h"
#include "kernels/cells/CellTable.h"
#include "kernels/elementwise/Broadcast.h"

namespace daphne {

/// result(i, j) = f(lhs(i, j), rhs(i, j)) for all cells of the shape (there is one at least), vectors and single cells
/// spread; at least one operand is a matrix. loops are those of f.
void combineCells(const CellFunction &f, const BinaryLoops &loops, const Value &lhs, const Value &rhs,
                  MatrixShape shape, Dense &result);

/// Throws the error for the pair of cells at which a loop of f stopped. `place` is "" or " at row 2, column 0".
[[noreturn]] void domainError(const CellFunction &f, const BinaryLoops &loops, const void *lhs, const void *rhs,
                              std::string_view place);

/// Whether f on operands of these value types works on strings; throws if strings and numbers do not mix.
bool worksOnStrings(const KernelCall &call, const CellFunction &f, ValueType a, ValueType b);

} // namespace daphne
