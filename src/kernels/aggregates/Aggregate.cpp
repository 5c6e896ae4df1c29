// SPDX-License-Identifier: Apache-2.0
/// Aggregates over all cells, per row and per column.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/PairwiseRows.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/aggregates/StringExtremes.h"
#include "ops/SumTypes.h"

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

/// f(cells) for the only result or the result of every row, converted to the type R of the result.
template <class T, class R, class F> Value reduceBlocks(Over over, const Dense &m, ValueType type, F &&f) {
    CellReader<T> reader(m);
    if (over == Over::All)
        return Value::scalar(static_cast<R>(f(CellRun<T>{reader, true, 0, m.cells()})), type);
    auto result = Dense::create(type, m.rows(), 1);
    auto out = result->template mutableView<R>();
    for (size_t r : cancellableRows(m))
        out(r, 0) = static_cast<R>(f(CellRun<T>{reader, false, r, m.cols()}));
    return result;
}

// ------------------------------------------------------------- sums and means
// In: type of the cells; T: what they are added up in; R: type of the result.

template <class In, class T, class Map> auto blockSum(Map map) {
    return [map](const CellRun<In> &cells) {
        if (const In *x = cells.inPlace())
            return sumRun<T>(x, cells.size, map);
        PairwiseSum<T> sum;
        cells([&](const In *x, size_t n) { sum.add(sumBlock<T>(x, n, map)); });
        return sum.total();
    };
}

/// out[c] += sum of map(x, c) over some rows, from the first to the last.
template <class In, class T, class Map, size_t N>
void addRows(const std::array<const In *, N> &rows, T *out, size_t n, Map map) {
#pragma GCC ivdep
    for (size_t c = 0; c < n; ++c) {
        T sum = out[c];
        for (size_t i = 0; i < N; ++i)
            sum = wrappingSum(sum, map(static_cast<T>(rows[i][c]), c));
        out[c] = sum;
    }
}

/// out[c] = sum over r of map(m(r, c), c), rows in groups so that rounding errors stay small.
template <class In, class T, class Map> void sumColumns(const Dense &m, T *out, Map map) {
    constexpr size_t kGroup = 512, kTogether = 4;
    auto in = m.view<In>();
    PairwiseRows<T> sum(m.cols());
    CancelCountdown look;
    for (size_t begin = 0; begin < m.rows(); begin += kGroup) {
        look.after(kGroup * m.cols());
        T *group = sum.room();
        size_t end = std::min(m.rows(), begin + kGroup), r = begin;
        for (; r + kTogether <= end; r += kTogether) {
            std::array<const In *, kTogether> rows;
            for (size_t i = 0; i < kTogether; ++i)
                rows[i] = in.row(r + i);
            vectorised([&, n = m.cols()] { addRows(rows, group, n, map); });
        }
        for (; r < end; ++r)
            addRows<In, T, Map, 1>({in.row(r)}, group, m.cols(), map);
        sum.add(group);
    }
    sum.total(out);
}

/// Rows that fit into one block, two at a time.
template <class In> Value sumsOfShortRows(const Dense &m, ValueType type) {
    using T = SumPrecision<In>;
    using R = SumResult<In>;
    auto result = Dense::create(type, m.rows(), 1);
    R *out = result->template mutableView<R>().data;
    vectorised([out, in = m.view<In>()] {
        size_t half = in.rows / 2;
        for (size_t r : cancellable(half, 2 * in.cols)) {
            auto sums = sumTwoBlocks<T>(in.row(r), in.row(half + r), in.cols, Unchanged());
            out[r] = static_cast<R>(sums.first);
            out[half + r] = static_cast<R>(sums.second);
        }
        if (in.rows % 2)
            out[in.rows - 1] = static_cast<R>(sumLanes<T>(in.row(in.rows - 1), in.cols, Unchanged()));
    });
    return result;
}

/// A row of numbers, converted to the type R of the result.
template <class R, class T> Value asRow(const std::vector<T> &cells, ValueType type) {
    auto result = Dense::create(type, 1, cells.size());
    std::ranges::transform(cells, result->template mutableView<R>().data, [](T x) { return static_cast<R>(x); });
    return result;
}

template <class In> Value columnSums(const Dense &m, ValueType type) {
    using T = SumPrecision<In>;
    std::vector<T> sums(m.cols());
    CellReader<In> reader(m);
    if (m.cols() == 1)
        sums[0] = blockSum<In, T>(Unchanged())(CellRun<In>{reader, true, 0, m.cells()});
    else
        sumColumns<In>(m, sums.data(), [](T x, size_t) { return x; });
    return asRow<SumResult<In>>(sums, type);
}

template <Over O> Value sum(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    ValueType type = ops::sumType(m.type());
    return withNumericType(m.type(), [&]<class In>(TypeTag<In>) -> Value {
        if constexpr (O == Over::Col)
            return columnSums<In>(m, type);
        else if (O == Over::Row && m.cols() <= CellReader<In>::kBlock)
            return sumsOfShortRows<In>(m, type);
        else
            return reduceBlocks<In, SumResult<In>>(O, m, type, blockSum<In, SumPrecision<In>>(Unchanged()));
    });
}

enum class Moment { Mean, Var, Stddev };

/// Moments in two passes: the mean first, then squared distances from it, whose sum is divided by the number of cells
/// less ddof. Computed in f64.
double finish(Moment moment, double sumOfSquares, double divisor) {
    double variance = divisor > 0 ? sumOfSquares / divisor : std::numeric_limits<double>::quiet_NaN();
    return moment == Moment::Var ? variance : std::sqrt(variance);
}

template <class In, class R> Value momentOfBlocks(Over over, Moment moment, const Dense &m, double ddof) {
    size_t count = over == Over::All ? m.cells() : m.cols();
    auto n = static_cast<double>(count);
    return reduceBlocks<In, R>(over, m, valueTypeOf<R>(), [&](const CellRun<In> &cells) {
        if (count == 0)
            return std::numeric_limits<double>::quiet_NaN();
        double mean = blockSum<In, double>(Unchanged())(cells) / n;
        if (moment == Moment::Mean)
            return mean;
        auto square = [mean](double x) { return (x - mean) * (x - mean); };
        return finish(moment, blockSum<In, double>(square)(cells), n - ddof);
    });
}

template <class In, class R> Value momentOfColumns(Moment moment, const Dense &m, double ddof) {
    auto n = static_cast<double>(m.rows());
    std::vector<double> means(m.cols(), std::numeric_limits<double>::quiet_NaN());
    if (m.rows() > 0) {
        sumColumns<In>(m, means.data(), [](double x, size_t) { return x; });
        for (double &mean : means)
            mean /= n;
    }
    if (moment == Moment::Mean || m.rows() == 0)
        return asRow<R>(means, valueTypeOf<R>());
    std::vector<double> squares(m.cols());
    sumColumns<In>(m, squares.data(),
                   [mean = means.data()](double x, size_t c) { return (x - mean[c]) * (x - mean[c]); });
    for (double &s : squares)
        s = finish(moment, s, n - ddof);
    return asRow<R>(squares, valueTypeOf<R>());
}

/// One column is treated as a whole, which is faster; its 1x1 result is the scalar over all cells.
template <class In, class R> Value momentOfOneColumn(Moment moment, const Dense &m, double ddof) {
    auto result = Dense::create(valueTypeOf<R>(), 1, 1);
    result->template mutableView<R>()(0, 0) = momentOfBlocks<In, R>(Over::All, moment, m, ddof).template as<R>();
    return result;
}

template <Moment M, Over O> Value momentWithDdof(KernelCall &call, const Dense &m, double ddof) {
    needNumbers(call, m);
    return withNumericType(m.type(), [&]<class In>(TypeTag<In>) {
        using R = std::conditional_t<std::is_same_v<In, float>, float, double>;
        if (O != Over::Col)
            return momentOfBlocks<In, R>(O, M, m, ddof);
        return m.cols() == 1 ? momentOfOneColumn<In, R>(M, m, ddof) : momentOfColumns<In, R>(M, m, ddof);
    });
}

template <Moment M, Over O> Value moment(KernelCall &call, const Dense &m) { return momentWithDdof<M, O>(call, m, 0); }

// ------------------------------------------------------------------- extremes

template <class Order, class T> Value extremeOfColumns(const Dense &m) {
    auto result = Dense::create(m.type(), 1, m.cols());
    T *out = result->mutableView<T>().data;
    auto in = m.view<T>();
    std::fill_n(out, in.cols, Order::template worst<T>());
    vectorised([=] {
        for (size_t r : cancellableRows(in)) {
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
            return reduceBlocks<T, T>(O, m, m.type(), [](const CellRun<T> &cells) {
                T best = Order::template worst<T>();
                if (const T *x = cells.inPlace()) {
                    for (auto [begin, end] : cancellablePieces(cells.size))
                        best = extremeOf<Order>(x + begin, end - begin, best);
                    return canonical(best);
                }
                cells([&](const T *x, size_t n) { best = extremeOf<Order>(x, n, best); });
                return best;
            });
    });
}

// --------------------------------------------------------- positions of extremes

template <class Order> Value positionInRow(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    auto result = Dense::create(ValueType::Size, m.rows(), 1);
    auto out = result->mutableView<uint64_t>();
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        for (size_t r : cancellableRows(in))
            out(r, 0) = positionOfExtreme<Order>(in.row(r), in.cols);
    });
    return result;
}

template <class Order> Value positionInColumn(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    auto result = Dense::create(ValueType::Size, 1, m.cols(), Buffer::Init::Zero);
    uint64_t *position = result->mutableView<uint64_t>().data;
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        if (in.rows == 0)
            return;
        auto best = std::make_unique<T[]>(in.cols);
        std::copy_n(in.row(0), in.cols, best.get());
        vectorised([=, best = best.get()] {
            for (size_t above : cancellable(in.rows - 1, in.cols)) {
                size_t r = above + 1;
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
    t.add<&momentWithDdof<Moment::Var, Over::All>>("sampleVarAll");
    t.add<&momentWithDdof<Moment::Var, Over::Row>>("sampleVarRow");
    t.add<&momentWithDdof<Moment::Var, Over::Col>>("sampleVarCol");
    t.add<&momentWithDdof<Moment::Stddev, Over::All>>("sampleStddevAll");
    t.add<&momentWithDdof<Moment::Stddev, Over::Row>>("sampleStddevRow");
    t.add<&momentWithDdof<Moment::Stddev, Over::Col>>("sampleStddevCol");
    t.add<&positionInRow<Smaller>>("idxminRow");
    t.add<&positionInColumn<Smaller>>("idxminCol");
    t.add<&positionInRow<Larger>>("idxmaxRow");
    t.add<&positionInColumn<Larger>>("idxmaxCol");
}

} // namespace daphne
