// SPDX-License-Identifier: Apache-2.0
/// A position in a CSV text. Fields are read one after another; behind each
/// stands a delimiter or a line end. Mistakes are thrown as TextError.
#pragma once

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/Calendar.h"
#include "base/Utf8.h"
#include "base/ValueType.h"
#include "io/text/CsvStyle.h"
#include "io/text/Fields.h"
#include "io/text/NumberText.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

/// What a field can be read as; each kind includes the ones before. TooLarge: a number beyond all of f64.
enum class FieldKind : uint8_t { Integer, Number, TooLarge, Text };

/// Number: also an empty field, which reads as NaN.
inline FieldKind kindOf(std::string_view field) {
    field = withoutBlanks(field);
    if (field.empty())
        return FieldKind::Number;
    size_t used = 0;
    bool inRange = false;
    leadingInteger<int64_t>(field, used, inRange);
    if (used == field.size() && inRange)
        return FieldKind::Integer;
    double number = 0;
    Fit fit = exactNumber(field, number);
    return fit == Fit::NoNumber ? FieldKind::Text : fit == Fit::OutOfRange ? FieldKind::TooLarge : FieldKind::Number;
}

/// What is done about a field that is not what its column should hold.
enum class Reading : uint8_t {
    Strict,  ///< it is a mistake
    Lenient, ///< what can be read of it is read
    Guess,   ///< the column is something else than it was thought to be: whoever reads is told
};

class CsvCursor {
  public:
    /// plain: the text is known to be nothing but ASCII.
    CsvCursor(std::string_view text, const CsvStyle &style, bool plain = false)
        : at(text.data()), end(text.data() + text.size()), style(style), delimiter(style.delimiter), quote(style.quote),
          plain(plain) {}

    const char *position() const { return at; }
    bool atEnd() const { return at == end; }
    bool atDelimiter() const { return at != end && *at == delimiter; }
    bool atLineEnd() const { return isLineEnd(at); }
    void skipDelimiter() { ++at; }
    /// From a line end to the start of the next line.
    void nextLine() {
        if (at != end && *at == '\r')
            ++at;
        if (at != end)
            ++at;
    }
    void skipEmptyLines() {
        while (at != end && atLineEnd())
            nextLine();
    }

    /// A numeric field. Returns what it really is; Integer may stand for Number. nullable: it may be empty although it
    /// is to be an integer.
    template <class T> FieldKind number(T &cell, Reading how, bool nullable) {
        if (style.nulls.empty() && plainNumber(cell)) [[likely]]
            return FieldKind::Integer;
        return unusualNumber(cell, how, nullable);
    }

    /// A date, timestamp or duration, as the integer it is stored as; nat if the field is empty or null.
    template <class T> void time(T &cell, ValueType type, Reading how) {
        const char *begin = at;
        std::string room;
        std::string_view field = withoutBlanks(text(room));
        auto stored = calendar::parse(field, type);
        if (!stored && how != Reading::Lenient)
            throw mistake({begin, 1}, "\"" + shownWord(field) + "\" in a column of " + std::string(dslName(type)) +
                                          " is no " + std::string(dslName(type)));
        cell = static_cast<T>(stored.value_or(calendar::natOf(type)));
    }

    /// A field that is known to be null.
    template <class T> void null(T &cell) {
        raw();
        cell = absent<T>();
    }

    /// The first fields of a row as long as they are nothing but numbers, at most `count`. Returns how many were read;
    /// the next field begins here, or the last one ends here.
    template <class T> size_t numbers(T *cells, size_t count) {
        return style.nulls.empty() ? scanDoubles(at, end, delimiter, cells, count) : 0;
    }

    /// The text of a field: where it stands, or in `room` if quotes had to be taken off.
    std::string_view text(std::string &room) {
        const char *begin = at;
        std::string_view field;
        room.clear();
        if (!atEnd() && *at == quote && quote != 0 && quoted(&room)) {
            field = room;
        } else {
            field = raw();
            if (isNull(field))
                field = {};
        }
        if (!plain)
            needText({begin, static_cast<size_t>(at - begin)});
        return field;
    }

    /// A text nobody wants: the mistakes of text() without the cell.
    void skipText() {
        std::string_view field = raw();
        if (!plain)
            needText(field);
    }
    /// To the end of the row.
    void skipRow() {
        for (raw(); atDelimiter(); raw())
            skipDelimiter();
    }

    FieldKind kind() {
        std::string_view field = raw();
        return isNull(field) ? FieldKind::Number : kindOf(field);
    }

    /// As kind(), without moving.
    FieldKind nextKind() {
        const char *begin = at;
        FieldKind result = kind();
        at = begin;
        return result;
    }

    /// Whether the field that starts here is null where a column can be: it is empty (blanks are no number), or one of
    /// the texts for nulls. What stands in quotes is a value.
    bool atNull(FieldKind as) {
        const char *begin = at;
        while (as != FieldKind::Text && at != end && isBlank(*at) && *at != delimiter)
            ++at;
        bool empty = atDelimiter() || atLineEnd();
        at = begin;
        if (empty || style.nulls.empty())
            return empty;
        bool null = isNull(raw());
        at = begin;
        return null;
    }

    /// The characters of the field as they stand, quotes included.
    [[gnu::always_inline]] std::string_view raw() {
        const char *begin = at;
        if (at != end && *at == quote && quote != 0 && quoted(nullptr))
            return {begin, static_cast<size_t>(at - begin)};
        at = fieldEnd(at);
        // A line end may be \r\n.
        if (at != begin && at[-1] == '\r' && (at == end || *at == '\n'))
            --at;
        return {begin, static_cast<size_t>(at - begin)};
    }

  private:
    bool isLineEnd(const char *p) const {
        return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
    }
    bool isNull(std::string_view field) const {
        for (const std::string &null : style.nulls)
            if (field == null)
                return true;
        return false;
    }
    /// The next delimiter or line feed; sixteen or eight characters at a time.
    [[gnu::always_inline]] const char *fieldEnd(const char *p) const {
#ifdef __SSE2__
        const __m128i wideDelimiter = _mm_set1_epi8(delimiter), wideLineFeed = _mm_set1_epi8('\n');
        for (; end - p >= 16; p += 16) {
            __m128i chars = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
            __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(chars, wideDelimiter), _mm_cmpeq_epi8(chars, wideLineFeed));
            if (auto found = static_cast<unsigned>(_mm_movemask_epi8(ends)))
                return p + std::countr_zero(found);
        }
#endif
        constexpr uint64_t kOnes = 0x0101010101010101, kHigh = 0x8080808080808080;
        const uint64_t delimiters = kOnes * static_cast<unsigned char>(delimiter), lineFeeds = kOnes * '\n';
        auto zeros = [](uint64_t word) { return (word - kOnes) & ~word & kHigh; }; // exact for the lowest zero byte
        for (; end - p >= 8; p += 8) {
            uint64_t word;
            std::memcpy(&word, p, 8);
            if (uint64_t found = zeros(word ^ delimiters) | zeros(word ^ lineFeeds))
                return p + std::countr_zero(found) / 8;
        }
        while (p != end && *p != delimiter && *p != '\n')
            ++p;
        return p;
    }
    /// The usual field is nothing but a number.
    template <class T> bool plainNumber(T &cell) {
        std::conditional_t<std::is_floating_point_v<T>, double, int64_t> value;
        const char *last;
        if constexpr (std::is_floating_point_v<T>)
            last = scanDouble(at, end, value);
        else
            last = scanInteger(at, end, value);
        if (!last || (last != end && *last != delimiter && !isLineEnd(last)))
            return false;
        if constexpr (std::is_same_v<T, float>) {
            if (!roundsToFloat(value)) [[unlikely]]
                return false;
        } else if constexpr (!std::is_same_v<T, double>) {
            if (!fitsInto<T>(value)) [[unlikely]]
                return false;
        }
        cell = static_cast<T>(value);
        at = last;
        return true;
    }
    template <class T> static T absent() {
        return std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T(0);
    }
    template <class T> [[gnu::noinline]] FieldKind unusualNumber(T &cell, Reading how, bool nullable) {
        std::string_view field = raw();
        cell = absent<T>();
        if (isNull(field))
            return FieldKind::Number;
        if (!plain) {
            if (size_t nul = field.find('\0'); nul != field.npos)
                throw TextError{field.data() + nul, "a NUL byte in a number"};
            needText(field);
        }
        if (how == Reading::Lenient) {
            cell = lenientNumber<T>(field);
            return FieldKind::Integer;
        }
        if (how == Reading::Guess) {
            FieldKind kind = kindOf(field);
            if (kind != FieldKind::Text)
                cell = lenientNumber<T>(field);
            return kind;
        }
        std::string_view text = withoutBlanks(field);
        if (text.empty()) {
            if (!std::is_floating_point_v<T> && !nullable)
                throw mistake(field, "an empty field in a column of " + typeName<T>() + ", which is not nullable");
            return FieldKind::Number;
        }
        Fit fit = exactNumber(text, cell);
        std::string shown = "\"" + shownWord(text) + "\"";
        if (fit == Fit::NoNumber)
            throw mistake(field, shown + " in a column of " + typeName<T>() + " is not a number");
        if (fit == Fit::OutOfRange)
            throw mistake(field, shown + " is out of range for " + typeName<T>());
        if (fit == Fit::Fraction)
            throw mistake(field, shown + " in a column of " + typeName<T>() + " has a fraction");
        return FieldKind::Integer;
    }
    template <class T> static std::string typeName() { return std::string(dslName(valueTypeOf<T>())); }
    /// Something that lenient reading accepts.
    static TextError mistake(std::string_view at, std::string what) {
        return {at.data(), std::move(what), 0, /*avoidable=*/true};
    }
    /// From an opening quote to behind the closing one; a doubled quote is one. False if that cannot be, and the field
    /// is to be taken as it is.
    bool quoted(std::string *cell) {
        const char *opening = at;
        for (++at;; ++at) {
            const char *stop = static_cast<const char *>(std::memchr(at, quote, static_cast<size_t>(end - at)));
            if (!stop) {
                at = opening;
                if (style.lenient)
                    return false;
                throw mistake({opening, 1}, "a quoted string is not closed");
            }
            if (cell)
                cell->append(at, stop);
            at = stop + 1;
            if (at == end || *at != quote)
                break;
            if (cell)
                *cell += quote;
        }
        if (atDelimiter() || atLineEnd())
            return true;
        if (!style.lenient)
            throw mistake({at, 1}, "text after the closing quote of a string");
        at = opening;
        return false;
    }

    /// Strings are UTF-8 without NUL.
    static void needText(std::string_view field) {
        size_t bad = findBadCharacter(field);
        if (bad != field.npos)
            throw TextError{field.data() + bad, badCharacterText(field[bad])};
    }

    const char *at, *end;
    const CsvStyle &style;
    const char delimiter, quote;
    const bool plain;
};

} // namespace daphne::io
