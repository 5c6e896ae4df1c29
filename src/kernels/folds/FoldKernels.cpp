// SPDX-License-Identifier: Apache-2.0
/// Aggregates that are nothing but their row: cells are converted, folded, and
/// that is the result. For rows that have no kernel of their own.
#include "kernels/folds/FoldKernels.h"

#include <algorithm>
#include <vector>

#include "base/Cancellable.h"
#include "kernels/aggregates/PairwiseRows.h"
#include "kernels/folds/Folds.h"
#include "kernels/products/NarrowProduct.h"

namespace daphne {

namespace {

Ref<Dense> matrixOf(const Value &number) {
    auto result = Dense::create(number.scalarType(), 1, 1);
    storeScalar(number, number.scalarType(), mutableRawCells(*result).data);
    return result;
}

/// A number of a type that, unlike bool, a vector can store.
template <class T> struct Cell {
    T value;
};

/// No cells are no blocks, which have no address.
template <class F, class T> T merged(const std::vector<Cell<T>> &blocks) {
    return F::merge(blocks.empty() ? nullptr : &blocks.front().value, blocks.size());
}

template <class F, class T> Value foldAll(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    if (const T *x = reader.allInPlace())
        return Value::scalar(foldRun<F>(x, m.cells()), type);
    std::vector<Cell<T>> blocks;
    reader.all([&](const T *x, size_t n) { blocks.push_back({F::block(x, n)}); });
    return Value::scalar(merged<F>(blocks), type);
}

template <class F, class T> Value foldRows(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    auto result = Dense::create(type, m.rows(), 1);
    T *out = result->mutableView<T>().data;
    std::vector<Cell<T>> blocks;
    for (size_t r : cancellableRows(m)) {
        if (const T *x = reader.rowInPlace(r)) {
            out[r] = foldRun<F>(x, m.cols());
            continue;
        }
        blocks.clear();
        reader.row(r, [&](const T *x, size_t n) { blocks.push_back({F::block(x, n)}); });
        out[r] = merged<F>(blocks);
    }
    return result;
}

/// Rows [begin, end), from the first to the last.
template <class F, class T>
void foldRowsInto(CellReader<T> &reader, size_t begin, size_t end, T *out, size_t numColumns) {
    CancelCountdown look;
    for (size_t r = begin; r < end; ++r) {
        look.after(numColumns);
        const T *x = reader.wholeRow(r);
        vectorised([=] {
            for (size_t c = 0; c < numColumns; ++c)
                out[c] = F::add(out[c], x[c]);
        });
    }
}

template <class F, class T> Value foldColumns(const Dense &m, ValueType type) {
    CellReader<T> reader(m);
    auto result = Dense::create(type, 1, m.cols());
    T *out = result->mutableView<T>().data;
    if constexpr (F::kRounds) { // as loops do it: sums of groups of rows, added up in pairs
        PairwiseRows<T> sum(m.cols());
        for (size_t begin = 0; begin < m.rows(); begin += kRowGroup) {
            T *group = sum.room();
            foldRowsInto<F>(reader, begin, std::min(m.rows(), begin + kRowGroup), group, m.cols());
            sum.add(group);
        }
        sum.total(out);
    } else {
        std::fill_n(out, m.cols(), F::template identity<T>());
        foldRowsInto<F>(reader, 0, m.rows(), out, m.cols());
    }
    std::transform(out, out + m.cols(), out, [](T x) { return F::finish(x); });
    return result;
}

/// f(m), cell by cell.
Ref<Dense> applied(const CellFunction &f, const Dense &m) {
    UnaryLoop loop = f.unary(m.type());
    Ref<Dense> source = convertMatrix(m, loop.type);
    auto result = Dense::create(loop.type, m.rows(), m.cols());
    auto in = rawCells(*source);
    auto out = mutableRawCells(*result);
    for (size_t r : cancellableRows(m))
        loop.cells(in.row(r), out.row(r), m.cols());
    return result;
}

Value fold(KernelCall &call, const Dense &cells) {
    const ops::OpInfo &op = *ops::Registry::get().findOp(call.mnemonic());
    if (cells.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    const CellFunction *function = appliedFirst(op);
    Ref<Dense> values = function ? applied(*function, cells) : Ref<Dense>();
    const Dense &m = function ? *values : cells;
    ValueType type = preparedType(op, m.type());
    ops::Arg arg{ops::TypeDesc::matrix(cells.type(), -1, -1), {}};
    ValueType result = op.infer({op, {&arg, 1}, {}})[0].valueType;
    return withFoldAndType(*foldOf(op), type, [&]<class F, class T>(F, TypeTag<T>) -> Value {
        bool oneColumn = op.family == ops::Family::AggCol && m.cols() == 1; // faster as a whole
        if (op.family == ops::Family::AggAll || oneColumn) {
            Value total = convertScalar(foldAll<F, T>(m, type), result);
            return oneColumn ? Value(matrixOf(total)) : total;
        }
        Value each = op.family == ops::Family::AggRow ? foldRows<F, T>(m, type) : foldColumns<F, T>(m, type);
        return convertMatrix(each.dense(), result);
    });
}

} // namespace

void addKernelsOfFolds(KernelTable &t, std::span<const ops::OpInfo *const> ops) {
    for (const ops::OpInfo *op : ops)
        if (foldOf(*op) && !t.find(op->mnemonic) && op->fold.finish == ops::FoldFacts::Finish::Nothing)
            t.add<&fold>(op->mnemonic);
}

} // namespace daphne
