// SPDX-License-Identifier: Apache-2.0
#include "exec/CallKernel.h"

#include <chrono>

#include "exec/Distribution.h"
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

/// Files that other machines read, too, are read later; before one is written, everything else has been read.
bool readElsewhere(KernelCall &call) {
    Distribution *distribution = activeDistribution();
    if (!distribution)
        return false;
    if (call.kernel.mnemonic == "write")
        distribution->beforeWriting();
    if (call.kernel.mnemonic != "read" || call.wantsCsr || call.args[1].as<bool>())
        return false;
    std::optional<Value> matrix = distribution->readLater(call.context, call.args[0].text());
    if (matrix)
        call.results[0] = std::move(*matrix);
    return matrix.has_value();
}

} // namespace

void callKernel(Context &context, const Kernel &kernel, std::span<Slot> results, std::span<Slot> args,
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
    if (activeDistribution())
        for (size_t i = 0; i < args.size(); ++i)
            bringHere(argValues[i]);
    KernelCall call{context,         kernel,  {argValues, args.size()}, {resultValues, results.size()}, consumable,
                    {castTarget, 0}, wantsCsr};
    if (readElsewhere(call)) {
        // Nothing to do now.
    } else if (context.scheduler && context.scheduler->settings().statistics) {
        auto begin = std::chrono::steady_clock::now();
        kernel.run(call);
        std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - begin;
        context.scheduler->noteCall(kernel.mnemonic, ns.count());
    } else {
        kernel.run(call);
    }
    for (; consumable; consumable &= consumable - 1)
        argValues[__builtin_ctzll(consumable)] = Value();
    for (size_t i = 0; i < results.size(); ++i) {
        if (expected[i] && expected[i] != results[i].tag)
            resultValues[i] = agree(std::move(resultValues[i]), expected[i], kernel);
        if ((wantsCsr >> i & 1) || resultValues[i].isCsr())
            resultValues[i] = represented(std::move(resultValues[i]), wantsCsr >> i & 1);
    }
}

} // namespace daphne::exec
