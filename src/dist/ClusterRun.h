// SPDX-License-Identifier: Apache-2.0
/// One execution of a loop by a Cluster. Private to it.
#pragma once

#include "dist/Cluster.h"

namespace daphne::dist {

/// Binds a loop to matrices of this process: cells of inputs that are elsewhere are fetched, outputs are made. Returns
/// the outputs, by parameter.
std::vector<Ref<Dense>> bindHere(Cluster &cluster, exec::BoundLoop &bound,
                                 const std::vector<exec::LoopOperand> &operands);

class ClusterRun {
  public:
    ClusterRun(Cluster &cluster, const exec::DistributableLoop &loop);
    /// False if a cell lies outside of an operation's domain.
    bool run();

  private:
    struct Chunk {
        RowRange rows;
        std::optional<uint32_t> owner; ///< who should run it; none: anybody
        uint32_t attempts = 0;
        enum class State : uint8_t { Waiting, Running, Done } state = State::Waiting;
        uint32_t worker = 0; ///< who runs or has run it
        uint64_t request = 0;
        std::vector<uint64_t> results; ///< objects, by parameter
    };
    uint32_t self() const { return cluster.peers.size(); }
    bool isSplit(size_t p) const { return loop.operands[p].role == exec::LoopOperand::Role::Split; }
    uint64_t widthOf(size_t p) const;
    RowRange cellsOf(size_t p, RowRange rows) const;

    void limitLineages();
    std::vector<uint64_t> commonBlocks() const;
    void cut();
    bool cutAsPlaced();
    std::optional<std::vector<std::pair<RowRange, uint32_t>>> placedCut(size_t p) const;
    void prepareOutputs();

    Chunk *pick(uint32_t participant);
    bool dispatch();
    void give(uint32_t worker, Chunk &chunk);
    uint64_t ensurePart(uint32_t worker, size_t p, RowRange rows);
    void flushSends();
    void runHere(Chunk &chunk);
    void handle(const PeerEvent &event);
    void commit(Chunk &chunk);
    void undo();
    bool isFinished() const;
    bool isIdle(uint32_t worker) const;

    Cluster &cluster;
    const exec::DistributableLoop &loop;
    exec::BoundLoop &bound;
    std::shared_ptr<const exec::LoopProgram> program;
    uint64_t hash = 0, pipeline = 0;
    std::vector<Chunk> chunks;
    bool fault = false;
    std::string failure; ///< of a worker

    /// Objects on their way out; sent together, to all workers at once if they are large.
    struct Sending {
        uint32_t worker;
        ObjectBegin begin;
        Encoded object;
    };
    std::vector<Sending> sendings;
    std::vector<std::pair<uint32_t, Bytes>> computes; ///< frames that follow them
};

} // namespace daphne::dist
