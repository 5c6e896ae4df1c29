// SPDX-License-Identifier: Apache-2.0
/// Checks of the kernels that move cells, the same for all representations.
/// All throw Error (status 3).
#pragma once

#include <string>

#include "kernels/KernelTable.h"

namespace daphne {

[[noreturn]] void cannotBind(const char *dimension, const std::string &l, const std::string &r);
/// Whether two frames are bound (true) or two matrices.
bool areFrames(const KernelCall &call);
void needReshapable(const Matrix &x, size_t rows, size_t cols);
/// The value type of replace(args[0], args[1], args[2]).
ValueType replacedType(const KernelCall &call);
void needSquare(const Matrix &x);
void needColumn(const Matrix &x);

} // namespace daphne
