// SPDX-License-Identifier: Apache-2.0
/// The coordinator: a backend that runs fused loops on all machines, itself
/// included.
///
/// It divides rows at whole blocks and sends each machine the rows it computes and
/// the vectors that all rows need, once: a machine keeps what it has. Results stay
/// where they were computed until the program reads them. Partial results belong to
/// blocks, and the coordinator merges them in their order, so results are those of
/// one machine to the last bit, whichever machine computed what.
///
/// Where the transport survives the loss of a worker, other machines compute its
/// rows, and the coordinator computes cells that only it had again from their
/// lineage.
#pragma once

#include <functional>
#include <limits>

#include "dist/coordinator/ObjectTransfers.h"
#include "dist/coordinator/ResidencyTable.h"

namespace daphne::dist {

/// What idle machines take from those that have chunks waiting: nothing, one chunk, or half of them.
enum class Stealing : uint8_t { Off, One, Half };

struct ClusterSettings {
    bool coordinatorComputes = true;
    bool resident = true; ///< false: results are fetched at once and forgotten elsewhere
    /// Loops whose inputs and outputs have at most so many bytes stay here; none: by estimated time.
    std::optional<uint64_t> threshold;
    const sched::Scheme *scheme = nullptr; ///< null: one range per machine
    Stealing steal = Stealing::Off;
    /// Where nothing is stolen, the last rows of workers are chunks of at least this time, which the coordinator takes
    /// back when it has nothing else to do and they have not begun.
    double leastReserveNs = 1e5;
    /// The coordinator computes, too, what it has waited for so much longer than it would take itself.
    double stragglerNs = std::numeric_limits<double>::infinity();
    uint32_t retries = 2;
    double bytesPerNs = 0.5;                       ///< of the network at most, for estimates
    std::function<void(const std::string &)> warn; ///< one line; null: silence
};

/// The workers that take part in a loop.
struct Crew {
    std::vector<uint32_t> workers;
    double threads = 0; ///< of all machines that take part, the coordinator's included, that have a CPU
};

class Cluster : public exec::Backend, private CellFetcher {
  public:
    Cluster(std::unique_ptr<Transport> transport, const ConnectionSettings &peers, ClusterSettings settings,
            uint32_t ownThreads);
    ~Cluster() override;

    std::string_view name() const override { return "other machines"; }
    exec::Estimate estimate(const RunContext &context, const exec::LoopTask &loop) override;
    exec::Outcome run(RunContext &context, exec::LoopTask &loop) override;
    bool takesRowsElsewhere() const override { return true; }
    uint64_t leastBlocks(const RunContext &context, const exec::LoopEngine &engine) const override;
    Value readMatrix(RunContext &context, const std::string &file, bool asCsr,
                     const std::function<Value()> &readAll) override;
    /// The matrix in a file whose parts are read where they are needed; nothing: it is to be read here and now.
    std::optional<Value> readLater(RunContext &context, const std::string &file);
    void keptStored(const Object *from, const Value &to) override;
    void beforeWriting() override;

    /// A program has ended: its variables may live on if `keepsValues`; where copies of them are is forgotten.
    void endOfProgram(bool keepsValues);
    /// One line per machine.
    std::string statisticsText() const;
    /// More of the same as one line of JSON.
    std::string statisticsJson() const;
    const Connections &workers() const { return peers; }

  private:
    friend class ClusterRun;
    class FileSurvey; ///< ClusterFiles.cpp
    struct OwnStatistics {
        uint64_t chunks = 0, loops = 0, again = 0, stolen = 0, takenBack = 0, fetches = 0;
        double computeNs = 0, waitNs = 0;
    };
    std::optional<double> imbalancePercent() const;
    std::string_view obstacle(const exec::LoopTask &loop) const;
    bool multiplyAlike() const;
    uint64_t roomForWhole() const;
    exec::Estimate estimateTime(const exec::LoopTask &loop);
    std::optional<BoundToCpus> bound; ///< while a program runs
    Crew crew() const;
    double bytesPerNs() const;
    void bringHere(ResidencyRecord &record) override;
    double nsToBringHere(const ResidencyRecord &record) const override;
    /// Brings all cells of a matrix here that are elsewhere.
    void fetchAll(const Value &matrix);
    /// Cells [begin, end) and those of the parts they are in.
    void fetch(const Value &matrix, uint64_t begin, uint64_t end);
    void noteFile(const Value &matrix, const std::string &path, const FileState &state, double readNs);
    void readHere(ResidencyRecord &record, RowRange rows);
    void readHere(ResidencyRecord &record, const FilePart &file, RowRange rows);
    void computeAgain(const Value &matrix, const Lineage &lineage, uint64_t begin, uint64_t end);
    void sweep();
    void noteLosses();
    void forget(uint32_t worker);
    void admitReturned();
    std::shared_ptr<const exec::LoopProgram> programOf(const exec::LoopTask &loop, uint64_t &hash);

    struct KnownProgram {
        std::shared_ptr<const exec::LoopProgram> program;
        std::string text;
        std::set<uint32_t> workers; ///< that have it
        std::set<size_t> read;      ///< parameters whose results were read here, the last time
        std::set<size_t> whole;     ///< and those that everybody needed as a whole
    };
    Connections peers;
    ObjectTransfers transfers{peers};
    ClusterSettings settings;
    uint32_t ownThreads;
    ResidencyTable residencies{*this};
    std::map<uint64_t, KnownProgram> programs; ///< by hash
    uint64_t nextObject = 1, nextPipeline = 1, nextRequest = 1;
    sched::Scheduler *scheduler = nullptr; ///< of the running program
    OwnStatistics own;
};

} // namespace daphne::dist
