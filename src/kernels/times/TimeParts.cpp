// SPDX-License-Identifier: Apache-2.0
/// Making dates, timestamps and durations; their parts, beginnings of units, months.
#include <algorithm>
#include <cmath>

#include "base/Cancellable.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/times/TimeCells.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

using namespace calendar;

std::string quoted(std::string_view text) {
    return '"' + std::string(text.substr(0, 60)) + (text.size() > 60 ? "...\"" : "\"");
}

// --------------------------------------------------------------------- making

template <ValueType T> int64_t parsed(std::string_view s) {
    auto time = parse(s, T);
    if (!time)
        throw executionError(quoted(s) + " is no " + std::string(dslName(T)))
            .withHint(T == ValueType::Duration
                          ? "a duration is written P1DT2H3M4.5S"
                          : "years, months and days are written 2024-02-29; other texts need a pattern");
    return *time;
}
template <ValueType T> int64_t parsedBy(std::string_view s, std::string_view pattern) {
    if (std::string problem = problemOf(pattern); !problem.empty())
        throw executionError(problem).withHint("parts are %Y %m %d %H %M %S %f %j and %%");
    auto time = parse(s, pattern, T);
    if (!time)
        throw executionError(quoted(s) + " is no " + std::string(dslName(T)) + " by the pattern " + quoted(pattern));
    return *time;
}

/// Integers that stand for times, as times.
Value asTimes(Value stored, ValueType type) {
    if (stored.isScalar())
        return timeScalar(type == ValueType::Date && stored.as<int64_t>() == kNatDate ? kNat : stored.as<int64_t>(),
                          type);
    Ref<Dense> cells = type == ValueType::Date ? convertMatrix(stored.dense(), ValueType::SI32) : stored.denseRef();
    cells->retag(type);
    return cells;
}

std::vector<Value> argumentsOf(const KernelCall &call) {
    std::vector<Value> values;
    for (size_t i = 0; i < call.args.size(); ++i)
        values.push_back(cellsOfArgument(call, i));
    return values;
}
bool allScalars(std::span<const Value> values) {
    for (const Value &v : values)
        if (!v.isScalar())
            return false;
    return true;
}

/// Year, month, day and perhaps hour, minute and second.
template <ValueType T> Value ofNumbers(KernelCall &call) {
    std::vector<Value> values = argumentsOf(call);
    MatrixShape shape = spreadShape(call, values);
    std::vector<CellsFor<int64_t>> parts;
    parts.reserve(values.size());
    for (size_t i = 0; i < values.size(); ++i)
        parts.emplace_back(call, i, values[i], shape);
    return makeTimes(call, allScalars(values), shape, T, [&](size_t r, size_t c) {
        int64_t p[6] = {1, 1, 1, 0, 0, 0};
        for (size_t i = 0; i < parts.size(); ++i)
            p[i] = parts[i].at(r, c);
        auto outside = [](int64_t x, int64_t low, int64_t high) { return x < low || x > high; };
        bool isDay = !outside(p[0], 1, 9999) && !outside(p[1], 1, 12) &&
                     !outside(p[2], 1, daysInMonth(p[0], static_cast<int>(p[1])));
        if (!isDay || outside(p[3], 0, 23) || outside(p[4], 0, 59) || outside(p[5], 0, 59)) {
            std::string text = std::to_string(p[0]);
            for (size_t i = 1; i < parts.size(); ++i)
                text += ", " + std::to_string(p[i]);
            throw executionError("there is no " + std::string(dslName(T)) + " " + text);
        }
        int64_t days = daysOf({p[0], static_cast<int>(p[1]), static_cast<int>(p[2])});
        if (T == ValueType::Date)
            return days;
        return days * kMicrosPerDay + p[3] * kMicrosPerHour + p[4] * kMicrosPerMinute + p[5] * kMicrosPerSecond;
    });
}

template <ValueType T> Value make(KernelCall &call, std::span<const Value> args) {
    if (args.size() >= 3)
        return ofNumbers<T>(call);
    if (args.size() == 2)
        return asTimes(onCells<&parsedBy<T>>(call, args), T);
    Value first = cellsOfArgument(call, 0);
    if (!isTime(first.valueType()))
        return asTimes(onCells<&parsed<T>>(call, args), T);
    return first.isScalar() ? convertScalar(first, T) : Value(convertMatrix(first.dense(), T));
}

Value durationOf(KernelCall &call, std::span<const Value> args) {
    return asTimes(onCells<&parsed<ValueType::Duration>>(call, args), ValueType::Duration);
}

/// n units, exactly for integers.
template <int64_t Unit> Value durationOfUnits(KernelCall &call, std::span<const Value>) {
    Value n = cellsOfArgument(call, 0);
    if (!isNumeric(n.valueType()))
        wrongArgument(call, 0, "a number or a numeric matrix");
    MatrixShape shape = shapeOf(n);
    auto tooLong = [] { return executionError("the duration is too long"); };
    if (isFloat(n.valueType())) {
        Value numbers =
            n.isScalar() ? convertScalar(n, ValueType::F64) : Value(convertMatrix(n.dense(), ValueType::F64));
        return makeTimes(call, n.isScalar(), shape, ValueType::Duration, [&](size_t r, size_t c) {
            double x = numbers.isScalar() ? numbers.as<double>() : numbers.dense().view<double>()(r, c);
            if (x != x)
                return kNat;
            x = std::round(x * static_cast<double>(Unit));
            if (!(std::abs(x) < 9.2e18))
                throw tooLong();
            return static_cast<int64_t>(x);
        });
    }
    TimeCells numbers(n, shape);
    return makeTimes(call, n.isScalar(), shape, ValueType::Duration, [&](size_t r, size_t c) {
        int64_t result;
        if (__builtin_mul_overflow(numbers.at(r, c), Unit, &result) || result == kNat)
            throw tooLong();
        return result;
    });
}

// ----------------------------------------------------------------------- parts

int64_t dayOfWeek(int64_t days) { return (days + 3) - floorDiv(days + 3, 7) * 7 + 1; } // 1970 began on a Thursday

/// The week belongs to the year its Thursday lies in.
int64_t isoWeek(int64_t days) {
    int64_t thursday = days - dayOfWeek(days) + 4;
    return (thursday - daysOf({dayOf(thursday).year, 1, 1})) / 7 + 1;
}

int64_t yearOf(int64_t m) { return dayOf(floorDiv(m, kMicrosPerDay)).year; }
int64_t quarterOf(int64_t m) { return (dayOf(floorDiv(m, kMicrosPerDay)).month - 1) / 3 + 1; }
int64_t monthOf(int64_t m) { return dayOf(floorDiv(m, kMicrosPerDay)).month; }
int64_t weekOf(int64_t m) { return isoWeek(floorDiv(m, kMicrosPerDay)); }
int64_t dayOfMonth(int64_t m) { return dayOf(floorDiv(m, kMicrosPerDay)).day; }
int64_t dayOfYear(int64_t m) {
    int64_t days = floorDiv(m, kMicrosPerDay);
    return days - daysOf({dayOf(days).year, 1, 1}) + 1;
}
int64_t weekdayOf(int64_t m) { return dayOfWeek(floorDiv(m, kMicrosPerDay)); }
int64_t ofDay(int64_t m) { return m - floorDiv(m, kMicrosPerDay) * kMicrosPerDay; }
int64_t hourOf(int64_t m) { return ofDay(m) / kMicrosPerHour; }
int64_t minuteOf(int64_t m) { return ofDay(m) / kMicrosPerMinute % 60; }
int64_t secondOf(int64_t m) { return ofDay(m) / kMicrosPerSecond % 60; }
int64_t microsOf(int64_t m) { return ofDay(m) % kMicrosPerSecond; }

void needMoment(const KernelCall &call, const Value &v) {
    if (v.valueType() != ValueType::Date && v.valueType() != ValueType::Timestamp)
        wrongArgument(call, 0, "a date, a timestamp or a matrix of them");
}

template <int64_t (*Part)(int64_t)> Value part(KernelCall &call, std::span<const Value>) {
    Value x = cellsOfArgument(call, 0);
    needMoment(call, x);
    MatrixShape shape = shapeOf(x);
    TimeCells cells(x, shape, TimeCells::Dates::AsMicros);
    return makeTimes(call, x.isScalar(), shape, ValueType::SI64, [&](size_t r, size_t c) {
        int64_t moment = cells.at(r, c);
        if (moment == kNat)
            throw executionError("nat has no parts").withHint("isNan(...) marks missing times");
        return Part(moment);
    });
}

Unit unitNamed(std::string_view word) {
    auto unit = parseUnit(word);
    if (!unit)
        throw executionError(quoted(word) + " is no unit")
            .withHint("units are year quarter month week day hour minute second");
    return *unit;
}

/// Of a date in days, of a timestamp in microseconds.
int64_t inUnitsOf(ValueType type, int64_t micros) {
    return type == ValueType::Date ? floorDiv(micros, kMicrosPerDay) : micros;
}

Value truncateTo(KernelCall &call, std::span<const Value>) {
    std::vector<Value> values = argumentsOf(call);
    needMoment(call, values[0]);
    ValueType type = values[0].valueType();
    MatrixShape shape = spreadShape(call, values);
    TimeCells cells(values[0], shape, TimeCells::Dates::AsMicros);
    CellsFor<std::string_view> units(call, 1, values[1], shape);
    return makeTimes(call, allScalars(values), shape, type, [&](size_t r, size_t c) {
        Unit unit = unitNamed(units.at(r, c));
        int64_t moment = cells.at(r, c);
        return moment == kNat ? kNat : inUnitsOf(type, calendar::truncate(moment, unit));
    });
}

Value addMonthsTo(KernelCall &call, std::span<const Value>) {
    std::vector<Value> values = argumentsOf(call);
    needMoment(call, values[0]);
    ValueType type = values[0].valueType();
    MatrixShape shape = spreadShape(call, values);
    TimeCells cells(values[0], shape, TimeCells::Dates::AsMicros);
    CellsFor<int64_t> months(call, 1, values[1], shape);
    return makeTimes(call, allScalars(values), shape, type, [&](size_t r, size_t c) {
        int64_t moment = cells.at(r, c);
        if (moment == kNat)
            return kNat;
        int64_t days = floorDiv(moment, kMicrosPerDay);
        auto later = addMonths(days, months.at(r, c));
        if (!later)
            throw executionError("the result lies outside of the years 1 to 9999");
        return inUnitsOf(type, moment + (*later - days) * kMicrosPerDay);
    });
}

// --------------------------------------------------------------------- queries

Value isNat(KernelCall &, const Value &x) {
    if (x.isScalar())
        return Value::scalar<int64_t>(isTime(x.scalarType()) && x.as<int64_t>() == natOf(x.scalarType()));
    const Dense &m = x.dense();
    auto result = Dense::create(ValueType::SI64, m.rows(), m.cols(), Buffer::Init::Zero);
    if (isTime(m.type()))
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            auto in = m.view<T>();
            auto out = result->mutableView<int64_t>();
            for (size_t r : cancellableRows(in))
                for (size_t c = 0; c < in.cols; ++c)
                    out(r, c) = static_cast<int64_t>(in(r, c)) == natOf(m.type());
        });
    return result;
}

/// The beginning of 1970, or a duration of nothing, for nat: where a null is computed with.
Value natToEpoch(KernelCall &, const Value &x) {
    if (!x.holdsTimes())
        return x;
    ValueType type = x.valueType();
    if (x.isScalar())
        return x.as<int64_t>() == natOf(type) ? timeScalar(0, type) : x;
    Ref<Dense> result = x.dense().copy();
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        auto cells = result->mutableView<T>();
        std::replace(cells.data, cells.data + result->cells(), static_cast<T>(natOf(type)), T(0));
    });
    return result;
}

} // namespace

void addTimeParts(KernelTable &t) {
    t.add<&make<ValueType::Date>>("date");
    t.add<&make<ValueType::Timestamp>>("timestamp");
    t.add<&durationOf>("duration");
    t.add<&durationOfUnits<7 * kMicrosPerDay>>("weeks");
    t.add<&durationOfUnits<kMicrosPerDay>>("days");
    t.add<&durationOfUnits<kMicrosPerHour>>("hours");
    t.add<&durationOfUnits<kMicrosPerMinute>>("minutes");
    t.add<&durationOfUnits<kMicrosPerSecond>>("seconds");
    t.add<&part<&yearOf>>("year");
    t.add<&part<&quarterOf>>("quarter");
    t.add<&part<&monthOf>>("month");
    t.add<&part<&weekOf>>("week");
    t.add<&part<&dayOfMonth>>("day");
    t.add<&part<&dayOfYear>>("yearDay");
    t.add<&part<&weekdayOf>>("weekday");
    t.add<&part<&hourOf>>("hour");
    t.add<&part<&minuteOf>>("minute");
    t.add<&part<&secondOf>>("second");
    t.add<&part<&microsOf>>("micros");
    t.add<&truncateTo>("truncate");
    t.add<&addMonthsTo>("addMonths");
    t.add<&isNat>("isNat");
    t.add<&natToEpoch>("natToEpoch");
}

} // namespace daphne
