// SPDX-License-Identifier: Apache-2.0
#include "exec/Region.h"

#include <algorithm>

#include "exec/CallKernel.h"
#include "exec/KernelSequence.h"
#include "exec/Plan.h"
#include "exec/RunLoop.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

/// Time that must have been lost to kernels before a loop is compiled: about what compiling costs.
constexpr double kCompileNs = 6e6;
/// Below this, kernels are as fast as a loop.
constexpr double kLeastNs = 3e3;

/// Inputs whose value, not only its type, a plan depends on: exponents and flags of products.
std::vector<bool> valueDependentInputs(const Region &region) {
    std::vector<bool> depends(region.numInputs);
    auto mark = [&](uint16_t v) {
        if (v < region.numInputs)
            depends[v] = true;
    };
    for (const RegionOp &op : region.ops) {
        if (op.info->mnemonic == "ewPow")
            mark(op.operands[1]);
        if (op.info->mnemonic == "matMul")
            mark(op.operands[2]), mark(op.operands[3]);
    }
    return depends;
}

} // namespace

/// Plans for the combinations of inputs seen so far, latest first.
struct RegionPlans {
    struct Entry {
        std::vector<Fact> inputs;
        Plan plan;
        bool kernelsOnly; ///< no step can ever pay as a loop
    };
    std::vector<std::unique_ptr<Entry>> entries;
    std::vector<bool> valueDependent;
    std::vector<uint32_t> readers; ///< of every value, outputs counted once more
    KernelSequence sequence;
    static constexpr size_t kMost = 16;

    explicit RegionPlans(const Region &region) : sequence(region) {
        valueDependent = valueDependentInputs(region);
        readers.assign(region.numValues(), 0);
        for (const RegionOp &op : region.ops)
            for (uint16_t v : op.operands)
                ++readers[v];
        for (uint16_t v : region.outputs)
            ++readers[v];
    }

    Entry &find(const Region &region, const Engine &engine, std::span<const Value> inputs) {
        if (!entries.empty() && isFor(*entries.front(), inputs))
            return *entries.front();
        std::vector<Fact> facts;
        facts.reserve(inputs.size());
        for (size_t i = 0; i < inputs.size(); ++i)
            facts.push_back(factOf(inputs[i], valueDependent[i]));
        for (size_t i = 0; i < entries.size(); ++i)
            if (entries[i]->inputs == facts) {
                std::rotate(entries.begin(), entries.begin() + static_cast<ptrdiff_t>(i),
                            entries.begin() + static_cast<ptrdiff_t>(i) + 1);
                return *entries.front();
            }
        if (entries.size() == kMost)
            entries.pop_back();
        Plan plan = makePlan(region, facts);
        bool kernelsOnly =
            std::ranges::none_of(plan.steps, [&](const Step &step) { return step.fused && mayPay(engine, step); });
        entries.insert(entries.begin(), std::make_unique<Entry>(Entry{facts, std::move(plan), kernelsOnly}));
        return *entries.front();
    }

  private:
    bool isFor(const Entry &entry, std::span<const Value> inputs) const {
        for (size_t i = 0; i < inputs.size(); ++i)
            if (!isFactOf(entry.inputs[i], inputs[i], valueDependent[i]))
                return false;
        return true;
    }

    static bool mayPay(const Engine &engine, const Step &step) {
        return engine.options.always || !engine.options.jit || step.csr >= 0 || step.kernelNs >= kLeastNs;
    }
};

namespace {

class RegionRun {
  public:
    RegionRun(Context &context, Engine &engine, const Region &region, Plan &plan, RegionState &state)
        : context(context), engine(engine), region(region), plan(plan), state(state) {}

    void run() {
        executed.assign(region.ops.size(), false);
        try {
            runSteps();
        } catch (const Error &) {
            // Steps are not in the order of the program: an earlier operation that fails, too, is the one to name.
            uint64_t site = context.callSite;
            for (uint16_t op = 0, last = failing; op < last; ++op)
                if (!executed[op])
                    runKernel(op);
            context.callSite = site;
            throw;
        }
    }

  private:
    void runSteps() {
        for (Step &step : plan.steps) {
            if (!step.fused || !asPlanned || !runFused(step))
                for (uint16_t op : step.ops)
                    runKernel(op);
            else
                for (uint16_t op : step.ops) {
                    executed[op] = true;
                    for (uint16_t v : region.ops[op].operands)
                        countReader(v);
                }
        }
    }

    void countReader(uint16_t v) {
        if (--state.readers[v] == 0)
            state.values[v] = Value();
    }

    bool runFused(Step &step) {
        // A failing operation is named by kernels; running out of memory by the first one.
        context.callSite = region.ops[step.ops.front()].callSite;
        if (!pays(step))
            return false;
        return runLoop(context, engine, region, step, state);
    }

    /// Whether the loop is faster than its kernels, compiling it included.
    bool pays(Step &step) {
        if (engine.options.always || !engine.options.jit) {
            if (!step.function)
                step.function = engine.compile(step.program);
            return true;
        }
        double stored = 0;
        if (step.csr >= 0)
            stored = static_cast<double>(state.values[static_cast<size_t>(step.csr)].csr().nonZeros());
        double kernels = step.kernelNs + stored * step.kernelNsPerStored;
        double loop = step.serialNs + stored * step.nsPerStored;
        if (kernels < kLeastNs)
            return false;
        if (step.function)
            return true;
        double threads = context.scheduler ? context.scheduler->numThreads() : 1;
        step.spentNs += kernels - loop / std::min(threads, 4.0);
        if (step.spentNs < kCompileNs)
            return false;
        step.function = engine.compile(step.program);
        return true;
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
        context.callSite = op.callSite;
        failing = index;
        Slot result{op.expectedTag, 0};
        callKernel(context, *op.kernel, {&result, 1}, args, consumable, op.castTarget);
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

    Context &context;
    Engine &engine;
    const Region &region;
    Plan &plan;
    RegionState &state;
    std::vector<bool> executed; ///< by operation
    uint16_t failing = 0;       ///< the kernel being run
    bool asPlanned = true;
};

} // namespace

Region::Region(Engine &engine, size_t numInputs) : numInputs(numInputs), engine(engine) {}
Region::~Region() = default;

void Region::run(Context &context, std::span<Value> inputs, std::span<Value> results, uint64_t consumable) {
    if (!plans)
        plans = std::make_unique<RegionPlans>(*this);
    RegionPlans::Entry &entry = plans->find(*this, engine, inputs);
    if (entry.kernelsOnly)
        return plans->sequence.run(context, *this, inputs, results, consumable);
    RegionState state;
    state.values.resize(numValues());
    state.readers = plans->readers;
    for (size_t i = 0; i < numInputs; ++i) {
        if (i < 64 && (consumable >> i & 1))
            state.values[i] = std::move(inputs[i]);
        else
            state.values[i] = inputs[i];
    }
    RegionRun(context, engine, *this, entry.plan, state).run();
    for (size_t i = 0; i < outputs.size(); ++i)
        results[i] = state.values[outputs[i]];
}

} // namespace daphne::exec
