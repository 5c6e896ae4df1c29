// SPDX-License-Identifier: Apache-2.0
/// The coordinator's book of who holds which cells of which matrix. A record holds
/// a reference to its matrix, so that its cells never change; when that is the last
/// reference, the table drops the record. While cells are elsewhere the record is
/// the Residency of its matrix.
///
/// Cells are numbered row by row; those of a sparse matrix are its rows. A part
/// whose cells are not here is the only copy there is.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "data/Value.h"
#include "dist/coordinator/RowPartition.h"
#include "dist/protocol/Message.h"
#include "exec/Backend.h"

namespace daphne::dist {

/// How lost cells can be computed again: the loop that made them.
struct Lineage {
    std::shared_ptr<const exec::LoopProgram> program;
    exec::LoopFunction function = nullptr;
    uint64_t rows = 0, cols = 1;
    double serialNs = 0, nsPerStored = 0;
    std::vector<std::optional<exec::Reduce>> staged;
    bool stagesBlocks = false;
    std::vector<exec::LoopOperand> operands; ///< outputs without their matrices
    size_t output = 0;                       ///< the parameter
    uint32_t depth = 1;                      ///< loops that may have to be run again
};

struct Part {
    /// The worker of cells that were lost with it: only their lineage can bring them back.
    static constexpr uint32_t kNobody = ~uint32_t(0);
    uint64_t object = 0; ///< number the worker knows it by
    uint32_t worker = 0;
    uint64_t begin = 0, end = 0; ///< cells
    bool isWhole = false;        ///< sent to everybody
    bool isHere = true;          ///< the coordinator has these cells, too
};

/// The parameter of a loop that a matrix was the result of.
struct ResultOf {
    uint64_t program = 0; ///< hash; 0: none
    size_t parameter = 0;
    auto operator<=>(const ResultOf &) const = default;
};

/// A part of a matrix that is the content of a file: some columns of some rows.
struct FilePart {
    RowRange rows;
    uint64_t col, cols;
    std::string path;
    FileState state;
    std::vector<uint32_t> readers; ///< workers that can read it
};

struct ResidencyRecord;

/// Brings cells here that are elsewhere, for records.
class CellFetcher {
  public:
    virtual void bringHere(ResidencyRecord &record) = 0;
    virtual double nsToBringHere(const ResidencyRecord &record) const = 0;

  protected:
    ~CellFetcher() = default;
};

struct ResidencyRecord final : Residency {
    CellFetcher *fetcher = nullptr;
    Value matrix;
    uint64_t version = 0; ///< of its cells: never the same for two records
    std::vector<Part> parts;
    /// Which machine has which cells: ranges of the last partition with their machine (numPeers: the coordinator).
    std::vector<std::pair<RowRange, uint32_t>> partition;
    std::shared_ptr<const Lineage> lineage; ///< while some cells are not here
    std::vector<FilePart> files;            ///< none, or all of the matrix; of a sparse one: a single file
    std::vector<RowRange> unread;           ///< rows of files that are not here and can be read here
    double readNs = 0;                      ///< reading all of it took; 0: it is read where it is needed
    /// Which machine should compute with which cells as long as there is no partition, because a file says so.
    std::vector<std::pair<RowRange, uint32_t>> homes;
    ResultOf source;
    bool wasSent = false;                            ///< its cells came without being asked for
    bool wasRead = false;                            ///< somebody wanted cells of other machines here
    bool wasExchanged = false, wasUsedWhole = false; ///< everybody got all of it at once; and needed that

    void bringHere() override { fetcher->bringHere(*this); }
    double nsToBringHere() const override { return fetcher->nsToBringHere(*this); }
    bool isHere() const;
    /// Of a dense matrix, that only workers have.
    uint64_t cellsElsewhere() const;
    /// How a worker reads these cells from files, if it can.
    std::optional<ReadRows> toRead(uint32_t worker, uint64_t object, RowRange cells) const;
};

class ResidencyTable {
  public:
    explicit ResidencyTable(CellFetcher &fetcher) : fetcher(fetcher) {}
    ~ResidencyTable() { clear(); }

    /// The record of a matrix, made if there is none.
    ResidencyRecord &of(const Value &matrix);
    /// Null if there is none.
    ResidencyRecord *find(const Object &matrix);
    /// Whether cells of a matrix, rows of a sparse one, can be read here at once.
    bool isHere(const Value &matrix, RowRange cells) const;
    /// All that have the same cells as a dense matrix, whatever their shapes; its own one is the first.
    std::vector<ResidencyRecord *> withCellsOf(const Dense &matrix);
    void erase(const Object &matrix);
    /// The matrix names its record as its Residency while cells are elsewhere, or while it is to be noted whether
    /// somebody reads cells that were sent without being asked for. To be called when that has changed.
    void publish(ResidencyRecord &record);
    /// Drops records of matrices that nobody else knows any more.
    void sweep();
    /// Drops all parts of a lost worker but those that are the only copy: they are found by their lineage.
    void dropWorker(uint32_t worker);
    /// There are more machines than before: matrices whose cells are here, too, may be divided anew.
    void forgetPartitions();
    /// Objects that workers may drop, by worker.
    std::map<uint32_t, std::vector<uint64_t>> takeGarbage() { return std::exchange(garbage, {}); }
    /// Results whose cells came without being asked for and that nobody has read.
    std::vector<ResultOf> takeUnread() { return std::exchange(unreadResults, {}); }
    /// Results that everybody got as a whole, and nobody needed so.
    std::vector<ResultOf> takeUnusedWholes() { return std::exchange(unusedWholes, {}); }
    /// All matrices with rows in files that nobody has read here.
    std::vector<Value> unread() const;
    /// All matrices with cells elsewhere.
    std::vector<Value> incomplete() const;
    void clear();

  private:
    void retire(ResidencyRecord &record);
    static void withdraw(ResidencyRecord &record);

    CellFetcher &fetcher;
    std::map<const Object *, ResidencyRecord> records;
    std::map<uint32_t, std::vector<uint64_t>> garbage;
    std::vector<ResultOf> unreadResults, unusedWholes;
    uint64_t nextVersion = 1;
};

} // namespace daphne::dist
