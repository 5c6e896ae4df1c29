// SPDX-License-Identifier: Apache-2.0
/// Whether a matrix of floating-point numbers has neither infinities nor NaN.
#pragma once

#include "data/Dense.h"
#include "kernels/RunContext.h"

namespace daphne::exec {

bool allFinite(RunContext &context, const Dense &m);

} // namespace daphne::exec
