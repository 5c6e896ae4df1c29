// SPDX-License-Identifier: Apache-2.0
/// A region for tests, together with the inputs it is run on: written down by
/// hand or at random, turned into an exec::Region for any engine, run by the
/// kernels one after another (the reference), and shown as text. Tests only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "exec/CallKernel.h"
#include "exec/LoopEngine.h"
#include "exec/Region.h"
#include "kernels/SameValue.h"

namespace daphne::test {

struct Recipe {
    /// Names an input, or the result of an operation.
    using Id = uint16_t;
    static constexpr Id kFirstResult = 0x8000;
    struct Op {
        std::string_view mnemonic;
        std::vector<Id> operands;
        uint64_t castTarget = 0;
        uint64_t expectedTag = 0;
    };

    std::vector<Value> inputs;
    uint64_t consumable = 0; ///< bit k: input k is handed over
    std::vector<Op> ops;
    std::vector<Id> outputs; ///< results

    Id input(Value v) {
        inputs.push_back(std::move(v));
        return static_cast<Id>(inputs.size() - 1);
    }
    Id add(std::string_view mnemonic, std::vector<Id> operands, uint64_t castTarget = 0, uint64_t expectedTag = 0) {
        ops.push_back({mnemonic, std::move(operands), castTarget, expectedTag});
        return static_cast<Id>(kFirstResult + ops.size() - 1);
    }
    /// lhs @ rhs
    Id product(Id lhs, Id rhs, bool transposeLhs = false, bool transposeRhs = false) {
        Id left = input(Value::scalar(transposeLhs)), right = input(Value::scalar(transposeRhs));
        return add("matMul", {lhs, rhs, left, right});
    }
    Id cast(Id x, ValueType type) { return add("cast", {x}, castTag(ValueKind::None, type)); }
    void output(Id result) { outputs.push_back(result); }

    static uint64_t castTag(ValueKind kind, ValueType type) {
        return static_cast<uint64_t>(kind) | static_cast<uint64_t>(type) << 8;
    }
    static bool isResult(Id id) { return id >= kFirstResult; }
    static size_t opOf(Id id) { return id - kFirstResult; }
    uint16_t number(Id id) const { return static_cast<uint16_t>(isResult(id) ? inputs.size() + opOf(id) : id); }

    /// The call site of operation i is i + 1.
    std::unique_ptr<exec::Region> build(exec::LoopEngine &engine) const {
        auto region = std::make_unique<exec::Region>(engine, inputs.size());
        for (const Op &op : ops) {
            exec::RegionOp step;
            step.info = ops::Registry::get().findOp(op.mnemonic);
            step.kernel = KernelTable::get().find(op.mnemonic);
            if (!step.info || !step.kernel)
                throw std::logic_error("no operation " + std::string(op.mnemonic));
            for (Id id : op.operands)
                step.operands.push_back(number(id));
            step.castTarget = op.castTarget;
            step.expectedTag = op.expectedTag;
            step.callSite = region->ops.size() + 1;
            region->ops.push_back(std::move(step));
        }
        for (Id id : outputs)
            region->outputs.push_back(number(id));
        return region;
    }

    std::string text() const;
};

/// What happened: values, or an error and the operation that raised it.
struct Outcome {
    std::vector<Value> values;
    std::string error;
    uint64_t callSite = 0;
    bool failed() const { return !error.empty(); }
};

/// One kernel on borrowed values.
inline Value runKernel(const Recipe::Op &op, std::vector<Value> args) {
    RunContext context;
    exec::ThreadContext thread(context);
    Slot result{op.expectedTag, 0};
    exec::callKernel(thread, *KernelTable::get().find(op.mnemonic), {&result, 1},
                     {reinterpret_cast<Slot *>(args.data()), args.size()}, 0, op.castTarget);
    return Value::adopt(result);
}

/// The results of all operations, by kernels on this thread that take nothing over; stops at the first error.
inline Outcome runKernels(const Recipe &recipe) {
    Outcome outcome;
    for (const Recipe::Op &op : recipe.ops) {
        std::vector<Value> args;
        for (Recipe::Id id : op.operands)
            args.push_back(Recipe::isResult(id) ? outcome.values[Recipe::opOf(id)] : recipe.inputs[id]);
        try {
            outcome.values.push_back(runKernel(op, std::move(args)));
        } catch (const Error &e) {
            outcome.error = e.message;
            outcome.callSite = outcome.values.size() + 1;
            break;
        }
    }
    return outcome;
}

inline std::string describeInput(const Value &v) {
    std::string text = describe(v);
    if (v.isCsr())
        return text + " csr" + (v.csr().isPattern() ? " pattern" : "") + (v.csr().offsets()[0] ? " window" : "") +
               " with " + std::to_string(v.csr().nonZeros()) + " stored";
    if (v.isMatrix())
        return text + (v.dense().contiguous() ? "" : " window");
    return text + " " + withNumericType(v.scalarType(), [&]<class T>(TypeTag<T>) { return cellText(v.as<T>()); });
}

inline std::string Recipe::text() const {
    std::string text;
    Outcome known = runKernels(*this);
    auto name = [&](Id id) { return isResult(id) ? "%" + std::to_string(opOf(id)) : "in" + std::to_string(id); };
    for (size_t i = 0; i < inputs.size(); ++i)
        text += "  in" + std::to_string(i) + " = " + describeInput(inputs[i]) +
                (consumable >> i & 1 ? ", taken over" : "") + "\n";
    for (size_t i = 0; i < ops.size(); ++i) {
        text += "  %" + std::to_string(i) + " = " + std::string(ops[i].mnemonic);
        for (Id id : ops[i].operands)
            text += " " + name(id);
        if (ops[i].castTarget)
            text += " to kind " + std::to_string(ops[i].castTarget & 0xff) + " " +
                    std::string(dslName(static_cast<ValueType>(ops[i].castTarget >> 8 & 0xff)));
        if (ops[i].expectedTag & exec::kWantsCsr)
            text += " as csr";
        text += (i < known.values.size() ? ": " + describeInput(known.values[i]) : "") + "\n";
    }
    text += "  out";
    for (Id id : outputs)
        text += " " + name(id);
    return text + "\n";
}

} // namespace daphne::test
