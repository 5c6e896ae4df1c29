// SPDX-License-Identifier: Apache-2.0
/// Comma-separated values: no header line, one line per row, strings quoted
/// where they contain separators, quotes or line breaks. Errors (status 3) name
/// file and line.
#include <cmath>

#include "io/Fields.h"
#include "io/FormatTable.h"

namespace daphne::io {

namespace {

enum class EmptyLines { AreRows, Skip };

// -------------------------------------------------------------------- reading

/// Reads rows with one call of readField(row, column) per field, and checks that there are enough of both.
template <class ReadField>
void readRows(FieldCursor &cursor, size_t rows, size_t cols, EmptyLines emptyLines, ReadField &&readField) {
    for (size_t r = 0; r < rows; ++r) {
        while (emptyLines == EmptyLines::Skip && !cursor.atEnd() && cursor.skipEmptyLine())
            ;
        if (cursor.atEnd())
            throw cursor.error("the file ends after " + std::to_string(r) + " of " + std::to_string(rows) + " rows");
        for (size_t c = 0; c < cols; ++c) {
            readField(r, c);
            bool last = c + 1 == cols;
            if (!last && !cursor.atSeparator())
                throw cursor.error("expected " + std::to_string(cols) + " fields, got " + std::to_string(c + 1));
            if (!last)
                cursor.skipSeparator();
        }
        if (!cursor.atLineEnd())
            throw cursor.error("expected " + std::to_string(cols) + " fields, got more");
        cursor.nextLine();
    }
}

/// Every field but the last takes at least the byte of its separator. Checked before memory is allocated.
void needPlausibleSize(size_t rows, size_t cols, size_t numBytes, const std::string &path) {
    size_t cells = 0;
    if (__builtin_mul_overflow(rows, cols, &cells) || cells > numBytes + 1)
        throw executionError("file \"" + path + "\" is too short: its meta data promise " + std::to_string(rows) + "x" +
                             std::to_string(cols) + " cells, it has " + std::to_string(numBytes) + " bytes");
}

/// Metadata of a text and how to treat its empty lines.
struct Plan {
    Metadata meta;
    EmptyLines emptyLines;
};

Metadata inferCsv(std::string_view text, const std::string &path);

Plan planFor(std::string_view text, const std::string &path, const std::optional<Metadata> &meta) {
    if (!meta)
        return {inferCsv(text, path), EmptyLines::Skip};
    needPlausibleSize(meta->rows, meta->cols, text.size(), path);
    return {*meta, EmptyLines::AreRows};
}

template <class T> void readCell(FieldCursor &cursor, T &cell) {
    if constexpr (std::is_same_v<T, std::string>)
        cursor.text(cell);
    else
        cursor.number(cell);
}

enum class FieldKind : uint8_t { Integer, Number, Text };

FieldKind kindOf(std::string_view field) {
    field = withoutLeadingBlanks(field);
    while (!field.empty() && isBlank(field.back()))
        field.remove_suffix(1);
    if (field.empty())
        return FieldKind::Number; // reads as NaN
    size_t used = 0;
    bool inRange = false;
    leadingInteger<int64_t>(field, used, inRange);
    if (used == field.size() && inRange)
        return FieldKind::Integer;
    leadingDouble(field, used);
    return used == field.size() ? FieldKind::Number : FieldKind::Text;
}

/// Shape and column types of a text without metadata: rows are its non-empty lines, a column is si64 if all fields are
/// integers, else f64 if all are numbers or empty, else str.
Metadata inferCsv(std::string_view text, const std::string &path) {
    constexpr ValueType kTypes[] = {ValueType::SI64, ValueType::F64, ValueType::Str};
    FieldCursor cursor(text, path);
    std::vector<FieldKind> kinds;
    Metadata meta;
    while (!cursor.atEnd()) {
        if (cursor.skipEmptyLine())
            continue;
        for (size_t c = 0;; ++c) {
            if (c >= kinds.size() && meta.rows > 0)
                throw cursor.error("expected " + std::to_string(kinds.size()) +
                                   " fields as in the first line, got more");
            if (c >= kinds.size())
                kinds.push_back(FieldKind::Integer);
            FieldKind kind = kinds[c] == FieldKind::Text ? (cursor.raw(), FieldKind::Text) : kindOf(cursor.raw());
            kinds[c] = std::max(kinds[c], kind);
            if (cursor.atSeparator()) {
                cursor.skipSeparator();
                continue;
            }
            if (c + 1 < kinds.size())
                throw cursor.error("expected " + std::to_string(kinds.size()) + " fields as in the first line, got " +
                                   std::to_string(c + 1));
            break;
        }
        cursor.nextLine();
        ++meta.rows;
    }
    meta.cols = kinds.size();
    meta.valueType = kinds.empty() ? ValueType::F64 : ValueType::Bool;
    for (size_t c = 0; c < kinds.size(); ++c) {
        meta.types.push_back(kTypes[static_cast<size_t>(kinds[c])]);
        meta.labels.push_back("col_" + std::to_string(c));
        meta.valueType = mostGeneral(meta.valueType, meta.types[c]);
    }
    return meta;
}

Ref<Dense> readCells(ReadJob &job) {
    auto [meta, emptyLines] = planFor(job.text(), job.path, job.meta);
    // Inferred columns have their own types; the matrix takes the most general.
    ValueType type = job.meta ? meta.matrixType() : meta.valueType;
    auto result = Dense::create(type, meta.rows, meta.cols);
    if (meta.cols == 0)
        return result;
    FieldCursor cursor(job.text(), job.path);
    withValueType(type, [&]<class T>(TypeTag<T>) {
        T *cell = result->template mutableView<T>().data;
        readRows(cursor, result->rows(), result->cols(), emptyLines,
                 [&](size_t, size_t) { readCell(cursor, *cell++); });
    });
    return result;
}

/// The file holds every cell; a large matrix that turns out to be sparse is kept as Csr.
Value readMatrix(ReadJob &job) {
    Ref<Dense> m = readCells(job);
    const RepresentationPolicy &policy = job.request.policy;
    bool large = policy.prefersCsr(m->type(), m->rows(), m->cols(), 0);
    if (large && policy.prefersCsr(m->type(), m->rows(), m->cols(), static_cast<double>(countNonZeros(*m))))
        return toCsr(*m);
    return m;
}

Value readFrame(ReadJob &job) {
    auto [meta, emptyLines] = planFor(job.text(), job.path, job.meta);
    auto types = meta.columnTypes();
    auto labels = meta.columnLabels();
    auto result = Ref<Frame>::make(meta.rows);
    for (size_t c = 0; c < types.size(); ++c)
        result->addColumn(labels[c], Dense::create(types[c], meta.rows, 1));
    if (types.empty())
        return result;
    FieldCursor cursor(job.text(), job.path);
    readRows(cursor, result->rows(), result->cols(), emptyLines, [&](size_t r, size_t c) {
        withValueType(types[c], [&]<class T>(TypeTag<T>) {
            readCell(cursor, result->columns[c]->template mutableView<T>().data[r]);
        });
    });
    return result;
}

// -------------------------------------------------------------------- writing

void writeCell(const std::string &cell, FileReplacement &file) {
    if (cell.find_first_of(",\"\r\n") == cell.npos)
        return file.write(cell);
    std::string quoted = "\"";
    for (char c : cell) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    file.write(quoted += '"');
}

/// Integers in decimal, floats like "%f".
template <class T> void writeCell(T cell, FileReplacement &file) {
    char text[400]; // the greatest double has 309 digits before the point
    if constexpr (std::is_same_v<T, bool>) {
        file.write(cell ? "1" : "0");
    } else if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(cell))
            return file.write("nan"); // whatever its sign
        auto [end, error] = std::to_chars(text, text + sizeof text, cell, std::chars_format::fixed, 6);
        file.write({text, end});
    } else {
        auto [end, error] = std::to_chars(text, text + sizeof text, cell);
        file.write({text, end});
    }
}

void writeRowOf(const Dense &m, size_t row, FileReplacement &file) {
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto cells = m.view<T>();
        for (size_t c = 0; c < cells.cols; ++c) {
            if (c > 0)
                file.write(",");
            writeCell(cells(row, c), file);
        }
    });
}

void writeMatrix(const Matrix &matrix, WriteJob &job) {
    FileReplacement &file = job.file;
    Ref<Dense> m = denseOf(matrix);
    for (size_t r = 0; r < m->rows(); ++r) {
        writeRowOf(*m, r, file);
        file.write("\n");
    }
}

void writeFrame(const Frame &f, WriteJob &job) {
    FileReplacement &file = job.file;
    for (size_t r = 0; r < f.rows(); ++r) {
        for (size_t c = 0; c < f.cols(); ++c) {
            if (c > 0)
                file.write(",");
            writeRowOf(*f.columns[c], r, file);
        }
        file.write("\n");
    }
}

} // namespace

void addCsv(FormatTable &t) {
    t.add({.extension = "csv",
           .title = "comma-separated values",
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeMatrix,
           .writeFrame = writeFrame});
}

} // namespace daphne::io
