// SPDX-License-Identifier: Apache-2.0
/// Aggregates of a Csr: stored cells are visited once, absent ones count as
/// zeros by their number.
#include <algorithm>
#include <cmath>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/csr/StoredValues.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

enum class Over { All, Row, Col };

/// Stored cells [begin, end) of a matrix as cells of type T, in blocks.
template <class T> class StoredCells {
  public:
    explicit StoredCells(const Csr &m) : values(m, valueTypeOf<T>()) {}
    template <class F> void run(uint64_t begin, uint64_t end, F &&f) {
        constexpr size_t kBlock = CellReader<T>::kBlock;
        for (; begin < end; begin += kBlock) {
            size_t n = std::min<uint64_t>(kBlock, end - begin);
            f(reinterpret_cast<const T *>(values.at(begin, n)), n);
            look.after(n);
        }
    }
    template <class Map> T sum(uint64_t begin, uint64_t end, Map map) {
        PairwiseSum<T> total;
        run(begin, end, [&](const T *x, size_t n) { total.add(sumBlock<T>(x, n, map)); });
        return total.total();
    }

    /// From left to right: the same whether zeros are stored or not. Rows are short.
    T sumInOrder(uint64_t begin, uint64_t end) {
        T total = 0;
        run(begin, end, [&](const T *x, size_t n) {
            for (size_t i = 0; i < n; ++i)
                total = wrappingSum(total, x[i]);
        });
        return total;
    }

  private:
    StoredValues values;
    CancelCountdown look;
};

/// f(begin, end) of all stored cells at once or of those of every row, converted to the type R of the result.
template <Over O, class R, class F> Value perRange(const Csr &m, ValueType type, F &&f) {
    if constexpr (O == Over::All)
        return Value::scalar(static_cast<R>(f(m.offsets()[0], m.offsets()[m.rows()])), type);
    auto result = Dense::create(type, m.rows(), 1);
    R *out = result->template mutableView<R>().data;
    for (size_t r : cancellableRows(m))
        out[r] = static_cast<R>(f(m.offsets()[r], m.offsets()[r + 1]));
    return result;
}

/// Calls f(column, value) for all stored cells, row by row.
template <class T, class F> void forEachStored(const Csr &m, F &&f) {
    withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        const I *columns = m.columns<I>() + m.offsets()[0];
        StoredCells<T>(m).run(m.offsets()[0], m.offsets()[m.rows()], [&](const T *x, size_t n) {
            for (size_t i = 0; i < n; ++i)
                f(static_cast<size_t>(columns[i]), x[i]);
            columns += n;
        });
    });
}

// ------------------------------------------------------------- sums and means

template <class T> std::vector<T> columnSums(const Csr &m) {
    std::vector<T> sums(m.cols());
    forEachStored<T>(m, [out = sums.data()](size_t c, T x) { out[c] = wrappingSum(out[c], x); });
    return sums;
}

/// A row of numbers, converted to the type R of the result.
template <class R, class T> Value asRow(const std::vector<T> &cells, ValueType type) {
    auto result = Dense::create(type, 1, cells.size());
    std::ranges::transform(cells, result->template mutableView<R>().data, [](T x) { return static_cast<R>(x); });
    return result;
}

template <Over O> Value sum(KernelCall &, const Csr &m) {
    ValueType type = ops::sumType(m.type());
    return withNumericType(m.type(), [&]<class In>(TypeTag<In>) -> Value {
        using T = SumPrecision<In>;
        using R = SumResult<In>;
        if constexpr (O == Over::Col) {
            return asRow<R>(columnSums<T>(m), type);
        } else {
            StoredCells<T> cells(m);
            return perRange<O, R>(m, type, [&](uint64_t begin, uint64_t end) {
                if (m.isPattern())
                    return static_cast<T>(end - begin);
                return O == Over::Row ? cells.sumInOrder(begin, end) : cells.sum(begin, end, Unchanged());
            });
        }
    });
}

enum class Moment { Mean, Var, Stddev };

double finish(Moment moment, double sumOfSquares, double n) {
    double variance = sumOfSquares / n;
    return moment == Moment::Var ? variance : std::sqrt(variance);
}

/// Sum of the squared distances of absent cells from the mean, which may be infinite.
double absentSquares(size_t count, double mean) {
    return count == 0 ? 0.0 : static_cast<double>(count) * (mean * mean);
}

/// R: type of the result. Everything is computed in f64.
template <Over O, class R> Value momentOfRanges(Moment moment, const Csr &m) {
    size_t count = O == Over::All ? m.cells() : m.cols();
    auto n = static_cast<double>(count);
    StoredCells<double> cells(m);
    return perRange<O, R>(m, valueTypeOf<R>(), [&](uint64_t begin, uint64_t end) {
        if (count == 0)
            return std::numeric_limits<double>::quiet_NaN();
        double mean = (O == Over::Row ? cells.sumInOrder(begin, end) : cells.sum(begin, end, Unchanged())) / n;
        if (moment == Moment::Mean)
            return mean;
        double squares = cells.sum(begin, end, [mean](double x) { return (x - mean) * (x - mean); });
        return finish(moment, squares + absentSquares(count - (end - begin), mean), n);
    });
}

template <class R> Value momentOfColumns(Moment moment, const Csr &m) {
    std::vector<double> means = columnSums<double>(m);
    auto n = static_cast<double>(m.rows());
    for (double &mean : means)
        mean = m.rows() == 0 ? std::numeric_limits<double>::quiet_NaN() : mean / n;
    if (moment == Moment::Mean || m.rows() == 0)
        return asRow<R>(means, valueTypeOf<R>());
    std::vector<size_t> stored(m.cols());
    std::vector<double> squares(m.cols());
    forEachStored<double>(m, [&](size_t c, double x) {
        squares[c] += (x - means[c]) * (x - means[c]);
        ++stored[c];
    });
    for (size_t c = 0; c < m.cols(); ++c)
        squares[c] = finish(moment, squares[c] + absentSquares(m.rows() - stored[c], means[c]), n);
    return asRow<R>(squares, valueTypeOf<R>());
}

template <Moment M, Over O> Value moment(KernelCall &, const Csr &m) {
    auto run = [&]<class R>(TypeTag<R>) {
        if constexpr (O == Over::Col)
            return momentOfColumns<R>(M, m);
        else
            return momentOfRanges<O, R>(M, m);
    };
    return m.type() == ValueType::F32 ? run(TypeTag<float>{}) : run(TypeTag<double>{});
}

// ------------------------------------------------------------------- extremes

/// Best of stored cells and, where cells are absent, zero.
template <class Order, class T> T bestOf(StoredCells<T> &cells, uint64_t begin, uint64_t end, size_t count) {
    T best = Order::template worst<T>();
    cells.run(begin, end, [&](const T *x, size_t n) { best = extremeOf<Order>(x, n, best); });
    return end - begin < count && Order::better(T(0), best) ? T(0) : best;
}

template <class Order, class T, class I> Value extremeOfColumns(const Csr &m) {
    auto result = Dense::create(m.type(), 1, m.cols());
    T *out = result->mutableView<T>().data;
    std::fill_n(out, m.cols(), Order::template worst<T>());
    auto view = m.view<T, I>();
    std::vector<uint64_t> stored(m.cols());
    CancelCountdown look;
    for (uint64_t k = view.offsets[0]; k < view.offsets[m.rows()]; ++k) {
        look.after(1);
        I c = view.columns[k];
        T x = view.value(k);
        ++stored[c];
        if (Order::better(x, out[c]))
            out[c] = x;
    }
    for (size_t c = 0; c < m.cols(); ++c) {
        bool isZero = stored[c] < m.rows() && Order::better(T(0), out[c]);
        out[c] = isZero ? T(0) : canonical(out[c]);
    }
    return result;
}

template <class Order, Over O> Value extreme(KernelCall &, const Csr &m) {
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) -> Value {
        return withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) -> Value {
            if constexpr (O == Over::Col) {
                return extremeOfColumns<Order, T, I>(m);
            } else {
                StoredCells<T> cells(m);
                const uint64_t *offsets = m.offsets();
                if (O == Over::All)
                    return Value::scalar(bestOf<Order>(cells, offsets[0], offsets[m.rows()], m.cells()), m.type());
                auto result = Dense::create(m.type(), m.rows(), 1);
                T *out = result->mutableView<T>().data;
                for (size_t r : cancellableRows(m))
                    out[r] = bestOf<Order>(cells, offsets[r], offsets[r + 1], m.cols());
                return result;
            }
        });
    });
}

// --------------------------------------------------------- positions of extremes

/// The position of the best cell among n, of which some are stored (ascending positions): left to right, the first on
/// ties, absent cells being zeros.
template <class Order, class T, class I> class BestPosition {
  public:
    void see(size_t position, T x) {
        if (next < position)
            take(next, T(0)); // all absent cells up to here are alike: the first of them counts
        take(position, x);
        next = position + 1;
    }
    size_t finish(size_t n) {
        if (next < n)
            take(next, T(0));
        return best;
    }

  private:
    void take(size_t position, T x) {
        if (none || Order::better(x, value)) {
            none = false;
            value = x;
            best = position;
        }
    }
    size_t next = 0, best = 0;
    T value = 0;
    bool none = true;
};

template <class Order> Value positionInRow(KernelCall &, const Csr &m) {
    auto result = Dense::create(ValueType::Size, m.rows(), 1);
    uint64_t *out = result->mutableView<uint64_t>().data;
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            auto view = m.view<T, I>();
            for (size_t r : cancellableRows(m)) {
                BestPosition<Order, T, I> best;
                for (uint64_t k = view.offsets[r]; k < view.offsets[r + 1]; ++k)
                    best.see(view.columns[k], view.value(k));
                out[r] = best.finish(m.cols());
            }
        });
    });
    return result;
}

template <class Order> Value positionInColumn(KernelCall &, const Csr &m) {
    auto result = Dense::create(ValueType::Size, 1, m.cols());
    uint64_t *out = result->mutableView<uint64_t>().data;
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            auto view = m.view<T, I>();
            std::vector<BestPosition<Order, T, I>> best(m.cols());
            for (size_t r : cancellableRows(m))
                for (uint64_t k = view.offsets[r]; k < view.offsets[r + 1]; ++k)
                    best[view.columns[k]].see(r, view.value(k));
            for (size_t c = 0; c < m.cols(); ++c)
                out[c] = best[c].finish(m.rows());
        });
    });
    return result;
}

} // namespace

void addCsrAggregate(KernelTable &t) {
    t.addSparse<&sum<Over::All>>("sumAll");
    t.addSparse<&sum<Over::Row>>("sumRow");
    t.addSparse<&sum<Over::Col>>("sumCol");
    t.addSparse<&extreme<Smaller, Over::All>>("minAll");
    t.addSparse<&extreme<Smaller, Over::Row>>("minRow");
    t.addSparse<&extreme<Smaller, Over::Col>>("minCol");
    t.addSparse<&extreme<Larger, Over::All>>("maxAll");
    t.addSparse<&extreme<Larger, Over::Row>>("maxRow");
    t.addSparse<&extreme<Larger, Over::Col>>("maxCol");
    t.addSparse<&moment<Moment::Mean, Over::All>>("meanAll");
    t.addSparse<&moment<Moment::Mean, Over::Row>>("meanRow");
    t.addSparse<&moment<Moment::Mean, Over::Col>>("meanCol");
    t.addSparse<&moment<Moment::Var, Over::All>>("varAll");
    t.addSparse<&moment<Moment::Var, Over::Row>>("varRow");
    t.addSparse<&moment<Moment::Var, Over::Col>>("varCol");
    t.addSparse<&moment<Moment::Stddev, Over::All>>("stddevAll");
    t.addSparse<&moment<Moment::Stddev, Over::Row>>("stddevRow");
    t.addSparse<&moment<Moment::Stddev, Over::Col>>("stddevCol");
    t.addSparse<&positionInRow<Smaller>>("idxminRow");
    t.addSparse<&positionInColumn<Smaller>>("idxminCol");
    t.addSparse<&positionInRow<Larger>>("idxmaxRow");
    t.addSparse<&positionInColumn<Larger>>("idxmaxCol");
}

} // namespace daphne
