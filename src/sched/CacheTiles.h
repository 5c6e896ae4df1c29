// SPDX-License-Identifier: Apache-2.0
/// How many rows fit the cache: sizes of tasks and of the batches inside them.
#pragma once

#include <cstdint>

#include "sched/Topology.h"

namespace daphne::sched {

/// What a loop touches per row, and what all rows share.
struct RowFootprint {
    double rowBytes = 0;         ///< inputs, outputs and live intermediates; sparse inputs: sparseRowBytes()
    uint64_t broadcastBytes = 0; ///< inputs that every batch reads
};

/// Bytes per row of a sparse matrix: a column number and a value for each stored cell.
inline double sparseRowBytes(uint64_t nonZeros, uint64_t rows) {
    return rows == 0 ? 0 : 12.0 * static_cast<double>(nonZeros) / static_cast<double>(rows);
}

/// max(1, floor((h - min(broadcast, h / 2)) / rowBytes)), h = half of the second-level cache, or of the core's share of
/// the third-level cache if the broadcast inputs do not fit h. Rows without bytes: as many as there may be.
uint64_t cacheSizedRows(const Topology &topology, const RowFootprint &footprint);
/// max(1, floor(batchBytes / rowBytes)); 0 bytes: cacheSizedRows().
uint64_t batchRows(const Topology &topology, uint64_t batchBytes, const RowFootprint &footprint);
/// The grain rounded up to whole batches.
uint64_t wholeBatches(uint64_t grain, uint64_t batchRows);

} // namespace daphne::sched
