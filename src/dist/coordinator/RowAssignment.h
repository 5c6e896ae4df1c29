// SPDX-License-Identifier: Apache-2.0
/// Assigns the rows of a loop to machines: to those that have the rows of its
/// operands, or that a federated matrix names, if that is possible; else in
/// proportion to threads and stored cells; or in the chunks of a scheme, which
/// idle machines take.
#pragma once

#include "dist/coordinator/Cluster.h"

namespace daphne::dist {

struct AssignedRows {
    RowRange rows;
    std::optional<uint32_t> owner; ///< who should run them; none: anybody
};

class RowAssignment {
  public:
    RowAssignment(const Connections &peers, ResidencyTable &residencies, const ClusterSettings &settings,
                  const Crew &crew, uint32_t ownThreads, double bytesPerNs, const exec::LoopTask &loop)
        : peers(peers), residencies(residencies), settings(settings), crew(crew), ownThreads(ownThreads),
          bytesPerNs(bytesPerNs), loop(loop), bound(loop.bound) {}

    std::vector<AssignedRows> make();
    /// Cells of a matrix that belong to these rows of the loop.
    RowRange cellsOf(size_t p, RowRange rows) const;
    /// Rows of an output that belong to these rows of the loop.
    RowRange groupsOf(size_t p, RowRange rows) const;
    /// Whether everybody has the matrix.
    bool isEverywhere(const Value &matrix) const;
    /// Whether rows of an operand are, or belong, where this loop can use them.
    bool isPartitionedFor(size_t p) const { return placedPartition(p) || homePartition(p); }

  private:
    using Owned = std::vector<std::pair<RowRange, uint32_t>>;
    uint32_t self() const { return peers.size(); }
    bool isSplit(size_t p) const { return loop.operands[p].role == exec::LoopOperand::Role::Split; }
    uint64_t widthOf(size_t p) const;
    uint64_t leastRows() const;
    std::vector<uint64_t> commonBlocks() const;
    double journeyNs() const;
    std::vector<AssignedRows> byScheme() const;
    std::vector<AssignedRows> byWeight() const;
    std::optional<std::vector<AssignedRows>> asPlaced() const;
    std::optional<Owned> placedPartition(size_t p) const;
    std::optional<Owned> homePartition(size_t p) const;
    bool hasReserves() const;
    uint64_t reserveBlock(uint64_t rows) const;
    std::vector<AssignedRows> withReserves(const std::vector<AssignedRows> &ranges) const;
    std::vector<AssignedRows> inSteps(const std::vector<AssignedRows> &ranges) const;

    const Connections &peers;
    ResidencyTable &residencies;
    const ClusterSettings &settings;
    const Crew &crew;
    uint32_t ownThreads;
    double bytesPerNs; ///< to and from workers
    const exec::LoopTask &loop;
    const exec::BoundLoop &bound;
};

} // namespace daphne::dist
