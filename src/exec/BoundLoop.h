// SPDX-License-Identifier: Apache-2.0
/// A loop program with everything it needs to run: code, sizes and addresses.
/// Whoever binds it owns the arrays. Rows may be run in any order and on
/// different machines: partial results belong to blocks, not to who ran them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "exec/LoopProgram.h"

namespace daphne::sched {
class Scheduler;
}

namespace daphne::exec {

struct BoundLoop {
    explicit BoundLoop(const LoopProgram &program)
        : program(program), arguments(program.params.size()), kept(program.params.size()),
          staged(program.params.size()) {}

    const LoopProgram &program;
    LoopFunction function = nullptr; ///< null: interpreted
    uint64_t rows = 0, cols = 1;     ///< flat: cells and 1
    std::string_view site;           ///< names the loop in statistics
    double serialNs = 0;             ///< estimate for all rows on one thread, stored cells of a Csr not included
    double nsPerStored = 0;
    LoopArguments arguments;
    std::vector<bool> kept; ///< by parameter: room of each thread for one row
    /// By parameter: a column that is only there to be aggregated, and how.
    std::vector<std::optional<Reduce>> staged;
    bool stagesBlocks = false;            ///< staged columns leave a number per kBlock rows instead of one per row
    const uint64_t *rowOffsets = nullptr; ///< of the Csr

    bool hasSumsOfRows() const;
    /// Rows that are always run by one worker.
    uint64_t block() const;
    uint64_t numBlocks() const { return (rows + block() - 1) / block(); }
    /// Whether a row of the output are the sums of a group of rows, and the result is the sum of all.
    bool isSumOfGroups(size_t p) const;
    /// Rows of the loop that make one row of an output, and the columns of that output.
    uint64_t rowsPerOutputRow(size_t p) const;
    uint64_t outputRows(size_t p) const { return (rows + rowsPerOutputRow(p) - 1) / rowsPerOutputRow(p); }
    uint64_t outputColumns(size_t p) const;
    /// Time of rows [begin, end) on one thread.
    double nsOf(uint64_t begin, uint64_t end) const;
};

/// Runs rows [begin, end) on the threads of the scheduler (null: on this one); begin is a multiple of the block, end
/// too unless it is the number of rows. False if a cell lies outside of an operation's domain.
bool runRows(sched::Scheduler *scheduler, const BoundLoop &loop, uint64_t begin, uint64_t end);

} // namespace daphne::exec
