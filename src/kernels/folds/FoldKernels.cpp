// SPDX-License-Identifier: Apache-2.0
/// Aggregates that are nothing but their row: cells are converted, folded, and
/// that is the result. For rows that have no kernel of their own.
#include "kernels/folds/FoldKernels.h"

#include <memory>

#include "kernels/folds/Folds.h"

namespace daphne {

namespace {

/// Folds runs of cells block by block.
template <class F, class T> class BlockFold {
  public:
    explicit BlockFold(size_t mostCells) : blocks(new T[mostCells / CellReader<T>::kBlock + 1]) {}

    /// forEachBlock(f) calls f(cells, n) for every block of a run.
    template <class ForEach> T operator()(ForEach &&forEachBlock) {
        size_t count = 0;
        forEachBlock([&](const T *x, size_t n) { blocks[count++] = F::block(x, n); });
        return F::merge(blocks.get(), count);
    }

  private:
    std::unique_ptr<T[]> blocks;
};

template <class F, class T> Value foldAll(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    return Value::scalar(BlockFold<F, T>(m.cells())([&](auto &&block) { reader.all(block); }), type);
}

template <class F, class T> Value foldRows(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    BlockFold<F, T> fold(m.cols());
    auto result = Dense::create(type, m.rows(), 1);
    T *out = result->mutableView<T>().data;
    for (size_t r = 0; r < m.rows(); ++r) {
        const T *first = nullptr;
        T firstCell = F::template identity<T>();
        out[r] = fold([&](auto &&block) {
            reader.row(r, [&](const T *x, size_t n) {
                if (!first)
                    first = x, firstCell = *x;
                block(x, n);
            });
        });
        // As in Aggregate.cpp: extremes of a row keep a NaN that comes first.
        if (!std::is_same_v<F, SumFold> && isNan(firstCell))
            out[r] = firstCell;
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
    return result;
}

Value fold(KernelCall &call, const Dense &m) {
    const ops::OpInfo &op = *ops::Registry::get().findOp(call.mnemonic());
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    ValueType type = preparedType(op, m.type());
    return withFold(*foldOf(op), [&]<class F>(F) {
        return withNumericType(type, [&]<class T>(TypeTag<T>) -> Value {
            if constexpr (std::is_same_v<F, SumFold> && std::is_same_v<T, bool>)
                throw internalError("sum of bool cells");
            else
                return op.family == ops::Family::AggAll   ? foldAll<F, T>(m, type)
                       : op.family == ops::Family::AggRow ? foldRows<F, T>(m, type)
                                                          : foldColumns<F, T>(m, type);
        });
    });
}

} // namespace

void addKernelsOfFolds(KernelTable &t, std::span<const ops::OpInfo *const> ops) {
    for (const ops::OpInfo *op : ops)
        if (foldOf(*op) && !t.find(op->mnemonic) && op->fold.finish == ops::FoldFacts::Finish::Nothing)
            t.add<&fold>(op->mnemonic);
}

} // namespace daphne
