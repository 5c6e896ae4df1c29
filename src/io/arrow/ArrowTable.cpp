// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/ArrowTable.h"

#include <algorithm>
#include <limits>

#include "base/Calendar.h"
#include "io/files/Bytes.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

namespace {

/// Calls f with a null pointer to the C++ type of a code; false if it is no number.
template <class F> bool withStoredType(std::string_view code, F &&f) {
    if (code.starts_with("tdD") || code == "tts" || code == "ttm")
        code = "i";
    else if (code.starts_with('t'))
        code = "l"; // dates, timestamps, times of day, durations
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

bool isString(std::string_view code) { return code == "u" || code == "U" || code == "z" || code == "Z"; }

bool bitAt(const void *bits, int64_t i) { return static_cast<const uint8_t *>(bits)[i / 8] >> (i % 8) & 1; }

bool isNull(const ArrowArray &a, int64_t i) {
    return a.n_buffers > 0 && a.buffers[0] && a.null_count != 0 && !bitAt(a.buffers[0], a.offset + i);
}

template <class Offset> std::string_view stringAt(const ArrowArray &a, int64_t i) {
    auto *offsets = static_cast<const Offset *>(a.buffers[1]) + a.offset + i;
    return {static_cast<const char *>(a.buffers[2]) + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

std::string_view stringAt(std::string_view code, const ArrowArray &a, int64_t i) {
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
// ----------------------------------------------------------------------- times

/// What a code such as "tdD" or "tsm:UTC" means; type Unknown: it is no time. Time zones do not matter: the numbers
/// count from 1970 in UTC.
struct TimeCode {
    ValueType type = ValueType::Unknown;
    int64_t multiply = 1, divide = 1; ///< from the unit of the column to ours
};

TimeCode timeCodeOf(std::string_view code) {
    constexpr int64_t kMillisPerDay = 86'400'000;
    if (code == "tdD")
        return {ValueType::Date};
    if (code == "tdm")
        return {ValueType::Date, 1, kMillisPerDay};
    bool isTimestamp = code.size() >= 4 && code.starts_with("ts") && code[3] == ':',
         isDuration = code.starts_with("tD");
    if (!isTimestamp && !isDuration)
        return {};
    ValueType type = isTimestamp ? ValueType::Timestamp : ValueType::Duration;
    switch (code[2]) {
    case 's': return {type, 1'000'000, 1};
    case 'm': return {type, 1'000, 1};
    case 'u': return {type};
    case 'n': return {type, 1, 1'000};
    default: return {};
    }
}

/// In our unit. Throws Error (status 3) if there is no such time.
int64_t timeOf(int64_t stored, const TimeCode &code, const std::string &label, size_t row) {
    auto wrong = [&](const char *why) {
        return executionError("column \"" + shownWord(label) + "\", row " + std::to_string(row) + ": the " +
                              std::string(dslName(code.type)) + " " + why);
    };
    if (stored % code.divide != 0)
        throw wrong(code.type == ValueType::Date ? "is no whole number of days" : "is finer than microseconds");
    int64_t time;
    if (__builtin_mul_overflow(stored / code.divide, code.multiply, &time) || time == calendar::kNat)
        throw wrong("is too long");
    bool fits = code.type == ValueType::Date        ? calendar::isDay(time)
                : code.type == ValueType::Timestamp ? calendar::isTimestamp(time)
                                                    : true;
    if (!fits)
        throw wrong("lies outside of the years 1 to 9999");
    return time;
}

std::string_view codeOfCells(const ArrowSchema &column) {
    return column.dictionary ? column.dictionary->format : column.format;
}

template <class S> constexpr ValueType storedAs() {
    if constexpr (sizeof(S) == 2)
        return ValueType::Unknown;
    else
        return valueTypeOf<S>();
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

template <class T> void ArrowTable::copyTimes(size_t c, T *out, size_t step) const {
    const ArrowSchema &type = *schema.children[c];
    TimeCode code = timeCodeOf(codeOfCells(type));
    size_t row = 0;
    for (const auto &batch : batches) {
        ArrowArray a = *batch.children[c];
        a.offset += batch.offset;
        for (int64_t i = 0; i < batch.length; ++i, ++row, out += step)
            *out = static_cast<T>(isMissing(type, a, i) ? calendar::natOf(code.type)
                                                        : timeOf(cellAt<int64_t>(type, a, i), code, label(c), row));
    }
}

template <class T> void ArrowTable::copyColumn(size_t c, T *out, size_t step) const {
    const ArrowSchema &type = *schema.children[c];
    if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>)
        if (isTime(types[c]))
            return copyTimes(c, out, step);
    for (const auto &batch : batches) {
        ArrowArray a = *batch.children[c]; // a view: offsets of the batch count, too
        a.offset += batch.offset;
        for (int64_t i = 0; i < batch.length; ++i, out += step)
            *out = cellAt<T>(type, a, i);
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
        types[c] == ValueType::Str || isTime(types[c]) || hasNulls(c))
        return nullptr; // times are looked at one by one
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

ValueType ArrowTable::typeOf(int64_t c, const MakeError &error, bool keepNulls) const {
    const ArrowSchema &column = *schema.children[c];
    std::string_view code = codeOfCells(column);
    if (isString(code))
        return ValueType::Str;
    if (ValueType time = timeCodeOf(code).type; time != ValueType::Unknown)
        return time;
    ValueType type = ValueType::Unknown;
    if (code == "b")
        type = ValueType::Bool;
    else if (code == "n")
        return ValueType::F64; // nothing but missing values
    withStoredType(code, [&]<class S>(const S *) {
        type = std::is_same_v<S, int16_t>    ? ValueType::SI32
               : std::is_same_v<S, uint16_t> ? ValueType::UI32
                                             : storedAs<S>();
    });
    if (type == ValueType::Unknown)
        throw error("column \"" + shownWord(label(static_cast<size_t>(c))) +
                    "\" is of a type that is not supported (\"" + shownWord(code) + "\")");
    return isFloat(type) || keepNulls || !hasNulls(static_cast<size_t>(c)) ? type : ValueType::F64;
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
    case ValueType::Date: return "tdD";
    case ValueType::Timestamp: return "tsu:";
    case ValueType::Duration: return "tDu";
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
