// SPDX-License-Identifier: Apache-2.0
#include "kernels/KernelTable.h"

#include "data/Sequence.h"

#include "kernels/csr/StoredValues.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/folds/FoldKernels.h"
#include "ops/Registry.h"
#include "ops/WholeNumber.h"

namespace daphne {

#define DAPHNE_KERNELS(name) void add##name(KernelTable &);
#include "KernelsList.inc"
#undef DAPHNE_KERNELS

const KernelTable &KernelTable::get() {
    static const KernelTable table = [] {
        KernelTable t;
#define DAPHNE_KERNELS(name) add##name(t);
#include "KernelsList.inc"
#undef DAPHNE_KERNELS
        addKernelsOfFolds(t, ops::Registry::get().ops());
        t.attachVariants();
        return t;
    }();
    return table;
}

const Kernel *KernelTable::find(std::string_view mnemonic) const {
    auto it = kernels.find(mnemonic);
    return it == kernels.end() ? nullptr : &it->second;
}

void KernelTable::insert(Kernel kernel) {
    std::string_view mnemonic = kernel.mnemonic;
    if (!kernels.emplace(mnemonic, std::move(kernel)).second)
        throw internalError("two kernels for " + std::string(mnemonic));
}

void KernelTable::attachVariants() {
    for (auto &[mnemonic, implementation] : variants) {
        auto it = kernels.find(mnemonic);
        if (it == kernels.end())
            throw internalError("a sparse kernel for " + std::string(mnemonic) + ", which has no dense one");
        it->second.implementations.push_back(implementation);
    }
    variants.clear();
}

namespace {

/// Arguments an implementation needs converted to Dense, or kUnfit.
constexpr size_t kUnfit = ~size_t(0);

template <class IsCsr> size_t numConversions(const Implementation &implementation, size_t numArgs, IsCsr isCsr) {
    size_t n = 0;
    for (size_t i = 0; i < numArgs; ++i) {
        ArgForm form = implementation.form(i);
        if (form == ArgForm::Csr && !isCsr(i))
            return kUnfit;
        n += form == ArgForm::NotCsr && isCsr(i);
    }
    return n;
}

/// Runs with copies of the arguments, those that may not be Csr converted.
void runConverted(KernelCall &call, const Implementation &implementation) {
    std::vector<Value> args(call.args.size());
    uint64_t consumable = 0;
    for (size_t i = 0; i < args.size(); ++i) {
        bool taken = i < 64 && (call.consumable >> i & 1);
        if (call.args[i].isCsr() && implementation.form(i) == ArgForm::NotCsr) {
            args[i] = toDense(call.args[i].csr());
            if (taken)
                call.args[i] = Value();
            taken = i < 64; // ours alone
        } else {
            args[i] = taken ? std::move(call.args[i]) : call.args[i];
        }
        consumable |= uint64_t(taken) << (i % 64);
    }
    KernelCall inner = {call.context, call.kernel, args, call.results, consumable, call.castTarget, call.wantsCsr};
    implementation.run(inner);
}

} // namespace

Value runDense(KernelCall &call) {
    runConverted(call, call.kernel.implementations[0]);
    return std::move(call.results[0]);
}

void Kernel::run(KernelCall &call) const {
    bool anyCsr = false;
    for (const Value &v : call.args)
        anyCsr |= v.isCsr();
    if (!anyCsr)
        return implementations[0].run(call);
    const Implementation *best = nullptr;
    size_t fewest = kUnfit;
    for (const Implementation &candidate : implementations) {
        size_t n = numConversions(candidate, call.args.size(), [&](size_t i) { return call.args[i].isCsr(); });
        if (n < fewest) {
            best = &candidate;
            fewest = n;
        }
    }
    if (fewest == 0)
        best->run(call);
    else
        runConverted(call, *best);
}

bool Kernel::isNative(std::span<const bool> isCsr) const {
    for (const Implementation &candidate : implementations)
        if (numConversions(candidate, isCsr.size(), [&](size_t i) { return isCsr[i]; }) == 0)
            return true;
    return false;
}

ops::OpName KernelCall::mnemonic() const { return kernel.mnemonic; }

Ref<Dense> KernelCall::reuseOrCreate(size_t k, ValueType type, size_t rows, size_t cols) {
    if (canTake(k)) {
        Dense &m = args[k].dense();
        if (sameCells(m.type(), type) && m.rows() == rows && m.cols() == cols && m.contiguous()) {
            m.retag(type);
            return args[k].denseRef();
        }
    }
    return Dense::create(type, rows, cols);
}

std::string describe(const Value &v) {
    if (isFunction(v))
        return "function";
    std::string type(dslName(v.valueType()));
    switch (v.kind()) {
    case ValueKind::None: return "nothing";
    case ValueKind::Scalar: return type;
    case ValueKind::Matrix: return "matrix<" + type + "> " + v.matrix().shapeText();
    case ValueKind::List:
        return (v.valueType() == ValueType::Unknown ? "list" : "list<matrix<" + type + ">>") + " of length " +
               std::to_string(sequenceOf(v).elements.size());
    case ValueKind::Frame: break;
    }
    return "frame " + v.frame().shapeText();
}

void needWholeNumber(const KernelCall &call, size_t i) {
    auto x = call.args[i].as<double>();
    if (!ops::isWhole(x))
        throw executionError(ops::notWholeText(x)).withHint(std::string(ops::kWholeNumberHint));
}

void wrongArgument(const KernelCall &call, size_t i, std::string_view what) {
    throw executionError("'" + std::string(ops::userName(call.mnemonic())) + "' needs " + std::string(what) +
                         " as argument " + std::to_string(i + 1) + ", got " + describe(call.args[i]));
}

} // namespace daphne
