// SPDX-License-Identifier: Apache-2.0
/// The error of elementwise functions, for all representations.
#pragma once

#include <string>

#include "kernels/CellLoops.h"
#include "kernels/KernelTable.h"

namespace daphne {

/// Throws the error for the cell (of type t) at which a loop of op stopped. place is "" or " at row 2, column 0".
[[noreturn]] void outsideDomain(const KernelCall &call, UnaryOp op, ValueType t, const void *cell,
                                const std::string &place);

} // namespace daphne
