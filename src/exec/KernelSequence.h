// SPDX-License-Identifier: Apache-2.0
/// A region run by its kernels alone, in the order of the program: what is left
/// where matrices are so small that calling costs more than computing. Nothing
/// is planned or counted per run, and nothing is allocated for regions of usual
/// size. Several threads may run it at the same time.
#pragma once

#include <span>
#include <vector>

#include "exec/Region.h"

namespace daphne::exec {

class KernelSequence {
  public:
    explicit KernelSequence(const Region &region);

    /// As Region::run.
    void run(ThreadContext &thread, const Region &region, std::span<Value> inputs, std::span<Value> results,
             uint64_t consumable) const;

  private:
    struct Call {
        uint64_t takes = 0;             ///< bit k: nobody reads operand k afterwards and the kernel may reuse it
        std::vector<uint16_t> releases; ///< values that nobody reads after this call
    };
    std::vector<Call> calls;       ///< by operation
    std::vector<bool> movesOutput; ///< false: a later output is the same value
    size_t mostOperands = 0;       ///< of one call
};

} // namespace daphne::exec
