// SPDX-License-Identifier: Apache-2.0
#include "io/NpyArray.h"

#include <algorithm>

#include "base/Cancellable.h"
#include "base/Utf8.h"
#include "data/CopyCells.h"

namespace daphne::io {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

/// The part of Python that headers are written in: strings, integers, True, False, tuples, lists, one dictionary.
class Literals {
  public:
    Literals(std::string_view text, const ByteCursor &in) : text(text), in(in) {}

    Error error(const std::string &what) const { return in.error("in the header of the array: " + what); }
    char peek() {
        while (!text.empty() && (text[0] == ' ' || text[0] == '\n' || text[0] == '\t'))
            text.remove_prefix(1);
        return text.empty() ? '\0' : text[0];
    }
    bool accept(char c) {
        if (peek() != c)
            return false;
        text.remove_prefix(1);
        return true;
    }
    void need(char c) {
        if (!accept(c))
            throw error(std::string("'") + c + "' expected");
    }
    std::string string() {
        char quote = peek();
        if (quote != '\'' && quote != '"')
            throw error("a string expected");
        text.remove_prefix(1);
        std::string result;
        for (; !text.empty() && text[0] != quote; text.remove_prefix(1)) {
            if (text[0] == '\\' && text.size() > 1)
                text.remove_prefix(1);
            result += text[0];
        }
        need(quote);
        return result;
    }
    size_t integer() {
        peek();
        size_t value = 0, digits = 0;
        for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1), ++digits)
            if (__builtin_mul_overflow(value, size_t(10), &value) ||
                __builtin_add_overflow(value, static_cast<size_t>(text[0] - '0'), &value))
                throw error("a number is too large");
        if (digits == 0)
            throw error("a number expected");
        accept('L');
        return value;
    }
    bool boolean() {
        peek();
        bool yes = text.starts_with("True");
        if (!yes && !text.starts_with("False"))
            throw error("True or False expected");
        text.remove_prefix(yes ? 4 : 5);
        return yes;
    }

  private:
    std::string_view text;
    const ByteCursor &in;
};

NpyField fieldOf(const std::string &descr, const Literals &in) {
    NpyField f{};
    auto unsupported = [&] { return in.error("the type '" + shownWord(descr) + "' is not supported"); };
    if (descr.size() < 3 || descr.size() > 12)
        throw unsupported();
    f.bigEndian = descr[0] == '>';
    if (std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
        throw unsupported();
    f.kind = descr[1];
    for (char c : descr.substr(2)) {
        if (c < '0' || c > '9')
            throw unsupported();
        f.size = f.size * 10 + static_cast<size_t>(c - '0');
    }
    bool known = (f.kind == 'b' && f.size == 1) || f.kind == 'U' || f.kind == 'S' ||
                 ((f.kind == 'i' || f.kind == 'u') && std::has_single_bit(f.size) && f.size <= 8) ||
                 (f.kind == 'f' && (f.size == 4 || f.size == 8));
    if (!known)
        throw unsupported();
    if (f.kind == 'U')
        f.size *= 4;
    return f;
}

void readDescription(Literals &in, NpyHeader &h) {
    if (in.peek() != '[') {
        h.fields = {fieldOf(in.string(), in)};
        return;
    }
    h.structured = true;
    in.need('[');
    while (!in.accept(']')) {
        in.need('(');
        std::string name = in.string();
        in.need(',');
        h.fields.push_back(fieldOf(in.string(), in));
        h.fields.back().name = name;
        in.accept(',');
        in.need(')');
        in.accept(',');
    }
}

void readShape(Literals &in, NpyHeader &h) {
    std::vector<size_t> shape;
    in.need('(');
    while (!in.accept(')')) {
        shape.push_back(in.integer());
        in.accept(',');
    }
    if (shape.size() > 2 || (h.structured && shape.size() > 1))
        throw in.error("an array of " + std::to_string(shape.size()) + " dimensions is no matrix");
    h.rows = !shape.empty() ? shape[0] : 1;
    h.cols = shape.size() > 1 ? shape[1] : 1;
}

template <class T> T swapped(T x) {
    auto *bytes = reinterpret_cast<char *>(&x);
    std::reverse(bytes, bytes + sizeof x);
    return x;
}

/// One cell of a field as a number or string.
template <class T> T cellAt(const char *bytes, const NpyField &f) {
    if constexpr (std::is_same_v<T, std::string>) {
        if (f.kind == 'S')
            return std::string(bytes, strnlen(bytes, f.size));
        std::string text;
        for (size_t i = 0; i < f.size; i += 4) {
            uint32_t c;
            std::memcpy(&c, bytes + i, 4);
            if (f.bigEndian)
                c = swapped(c);
            if (c != 0)
                appendUtf8(text, c);
        }
        return text;
    } else {
        auto load = [&]<class S>(S x) {
            std::memcpy(&x, bytes, sizeof x);
            return convertNumber<T>(f.bigEndian ? swapped(x) : x);
        };
        switch (f.kind << 4 | static_cast<int>(f.size)) {
        case 'i' << 4 | 1: return load(int8_t());
        case 'i' << 4 | 2: return load(int16_t());
        case 'i' << 4 | 4: return load(int32_t());
        case 'i' << 4 | 8: return load(int64_t());
        case 'u' << 4 | 2: return load(uint16_t());
        case 'u' << 4 | 4: return load(uint32_t());
        case 'u' << 4 | 8: return load(uint64_t());
        case 'f' << 4 | 4: return load(float());
        case 'f' << 4 | 8: return load(double());
        default: return load(uint8_t()); // 'b', too: any byte but 0 is true
        }
    }
}

/// Cells of one field; the bytes of cell (r, c) are at the given steps.
void readField(std::string_view bytes, size_t first, size_t rowStep, size_t columnStep, const NpyField &f, Dense &m,
               sched::Pool *pool) {
    constexpr size_t kCells = size_t(1) << 16;
    if (m.cells() == 0) // there may be very many rows without columns
        return;
    size_t rowsPerTask = std::max<size_t>(1, kCells / std::max<size_t>(1, m.cols()));
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto out = m.mutableView<T>();
        forEachTask(pool, (m.rows() + rowsPerTask - 1) / rowsPerTask, [&](size_t task) {
            for (size_t r = task * rowsPerTask; r < std::min(m.rows(), (task + 1) * rowsPerTask); ++r)
                for (size_t c = 0; c < m.cols(); ++c)
                    out(r, c) = cellAt<T>(bytes.data() + first + r * rowStep + c * columnStep, f);
        });
    });
}

std::string descriptionOf(ValueType type, size_t stringLength) {
    switch (type) {
    case ValueType::Bool: return "|b1";
    case ValueType::SI8: return "|i1";
    case ValueType::UI8: return "|u1";
    case ValueType::SI32: return "<i4";
    case ValueType::UI32: return "<u4";
    case ValueType::SI64: return "<i8";
    case ValueType::Size:
    case ValueType::UI64: return "<u8";
    case ValueType::F32: return "<f4";
    case ValueType::F64: return "<f8";
    default: return "<U" + std::to_string(stringLength);
    }
}

std::string headerText(const std::string &description, const std::string &shape) {
    std::string text = "{'descr': " + description + ", 'fortran_order': False, 'shape': " + shape + ", }";
    // The cells begin at a multiple of 64 bytes; version 2 is for headers longer than 64 KiB.
    bool isLong = text.size() + 80 > 0xffff;
    size_t before = isLong ? 12 : 10;
    text.append(63 - (before + text.size()) % 64, ' ');
    text += '\n';
    std::string out(kMagic);
    out += static_cast<char>(isLong ? 2 : 1);
    out += '\0';
    if (isLong)
        appendRaw(out, static_cast<uint32_t>(text.size()));
    else
        appendRaw(out, static_cast<uint16_t>(text.size()));
    return out + text;
}

size_t longestOf(const Dense &strings) {
    auto cells = strings.view<std::string>();
    size_t longest = 1;
    for (size_t r : cancellableRows(cells))
        for (size_t c = 0; c < cells.cols; ++c)
            longest = std::max(longest, countCharacters(cells(r, c)));
    return longest;
}

/// UTF-32, padded with zeros.
void appendPadded(std::string &out, const std::string &text, size_t length) {
    size_t begin = out.size();
    forEachCharacter(text, [&](uint32_t c) { appendRaw(out, c); });
    out.resize(begin + 4 * length, '\0');
}

} // namespace

ValueType NpyField::type() const {
    switch (kind) {
    case 'b': return ValueType::Bool;
    case 'i': return size == 1 ? ValueType::SI8 : size <= 4 ? ValueType::SI32 : ValueType::SI64;
    case 'u': return size == 1 ? ValueType::UI8 : size <= 4 ? ValueType::UI32 : ValueType::UI64;
    case 'f': return size == 4 ? ValueType::F32 : ValueType::F64;
    default: return ValueType::Str;
    }
}

Metadata NpyHeader::metadata() const {
    Metadata meta;
    meta.rows = rows;
    meta.cols = structured ? fields.size() : cols;
    if (!structured) {
        meta.valueType = fields[0].type();
        return meta;
    }
    meta.valueType = fields.empty() ? ValueType::F64 : ValueType::Unknown;
    for (const NpyField &f : fields) {
        meta.labels.push_back(f.name);
        meta.types.push_back(f.type());
    }
    return meta;
}

NpyHeader readNpyHeader(ByteCursor &in) {
    if (in.left() < kMagic.size() || in.take(kMagic.size(), "the header") != kMagic)
        throw in.error("this is no NumPy array");
    auto version = in.number<uint8_t>("the header");
    in.number<uint8_t>("the header");
    if (version < 1 || version > 3)
        throw in.error("version " + std::to_string(version) + " of the format is not known");
    size_t length = version == 1 ? in.number<uint16_t>("the header") : in.number<uint32_t>("the header");
    Literals text(in.take(length, "the header"), in);
    NpyHeader h;
    bool hasDescription = false, hasShape = false;
    text.need('{');
    while (!text.accept('}')) {
        std::string key = text.string();
        text.need(':');
        if (key == "descr")
            readDescription(text, h), hasDescription = true;
        else if (key == "fortran_order")
            h.columnMajor = text.boolean();
        else if (key == "shape")
            readShape(text, h), hasShape = true;
        else
            throw text.error("unknown key '" + shownWord(key) + "'");
        text.accept(',');
    }
    if (!hasDescription || !hasShape)
        throw text.error("descr or shape is missing");
    for (const NpyField &f : h.fields)
        h.cellBytes += f.size;
    size_t cells, bytes;
    if (__builtin_mul_overflow(h.rows, h.cols, &cells) || __builtin_mul_overflow(cells, h.cellBytes, &bytes) ||
        cells > static_cast<size_t>(INT64_MAX) || std::max(h.rows, h.cols) > static_cast<size_t>(INT64_MAX) ||
        bytes > in.left() || (h.cellBytes == 0 && cells > in.left()))
        throw in.error("the file is too short for an array of " + std::to_string(h.rows) + "x" +
                       std::to_string(h.cols) + " cells of " + std::to_string(h.cellBytes) + " bytes");
    return h;
}

Ref<Dense> readNpyMatrix(ByteCursor &in, const NpyHeader &h, ReadJob &job) {
    if (h.structured)
        throw job.error("it holds a structured array").withHint("use readFrame");
    const NpyField &f = h.fields[0];
    auto m = Dense::create(f.type(), h.rows, h.cols);
    std::string_view bytes = in.take(h.rows * h.cols * f.size, "the cells");
    bool asStored = !f.bigEndian && !h.columnMajor && f.size == cellSize(f.type()) && f.kind != 'b';
    if (asStored && isNumeric(f.type())) {
        std::string_view whole = job.text();
        void *cells =
            withNumericType(f.type(), [&]<class T>(TypeTag<T>) -> void * { return m->mutableView<T>().data; });
        bool ofFile = bytes.data() >= whole.data() && bytes.data() + bytes.size() <= whole.data() + whole.size();
        if (ofFile)
            copyContent(job, bytes, cells);
        else
            copyBytes(job.request.pool, bytes, cells);
        return m;
    }
    size_t rowStep = h.columnMajor ? f.size : f.size * h.cols, columnStep = h.columnMajor ? f.size * h.rows : f.size;
    readField(bytes, 0, rowStep, columnStep, f, *m, job.request.pool);
    return m;
}

Ref<Frame> readNpyFrame(ByteCursor &in, const NpyHeader &h, ReadJob &job) {
    if (!h.structured)
        return frameOf(*readNpyMatrix(in, h, job), job);
    std::string_view bytes = in.take(h.rows * h.cellBytes, "the cells");
    auto frame = Ref<Frame>::make(h.rows);
    size_t offset = 0;
    for (const NpyField &f : h.fields) {
        auto column = Dense::create(f.type(), h.rows, 1);
        readField(bytes, offset, h.cellBytes, f.size, f, *column, job.request.pool);
        frame->addColumn(f.name, column);
        offset += f.size;
    }
    return frame;
}

void writeNpy(const Dense &m, FileReplacement &file, Dimensions dimensions) {
    size_t length = m.type() == ValueType::Str ? longestOf(m) : 0;
    std::string second = dimensions == Dimensions::Two ? std::to_string(m.cols()) : "";
    file.write(
        headerText("'" + descriptionOf(m.type(), length) + "'", "(" + std::to_string(m.rows()) + ", " + second + ")"));
    if (isNumeric(m.type()))
        return writeCells(m, file);
    auto cells = m.view<std::string>();
    std::string row;
    for (size_t r : cancellableRows(cells)) {
        row.clear();
        for (size_t c = 0; c < cells.cols; ++c)
            appendPadded(row, cells(r, c), length);
        file.write(row);
    }
}

void writeNpy(const Frame &f, FileReplacement &file) {
    std::string description = "[";
    std::vector<size_t> lengths;
    for (size_t c = 0; c < f.cols(); ++c) {
        const Dense &column = *f.columns[c];
        lengths.push_back(column.type() == ValueType::Str ? longestOf(column) : 0);
        std::string label;
        for (char x : f.labels[c]) {
            if (x == '\'' || x == '\\')
                label += '\\';
            label += x;
        }
        description += "('" + label + "', '" + descriptionOf(column.type(), lengths[c]) + "'), ";
    }
    file.write(headerText(description + "]", "(" + std::to_string(f.rows()) + ",)"));
    std::string row;
    for (size_t r : cancellableRows(f)) {
        row.clear();
        for (size_t c = 0; c < f.cols(); ++c)
            withValueType(f.columns[c]->type(), [&]<class T>(TypeTag<T>) {
                const T &cell = *f.columns[c]->template view<T>().row(r);
                if constexpr (std::is_same_v<T, std::string>)
                    appendPadded(row, cell, lengths[c]);
                else
                    appendRaw(row, cell);
            });
        file.write(row);
    }
}

} // namespace daphne::io
