// SPDX-License-Identifier: Apache-2.0
#include "base/Calendar.h"

#include <gtest/gtest.h>

namespace daphne::calendar {
namespace {

using enum ValueType;

int64_t date(std::string_view text) { return parse(text, Date).value(); }
int64_t stamp(std::string_view text) { return parse(text, Timestamp).value(); }
int64_t duration(std::string_view text) { return parse(text, Duration).value(); }

TEST(Calendar, CountsDaysOneByOneFromTheFirstToTheLast) {
    Day d{1, 1, 1};
    for (int64_t days = kFirstDay; days <= kLastDay; ++days) {
        ASSERT_EQ(daysOf(d), days);
        Day found = dayOf(days);
        ASSERT_TRUE(found.year == d.year && found.month == d.month && found.day == d.day) << days;
        if (++d.day > daysInMonth(d.year, d.month)) {
            d.day = 1;
            if (++d.month > 12) {
                d.month = 1;
                ++d.year;
            }
        }
    }
    EXPECT_EQ(d.year, 10000);
    EXPECT_EQ(daysOf({1970, 1, 1}), 0);
}

TEST(Calendar, ReadsAndWritesDates) {
    for (const char *text : {"2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31", "1969-12-31", "nat"})
        EXPECT_EQ(calendar::text(date(text), Date), text);
    EXPECT_EQ(date(""), kNatDate);
    for (const char *text : {"2023-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "24-01-01",
                             "0000-01-01", "2024-01-01 ", "2024-01-01T00:00", "x", "2024/01/01", "-2024-01-01"})
        EXPECT_FALSE(parse(text, Date)) << text;
}

TEST(Calendar, ReadsAndWritesTimestamps) {
    for (const char *text : {"2024-02-29T12:00:00", "2024-02-29T12:00:00.5", "1969-12-31T23:59:59.999999",
                             "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999", "nat"})
        EXPECT_EQ(calendar::text(stamp(text), Timestamp), text);
    EXPECT_EQ(stamp("2024-01-31 12:00"), stamp("2024-01-31T12:00:00"));
    EXPECT_EQ(stamp("2024-01-31"), stamp("2024-01-31T00:00"));
    EXPECT_EQ(stamp("2024-01-31T12:00Z"), stamp("2024-01-31T12:00"));
    EXPECT_EQ(stamp("2024-01-31T12:00+02:00"), stamp("2024-01-31T10:00"));
    EXPECT_EQ(stamp("2024-01-31T12:00:00.25-0530"), stamp("2024-01-31T17:30:00.25"));
    EXPECT_EQ(stamp("2024-01-31T23:00-02"), stamp("2024-02-01T01:00"));
    EXPECT_EQ(stamp("2024-01-31T12:00:00.123456000"), stamp("2024-01-31T12:00:00.123456"));
    for (const char *text : {"2024-01-31T24:00", "2024-01-31T12:60", "2024-01-31T12:00:60", "2024-01-31T12",
                             "2024-01-31T12:00:00.", "2024-01-31T12:00:00.1234567", "2024-01-31T12:00+2", "2024-01-31T",
                             "2024-01-31T12:00:00ZZ", "2024-01-31T12:00 +02:00", "9999-12-31T23:59-01:00"})
        EXPECT_FALSE(parse(text, Timestamp)) << text;
}

TEST(Calendar, ReadsAndWritesDurations) {
    for (const char *text : {"P1DT2H3M4.5S", "PT0S", "-PT1H", "P1D", "PT12H", "PT0.000001S", "-P3DT0.5S", "nat"})
        EXPECT_EQ(calendar::text(duration(text), Duration), text);
    EXPECT_EQ(duration("P2W"), 14 * kMicrosPerDay);
    EXPECT_EQ(calendar::text(duration("PT36H"), Duration), "P1DT12H");
    EXPECT_EQ(duration("PT1.25S"), 1250000);
    for (const char *text : {"P", "PT", "P1", "1D", "P1H", "PT1D", "PT1M1H", "P1.5D", "P1DT", "PT1S1S", "P-1D", "P1Y"})
        EXPECT_FALSE(parse(text, Duration)) << text;
    EXPECT_FALSE(parse("P999999999999D", Duration));
}

TEST(Calendar, FollowsPatterns) {
    EXPECT_EQ(parse("29.02.2024", "%d.%m.%Y", Date), date("2024-02-29"));
    EXPECT_EQ(parse("2024060", "%Y%j", Date), date("2024-02-29"));
    EXPECT_EQ(parse("31/01/2024 07:08:09.5", "%d/%m/%Y %H:%M:%S.%f", Timestamp), stamp("2024-01-31T07:08:09.5"));
    EXPECT_EQ(parse("100%2024", "100%%%Y", Date), date("2024-01-01"));
    EXPECT_FALSE(parse("29.02.2023", "%d.%m.%Y", Date));
    EXPECT_FALSE(parse("29.2.2024", "%d.%m.%Y", Date));
    EXPECT_FALSE(parse("2023366", "%Y%j", Date));
    EXPECT_FALSE(parse("29.02.2024x", "%d.%m.%Y", Date));
    std::string out;
    append(out, stamp("2024-02-29T01:02:03.000045"), Timestamp, "%Y|%m|%d|%H|%M|%S|%f|%j|%%");
    EXPECT_EQ(out, "2024|02|29|01|02|03|000045|060|%");
    EXPECT_EQ(problemOf("%Y-%m"), "");
    EXPECT_NE(problemOf("%q"), "");
    EXPECT_NE(problemOf("100%"), "");
}

TEST(Calendar, AddsMonthsAndKeepsWithinThem) {
    auto added = [](std::string_view from, int64_t n) { return text(addMonths(date(from), n).value(), Date); };
    EXPECT_EQ(added("2024-01-31", 1), "2024-02-29");
    EXPECT_EQ(added("2023-01-31", 1), "2023-02-28");
    EXPECT_EQ(added("2024-01-31", -2), "2023-11-30");
    EXPECT_EQ(added("2024-02-29", 12), "2025-02-28");
    EXPECT_EQ(added("2024-12-15", 1), "2025-01-15");
    EXPECT_FALSE(addMonths(date("9999-12-01"), 1));
    EXPECT_FALSE(addMonths(date("0001-01-31"), -1));
    EXPECT_FALSE(addMonths(date("2024-01-31"), INT64_MAX));
}

TEST(Calendar, FindsTheBeginningOfUnits) {
    auto begin = [](std::string_view t, Unit unit) { return text(truncate(stamp(t), unit), Timestamp); };
    constexpr auto t = "2024-05-17T13:45:59.5"; // a Friday
    EXPECT_EQ(begin(t, Unit::Year), "2024-01-01T00:00:00");
    EXPECT_EQ(begin(t, Unit::Quarter), "2024-04-01T00:00:00");
    EXPECT_EQ(begin(t, Unit::Month), "2024-05-01T00:00:00");
    EXPECT_EQ(begin(t, Unit::Week), "2024-05-13T00:00:00");
    EXPECT_EQ(begin(t, Unit::Day), "2024-05-17T00:00:00");
    EXPECT_EQ(begin(t, Unit::Hour), "2024-05-17T13:00:00");
    EXPECT_EQ(begin(t, Unit::Minute), "2024-05-17T13:45:00");
    EXPECT_EQ(begin(t, Unit::Second), "2024-05-17T13:45:59");
    EXPECT_EQ(begin("1969-12-31T23:59:59.5", Unit::Hour), "1969-12-31T23:00:00");
    EXPECT_EQ(begin("1969-12-28T01:00:00", Unit::Week), "1969-12-22T00:00:00");
    EXPECT_EQ(parseUnit("quarter"), Unit::Quarter);
    EXPECT_FALSE(parseUnit("days"));
}

} // namespace
} // namespace daphne::calendar
