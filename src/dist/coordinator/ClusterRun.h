// SPDX-License-Identifier: Apache-2.0
/// One execution of a loop by a Cluster. Private to it.
#pragma once

#include <algorithm>
#include <thread>

#include "dist/coordinator/Cluster.h"
#include "dist/coordinator/RowAssignment.h"

namespace daphne::dist {

/// Binds a loop to matrices of this process: cells of inputs that are elsewhere are fetched, outputs are made. Returns
/// the outputs, by parameter.
std::vector<Ref<Dense>> bindHere(exec::BoundLoop &bound, const std::vector<exec::LoopOperand> &operands);

class ClusterRun {
  public:
    ClusterRun(Cluster &cluster, exec::LoopTask &loop);
    ~ClusterRun() { finishSends(); }
    /// False if a cell lies outside of an operation's domain.
    bool run();

  private:
    struct Chunk {
        RowRange rows;
        std::optional<uint32_t> owner; ///< who should run it; none: anybody
        uint32_t attempts = 0;
        bool isOffered = false; ///< to its owner; this machine may claim it
        enum class State : uint8_t { Waiting, Running, Done } state = State::Waiting;
        uint32_t worker = 0; ///< who runs or has run it
        uint64_t request = 0;
        std::vector<uint64_t> results; ///< objects, by parameter
    };
    uint32_t self() const { return cluster.peers.size(); }
    bool isSplit(size_t p) const { return loop.operands[p].role == exec::LoopOperand::Role::Split; }
    /// Results of this parameter are sent without being asked for.
    bool isSent(size_t p) const { return sent[p]; }

    void limitLineages();
    void prepareOutputs();
    void publishResults();

    Chunk *pick(uint32_t participant);
    Chunk *steal(uint32_t thief);
    Chunk *takeBack();
    void offerChunks();
    std::vector<uint64_t> resultsOf(const Chunk &chunk) const;
    std::optional<double> ownNsFor(const Chunk &chunk) const;
    bool isStraggling(const Chunk &chunk) const;
    bool areRowsHere(const Chunk &chunk) const;
    std::chrono::milliseconds patience() const;
    bool isWorthMoving(const Chunk &chunk, uint32_t thief) const;
    bool dispatch();
    bool isIdle(uint32_t worker) const;
    void runHere(Chunk &chunk);
    void handle(const PeerEvent &event);
    void handleLoss(const PeerEvent &event);
    void commit(Chunk &chunk);
    void undo();
    bool runChunks();
    bool isFinished() const;
    void describeSums();
    void planExchange();
    bool isExchanged() const {
        return std::ranges::any_of(wholes, [](uint64_t object) { return object != 0; });
    }
    void endExchange(bool isComplete);

    // What goes to workers: RunSend.cpp.
    void give(uint32_t worker, Chunk &chunk);
    Compute::Operand outputFor(uint32_t worker, Chunk &chunk, size_t p);
    uint64_t ensurePart(uint32_t worker, size_t p, RowRange rows);
    bool askToRead(uint32_t worker, size_t p, uint64_t object, RowRange cells);
    Value windowOf(size_t p, RowRange rows) const;
    const Part *findPart(uint32_t worker, size_t p, RowRange cells) const;
    const Part *findWhole(uint32_t worker, size_t p) const;
    void noteWhole(const Value &matrix);
    std::vector<KnownCells> knownCells(uint32_t worker, const Value &matrix) const;
    uint64_t numberOfWhole(const ResidencyRecord &record);
    void notePartition(size_t p);
    void broadcastCommonObjects();
    void flushSends();
    void finishSends();

    Cluster &cluster;
    exec::LoopTask &loop;
    exec::BoundLoop &bound;
    const Crew crew;
    RowAssignment plan;
    std::shared_ptr<const exec::LoopProgram> program;
    uint64_t hash = 0, pipeline = 0;
    std::vector<Chunk> chunks;
    std::vector<bool> sent;         ///< by parameter, see isSent
    std::vector<uint64_t> wholes;   ///< by parameter: the object that everybody puts together of its result, or 0
    std::vector<uint32_t> audience; ///< workers that do
    bool fault = false, hasStolen = false;
    std::optional<std::chrono::steady_clock::time_point> idleSince; ///< this machine has nothing to compute
    double ownNs = 0;                                               ///< that it took for so many rows
    uint64_t ownRows = 0;
    std::string failure; ///< of a worker

    std::vector<std::vector<Parcel>> parcels, underWay; ///< by worker: to be sent, and with their senders
    /// By worker: sends what is too much to wait for. It ends before the run does and before anything else is sent.
    std::vector<std::thread> senders;
};

} // namespace daphne::dist
