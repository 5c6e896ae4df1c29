// SPDX-License-Identifier: Apache-2.0
/// Where the loops of a run run. Asks the backends what a loop would cost and
/// takes the cheapest; this CPU is always one of them and never refuses.
///
/// Where rows have to be moved first, the Placement moves them if the loop gains
/// that at once, or when the time that was lost by not moving them would have paid
/// for it. That costs at most about twice what the best choice would have cost,
/// whatever the program does next. Rows that were moved in vain make the Placement
/// more careful with that loop.
///
/// A run has one, which its ThreadContext names; none: everything runs on this CPU.
/// It may serve one run after the other, and remembers loops. Not thread-safe.
#pragma once

#include <map>

#include "exec/Backend.h"

namespace daphne::exec {

class Placement {
  public:
    /// The other backends of this process; they must outlive this.
    explicit Placement(std::vector<Backend *> others) : others(std::move(others)) {}

    /// The backend that is to run the task; brings operands here that it needs here. Operands that stay in the task
    /// tell the backend where rows are; none stay for one that overwrites inputs.
    Backend &choose(const RunContext &context, LoopTask &task);

    /// What a program does besides loops: see Backend.
    Value readMatrix(RunContext &context, const std::string &file, bool asCsr, const std::function<Value()> &readAll);
    void keptStored(const Object *from, const Value &to);
    void beforeWriting();

  private:
    /// What the Placement remembers of a loop.
    struct Regret {
        double missedNs = 0; ///< time that moving rows would have saved since they were moved the last time
        double caution = 1;  ///< so many times as much must have been missed as moving rows costs
    };
    bool isBetter(const Estimate &there, const Estimate &here, const LoopTask &task);

    std::vector<Backend *> others;
    std::map<std::string, Regret, std::less<>> regrets; ///< by the text of the program
};

} // namespace daphne::exec
