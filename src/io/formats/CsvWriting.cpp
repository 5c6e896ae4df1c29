// SPDX-License-Identifier: Apache-2.0
#include "io/formats/CsvWriting.h"

#include "io/NullableColumns.h"
#include "io/text/FixedDecimals.h"
#include "io/text/ParallelText.h"

namespace daphne::io {

namespace {

/// In quotes where the text needs them.
void appendText(std::string &out, std::string_view cell) {
    if (cell.find_first_of(",\"\r\n") == cell.npos) {
        out += cell;
        return;
    }
    out += '"';
    for (char c : cell) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

/// Integers in decimal, floats like "%f".
template <class T> void appendCell(std::string &out, const T &cell, const CsvStyle &style) {
    if constexpr (std::is_same_v<T, std::string>)
        appendText(out, cell);
    else if constexpr (std::is_floating_point_v<T>)
        style.exactFloats ? appendNumber(out, cell) : appendSixDecimals(out, static_cast<double>(cell));
    else
        appendNumber(out, cell);
}

/// A column and how one of its cells is written.
struct Source {
    const void *cells;
    size_t skip;
    void (*append)(std::string &, const Source &, size_t at, const CsvStyle &);
    std::vector<std::string> texts = {}; ///< of codes, quoted already
    const bool *there = nullptr;         ///< not null: which cells are not null
    size_t thereSkip = 0;
};

Source codedSource(const Dense &column) {
    Dense::Codes codes = column.codes();
    Source source{codes.view.data, codes.view.skip, [](std::string &out, const Source &s, size_t at, const CsvStyle &) {
                      out += s.texts[static_cast<const uint32_t *>(s.cells)[at]];
                  }};
    source.texts.resize(codes.dictionary->size());
    for (uint32_t code = 0; code < source.texts.size(); ++code)
        appendText(source.texts[code], (*codes.dictionary)[code]);
    return source;
}

Source sourceOf(const Dense &column) {
    if (column.type() == ValueType::Str && column.isCoded())
        return codedSource(column);
    return withValueType(column.type(), [&]<class T>(TypeTag<T>) {
        auto cells = column.view<T>();
        return Source{cells.data, cells.skip, [](std::string &out, const Source &s, size_t at, const CsvStyle &style) {
                          appendCell(out, static_cast<const T *>(s.cells)[at], style);
                      }};
    });
}

} // namespace

void writeCsv(const Matrix &matrix, WriteJob &job) {
    Ref<Dense> m = denseOf(matrix);
    withValueType(m->type(), [&]<class T>(TypeTag<T>) {
        auto cells = m->view<T>();
        writeRowsInParallel(job, cells.rows, cells.cols, [&](size_t r, std::string &out) {
            for (size_t c = 0; c < cells.cols; ++c) {
                if (c > 0)
                    out += ',';
                appendCell(out, cells(r, c), job.request.csv);
            }
            out += '\n';
        });
    });
}

void writeCsv(const Frame &frame, WriteJob &job) {
    std::vector<NullableColumn> columns = nullableColumns(frame);
    std::vector<Source> sources;
    for (const NullableColumn &column : columns) {
        sources.push_back(sourceOf(*column.cells));
        if (column.there) {
            sources.back().there = column.there->view<bool>().data;
            sources.back().thereSkip = column.there->view<bool>().skip;
        }
    }
    writeRowsInParallel(job, frame.rows(), sources.size(), [&](size_t r, std::string &out) {
        for (size_t c = 0; c < sources.size(); ++c) {
            const Source &s = sources[c];
            if (c > 0)
                out += ',';
            if (s.there != nullptr && !s.there[r * s.thereSkip])
                continue;
            size_t before = out.size();
            s.append(out, s, r * s.skip, job.request.csv);
            if (s.there != nullptr && out.size() == before)
                out += "\"\""; // an empty string is no null
        }
        out += '\n';
    });
}

} // namespace daphne::io
