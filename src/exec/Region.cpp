// SPDX-License-Identifier: Apache-2.0
#include "exec/Region.h"

#include <algorithm>
#include <chrono>

#include "exec/CallKernel.h"
#include "exec/RegionPlans.h"
#include "exec/RunLoop.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

/// Time that must have been lost to kernels before a loop is compiled: about what compiling costs.
constexpr double kCompileNs = 6e6;
} // namespace

namespace {

class RegionRun {
  public:
    RegionRun(ThreadContext &thread, const LoopEngine &engine, const Region &region, PlannedRegion &planned,
              RegionState &state)
        : thread(thread), engine(engine), region(region), planned(planned), plan(planned.plan), state(state) {}

    void run() {
        executed.assign(region.ops.size(), false);
        try {
            runSteps();
        } catch (const Error &) {
            // Steps are not in the order of the program: an earlier operation that fails, too, is the one to name.
            uint64_t site = thread.callSite;
            for (uint16_t op = 0, last = failing; op < last; ++op)
                if (!executed[op])
                    runKernel(op);
            thread.callSite = site;
            throw;
        }
    }

  private:
    void runSteps() {
        for (size_t s = 0; s < plan.steps.size(); ++s) {
            if (!thread.planObserver) {
                runStep(plan.steps[s], planned.codes[s]);
                continue;
            }
            auto begin = std::chrono::steady_clock::now();
            bool wasLoop = runStep(plan.steps[s], planned.codes[s]);
            std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - begin;
            planned.codes[s].note(wasLoop, ns.count());
        }
    }

    /// Whether it was run as a loop.
    bool runStep(const PlanStep &step, StepCode &code) {
        if (!step.fused || !asPlanned || !runFused(step, code)) {
            for (uint16_t op : step.ops)
                runKernel(op);
            return false;
        }
        for (uint16_t op : step.ops) {
            executed[op] = true;
            for (uint16_t v : region.ops[op].operands)
                countReader(v);
        }
        return true;
    }

    void countReader(uint16_t v) {
        if (--state.readers[v] == 0)
            state.values[v] = Value();
    }

    bool runFused(const PlanStep &step, StepCode &code) {
        // A failing operation is named by kernels; running out of memory by the first one.
        thread.callSite = region.ops[step.ops.front()].callSite;
        if (!pays(step, code))
            return false;
        return runLoop(thread, engine, region, step, code.function(), state);
    }

    /// Whether the loop is faster than its kernels, compiling it included.
    bool pays(const PlanStep &step, StepCode &code) {
        using Wait = LoopCompiler::Wait;
        if (engine.options.always || !engine.options.jit) {
            if (!code.function())
                code.set(engine.compile(step.program, Wait::Yes));
            return true;
        }
        double stored = 0;
        if (step.csr >= 0)
            stored = static_cast<double>(state.values[static_cast<size_t>(step.csr)].csr().nonZeros());
        double kernels = step.kernelNs + stored * step.kernelNsPerStored;
        double loop = step.serialNs + stored * step.nsPerStored;
        if (kernels < RegionPlans::kLeastNs)
            return false;
        if (code.function())
            return true;
        double threads = thread.run.scheduler ? thread.run.scheduler->numThreads() : 1;
        if (code.addSpent(kernels - loop / std::min(threads, 4.0)) < kCompileNs)
            return false;
        // While another thread compiles it, kernels are faster than an interpreted loop.
        code.set(engine.compile(step.program, Wait::No));
        return code.function() || step.program.product;
    }

    void runKernel(uint16_t index) {
        const RegionOp &op = region.ops[index];
        std::vector<Slot> args(op.operands.size());
        uint64_t consumable = 0;
        for (size_t k = 0; k < args.size(); ++k) {
            uint16_t v = op.operands[k];
            bool last = state.readers[v] == 1;
            if (last && k < 8 && (op.info->reusable >> k & 1)) {
                args[k] = state.values[v].detach();
                consumable |= uint64_t(1) << k;
            } else {
                args[k] = state.values[v].raw();
            }
        }
        thread.callSite = op.callSite;
        failing = index;
        Slot result{op.expectedTag, 0};
        callKernel(thread, *op.kernel, {&result, 1}, args, consumable, op.castTarget);
        executed[index] = true;
        size_t v = region.numInputs + index;
        state.values[v] = Value::adopt(result);
        const Fact &expected = plan.facts[v];
        if (expected.form != Fact::Form::Unknown) {
            Fact found = factOf(state.values[v], false);
            found.pattern = expected.pattern;
            // The kernel chose another form than assumed (a Csr, a window): loops over it do not fit.
            asPlanned &= found == expected;
        }
        for (uint16_t operand : op.operands)
            countReader(operand);
        if (state.readers[v] == 0)
            state.values[v] = Value();
    }

    ThreadContext &thread;
    const LoopEngine &engine;
    const Region &region;
    PlannedRegion &planned;
    const Plan &plan;
    RegionState &state;
    std::vector<bool> executed; ///< by operation
    uint16_t failing = 0;       ///< the kernel being run
    bool asPlanned = true;
};

} // namespace

Region::Region(const LoopEngine &engine, size_t numInputs) : numInputs(numInputs), engine(engine) {}
Region::~Region() = default;

void Region::run(ThreadContext &thread, std::span<Value> inputs, std::span<Value> results, uint64_t consumable) const {
    std::call_once(plansMade, [this] { plans = std::make_unique<RegionPlans>(*this); });
    PlannedRegion &planned = plans->find(thread, engine, inputs);
    if (planned.kernelsOnly)
        return plans->sequence.run(thread, *this, inputs, results, consumable);
    RegionState state;
    state.values.resize(numValues());
    state.readers = plans->readers;
    for (size_t i = 0; i < numInputs; ++i) {
        if (i < 64 && (consumable >> i & 1))
            state.values[i] = std::move(inputs[i]);
        else
            state.values[i] = inputs[i];
    }
    RegionRun(thread, engine, *this, planned, state).run();
    for (size_t i = 0; i < outputs.size(); ++i)
        results[i] = state.values[outputs[i]];
}

} // namespace daphne::exec
