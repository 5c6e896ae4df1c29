// SPDX-License-Identifier: Apache-2.0
/// Who holds which cells of which matrix. A record belongs to a matrix of the
/// coordinator, under its address, and dies with it; a write ends all copies.
///
/// Cells are numbered row by row; those of a sparse matrix are its rows. A part
/// whose cells are not here is the only copy there is.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "data/Value.h"
#include "dist/Cut.h"
#include "exec/Distribution.h"

namespace daphne::dist {

/// How lost cells can be computed again: the loop that made them.
struct Lineage {
    std::shared_ptr<const exec::LoopProgram> program;
    exec::LoopFunction function = nullptr;
    uint64_t rows = 0, cols = 1;
    double serialNs = 0, nsPerStored = 0;
    std::vector<exec::LoopOperand> operands; ///< outputs without their matrices
    size_t output = 0;                       ///< the parameter
    uint32_t depth = 1;                      ///< loops that may have to be run again
};

struct Part {
    uint64_t object = 0; ///< number the worker knows it by
    uint32_t worker = 0;
    uint64_t begin = 0, end = 0; ///< cells
    bool isWhole = false;        ///< sent to everybody
    bool isHere = true;          ///< the coordinator has these cells, too
};

struct PlacementRecord {
    uint64_t version = 0;
    std::vector<Part> parts;
    /// Who has which cells: ranges of the last cut, with the participant (numPeers: the coordinator).
    std::vector<std::pair<RowRange, uint32_t>> cut;
    std::shared_ptr<const Lineage> lineage; ///< while some cells are not here

    bool isHere() const;
};

/// Thread-safe: matrices die on any thread.
class Placements {
  public:
    /// There is one at a time in a process.
    Placements();
    ~Placements();

    /// The record of a matrix, made and tracked if there is none. Only the coordinating thread uses it, and not after
    /// the matrix is gone.
    PlacementRecord &of(const Value &matrix);
    /// Null if there is none.
    PlacementRecord *find(const Object &matrix);
    void erase(const Object &matrix);
    /// Drops the parts of a lost worker and returns nothing: cells that were only there are found by their lineage.
    void dropWorker(uint32_t worker);
    /// These numbers are not needed any more.
    void discard(uint32_t worker, uint64_t object);
    /// Objects that workers may drop, by worker.
    std::map<uint32_t, std::vector<uint64_t>> takeGarbage();
    /// All matrices with cells elsewhere.
    std::vector<Object *> incomplete();
    void dropLineages();

  private:
    static void farewell(Object *object);
    void retire(PlacementRecord &record);

    std::mutex mutex;
    std::map<const Object *, std::unique_ptr<PlacementRecord>> records;
    std::map<uint32_t, std::vector<uint64_t>> garbage;
    uint64_t nextVersion = 1;
};

} // namespace daphne::dist
