// SPDX-License-Identifier: Apache-2.0
#include "exec/CallKernel.h"

#include <algorithm>
#include <chrono>

#include "exec/Placement.h"
#include "exec/RunProduct.h"
#include "kernels/system/FileOptions.h"
#include "ops/Registry.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

/// Inference and kernel disagree about a result: convert numbers, everything else is our bug.
Value agree(Value result, uint64_t expectedTag, const Kernel &kernel) {
    auto kind = static_cast<ValueKind>(expectedTag & 0xff);
    auto type = static_cast<ValueType>(expectedTag >> 8 & 0xff);
    bool areNumbers =
        kind == ValueKind::Scalar && result.isScalar() && isNumeric(result.scalarType()) && isNumeric(type);
    if (areNumbers)
        return withNumericType(type, [&]<class T>(TypeTag<T>) { return Value::scalar(result.as<T>(), type); });
    throw internalError("kernel " + std::string(kernel.mnemonic) + " returned " + describe(result) +
                        " where the compiler expects something else");
}

/// The result in the representation the plan wants; what print calls it follows the plan.
Value represented(Value result, bool asCsr) {
    if (asCsr && !result.isCsr())
        return Csr::shown(*toCsr(result.dense()), true);
    if (result.isCsr() && result.csr().isShownAsCsr() != asCsr)
        return Csr::shown(result.csr(), asCsr);
    return result;
}

void runHere(KernelCall &call) {
    sched::Scheduler *scheduler = call.context.scheduler;
    if (!scheduler || !scheduler->settings().statistics)
        return call.kernel.run(call);
    auto begin = std::chrono::steady_clock::now();
    call.kernel.run(call);
    std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - begin;
    scheduler->noteCall(call.kernel.mnemonic, ns.count());
}

/// Where other backends take part: they may run products and read files, have cells of arguments, and must have read
/// all files before one is written.
void runPlaced(Placement &placement, const ops::OpInfo &op, KernelCall &call) {
    if (op.product != ops::ProductForm::None && runProduct(placement, call, op.product))
        return;
    for (const Value &arg : call.args)
        bringHere(arg);
    if (has(op.effects, ops::Effect::WritesFile))
        placement.beforeWriting();
    bool isRead = has(op.effects, ops::Effect::ReadsFile) && !call.args[1].as<bool>();
    if (!isRead || !std::ranges::all_of(call.args.subspan(kFirstReadOption, kNumReadOptions), isNotGiven))
        return runHere(call); // other machines read files as these say themselves
    bool asCsr = call.wantsCsr & 1;
    call.results[0] = placement.readMatrix(call.context, call.args[0].text(), asCsr, [&] {
        runHere(call);
        return represented(std::move(call.results[0]), asCsr);
    });
}

const ops::OpInfo &infoOf(const Kernel &kernel) {
    static constexpr ops::OpInfo kNothingSpecial{};
    const ops::OpInfo *op = ops::Registry::get().findOp(kernel.mnemonic);
    return op ? *op : kNothingSpecial;
}

} // namespace

void callKernel(ThreadContext &thread, const Kernel &kernel, std::span<Slot> results, std::span<Slot> args,
                uint64_t consumable, uint64_t castTarget) {
    constexpr size_t kMaxResults = 4;
    uint64_t expected[kMaxResults], wantsCsr = 0;
    for (size_t i = 0; i < results.size(); ++i) {
        expected[i] = results[i].tag & ~kWantsCsr;
        wantsCsr |= uint64_t((results[i].tag & kWantsCsr) != 0) << i;
        results[i] = {};
    }
    // Value has the layout of Slot; borrowed arguments are never destroyed here.
    auto *argValues = reinterpret_cast<Value *>(args.data());
    auto *resultValues = reinterpret_cast<Value *>(results.data());
    // Generated code has no clean-up: what was handed over is released here, whatever happens.
    struct Cleanup {
        std::span<Slot> args, results;
        uint64_t consumable;
        bool failed = true;
        ~Cleanup() {
            auto *argValues = reinterpret_cast<Value *>(args.data());
            for (; consumable; consumable &= consumable - 1)
                argValues[__builtin_ctzll(consumable)] = Value();
            for (Slot &result : failed ? results : results.first(0))
                Value::adopt(std::exchange(result, Slot{}));
        }
    } cleanup{args, results, consumable};
    KernelCall call{thread.run,      kernel,  {argValues, args.size()}, {resultValues, results.size()}, consumable,
                    {castTarget, 0}, wantsCsr};
    const Object *source = nullptr; // of a matrix that stores the same cells
    if (!thread.placement) {
        runHere(call);
    } else {
        const ops::OpInfo &op = infoOf(kernel);
        if (has(op.effects, ops::Effect::KeepsStored) && argValues[0].isCsr())
            source = argValues[0].object();
        runPlaced(*thread.placement, op, call);
    }
    for (size_t i = 0; i < results.size(); ++i) {
        if (expected[i] && expected[i] != results[i].tag)
            resultValues[i] = agree(std::move(resultValues[i]), expected[i], kernel);
        if ((wantsCsr >> i & 1) || resultValues[i].isCsr())
            resultValues[i] = represented(std::move(resultValues[i]), wantsCsr >> i & 1);
    }
    if (source && resultValues[0].isCsr())
        thread.placement->keptStored(source, resultValues[0]);
    cleanup.failed = false;
}

} // namespace daphne::exec
