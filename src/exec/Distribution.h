// SPDX-License-Identifier: Apache-2.0
/// What the engine asks of other machines. A matrix whose cells were computed
/// elsewhere has its room here, but its cells come only when somebody looks at
/// them: every path to cells of a tracked object goes through bringHere().
///
/// Used by the coordinating thread only.
#pragma once

#include <vector>

#include "data/Value.h"
#include "exec/BoundLoop.h"
#include "kernels/Context.h"

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
    /// A collected column that is only there to be aggregated: numbers per kBlock rows are enough where ranges are made
    /// of whole blocks.
    BlockReduction reduction = BlockReduction::None;
    Value blocks; ///< room for them
};

struct DistributableLoop {
    BoundLoop &bound;
    std::vector<LoopOperand> operands; ///< by parameter
    bool isReduced = false;            ///< set by run(): blocks were filled instead of columns with a reduction
};

class Distribution {
  public:
    virtual ~Distribution() = default;
    /// Whether the loop should run on several machines. Outputs of the operands are not there yet.
    virtual bool wants(const DistributableLoop &loop) = 0;
    /// Runs all rows. False if a cell lies outside of an operation's domain: nothing has changed then.
    virtual bool run(Context &context, DistributableLoop &loop) = 0;
    /// Fetches all cells of a tracked matrix that are not here yet.
    virtual void bringHere(const Value &matrix) = 0;
    /// A tracked matrix, complete here, is about to be overwritten: copies elsewhere are not valid any more.
    virtual void forget(const Object &matrix) = 0;
};

/// Cells of the value may be read after this.
inline void bringHere(Context &context, const Value &v) {
    if (context.distribution && v.isMatrix() && v.object()->isTracked())
        context.distribution->bringHere(v);
}

/// The holder of this reference, the only one, may overwrite the cells.
inline void beforeOverwriting(Context &context, const Value &v) {
    if (context.distribution && v.isMatrix() && v.object()->isTracked() && v.object()->unique())
        context.distribution->forget(*v.object());
}

} // namespace daphne::exec
