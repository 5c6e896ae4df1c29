// SPDX-License-Identifier: Apache-2.0
/// One CSV text that is read: where its rows are, what is known of them before and
/// what is found out. Types and labels that the metadata leave out are guessed
/// from a sample of rows and verified while all are read: a column is si64 if all
/// its fields are integers, else f64 if all are numbers or empty, else str. What
/// has been read as str, but is nothing but dates, timestamps or durations, becomes a
/// column of these.
///
///     CsvTable table(job, CsvTable::For::Matrix);
///     do
///         ... make room for table.meta.rows x table.meta.cols cells of the types in table.meta ...
///     while (!table.read(readField));
///
/// Errors name file, line and column (a field); the mistake that counts is the
/// first one of the file.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "base/Progress.h"
#include "io/FormatTable.h"
#include "io/text/CsvRows.h"

namespace daphne::io {

/// Reads no fields of a row at once.
struct FieldByField {
    size_t operator()(CsvCursor &, size_t) const { return 0; }
};

class CsvTable {
  public:
    enum class For : uint8_t { Matrix, Frame };
    CsvTable(ReadJob &job, For what);

    /// What is read in a column that holds something else than it should.
    Reading readingOf(size_t column) const {
        return isGuessed(column) ? Reading::Guess : style.lenient ? Reading::Lenient : Reading::Strict;
    }
    bool isGuessed(size_t column) const { return !kinds.empty() && guessed[column]; }
    /// Whether somebody must look at columns nobody wants, as what is in them tells whether there is a header.
    bool needsAllKinds() const { return isHeaderGuessed(); }
    bool isNullable(size_t column) const { return job.meta && job.meta->isNullable(column); }

    /// Reads all rows in parallel, by pieces. beginRow(cursor, row) may read the first fields of a row, whose number it
    /// returns; readField(cursor, row, column) reads any other and returns of which kind it is, as far as that matters:
    /// Integer may stand for whatever fits the guess. False if everything is to be read again, as the table knows
    /// better now.
    template <class ReadField, class BeginRow = FieldByField>
    bool read(ReadField &&readField, BeginRow &&beginRow = {});

    /// Calls readField for the fields of rows [first, end), in parallel by pieces; those before are not understood.
    template <class ReadField, class BeginRow = FieldByField>
    void readRange(size_t first, size_t end, ReadField &&readField, BeginRow &&beginRow = {});

    /// Calls f(first row, last row, worker that read them) for all pieces, in parallel.
    template <class F> void forPiecesRead(F &&f) {
        forEachPiece(job.request.pool, rows.pieces.size(), [&](size_t i) {
            size_t first = std::min(meta.rows, rows.pieces[i].firstRow);
            f(first, std::min(meta.rows, first + rows.pieces[i].numRows), readBy[i]);
        });
    }

    ReadJob &job;
    const CsvStyle style;
    Metadata meta; ///< complete

  private:
    /// Thrown where a piece of guessed rows is not what it was said to be.
    struct Misaligned {};
    /// The most general kind seen per column; written rarely.
    class SeenKinds {
      public:
        explicit SeenKinds(const std::vector<FieldKind> &kinds) : seen(kinds.size()) {
            for (size_t c = 0; c < kinds.size(); ++c)
                seen[c] = kinds[c];
        }
        void note(size_t column, FieldKind kind) {
            FieldKind old = seen[column].load(std::memory_order_relaxed);
            while (old < kind && !seen[column].compare_exchange_weak(old, kind))
                ;
        }
        std::vector<std::atomic<FieldKind>> seen;
    };

    void begin();
    void decideHeader();
    void readHeader();
    void describe();
    void needLabelsOfSchema() const;
    void needNoHeader() const;
    void guessKinds();
    void sample(const RowPiece &piece);
    void setTypes();
    void needPlausibleSize();
    bool settle(const SeenKinds &seen);
    bool isHeaderGuessed() const { return hasHeader && headerFrom == CsvFindings::Source::Data; }
    void report() const;
    size_t rowsToRead() const { return promisedRows ? std::min(*promisedRows, rows.numRows) : rows.numRows; }
    void needPromisedRows();
    void readAsDeclared();
    Error error(const TextError &e) const;

    template <class ReadField, class BeginRow>
    void readPiece(const RowPiece &piece, size_t limit, ReadField &&readField, BeginRow &&beginRow) const;
    template <class ReadField, class BeginRow> void readAll(ReadField &&readField, BeginRow &&beginRow);

    For what;
    std::optional<bool> headerOption;
    bool hasHeader = false;
    CsvFindings::Source headerFrom = CsvFindings::Source::Data;
    std::string_view content; ///< of the file, without byte order mark
    std::string_view text;    ///< behind the header
    std::vector<std::string> labels;
    std::optional<size_t> promisedRows;
    EmptyLines emptyLines = EmptyLines::Skip;
    CsvRows rows;
    std::vector<uint32_t> readBy; ///< the worker of every piece
    std::vector<FieldKind> kinds; ///< of guessed columns; none if no column is guessed
    std::vector<bool> guessed;
};

// -------------------------------------------------------------------- templates

/// The rows of a piece below `limit`; checks the number of fields.
template <class ReadField, class BeginRow>
void CsvTable::readPiece(const RowPiece &piece, size_t limit, ReadField &&readField, BeginRow &&beginRow) const {
    CsvCursor cursor(piece.text, style, piece.plain);
    size_t last = std::min(limit, piece.firstRow + piece.numRows), cols = meta.cols, c = 0;
    auto wrongNumber = [&](const std::string &found) {
        return TextError{cursor.position(), "expected " + std::to_string(cols) + " fields, got " + found, c + 2,
                         /*avoidable=*/true};
    };
    try {
        for (size_t r = piece.firstRow; r < last; ++r) {
            if (emptyLines == EmptyLines::Skip)
                cursor.skipEmptyLines();
            if (cursor.atEnd())
                throw Misaligned();
            for (c = beginRow(cursor, r); c < cols; ++c) {
                readField(cursor, r, c);
                if (c + 1 == cols)
                    break;
                if (cursor.atDelimiter())
                    cursor.skipDelimiter();
                else if (!style.lenient) // else the rest of the row is as if it were empty
                    throw wrongNumber(std::to_string(c + 1));
            }
            if (!cursor.atLineEnd()) {
                c = cols - 1;
                if (!style.lenient)
                    throw wrongNumber("more");
                cursor.skipRow();
            }
            cursor.nextLine();
        }
    } catch (TextError &e) {
        if (e.field == 0)
            e.field = c + 1;
        throw;
    }
    if (emptyLines == EmptyLines::Skip)
        cursor.skipEmptyLines();
    if (!cursor.atEnd() && last == piece.firstRow + piece.numRows)
        throw Misaligned();
}

template <class ReadField, class BeginRow> void CsvTable::readAll(ReadField &&readField, BeginRow &&beginRow) {
    auto readPieces = [&] {
        readBy.assign(rows.pieces.size(), 0);
        forEachPiece(job.request.pool, rows.pieces.size(), [&](size_t i) {
            readBy[i] = job.request.pool ? job.request.pool->currentWorker() : 0;
            if (rows.pieces[i].firstRow < meta.rows)
                readPiece(rows.pieces[i], meta.rows, readField, beginRow);
            advanceProgress(rows.pieces[i].text.size());
        });
        needPromisedRows();
    };
    try {
        if (!rows.guessed)
            return readPieces();
        try {
            return readPieces();
        } catch (const TextError &) { // a mistake of the file or of the guess
        } catch (const Misaligned &) {
        }
        rows = cutRowsExactly(text, style, emptyLines);
        if (rowsToRead() != meta.rows)
            throw Misaligned(); // the target has another number of rows: the caller starts again
        readPieces();
    } catch (const TextError &e) {
        throw error(e);
    }
}

template <class ReadField, class BeginRow> bool CsvTable::read(ReadField &&readField, BeginRow &&beginRow) {
    try {
        if (kinds.empty()) {
            readAll(readField, beginRow);
            return true;
        }
        SeenKinds seen(kinds);
        readAll(
            [&](CsvCursor &cursor, size_t r, size_t c) {
                FieldKind kind = readField(cursor, r, c);
                if (kind > kinds[c])
                    seen.note(c, kind);
            },
            beginRow);
        return settle(seen);
    } catch (const Misaligned &) {
        meta.rows = rowsToRead();
        return false;
    }
}

template <class ReadField, class BeginRow>
void CsvTable::readRange(size_t first, size_t end, ReadField &&readField, BeginRow &&beginRow) {
    try {
        if (rows.guessed)
            rows = cutRowsExactly(text, style, emptyLines);
        needPromisedRows();
        forEachPiece(job.request.pool, rows.pieces.size(), [&](size_t i) {
            const RowPiece &piece = rows.pieces[i];
            if (piece.firstRow >= end || piece.firstRow + piece.numRows <= first)
                return;
            readPiece(
                piece, end,
                [&](CsvCursor &cursor, size_t r, size_t c) {
                    r < first ? static_cast<void>(cursor.raw()) : readField(cursor, r, c);
                },
                [&](CsvCursor &cursor, size_t r) { return r < first ? 0 : beginRow(cursor, r); });
        });
    } catch (const TextError &e) {
        throw error(e);
    } catch (const Misaligned &) {
        throw job.error("its rows are not where they should be");
    }
}

} // namespace daphne::io
