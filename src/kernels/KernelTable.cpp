// SPDX-License-Identifier: Apache-2.0
#include "kernels/KernelTable.h"

#include "kernels/Convert.h"
#include "ops/Registry.h"

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
        return t;
    }();
    return table;
}

const Kernel *KernelTable::find(std::string_view mnemonic) const {
    auto it = kernels.find(mnemonic);
    return it == kernels.end() ? nullptr : &it->second;
}

void KernelTable::insert(const Kernel &kernel) {
    if (!kernels.emplace(kernel.mnemonic, kernel).second)
        throw internalError("two kernels for " + std::string(kernel.mnemonic));
}

std::string_view KernelCall::mnemonic() const { return kernel.mnemonic; }

Ref<Dense> KernelCall::reuseOrCreate(size_t k, ValueType type, size_t rows, size_t cols) {
    if (canTake(k)) {
        Dense &m = args[k].matrix();
        if (sameCells(m.type(), type) && m.rows() == rows && m.cols() == cols && m.contiguous()) {
            m.retag(type);
            return args[k].matrixRef();
        }
    }
    return Dense::create(type, rows, cols);
}

std::string describe(const Value &v) {
    std::string type(dslName(v.valueType()));
    switch (v.kind()) {
    case ValueKind::None: return "nothing";
    case ValueKind::Scalar: return type;
    case ValueKind::Matrix: return "matrix<" + type + "> " + v.matrix().shapeText();
    case ValueKind::List: return "list<matrix<" + type + ">> of length " + std::to_string(v.list().elements.size());
    case ValueKind::Frame: break;
    }
    return "frame " + v.frame().shapeText();
}

void wrongArgument(const KernelCall &call, size_t i, std::string_view what) {
    throw executionError("'" + std::string(ops::userName(call.mnemonic())) + "' needs " + std::string(what) +
                         " as argument " + std::to_string(i + 1) + ", got " + describe(call.args[i]));
}

} // namespace daphne
