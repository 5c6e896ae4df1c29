// SPDX-License-Identifier: Apache-2.0
/// Comma-separated values: one line per row, strings quoted where they contain
/// delimiters, quotes or line breaks. Without metadata the types of the columns
/// are guessed from a sample of rows and verified while all are read: a column is
/// si64 if all its fields are integers, else f64 if all are numbers or empty, else
/// str. Where nulls are kept, they are of any type. Errors name file, line and column.
#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/Progress.h"
#include "io/FormatTable.h"
#include "io/NullableColumns.h"
#include "io/files/Bytes.h"
#include "io/formats/CsvWriting.h"
#include "io/text/Coordinates.h"
#include "io/text/CsvRows.h"

namespace daphne::io {

namespace {

constexpr ValueType kTypeOfKind[] = {ValueType::SI64, ValueType::F64, ValueType::Str};

FieldKind kindOf(ValueType type) {
    return type == ValueType::Str ? FieldKind::Text : isFloat(type) ? FieldKind::Number : FieldKind::Integer;
}

// -------------------------------------------------------------------- rows

/// Thrown where a piece of guessed rows is not what it was said to be.
struct Misaligned {};

/// Reads no fields of a row at once.
struct FieldByField {
    size_t operator()(CsvCursor &, size_t) const { return 0; }
};

/// Calls readField(cursor, row, column) for every field of the rows below `limit` but those at the beginning of a row
/// that beginRow(cursor, row) has read, which it counts; and checks the number of fields.
template <class ReadField, class BeginRow = FieldByField>
void readPiece(const RowPiece &piece, const CsvStyle &style, size_t cols, size_t limit, EmptyLines emptyLines,
               ReadField &&readField, BeginRow &&beginRow = {}) {
    CsvCursor cursor(piece.text, style, piece.plain);
    size_t last = std::min(limit, piece.firstRow + piece.numRows);
    for (size_t r = piece.firstRow; r < last; ++r) {
        if (emptyLines == EmptyLines::Skip)
            cursor.skipEmptyLines();
        if (cursor.atEnd())
            throw Misaligned();
        for (size_t c = beginRow(cursor, r); c < cols; ++c) {
            readField(cursor, r, c);
            if (c + 1 == cols)
                break;
            if (!cursor.atDelimiter())
                throw TextError{cursor.position(),
                                "expected " + std::to_string(cols) + " fields, got " + std::to_string(c + 1)};
            cursor.skipDelimiter();
        }
        if (!cursor.atLineEnd())
            throw TextError{cursor.position(), "expected " + std::to_string(cols) + " fields, got more"};
        cursor.nextLine();
    }
    if (emptyLines == EmptyLines::Skip)
        cursor.skipEmptyLines();
    if (!cursor.atEnd() && last < limit)
        throw Misaligned();
}

/// One CSV text and what is known of it.
class Table {
  public:
    Table(ReadJob &job) : job(job), style(job.meta ? job.meta->csv : job.request.csv), text(job.text()) {
        if (style.header)
            readHeader();
        emptyLines = job.meta ? EmptyLines::AreRows : EmptyLines::Skip;
        if (job.meta) {
            meta = *job.meta;
            needPlausibleSize();
        }
        rows = cutRows(text, style, emptyLines, job.request.pool);
        if (!job.meta)
            infer();
    }

    Error error(const TextError &e) const { return locatedError(job.text(), job.path, e); }

    /// Calls readField and beginRow for all fields of the metadata's rows, in parallel by pieces.
    template <class ReadField, class BeginRow> void read(ReadField &&readField, BeginRow &&beginRow) {
        auto readAll = [&] {
            readBy.assign(rows.pieces.size(), 0);
            forEachPiece(job.request.pool, rows.pieces.size(), [&](size_t i) {
                readBy[i] = job.request.pool ? job.request.pool->currentWorker() : 0;
                if (rows.pieces[i].firstRow < meta.rows)
                    readPiece(rows.pieces[i], style, meta.cols, meta.rows, emptyLines, readField, beginRow);
                advanceProgress(rows.pieces[i].text.size());
            });
        };
        try {
            if (!rows.guessed)
                return readAll(), needEnoughRows();
            try {
                return readAll(), needEnoughRows();
            } catch (const TextError &) { // a mistake of the file or of the guess
            } catch (const Misaligned &) {
            }
            rows = cutRowsExactly(text, style, emptyLines);
            rows.guessed = false;
            if (!job.meta && rows.numRows != meta.rows)
                throw Misaligned(); // the target has another number of rows: the caller starts again
            readAll();
            needEnoughRows();
        } catch (const TextError &e) {
            throw error(e);
        }
    }

    /// Calls readField for the fields of rows [first, end), in parallel by pieces; those before are not understood.
    template <class ReadField, class BeginRow = FieldByField>
    void readRange(size_t first, size_t end, ReadField &&readField, BeginRow &&beginRow = {}) {
        try {
            if (rows.guessed)
                rows = cutRowsExactly(text, style, emptyLines);
            needEnoughRows();
            forEachPiece(job.request.pool, rows.pieces.size(), [&](size_t i) {
                const RowPiece &piece = rows.pieces[i];
                if (piece.firstRow >= end || piece.firstRow + piece.numRows <= first)
                    return;
                readPiece(
                    piece, style, meta.cols, end, emptyLines,
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

    /// Calls f(first row, last row, worker that read them) for all pieces, in parallel.
    template <class F> void forPiecesRead(F &&f) {
        forEachPiece(job.request.pool, rows.pieces.size(), [&](size_t i) {
            size_t first = std::min(meta.rows, rows.pieces[i].firstRow);
            f(first, std::min(meta.rows, first + rows.pieces[i].numRows), readBy[i]);
        });
    }

    /// The number of rows was a wrong guess; now it is exact.
    void correctRows() { meta.rows = rows.numRows; }
    /// A column has fields of a more general kind than the sample; returns true if that changed something.
    bool promote(const std::vector<std::atomic<FieldKind>> &seen) {
        bool changed = false;
        for (size_t c = 0; c < kinds.size(); ++c)
            if (seen[c] > kinds[c]) {
                kinds[c] = seen[c];
                changed = true;
            }
        setTypes();
        return changed;
    }

    ReadJob &job;
    const CsvStyle style;
    Metadata meta;
    std::vector<FieldKind> kinds; ///< of inferred columns

  private:
    void readHeader() {
        CsvCursor cursor(text, style);
        try {
            do {
                if (!labels.empty())
                    cursor.skipDelimiter();
                std::string room;
                labels.emplace_back(cursor.text(room));
            } while (cursor.atDelimiter());
            cursor.nextLine();
        } catch (const TextError &e) {
            throw error(e);
        }
        text.remove_prefix(static_cast<size_t>(cursor.position() - text.data()));
    }

    /// Every field but the last takes at least the byte of its delimiter. Checked before memory is allocated.
    void needPlausibleSize() const {
        size_t cells = 0;
        if (__builtin_mul_overflow(meta.rows, meta.cols, &cells) || cells > text.size() + 1)
            throw executionError("file \"" + job.path + "\" is too short: its meta data promise " +
                                 std::to_string(meta.rows) + "x" + std::to_string(meta.cols) + " cells, it has " +
                                 std::to_string(text.size()) + " bytes");
    }

    void needEnoughRows() const {
        if (rows.numRows < meta.rows)
            throw TextError{text.data() + text.size(), "the file ends after " + std::to_string(rows.numRows) + " of " +
                                                           std::to_string(meta.rows) + " rows"};
    }

    void infer() {
        CsvCursor first(text, style);
        first.skipEmptyLines();
        size_t cols = 0;
        try {
            if (!first.atEnd())
                for (cols = 1, first.raw(); first.atDelimiter(); first.raw(), ++cols)
                    first.skipDelimiter();
        } catch (const TextError &e) {
            throw error(e);
        }
        meta.rows = rows.numRows;
        meta.cols = cols;
        kinds.assign(cols, FieldKind::Integer);
        // Rows inside of guessed pieces may be no rows.
        size_t numSamples =
            rows.guessed ? std::min<size_t>(1, rows.pieces.size()) : std::min<size_t>(8, rows.pieces.size());
        for (size_t i = 0; i < numSamples; ++i)
            sample(rows.pieces[i * rows.pieces.size() / numSamples]);
        setTypes();
    }

    void sample(const RowPiece &piece) {
        constexpr size_t kRows = 100;
        RowPiece part{piece.text, 0, std::min(piece.numRows, kRows), piece.plain};
        try {
            readPiece(part, style, meta.cols, part.numRows, emptyLines, [&](CsvCursor &cursor, size_t, size_t c) {
                bool isNull = job.request.keepNulls && cursor.atNull(FieldKind::Number);
                FieldKind kind = cursor.kind();
                kinds[c] = std::max(kinds[c], isNull ? FieldKind::Integer : kind);
            });
        } catch (const TextError &) { // found again when everything is read
        } catch (const Misaligned &) {
        }
    }

    void setTypes() {
        meta.valueType = kinds.empty() ? ValueType::F64 : ValueType::Bool;
        meta.types.clear();
        meta.labels = labels;
        for (size_t c = 0; c < kinds.size(); ++c) {
            meta.types.push_back(kTypeOfKind[static_cast<size_t>(kinds[c])]);
            if (c >= meta.labels.size())
                meta.labels.push_back("col_" + std::to_string(c));
            meta.valueType = mostGeneral(meta.valueType, meta.types[c]);
        }
        if (meta.labels.size() > kinds.size() && rows.numRows > 0)
            throw job.error("its header has " + std::to_string(labels.size()) + " labels, its first row has " +
                            std::to_string(kinds.size()) + " fields");
        if (kinds.empty() && !labels.empty()) { // nothing but a header
            meta.cols = labels.size();
            meta.types.assign(meta.cols, ValueType::Str);
        }
    }

    std::string_view text; ///< behind the header
    std::vector<std::string> labels;
    EmptyLines emptyLines;
    CsvRows rows;
    std::vector<uint32_t> readBy; ///< the worker of every piece
};

// -------------------------------------------------------------------- reading

template <class T> FieldKind readCell(CsvCursor &cursor, T &cell) {
    if constexpr (std::is_same_v<T, std::string>) {
        std::string room;
        cell = cursor.text(room);
        return FieldKind::Text;
    } else {
        return cursor.number(cell);
    }
}

/// The first numbers of a row of a matrix at once, if they are of a type that can be read like that.
template <class T> struct RowOfNumbers {
    T *cells;
    size_t cols, firstRow = 0;
    size_t operator()(CsvCursor &cursor, size_t row) const {
        if constexpr (std::is_floating_point_v<T>)
            return cursor.numbers(cells + (row - firstRow) * cols, cols);
        else
            return 0;
    }
};

/// The most general kind seen per column; written rarely.
class SeenKinds {
  public:
    SeenKinds(const std::vector<FieldKind> &kinds) : seen(kinds.size()) {
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

/// Reads everything. False if the sample was not typical of an inferred text: then the table knows better now, and
/// everything is to be read again. What beginRow reads must be of the kind that the columns have.
template <class ReadField, class BeginRow = FieldByField>
bool readVerified(Table &table, ReadField &&readField, BeginRow &&beginRow = {}) {
    if (table.job.meta) {
        table.read(readField, beginRow);
        return true;
    }
    SeenKinds seen(table.kinds);
    try {
        table.read(
            [&](CsvCursor &cursor, size_t r, size_t c) {
                FieldKind kind = readField(cursor, r, c);
                if (kind > table.kinds[c])
                    seen.note(c, kind);
            },
            beginRow);
    } catch (const Misaligned &) {
        table.correctRows();
        return false;
    }
    return !table.promote(seen.seen);
}

/// Where the compiler chooses representations, a file whose metadata tell that few cells are not zero is a list of
/// coordinates.
bool isCoordinateList(const ReadJob &job) {
    if (!job.meta || !job.meta->numNonZeros || !isNumeric(job.meta->matrixType()))
        return false;
    const RepresentationPolicy &policy = job.request.policy;
    double sparsity = job.meta->sparsity();
    return job.request.csr || (policy.byEstimate && sparsity >= 0 && sparsity < policy.threshold);
}

/// "row,column" lines, counted from 0; every entry is 1.
Value readCoordinateList(ReadJob &job) {
    const Metadata &meta = *job.meta;
    std::string_view text = job.text();
    size_t entries = *meta.numNonZeros;
    if (entries > text.size() / 3 + 1 || meta.rows > (size_t(1) << 24) + text.size())
        throw job.error("it is too short for the " + std::to_string(meta.rows) + "x" + std::to_string(meta.cols) +
                        " matrix with " + std::to_string(entries) + " entries its meta data promise");
    CoordinateList list{.text = text,
                        .rows = meta.rows,
                        .cols = meta.cols,
                        .numEntries = entries,
                        .hasValues = false,
                        .separator = ',',
                        .firstNumber = 0};
    try {
        return Csr::withStructureOf(*readCsr<int64_t>(list, job.request.pool), meta.matrixType(), {});
    } catch (const TextError &e) {
        throw locatedError(text, job.path, e);
    }
}

/// The file holds every cell; a large matrix that turns out to be sparse is kept as Csr.
Value readMatrix(ReadJob &job) {
    if (isCoordinateList(job))
        return readCoordinateList(job);
    Table table(job);
    Ref<Dense> m;
    for (bool done = false; !done;) {
        // Inferred columns have their own types; the matrix takes the most general.
        ValueType type = job.meta ? table.meta.matrixType() : table.meta.valueType;
        m = Dense::create(type, table.meta.rows, table.meta.cols);
        size_t cols = m->cols();
        if (cols == 0)
            return m;
        std::fill(table.kinds.begin(), table.kinds.end(), kindOf(type));
        withValueType(type, [&]<class T>(TypeTag<T>) {
            T *cells = m->template mutableView<T>().data;
            auto readField = [=](CsvCursor &cursor, size_t r, size_t c) {
                return readCell(cursor, cells[r * cols + c]);
            };
            done = readVerified(table, readField, RowOfNumbers<T>{cells, cols});
        });
    }
    return inWantedForm(std::move(m), job.request);
}

/// Only with metadata: without them all fields decide about the type.
std::optional<Metadata> describeRows(ReadJob &job) {
    if (!job.meta || isCoordinateList(job) || !isNumeric(job.meta->matrixType()) || job.meta->cols == 0)
        return std::nullopt;
    return job.meta;
}

Ref<Dense> readRows(ReadJob &job, size_t first, size_t count) {
    if (!describeRows(job) || first > job.meta->rows || count > job.meta->rows - first)
        throw job.error("it does not have the rows that are wanted");
    Table table(job);
    auto m = Dense::create(job.meta->matrixType(), count, job.meta->cols);
    withNumericType(m->type(), [&]<class T>(TypeTag<T>) {
        T *cells = m->template mutableView<T>().data;
        auto readField = [=, cols = m->cols()](CsvCursor &cursor, size_t r, size_t c) {
            readCell(cursor, cells[(r - first) * cols + c]);
        };
        table.readRange(first, first + count, readField, RowOfNumbers<T>{cells, m->cols(), first});
    });
    return m;
}

/// A column of strings while it is read: every worker has a dictionary of its own.
class TextTarget {
  public:
    TextTarget(size_t rows, const sched::Pool *pool)
        : numRows(rows), buffer(Buffer::create(ValueType::UI32, rows, Buffer::Init::None)), pool(pool),
          workers(pool ? pool->numWorkers() : 1) {}

    FieldKind read(CsvCursor &cursor, size_t row) {
        PerWorker &w = workers[pool ? pool->currentWorker() : 0];
        buffer.as<uint32_t>()[row] = w.dictionary.insert(cursor.text(w.room));
        return FieldKind::Text;
    }

    /// One dictionary for all.
    Ref<Dense> column(Table &table) {
        auto dictionary = std::make_shared<Dictionary>();
        std::vector<std::vector<uint32_t>> codes(workers.size());
        for (size_t w = 0; w < workers.size(); ++w)
            for (uint32_t code = 0; code < workers[w].dictionary.size(); ++code)
                codes[w].push_back(dictionary->insert(workers[w].dictionary[code]));
        uint32_t *cells = buffer.as<uint32_t>();
        table.forPiecesRead([&](size_t first, size_t last, uint32_t worker) {
            for (size_t r = first; r < last; ++r)
                cells[r] = codes[worker][cells[r]];
        });
        return Dense::coded(std::move(dictionary), buffer.detach(), numRows);
    }

  private:
    struct alignas(64) PerWorker {
        Dictionary dictionary;
        std::string room;
    };
    size_t numRows;
    BufferRef buffer;
    const sched::Pool *pool;
    std::vector<PerWorker> workers;
};

/// Where the cells of a column go.
struct ColumnTarget {
    FieldKind (*read)(CsvCursor &, void *cells, size_t row);
    void *cells;
    explicit ColumnTarget(Dense &column) {
        withNumericType(column.type(), [&]<class T>(TypeTag<T>) {
            cells = column.mutableView<T>().data;
            read = [](CsvCursor &cursor, void *cells, size_t row) {
                return readCell(cursor, static_cast<T *>(cells)[row]);
            };
        });
    }
    /// Nowhere: the column is not wanted.
    explicit ColumnTarget(FieldKind kind) : cells(nullptr) {
        read = kind == FieldKind::Text
                   ? [](CsvCursor &cursor, void *, size_t) { return skip(cursor, FieldKind::Text); }
                   : [](CsvCursor &cursor, void *, size_t) { return skip(cursor, FieldKind::Number); };
    }
    /// Whatever is in it, it is no reason to read everything again.
    static FieldKind skip(CsvCursor &cursor, FieldKind as) {
        cursor.skip(as);
        return FieldKind::Integer;
    }
    explicit ColumnTarget(TextTarget &texts) {
        cells = &texts;
        read = [](CsvCursor &cursor, void *cells, size_t row) {
            return static_cast<TextTarget *>(cells)->read(cursor, row);
        };
    }
};

Value readFrame(ReadJob &job) {
    Table table(job);
    std::vector<Ref<Dense>> columns;                ///< of numbers
    std::vector<std::unique_ptr<TextTarget>> texts; ///< of strings
    std::vector<ColumnTarget> targets;
    NullIndicators indicators;
    std::vector<FieldKind> readAs;
    auto allocate = [&] {
        auto types = table.meta.columnTypes();
        auto labels = table.meta.columnLabels();
        auto old = std::move(columns);
        columns.assign(types.size(), {});
        texts.clear();
        texts.resize(types.size());
        targets.clear();
        indicators = NullIndicators(job, labels, table.meta.rows);
        readAs.clear();
        for (size_t c = 0; c < types.size(); ++c) {
            readAs.push_back(kindOf(types[c]));
            if (!job.wantsColumn(labels[c])) {
                targets.emplace_back(readAs[c]);
                continue;
            }
            if (types[c] == ValueType::Str) {
                texts[c] = std::make_unique<TextTarget>(table.meta.rows, job.request.pool);
                targets.emplace_back(*texts[c]);
                continue;
            }
            // What is read a second time goes to the same place, unless the type changes.
            bool same = c < old.size() && old[c] && old[c]->rows() == table.meta.rows && old[c]->type() == types[c];
            columns[c] = same ? old[c] : Dense::create(types[c], table.meta.rows, 1);
            targets.emplace_back(*columns[c]);
        }
    };
    do
        allocate();
    while (table.meta.cols > 0 && !readVerified(table, [&](CsvCursor &cursor, size_t r, size_t c) {
               bool *there = indicators.of(c);
               if (!there)
                   return targets[c].read(cursor, targets[c].cells, r);
               there[r] = !cursor.atNull(readAs[c]);
               FieldKind kind = targets[c].read(cursor, targets[c].cells, r);
               return there[r] ? kind : FieldKind::Integer; // whatever the type is, a null fits
           }));
    auto frame = Ref<Frame>::make(table.meta.rows);
    auto labels = table.meta.columnLabels();
    for (size_t c = 0; c < columns.size(); ++c)
        if (columns[c] || texts[c])
            frame->addColumn(labels[c], columns[c] ? columns[c] : texts[c]->column(table));
    indicators.addTo(*frame);
    return frame;
}

} // namespace

void addCsv(FormatTable &t) {
    t.add({.extension = "csv",
           .title = "comma-separated values",
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeCsv,
           .writeFrame = writeCsv,
           .describeRows = describeRows,
           .readRows = readRows,
           .hasNulls = true,
           .checksStrings = true});
}

} // namespace daphne::io
