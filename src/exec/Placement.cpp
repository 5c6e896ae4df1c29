// SPDX-License-Identifier: Apache-2.0
#include "exec/Placement.h"

namespace daphne::exec {

bool Placement::isBetter(const Estimate &there, const Estimate &here, const LoopTask &task) {
    double gain = here.ns - there.ns;
    if (there.isRefused() || gain <= 0)
        return false;
    auto known = regrets.find(task.text());
    if (there.onceNs == 0 && known != regrets.end())
        known->second.caution = 1;
    if (gain >= there.onceNs)
        return true;
    if (known == regrets.end())
        known = regrets.emplace(task.text(), Regret{}).first;
    Regret &regret = known->second;
    regret.missedNs += gain;
    if (regret.missedNs < regret.caution * there.onceNs)
        return false;
    regret.missedNs = 0;
    regret.caution *= 2;
    return true;
}

Backend &Placement::choose(const RunContext &context, LoopTask &task) {
    Backend *best = &cpuBackend();
    Estimate least = best->estimate(context, task);
    for (Backend *other : others)
        if (Estimate estimate = other->estimate(context, task); isBetter(estimate, least, task)) {
            best = other;
            least = estimate;
        }
    for (const LoopOperand &operand : task.operands)
        if (!best->takesRowsElsewhere() || operand.role == LoopOperand::Role::Number ||
            operand.role == LoopOperand::Role::Whole)
            bringHere(operand.value);
    if (best->mayOverwriteInputs())
        task.operands.clear(); // references keep results from taking storage over
    return *best;
}

Value Placement::readMatrix(RunContext &context, const std::string &file, bool asCsr,
                            const std::function<Value()> &readAll) {
    std::function<Value()> read = readAll;
    for (Backend *other : others)
        read = [&context, &file, asCsr, other, next = std::move(read)] {
            return other->readMatrix(context, file, asCsr, next);
        };
    return read();
}

void Placement::keptStored(const Object *from, const Value &to) {
    for (Backend *other : others)
        other->keptStored(from, to);
}

void Placement::beforeWriting() {
    for (Backend *other : others)
        other->beforeWriting();
}

} // namespace daphne::exec
