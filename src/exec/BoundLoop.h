// SPDX-License-Identifier: Apache-2.0
/// A loop program with everything it needs to run: code, sizes and addresses.
/// Whoever binds it owns the arrays. Rows may be run in any order and on
/// different machines: partial results belong to blocks, not to who ran them.
#pragma once

#include <string_view>
#include <vector>

#include "exec/LoopProgram.h"

namespace daphne::sched {
class Scheduler;
}

namespace daphne::exec {

struct BoundLoop {
    explicit BoundLoop(const LoopProgram &program)
        : program(program), arguments(program.params.size()), kept(program.params.size()) {}

    const LoopProgram &program;
    LoopFunction function = nullptr; ///< null: interpreted
    uint64_t rows = 0, cols = 1;     ///< flat: cells and 1
    std::string_view site;           ///< names the loop in statistics
    double serialNs = 0;             ///< estimate for all rows on one thread, stored cells of a Csr not included
    double nsPerStored = 0;
    LoopArguments arguments;
    std::vector<bool> kept;               ///< by parameter: room of each thread for one row
    const uint64_t *rowOffsets = nullptr; ///< of the Csr

    /// Rows that are always run together.
    uint64_t block() const;
    uint64_t numBlocks() const { return (rows + block() - 1) / block(); }
    /// Time of rows [begin, end) on one thread.
    double nsOf(uint64_t begin, uint64_t end) const;
};

/// What becomes of a column: a number per kBlock rows, in the order of the kernels.
enum class BlockReduction : uint8_t { None, Sum, Min, Max };

/// blocks[b] = reduction of column[b * kBlock ...], for all blocks of n cells.
void reduceBlocks(BlockReduction how, ValueType type, const void *column, uint64_t n, void *blocks);

/// Runs rows [begin, end) on the threads of the scheduler (null: on this one); begin is a multiple of the block, end
/// too unless it is the number of rows. False if a cell lies outside of an operation's domain.
bool runRows(sched::Scheduler *scheduler, const BoundLoop &loop, uint64_t begin, uint64_t end);

} // namespace daphne::exec
