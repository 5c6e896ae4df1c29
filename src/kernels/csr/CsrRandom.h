// SPDX-License-Identifier: Apache-2.0
/// Random Csr matrices.
#pragma once

#include "data/Value.h"

namespace daphne {

/// Drawing is serial, since a seed fixes the sequence. A cancelled run stops after so many draws, about a millisecond.
constexpr size_t kDrawsPerCancelTest = size_t(1) << 16;

/// A matrix with round(rows * cols * sparsity) drawn cells in [min, max] (floats: [min, max)), the algorithm for CSR of
/// builtins 1.1, bit by bit. min and max are numbers of one type and have been checked; seed < 0 included. Time and
/// memory grow with the number of drawn cells, not of all cells.
Ref<Csr> randomCsr(const Value &min, const Value &max, size_t rows, size_t cols, double sparsity, uint64_t seed);

} // namespace daphne
