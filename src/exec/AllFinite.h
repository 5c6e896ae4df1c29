// SPDX-License-Identifier: Apache-2.0
/// Whether a matrix of floating-point numbers has neither infinities nor NaN.
#pragma once

#include "data/Dense.h"
#include "kernels/Context.h"

namespace daphne::exec {

bool allFinite(Context &context, const Dense &m);

} // namespace daphne::exec
