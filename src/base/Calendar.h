// SPDX-License-Identifier: Apache-2.0
/// Dates, timestamps and durations: days and microseconds since 1970 in the
/// Gregorian calendar, without time zones and leap seconds, and their texts.
/// Years are 1 to 9999. The least number of each type is nat, the missing time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/ValueType.h"

namespace daphne::calendar {

constexpr int32_t kNatDate = std::numeric_limits<int32_t>::min();
constexpr int64_t kNat = std::numeric_limits<int64_t>::min(); ///< of timestamps and durations
constexpr int64_t kMicrosPerSecond = 1'000'000, kMicrosPerMinute = 60 * kMicrosPerSecond,
                  kMicrosPerHour = 60 * kMicrosPerMinute, kMicrosPerDay = 24 * kMicrosPerHour;
constexpr int64_t kFirstDay = -719162, kLastDay = 2932896; ///< 0001-01-01 and 9999-12-31

struct Day {
    int64_t year;
    int month, day; ///< from 1
};
constexpr bool isLeapYear(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
constexpr int daysInMonth(int64_t year, int month) {
    constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && isLeapYear(year) ? 29 : kDays[month - 1];
}
/// Days since 1970; month and day need not be checked, years count from 1.
int64_t daysOf(Day day);
Day dayOf(int64_t days);
/// Quotient rounded down, for numbers before 1970.
constexpr int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
constexpr bool isDay(int64_t days) { return days >= kFirstDay && days <= kLastDay; }
constexpr bool isTimestamp(int64_t micros) {
    return micros >= kFirstDay * kMicrosPerDay && micros < (kLastDay + 1) * kMicrosPerDay;
}
/// The same day of a later month, or its last day; nothing beyond the calendar.
std::optional<int64_t> addMonths(int64_t days, int64_t months);

/// Parts of the calendar that have a name.
enum class Unit : uint8_t { Year, Quarter, Month, Week, Day, Hour, Minute, Second };
std::optional<Unit> parseUnit(std::string_view word);
/// How long a unit is: in months if it is not equally long always (microsIn is 0), else in microseconds (monthsIn is
/// 0).
constexpr int64_t monthsIn(Unit unit) {
    return unit == Unit::Year ? 12 : unit == Unit::Quarter ? 3 : unit == Unit::Month ? 1 : 0;
}
constexpr int64_t microsIn(Unit unit) {
    constexpr int64_t kMicros[] = {
        0, 0, 0, 7 * kMicrosPerDay, kMicrosPerDay, kMicrosPerHour, kMicrosPerMinute, kMicrosPerSecond};
    return kMicros[static_cast<size_t>(unit)];
}
/// The beginning of the unit a moment lies in; weeks begin on Mondays.
int64_t truncate(int64_t micros, Unit unit);

/// Texts of the given type as the number it is stored as; nothing if the text is wrong. "" and "nat" are nat.
std::optional<int64_t> parse(std::string_view text, ValueType type);
/// By a pattern of %Y %m %d %H %M %S %f %j and %%; anything else stands for itself.
std::optional<int64_t> parse(std::string_view text, std::string_view pattern, ValueType type);
/// The stored number as text: 2024-02-29, 2024-02-29T12:00:00.5, P1DT2H, nat.
void append(std::string &out, int64_t stored, ValueType type);
/// By a pattern; nat as nat.
void append(std::string &out, int64_t stored, ValueType type, std::string_view pattern);
inline std::string text(int64_t stored, ValueType type) {
    std::string out;
    append(out, stored, type);
    return out;
}
constexpr int64_t natOf(ValueType type) { return type == ValueType::Date ? kNatDate : kNat; }
/// What is wrong with a pattern; empty: nothing.
std::string problemOf(std::string_view pattern);

} // namespace daphne::calendar
