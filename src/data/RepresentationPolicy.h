// SPDX-License-Identifier: Apache-2.0
/// Which matrices are held as Csr.
#pragma once

#include <cstddef>

#include "base/ValueType.h"

namespace daphne {

struct RepresentationPolicy {
    bool byEstimate = false;              ///< the compiler decides, and print tells (--select-matrix-repr)
    double threshold = 0.25;              ///< share of non-zeros below which Csr pays
    size_t largeBytes = size_t(64) << 20; ///< without the compiler's word: only if the dense form would be larger

    /// For code that can build either: whether a matrix with about this many non-zeros is better held as Csr.
    bool prefersCsr(ValueType type, size_t rows, size_t cols, double nonZeros) const {
        if (!isNumeric(type))
            return false;
        double cells = static_cast<double>(rows) * static_cast<double>(cols);
        return cells * static_cast<double>(cellSize(type)) > static_cast<double>(largeBytes) &&
               nonZeros < threshold * cells;
    }
};

} // namespace daphne
