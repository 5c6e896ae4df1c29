// SPDX-License-Identifier: Apache-2.0
/// Elementwise binary operations on any two values, for kernels that contain one.
#pragma once

#include "kernels/Broadcast.h"
#include "kernels/CellLoops.h"
#include "kernels/KernelTable.h"

namespace daphne {

/// result(i, j) = lhs(i, j) op rhs(i, j) for all cells of the shape (there is one at least), vectors and single cells
/// spread; at least one operand is a matrix. loops are those of op.
void combineCells(BinaryOp op, const BinaryLoops &loops, const Value &lhs, const Value &rhs, MatrixShape shape,
                  Dense &result);

/// Throws the error for the cell at which a loop of op stopped. `place` is "" or " at row 2, column 0".
[[noreturn]] void domainError(BinaryOp op, ValueType compute, const void *lhs, const void *rhs, std::string_view place);

/// One pair of strings: text for Concat, Min and Max, else 0 or 1.
std::string combineText(BinaryOp op, const std::string &a, const std::string &b);
int64_t compareText(BinaryOp op, const std::string &a, const std::string &b);
/// Whether op on operands of these value types works on strings; throws if strings and numbers do not mix.
bool worksOnStrings(const KernelCall &call, BinaryOp op, ValueType a, ValueType b);

} // namespace daphne
