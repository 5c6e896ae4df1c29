// SPDX-License-Identifier: Apache-2.0
#include "exec/KernelSequence.h"

#include <algorithm>

#include "exec/CallKernel.h"
#include "exec/StackArray.h"

namespace daphne::exec {

KernelSequence::KernelSequence(const Region &region) : calls(region.ops.size()) {
    std::vector<bool> isRead(region.numValues()); // by operations after the current one, or as a result
    for (size_t i = 0; i < region.outputs.size(); ++i) {
        auto rest = std::span(region.outputs).subspan(i + 1);
        movesOutput.push_back(std::ranges::find(rest, region.outputs[i]) == rest.end());
        isRead[region.outputs[i]] = true;
    }
    for (size_t i = region.ops.size(); i-- > 0;) {
        const RegionOp &op = region.ops[i];
        Call &call = calls[i];
        uint16_t result = static_cast<uint16_t>(region.numInputs + i);
        if (!isRead[result])
            call.releases.push_back(result); // computed only because it may fail
        for (size_t k = 0; k < op.operands.size(); ++k) {
            uint16_t v = op.operands[k];
            if (isRead[v])
                continue;
            bool once = std::ranges::count(op.operands, v) == 1;
            if (once && k < 8 && (op.info->reusable >> k & 1))
                call.takes |= uint64_t(1) << k;
            else if (std::ranges::find(call.releases, v) == call.releases.end())
                call.releases.push_back(v);
        }
        for (uint16_t v : op.operands)
            isRead[v] = true;
        mostOperands = std::max(mostOperands, op.operands.size());
    }
}

void KernelSequence::run(ThreadContext &thread, const Region &region, std::span<Value> inputs, std::span<Value> results,
                         uint64_t consumable) const {
    StackArray<Value, 32> made(calls.size()); // results of operations
    StackArray<Slot, 16> argArea(mostOperands);
    const size_t numInputs = region.numInputs;
    auto isOurs = [&](uint16_t v) { return v >= numInputs || (v < 64 && (consumable >> v & 1)); };
    auto value = [&](uint16_t v) -> Value & { return v < numInputs ? inputs[v] : made[v - numInputs]; };
    try {
        for (size_t i = 0; i < calls.size(); ++i) {
            const RegionOp &op = region.ops[i];
            uint64_t taken = 0;
            for (size_t k = 0; k < op.operands.size(); ++k) {
                uint16_t v = op.operands[k];
                if ((calls[i].takes >> k & 1) && isOurs(v)) {
                    argArea[k] = value(v).detach();
                    taken |= uint64_t(1) << k;
                } else {
                    argArea[k] = value(v).raw();
                }
            }
            thread.callSite = op.callSite;
            Slot result{op.expectedTag, 0};
            callKernel(thread, *op.kernel, {&result, 1}, {argArea.data(), op.operands.size()}, taken, op.castTarget);
            made[i] = Value::adopt(result);
            for (uint16_t v : calls[i].releases)
                if (isOurs(v))
                    value(v) = Value();
        }
        for (size_t i = 0; i < results.size(); ++i) {
            Value &v = value(region.outputs[i]);
            if (movesOutput[i] && isOurs(region.outputs[i]))
                results[i] = std::move(v);
            else
                results[i] = v;
        }
    } catch (...) {
        for (uint16_t v = 0; v < numInputs; ++v)
            if (isOurs(v))
                inputs[v] = Value();
        throw;
    }
}

} // namespace daphne::exec
