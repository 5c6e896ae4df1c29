// SPDX-License-Identifier: Apache-2.0
/// The error of elementwise functions, for all representations.
#pragma once

#include <string>

#include "kernels/KernelTable.h"
#include "kernels/cells/CellTable.h"

namespace daphne {

/// Throws the error for the cell (of type t) at which the loop of a call stopped: it is outside of the domain in the
/// row of the operation. place is "" or " at row 2, column 0".
[[noreturn]] void outsideDomain(const KernelCall &call, ValueType t, const void *cell, const std::string &place);

} // namespace daphne
