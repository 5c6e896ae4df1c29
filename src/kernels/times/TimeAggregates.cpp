// SPDX-License-Identifier: Apache-2.0
/// Minima, maxima and their positions of times; sums and means of durations; sequences.
///
/// nat wins as NaN does. It is the least number, so the kernels for integers find
/// it: where the minimum is nat, everything else is, too.
#include "kernels/elementwise/Convert.h"
#include "kernels/times/TimeCells.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

using namespace calendar;

/// The same cells as the integers they are stored as.
Value storedCells(const Value &times) {
    const Dense &m = times.dense();
    auto view = Dense::window(m, 0, m.rows(), 0, m.cols());
    view->retag(storedType(m.type()));
    return view;
}

Value runOnStored(KernelCall &call, ops::OpName name) {
    std::vector<Value> args(call.args.begin(), call.args.end());
    args[0] = storedCells(call.args[0]);
    Value result;
    const Kernel &kernel = *KernelTable::get().find(name);
    KernelCall inner{call.context, kernel, args, {&result, 1}};
    kernel.run(inner);
    return result;
}

Value retagged(Value stored, ValueType type) {
    if (stored.isScalar()) {
        int64_t x = stored.as<int64_t>();
        return timeScalar(type == ValueType::Date && x == kNatDate ? kNat : x, type);
    }
    Ref<Dense> cells = convertMatrix(stored.dense(), storedType(type));
    if (!cells->unique())
        cells = cells->copy();
    cells->retag(type);
    return cells;
}

const Value &needTimes(const KernelCall &call) {
    if (!call.args[0].isMatrix() || !isTime(call.args[0].valueType()))
        wrongArgument(call, 0, "a matrix of times");
    return call.args[0];
}

/// Cell by cell: `otherwise`, where the minimum is not nat.
Value unlessMissing(const Value &minimum, const Value &otherwise, const Value &ifMissing) {
    int64_t nat = minimum.valueType() == ValueType::SI32 ? kNatDate : kNat;
    if (minimum.isScalar())
        return minimum.as<int64_t>() == nat ? ifMissing : otherwise;
    Ref<Dense> least = convertMatrix(minimum.dense(), ValueType::SI64), result = otherwise.dense().copy();
    auto isMissing = least->view<int64_t>();
    withNumericType(result->type(), [&]<class T>(TypeTag<T>) {
        auto out = result->mutableView<T>();
        auto in = ifMissing.dense().view<T>();
        for (size_t r = 0; r < out.rows; ++r)
            for (size_t c = 0; c < out.cols; ++c)
                if (isMissing(r, c) == nat)
                    out(r, c) = in(r, c);
    });
    return result;
}

Value minimum(KernelCall &call, std::span<const Value>) {
    ValueType type = needTimes(call).valueType();
    return retagged(runOnStored(call, call.mnemonic()), type);
}

/// "maxRow" of "minRow".
enum class Axis : uint8_t { All, Row, Col };
template <Axis axis> Value maximum(KernelCall &call, std::span<const Value>) {
    constexpr ops::OpName least = axis == Axis::All ? "minAll" : axis == Axis::Row ? "minRow" : "minCol";
    ValueType type = needTimes(call).valueType();
    Value low = runOnStored(call, least);
    return retagged(unlessMissing(low, runOnStored(call, call.mnemonic()), low), type);
}

Value positionOfMinimum(KernelCall &call, std::span<const Value>) {
    needTimes(call);
    return runOnStored(call, call.mnemonic());
}
template <Axis axis> Value positionOfMaximum(KernelCall &call, std::span<const Value>) {
    constexpr ops::OpName least = axis == Axis::Row ? "minRow" : "minCol";
    constexpr ops::OpName firstLeast = axis == Axis::Row ? "idxminRow" : "idxminCol";
    needTimes(call);
    return unlessMissing(runOnStored(call, least), runOnStored(call, call.mnemonic()), runOnStored(call, firstLeast));
}

/// Sums and means of durations, exact in 128 bits.
template <Axis axis, bool IsMean> Value total(KernelCall &call, std::span<const Value>) {
    if (needTimes(call).valueType() != ValueType::Duration)
        wrongArgument(call, 0, "a matrix of durations");
    auto in = call.args[0].dense().view<int64_t>();
    MatrixShape shape{axis == Axis::Row ? in.rows : 1, axis == Axis::Col ? in.cols : 1};
    std::vector<__int128> sums(shape.cells());
    std::vector<uint8_t> isMissing(shape.cells());
    for (size_t r = 0; r < in.rows; ++r)
        for (size_t c = 0; c < in.cols; ++c) {
            size_t k = axis == Axis::Row ? r : axis == Axis::Col ? c : 0;
            isMissing[k] |= in(r, c) == kNat;
            sums[k] += in(r, c);
        }
    auto n = static_cast<__int128>(axis == Axis::Row ? in.cols : axis == Axis::Col ? in.rows : in.rows * in.cols);
    return makeTimes(call, axis == Axis::All, shape, ValueType::Duration, [&](size_t r, size_t c) {
        size_t k = r + c;
        if (isMissing[k] || (IsMean && n == 0))
            return kNat;
        __int128 x = sums[k];
        if (IsMean) // to the nearest microsecond, halves away from zero
            x = (2 * x + (x < 0 ? -n : n)) / (2 * n);
        if (x > INT64_MAX || x <= INT64_MIN)
            throw executionError("'" + std::string(ops::userName(call.mnemonic())) +
                                 "': the result lies outside of the range of its type");
        return static_cast<int64_t>(x);
    });
}

// -------------------------------------------------------------------- sequences

Value sequence(KernelCall &call, const Value &from, const Value &to, std::span<const Value> rest) {
    auto isMoment = [](const Value &v) {
        return v.isScalar() && (v.scalarType() == ValueType::Date || v.scalarType() == ValueType::Timestamp);
    };
    for (size_t i : {0, 1})
        if (!isMoment(call.args[i]))
            wrongArgument(call, i, "a date or a timestamp");
    TimeCells ends[] = {{from, {}, TimeCells::Dates::AsMicros}, {to, {}, TimeCells::Dates::AsMicros}};
    int64_t first = ends[0].at(0, 0), last = ends[1].at(0, 0);
    if (first == kNat || last == kNat)
        throw executionError("seq: an end of the sequence is nat");
    bool onlyDates = from.scalarType() == ValueType::Date && to.scalarType() == ValueType::Date;
    Value step = rest.empty() ? Value::scalar<int64_t>(1) : rest[0];
    ValueType type = onlyDates ? ValueType::Date : ValueType::Timestamp;
    int64_t stepMicros = 0, months = 0;
    if (step.isString()) {
        auto unit = parseUnit(step.text());
        if (!unit)
            throw executionError("seq: \"" + step.text() + "\" is no unit")
                .withHint("units are year quarter month week day hour minute second");
        constexpr int64_t kMonths[] = {12, 3, 1, 0, 0, 0, 0, 0};
        constexpr int64_t kMicros[] = {
            0, 0, 0, 7 * kMicrosPerDay, kMicrosPerDay, kMicrosPerHour, kMicrosPerMinute, kMicrosPerSecond};
        months = kMonths[static_cast<size_t>(*unit)];
        stepMicros = kMicros[static_cast<size_t>(*unit)];
        type = onlyDates && *unit <= Unit::Day ? ValueType::Date : ValueType::Timestamp;
    } else if (step.isScalar() && step.scalarType() == ValueType::Duration) {
        stepMicros = step.as<int64_t>();
        type = ValueType::Timestamp;
    } else if (step.isScalar() && isIntegerLike(step.scalarType()) && onlyDates) {
        if (__builtin_mul_overflow(step.as<int64_t>(), kMicrosPerDay, &stepMicros))
            throw executionError("seq: the step is too large");
    } else {
        wrongArgument(call, 2, "a number of days between dates, a duration or a unit");
    }
    if (stepMicros == kNat || (stepMicros == 0 && months == 0))
        throw executionError("seq: the step must not be " + std::string(stepMicros == kNat ? "nat" : "zero"));
    std::vector<int64_t> moments;
    if (months > 0) {
        int64_t days = floorDiv(first, kMicrosPerDay), ofDay = first - days * kMicrosPerDay;
        for (int64_t k = 0;; ++k) {
            auto day = addMonths(days, k * months);
            if (!day || *day * kMicrosPerDay + ofDay > last)
                break;
            moments.push_back(*day * kMicrosPerDay + ofDay);
        }
    } else if (stepMicros > 0 ? first <= last : first >= last) {
        auto count = (static_cast<__int128>(last) - first) / stepMicros + 1;
        if (count > (int64_t(1) << 40))
            throw executionError("seq: a sequence of so many cells cannot be in memory");
        moments.reserve(static_cast<size_t>(count));
        for (int64_t k = 0; k < count; ++k)
            moments.push_back(first + k * stepMicros);
    }
    return makeTimes(call, false, {moments.size(), 1}, type, [&](size_t r, size_t) {
        return type == ValueType::Date ? floorDiv(moments[r], kMicrosPerDay) : moments[r];
    });
}

} // namespace

void addTimeAggregates(KernelTable &t) {
    t.addTimes<&minimum>("minAll");
    t.addTimes<&minimum>("minRow");
    t.addTimes<&minimum>("minCol");
    t.addTimes<&maximum<Axis::All>>("maxAll");
    t.addTimes<&maximum<Axis::Row>>("maxRow");
    t.addTimes<&maximum<Axis::Col>>("maxCol");
    t.addTimes<&positionOfMinimum>("idxminRow");
    t.addTimes<&positionOfMinimum>("idxminCol");
    t.addTimes<&positionOfMaximum<Axis::Row>>("idxmaxRow");
    t.addTimes<&positionOfMaximum<Axis::Col>>("idxmaxCol");
    t.addTimes<&total<Axis::All, false>>("sumAll");
    t.addTimes<&total<Axis::Row, false>>("sumRow");
    t.addTimes<&total<Axis::Col, false>>("sumCol");
    t.addTimes<&total<Axis::All, true>>("meanAll");
    t.addTimes<&total<Axis::Row, true>>("meanRow");
    t.addTimes<&total<Axis::Col, true>>("meanCol");
    t.addTimes<&sequence>("seq");
}

} // namespace daphne
