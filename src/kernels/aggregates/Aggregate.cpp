// SPDX-License-Identifier: Apache-2.0
/// Aggregates over all cells, per row and per column.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/PairwiseRows.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/aggregates/StringExtremes.h"

namespace daphne {

namespace {

/// Which cells give one result.
enum class Over { All, Row, Col };

void needNumbers(const KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
}

/// The cells of one result: all of a matrix, or one row.
template <class T> struct CellRun {
    CellReader<T> &reader;
    bool whole;
    size_t row, size;

    /// Calls block(cells, n) from the first to the last.
    template <class F> void operator()(F &&block) const {
        if (whole)
            reader.all(block);
        else
            reader.row(row, block);
    }
    /// Null if they are not adjacent cells of type T.
    const T *inPlace() const { return whole ? reader.allInPlace() : reader.rowInPlace(row); }
};

/// f(cells) for the only result or the result of every row.
template <class T, class F> Value reduceBlocks(Over over, const Dense &m, ValueType type, F &&f) {
    CellReader<T> reader(m);
    if (over == Over::All)
        return Value::scalar(f(CellRun<T>{reader, true, 0, m.cells()}), type);
    auto result = Dense::create(type, m.rows(), 1);
    auto out = result->template mutableView<T>();
    for (size_t r = 0; r < m.rows(); ++r)
        out(r, 0) = f(CellRun<T>{reader, false, r, m.cols()});
    return result;
}

// ------------------------------------------------------------- sums and means

constexpr auto kUnchanged = [](auto x) { return x; };

template <class T, class Map> auto blockSum(Map map) {
    return [map](const CellRun<T> &cells) {
        if (const T *x = cells.inPlace())
            return sumRun(x, cells.size, map);
        PairwiseSum<T> sum;
        cells([&](const T *x, size_t n) { sum.add(sumBlock(x, n, map)); });
        return sum.total();
    };
}

/// out[c] += sum of map(x, c) over some rows, from the first to the last.
template <class T, class Map, size_t N> void addRows(const std::array<const T *, N> &rows, T *out, size_t n, Map map) {
#pragma GCC ivdep
    for (size_t c = 0; c < n; ++c) {
        T sum = out[c];
        for (size_t i = 0; i < N; ++i)
            sum = wrappingSum(sum, map(rows[i][c], c));
        out[c] = sum;
    }
}

/// out[c] = sum over r of map(m(r, c), c), rows in groups so that rounding errors stay small.
template <class T, class Map> void sumColumns(const Dense &m, T *out, Map map) {
    constexpr size_t kGroup = 512, kTogether = CellReader<T>::kSlots;
    CellReader<T> reader(m);
    PairwiseRows<T> sum(m.cols());
    for (size_t begin = 0; begin < m.rows(); begin += kGroup) {
        T *group = sum.room();
        size_t end = std::min(m.rows(), begin + kGroup), r = begin;
        for (; r + kTogether <= end; r += kTogether) {
            std::array<const T *, kTogether> rows;
            for (size_t i = 0; i < kTogether; ++i)
                rows[i] = reader.wholeRow(r + i, i);
            vectorised([&, n = m.cols()] { addRows(rows, group, n, map); });
        }
        for (; r < end; ++r)
            addRows<T, Map, 1>({reader.wholeRow(r)}, group, m.cols(), map);
        sum.add(group);
    }
    sum.total(out);
}

/// Rows that fit into one block, two at a time.
template <class T> Value sumsOfShortRows(const Dense &m, ValueType type) {
    auto result = Dense::create(type, m.rows(), 1);
    T *out = result->template mutableView<T>().data;
    vectorised([out, in = m.view<T>()] {
        size_t half = in.rows / 2;
        for (size_t r = 0; r < half; ++r)
            std::tie(out[r], out[half + r]) = sumTwoBlocks(in.row(r), in.row(half + r), in.cols, kUnchanged);
        if (in.rows % 2)
            out[in.rows - 1] = sumLanes(in.row(in.rows - 1), in.cols, kUnchanged);
    });
    return result;
}

template <class T> Value columnSums(const Dense &m, ValueType type) {
    auto result = Dense::create(type, 1, m.cols());
    T *out = result->mutableView<T>().data;
    CellReader<T> reader(m);
    if (m.cols() == 1)
        out[0] = blockSum<T>(kUnchanged)(CellRun<T>{reader, true, 0, m.cells()});
    else
        sumColumns<T>(m, out, [](T x, size_t) { return x; });
    return result;
}

template <Over O> Value sum(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    ValueType type = m.type() == ValueType::Bool ? ValueType::SI64 : m.type();
    return withNumericType(type, [&]<class T>(TypeTag<T>) -> Value {
        if constexpr (std::is_same_v<T, bool>)
            throw internalError("sum of bool cells");
        else if constexpr (O == Over::Col)
            return columnSums<T>(m, type);
        else if (O == Over::Row && sameCells(m.type(), type) && m.cols() <= CellReader<T>::kBlock)
            return sumsOfShortRows<T>(m, type);
        else
            return reduceBlocks<T>(O, m, type, blockSum<T>(kUnchanged));
    });
}

enum class Moment { Mean, Var, Stddev };

/// Population moments in two passes: the mean first, then squared distances from it.
template <class T> T finish(Moment moment, T sumOfSquares, T n) {
    T variance = sumOfSquares / n;
    return moment == Moment::Var ? variance : std::sqrt(variance);
}

template <class T> Value momentOfBlocks(Over over, Moment moment, const Dense &m) {
    size_t count = over == Over::All ? m.cells() : m.cols();
    T n = static_cast<T>(count);
    return reduceBlocks<T>(over, m, valueTypeOf<T>(), [&](const CellRun<T> &cells) {
        if (count == 0)
            return std::numeric_limits<T>::quiet_NaN();
        T mean = blockSum<T>(kUnchanged)(cells) / n;
        if (moment == Moment::Mean)
            return mean;
        return finish(moment, blockSum<T>([mean](T x) { return (x - mean) * (x - mean); })(cells), n);
    });
}

template <class T> Value momentOfColumns(Moment moment, const Dense &m) {
    auto result = Dense::create(valueTypeOf<T>(), 1, m.cols());
    T *out = result->template mutableView<T>().data;
    T n = static_cast<T>(m.rows());
    if (m.rows() == 0) {
        std::fill_n(out, m.cols(), std::numeric_limits<T>::quiet_NaN());
        return result;
    }
    sumColumns<T>(m, out, [](T x, size_t) { return x; });
    std::vector<T> means(m.cols());
    for (size_t c = 0; c < m.cols(); ++c)
        means[c] = out[c] /= n;
    if (moment == Moment::Mean)
        return result;
    const T *mean = means.data();
    sumColumns<T>(m, out, [mean](T x, size_t c) { return (x - mean[c]) * (x - mean[c]); });
    for (size_t c = 0; c < m.cols(); ++c)
        out[c] = finish(moment, out[c], n);
    return result;
}

/// One column is treated as a whole, which is faster; its 1x1 result is the scalar over all cells.
template <class T> Value momentOfOneColumn(Moment moment, const Dense &m) {
    auto result = Dense::create(valueTypeOf<T>(), 1, 1);
    result->template mutableView<T>()(0, 0) = momentOfBlocks<T>(Over::All, moment, m).template as<T>();
    return result;
}

template <Moment M, Over O> Value moment(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    auto run = [&]<class T>(TypeTag<T>) {
        if (O != Over::Col)
            return momentOfBlocks<T>(O, M, m);
        return m.cols() == 1 ? momentOfOneColumn<T>(M, m) : momentOfColumns<T>(M, m);
    };
    return m.type() == ValueType::F32 ? run(TypeTag<float>{}) : run(TypeTag<double>{});
}

// ------------------------------------------------------------------- extremes

template <class Order, class T> Value extremeOfColumns(const Dense &m) {
    auto result = Dense::create(m.type(), 1, m.cols());
    T *out = result->mutableView<T>().data;
    auto in = m.view<T>();
    std::fill_n(out, in.cols, Order::template worst<T>());
    vectorised([=] {
        for (size_t r = 0; r < in.rows; ++r) {
            const T *x = in.row(r);
#pragma GCC ivdep
            for (size_t c = 0; c < in.cols; ++c)
                out[c] = Order::better(x[c], out[c]) ? x[c] : out[c];
        }
        for (size_t c = 0; c < in.cols; ++c)
            out[c] = canonical(out[c]);
    });
    return result;
}

template <class Order, Over O> Value extreme(KernelCall &, const Dense &m) {
    if (m.type() == ValueType::Str)
        return extremeOfStrings(std::is_same_v<Order, Smaller> ? Extreme::Min : Extreme::Max,
                                O == Over::All   ? Cells::All
                                : O == Over::Row ? Cells::PerRow
                                                 : Cells::PerColumn,
                                m);
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) -> Value {
        if constexpr (O == Over::Col)
            return extremeOfColumns<Order, T>(m);
        else
            return reduceBlocks<T>(O, m, m.type(), [](const CellRun<T> &cells) {
                T best = Order::template worst<T>();
                if (const T *x = cells.inPlace())
                    return extremeOf<Order>(x, cells.size, best);
                cells([&](const T *x, size_t n) { best = extremeOf<Order>(x, n, best); });
                return best;
            });
    });
}

// --------------------------------------------------------- positions of extremes

template <class Order> Value positionInRow(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    if (m.cols() == 0 && m.rows() > 0)
        throw executionError("rows without cells have no extreme: the matrix is " + m.shapeText());
    auto result = Dense::create(ValueType::Size, m.rows(), 1);
    auto out = result->mutableView<uint64_t>();
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        for (size_t r = 0; r < in.rows; ++r)
            out(r, 0) = positionOfExtreme<Order>(in.row(r), in.cols);
    });
    return result;
}

template <class Order> Value positionInColumn(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    if (m.rows() == 0 && m.cols() > 0)
        throw executionError("columns without cells have no extreme: the matrix is " + m.shapeText());
    auto result = Dense::create(ValueType::Size, 1, m.cols(), Buffer::Init::Zero);
    uint64_t *position = result->mutableView<uint64_t>().data;
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        if (in.rows == 0)
            return;
        auto best = std::make_unique<T[]>(in.cols);
        std::copy_n(in.row(0), in.cols, best.get());
        vectorised([=, best = best.get()] {
            for (size_t r = 1; r < in.rows; ++r) {
                const T *x = in.row(r);
#pragma GCC ivdep
                for (size_t c = 0; c < in.cols; ++c) {
                    bool better = Order::better(x[c], best[c]);
                    best[c] = better ? x[c] : best[c];
                    position[c] = better ? r : position[c];
                }
            }
        });
    });
    return result;
}

} // namespace

void addAggregate(KernelTable &t) {
    t.add<&sum<Over::All>>("sumAll");
    t.add<&sum<Over::All>>("colSumAll"); // of a column
    t.add<&sum<Over::Row>>("sumRow");
    t.add<&sum<Over::Col>>("sumCol");
    t.add<&extreme<Smaller, Over::All>>("minAll");
    t.add<&extreme<Smaller, Over::Row>>("minRow");
    t.add<&extreme<Smaller, Over::Col>>("minCol");
    t.add<&extreme<Larger, Over::All>>("maxAll");
    t.add<&extreme<Larger, Over::Row>>("maxRow");
    t.add<&extreme<Larger, Over::Col>>("maxCol");
    t.add<&moment<Moment::Mean, Over::All>>("meanAll");
    t.add<&moment<Moment::Mean, Over::Row>>("meanRow");
    t.add<&moment<Moment::Mean, Over::Col>>("meanCol");
    t.add<&moment<Moment::Var, Over::All>>("varAll");
    t.add<&moment<Moment::Var, Over::Row>>("varRow");
    t.add<&moment<Moment::Var, Over::Col>>("varCol");
    t.add<&moment<Moment::Stddev, Over::All>>("stddevAll");
    t.add<&moment<Moment::Stddev, Over::Row>>("stddevRow");
    t.add<&moment<Moment::Stddev, Over::Col>>("stddevCol");
    t.add<&positionInRow<Smaller>>("idxminRow");
    t.add<&positionInColumn<Smaller>>("idxminCol");
    t.add<&positionInRow<Larger>>("idxmaxRow");
    t.add<&positionInColumn<Larger>>("idxmaxCol");
}

} // namespace daphne
