// SPDX-License-Identifier: Apache-2.0
/// Comma-separated values: one line per row, strings quoted where they contain
/// delimiters, quotes or line breaks. What metadata leave out is found in the data
/// (CsvTable.h). Where nulls are kept, they are of any type.
#include <algorithm>

#include "io/FormatTable.h"
#include "io/NullableColumns.h"
#include "io/Times.h"
#include "io/files/Bytes.h"
#include "io/formats/CsvTable.h"
#include "io/formats/CsvWriting.h"
#include "io/text/Coordinates.h"

namespace daphne::io {

namespace {

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

/// One cell of a matrix of one type.
template <class T> class CellReader {
  public:
    explicit CellReader(const CsvTable &table)
        : table(table), type(table.meta.matrixType()), how(table.meta.cols > 0 ? table.readingOf(0) : Reading::Strict),
          mayBeNullable(table.job.meta && table.job.meta->hasNullable()), needsKinds(table.needsAllKinds()) {}

    FieldKind operator()(CsvCursor &cursor, T &cell, size_t column) const {
        if constexpr (std::is_same_v<T, std::string>) {
            FieldKind kind = needsKinds ? cursor.nextKind() : FieldKind::Text;
            std::string room;
            cell = cursor.text(room);
            return kind;
        } else {
            if constexpr (std::is_integral_v<T>)
                if (isTime(type)) {
                    cursor.time(cell, type, how);
                    return FieldKind::Text;
                }
            Reading howHere = how == Reading::Guess ? table.readingOf(column) : how;
            return cursor.number(cell, howHere, mayBeNullable && table.isNullable(column));
        }
    }

  private:
    const CsvTable &table;
    const ValueType type;
    const Reading how;
    const bool mayBeNullable, needsKinds;
};

/// Where the compiler chooses representations, a file whose metadata tell that few cells are not zero is a list of
/// coordinates.
bool isCoordinateList(const ReadJob &job) {
    if (!job.meta || !job.meta->numNonZeros || !job.meta->missing().empty() || !isNumeric(job.meta->matrixType()))
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
    CsvTable table(job, CsvTable::For::Matrix);
    Ref<Dense> m;
    for (bool done = false; !done;) {
        m = Dense::create(table.meta.matrixType(), table.meta.rows, table.meta.cols);
        withValueType(m->type(), [&]<class T>(TypeTag<T>) {
            T *cells = m->template mutableView<T>().data;
            size_t cols = m->cols();
            CellReader<T> readCell(table);
            auto readField = [=](CsvCursor &cursor, size_t r, size_t c) {
                return readCell(cursor, cells[r * cols + c], c);
            };
            done = table.read(readField, RowOfNumbers<T>{cells, cols});
        });
    }
    if (m->type() == ValueType::Str && m->cells() > 0 && table.isGuessed(0))
        if (Ref<Dense> times = timesOfTexts(*m))
            return times;
    return inWantedForm(std::move(m), job.request);
}

/// Only with complete metadata: else all fields decide about shape and type.
std::optional<Metadata> describeRows(ReadJob &job) {
    if (!job.meta || !job.meta->missing().empty() || isCoordinateList(job) || !isNumeric(job.meta->matrixType()) ||
        job.meta->cols == 0)
        return std::nullopt;
    return job.meta;
}

Ref<Dense> readRows(ReadJob &job, size_t first, size_t count) {
    if (!describeRows(job) || first > job.meta->rows || count > job.meta->rows - first)
        throw job.error("it does not have the rows that are wanted");
    CsvTable table(job, CsvTable::For::Matrix);
    auto m = Dense::create(job.meta->matrixType(), count, job.meta->cols);
    withNumericType(m->type(), [&]<class T>(TypeTag<T>) {
        T *cells = m->template mutableView<T>().data;
        CellReader<T> readCell(table);
        auto readField = [=, cols = m->cols()](CsvCursor &cursor, size_t r, size_t c) {
            readCell(cursor, cells[(r - first) * cols + c], c);
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
    Ref<Dense> column(CsvTable &table) {
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
    FieldKind (*read)(CsvCursor &, const ColumnTarget &, size_t row);
    FieldKind (*readNull)(CsvCursor &, const ColumnTarget &, size_t row);
    void *cells = nullptr; ///< null: the column is not wanted
    Reading how = Reading::Strict;
    bool nullable = false;
    ValueType type = ValueType::Unknown; ///< of times

    static ColumnTarget ofTimes(Dense &column) {
        auto target = [&]<class T>(T *cells) {
            auto read = [](CsvCursor &cursor, const ColumnTarget &t, size_t row) {
                cursor.time(static_cast<T *>(t.cells)[row], t.type, t.how);
                return FieldKind::Text;
            };
            return ColumnTarget{.read = read, .readNull = read, .cells = cells, .type = column.type()};
        };
        return column.type() == ValueType::Date ? target(column.mutableView<int32_t>().data)
                                                : target(column.mutableView<int64_t>().data);
    }
    static ColumnTarget ofNumbers(Dense &column) {
        return withNumericType(column.type(), [&]<class T>(TypeTag<T>) {
            return ColumnTarget{
                .read = [](CsvCursor &cursor, const ColumnTarget &t,
                           size_t row) { return cursor.number(static_cast<T *>(t.cells)[row], t.how, t.nullable); },
                .readNull =
                    [](CsvCursor &cursor, const ColumnTarget &t, size_t row) {
                        cursor.null(static_cast<T *>(t.cells)[row]);
                        return FieldKind::Integer;
                    },
                .cells = column.mutableView<T>().data};
        });
    }
    static ColumnTarget ofTexts(TextTarget &texts) {
        auto read = [](CsvCursor &cursor, const ColumnTarget &t, size_t row) {
            return static_cast<TextTarget *>(t.cells)->read(cursor, row);
        };
        return {.read = read, .readNull = read, .cells = &texts};
    }
    /// The column is not wanted; its mistakes are found, and its kind if somebody needs it.
    static ColumnTarget nowhere(ValueType type, bool needsKind) {
        auto skip = [](CsvCursor &cursor, const ColumnTarget &, size_t) {
            cursor.skipText();
            return FieldKind::Integer;
        };
        auto look = [](CsvCursor &cursor, const ColumnTarget &, size_t) { return cursor.kind(); };
        if (needsKind || type == ValueType::Str)
            return {.read = needsKind ? look : skip, .readNull = skip};
        if (isTime(type)) {
            auto check = [](CsvCursor &cursor, const ColumnTarget &t, size_t) {
                int64_t cell;
                cursor.time(cell, t.type, t.how);
                return FieldKind::Integer;
            };
            return {.read = check, .readNull = skip, .type = type};
        }
        return withNumericType(type, [&]<class T>(TypeTag<T>) {
            auto check = [](CsvCursor &cursor, const ColumnTarget &t, size_t) {
                T cell;
                cursor.number(cell, t.how, t.nullable);
                return FieldKind::Integer; // whatever is in it, it is no reason to read everything again
            };
            return ColumnTarget{.read = check, .readNull = skip};
        });
    }
};

Value readFrame(ReadJob &job) {
    CsvTable table(job, CsvTable::For::Frame);
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
        indicators = NullIndicators(job, labels, types, table.meta.rows);
        readAs.clear();
        for (size_t c = 0; c < types.size(); ++c) {
            readAs.push_back(types[c] == ValueType::Str ? FieldKind::Text : FieldKind::Number);
            if (!job.wantsColumn(labels[c])) {
                targets.push_back(ColumnTarget::nowhere(types[c], table.isGuessed(c) && table.needsAllKinds()));
            } else if (types[c] == ValueType::Str) {
                texts[c] = std::make_unique<TextTarget>(table.meta.rows, job.request.pool);
                targets.push_back(ColumnTarget::ofTexts(*texts[c]));
            } else {
                // What is read a second time goes to the same place, unless the type changes.
                bool same = c < old.size() && old[c] && old[c]->rows() == table.meta.rows && old[c]->type() == types[c];
                columns[c] = same ? old[c] : Dense::create(types[c], table.meta.rows, 1);
                targets.push_back(isTime(types[c]) ? ColumnTarget::ofTimes(*columns[c])
                                                   : ColumnTarget::ofNumbers(*columns[c]));
            }
            targets.back().how = table.readingOf(c);
            targets.back().nullable = table.isNullable(c);
        }
    };
    do
        allocate();
    while (!table.read([&](CsvCursor &cursor, size_t r, size_t c) {
        const ColumnTarget &target = targets[c];
        bool *there = indicators.of(c);
        if (!there)
            return target.read(cursor, target, r);
        there[r] = !cursor.atNull(readAs[c]);
        // Whatever the type is, a null fits.
        return there[r] ? target.read(cursor, target, r) : target.readNull(cursor, target, r);
    }));
    auto frame = Ref<Frame>::make(table.meta.rows);
    auto labels = table.meta.columnLabels();
    for (size_t c = 0; c < columns.size(); ++c) {
        if (!columns[c] && !texts[c])
            continue;
        Ref<Dense> column = columns[c] ? columns[c] : texts[c]->column(table);
        if (texts[c] && table.isGuessed(c))
            if (Ref<Dense> times = timesOfTexts(*column)) {
                column = times;
                indicators.forget(labels[c]);
            }
        frame->addColumn(labels[c], column);
    }
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
           .isCsv = true,
           .hasTimes = true,
           .checksStrings = true});
}

} // namespace daphne::io
