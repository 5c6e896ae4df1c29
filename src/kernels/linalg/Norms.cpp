// SPDX-License-Identifier: Apache-2.0
/// Matrix norms: "fro" the root of the sum of squared cells, 1 the largest sum
/// of magnitudes of a column, inf that of a row, 2 the largest singular value.
/// For a column these are the norms of a vector. nan in, nan out; no cells: 0.
#include <cmath>
#include <limits>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/linalg/Decompositions.h"
#include "kernels/objects/CellText.h"

namespace daphne {

namespace {

/// The larger one, nan if one is.
double largerOrNan(double a, double b) { return a > b || std::isnan(a) ? a : b; }

double largestMagnitude(const Dense &m) {
    double largest = 0;
    CellReader<double>(m).all([&](const double *x, size_t n) {
        for (size_t i = 0; i < n; ++i)
            largest = largerOrNan(largest, std::abs(x[i]));
    });
    return largest;
}

double sumOfSquares(const Dense &m, double scale) {
    PairwiseSum<double> sum;
    CellReader<double>(m).all([&](const double *x, size_t n) {
        sum.add(sumBlock<double>(x, n, [scale](double cell) { return (cell / scale) * (cell / scale); }));
    });
    return sum.total();
}

double frobenius(const Dense &m) {
    double squares = sumOfSquares(m, 1);
    if (squares >= std::numeric_limits<double>::min() && std::isfinite(squares))
        return std::sqrt(squares);
    // Squares of very large or very small cells leave the range of numbers, their norm need not.
    double scale = largestMagnitude(m);
    return scale == 0 || !std::isfinite(scale) ? scale : scale * std::sqrt(sumOfSquares(m, scale));
}

double largestColumnSum(const Dense &m) {
    CellReader<double> reader(m);
    std::vector<double> sums(m.cols());
    for (size_t r : cancellableRows(m)) {
        const double *x = reader.wholeRow(r);
        for (size_t c = 0; c < m.cols(); ++c)
            sums[c] += std::abs(x[c]);
    }
    double largest = 0;
    for (double s : sums)
        largest = largerOrNan(largest, s);
    return largest;
}

double largestRowSum(const Dense &m) {
    CellReader<double> reader(m);
    double largest = 0;
    for (size_t r : cancellableRows(m)) {
        PairwiseSum<double> sum;
        reader.row(r, [&](const double *x, size_t n) {
            sum.add(sumBlock<double>(x, n, [](double cell) { return std::abs(cell); }));
        });
        largest = largerOrNan(largest, sum.total());
    }
    return largest;
}

/// "fro", "1", "2" or "inf"; the last three may be given as numbers.
std::string nameOf(const Value &kind) {
    if (kind.isString())
        return kind.text();
    double p = kind.as<double>();
    return std::isinf(p) || p == std::floor(p) ? printedText(p) : std::to_string(p);
}

Value norm(KernelCall &call, const Dense &m, const Value &kind) {
    if (m.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
    if (!kind.isScalar())
        wrongArgument(call, 1, "\"fro\", 1, 2 or inf");
    auto result = [&](double x) {
        return m.type() == ValueType::F32 ? Value::scalar(static_cast<float>(x)) : Value::scalar(x);
    };
    std::string name = nameOf(kind);
    if (name == "fro")
        return result(frobenius(m));
    if (name == "1")
        return result(largestColumnSum(m));
    if (name == "2")
        return spectralNorm(m);
    if (name == "inf")
        return result(largestRowSum(m));
    throw executionError("there is no norm " + name + ", only \"fro\", 1, 2 and inf");
}

} // namespace

void addNorms(KernelTable &t) { t.add<&norm>("norm"); }

} // namespace daphne
