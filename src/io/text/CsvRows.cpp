// SPDX-License-Identifier: Apache-2.0
#include "io/text/CsvRows.h"

#include <algorithm>

namespace daphne::io {

namespace {

/// Whether the line that ends at text[i] is empty.
bool endsEmptyLine(std::string_view text, size_t i) {
    if (i > 0 && text[i - 1] == '\r')
        --i;
    return i == 0 || text[i - 1] == '\n';
}

/// A last line without a line end is a row too.
size_t unterminatedRow(std::string_view text, EmptyLines emptyLines) {
    if (text.empty() || text.ends_with('\n'))
        return 0;
    return emptyLines == EmptyLines::AreRows || !endsEmptyLine(text, text.size());
}

size_t countPlainRows(std::string_view text, const TextFacts &facts, EmptyLines emptyLines) {
    size_t rows = facts.numLineEnds + unterminatedRow(text, emptyLines);
    if (emptyLines == EmptyLines::AreRows)
        return rows;
    // Without short lines only the first one can be empty.
    size_t stop = facts.hasShortLines ? text.size() : std::min<size_t>(text.size(), 2);
    for (size_t i = 0; i < stop; ++i)
        rows -= text[i] == '\n' && endsEmptyLine(text, i);
    return rows;
}

/// Rows that end in a piece, for both ways it may begin.
struct PieceCount {
    size_t rows[2] = {0, 0}; ///< begin outside, inside of quotes
    bool oddQuotes = false, hasQuotes = false, plain = false;
};

PieceCount countRows(std::string_view text, char quote, EmptyLines emptyLines) {
    PieceCount count;
    TextFacts facts = factsOf(text, quote);
    count.plain = facts.isPlain;
    count.hasQuotes = facts.hasQuotes;
    if (!count.hasQuotes) {
        count.rows[0] = countPlainRows(text, facts, emptyLines);
        return count;
    }
    bool inside = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n')
            count.rows[inside] += emptyLines == EmptyLines::AreRows || !endsEmptyLine(text, i);
        inside ^= text[i] == quote;
    }
    count.oddQuotes = inside;
    count.rows[inside] += unterminatedRow(text, emptyLines);
    return count;
}

void number(CsvRows &rows) {
    for (RowPiece &piece : rows.pieces) {
        piece.firstRow = rows.numRows;
        rows.numRows += piece.numRows;
    }
}

} // namespace

CsvRows cutRows(std::string_view text, const CsvStyle &style, EmptyLines emptyLines, sched::Pool *pool) {
    auto texts = cutAtLineEnds(text, kPieceBytes);
    std::vector<PieceCount> counts(texts.size());
    forEachTask(pool, texts.size(), [&](size_t i) { counts[i] = countRows(texts[i], style.quote, emptyLines); });
    CsvRows result;
    bool inside = false;
    for (size_t i = 0; i < texts.size(); ++i) {
        // A piece that begins inside of quotes belongs to the one before.
        if (inside) {
            RowPiece &last = result.pieces.back();
            last.text = {last.text.data(), last.text.size() + texts[i].size()};
            last.numRows += counts[i].rows[1];
            last.plain &= counts[i].plain;
        } else {
            result.pieces.push_back({texts[i], 0, counts[i].rows[0], counts[i].plain});
        }
        inside ^= counts[i].oddQuotes;
        result.guessed |= counts[i].hasQuotes;
    }
    if (inside) // then some quote is none
        return cutRowsExactly(text, style, emptyLines);
    number(result);
    return result;
}

CsvRows cutRowsExactly(std::string_view text, const CsvStyle &style, EmptyLines emptyLines) {
    CsvRows result;
    CsvCursor cursor(text, style);
    const char *begin = text.data();
    size_t rows = 0;
    auto close = [&](const char *end) {
        if (end != begin)
            result.pieces.push_back({{begin, static_cast<size_t>(end - begin)}, 0, rows});
        begin = end;
        rows = 0;
    };
    try {
        while (!cursor.atEnd()) {
            if (emptyLines == EmptyLines::Skip)
                cursor.skipEmptyLines();
            if (cursor.atEnd())
                break;
            if (static_cast<size_t>(cursor.position() - begin) >= kPieceBytes)
                close(cursor.position());
            ++rows;
            for (cursor.raw(); cursor.atDelimiter(); cursor.raw())
                cursor.skipDelimiter();
            cursor.nextLine();
        }
    } catch (const TextError &) {
        // Whoever reads the last row of this piece meets it again.
    }
    close(text.data() + text.size());
    number(result);
    return result;
}

} // namespace daphne::io
