// SPDX-License-Identifier: Apache-2.0
#include "base/Calendar.h"

#include <algorithm>
#include <cstring>

namespace daphne::calendar {

// Years begin in March, so that the leap day is the last one; 400 of them are an era of 146097 days.

int64_t daysOf(Day d) {
    int64_t y = d.month <= 2 ? d.year - 1 : d.year;
    int64_t era = floorDiv(y, 400), yearOfEra = y - era * 400;
    int64_t dayOfYear = (153 * (d.month > 2 ? d.month - 3 : d.month + 9) + 2) / 5 + d.day - 1;
    return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

Day dayOf(int64_t days) {
    int64_t z = days + 719468, era = floorDiv(z, 146097), dayOfEra = z - era * 146097;
    int64_t yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
    int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int64_t m = (5 * dayOfYear + 2) / 153;
    int month = static_cast<int>(m < 10 ? m + 3 : m - 9);
    return {yearOfEra + era * 400 + (month <= 2), month, static_cast<int>(dayOfYear - (153 * m + 2) / 5 + 1)};
}

std::optional<int64_t> addMonths(int64_t days, int64_t months) {
    constexpr int64_t kMost = 9999 * 12;
    if (months > kMost || months < -kMost)
        return std::nullopt;
    Day d = dayOf(days);
    int64_t month = d.year * 12 + d.month - 1 + months;
    d.year = floorDiv(month, 12);
    d.month = static_cast<int>(month - d.year * 12) + 1;
    if (d.year < 1 || d.year > 9999)
        return std::nullopt;
    d.day = std::min(d.day, daysInMonth(d.year, d.month));
    return daysOf(d);
}

std::optional<Unit> parseUnit(std::string_view word) {
    constexpr std::string_view kNames[] = {"year", "quarter", "month", "week", "day", "hour", "minute", "second"};
    for (size_t i = 0; i < std::size(kNames); ++i)
        if (kNames[i] == word)
            return static_cast<Unit>(i);
    return std::nullopt;
}

int64_t truncate(int64_t micros, Unit unit) {
    auto down = [&](int64_t step) { return floorDiv(micros, step) * step; };
    int64_t days = floorDiv(micros, kMicrosPerDay);
    switch (unit) {
    case Unit::Day: return down(kMicrosPerDay);
    case Unit::Hour: return down(kMicrosPerHour);
    case Unit::Minute: return down(kMicrosPerMinute);
    case Unit::Second: return down(kMicrosPerSecond);
    case Unit::Week: return (days - (days + 3 - floorDiv(days + 3, 7) * 7)) * kMicrosPerDay; // 1970 began on a Thursday
    default: break;
    }
    Day d = dayOf(days);
    d.day = 1;
    d.month = unit == Unit::Year ? 1 : unit == Unit::Quarter ? (d.month - 1) / 3 * 3 + 1 : d.month;
    return daysOf(d) * kMicrosPerDay;
}

// ----------------------------------------------------------------------- reading

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Reads from the front of a text.
class Reader {
  public:
    explicit Reader(std::string_view text) : text(text) {}
    bool atEnd() const { return at == text.size(); }
    char peek() const { return at < text.size() ? text[at] : '\0'; }
    bool take(char c) {
        bool there = peek() == c;
        at += there;
        return there;
    }
    /// Exactly n digits.
    bool digits(size_t n, int64_t &value) {
        value = 0;
        if (text.size() - at < n)
            return false;
        for (size_t i = 0; i < n; ++i, ++at) {
            if (!isDigit(text[at]))
                return false;
            value = 10 * value + (text[at] - '0');
        }
        return true;
    }
    /// Digits behind a point, as microseconds; further ones must be zeros. At least one.
    bool fraction(int64_t &micros) {
        micros = 0;
        if (!isDigit(peek()))
            return false;
        int64_t unit = kMicrosPerSecond / 10;
        for (; isDigit(peek()); ++at, unit /= 10) {
            micros += (text[at] - '0') * unit;
            if (unit == 0 && text[at] != '0')
                return false;
        }
        return true;
    }
    /// Any number of digits, at least one, below 10^12.
    bool number(int64_t &value) {
        value = 0;
        size_t begin = at;
        for (; isDigit(peek()) && at - begin < 12; ++at)
            value = 10 * value + (text[at] - '0');
        return at > begin && !isDigit(peek());
    }

  private:
    std::string_view text;
    size_t at = 0;
};

struct Moment {
    int64_t year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, micros = 0, yearDay = 0;

    std::optional<int64_t> days() const {
        if (year < 1 || year > 9999)
            return std::nullopt;
        if (yearDay > 0) {
            if (yearDay > 365 + isLeapYear(year))
                return std::nullopt;
            return daysOf({year, 1, 1}) + yearDay - 1;
        }
        if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, static_cast<int>(month)))
            return std::nullopt;
        return daysOf({year, static_cast<int>(month), static_cast<int>(day)});
    }
    std::optional<int64_t> stamp() const {
        auto d = days();
        if (!d || hour > 23 || minute > 59 || second > 59)
            return std::nullopt;
        return *d * kMicrosPerDay + hour * kMicrosPerHour + minute * kMicrosPerMinute + second * kMicrosPerSecond +
               micros;
    }
};

bool readDay(Reader &r, Moment &m) {
    return r.digits(4, m.year) && r.take('-') && r.digits(2, m.month) && r.take('-') && r.digits(2, m.day);
}

/// Hours and minutes, then perhaps seconds, a fraction and an offset from UTC, which is applied.
std::optional<int64_t> readTimestamp(std::string_view text) {
    Reader r(text);
    Moment m;
    if (!readDay(r, m))
        return std::nullopt;
    if (r.atEnd())
        return m.stamp();
    if ((!r.take('T') && !r.take(' ')) || !r.digits(2, m.hour) || !r.take(':') || !r.digits(2, m.minute))
        return std::nullopt;
    if (r.take(':') && (!r.digits(2, m.second) || (r.take('.') && !r.fraction(m.micros))))
        return std::nullopt;
    auto stamp = m.stamp();
    if (!stamp || r.take('Z') || r.atEnd())
        return r.atEnd() ? stamp : std::nullopt;
    int64_t sign = r.take('-') ? -1 : r.take('+') ? 1 : 0, hours, minutes = 0;
    if (sign == 0 || !r.digits(2, hours) || hours > 23)
        return std::nullopt;
    if (!r.atEnd()) {
        r.take(':');
        if (!r.digits(2, minutes) || minutes > 59 || !r.atEnd())
            return std::nullopt;
    }
    int64_t moment = *stamp - sign * (hours * kMicrosPerHour + minutes * kMicrosPerMinute);
    return isTimestamp(moment) ? std::optional(moment) : std::nullopt;
}

std::optional<int64_t> readDate(std::string_view text) {
    Reader r(text);
    Moment m;
    return readDay(r, m) && r.atEnd() ? m.days() : std::nullopt;
}

/// [-]P[nW][nD][T[nH][nM][n[.f]S]], at least one part.
std::optional<int64_t> readDuration(std::string_view text) {
    Reader r(text);
    bool isNegative = r.take('-');
    if (!r.take('P') || r.atEnd())
        return std::nullopt;
    __int128 sum = 0;
    bool inTime = false;
    size_t stage = 0; // parts come in this order
    while (!r.atEnd()) {
        if (!inTime && r.take('T')) {
            inTime = true;
            if (r.atEnd())
                return std::nullopt;
        }
        int64_t n, micros = 0;
        if (!r.number(n))
            return std::nullopt;
        bool hasFraction = r.take('.');
        if (hasFraction && !r.fraction(micros))
            return std::nullopt;
        struct Part {
            char letter;
            bool ofTime;
            int64_t length;
        };
        constexpr Part kParts[] = {{'W', false, 7 * kMicrosPerDay},
                                   {'D', false, kMicrosPerDay},
                                   {'H', true, kMicrosPerHour},
                                   {'M', true, kMicrosPerMinute},
                                   {'S', true, kMicrosPerSecond}};
        bool found = false;
        for (; stage < std::size(kParts) && !found; ++stage)
            if (kParts[stage].ofTime == inTime && r.take(kParts[stage].letter)) {
                if (hasFraction && kParts[stage].letter != 'S')
                    return std::nullopt;
                sum += static_cast<__int128>(n) * kParts[stage].length + micros;
                found = true;
            }
        if (!found)
            return std::nullopt;
    }
    if (sum > std::numeric_limits<int64_t>::max())
        return std::nullopt;
    return isNegative ? -static_cast<int64_t>(sum) : static_cast<int64_t>(sum);
}

} // namespace

std::optional<int64_t> parse(std::string_view text, ValueType type) {
    if (text.empty() || text == "nat")
        return natOf(type);
    return type == ValueType::Date        ? readDate(text)
           : type == ValueType::Timestamp ? readTimestamp(text)
                                          : readDuration(text);
}

std::optional<int64_t> parse(std::string_view text, std::string_view pattern, ValueType type) {
    if (text.empty() || text == "nat")
        return natOf(type);
    Reader r(text);
    Moment m;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%' || i + 1 == pattern.size()) {
            if (!r.take(pattern[i]))
                return std::nullopt;
            continue;
        }
        bool fits = false;
        switch (pattern[++i]) {
        case 'Y': fits = r.digits(4, m.year); break;
        case 'm': fits = r.digits(2, m.month); break;
        case 'd': fits = r.digits(2, m.day); break;
        case 'H': fits = r.digits(2, m.hour); break;
        case 'M': fits = r.digits(2, m.minute); break;
        case 'S': fits = r.digits(2, m.second); break;
        case 'f': fits = r.fraction(m.micros); break;
        case 'j': fits = r.digits(3, m.yearDay) && m.yearDay > 0; break;
        case '%': fits = r.take('%'); break;
        default: break;
        }
        if (!fits)
            return std::nullopt;
    }
    if (!r.atEnd())
        return std::nullopt;
    auto stamp = m.stamp();
    return type == ValueType::Date && stamp ? std::optional(floorDiv(*stamp, kMicrosPerDay)) : stamp;
}

std::string problemOf(std::string_view pattern) {
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%')
            continue;
        constexpr std::string_view kLetters = "YmdHMSfj%";
        ++i;
        if (i == pattern.size() || kLetters.find(pattern[i]) == std::string_view::npos)
            return "'%" + std::string(pattern.substr(i, 1)) + "' has no meaning in the pattern \"" +
                   std::string(pattern) + "\"";
    }
    return "";
}

// ----------------------------------------------------------------------- writing

namespace {

void appendPadded(std::string &out, int64_t n, size_t width) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = static_cast<char>('0' + n % 10);
    while ((n /= 10) > 0);
    while (sizeof digits - at < width)
        digits[--at] = '0';
    out.append(digits + at, sizeof digits - at);
}

/// ".5" for half a second, nothing for none.
void appendFraction(std::string &out, int64_t micros) {
    if (micros == 0)
        return;
    out += '.';
    appendPadded(out, micros, 6);
    while (out.back() == '0')
        out.pop_back();
}

void appendDay(std::string &out, int64_t days) {
    Day d = dayOf(days);
    appendPadded(out, d.year, 4);
    out += '-';
    appendPadded(out, d.month, 2);
    out += '-';
    appendPadded(out, d.day, 2);
}

void appendTimestamp(std::string &out, int64_t micros) {
    int64_t days = floorDiv(micros, kMicrosPerDay), rest = micros - days * kMicrosPerDay;
    appendDay(out, days);
    out += 'T';
    appendPadded(out, rest / kMicrosPerHour, 2);
    out += ':';
    appendPadded(out, rest / kMicrosPerMinute % 60, 2);
    out += ':';
    appendPadded(out, rest / kMicrosPerSecond % 60, 2);
    appendFraction(out, rest % kMicrosPerSecond);
}

void appendDuration(std::string &out, int64_t micros) {
    if (micros < 0)
        out += '-';
    uint64_t rest = micros < 0 ? uint64_t(0) - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
    out += 'P';
    auto part = [&](int64_t length, char letter) {
        uint64_t n = rest / static_cast<uint64_t>(length);
        rest %= static_cast<uint64_t>(length);
        if (n > 0) {
            appendPadded(out, static_cast<int64_t>(n), 1);
            out += letter;
        }
    };
    part(kMicrosPerDay, 'D');
    if (rest == 0) {
        if (micros == 0)
            out += "T0S";
        return;
    }
    out += 'T';
    part(kMicrosPerHour, 'H');
    part(kMicrosPerMinute, 'M');
    if (rest == 0)
        return;
    appendPadded(out, static_cast<int64_t>(rest) / kMicrosPerSecond, 1);
    appendFraction(out, static_cast<int64_t>(rest) % kMicrosPerSecond);
    out += 'S';
}

} // namespace

void append(std::string &out, int64_t stored, ValueType type) {
    if (stored == natOf(type))
        out += "nat";
    else if (type == ValueType::Date)
        appendDay(out, stored);
    else if (type == ValueType::Timestamp)
        appendTimestamp(out, stored);
    else
        appendDuration(out, stored);
}

void append(std::string &out, int64_t stored, ValueType type, std::string_view pattern) {
    if (stored == natOf(type)) {
        out += "nat";
        return;
    }
    int64_t micros = type == ValueType::Date ? stored * kMicrosPerDay : stored;
    int64_t days = floorDiv(micros, kMicrosPerDay), rest = micros - days * kMicrosPerDay;
    Day d = dayOf(days);
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%' || i + 1 == pattern.size()) {
            out += pattern[i];
            continue;
        }
        switch (pattern[++i]) {
        case 'Y': appendPadded(out, d.year, 4); break;
        case 'm': appendPadded(out, d.month, 2); break;
        case 'd': appendPadded(out, d.day, 2); break;
        case 'H': appendPadded(out, rest / kMicrosPerHour, 2); break;
        case 'M': appendPadded(out, rest / kMicrosPerMinute % 60, 2); break;
        case 'S': appendPadded(out, rest / kMicrosPerSecond % 60, 2); break;
        case 'f': appendPadded(out, rest % kMicrosPerSecond, 6); break;
        case 'j': appendPadded(out, days - daysOf({d.year, 1, 1}) + 1, 3); break;
        default: out += pattern[i];
        }
    }
}

} // namespace daphne::calendar
