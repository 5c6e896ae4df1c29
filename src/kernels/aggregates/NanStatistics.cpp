// SPDX-License-Identifier: Apache-2.0
/// Aggregates for which NaN is no cell and that are no folds: moments, medians,
/// positions of extremes. Computed in f64 of the numbers from the first to the
/// last, stored as f32 for f32.
#include <cmath>
#include <limits>
#include <vector>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Quantiles.h"
#include "kernels/aggregates/Reduction.h"

namespace daphne {

namespace {

enum class Over { All, Row, Col };
enum class What { Mean, Var, Stddev, Median };

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void needNumbers(const KernelCall &call, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
}

double momentOf(What what, const std::vector<double> &numbers) {
    auto n = static_cast<double>(numbers.size());
    double mean = sumRun<double>(numbers.data(), numbers.size(), Unchanged()) / n;
    if (what == What::Mean)
        return mean;
    auto square = [mean](double x) { return (x - mean) * (x - mean); };
    double variance = sumRun<double>(numbers.data(), numbers.size(), square) / n;
    return what == What::Var ? variance : std::sqrt(variance);
}

/// The numbers are reordered.
double statisticOf(What what, std::vector<double> &numbers) {
    if (numbers.empty())
        return kNan;
    if (what != What::Median)
        return momentOf(what, numbers);
    double result = kNan;
    Quantiles({0.5}).of(numbers, [&](size_t, double value) { result = value; });
    return result;
}

/// Calls f(line, cells) for all cells, every row or every column of m, cells of type T one behind the other.
template <Over O, class T, class F> void forEachLine(const Dense &m, F &&f) {
    auto in = m.view<T>();
    struct Cell {
        T value;
    };
    std::vector<Cell> line;
    CancelCountdown look;
    size_t lines = O == Over::All ? 1 : O == Over::Row ? in.rows : in.cols;
    line.reserve(lines > 0 ? m.cells() / lines : 0); // growing would copy many cells at a time
    for (size_t k = 0; k < lines; ++k) {
        line.clear();
        for (size_t r = O == Over::Row ? k : 0; r < (O == Over::Row ? k + 1 : in.rows); ++r)
            for (size_t c = O == Over::Col ? k : 0; c < (O == Over::Col ? k + 1 : in.cols); ++c) {
                look.after(1);
                line.push_back({in(r, c)});
            }
        f(k, reinterpret_cast<const T *>(line.data()), line.size());
    }
}

template <Over O> Ref<Dense> resultOf(const Dense &m, ValueType type) {
    return Dense::create(type, O == Over::Row ? m.rows() : 1, O == Over::Col ? m.cols() : 1);
}

template <What W, Over O> Value statistic(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    ValueType type = m.type() == ValueType::F32 ? ValueType::F32 : ValueType::F64;
    auto result = resultOf<O>(m, ValueType::F64);
    double *out = result->template mutableView<double>().data;
    std::vector<double> numbers;
    forEachLine<O, double>(*convertMatrix(m, ValueType::F64), [&](size_t line, const double *cells, size_t n) {
        numbers.clear();
        numbers.reserve(n);
        for (size_t i : cancellable(n))
            if (!isNan(cells[i]))
                numbers.push_back(cells[i]);
        out[line] = statisticOf(W, numbers);
    });
    if (O == Over::All)
        return convertScalar(Value::scalar(out[0]), type);
    return convertMatrix(*result, type);
}

/// Of the best number, the first one on ties; n if there are cells, but no numbers.
template <class Order, class T> size_t positionOfBest(const T *cells, size_t n) {
    size_t best = n;
    for (size_t i : cancellable(n))
        if (!isNan(cells[i]) && (best == n || Order::better(cells[i], cells[best])))
            best = i;
    return best;
}

template <class Order, Over O> Value position(KernelCall &call, const Dense &m) {
    needNumbers(call, m);
    auto result = resultOf<O>(m, ValueType::Size);
    uint64_t *out = result->template mutableView<uint64_t>().data;
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        forEachLine<O, T>(m, [&](size_t line, const T *cells, size_t n) {
            out[line] = positionOfBest<Order>(cells, n);
            if (out[line] == n && n > 0)
                throw executionError(O == Over::All   ? std::string("all cells are nan")
                                     : O == Over::Row ? "all cells of row " + std::to_string(line) + " are nan"
                                                      : "all cells of column " + std::to_string(line) + " are nan");
        });
    });
    if (O == Over::All)
        return Value::size(out[0]);
    return result;
}

} // namespace

void addNanStatistics(KernelTable &t) {
    t.add<&statistic<What::Mean, Over::All>>("nanMeanAll");
    t.add<&statistic<What::Mean, Over::Row>>("nanMeanRow");
    t.add<&statistic<What::Mean, Over::Col>>("nanMeanCol");
    t.add<&statistic<What::Var, Over::All>>("nanVarAll");
    t.add<&statistic<What::Var, Over::Row>>("nanVarRow");
    t.add<&statistic<What::Var, Over::Col>>("nanVarCol");
    t.add<&statistic<What::Stddev, Over::All>>("nanStddevAll");
    t.add<&statistic<What::Stddev, Over::Row>>("nanStddevRow");
    t.add<&statistic<What::Stddev, Over::Col>>("nanStddevCol");
    t.add<&statistic<What::Median, Over::All>>("nanMedianAll");
    t.add<&statistic<What::Median, Over::Row>>("nanMedianRow");
    t.add<&statistic<What::Median, Over::Col>>("nanMedianCol");
    t.add<&position<Smaller, Over::All>>("nanIdxMinAll");
    t.add<&position<Smaller, Over::Row>>("nanIdxMinRow");
    t.add<&position<Smaller, Over::Col>>("nanIdxMinCol");
    t.add<&position<Larger, Over::All>>("nanIdxMaxAll");
    t.add<&position<Larger, Over::Row>>("nanIdxMaxRow");
    t.add<&position<Larger, Over::Col>>("nanIdxMaxCol");
}

} // namespace daphne
