// SPDX-License-Identifier: Apache-2.0
/// Aggregates that are nothing but their row: cells are converted, folded, and
/// that is the result. For rows that have no kernel of their own.
#include "kernels/folds/FoldKernels.h"

#include <algorithm>
#include <vector>

#include "kernels/folds/Folds.h"

namespace daphne {

namespace {

/// A number of a type that, unlike bool, a vector can store.
template <class T> struct Cell {
    T value;
};

template <class F, class T> Value foldAll(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    if (const T *x = reader.allInPlace())
        return Value::scalar(foldRun<F>(x, m.cells()), type);
    std::vector<Cell<T>> blocks;
    reader.all([&](const T *x, size_t n) { blocks.push_back({F::block(x, n)}); });
    return Value::scalar(F::merge(&blocks.data()->value, blocks.size()), type);
}

template <class F, class T> Value foldRows(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    auto result = Dense::create(type, m.rows(), 1);
    T *out = result->mutableView<T>().data;
    std::vector<Cell<T>> blocks;
    for (size_t r = 0; r < m.rows(); ++r) {
        if (const T *x = reader.rowInPlace(r)) {
            out[r] = foldRun<F>(x, m.cols());
            continue;
        }
        blocks.clear();
        reader.row(r, [&](const T *x, size_t n) { blocks.push_back({F::block(x, n)}); });
        out[r] = F::merge(&blocks.data()->value, blocks.size());
    }
    return result;
}

template <class F, class T> Value foldColumns(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    auto result = Dense::create(type, 1, m.cols());
    T *out = result->mutableView<T>().data;
    std::fill_n(out, m.cols(), F::template identity<T>());
    for (size_t r = 0; r < m.rows(); ++r) {
        const T *x = reader.wholeRow(r);
        vectorised([=, n = m.cols()] {
            for (size_t c = 0; c < n; ++c)
                out[c] = F::add(out[c], x[c]);
        });
    }
    std::transform(out, out + m.cols(), out, [](T x) { return F::finish(x); });
    return result;
}

Value fold(KernelCall &call, const Dense &m) {
    const ops::OpInfo &op = *ops::Registry::get().findOp(call.mnemonic());
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    ValueType type = preparedType(op, m.type());
    return withFoldAndType(*foldOf(op), type, [&]<class F, class T>(F, TypeTag<T>) -> Value {
        return op.family == ops::Family::AggAll   ? foldAll<F, T>(m, type)
               : op.family == ops::Family::AggRow ? foldRows<F, T>(m, type)
                                                  : foldColumns<F, T>(m, type);
    });
}

} // namespace

void addKernelsOfFolds(KernelTable &t, std::span<const ops::OpInfo *const> ops) {
    for (const ops::OpInfo *op : ops)
        if (foldOf(*op) && !t.find(op->mnemonic) && op->fold.finish == ops::FoldFacts::Finish::Nothing)
            t.add<&fold>(op->mnemonic);
}

} // namespace daphne
