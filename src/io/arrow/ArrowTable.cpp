// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/ArrowTable.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "io/files/Bytes.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

namespace {

/// Calls f with a null pointer to the C++ type of a code; false if it is no number.
template <class F> bool withStoredType(std::string_view code, F &&f) {
    if (code.starts_with("tdD") || code == "tts" || code == "ttm")
        code = "i";
    else if (code.starts_with("td") || code.starts_with("tt") || code.starts_with("ts") || code.starts_with("tD"))
        code = "l"; // dates, times and durations
    if (code.size() != 1)
        return false;
    switch (code[0]) {
    case 'c': return f(static_cast<const int8_t *>(nullptr)), true;
    case 'C': return f(static_cast<const uint8_t *>(nullptr)), true;
    case 's': return f(static_cast<const int16_t *>(nullptr)), true;
    case 'S': return f(static_cast<const uint16_t *>(nullptr)), true;
    case 'i': return f(static_cast<const int32_t *>(nullptr)), true;
    case 'I': return f(static_cast<const uint32_t *>(nullptr)), true;
    case 'l': return f(static_cast<const int64_t *>(nullptr)), true;
    case 'L': return f(static_cast<const uint64_t *>(nullptr)), true;
    case 'f': return f(static_cast<const float *>(nullptr)), true;
    case 'g': return f(static_cast<const double *>(nullptr)), true;
    default: return false;
    }
}

/// Strings by views: short ones are part of the view.
bool isView(std::string_view code) { return code == "vu" || code == "vz"; }
bool isString(std::string_view code) {
    return code == "u" || code == "U" || code == "z" || code == "Z" || isView(code);
}

bool bitAt(const void *bits, int64_t i) { return static_cast<const uint8_t *>(bits)[i / 8] >> (i % 8) & 1; }

bool isNull(const ArrowArray &a, int64_t i) {
    return a.n_buffers > 0 && a.buffers[0] && a.null_count != 0 && !bitAt(a.buffers[0], a.offset + i);
}

template <class Offset> std::string_view stringAt(const ArrowArray &a, int64_t i) {
    auto *offsets = static_cast<const Offset *>(a.buffers[1]) + a.offset + i;
    return {static_cast<const char *>(a.buffers[2]) + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

std::string_view viewedStringAt(const ArrowArray &a, int64_t i) {
    struct View {
        int32_t length;
        char prefix[4];
        int32_t buffer, offset;
    };
    static_assert(sizeof(View) == 16);
    const char *at = static_cast<const char *>(a.buffers[1]) + (a.offset + i) * static_cast<int64_t>(sizeof(View));
    View view;
    std::memcpy(&view, at, sizeof view);
    constexpr int32_t kMostInline = 12;
    const char *first = view.length <= kMostInline
                            ? at + offsetof(View, prefix)
                            : static_cast<const char *>(a.buffers[2 + view.buffer]) + view.offset;
    return {first, static_cast<size_t>(view.length)};
}

std::string_view stringAt(std::string_view code, const ArrowArray &a, int64_t i) {
    if (isView(code))
        return viewedStringAt(a, i);
    return code == "u" || code == "z" ? stringAt<int32_t>(a, i) : stringAt<int64_t>(a, i);
}

/// The number of the cell's value in the dictionary of its column.
int64_t codeAt(const ArrowSchema &type, const ArrowArray &a, int64_t i) {
    int64_t code = 0;
    withStoredType(type.format, [&]<class S>(const S *) {
        code = static_cast<int64_t>(static_cast<const S *>(a.buffers[1])[a.offset + i]);
    });
    return code;
}

bool isMissing(const ArrowSchema &type, const ArrowArray &a, int64_t i) {
    if (std::string_view(type.format) == "n" || isNull(a, i))
        return true;
    return type.dictionary && isMissing(*type.dictionary, *a.dictionary, codeAt(type, a, i));
}

template <class T> T missing() {
    if constexpr (std::is_floating_point_v<T>)
        return std::numeric_limits<T>::quiet_NaN();
    else
        return T{};
}

template <class T> T cellAt(const ArrowSchema &type, const ArrowArray &a, int64_t i) {
    std::string_view code = type.format;
    if (code == "n" || isNull(a, i))
        return missing<T>();
    if (type.dictionary)
        return cellAt<T>(*type.dictionary, *a.dictionary, codeAt(type, a, i));
    if constexpr (std::is_same_v<T, std::string>) {
        return std::string(stringAt(code, a, i));
    } else {
        if (code == "b")
            return static_cast<T>(bitAt(a.buffers[1], a.offset + i));
        T cell{};
        withStoredType(code, [&]<class S>(const S *) {
            cell = convertNumber<T>(static_cast<const S *>(a.buffers[1])[a.offset + i]);
        });
        return cell;
    }
}
template <class S> constexpr ValueType storedAs() {
    if constexpr (std::is_same_v<S, int16_t>)
        return ValueType::SI32;
    else if constexpr (std::is_same_v<S, uint16_t>)
        return ValueType::UI32;
    else
        return valueTypeOf<S>();
}

/// The cells of one batch.
template <class T> void copyCells(const ArrowSchema &type, const ArrowArray &a, int64_t n, T *out, size_t step) {
    auto each = [&](auto &&cell) {
        T *to = out;
        for (int64_t i = 0; i < n; ++i, to += step)
            *to = cell(i);
    };
    // Numbers of a column are of one type, which is looked at once.
    bool isCopied = false;
    if constexpr (std::is_arithmetic_v<T>)
        isCopied = !type.dictionary && n > 0 && withStoredType(type.format, [&]<class S>(const S *) {
            auto *cells = static_cast<const S *>(a.buffers[1]) + a.offset;
            const void *there = a.null_count == 0 ? nullptr : a.buffers[0];
            each([&](int64_t i) {
                return there && !bitAt(there, a.offset + i) ? missing<T>() : convertNumber<T>(cells[i]);
            });
        });
    if (!isCopied)
        each([&](int64_t i) { return cellAt<T>(type, a, i); });
}

} // namespace

ArrowTable::ArrowTable(ArrowArrayStream &stream, const MakeError &error,
                       const std::function<bool(size_t column)> &keepsNulls) {
    auto check = [&](int status) {
        const char *what = status ? stream.get_last_error(&stream) : nullptr;
        if (status)
            throw error(what ? what : "the table cannot be read");
    };
    check(stream.get_schema(&stream, &schema));
    if (!schema.format || std::string_view(schema.format) != "+s")
        throw error("it is no table of columns");
    for (;;) {
        OwnedByUs<ArrowArray> batch;
        check(stream.get_next(&stream, &batch));
        if (!batch.release)
            break;
        rows += static_cast<size_t>(batch.length);
        batches.push_back(std::move(batch));
    }
    for (int64_t c = 0; c < schema.n_children; ++c)
        types.push_back(typeOf(c, error, keepsNulls(static_cast<size_t>(c))));
}

template <class T> void ArrowTable::copyColumn(size_t c, T *out, size_t step) const {
    const ArrowSchema &type = *schema.children[c];
    for (const auto &batch : batches) {
        ArrowArray a = *batch.children[c]; // a view: offsets of the batch count, too
        a.offset += batch.offset;
        copyCells(type, a, batch.length, out, step);
        out += static_cast<size_t>(batch.length) * step;
    }
}

#define DAPHNE_COPY_COLUMN(T) template void ArrowTable::copyColumn<T>(size_t, T *, size_t) const;
DAPHNE_COPY_COLUMN(bool)
DAPHNE_COPY_COLUMN(int8_t)
DAPHNE_COPY_COLUMN(uint8_t)
DAPHNE_COPY_COLUMN(int32_t)
DAPHNE_COPY_COLUMN(uint32_t)
DAPHNE_COPY_COLUMN(int64_t)
DAPHNE_COPY_COLUMN(uint64_t)
DAPHNE_COPY_COLUMN(float)
DAPHNE_COPY_COLUMN(double)
DAPHNE_COPY_COLUMN(std::string)
#undef DAPHNE_COPY_COLUMN

void ArrowTable::copyThere(size_t c, bool *out) const {
    const ArrowSchema &type = *schema.children[c];
    for (const auto &batch : batches) {
        ArrowArray a = *batch.children[c];
        a.offset += batch.offset;
        for (int64_t i = 0; i < batch.length; ++i)
            *out++ = !isMissing(type, a, i);
    }
}

const void *ArrowTable::cellsOf(size_t c) const {
    const ArrowSchema &type = *schema.children[c];
    std::string_view code = type.format;
    if (batches.size() != 1 || type.dictionary || code != arrowCodeOf(types[c]) || types[c] == ValueType::Bool ||
        types[c] == ValueType::Str || hasNulls(c))
        return nullptr;
    const ArrowArray &a = *batches[0].children[c];
    size_t bytes = cellSize(types[c]);
    auto *first = static_cast<const char *>(a.buffers[1]) + static_cast<size_t>(batches[0].offset + a.offset) * bytes;
    return reinterpret_cast<uintptr_t>(first) % bytes == 0 ? first : nullptr;
}

bool ArrowTable::hasNulls(size_t c) const {
    return std::ranges::any_of(batches, [&](const auto &batch) {
        const ArrowArray &a = *batch.children[c];
        if (std::string_view(schema.children[c]->format) == "n")
            return batch.length > 0;
        if (a.null_count == 0 || a.n_buffers == 0 || !a.buffers[0])
            return false;
        for (int64_t i = 0; i < batch.length; ++i)
            if (!bitAt(a.buffers[0], batch.offset + a.offset + i))
                return true;
        return false;
    });
}

std::optional<ValueType> cellTypeOf(const ArrowSchema &column) {
    std::string_view code = column.dictionary ? column.dictionary->format : column.format;
    if (isString(code))
        return ValueType::Str;
    if (code == "b")
        return ValueType::Bool;
    if (code == "n")
        return ValueType::F64; // nothing but missing values
    std::optional<ValueType> type;
    withStoredType(code, [&]<class S>(const S *) { type = storedAs<S>(); });
    return type;
}

std::string arrowTypeName(const ArrowSchema &column) {
    std::string_view code = column.dictionary ? column.dictionary->format : column.format;
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"+l", "list"},      {"+L", "list"},    {"+v", "list"},    {"+w", "list"},    {"+s", "struct"},
        {"+m", "map"},       {"+u", "union"},   {"+r", "run-end"}, {"d:", "decimal"}, {"w:", "fixed-size binary"},
        {"e", "half float"}, {"ti", "interval"}};
    for (auto [begin, name] : kNames)
        if (code.starts_with(begin))
            return std::string(name);
    return "\"" + shownWord(code) + "\"";
}

ValueType ArrowTable::typeOf(int64_t c, const MakeError &error, bool keepNulls) const {
    const ArrowSchema &column = *schema.children[c];
    std::optional<ValueType> type = cellTypeOf(column);
    if (!type)
        throw error("column \"" + shownWord(label(static_cast<size_t>(c))) + "\" is of type " + arrowTypeName(column) +
                    ", which is not supported");
    bool holdsNulls = *type == ValueType::Str || isFloat(*type) || keepNulls;
    return holdsNulls || !hasNulls(static_cast<size_t>(c)) ? *type : ValueType::F64;
}

const char *arrowCodeOf(ValueType type) {
    switch (type) {
    case ValueType::Bool: return "b";
    case ValueType::SI8: return "c";
    case ValueType::UI8: return "C";
    case ValueType::SI32: return "i";
    case ValueType::UI32: return "I";
    case ValueType::SI64: return "l";
    case ValueType::F32: return "f";
    case ValueType::F64: return "g";
    case ValueType::Str: return "U";
    default: return "L";
    }
}

std::string arrowBitsOf(const DenseView<const bool> &cells, size_t column, size_t begin, size_t end) {
    std::string bits((end - begin + 7) / 8, '\0');
    for (size_t i = 0; i < end - begin; ++i)
        bits[i / 8] = static_cast<char>(bits[i / 8] | cells(begin + i, column) << (i % 8));
    return bits;
}

} // namespace daphne::io
