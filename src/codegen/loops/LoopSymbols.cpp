// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/LoopSymbols.h"

#include "kernels/Reduction.h"

namespace daphne::codegen {

namespace {

template <class T> void pairwiseAdd(PairwiseSum<T> *state, const T *block) { state->add(*block); }
template <class T> void pairwiseTotal(const PairwiseSum<T> *state, T *total) { *total = state->total(); }

template <class Op> std::string symbol(const char *prefix, Op op, ValueType type) {
    return prefix + std::to_string(static_cast<int>(op)) + "_" + std::string(dslName(type));
}

} // namespace

std::string unaryLoopSymbol(UnaryOp op, ValueType type) { return symbol("daphne_unary_", op, type); }
std::string binaryLoopSymbol(BinaryOp op, ValueType type) { return symbol("daphne_binary_", op, type); }
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
    bool unary = name.starts_with("daphne_unary_");
    if (!take("daphne_unary_") && !take("daphne_binary_"))
        return nullptr;
    size_t end = name.find('_');
    int op = std::stoi(std::string(name.substr(0, end)));
    ValueType type = typeNamed(name.substr(end + 1));
    if (unary)
        return reinterpret_cast<void *>(unaryLoop(static_cast<UnaryOp>(op), type).cells);
    return reinterpret_cast<void *>(binaryLoops(static_cast<BinaryOp>(op), type).cells);
}

} // namespace daphne::codegen
