// SPDX-License-Identifier: Apache-2.0
/// Divides the rows of a loop among machines. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sched/Scheme.h"

namespace daphne::dist {

/// Rows [begin, end) for one participant.
struct RowRange {
    uint64_t begin = 0, end = 0;
    uint64_t size() const { return end - begin; }
    bool operator==(const RowRange &) const = default;
};

/// What a partition depends on.
struct PartitionRequest {
    uint64_t rows = 0;
    uint64_t block = 1;                   ///< every range but the last ends at a multiple of it
    std::vector<uint64_t> preferred = {}; ///< larger ones to end at if there are enough of them, the best first
    const uint64_t *rowOffsets = nullptr; ///< of a sparse matrix: stored cells weigh as much as rows
};

/// One range per participant in proportion to the weights, in order; they are disjoint and cover all rows, and may be
/// empty. With equal weights and blocks of one row, sizes differ by at most 1. Without at least one block for each,
/// the first participants get one each.
std::vector<RowRange> partitionByWeight(const PartitionRequest &request, std::span<const double> weights);

/// Ranges that cover all rows, with their ends moved to the next multiple of a block unless all of them are at one.
/// They may become empty.
std::vector<RowRange> partitionRounded(const PartitionRequest &request, std::span<const RowRange> ranges);

/// Ranges as the scheme makes them for so many machines, in whole blocks.
std::vector<RowRange> partitionByScheme(const PartitionRequest &request, const sched::Scheme &scheme, uint32_t machines,
                                        uint64_t leastRows);

} // namespace daphne::dist
