// SPDX-License-Identifier: Apache-2.0
/// Cells sorted, different cells and rows, positions of cells, the first and last rows.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/Cancellable.h"
#include "base/Widening.h"
#include "kernels/KernelTable.h"
#include "kernels/RawCells.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/objects/Lists.h"
#include "kernels/relational/RowKeys.h"
#include "kernels/reorganise/CellOrder.h"
#include "kernels/reorganise/RadixSort.h"
#include "kernels/reorganise/Selection.h"

namespace daphne {

namespace {

/// `sorted`: room for as many cells elsewhere.
template <class T> void sortLine(RunContext &context, ValueType type, T *cells, T *sorted, size_t n, bool ascending) {
    if constexpr (!std::is_same_v<T, std::string>)
        if (n >= kRadixCells) {
            radixSort(context, type, cells, n, ascending, sorted);
            for (auto [begin, end] : cancellablePieces(n))
                std::copy(sorted + begin, sorted + end, cells + begin);
            return;
        }
    CancelCountdown look;
    std::stable_sort(cells, cells + n, [&](const T &a, const T &b) {
        look.after(1);
        return comesBefore(a, b, ascending);
    });
}

/// sort(arg, ascending[, axis])
Value sort(KernelCall &call, const Dense &m, bool ascending, std::span<const Value> rest) {
    bool rows = rest.empty() ? m.rows() == 1 : detail::FromValue<double>::get(call, 2) == 0;
    if (!rows && !rest.empty() && detail::FromValue<double>::get(call, 2) != 1)
        wrongArgument(call, 2, "the axis: 0 (each row) or 1 (each column)");
    Ref<Dense> result = m.copy();
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto out = result->template mutableView<T>();
        size_t length = rows ? out.cols : out.rows;
        auto room = std::make_unique_for_overwrite<T[]>(length);
        if (rows || out.cols == 1) {
            for (size_t r : cancellable(rows ? out.rows : 1, length))
                sortLine(call.context, m.type(), rows ? out.row(r) : out.data, room.get(), length, ascending);
            return;
        }
        auto line = std::make_unique_for_overwrite<T[]>(length);
        for (size_t c : cancellable(out.cols, length)) {
            for (size_t r : cancellable(length))
                line[r] = std::move(out(r, c));
            sortLine(call.context, m.type(), line.get(), room.get(), length, ascending);
            for (size_t r : cancellable(length))
                out(r, c) = std::move(line[r]);
        }
    });
    return result;
}

Value uniqueCells(RunContext &context, const Dense &m) {
    Ref<Dense> all =
        m.contiguous() ? Dense::reshaped(m, m.cells(), 1)->copy() : Dense::reshaped(*m.copy(), m.cells(), 1);
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) -> Value {
        T *cells = all->template mutableView<T>().data;
        size_t n = m.cells();
        auto room = std::make_unique_for_overwrite<T[]>(n);
        sortLine(context, m.type(), cells, room.get(), n, true);
        auto isSame = [](const T &a, const T &b) {
            if constexpr (std::is_floating_point_v<T>)
                return a == b || (isNan(a) && isNan(b));
            else
                return a == b;
        };
        CancelCountdown look;
        auto isRepeated = [&](const T &a, const T &b) {
            look.after(1);
            return isSame(a, b);
        };
        size_t count = static_cast<size_t>(std::unique(cells, cells + n, isRepeated) - cells);
        auto result = Dense::create(m.type(), count, 1);
        T *out = result->template mutableView<T>().data;
        for (size_t i : cancellable(count)) {
            if constexpr (std::is_same_v<T, std::string>)
                out[i] = std::move(cells[i]);
            else
                out[i] = canonical(cells[i]);
        }
        return result;
    });
}

Value unique(KernelCall &call, const Value &x) {
    if (x.isMatrix())
        return uniqueCells(call.context, x.dense());
    if (!x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    const Frame &frame = x.frame();
    std::vector<size_t> rows = relational::groupRows(frame.rows(), frame.columns).firstRow;
    std::ranges::sort(rows);
    return pickRows(frame, rows);
}

// ---------------------------------------------------------------------- where

Value positions(const Dense &condition) {
    return withNumericType(condition.type(), [&]<class T>(TypeTag<T>) -> Value {
        auto in = condition.view<T>();
        auto forEachFound = [&](auto &&f) {
            for (size_t r : cancellableRows(in))
                for (size_t c = 0; c < in.cols; ++c)
                    if (in(r, c) != T(0))
                        f(r, c);
        };
        size_t count = 0;
        forEachFound([&](size_t, size_t) { ++count; });
        auto result = Dense::create(ValueType::SI64, count, in.cols == 1 ? 1 : 2);
        int64_t *out = result->template mutableView<int64_t>().data;
        forEachFound([&](size_t r, size_t c) {
            *out++ = static_cast<int64_t>(r);
            if (in.cols != 1)
                *out++ = static_cast<int64_t>(c);
        });
        return result;
    });
}

/// A scalar or a matrix as cells of type T.
template <class T> class Choice {
  public:
    Choice(const Value &v, ValueType type)
        : value(v.isScalar() ? convertScalar(v, type) : Value(convertMatrix(v.dense(), type))) {
        if constexpr (std::is_same_v<T, std::string>)
            single = v.isScalar() ? value.text() : T();
        else
            single = v.isScalar() ? value.as<T>() : T();
        if (value.isMatrix())
            cells = value.dense().view<T>();
    }
    const T &operator()(size_t r, size_t c) const { return value.isMatrix() ? cells(r, c) : single; }

  private:
    Value value;
    DenseView<const T> cells{};
    T single;
};

/// where(condition[, then, otherwise])
Value where(KernelCall &call, const Dense &condition, std::span<const Value> choices) {
    if (condition.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    if (choices.empty())
        return positions(condition);
    for (size_t i = 0; i < 2; ++i) {
        const Value &v = choices[i];
        if (!v.isScalar() && !v.isMatrix())
            wrongArgument(call, 1 + i, "a scalar or a matrix");
        if (v.isMatrix() && (v.dense().rows() != condition.rows() || v.dense().cols() != condition.cols()))
            throw executionError("needs values of the shape of the condition, " + condition.shapeText() + ", got " +
                                 v.dense().shapeText());
    }
    auto common = leastCommonType(choices[0].valueType(), choices[1].valueType());
    if (!common)
        throw executionError("there is no type that " + describe(choices[0]) + " and " + describe(choices[1]) +
                             " both widen to");
    auto result = Dense::create(*common, condition.rows(), condition.cols());
    withNumericType(condition.type(), [&]<class C>(TypeTag<C>) {
        auto chosen = condition.view<C>();
        withValueType(*common, [&]<class T>(TypeTag<T>) {
            Choice<T> yes(choices[0], *common), no(choices[1], *common);
            auto out = result->template mutableView<T>();
            for (size_t r : cancellableRows(out))
                for (size_t c = 0; c < out.cols; ++c)
                    out(r, c) = chosen(r, c) != C(0) ? yes(r, c) : no(r, c);
        });
    });
    return result;
}

// ----------------------------------------------------------------- head, tail

/// Rows [begin, end) of a matrix or frame, elements of a list.
Value part(const Value &x, size_t begin, size_t end) {
    if (x.isCsr())
        return Csr::rowWindow(x.csr(), begin, end);
    if (x.isMatrix())
        return Dense::window(x.dense(), begin, end, 0, x.dense().cols());
    if (x.isFrame()) {
        auto result = Ref<Frame>::make(end - begin);
        for (size_t c = 0; c < x.frame().cols(); ++c)
            result->addColumn(x.frame().labels[c], Dense::window(*x.frame().columns[c], begin, end, 0, 1));
        return result;
    }
    std::vector<size_t> positions(end - begin);
    std::iota(positions.begin(), positions.end(), begin);
    return pickElements(sequenceOf(x), positions);
}

size_t lengthOf(const KernelCall &call, const Value &x) {
    if (x.isMatrix())
        return x.matrix().rows();
    if (x.isFrame())
        return x.frame().rows();
    if (!x.isList())
        wrongArgument(call, 0, "a matrix, frame or list");
    return sequenceOf(x).elements.size();
}

Value head(KernelCall &call, AnyValue x, size_t n) { return part(x.value, 0, std::min(n, lengthOf(call, x.value))); }

Value tail(KernelCall &call, AnyValue x, size_t n) {
    size_t length = lengthOf(call, x.value);
    return part(x.value, length - std::min(n, length), length);
}

} // namespace

void addSortCells(KernelTable &t) {
    t.add<&sort>("sort");
    t.add<&unique>("unique");
    t.add<&where>("where");
    t.add<&head>("head");
    t.add<&tail>("tail");
}

} // namespace daphne
