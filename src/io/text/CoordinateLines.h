// SPDX-License-Identifier: Apache-2.0
/// The entries of a coordinate list, line by line. Lines without surprises are
/// read by EntryReader, which is meant to be inlined into loops; all others, and
/// the mistakes, by CarefulReader.
#pragma once

#include <algorithm>

#include "io/text/Coordinates.h"
#include "io/text/Fields.h"
#include "io/text/NumberText.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

/// An entry and the text behind it; null at the end.
template <class T> struct Entry {
    size_t row = 0, column = 0;
    T value = T(1);
    const char *after = nullptr;
};

/// Reads any entry, or says what is wrong with it.
template <class T> class CarefulReader {
  public:
    CarefulReader(const char *at, const char *end, const CoordinateList &list) : at(at), end(end), list(list) {}

    Entry<T> next() {
        Entry<T> e;
        if (!skipToEntry())
            return e;
        const char *begin = at;
        e.row = index("row", list.rows, list.firstNumber + list.firstRow);
        needSeparator("a column");
        e.column = index("column", list.cols, list.firstNumber);
        if (list.hasValues) {
            needSeparator("a value");
            number(e.value);
        }
        skipBlanks();
        if (at != end && *at != '\n')
            throw TextError{at, "expected the end of the line, got \"" + shownWord(word()) + "\""};
        if (list.symmetry != Symmetry::General && e.row < e.column)
            throw TextError{begin, "row " + std::to_string(e.row + 1) + ", column " + std::to_string(e.column + 1) +
                                       " is above the diagonal: a symmetric file stores the lower triangle only"};
        e.after = at;
        return e;
    }

  private:
    void skipBlanks() {
        while (at != end && (*at == '\r' || isBlank(*at)))
            ++at;
    }
    /// To the first character of an entry, over line ends, empty lines and comments.
    bool skipToEntry() {
        while (at != end) {
            if (isDigit(*at))
                return true;
            if (*at == '%') {
                at = std::find(at, end, '\n');
            } else if (*at == '\n') {
                ++at;
            } else {
                const char *begin = at;
                skipBlanks();
                if (at == begin)
                    return true; // not a digit: index() complains
            }
        }
        return false;
    }
    std::string_view word() const {
        const char *stop = at;
        while (stop != end && *stop != '\n' && *stop != '\r' && !isBlank(*stop))
            ++stop;
        return {at, static_cast<size_t>(stop - at)};
    }
    TextError unexpected(const char *what) const {
        if (word().empty())
            return {at, std::string("the line ends where ") + what + " is expected"};
        return {at, std::string("expected ") + what + ", got \"" + shownWord(word()) + "\""};
    }
    void needSeparator(const char *what) {
        if (list.separator != ' ') {
            if (at == end || *at++ != list.separator)
                throw TextError{at - (at != end), std::string("expected ") + list.separator + " and " + what};
            return;
        }
        if (at == end || !isBlank(*at))
            throw unexpected(what);
        do
            ++at;
        while (at != end && isBlank(*at));
    }
    size_t index(const char *what, size_t n, size_t base) {
        uint64_t i;
        const char *last = scanUnsigned(at, end, i);
        if (!last)
            throw unexpected(what);
        if (i < base || i - base >= n)
            throw TextError{at, std::string(what) + " " + std::to_string(i) + " is outside " + std::to_string(base) +
                                    ".." + std::to_string(n + base - 1)};
        at = last;
        return i - base;
    }
    void number(T &value) {
        const char *last;
        if constexpr (std::is_same_v<T, double>)
            last = scanDouble(at, end, value);
        else
            last = scanInteger(at, end, value);
        if (last && (last == end || *last == '\n' || *last == '\r' || isBlank(*last))) {
            at = last;
            return;
        }
        // Infinities, nan, a plus sign, numbers out of range.
        std::string_view text = word();
        size_t used = 0;
        bool inRange = true;
        if constexpr (std::is_same_v<T, double>)
            value = leadingFloat<double>(text, used);
        else if (list.wrapsUnsigned)
            value = static_cast<T>(leadingInteger<uint64_t>(text, used, inRange));
        else
            value = leadingInteger<int64_t>(text, used, inRange);
        if (text.empty() || used != text.size() || !inRange)
            throw unexpected("a value");
        at += text.size();
    }

    const char *at, *end;
    const CoordinateList &list;
};

template <class T>
[[gnu::noinline, gnu::cold]] Entry<T> nextCarefully(const char *at, const char *end, const CoordinateList &list) {
    return CarefulReader<T>(at, end, list).next();
}

/// Reads the entries of a piece of text: lines without surprises here, all others carefully.
template <class T> class EntryReader {
  public:
    EntryReader(std::string_view piece, const CoordinateList &list)
        : at(piece.data()), end(piece.data() + piece.size()), rows(list.rows), cols(list.cols),
          baseOfRows(list.firstNumber + list.firstRow), base(list.firstNumber), separator(list.separator),
          hasValues(list.hasValues), lowerOnly(list.symmetry != Symmetry::General), list(list) {}

    /// The next entry, counted from 0; false at the end.
    [[gnu::always_inline]] bool next(size_t &row, size_t &column, T &value) {
        uint64_t i, j;
        const char *p = scanUnsigned(at, end, i);
        if (p && p != end && *p == separator) [[likely]] {
            p = scanUnsigned(p + 1, end, j);
            i -= baseOfRows;
            j -= base;
            bool inside = i < rows && j < cols && (!lowerOnly || j <= i);
            value = T(1);
            if (hasValues && p && p != end && *p == separator) [[likely]] {
                if constexpr (std::is_same_v<T, double>)
                    p = scanDouble(p + 1, end, value);
                else
                    p = scanInteger(p + 1, end, value);
            } else if (hasValues) {
                p = nullptr;
            }
            if (p && p != end && *p == '\n' && inside) [[likely]] {
                row = i;
                column = j;
                at = p + 1;
                return true;
            }
        }
        Entry<T> e = nextCarefully<T>(at, end, list);
        row = e.row;
        column = e.column;
        value = e.value;
        at = e.after ? e.after : end;
        return e.after != nullptr;
    }

  private:
    const char *at;
    const char *const end;
    const size_t rows, cols, baseOfRows, base;
    const char separator;
    const bool hasValues, lowerOnly;
    const CoordinateList &list;
};

} // namespace daphne::io
