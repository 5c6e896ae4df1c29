// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/LoopSymbols.h"

namespace daphne::codegen {

namespace {

template <class F, class T> void pairwiseAdd(PairwiseFold<F, T> *state, const T *block) { state->add(*block); }
template <class F, class T> void pairwiseTotal(const PairwiseFold<F, T> *state, T *total) { *total = state->total(); }

std::string foldText(Reduce how, ValueType type) {
    return std::string(propertiesOf(how).name) + "_" + std::string(dslName(type));
}

/// f(functor, type tag) of a rounded fold and a floating-point type as foldText() writes them; null for others.
template <class F> void *withRoundedFold(std::string_view name, F &&f) {
    for (size_t i = 0; i < std::tuple_size_v<Folds>; ++i)
        for (ValueType type : {ValueType::F32, ValueType::F64})
            if (auto how = static_cast<Reduce>(i); name == foldText(how, type))
                return withFold(how, [&]<class Fold>(Fold) -> void * {
                    if constexpr (Fold::kRounds)
                        return type == ValueType::F32 ? f(Fold{}, TypeTag<float>{}) : f(Fold{}, TypeTag<double>{});
                    return nullptr;
                });
    return nullptr;
}

} // namespace

std::string cellLoopSymbol(const CellFunction &f, ValueType type) {
    return "daphne_cells_" + std::string(f.op->mnemonic) + "_" + std::string(dslName(type));
}
std::string pairwiseAddSymbol(Reduce how, ValueType type) { return "daphne_pairwise_add_" + foldText(how, type); }
std::string pairwiseTotalSymbol(Reduce how, ValueType type) { return "daphne_pairwise_total_" + foldText(how, type); }
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
        return withRoundedFold(
            name, []<class F, class T>(F, TypeTag<T>) { return reinterpret_cast<void *>(&pairwiseAdd<F, T>); });
    if (take("daphne_pairwise_total_"))
        return withRoundedFold(
            name, []<class F, class T>(F, TypeTag<T>) { return reinterpret_cast<void *>(&pairwiseTotal<F, T>); });
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
