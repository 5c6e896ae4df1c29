// SPDX-License-Identifier: Apache-2.0
/// Sequences of dates and timestamps.
#include "kernels/times/TimeCells.h"

namespace daphne {

namespace {

using namespace calendar;

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
        throw executionError("an end of the sequence is nat");
    bool onlyDates = from.scalarType() == ValueType::Date && to.scalarType() == ValueType::Date;
    Value step = rest.empty() ? Value::scalar<int64_t>(1) : rest[0];
    ValueType type = onlyDates ? ValueType::Date : ValueType::Timestamp;
    int64_t stepMicros = 0, months = 0;
    if (step.isString()) {
        auto unit = parseUnit(step.text());
        if (!unit)
            throw executionError("\"" + step.text() + "\" is no unit")
                .withHint("units are year quarter month week day hour minute second");
        months = monthsIn(*unit);
        stepMicros = microsIn(*unit);
        type = onlyDates && *unit <= Unit::Day ? ValueType::Date : ValueType::Timestamp;
    } else if (step.isScalar() && step.scalarType() == ValueType::Duration) {
        stepMicros = step.as<int64_t>();
        type = ValueType::Timestamp;
    } else if (step.isScalar() && isIntegerLike(step.scalarType()) && onlyDates) {
        if (__builtin_mul_overflow(step.as<int64_t>(), kMicrosPerDay, &stepMicros))
            throw executionError("the step is too large");
    } else {
        wrongArgument(call, 2, "a number of days between dates, a duration or a unit");
    }
    if (stepMicros == kNat || (stepMicros == 0 && months == 0))
        throw executionError("the step must not be " + std::string(stepMicros == kNat ? "nat" : "zero"));
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
            throw executionError("a sequence of so many cells cannot be in memory");
        moments.reserve(static_cast<size_t>(count));
        for (int64_t k = 0; k < count; ++k)
            moments.push_back(first + k * stepMicros);
    }
    return makeTimes(call, false, {moments.size(), 1}, type, [&](size_t r, size_t) {
        return type == ValueType::Date ? floorDiv(moments[r], kMicrosPerDay) : moments[r];
    });
}

} // namespace

void addTimeSequence(KernelTable &t) { t.addTimes<&sequence>("seq"); }

} // namespace daphne
