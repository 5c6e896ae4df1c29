// SPDX-License-Identifier: Apache-2.0
/// A region: operations of one basic block that the compiler hands over as a
/// whole. When it runs, types, shapes and representations of all inputs are
/// known exactly; the engine then decides what to fuse, plans once per
/// combination of them, and runs fused loops on all workers.
///
/// Results are those of the kernels, executed one after another, to the last
/// bit. Errors are raised by the kernels, too: where a fused loop meets a cell
/// outside of an operation's domain, the region is run again unfused.
///
/// Once it is built, several threads may run a region at the same time: plans do
/// not change after they were published.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "exec/ThreadContext.h"
#include "kernels/KernelTable.h"
#include "ops/Registry.h"

namespace daphne::exec {

class LoopEngine;
class RegionPlans;

/// One operation with one result. Values are numbered: the inputs of the region first, then the results in order.
struct RegionOp {
    const ops::OpInfo *info = nullptr;
    const Kernel *kernel = nullptr;
    std::vector<uint16_t> operands;
    uint64_t castTarget = 0;  ///< only `cast`: kind and value type
    uint64_t expectedTag = 0; ///< of the result, with kWantsCsr; 0: the compiler does not know
    uint64_t callSite = 0;
};

class Region {
  public:
    Region(const LoopEngine &engine, size_t numInputs);
    ~Region();

    /// results[i] = value outputs[i]. Inputs in `consumable` are taken over, also if it throws, the others borrowed.
    void run(ThreadContext &thread, std::span<Value> inputs, std::span<Value> results, uint64_t consumable) const;

    std::vector<RegionOp> ops;
    std::vector<uint16_t> outputs;
    size_t numInputs;
    size_t numValues() const { return numInputs + ops.size(); }

  private:
    const LoopEngine &engine;
    mutable std::once_flag plansMade;
    mutable std::unique_ptr<RegionPlans> plans; ///< made when it first runs: operations are complete then
};

} // namespace daphne::exec
