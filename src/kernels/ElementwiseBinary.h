// SPDX-License-Identifier: Apache-2.0
/// Elementwise binary operations on any two values, for kernels that contain one.
#pragma once

#include "kernels/CellLoops.h"
#include "kernels/KernelTable.h"

namespace daphne {

/// Throws the error for the cell at which a loop of op stopped. `place` is "" or " at row 2, column 0".
[[noreturn]] void domainError(BinaryOp op, ValueType compute, const void *lhs, const void *rhs, std::string_view place);

/// One pair of strings: text for Concat, Min and Max, else 0 or 1.
std::string combineText(BinaryOp op, const std::string &a, const std::string &b);
int64_t compareText(BinaryOp op, const std::string &a, const std::string &b);
/// Whether op on operands of these value types works on strings; throws if strings and numbers do not mix.
bool worksOnStrings(const KernelCall &call, BinaryOp op, ValueType a, ValueType b);

} // namespace daphne
