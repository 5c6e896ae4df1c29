// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/LoopSymbols.h"

#include "kernels/aggregates/Reduction.h"

namespace daphne::codegen {

namespace {

template <class T> void pairwiseAdd(PairwiseSum<T> *state, const T *block) { state->add(*block); }
template <class T> void pairwiseTotal(const PairwiseSum<T> *state, T *total) { *total = state->total(); }

} // namespace

std::string cellLoopSymbol(const CellFunction &f, ValueType type) {
    return "daphne_cells_" + std::string(f.op->mnemonic) + "_" + std::string(dslName(type));
}
std::string pairwiseAddSymbol(ValueType type) { return "daphne_pairwise_add_" + std::string(dslName(type)); }
std::string pairwiseTotalSymbol(ValueType type) { return "daphne_pairwise_total_" + std::string(dslName(type)); }
size_t pairwiseBytes(ValueType type) {
    return type == ValueType::F32 ? sizeof(PairwiseSum<float>) : sizeof(PairwiseSum<double>);
}

void *loopSymbolAddress(std::string_view name) {
    auto take = [&](std::string_view prefix) {
        bool is = name.starts_with(prefix);
        if (is)
            name.remove_prefix(prefix.size());
        return is;
    };
    auto typeNamed = [](std::string_view word) { return word == "size" ? ValueType::Size : parseValueType(word); };
    if (take("daphne_pairwise_add_"))
        return name == "f32" ? reinterpret_cast<void *>(&pairwiseAdd<float>)
                             : reinterpret_cast<void *>(&pairwiseAdd<double>);
    if (take("daphne_pairwise_total_"))
        return name == "f32" ? reinterpret_cast<void *>(&pairwiseTotal<float>)
                             : reinterpret_cast<void *>(&pairwiseTotal<double>);
    if (!take("daphne_cells_"))
        return nullptr;
    size_t end = name.find('_');
    const CellFunction *f = CellTable::get().find(name.substr(0, end));
    if (!f || end == name.npos)
        return nullptr;
    ValueType type = typeNamed(name.substr(end + 1));
    return f->unary ? reinterpret_cast<void *>(f->unary(type).cells) : reinterpret_cast<void *>(f->binary(type).cells);
}

} // namespace daphne::codegen
