// SPDX-License-Identifier: Apache-2.0
/// Minima, maxima and their positions, order and different cells of times: the
/// kernels for integers compute them.
///
/// nat is the least integer, so minima and descending orders are right for the cells
/// as they are stored. Where nat has to be the greatest time, all cells are
/// moved down by one, which makes nat the greatest integer.
#include <algorithm>
#include <limits>

#include "base/Cancellable.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/times/TimeCells.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

using namespace calendar;

enum class NatIs : uint8_t { Least, Greatest };
enum class Axis : uint8_t { All, Row, Col };

/// Adds 1 or -1 to all cells; integers wrap.
template <class T> void moveCells(DenseView<T> cells, int by) {
    using Bits = std::make_unsigned_t<T>;
    for (size_t r : cancellableRows(cells))
        for (size_t c = 0; c < cells.cols; ++c)
            cells(r, c) = static_cast<T>(static_cast<Bits>(cells(r, c)) + static_cast<Bits>(by));
}

/// Integers in the order of the times.
Ref<Dense> toOrdered(const Dense &times, NatIs nat) {
    Ref<Dense> cells = nat == NatIs::Least ? Dense::window(times, 0, times.rows(), 0, times.cols()) : times.copy();
    cells->retag(storedType(times.type()));
    if (nat == NatIs::Greatest)
        cells->type() == ValueType::SI32 ? moveCells(cells->mutableView<int32_t>(), -1)
                                         : moveCells(cells->mutableView<int64_t>(), -1);
    return cells;
}

/// The times again.
Value fromOrdered(const Value &ordered, ValueType type, NatIs nat) {
    auto back = [&]<class T>(T x) {
        using Bits = std::make_unsigned_t<T>;
        return nat == NatIs::Least ? x : static_cast<T>(static_cast<Bits>(x) + Bits(1));
    };
    if (ordered.isScalar())
        return type == ValueType::Date ? Value::scalar(back(ordered.as<int32_t>()), type)
                                       : Value::scalar(back(ordered.as<int64_t>()), type);
    Ref<Dense> cells = ordered.dense().copy();
    if (nat == NatIs::Greatest)
        cells->type() == ValueType::SI32 ? moveCells(cells->mutableView<int32_t>(), 1)
                                         : moveCells(cells->mutableView<int64_t>(), 1);
    cells->retag(type);
    return cells;
}

const Dense &needTimes(const KernelCall &call) {
    if (!call.args[0].isMatrix() || !isTime(call.args[0].valueType()))
        wrongArgument(call, 0, "a matrix of times");
    return call.args[0].dense();
}

/// The kernel of that name on the ordered cells of the first argument; the other arguments as they are.
template <size_t NumResults = 1>
std::array<Value, NumResults> runOrdered(KernelCall &call, ops::OpName name, NatIs nat) {
    std::vector<Value> args(call.args.begin(), call.args.end());
    args[0] = toOrdered(needTimes(call), nat);
    std::array<Value, NumResults> results;
    KernelCall inner{call.context, *KernelTable::get().find(name), args, results};
    inner.kernel.run(inner);
    return results;
}

/// A matrix of nothing but nat, or that as a scalar.
Value allMissing(Axis axis, const Dense &m) {
    if (axis == Axis::All)
        return timeScalar(kNat, m.type());
    auto result = Dense::create(m.type(), axis == Axis::Row ? m.rows() : 1, axis == Axis::Col ? m.cols() : 1);
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        T *cells = result->mutableView<T>().data;
        std::fill_n(cells, result->cells(), static_cast<T>(natOf(m.type())));
    });
    return result;
}

bool hasNoCells(Axis axis, const Dense &m) {
    return (axis != Axis::Col && m.cols() == 0) || (axis != Axis::Row && m.rows() == 0);
}

enum class Extreme : uint8_t { Min, Max };

constexpr ops::OpName alongAxis(Axis axis, ops::OpName all, ops::OpName row, ops::OpName col) {
    return axis == Axis::All ? all : axis == Axis::Row ? row : col;
}
constexpr ops::OpName extremeOf(Extreme extreme, Axis axis) {
    return extreme == Extreme::Min ? alongAxis(axis, "minAll", "minRow", "minCol")
                                   : alongAxis(axis, "maxAll", "maxRow", "maxCol");
}

/// nat wins, or is no cell, by where it is in the order; of nothing it is the result.
template <Extreme extreme, Axis axis, NatIs nat> Value best(KernelCall &call, std::span<const Value>) {
    const Dense &m = needTimes(call);
    if (hasNoCells(axis, m))
        return allMissing(axis, m);
    return fromOrdered(runOrdered(call, extremeOf(extreme, axis), nat)[0], m.type(), nat);
}

/// Running extremes.
template <NatIs nat> Value running(KernelCall &call, std::span<const Value>) {
    return fromOrdered(runOrdered(call, call.mnemonic(), nat)[0], needTimes(call).type(), nat);
}

/// A group without cells has nat.
template <NatIs nat> Value grouped(KernelCall &call, std::span<const Value>) {
    ValueType type = needTimes(call).type();
    Value counts, result = fromOrdered(runOrdered(call, call.mnemonic(), nat)[0], type, nat);
    KernelCall inner{call.context, *KernelTable::get().find("countGrp"), call.args, {&counts, 1}};
    inner.kernel.run(inner);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        auto out = result.dense().mutableView<T>();
        auto n = counts.dense().view<uint64_t>();
        for (size_t k = 0; k < out.rows; ++k)
            if (n(k, 0) == 0)
                out(k, 0) = static_cast<T>(natOf(type));
    });
    return result;
}

/// Of the first nat, if there is one.
template <NatIs nat> Value position(KernelCall &call, std::span<const Value>) {
    return runOrdered(call, call.mnemonic(), nat)[0];
}

/// nat is no cell; if all cells are nat, that is an error as it is for NaN.
template <Extreme extreme, Axis axis> Value positionOfTime(KernelCall &call, std::span<const Value>) {
    constexpr NatIs nat = extreme == Extreme::Min ? NatIs::Greatest : NatIs::Least;
    const Dense &m = needTimes(call);
    if (!hasNoCells(axis, m)) {
        Value found = fromOrdered(runOrdered(call, extremeOf(extreme, axis), nat)[0], m.type(), nat);
        size_t lines = found.isScalar() ? 1 : found.dense().cells();
        Ref<Dense> cells = found.isScalar() ? Ref<Dense>() : convertMatrix(found.dense(), ValueType::SI64);
        for (size_t k = 0; k < lines; ++k) {
            int64_t x = cells ? cells->view<int64_t>().data[k] : found.as<int64_t>();
            if (x == natOf(m.type()))
                throw executionError(axis == Axis::All   ? std::string("all cells are nat")
                                     : axis == Axis::Row ? "all cells of row " + std::to_string(k) + " are nat"
                                                         : "all cells of column " + std::to_string(k) + " are nat");
        }
    }
    return runOrdered(call, call.mnemonic(), nat)[0];
}

/// How many cells are not nat.
template <Axis axis> Value numTimes(KernelCall &call, std::span<const Value>) {
    const Dense &m = needTimes(call);
    auto there = Dense::create(ValueType::SI64, m.rows(), m.cols());
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        auto out = there->mutableView<int64_t>();
        for (size_t r : cancellableRows(in))
            for (size_t c = 0; c < in.cols; ++c)
                out(r, c) = static_cast<int64_t>(in(r, c)) != natOf(m.type());
    });
    constexpr ops::OpName sum = alongAxis(axis, "sumAll", "sumRow", "sumCol");
    Value cells[] = {there}, result;
    KernelCall inner{call.context, *KernelTable::get().find(sum), cells, {&result, 1}};
    inner.kernel.run(inner);
    return result;
}

// ----------------------------------------------------------------------- order

/// nat comes last in both directions.
Value sort(KernelCall &call, std::span<const Value>) {
    NatIs nat = detail::FromValue<bool>::get(call, 1) ? NatIs::Greatest : NatIs::Least;
    return fromOrdered(runOrdered(call, "sort", nat)[0], needTimes(call).type(), nat);
}

Value unique(KernelCall &call, std::span<const Value>) {
    return fromOrdered(runOrdered(call, "unique", NatIs::Greatest)[0], needTimes(call).type(), NatIs::Greatest);
}

std::array<Value, 2> recode(KernelCall &call, std::span<const Value>) {
    auto [codes, dictionary] = runOrdered<2>(call, "recode", NatIs::Greatest);
    return {codes, fromOrdered(dictionary, needTimes(call).type(), NatIs::Greatest)};
}

template <Axis axis> void addExtremes(KernelTable &t) {
    t.addTimes<&best<Extreme::Min, axis, NatIs::Least>>(extremeOf(Extreme::Min, axis));
    t.addTimes<&best<Extreme::Max, axis, NatIs::Greatest>>(extremeOf(Extreme::Max, axis));
}

} // namespace

void addTimeOrder(KernelTable &t) {
    addExtremes<Axis::All>(t);
    addExtremes<Axis::Row>(t);
    addExtremes<Axis::Col>(t);
    t.addTimes<&best<Extreme::Min, Axis::All, NatIs::Greatest>>("nanMinAll");
    t.addTimes<&best<Extreme::Min, Axis::Row, NatIs::Greatest>>("nanMinRow");
    t.addTimes<&best<Extreme::Min, Axis::Col, NatIs::Greatest>>("nanMinCol");
    t.addTimes<&best<Extreme::Max, Axis::All, NatIs::Least>>("nanMaxAll");
    t.addTimes<&best<Extreme::Max, Axis::Row, NatIs::Least>>("nanMaxRow");
    t.addTimes<&best<Extreme::Max, Axis::Col, NatIs::Least>>("nanMaxCol");
    t.addTimes<&running<NatIs::Least>>("minCum");
    t.addTimes<&running<NatIs::Greatest>>("maxCum");
    t.addTimes<&grouped<NatIs::Least>>("minGrp");
    t.addTimes<&grouped<NatIs::Greatest>>("maxGrp");
    t.addTimes<&position<NatIs::Least>>("idxminRow");
    t.addTimes<&position<NatIs::Least>>("idxminCol");
    t.addTimes<&position<NatIs::Greatest>>("idxmaxRow");
    t.addTimes<&position<NatIs::Greatest>>("idxmaxCol");
    t.addTimes<&positionOfTime<Extreme::Min, Axis::All>>("nanIdxMinAll");
    t.addTimes<&positionOfTime<Extreme::Min, Axis::Row>>("nanIdxMinRow");
    t.addTimes<&positionOfTime<Extreme::Min, Axis::Col>>("nanIdxMinCol");
    t.addTimes<&positionOfTime<Extreme::Max, Axis::All>>("nanIdxMaxAll");
    t.addTimes<&positionOfTime<Extreme::Max, Axis::Row>>("nanIdxMaxRow");
    t.addTimes<&positionOfTime<Extreme::Max, Axis::Col>>("nanIdxMaxCol");
    t.addTimes<&numTimes<Axis::All>>("nanCountAll");
    t.addTimes<&numTimes<Axis::Row>>("nanCountRow");
    t.addTimes<&numTimes<Axis::Col>>("nanCountCol");
    t.addTimes<&sort>("sort");
    t.addTimes<&unique>("unique");
    t.addTimes<&recode>("recode");
}

} // namespace daphne
