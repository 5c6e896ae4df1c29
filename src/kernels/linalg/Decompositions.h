// SPDX-License-Identifier: Apache-2.0
/// What other kernels need of matrix decompositions.
#pragma once

#include "data/Value.h"

namespace daphne {

/// The largest singular value of a numeric matrix, 0 if it has no cells; f32 for f32, else f64. nan where a cell is
/// nan, else inf where one is infinite. Throws Error (status 3) if the iteration does not converge.
Value spectralNorm(const Dense &m);

} // namespace daphne
