// SPDX-License-Identifier: Apache-2.0
/// What the engine asks of other machines. A matrix whose cells were computed
/// elsewhere has its room here, but its cells come only when somebody looks at
/// them: every path to cells goes through bringHere(). Who keeps records about a
/// matrix keeps a reference to it, too, so that nobody overwrites it in place.
///
/// A run has one, which its ThreadContext names. Not for two threads at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/Value.h"
#include "exec/BoundLoop.h"
#include "exec/ThreadContext.h"

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

/// A row has the sums of the next 2^level groups (kernels/PairwiseRows.h).
struct GroupsInRow {
    uint64_t row = 0;
    uint32_t level = 0;
};
/// The sum of all groups of an output, which is overwritten. No rows: each has one group.
void addUpGroups(Dense &groups, const std::vector<GroupsInRow> &rows, Dense &result);

struct DistributableLoop {
    BoundLoop &bound;
    std::vector<LoopOperand> operands; ///< by parameter
    /// By parameter that is a sum of groups: what its rows are after run(), in the order of groups.
    std::vector<std::vector<GroupsInRow>> sums{};
};

class Distribution {
  public:
    virtual ~Distribution() = default;
    /// Whether the loop should run on several machines. Outputs of the operands are not there yet.
    virtual bool wants(const DistributableLoop &loop) = 0;
    /// Runs all rows. False if a cell lies outside of an operation's domain: nothing has changed then.
    virtual bool run(RunContext &context, DistributableLoop &loop) = 0;
    /// Fetches all cells of a matrix that are not here yet; nothing happens for others.
    virtual void bringHere(const Value &matrix) = 0;
    /// The matrix in a file. Some parts may be read later, where they are needed; `readAll` reads everything here and
    /// now.
    virtual Value readMatrix(RunContext &, const std::string & /*file*/, bool /*asCsr*/,
                             const std::function<Value()> &readAll) {
        return readAll();
    }
    /// A sparse matrix was cast; the result is another one.
    virtual void wasCast(const Object * /*from*/, const Value & /*to*/) {}
    /// Files are going to change.
    virtual void beforeWriting() {}
};

/// Cells of the value may be read after this.
inline void bringHere(const ThreadContext &thread, const Value &v) {
    if (thread.distribution && v.isMatrix())
        thread.distribution->bringHere(v);
}

} // namespace daphne::exec
