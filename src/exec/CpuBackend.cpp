// SPDX-License-Identifier: Apache-2.0
/// This CPU as a backend: all threads of the scheduler.
#include <algorithm>

#include "exec/Backend.h"
#include "kernels/RunContext.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

/// Numbers that are aggregated over all rows stay in the cache if every thread has so many blocks of them.
constexpr uint64_t kBlocksPerThread = 64;

uint64_t threadsOf(const RunContext &context) { return context.scheduler ? context.scheduler->numThreads() : 1; }

class CpuBackend final : public Backend {
  public:
    std::string_view name() const override { return "this CPU"; }

    Estimate estimate(const RunContext &context, const LoopTask &task) override {
        double serialNs = task.bound.serialNs, fetchNs = 0;
        for (const LoopOperand &operand : task.operands) {
            if (!operand.value.isMatrix())
                continue;
            if (operand.value.isCsr())
                serialNs += static_cast<double>(operand.value.csr().nonZeros()) * task.bound.nsPerStored;
            if (Residency *residency = operand.value.residency())
                fetchNs += residency->nsToBringHere();
        }
        // More threads than blocks have nothing to do.
        uint64_t threads = std::min<uint64_t>(threadsOf(context), task.bound.numBlocks());
        return {.ns = serialNs / static_cast<double>(std::max<uint64_t>(1, threads)) + fetchNs};
    }

    Outcome run(RunContext &context, LoopTask &task) override {
        return runRows(context.scheduler, task.bound, 0, task.bound.rows) ? Outcome::Done : Outcome::Fault;
    }

    bool mayOverwriteInputs() const override { return true; }
    uint64_t leastBlocks(const RunContext &context, const LoopEngine &engine) const override {
        return threadsOf(context) * (engine.options.always ? 1 : kBlocksPerThread);
    }
};

} // namespace

Backend &cpuBackend() {
    static CpuBackend backend;
    return backend;
}

} // namespace daphne::exec
