// SPDX-License-Identifier: Apache-2.0
/// A backend runs fused loops and products of matrices: this CPU (cpuBackend()),
/// other machines (dist/coordinator/Cluster.h), later devices. The Placement of a
/// run asks its backends what a loop would cost and takes one of them.
///
/// A backend may leave the cells of results where they were computed: their room
/// is here, and the matrix has a Residency that brings the cells. Every path to
/// cells goes through bringHere(). A backend that keeps records about a matrix
/// holds a reference to it, so that nobody overwrites it in place.
///
/// One run uses a backend at a time, from one thread; the backend of this CPU has
/// no state and serves all runs.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "data/Value.h"
#include "exec/BoundLoop.h"
#include "exec/LoopEngine.h"

namespace daphne {
struct RunContext;
}

namespace daphne::exec {

/// A parameter of a loop that may run elsewhere.
struct LoopOperand {
    enum class Role : uint8_t {
        Number,    ///< the same bits everywhere
        Whole,     ///< a vector that all rows need
        Split,     ///< every row needs its own row
        Result,    ///< a row per row; its cells may stay where they were computed
        Collected, ///< a row per row or per block, needed at once
        Kept,      ///< room of each thread
    };
    Role role = Role::Number;
    uint64_t bits = 0;
    Value value; ///< a matrix; of outputs the room for all rows
};

/// A row has the sums of the next 2^level groups (kernels/aggregates/PairwiseRows.h).
struct GroupsInRow {
    uint64_t row = 0;
    uint32_t level = 0;
};
/// The sum of all groups of an output, which is overwritten. No rows: each has one group.
void addUpGroups(Dense &groups, const std::vector<GroupsInRow> &rows, Dense &result);

/// A loop that is to run somewhere.
class LoopTask {
  public:
    explicit LoopTask(BoundLoop &bound) : bound(bound) {}

    BoundLoop &bound;
    /// By parameter. Outputs have their matrices when the task runs, not when its cost is estimated. Empty: it runs
    /// here.
    std::vector<LoopOperand> operands;
    /// By parameter that is a sum of groups: what its rows are after run(), in the order of groups. Empty: a group
    /// each.
    std::vector<std::vector<GroupsInRow>> sums;

    /// The text of the program, which names it; made at the first call.
    const std::string &text() const;

  private:
    mutable std::string programText;
};

/// What running a task would cost.
struct Estimate {
    double ns = 0;                 ///< each time
    double onceNs = 0;             ///< and once, until rows are where the backend needs them
    std::string_view refusal = {}; ///< why the backend cannot or must not run it; "": it can

    bool isRefused() const { return !refusal.empty(); }
    static Estimate refuse(std::string_view why) { return {.refusal = why}; }
    /// The user wants the task to run there, whatever it costs.
    static Estimate demanded() { return {.ns = -std::numeric_limits<double>::infinity()}; }
};

enum class Outcome : uint8_t {
    Done,
    Fault, ///< a cell lies outside of an operation's domain: nothing has changed
};

class Backend {
  public:
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;

    virtual Estimate estimate(const RunContext &context, const LoopTask &task) = 0;
    /// Runs all rows.
    virtual Outcome run(RunContext &context, LoopTask &task) = 0;

    // ---- how loops are bound for it
    /// Takes rows from where they are. Otherwise all cells of operands must be here.
    virtual bool takesRowsElsewhere() const { return false; }
    /// Results may overwrite inputs. A backend that may have to compute rows again needs its inputs.
    virtual bool mayOverwriteInputs() const { return false; }
    /// A loop over at least so many blocks of rows leaves numbers per block, not per row, where only their aggregate is
    /// wanted.
    virtual uint64_t leastBlocks(const RunContext &context, const LoopEngine &engine) const = 0;

    // ---- what the program does besides loops
    /// The matrix in a file. The backend may read some parts later, where they are needed; `readAll` reads everything
    /// here and now.
    virtual Value readMatrix(RunContext &, const std::string & /*file*/, bool /*asCsr*/,
                             const std::function<Value()> &readAll) {
        return readAll();
    }
    /// An operation made another sparse matrix that stores the same cells, unless some have become zero.
    virtual void keptStored(const Object * /*from*/, const Value & /*to*/) {}
    /// Files are going to change.
    virtual void beforeWriting() {}
};

/// The threads of the run's scheduler. Never refuses.
Backend &cpuBackend();

/// Cells of the value may be read after this.
inline void bringHere(const Value &v) {
    if (v.isMatrix())
        if (Residency *residency = v.residency())
            residency->bringHere();
}

} // namespace daphne::exec
