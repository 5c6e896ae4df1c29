// SPDX-License-Identifier: Apache-2.0
#include "io/formats/CsvWriting.h"

#include <algorithm>

#include "base/Calendar.h"
#include "base/FloatText.h"
#include "io/NullableColumns.h"
#include "io/text/CsvCursor.h"
#include "io/text/ParallelText.h"

namespace daphne::io {

namespace {

/// How cells become fields.
class FieldWriter {
  public:
    FieldWriter(const CsvOptions &options, size_t numColumns)
        : style(options), null(style.nulls.empty() ? "" : style.nulls[0]), isOnlyColumn(numColumns == 1),
          special{style.delimiter, '\r', '\n'} {
        if (style.quote != 0)
            special += style.quote;
        if (style.nulls.size() > 1)
            throw executionError("nulls are written as one text, got " + std::to_string(style.nulls.size()));
        if (null.find_first_of(special) != null.npos)
            throw executionError("the text for nulls cannot contain the delimiter, the quote or line ends");
    }

    void delimiter(std::string &out) const { out += style.delimiter; }
    void nullField(std::string &out) const { out += null; }
    /// nat: a null, which must not be an empty line.
    void missing(std::string &out) const { null.empty() ? text(out, "") : nullField(out); }

    /// In quotes where the text needs them: what is in it, and what it would be taken for.
    void text(std::string &out, std::string_view cell) const {
        bool isPlain = cell.find_first_of(special) == cell.npos && !(isOnlyColumn && cell.empty()) &&
                       (null.empty() || cell != null) && !cell.starts_with("\xEF\xBB\xBF");
        if (isPlain) {
            out += cell;
            return;
        }
        if (style.quote == 0)
            throw executionError("the text \"" + shownWord(cell) + "\" cannot be written without quotes");
        out += style.quote;
        for (char c : cell) {
            if (c == style.quote)
                out += style.quote;
            out += c;
        }
        out += style.quote;
    }
    template <class T> void cell(std::string &out, const T &cell) const {
        if constexpr (std::is_same_v<T, std::string>)
            text(out, cell);
        else if constexpr (std::is_floating_point_v<T>)
            appendFloat(out, cell, style.digits);
        else
            appendNumber(out, cell);
    }

    /// Of columns of numbers: they are never in quotes.
    void needForNumbers(ValueType type, bool isNullable) const {
        constexpr std::string_view kInNumbers = "0123456789+-.aefin";
        if (type == ValueType::Str || isTime(type))
            return;
        for (char c : {style.delimiter, style.quote})
            if (kInNumbers.find(c) != kInNumbers.npos)
                throw executionError(std::string("'") + c +
                                     "' stands in numbers: it can be neither delimiter nor quote");
        if (isNullable && !null.empty() && kindOf(null) != FieldKind::Text)
            throw executionError("\"" + null + "\" is a number: it cannot stand for nulls");
    }

    const CsvStyle style;

  private:
    const std::string null;
    const bool isOnlyColumn;
    std::string special;
};

/// What readers have to know, unless it is what they think anyhow.
CsvOptions optionsToRecord(CsvOptions asked) {
    asked.forgetDefaults();
    asked.lenient.reset();
    return asked;
}

void appendHeader(std::string &out, const std::vector<std::string> &labels, const FieldWriter &fields) {
    if (labels.empty())
        return;
    for (size_t c = 0; c < labels.size(); ++c) {
        if (c > 0)
            fields.delimiter(out);
        fields.text(out, labels[c]);
    }
    out += '\n';
}

/// A column and how one of its cells is written.
struct Source {
    const void *cells;
    size_t skip;
    void (*append)(std::string &, const Source &, size_t at, const FieldWriter &);
    std::vector<std::string> texts = {}; ///< of codes, quoted already
    ValueType type = ValueType::Unknown; ///< of times
    const bool *there = nullptr;         ///< not null: which cells are not null
    size_t thereSkip = 0;

    void field(std::string &out, size_t row, const FieldWriter &fields) const {
        if (there != nullptr && !there[row * thereSkip])
            return fields.nullField(out);
        size_t before = out.size();
        append(out, *this, row * skip, fields);
        if (there != nullptr && out.size() == before)
            out.append(2, fields.style.quote); // an empty string is no null
    }
};

Source codedSource(const Dense &column, const FieldWriter &fields) {
    Dense::Codes codes = column.codes();
    Source source{codes.view.data, codes.view.skip,
                  [](std::string &out, const Source &s, size_t at, const FieldWriter &) {
                      out += s.texts[static_cast<const uint32_t *>(s.cells)[at]];
                  }};
    source.texts.resize(codes.dictionary->size());
    for (uint32_t code = 0; code < source.texts.size(); ++code)
        fields.text(source.texts[code], (*codes.dictionary)[code]);
    return source;
}

Source sourceOfTimes(const Dense &column) {
    return withNumericType(column.type(), [&]<class T>(TypeTag<T>) {
        auto append = [](std::string &out, const Source &s, size_t at, const FieldWriter &fields) {
            auto x = static_cast<int64_t>(static_cast<const T *>(s.cells)[at]);
            x == calendar::natOf(s.type) ? fields.missing(out) : fields.text(out, calendar::text(x, s.type));
        };
        auto cells = column.view<T>();
        return Source{cells.data, cells.skip, append, {}, column.type()};
    });
}

Source sourceOf(const Dense &column, const FieldWriter &fields) {
    if (isTime(column.type()))
        return sourceOfTimes(column);
    if (column.type() == ValueType::Str && column.isCoded())
        return codedSource(column, fields);
    return withValueType(column.type(), [&]<class T>(TypeTag<T>) {
        auto cells = column.view<T>();
        return Source{cells.data, cells.skip,
                      [](std::string &out, const Source &s, size_t at, const FieldWriter &fields) {
                          fields.cell(out, static_cast<const T *>(s.cells)[at]);
                      }};
    });
}

} // namespace

void writeCsv(const Matrix &matrix, WriteJob &job) {
    Ref<Dense> m = denseOf(matrix);
    FieldWriter fields(job.request.csv, m->cols());
    fields.needForNumbers(m->type(), false);
    job.csv = optionsToRecord(job.request.csv);
    std::string header;
    if (job.request.csv.header.value_or(false)) {
        std::vector<std::string> labels(m->cols());
        for (size_t c = 0; c < labels.size(); ++c)
            labels[c] = "col_" + std::to_string(c);
        appendHeader(header, labels, fields);
    }
    job.file.write(header);
    if (isTime(m->type())) {
        Source cells = sourceOfTimes(*m);
        return writeRowsInParallel(job, m->rows(), m->cols(), [&](size_t r, std::string &out) {
            for (size_t c = 0; c < m->cols(); ++c) {
                if (c > 0)
                    fields.delimiter(out);
                cells.append(out, cells, r * cells.skip + c, fields);
            }
            out += '\n';
        });
    }
    withValueType(m->type(), [&]<class T>(TypeTag<T>) {
        auto cells = m->view<T>();
        writeRowsInParallel(job, cells.rows, cells.cols, [&](size_t r, std::string &out) {
            for (size_t c = 0; c < cells.cols; ++c) {
                if (c > 0)
                    fields.delimiter(out);
                fields.cell(out, cells(r, c));
            }
            out += '\n';
        });
    });
}

void writeCsv(const Frame &frame, WriteJob &job) {
    std::vector<NullableColumn> columns = nullableColumns(frame);
    FieldWriter fields(job.request.csv, columns.size());
    std::vector<Source> sources;
    std::vector<std::string> labels;
    for (const NullableColumn &column : columns) {
        fields.needForNumbers(column.cells->type(), bool(column.there));
        sources.push_back(sourceOf(*column.cells, fields));
        labels.push_back(column.label);
        if (column.there) {
            sources.back().there = column.there->view<bool>().data;
            sources.back().thereSkip = column.there->view<bool>().skip;
        }
    }
    auto appendRow = [&](size_t r, std::string &out) {
        for (size_t c = 0; c < sources.size(); ++c) {
            if (c > 0)
                fields.delimiter(out);
            sources[c].field(out, r, fields);
        }
        out += '\n';
    };
    job.csv = optionsToRecord(job.request.csv);
    std::string header;
    appendHeader(header, labels, fields);
    if (job.request.csv.header.value_or(false)) {
        job.file.write(header);
    } else if (frame.rows() > 0 && !labels.empty()) {
        // A first row that looks like the labels is none because the metadata say so.
        std::string first;
        appendRow(0, first);
        if (first == header)
            job.csv.header = false;
    }
    writeRowsInParallel(job, frame.rows(), sources.size(), appendRow);
}

} // namespace daphne::io
