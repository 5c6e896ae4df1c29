// SPDX-License-Identifier: Apache-2.0
/// Aggregates per group: result(k, 0) = f of the cells x(r, 0) with ids(r, 0) = k, for k = 0 .. numGroups - 1.
/// A group without cells gives what the aggregate over all cells of an empty matrix gives.
///
/// Cells are read in one of three types of computation (si64, ui64, f64), in which all others are exact: integers wrap
/// the same way in 64 bits as in their own type.
#include <cmath>
#include <limits>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/aggregates/Reduction.h"
#include "kernels/aggregates/StringExtremes.h"
#include "kernels/objects/CellText.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

/// The group of every row. Fractions are cut off; an id outside [0, numGroups) is an error.
std::vector<size_t> groupsOf(KernelCall &call, const Dense &x, const Dense &ids, size_t numGroups) {
    if (x.cols() != 1 || ids.cols() != 1)
        throw executionError("values and group ids must have one column each, got " + x.shapeText() + " and " +
                             ids.shapeText());
    if (x.rows() != ids.rows())
        throw executionError("needs one group id per value, got " + x.shapeText() + " values and " + ids.shapeText() +
                             " ids");
    if (ids.type() == ValueType::Str)
        wrongArgument(call, 1, "a numeric matrix");
    std::vector<size_t> groups;
    groups.reserve(ids.rows());
    auto end = static_cast<double>(numGroups);
    CellReader<double>(ids).all([&](const double *id, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            if (!(id[i] > -1 && id[i] < end)) // nan too
                throw executionError("the group id " + printedText(id[i]) + " in row " + std::to_string(groups.size()) +
                                     " is not in [0, " + std::to_string(numGroups) + ")");
            groups.push_back(static_cast<size_t>(id[i]));
        }
    });
    return groups;
}

/// Calls f(cell, group) for the cells of the column x from top to bottom.
template <class T, class F> void forEachCell(const Dense &x, const std::vector<size_t> &groups, F &&f) {
    size_t r = 0;
    CellReader<T>(x).all([&](const T *cells, size_t n) {
        for (size_t i = 0; i < n; ++i)
            f(cells[i], groups[r++]);
    });
}

/// One accumulator per group, all zero at first.
template <class T> class PerGroup {
  public:
    explicit PerGroup(size_t numGroups)
        : column(Dense::create(valueTypeOf<T>(), numGroups, 1, Buffer::Init::Zero)),
          cells(column->template mutableView<T>().data) {}
    T &operator[](size_t k) { return cells[k]; }
    T *begin() { return cells; }
    T *end() { return cells + column->rows(); }
    Value as(ValueType type) const { return convertMatrix(*column, type); }

  private:
    Ref<Dense> column;
    T *cells;
};

void needNumbers(KernelCall &call, const Dense &x) {
    if (x.type() == ValueType::Str)
        wrongArgument(call, 0, "a numeric matrix");
}

template <class T> Value sumAs(const Dense &x, const std::vector<size_t> &groups, size_t numGroups, ValueType type) {
    PerGroup<T> sums(numGroups);
    forEachCell<T>(x, groups, [&](T cell, size_t k) { sums[k] = wrappingSum(sums[k], cell); });
    return sums.as(type);
}

Value sum(KernelCall &call, const Dense &x, const Dense &ids, size_t numGroups) {
    needNumbers(call, x);
    auto groups = groupsOf(call, x, ids, numGroups);
    ValueType type = ops::sumType(x.type());
    return isFloat(type) ? sumAs<double>(x, groups, numGroups, type) : sumAs<int64_t>(x, groups, numGroups, type);
}

/// What the aggregate over no cells of this type is: nothing is worse.
template <Extreme E, class T> T worst(ValueType type) {
    return withNumericType(type, []<class Cell>(TypeTag<Cell>) {
        using Limits = std::numeric_limits<Cell>;
        if constexpr (Limits::has_infinity)
            return static_cast<T>(E == Extreme::Min ? Limits::infinity() : -Limits::infinity());
        else
            return static_cast<T>(E == Extreme::Min ? Limits::max() : Limits::lowest());
    });
}

template <Extreme E, class T> Value extremeAs(const Dense &x, const std::vector<size_t> &groups, size_t numGroups) {
    PerGroup<T> best(numGroups);
    std::fill(best.begin(), best.end(), worst<E, T>(x.type()));
    forEachCell<T>(x, groups, [&](T cell, size_t k) {
        if (E == Extreme::Min ? Smaller::better(cell, best[k]) : Larger::better(cell, best[k]))
            best[k] = cell;
    });
    for (T &b : best)
        b = canonical(b);
    return best.as(x.type());
}

template <Extreme E> Value extreme(KernelCall &call, const Dense &x, const Dense &ids, size_t numGroups) {
    needNumbers(call, x);
    auto groups = groupsOf(call, x, ids, numGroups);
    if (isFloat(x.type()))
        return extremeAs<E, double>(x, groups, numGroups);
    return sameCells(x.type(), ValueType::UI64) ? extremeAs<E, uint64_t>(x, groups, numGroups)
                                                : extremeAs<E, int64_t>(x, groups, numGroups);
}

PerGroup<uint64_t> countsOf(const std::vector<size_t> &groups, size_t numGroups) {
    PerGroup<uint64_t> counts(numGroups);
    for (size_t r : cancellable(groups.size()))
        ++counts[groups[r]];
    return counts;
}

Value count(KernelCall &call, const Dense &x, const Dense &ids, size_t numGroups) {
    return countsOf(groupsOf(call, x, ids, numGroups), numGroups).as(ValueType::Size);
}

enum class Moment { Mean, Var, Stddev };

/// Population moments in two passes: the means first, then squared distances from them. No cells: nan.
template <Moment M> Value moment(KernelCall &call, const Dense &x, const Dense &ids, size_t numGroups) {
    needNumbers(call, x);
    auto groups = groupsOf(call, x, ids, numGroups);
    auto counts = countsOf(groups, numGroups);
    ValueType type = isFloat(x.type()) ? x.type() : ValueType::F64;
    auto divide = [&](PerGroup<double> &sums) {
        for (size_t k = 0; k < numGroups; ++k)
            sums[k] =
                counts[k] == 0 ? std::numeric_limits<double>::quiet_NaN() : sums[k] / static_cast<double>(counts[k]);
    };
    PerGroup<double> means(numGroups);
    forEachCell<double>(x, groups, [&](double cell, size_t k) { means[k] += cell; });
    divide(means);
    if (M == Moment::Mean)
        return means.as(type);
    PerGroup<double> squares(numGroups);
    forEachCell<double>(x, groups, [&](double cell, size_t k) { squares[k] += (cell - means[k]) * (cell - means[k]); });
    divide(squares);
    if (M == Moment::Stddev)
        for (double &s : squares)
            s = std::sqrt(s);
    return squares.as(type);
}

} // namespace

void addGroupedAggregate(KernelTable &t) {
    t.add<&sum>("sumGrp");
    t.add<&extreme<Extreme::Min>>("minGrp");
    t.add<&extreme<Extreme::Max>>("maxGrp");
    t.add<&moment<Moment::Mean>>("meanGrp");
    t.add<&moment<Moment::Var>>("varGrp");
    t.add<&moment<Moment::Stddev>>("stddevGrp");
    t.add<&count>("countGrp");
}

} // namespace daphne
