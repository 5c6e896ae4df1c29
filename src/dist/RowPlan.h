// SPDX-License-Identifier: Apache-2.0
/// Who computes which rows of a loop: where its operands already lie if that is
/// possible, or where a federated matrix says, in proportion to threads and stored
/// cells otherwise, or in the chunks of a scheme that whoever is idle takes.
#pragma once

#include "dist/Cluster.h"

namespace daphne::dist {

struct PlannedRows {
    RowRange rows;
    std::optional<uint32_t> owner; ///< who should run them; none: anybody
};

class RowPlan {
  public:
    RowPlan(const Peers &peers, Placements &placements, const ClusterSettings &settings, const Crew &crew,
            uint32_t ownThreads, double bytesPerNs, const exec::DistributableLoop &loop)
        : peers(peers), placements(placements), settings(settings), crew(crew), ownThreads(ownThreads),
          bytesPerNs(bytesPerNs), loop(loop), bound(loop.bound) {}

    std::vector<PlannedRows> make();
    /// Cells of a matrix that belong to these rows of the loop.
    RowRange cellsOf(size_t p, RowRange rows) const;
    /// Rows of an output that belong to these rows of the loop.
    RowRange groupsOf(size_t p, RowRange rows) const;
    /// Whether everybody has the matrix.
    bool isEverywhere(const Value &matrix) const;
    /// Whether rows of an operand are, or belong, where this loop can use them.
    bool isCutFor(size_t p) const { return placedCut(p) || homeCut(p); }

  private:
    using Owned = std::vector<std::pair<RowRange, uint32_t>>;
    uint32_t self() const { return peers.size(); }
    bool isSplit(size_t p) const { return loop.operands[p].role == exec::LoopOperand::Role::Split; }
    uint64_t widthOf(size_t p) const;
    uint64_t leastRows() const;
    std::vector<uint64_t> commonBlocks() const;
    double journeyNs() const;
    std::vector<PlannedRows> byScheme() const;
    std::vector<PlannedRows> byWeight() const;
    std::optional<std::vector<PlannedRows>> asPlaced() const;
    std::optional<Owned> placedCut(size_t p) const;
    std::optional<Owned> homeCut(size_t p) const;
    bool hasReserves() const;
    uint64_t reserveBlock(uint64_t rows) const;
    std::vector<PlannedRows> withReserves(const std::vector<PlannedRows> &ranges) const;
    std::vector<PlannedRows> inSteps(const std::vector<PlannedRows> &ranges) const;

    const Peers &peers;
    Placements &placements;
    const ClusterSettings &settings;
    const Crew &crew;
    uint32_t ownThreads;
    double bytesPerNs; ///< to and from workers
    const exec::DistributableLoop &loop;
    const exec::BoundLoop &bound;
};

} // namespace daphne::dist
