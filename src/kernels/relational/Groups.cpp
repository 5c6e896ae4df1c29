// SPDX-License-Identifier: Apache-2.0
/// Groups of rows with equal keys and aggregates of their cells; groups are
/// sorted ascending by their keys. Cells are added in the order of the rows.
#include <algorithm>
#include <cmath>

#include "base/Calendar.h"
#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/relational/FrameColumns.h"
#include "kernels/reorganise/Ordering.h"
#include "kernels/times/TimeTotals.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

using namespace relational;

/// Cells of one column and the group of each. A group may have none.
struct Grouped {
    const std::vector<uint32_t> &ids;   ///< of every cell
    const std::vector<size_t> &firstOf; ///< the first cell of every group or kNoRow
    Ref<Dense> column;
    size_t numGroups() const { return firstOf.size(); }
};

void needNumbers(const Grouped &g, const char *what) {
    ValueType type = g.column->type();
    if (type == ValueType::Str || isTime(type))
        throw executionError(std::string("cannot compute the ") + what + " of " +
                             (isTime(type) ? std::string(dslName(type)) + "s" : "strings"));
}

template <class T, class F> void forCells(const Grouped &g, F &&f) {
    auto cells = g.column->view<T>();
    for (size_t r : cancellable(g.ids.size()))
        f(g.ids[r], cells(r, 0));
}

/// Of no durations it is nat: queries know null.
template <Total what> Ref<Dense> totals(const Grouped &g) {
    std::vector<DurationTotal> all(g.numGroups());
    forCells<int64_t>(g, [&](uint32_t k, int64_t x) { all[k].add(x, MissingCells::Win); });
    auto result = totalsOf(all, what);
    for (size_t k = 0; k < g.numGroups(); ++k)
        if (g.firstOf[k] == kNoRow)
            result->mutableView<int64_t>()(k, 0) = calendar::kNat;
    return result;
}

Ref<Dense> sums(const Grouped &g) {
    if (g.column->type() == ValueType::Duration)
        return totals<Total::Sum>(g);
    needNumbers(g, "sum");
    ValueType type = ops::sumPrecision(g.column->type());
    Grouped numbers{g.ids, g.firstOf, converted(*g.column, type)};
    auto result = Dense::create(type, g.numGroups(), 1, Buffer::Init::Zero);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        T *out = result->mutableView<T>().data;
        forCells<T>(numbers, [&](uint32_t k, T x) { out[k] = sumOfCells(out[k], x); });
    });
    return converted(*result, ops::sumType(g.column->type()));
}

std::vector<double> counts(const Grouped &g) {
    std::vector<double> n(g.numGroups());
    for (size_t r : cancellable(g.ids.size()))
        ++n[g.ids[r]];
    return n;
}

Ref<Dense> count(const Grouped &g) {
    auto result = Dense::create(ValueType::SI64, g.numGroups(), 1, Buffer::Init::Zero);
    int64_t *out = result->mutableView<int64_t>().data;
    for (size_t r : cancellable(g.ids.size()))
        ++out[g.ids[r]];
    return result;
}

Ref<Dense> countDistinct(const Grouped &g) {
    auto ids = Dense::create(ValueType::UI32, g.ids.size(), 1);
    std::copy(g.ids.begin(), g.ids.end(), ids->mutableView<uint32_t>().data);
    RowGroups pairs = groupRows(g.ids.size(), {ids, g.column});
    auto result = Dense::create(ValueType::SI64, g.numGroups(), 1, Buffer::Init::Zero);
    int64_t *out = result->mutableView<int64_t>().data;
    for (size_t row : pairs.firstRow)
        ++out[g.ids[row]];
    return result;
}

/// NaN wins.
template <class Order> Ref<Dense> extremes(const Grouped &g) {
    auto result = pickOrDefault(*g.column, g.firstOf);
    withValueType(g.column->type(), [&]<class T>(TypeTag<T>) {
        T *out = result->mutableView<T>().data;
        forCells<T>(g, [&](uint32_t k, const T &x) {
            if (Order::better(x, out[k]))
                out[k] = x;
        });
        if constexpr (std::is_floating_point_v<T>)
            std::transform(out, out + g.numGroups(), out, canonical<T>);
    });
    return result;
}

std::vector<double> means(const Grouped &g) {
    std::vector<double> mean(g.numGroups()), n = counts(g);
    withNumericType(g.column->type(), [&]<class T>(TypeTag<T>) {
        forCells<T>(g, [&](uint32_t k, T x) { mean[k] += static_cast<double>(x); });
    });
    for (size_t k = 0; k < mean.size(); ++k)
        mean[k] /= n[k];
    return mean;
}

Ref<Dense> columnOf(const std::vector<double> &cells) {
    auto result = Dense::create(ValueType::F64, cells.size(), 1);
    std::copy(cells.begin(), cells.end(), result->mutableView<double>().data);
    return result;
}

Ref<Dense> average(const Grouped &g) {
    if (g.column->type() == ValueType::Duration)
        return totals<Total::Mean>(g);
    needNumbers(g, "average");
    return columnOf(means(g));
}

/// Sum of squared distances from the mean, divided by the number of cells less `lost`. One cell and lost = 1 give NaN.
template <int lost> std::vector<double> variances(const Grouped &g) {
    needNumbers(g, "variance");
    std::vector<double> mean = means(g), n = counts(g), squares(g.numGroups());
    withNumericType(g.column->type(), [&]<class T>(TypeTag<T>) {
        forCells<T>(g, [&](uint32_t k, T x) {
            double d = static_cast<double>(x) - mean[k];
            squares[k] += d * d;
        });
    });
    for (size_t k = 0; k < squares.size(); ++k)
        squares[k] /= n[k] - lost;
    return squares;
}
template <int lost> Ref<Dense> variance(const Grouped &g) { return columnOf(variances<lost>(g)); }
template <int lost> Ref<Dense> deviation(const Grouped &g) {
    std::vector<double> v = variances<lost>(g);
    for (double &x : v)
        x = std::sqrt(x);
    return columnOf(v);
}

struct Aggregate {
    std::string_view name;
    Ref<Dense> (*compute)(const Grouped &);
};
constexpr Aggregate kAggregates[] = {
    {"SUM", sums},
    {"COUNT", count},
    {"COUNT_DISTINCT", countDistinct},
    {"MIN", extremes<Smaller>},
    {"MAX", extremes<Larger>},
    {"AVG", average},
    {"VAR_POP", variance<0>},
    {"VAR_SAMP", variance<1>},
    {"STDDEV_POP", deviation<0>},
    {"STDDEV_SAMP", deviation<1>},
};

const Aggregate &aggregateNamed(const std::string &name) {
    for (const Aggregate &a : kAggregates)
        if (a.name == name)
            return a;
    throw executionError("unknown aggregate \"" + name + "\"");
}

struct Aggregation {
    std::string function, label;
    std::string mask;     ///< column of numbers: only cells beside a number other than 0 count; "": all cells
    bool skipsNat = true; ///< nat is a null of queries
};

/// 1 where cells are not nat.
Ref<Dense> withoutNat(const Dense &column) {
    auto result = Dense::create(ValueType::Bool, column.rows(), 1);
    withNumericType(column.type(), [&]<class T>(TypeTag<T>) {
        auto in = column.view<T>();
        auto out = result->mutableView<bool>();
        for (size_t r : cancellableRows(in))
            out(r, 0) = static_cast<int64_t>(in(r, 0)) != calendar::natOf(column.type());
    });
    return result;
}

Ref<Dense> aggregate(const Frame &frame, const RowGroups &groups, const Aggregation &a) {
    const Ref<Dense> &column = frame.columns[positionOf(frame, a.label)];
    auto compute = aggregateNamed(a.function).compute;
    bool hasNulls = a.skipsNat && isTime(column->type());
    if (a.mask.empty() && !hasNulls)
        return compute({groups.idOfRow, groups.firstRow, column});
    auto mask =
        a.mask.empty() ? withoutNat(*column) : converted(*frame.columns[positionOf(frame, a.mask)], ValueType::Bool);
    auto counts = mask->view<bool>();
    std::vector<size_t> rows, firstOf(groups.size(), kNoRow);
    std::vector<uint32_t> ids;
    Ref<Dense> there = hasNulls ? withoutNat(*column) : mask;
    auto isThere = there->view<bool>();
    for (size_t r : cancellable(frame.rows()))
        if (counts(r, 0) && isThere(r, 0)) {
            uint32_t id = groups.idOfRow[r];
            if (firstOf[id] == kNoRow)
                firstOf[id] = rows.size();
            rows.push_back(r);
            ids.push_back(id);
        }
    return compute({ids, firstOf, pickOrDefault(*column, rows)});
}

Value aggregated(RunContext &context, const Frame &frame, const std::vector<size_t> &keys,
                 const std::vector<Aggregation> &wanted) {
    Columns keyColumns;
    for (size_t c : keys)
        keyColumns.push_back(frame.columns[c]);
    RowGroups groups = groupRows(frame.rows(), keyColumns);
    std::vector<SortKey> sortKeys;
    for (const Ref<Dense> &column : keyColumns)
        sortKeys.push_back({pickOrDefault(*column, groups.firstRow), true});
    auto order = sortedRows(context, groups.size(), sortKeys);
    std::span<const size_t> rows(order->view<uint64_t>().data, groups.size());
    auto result = Ref<Frame>::make(groups.size());
    for (size_t k = 0; k < keys.size(); ++k)
        result->addColumn(frame.labels[keys[k]], pickOrDefault(*sortKeys[k].column, rows));
    for (const Aggregation &a : wanted) {
        auto column = aggregate(frame, groups, a);
        result->addColumn(a.function + "(" + a.label + ")", pickOrDefault(*column, rows));
    }
    return result;
}

/// group(frame, numKeys, keys..., [aggregate, label, mask]...); a key given twice counts once.
Value group(KernelCall &call, const Frame &frame, size_t numKeys, std::span<const Value> rest) {
    if (numKeys > rest.size() || (rest.size() - numKeys) % 3 != 0)
        throw executionError("needs keys and then triples of an aggregate, a label and a mask");
    std::vector<size_t> keys;
    for (const std::string &label : textArguments(call, 2, numKeys))
        for (size_t c : positionsOf(frame, label))
            if (std::find(keys.begin(), keys.end(), c) == keys.end())
                keys.push_back(c);
    std::vector<Aggregation> wanted;
    for (size_t i = 2 + numKeys; i < call.args.size(); i += 3) {
        auto texts = textArguments(call, i, 3);
        wanted.push_back({texts[0], texts[1], texts[2]});
    }
    return aggregated(call.context, frame, keys, wanted);
}

/// groupSum(frame, keys..., summed)
Value groupSum(KernelCall &call, const Frame &frame, std::span<const Value> labels) {
    auto texts = textArguments(call, 1, labels.size());
    std::vector<size_t> keys;
    for (size_t i = 0; i + 1 < texts.size(); ++i)
        keys.push_back(positionOf(frame, texts[i]));
    return aggregated(call.context, frame, keys, {{"SUM", texts.back(), "", /*skipsNat=*/false}});
}

} // namespace

void addGroups(KernelTable &t) {
    t.add<&group>("group");
    t.add<&groupSum>("groupSum");
}

} // namespace daphne
