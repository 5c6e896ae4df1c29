// SPDX-License-Identifier: Apache-2.0
/// What the products of all representations have in common.
#pragma once

#include "kernels/KernelTable.h"

namespace daphne {

/// Which operands of a product are transposed.
struct TransposeFlags {
    bool lhs, rhs;
};

/// The value type of op(lhs) @ op(rhs), both numeric; products of bool are counts. Throws Error (status 3) if the inner
/// dimensions differ.
ValueType productType(const Matrix &lhs, const Matrix &rhs, TransposeFlags transpose);
/// The right-hand side of gemv has one column. Throws Error (status 3).
void needOneColumn(const Matrix &x);
/// The first arguments are numeric matrices. Throws Error (status 3).
void needNumericMatrices(const KernelCall &call, size_t numMatrices);

} // namespace daphne
