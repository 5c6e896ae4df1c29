// SPDX-License-Identifier: Apache-2.0
#include "exec/RegionPlans.h"

#include <algorithm>

#include "exec/PlanText.h"

namespace daphne::exec {

namespace {

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

bool mayPay(const LoopEngine &engine, const PlanStep &step) {
    return engine.options.always || !engine.options.jit || step.csr >= 0 || step.kernelNs >= RegionPlans::kLeastNs;
}

} // namespace

void StepCode::set(LoopCodeRef code) {
    if (!code)
        return;
    std::lock_guard lock(mutex);
    if (!held)
        held = std::move(code);
    known.store(held->function, std::memory_order_release);
}

RegionPlans::RegionPlans(const Region &region)
    : readers(region.numValues()), sequence(region), region(region), valueDependent(valueDependentInputs(region)) {
    for (const RegionOp &op : region.ops)
        for (uint16_t v : op.operands)
            ++readers[v];
    for (uint16_t v : region.outputs)
        ++readers[v];
}

RegionPlans::~RegionPlans() {
    for (auto &slot : published)
        delete slot.load();
}

bool RegionPlans::isFor(const PlannedRegion &planned, std::span<const Value> inputs) const {
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!isFactOf(planned.inputs[i], inputs[i], valueDependent[i]))
            return false;
    return true;
}

std::unique_ptr<PlannedRegion> RegionPlans::make(const LoopEngine &engine, std::span<const Value> inputs) const {
    auto planned = std::make_unique<PlannedRegion>();
    planned->inputs.reserve(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        planned->inputs.push_back(factOf(inputs[i], valueDependent[i]));
    planned->plan = makePlan(region, planned->inputs);
    const auto &steps = planned->plan.steps;
    planned->codes = std::make_unique<StepCode[]>(steps.size());
    planned->kernelsOnly =
        std::ranges::none_of(steps, [&](const PlanStep &step) { return step.fused && mayPay(engine, step); });
    return planned;
}

PlannedRegion &RegionPlans::find(ThreadContext &thread, const LoopEngine &engine, std::span<const Value> inputs) {
    // Slots are filled in order.
    size_t used = 0;
    for (; used < kMost; ++used) {
        PlannedRegion *planned = published[used].load(std::memory_order_acquire);
        if (!planned)
            break;
        if (isFor(*planned, inputs))
            return *planned;
    }
    if (used == kMost && thread.plans)
        if (PlannedRegion *planned = thread.plans->find(*this, inputs))
            return *planned;
    std::unique_ptr<PlannedRegion> made = make(engine, inputs);
    for (; used < kMost; ++used) {
        PlannedRegion *other = nullptr;
        if (published[used].compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)) {
            tell(thread, *made, inputs, true);
            return *made.release();
        }
        if (isFor(*other, inputs))
            return *other;
    }
    if (!thread.plans)
        thread.plans = std::make_unique<PrivatePlans>();
    tell(thread, *made, inputs, false);
    return thread.plans->add(*this, std::move(made));
}

void RegionPlans::tell(ThreadContext &thread, const PlannedRegion &planned, std::span<const Value> inputs,
                       bool isKept) const {
    if (thread.planObserver)
        thread.planObserver->planned(region, planned, inputs, isKept);
}

PlannedRegion *PrivatePlans::find(const RegionPlans &plans, std::span<const Value> inputs) {
    auto isWanted = [&](const Entry &e) { return e.plans == &plans && plans.isFor(*e.planned, inputs); };
    auto found = std::ranges::find_if(entries, isWanted);
    if (found == entries.end())
        return nullptr;
    std::rotate(entries.begin(), found, found + 1);
    return entries.front().planned.get();
}

PlannedRegion &PrivatePlans::add(const RegionPlans &plans, std::unique_ptr<PlannedRegion> planned) {
    if (entries.size() == RegionPlans::kMost)
        entries.pop_back();
    entries.insert(entries.begin(), {&plans, std::move(planned)});
    return *entries.front().planned;
}

} // namespace daphne::exec
