// SPDX-License-Identifier: Apache-2.0
#include "io/formats/CsvTable.h"

#include <algorithm>
#include <map>

#include "io/text/CsvHeader.h"

namespace daphne::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kSampledRows = 100;

ValueType typeOf(FieldKind kind) {
    return kind == FieldKind::Integer ? ValueType::SI64 : kind == FieldKind::Text ? ValueType::Str : ValueType::F64;
}

std::string_view withoutMark(std::string_view text) {
    if (text.starts_with(kByteOrderMark))
        text.remove_prefix(kByteOrderMark.size());
    return text;
}

std::string shown(const std::string &label) { return "\"" + shownWord(label) + "\""; }

/// Reads a field of a column of some type into nothing, for its mistakes.
void checkField(CsvCursor &cursor, ValueType type, Reading how, bool nullable) {
    if (type == ValueType::Str)
        return cursor.skipText();
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        T cell;
        if constexpr (std::is_integral_v<T>)
            if (isTime(type))
                return cursor.time(cell, type, how);
        cursor.number(cell, how, nullable);
    });
}

} // namespace

CsvTable::CsvTable(ReadJob &job, For what)
    : job(job), style(job.request.csv.orElse(job.meta ? job.meta->csv : CsvOptions())), what(what),
      headerOption(job.request.csv.header), content(withoutMark(job.text())) {
    if (headerOption) {
        headerFrom = CsvFindings::Source::Request;
    } else if (job.meta && job.meta->csv.header) {
        headerOption = job.meta->csv.header;
        headerFrom = CsvFindings::Source::Metadata;
    }
    if (job.meta && job.meta->saysRows)
        promisedRows = job.meta->rows;
    // A line without fields is a row where there are no columns, and where it is a null.
    bool isOne = job.meta && job.meta->saysCols && job.meta->cols == 1 && what == For::Frame;
    if ((isOne && job.meta->isNullable(0)) || (job.meta && job.meta->saysCols && job.meta->cols == 0))
        emptyLines = EmptyLines::AreRows;
    try {
        decideHeader();
        begin();
    } catch (const TextError &e) {
        throw error(e);
    }
}

/// As it is declared; else there is none where types are declared; else the data tell.
void CsvTable::decideHeader() {
    hasHeader = headerOption.value_or(false);
    if (headerOption)
        return;
    if (job.meta && job.meta->saysTypes()) {
        headerFrom = CsvFindings::Source::Types;
        return;
    }
    CsvCursor cursor(content, style);
    cursor.skipEmptyLines();
    if (cursor.atEnd())
        return;
    std::vector<std::string> fields;
    try {
        fields = readRecord(cursor);
    } catch (const TextError &) {
        return; // found again when it is read as data
    }
    std::string_view rest = content.substr(static_cast<size_t>(cursor.position() - content.data()));
    try {
        hasHeader = looksLikeLabels(fields) && hasColumnOtherThanText(rest, style, kSampledRows);
    } catch (const TextError &) {
        hasHeader = true; // behind the first record; found again
    }
}

void CsvTable::begin() {
    text = content;
    labels.clear();
    if (hasHeader)
        readHeader();
    rows = cutRows(text, style, emptyLines, job.request.pool);
    describe();
    report();
    guessKinds();
    setTypes();
    needPlausibleSize();
}

void CsvTable::report() const {
    if (job.request.found)
        *job.request.found = {headerFrom, true, hasHeader, content.size() != job.text().size()};
}

void CsvTable::readHeader() {
    CsvCursor cursor(text, style);
    cursor.skipEmptyLines();
    if (cursor.atEnd())
        return;
    const char *begin = cursor.position();
    labels = readRecord(cursor);
    std::map<std::string_view, size_t> places;
    for (size_t c = 0; c < labels.size(); ++c)
        if (auto [it, isNew] = places.emplace(labels[c], c); !isNew)
            throw TextError{
                begin, "the label " + shown(labels[c]) + " is also that of column " + std::to_string(it->second + 1),
                c + 1};
    text.remove_prefix(static_cast<size_t>(cursor.position() - text.data()));
}

/// Shape, labels and types, as far as they are declared; which columns have to be guessed.
void CsvTable::describe() {
    const Metadata *declared = job.meta ? &*job.meta : nullptr;
    meta = declared ? *declared : Metadata();
    if (!declared || !declared->saysCols) {
        meta.cols = labels.size();
        if (!hasHeader) {
            CsvCursor first(text, style);
            first.skipEmptyLines();
            try {
                if (!first.atEnd())
                    for (meta.cols = 1, first.raw(); first.atDelimiter(); first.raw()) {
                        first.skipDelimiter();
                        ++meta.cols;
                    }
            } catch (TextError &e) {
                e.field = meta.cols;
                throw;
            }
        }
    }
    meta.rows = rowsToRead();
    meta.saysRows = meta.saysCols = true;
    guessed.clear();
    if (declared && what == For::Matrix && declared->matrixType() != ValueType::Unknown)
        return needLabelsOfSchema(), needNoHeader();
    bool isGuessed = what == For::Matrix || !declared || !declared->saysTypes() ||
                     std::ranges::count(declared->types, ValueType::Unknown) > 0;
    bool hasOwnLabels = !labels.empty() && !(declared && declared->hasSchema() && declared->unlabelled.empty());
    needLabelsOfSchema();
    needNoHeader();
    if (!isGuessed && !hasOwnLabels)
        return;
    if (meta.cols == 0 && meta.valueType == ValueType::Unknown)
        meta.valueType = ValueType::F64; // no column has a type
    if (what == For::Matrix) {           // labels do not matter
        guessed.assign(meta.cols, true);
        return;
    }
    // A schema of what is declared; the rest comes from the header, and from a guess.
    meta.labels = meta.columnLabels();
    for (size_t c = 0; c < std::min(meta.cols, labels.size()); ++c)
        if (!declared || !declared->isLabelled(c))
            meta.labels[c] = labels[c];
    meta.types = meta.columnTypes();
    meta.unlabelled.clear();
    for (size_t c = 0; isGuessed && c < meta.cols; ++c)
        guessed.push_back(meta.types[c] == ValueType::Unknown);
}

/// The labels of a header are those of the schema, in the same order.
void CsvTable::needLabelsOfSchema() const {
    if (labels.empty())
        return;
    size_t cols = meta.cols;
    auto mistake = [&](size_t c, std::string what) {
        CsvCursor header(content, style);
        header.skipEmptyLines();
        return TextError{header.position(), std::move(what), c + 1, /*avoidable=*/true};
    };
    if (style.lenient)
        return;
    for (size_t c = 0; job.meta && c < std::min(cols, labels.size()); ++c)
        if (job.meta->isLabelled(c) && labels[c] != job.meta->labels[c])
            throw mistake(c, "the label " + shown(labels[c]) + " should be " + shown(job.meta->labels[c]) +
                                 ", as the meta data say");
    if (labels.size() != cols)
        throw mistake(std::min(labels.size(), cols),
                      "the header has " + std::to_string(labels.size()) + " labels, expected " + std::to_string(cols));
}

/// A first record that is the labels is a header nobody has declared.
void CsvTable::needNoHeader() const {
    bool mayBeHeader = !hasHeader && !headerOption && !style.lenient && job.meta && job.meta->hasSchema();
    CsvCursor cursor(text, style);
    cursor.skipEmptyLines();
    if (!mayBeHeader || cursor.atEnd())
        return;
    const char *begin = cursor.position();
    std::vector<std::string> fields;
    try {
        fields = readRecord(cursor);
    } catch (const TextError &) {
        return; // found again
    }
    if (fields == job.meta->labels && job.meta->unlabelled == std::vector<bool>(fields.size()))
        throw TextError{begin, "the labels of the schema: a header that was not declared", 1, /*avoidable=*/true};
}

void CsvTable::guessKinds() {
    kinds.assign(guessed.size(), FieldKind::Integer);
    if (kinds.empty())
        return;
    // Rows inside of guessed pieces may be no rows.
    size_t numSamples =
        rows.guessed ? std::min<size_t>(1, rows.pieces.size()) : std::min<size_t>(8, rows.pieces.size());
    for (size_t i = 0; i < numSamples; ++i)
        sample(rows.pieces[i * rows.pieces.size() / numSamples]);
}

void CsvTable::sample(const RowPiece &piece) {
    RowPiece part{piece.text, 0, std::min(piece.numRows, kSampledRows), piece.plain};
    auto note = [&](CsvCursor &cursor, size_t, size_t c) {
        bool isNull = job.request.keepNulls && cursor.atNull(FieldKind::Number);
        FieldKind kind = cursor.kind();
        kinds[c] = std::max(kinds[c], isNull ? FieldKind::Integer : kind);
    };
    try {
        readPiece(part, part.numRows, note, FieldByField());
    } catch (const TextError &) { // found again when everything is read
    } catch (const Misaligned &) {
    }
}

void CsvTable::setTypes() {
    if (kinds.empty())
        return;
    // Without a row nothing is known: strings, if there is a header.
    bool isEmpty = rows.numRows == 0 && !labels.empty();
    ValueType all = ValueType::Bool;
    meta.types.resize(kinds.size());
    for (size_t c = 0; c < kinds.size(); ++c) {
        if (guessed[c])
            meta.types[c] = isEmpty ? ValueType::Str : typeOf(kinds[c]);
        all = mostGeneral(all, meta.types[c]);
    }
    if (what == For::Matrix)
        meta.types.assign(meta.cols, all);
    meta.valueType = all;
}

/// Every field but the last takes at least the byte of its delimiter. Where that cannot be, the first row that is too
/// short is found before memory is allocated.
void CsvTable::needPlausibleSize() {
    constexpr size_t kLenient = size_t(1) << 20; // rows may be shorter
    size_t cells = 0, most = text.size() + 1 + (style.lenient ? kLenient : 0);
    if (!__builtin_mul_overflow(meta.rows, meta.cols, &cells) && cells <= most)
        return;
    readAsDeclared();
    throw job.error("it is too short for the " + std::to_string(meta.rows) + "x" + std::to_string(meta.cols) +
                    " cells its meta data promise, it has " + std::to_string(text.size()) + " bytes");
}

/// For the mistakes alone, on this thread.
void CsvTable::readAsDeclared() {
    rows = cutRowsExactly(text, style, emptyLines);
    meta.rows = rowsToRead();
    ValueType all = what == For::Matrix || !meta.hasSchema() ? meta.matrixType() : ValueType::Unknown;
    auto check = [&](CsvCursor &cursor, size_t, size_t c) {
        checkField(cursor, all != ValueType::Unknown ? all : meta.types[c], readingOf(c), isNullable(c));
    };
    try {
        for (const RowPiece &piece : rows.pieces)
            if (piece.firstRow < meta.rows)
                readPiece(piece, meta.rows, check, FieldByField());
    } catch (const Misaligned &) {
        throw job.error("its rows are not where they should be");
    }
}

/// Where the number of rows is declared, there are so many; lenient reading ignores others behind them.
void CsvTable::needPromisedRows() {
    bool fits = !promisedRows || rows.numRows == *promisedRows || (style.lenient && rows.numRows > *promisedRows);
    if (fits)
        return;
    if (rows.guessed)
        throw Misaligned(); // perhaps they were cut in the wrong places
    if (rows.numRows < *promisedRows)
        throw TextError{text.data() + text.size(),
                        "the file ends after " + std::to_string(rows.numRows) + " of " + std::to_string(*promisedRows) +
                            " rows",
                        1};
    auto behind = std::ranges::upper_bound(rows.pieces, *promisedRows, {}, &RowPiece::firstRow);
    const RowPiece &piece = *std::prev(behind);
    CsvCursor cursor(piece.text, style);
    auto skipEmpty = [&] {
        if (emptyLines == EmptyLines::Skip)
            cursor.skipEmptyLines();
    };
    skipEmpty();
    for (size_t r = piece.firstRow; r < *promisedRows; ++r, cursor.nextLine(), skipEmpty())
        cursor.skipRow();
    throw TextError{cursor.position(),
                    "a row behind the " + std::to_string(*promisedRows) + " that the meta data promise", 1,
                    /*avoidable=*/true};
}

/// Takes over what was seen. False if that changes what has to be read.
bool CsvTable::settle(const SeenKinds &seen) {
    std::vector<ValueType> before = meta.types;
    bool tooLarge = false;
    for (size_t c = 0; c < kinds.size(); ++c)
        kinds[c] = std::max(kinds[c], seen.seen[c].load());
    setTypes();
    bool isFinal = meta.types == before;
    // A header is one only if some column is not text.
    bool isAllText = std::ranges::all_of(kinds, [](FieldKind kind) { return kind == FieldKind::Text; });
    if (isHeaderGuessed() && isAllText && !hasColumnOtherThanText(text, style, rows.numRows)) {
        hasHeader = false;
        try {
            begin();
        } catch (const TextError &e) {
            throw error(e);
        }
        return false;
    }
    for (size_t c = 0; isFinal && c < kinds.size(); ++c) {
        bool isHere = guessed[c] && kinds[c] == FieldKind::TooLarge && meta.types[c] == ValueType::F64;
        tooLarge |= isHere;
        guessed[c] = guessed[c] && !isHere;
    }
    return isFinal && !tooLarge; // numbers out of range are mistakes from now on
}

/// Says what may help, too.
Error CsvTable::error(const TextError &e) const {
    Error located = locatedError(job.text(), job.path, e);
    CsvCursor first(content, style);
    first.skipEmptyLines();
    bool isFirst = !first.atEnd() && e.at >= first.position();
    std::vector<std::string> fields;
    try {
        if (isFirst)
            fields = readRecord(first);
    } catch (const TextError &) {
        isFirst = false;
    }
    isFirst = isFirst && e.at < first.position();
    if (isFirst && !hasHeader && e.avoidable && looksLikeLabels(fields))
        return located.withHint("if the first line holds the labels, say so: header = true");
    return e.avoidable ? located.withHint("lenient = true reads what can be read") : located;
}

} // namespace daphne::io
