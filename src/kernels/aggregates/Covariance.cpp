// SPDX-License-Identifier: Apache-2.0
/// Covariances and correlations of columns: sums of products of the distances
/// from the means, in f64. Stored as f32 if all cells are f32.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/ActiveRun.h"
#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Reduction.h"

namespace daphne {

namespace {

/// Columns, one behind the other.
struct Centred {
    size_t rows;
    std::vector<double> cells;      ///< distances from the mean of the column
    std::vector<bool> isConstant;   ///< all cells of the column are equal
    std::vector<double> deviations; ///< root of the sum of squares
    size_t cols() const { return deviations.size(); }
    const double *column(size_t c) const { return cells.data() + c * rows; }
};

double dot(const double *x, const double *y, size_t n) {
    PairwiseSum<double> sum;
    CancelCountdown look;
    constexpr size_t kBlock = CellReader<double>::kBlock;
    for (size_t done = 0; done < n; done += kBlock) {
        look.after(kBlock);
        sum.add(vectorised([x = x + done, y = y + done, m = std::min(kBlock, n - done)] {
            return sumCells<double>(m, [=](size_t i) { return x[i] * y[i]; });
        }));
    }
    return sum.total();
}

Centred centred(const Dense &m) {
    Ref<Dense> source = convertMatrix(m, ValueType::F64);
    auto in = source->view<double>();
    Centred result{in.rows, std::vector<double>(in.rows * in.cols), std::vector<bool>(in.cols),
                   std::vector<double>(in.cols)};
    constexpr size_t kTogether = 8; // what a line of the cache brings
    for (size_t begin = 0; begin < in.cols; begin += kTogether)
        for (size_t r : cancellable(in.rows, kTogether))
            for (size_t c = begin; c < std::min(in.cols, begin + kTogether); ++c)
                result.cells[c * in.rows + r] = in(r, c);
    for (size_t c : cancellable(in.cols, in.rows)) {
        double *x = result.cells.data() + c * in.rows;
        result.isConstant[c] = std::all_of(x, x + in.rows, [first = x](double cell) { return cell == *first; });
        double mean = sumRun<double>(x, in.rows, Unchanged()) / static_cast<double>(in.rows);
        for (size_t r : cancellable(in.rows))
            x[r] = result.isConstant[c] ? 0 : x[r] - mean;
        result.deviations[c] = std::sqrt(dot(x, x, in.rows));
    }
    return result;
}

enum class Measure { Covariance, Correlation };

void needNumbers(const KernelCall &call, size_t i, const Dense &m) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix");
}

/// (arg, other, ddof): other is a matrix, or 0 for arg itself.
template <Measure M> Value betweenColumns(KernelCall &call, const Dense &x, const Value &other, double ddof) {
    needNumbers(call, 0, x);
    bool isOwn = other.isScalar() && !other.isString() && other.as<double>() == 0;
    if (!isOwn && !other.isMatrix())
        wrongArgument(call, 1, "a matrix");
    const Dense &y = isOwn ? x : other.dense();
    needNumbers(call, 1, y);
    if (x.rows() != y.rows())
        throw executionError("needs equal numbers of rows, got " + x.shapeText() + " and " + y.shapeText());
    bool single = x.type() == ValueType::F32 && y.type() == ValueType::F32;
    Centred a = centred(x), ofOther = isOwn ? Centred{} : centred(y);
    const Centred &b = isOwn ? a : ofOther;
    auto result = Dense::create(ValueType::F64, a.cols(), b.cols());
    auto out = result->mutableView<double>();
    double divisor = static_cast<double>(x.rows()) - ddof;
    for (size_t i = 0; i < a.cols(); ++i) {
        throwIfCancelled();
        for (size_t j = 0; j < b.cols(); ++j) {
            if (isOwn && j < i) {
                out(i, j) = out(j, i);
                continue;
            }
            double sum = dot(a.column(i), b.column(j), a.rows);
            if (M == Measure::Covariance) {
                out(i, j) = divisor > 0 ? sum / divisor : std::numeric_limits<double>::quiet_NaN();
            } else if (a.isConstant[i] || b.isConstant[j]) {
                out(i, j) = std::numeric_limits<double>::quiet_NaN();
            } else {
                double quotient = sum / a.deviations[i] / b.deviations[j];
                out(i, j) = isOwn && i == j && !std::isnan(quotient) ? 1 : std::clamp(quotient, -1.0, 1.0);
            }
        }
    }
    return convertMatrix(*result, single ? ValueType::F32 : ValueType::F64);
}

} // namespace

void addCovariance(KernelTable &t) {
    t.add<&betweenColumns<Measure::Covariance>>("cov");
    t.add<&betweenColumns<Measure::Correlation>>("cor");
}

} // namespace daphne
