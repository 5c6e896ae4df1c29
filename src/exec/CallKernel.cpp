// SPDX-License-Identifier: Apache-2.0
#include "exec/CallKernel.h"

#include <chrono>

#include "exec/Distribution.h"
#include "exec/RunProduct.h"
#include "sched/Scheduler.h"

namespace daphne::exec {

namespace {

/// Inference and kernel disagree about a result: convert numbers, everything else is our bug.
Value agree(Value result, uint64_t expectedTag, const Kernel &kernel) {
    auto kind = static_cast<ValueKind>(expectedTag & 0xff);
    auto type = static_cast<ValueType>(expectedTag >> 8 & 0xff);
    if (kind == ValueKind::Scalar && result.isScalar() && !result.isString() && type != ValueType::Str)
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

/// Matrices in files may be read by other machines, too; before a file is written, all others have been read.
void run(Distribution &distribution, KernelCall &call) {
    if (call.kernel.mnemonic == "write")
        distribution.beforeWriting();
    if (call.kernel.mnemonic != "read" || call.args[1].as<bool>())
        return runHere(call);
    bool asCsr = call.wantsCsr & 1;
    call.results[0] = distribution.readMatrix(call.context, call.args[0].text(), asCsr, [&] {
        runHere(call);
        return represented(std::move(call.results[0]), asCsr);
    });
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
    bool isCast = thread.distribution && kernel.mnemonic == "cast" && argValues[0].isCsr();
    const Object *source = isCast ? argValues[0].object() : nullptr;
    KernelCall call{thread.run,      kernel,  {argValues, args.size()}, {resultValues, results.size()}, consumable,
                    {castTarget, 0}, wantsCsr};
    if (!thread.distribution) {
        runHere(call);
    } else if (!runProductElsewhere(*thread.distribution, call)) {
        for (const Value &arg : call.args)
            bringHere(thread, arg);
        run(*thread.distribution, call);
    }
    for (size_t i = 0; i < results.size(); ++i) {
        if (expected[i] && expected[i] != results[i].tag)
            resultValues[i] = agree(std::move(resultValues[i]), expected[i], kernel);
        if ((wantsCsr >> i & 1) || resultValues[i].isCsr())
            resultValues[i] = represented(std::move(resultValues[i]), wantsCsr >> i & 1);
    }
    if (isCast && resultValues[0].isCsr())
        thread.distribution->wasCast(source, resultValues[0]);
    cleanup.failed = false;
}

} // namespace daphne::exec
