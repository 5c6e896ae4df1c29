// SPDX-License-Identifier: Apache-2.0
/// Frames as one JSON object per line. Columns are the keys in the order of their
/// first occurrence; a column is bool, si64, f64 or str, whatever holds all its
/// values. A missing value and null are NaN (which makes a column of integers
/// f64) or the empty string; where nulls are kept, 0 in a column of integers.
#include <cmath>
#include <map>

#include "base/Progress.h"
#include "data/CopyCells.h"
#include "io/JsonObject.h"
#include "io/NullableColumns.h"
#include "io/files/Bytes.h"
#include "io/text/ParallelText.h"

namespace daphne::io {

namespace {

using Kind = JsonValue::Kind;
constexpr size_t kMostColumns = size_t(1) << 20;

struct Column {
    Kind kind = Kind::Null;
    size_t numValues = 0;
};

/// What one piece of the text holds.
struct Survey {
    std::vector<std::string> labels;
    std::map<std::string, Column, std::less<>> columns;
    size_t rows = 0;

    void note(const std::string &label, Kind kind, const char *where) {
        auto it = columns.find(label);
        if (it == columns.end()) {
            if (labels.size() == kMostColumns)
                throw TextError{where, "more than " + std::to_string(kMostColumns) + " different keys"};
            labels.push_back(label);
            it = columns.emplace(label, Column{}).first;
        }
        it->second.kind = merged(it->second.kind, kind);
        it->second.numValues += kind != Kind::Null;
    }
    void merge(const Survey &other) {
        for (const std::string &label : other.labels) {
            const Column &c = other.columns.find(label)->second;
            note(label, c.kind, nullptr);
            columns[label].numValues += c.numValues - (c.kind != Kind::Null);
        }
        rows += other.rows;
    }
    static Kind merged(Kind a, Kind b) {
        if (a == b || b == Kind::Null)
            return a;
        if (a == Kind::Null)
            return b;
        bool numbers = a != Kind::Text && b != Kind::Text;
        return numbers && a != Kind::Bool && b != Kind::Bool ? Kind::Number : Kind::Text;
    }
    ValueType typeOf(const std::string &label, bool keepNulls) const {
        const Column &c = columns.find(label)->second;
        bool complete = keepNulls || c.numValues == rows;
        switch (c.kind) {
        case Kind::Text: return ValueType::Str;
        case Kind::Bool: return complete ? ValueType::Bool : ValueType::F64;
        case Kind::Integer: return complete ? ValueType::SI64 : ValueType::F64;
        default: return ValueType::F64;
        }
    }
};

template <class F> void forEachRow(std::string_view text, F &&f) {
    JsonCursor in(text);
    for (size_t r = 0; in.skipLineEnds(), !in.atEnd(); ++r) {
        f(in, r);
        in.needLineEnd();
    }
}

Survey survey(std::string_view text) {
    Survey s;
    forEachRow(text, [&](JsonCursor &in, size_t) {
        in.object(
            [&](const std::string &key, const JsonValue &value, const char *where) { s.note(key, value.kind, where); });
        ++s.rows;
    });
    return s;
}

std::string textOf(const JsonValue &v) {
    switch (v.kind) {
    case Kind::Text: return v.text;
    case Kind::Bool: return v.truth ? "true" : "false";
    case Kind::Integer: return std::to_string(v.integer);
    case Kind::Number: {
        std::string out;
        appendNumber(out, v.number);
        return out;
    }
    case Kind::Null: break;
    }
    return {};
}

template <class T> T cellOf(const JsonValue &v) {
    if constexpr (std::is_same_v<T, std::string>)
        return textOf(v);
    else if (v.kind == Kind::Null || v.kind == Kind::Text)
        return std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T(0);
    else if (v.kind == Kind::Bool)
        return static_cast<T>(v.truth);
    else if (v.kind == Kind::Integer)
        return convertNumber<T>(v.integer);
    else
        return convertNumber<T>(v.number);
}

struct Layout {
    std::vector<std::string> labels;
    std::vector<ValueType> types;
    size_t rows;
};

/// The metadata name the columns; the text must have the rows they promise.
Layout layoutOf(const ReadJob &job, const Survey &found) {
    Layout layout{found.labels, {}, found.rows};
    if (!job.meta) {
        for (const std::string &label : found.labels)
            layout.types.push_back(found.typeOf(label, job.request.keepNulls));
        return layout;
    }
    if (job.meta->rows > found.rows)
        throw job.error("it has " + std::to_string(found.rows) + " rows, its meta data promise " +
                        std::to_string(job.meta->rows));
    layout.rows = job.meta->rows;
    if (!job.meta->hasSchema()) {
        layout.types.assign(found.labels.size(), job.meta->valueType);
        return layout;
    }
    layout.labels = job.meta->labels;
    layout.types = job.meta->types;
    for (size_t c = 0; c < layout.labels.size(); ++c) {
        auto it = found.columns.find(layout.labels[c]);
        bool text = it != found.columns.end() && it->second.kind == Kind::Text;
        if (text && layout.types[c] != ValueType::Str)
            throw job.error("the values of \"" + layout.labels[c] + "\" are no numbers, its meta data say " +
                            std::string(dslName(layout.types[c])));
    }
    return layout;
}

/// Rows that have only few of many keys would make a frame of nearly nothing, however short the file.
void needPlausibleSize(ReadJob &job, const Layout &layout) {
    constexpr size_t kMostGrowth = 16, kAlwaysAllowed = size_t(1) << 24;
    size_t cells;
    if (__builtin_mul_overflow(layout.rows, layout.labels.size(), &cells) ||
        cells > kMostGrowth * job.text().size() / sizeof(double) + kAlwaysAllowed)
        throw job.error("its " + std::to_string(layout.rows) + " rows have " + std::to_string(layout.labels.size()) +
                        " different keys, but few of them each: it is no table");
}

Value readFrame(ReadJob &job) {
    try {
        auto pieces = cutAtLineEnds(job.text(), kPieceBytes);
        std::vector<Survey> surveys(pieces.size());
        forEachPiece(job.request.pool, pieces.size(),
                     [&](size_t i) { surveys[i] = survey(pieces[i]), advanceProgress(pieces[i].size() / 2); });
        Survey all;
        std::vector<size_t> starts{0};
        for (const Survey &s : surveys) {
            all.merge(s);
            starts.push_back(all.rows);
        }
        Layout layout = layoutOf(job, all);
        needPlausibleSize(job, layout);
        auto frame = Ref<Frame>::make(layout.rows);
        NullIndicators indicators(job, layout.labels, layout.types, layout.rows);
        std::map<std::string, size_t, std::less<>> places;
        for (size_t c = 0; c < layout.labels.size(); ++c) {
            auto column = Dense::create(layout.types[c], layout.rows, 1, Buffer::Init::Zero);
            if (isFloat(layout.types[c]))
                withNumericType(layout.types[c], [&]<class T>(TypeTag<T>) {
                    std::fill_n(column->template mutableView<T>().data, layout.rows, static_cast<T>(NAN));
                });
            frame->addColumn(layout.labels[c], column);
            places[layout.labels[c]] = c;
        }
        forEachPiece(job.request.pool, pieces.size(), [&](size_t i) {
            forEachRow(pieces[i], [&](JsonCursor &in, size_t r) {
                in.object([&](const std::string &key, const JsonValue &value, const char *) {
                    auto it = places.find(key);
                    if (it == places.end() || starts[i] + r >= layout.rows)
                        return;
                    if (bool *there = indicators.of(it->second))
                        there[starts[i] + r] = value.kind != Kind::Null;
                    Dense &column = *frame->columns[it->second];
                    withValueType(column.type(), [&]<class T>(TypeTag<T>) {
                        column.mutableView<T>().data[starts[i] + r] = cellOf<T>(value);
                    });
                });
            });
            advanceProgress(pieces[i].size() / 2);
        });
        indicators.addTo(*frame);
        return frame;
    } catch (const TextError &error) {
        throw locatedError(job.text(), job.path, error);
    }
}

void writeFrame(const Frame &f, WriteJob &job) {
    std::vector<NullableColumn> columns = nullableColumns(f);
    writeRowsInParallel(job, f.rows(), columns.size(), [&](size_t r, std::string &out) {
        out += '{';
        for (size_t c = 0; c < columns.size(); ++c) {
            if (c > 0)
                out += ',';
            appendJsonString(out, columns[c].label);
            out += ':';
            if (columns[c].there && !*columns[c].there->view<bool>().row(r)) {
                out += "null";
                continue;
            }
            withValueType(columns[c].cells->type(), [&]<class T>(TypeTag<T>) {
                const T &cell = *columns[c].cells->template view<T>().row(r);
                if constexpr (std::is_same_v<T, std::string>)
                    appendJsonString(out, cell);
                else if constexpr (std::is_same_v<T, bool>)
                    out += cell ? "true" : "false";
                else if (std::isfinite(static_cast<double>(cell)))
                    appendNumber(out, cell);
                else
                    out += std::isnan(static_cast<double>(cell)) ? "NaN" : cell > T(0) ? "Infinity" : "-Infinity";
            });
        }
        out += "}\n";
    });
}

} // namespace

void addJsonLines(FormatTable &t) {
    t.add({.extension = "jsonl",
           .title = "JSON lines",
           .readFrame = readFrame,
           .writeFrame = writeFrame,
           .hasNulls = true,
           .checksStrings = true});
}

} // namespace daphne::io
