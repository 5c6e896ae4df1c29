// SPDX-License-Identifier: Apache-2.0
/// MatrixMarket files: coordinate and array, real, integer and pattern, general,
/// symmetric and skew-symmetric. Written as coordinates (Csr) or array (Dense),
/// general, numbers in their shortest exact form. Errors name file, line and
/// column.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "base/Progress.h"
#include "data/CopyCells.h"
#include "io/Rows.h"
#include "io/files/Bytes.h"
#include "io/text/Coordinates.h"
#include "io/text/Fields.h"
#include "io/text/NumberText.h"
#include "io/text/ParallelText.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

namespace {

struct Header {
    bool coordinate = false;
    enum class Field { Real, Integer, Pattern } field = Field::Real;
    Symmetry symmetry = Symmetry::General;
    size_t rows = 0, cols = 0, numEntries = 0; ///< entries only for coordinate files
    std::string_view rest;                     ///< the text behind the header
    /// f64 for real, si64 otherwise.
    ValueType valueType() const { return field == Field::Real ? ValueType::F64 : ValueType::SI64; }
};

// -------------------------------------------------------------------- header

/// The first line of the text, which loses it.
std::string_view takeLine(std::string_view &text) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    return line;
}

bool isSpace(char c) { return isBlank(c) || c == '\r'; }

std::vector<std::string_view> wordsOf(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr size_t kMost = 8; // more than any header has
    for (size_t i = 0; i < line.size() && words.size() < kMost;) {
        size_t begin = i;
        while (i < line.size() && !isSpace(line[i]))
            ++i;
        if (i > begin)
            words.push_back(line.substr(begin, i - begin));
        else
            ++i;
    }
    return words;
}

std::string lower(std::string_view word) {
    std::string result(word);
    for (char &c : result)
        c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return result;
}

void readBanner(std::string_view line, Header &h) {
    auto words = wordsOf(line);
    if (words.size() != 5 || lower(words[0]) != "%%matrixmarket" || lower(words[1]) != "matrix")
        throw TextError{line.data(),
                        "a MatrixMarket file starts with \"%%MatrixMarket matrix <format> <field> <symmetry>\""};
    auto reject = [&](size_t i, const std::string &what) {
        throw TextError{words[i].data(), what + ", got " + shownWord(words[i])};
    };
    std::string format = lower(words[2]), field = lower(words[3]), symmetry = lower(words[4]);
    if (format != "coordinate" && format != "array")
        reject(2, "the format must be coordinate or array");
    h.coordinate = format == "coordinate";
    if (field == "real" || field == "double")
        h.field = Header::Field::Real;
    else if (field == "integer")
        h.field = Header::Field::Integer;
    else if (field == "pattern" && h.coordinate)
        h.field = Header::Field::Pattern;
    else if (field == "complex")
        reject(3, "complex matrices are not supported");
    else
        reject(3, h.coordinate ? "the field must be real, integer or pattern"
                               : "the field of an array must be real or integer");
    if (symmetry == "general")
        h.symmetry = Symmetry::General;
    else if (symmetry == "symmetric")
        h.symmetry = Symmetry::Symmetric;
    else if (symmetry == "skew-symmetric")
        h.symmetry = Symmetry::Skew;
    else
        reject(4, "the symmetry must be general, symmetric or skew-symmetric");
}

void readSizes(std::string_view line, Header &h) {
    auto words = wordsOf(line);
    size_t expected = h.coordinate ? 3 : 2;
    if (words.size() != expected)
        throw TextError{line.data(), std::string("expected ") +
                                         (h.coordinate ? "rows, columns and entries" : "rows and columns") +
                                         ", got \"" + shownWord(line) + "\""};
    size_t *const sizes[] = {&h.rows, &h.cols, &h.numEntries};
    for (size_t i = 0; i < expected; ++i) {
        uint64_t n;
        const char *end = words[i].data() + words[i].size();
        if (scanUnsigned(words[i].data(), end, n) != end)
            throw TextError{words[i].data(), "expected a size, got \"" + shownWord(words[i]) + "\""};
        *sizes[i] = n;
    }
    if (h.symmetry != Symmetry::General && h.rows != h.cols)
        throw TextError{line.data(), "a symmetric matrix must be square, got " + std::to_string(h.rows) + "x" +
                                         std::to_string(h.cols)};
}

/// Checked before memory is allocated for what a header promises.
void needPlausibleSize(std::string_view sizeLine, const Header &h) {
    size_t cells = 0;
    bool overflow = __builtin_mul_overflow(h.rows, h.cols, &cells) || cells > static_cast<size_t>(INT64_MAX);
    size_t entries = h.coordinate ? h.numEntries : h.symmetry == Symmetry::General ? cells : (cells - h.rows) / 2;
    size_t bytes = !h.coordinate ? 2 : h.field == Header::Field::Pattern ? 4 : 6; // "1\n", "1 1\n", "1 1 1\n"
    // A row without entries takes no text; but nobody has many more of them than others.
    constexpr size_t kRowsForNothing = size_t(1) << 24;
    bool tooShort = entries > 0 && entries > (h.rest.size() + 1) / bytes;
    if (overflow || tooShort || (h.coordinate && h.rows > kRowsForNothing + h.rest.size()))
        throw TextError{sizeLine.data(), "the file is too short for the " + std::to_string(h.rows) + "x" +
                                             std::to_string(h.cols) + " matrix its header promises"};
}

Header readHeader(std::string_view text) {
    Header h;
    readBanner(takeLine(text), h);
    std::string_view line;
    do {
        if (text.empty())
            throw TextError{text.data(), "the file ends where its sizes are expected"};
        line = takeLine(text);
    } while (line.starts_with('%') || wordsOf(line).empty());
    readSizes(line, h);
    h.rest = text;
    needPlausibleSize(line, h);
    return h;
}

// -------------------------------------------------------------------- arrays

bool isGap(char c) { return isSpace(c) || c == '\n'; }

size_t countWords(std::string_view text) {
    size_t words = 0;
    bool inWord = false;
    for (char c : text) {
        words += !inWord && !isGap(c);
        inWord = !isGap(c);
    }
    return words;
}

/// wrapsUnsigned: as in CoordinateList.
template <class T> T readValue(std::string_view word, bool wrapsUnsigned) {
    size_t used = 0;
    bool inRange = true;
    T value{};
    if constexpr (std::is_same_v<T, double>) {
        const char *end = word.data() + word.size();
        if (scanDouble(word.data(), end, value) == end)
            return value;
        value = leadingFloat<double>(word, used);
    } else if (wrapsUnsigned) {
        value = static_cast<T>(leadingInteger<uint64_t>(word, used, inRange));
    } else {
        value = leadingInteger<T>(word, used, inRange);
    }
    if (used != word.size() || !inRange)
        throw TextError{word.data(), "expected a value, got \"" + shownWord(word) + "\""};
    return value;
}

/// Where the values of an array file go: all cells column by column, or the lower triangle.
class ArrayOrder {
  public:
    ArrayOrder(const Header &h, bool diagonal) : h(h), diagonal(diagonal) {}
    /// Starts at value number k.
    void seek(size_t k) {
        if (h.symmetry == Symmetry::General) {
            column = h.rows ? k / h.rows : 0;
            row = h.rows ? k % h.rows : 0;
            return;
        }
        size_t low = 0, high = h.cols; // the last column that starts at or before k
        while (low + 1 < high) {
            size_t middle = (low + high) / 2;
            (start(middle) <= k ? low : high) = middle;
        }
        column = low;
        row = low + !diagonal + (k - start(low));
    }
    void advance() {
        if (++row == h.rows) {
            ++column;
            row = h.symmetry == Symmetry::General ? 0 : column + !diagonal;
        }
    }
    size_t row = 0, column = 0;

  private:
    /// Values before a column: those of columns of n, n - 1, ... rows.
    size_t start(size_t j) const {
        size_t n = h.rows - !diagonal;
        return j * n - j * (j - 1) / 2;
    }
    const Header &h;
    bool diagonal;
};

template <class T> Ref<Dense> readArray(const Header &h, bool wrapsUnsigned, sched::Pool *pool) {
    auto pieces = cutAtLineEnds(h.rest, kPieceBytes);
    std::vector<size_t> starts(pieces.size() + 1);
    forEachTask(pool, pieces.size(), [&](size_t i) { starts[i + 1] = countWords(pieces[i]); });
    for (size_t i = 0; i < pieces.size(); ++i)
        starts[i + 1] += starts[i];
    size_t n = h.rows, found = starts.back();
    size_t whole = h.symmetry == Symmetry::General ? n * h.cols : n * (n + 1) / 2;
    // A skew-symmetric file may leave out the diagonal, which is zero.
    bool diagonal = !(h.symmetry == Symmetry::Skew && found == whole - n && n > 0);
    if (diagonal && found != whole)
        throw TextError{h.rest.data() + h.rest.size(), "the file has " + std::to_string(found) +
                                                           " values, its header promises " + std::to_string(whole)};
    auto result = Dense::create(valueTypeOf<T>(), h.rows, h.cols, Buffer::Init::Zero);
    auto out = result->template mutableView<T>();
    forEachPiece(pool, pieces.size(), [&](size_t i) {
        ArrayOrder place(h, diagonal);
        place.seek(starts[i]);
        std::string_view text = pieces[i];
        for (size_t at = 0;;) {
            while (at < text.size() && isGap(text[at]))
                ++at;
            if (at == text.size())
                break;
            size_t begin = at;
            while (at < text.size() && !isGap(text[at]))
                ++at;
            T value = readValue<T>(text.substr(begin, at - begin), wrapsUnsigned);
            auto [r, c] = std::pair(place.row, place.column);
            if (h.symmetry == Symmetry::Skew && r == c)
                value = T(0);
            out(r, c) = value;
            if (h.symmetry == Symmetry::Symmetric)
                out(c, r) = value;
            else if (h.symmetry == Symmetry::Skew && r != c)
                out(c, r) = static_cast<T>(-value);
            place.advance();
        }
        advanceProgress(text.size());
    });
    return result;
}

// -------------------------------------------------------------------- reading

CoordinateList listOf(const Header &h, ValueType type) {
    return {.text = h.rest,
            .rows = h.rows,
            .cols = h.cols,
            .numEntries = h.numEntries,
            .hasValues = h.field != Header::Field::Pattern,
            .wrapsUnsigned = type == ValueType::UI64,
            .symmetry = h.symmetry};
}

template <class T> Value readAs(const Header &h, ValueType type, const ReadRequest &request) {
    if (!h.coordinate)
        return converted(*readArray<T>(h, type == ValueType::UI64, request.pool), type);
    CoordinateList list = listOf(h, type);
    double stored = static_cast<double>(h.numEntries) * (h.symmetry == Symmetry::General ? 1 : 2);
    if (request.csr || request.policy.prefersCsr(type, h.rows, h.cols, stored))
        return withType(readCsr<T>(list, request.pool), type);
    return converted(*readDense<T>(list, request.pool), type);
}

std::optional<Metadata> describe(ReadJob &job) {
    try {
        Header h = readHeader(job.text());
        Metadata meta;
        meta.rows = h.rows;
        meta.cols = h.cols;
        meta.valueType = h.valueType();
        return meta;
    } catch (const TextError &error) {
        throw locatedError(job.text(), job.path, error);
    }
}

Value readMatrix(ReadJob &job) {
    try {
        Header h = readHeader(job.text());
        ValueType type = job.meta ? job.wantedType() : h.valueType();
        if (!isNumeric(type))
            throw job.error("a MatrixMarket file cannot be read as a matrix of " + std::string(dslName(type)));
        if (h.field == Header::Field::Real)
            return readAs<double>(h, type, job.request);
        return readAs<int64_t>(h, type, job.request);
    } catch (const TextError &error) {
        throw locatedError(job.text(), job.path, error);
    }
}

// -------------------------------------------------------------------- some rows

std::optional<WholeInfo> describeWhole(ReadJob &job) {
    try {
        Header h = readHeader(job.text());
        ValueType type = job.meta ? job.wantedType() : h.valueType();
        if (!isNumeric(type) || h.rows == 0 || h.cols == 0)
            return std::nullopt;
        uint64_t most = h.coordinate ? h.numEntries : h.rows * h.cols;
        if (h.coordinate && h.symmetry != Symmetry::General)
            most *= 2;
        return WholeInfo{h.rows, h.cols, type, most};
    } catch (const TextError &error) {
        throw locatedError(job.text(), job.path, error);
    }
}

/// The row of the first entry at or behind a position where a line begins; nothing at the end of the text, and where
/// something else stands.
std::optional<uint64_t> rowBehind(std::string_view text, size_t at) {
    for (; at < text.size(); ++at) {
        uint64_t row;
        if (text[at] == '%')
            at = std::min(text.find('\n', at), text.size());
        else if (!isGap(text[at]))
            return scanUnsigned(text.data() + at, text.data() + text.size(), row) ? std::optional(row) : std::nullopt;
    }
    return std::nullopt;
}

/// The position where the first line with at least this row begins, provided that rows ascend. If they do not, it is
/// just the begin of a line, or the end.
size_t findRow(std::string_view text, uint64_t row) {
    auto nextLine = [&](size_t at) { return std::min(text.find('\n', at), text.size() - 1) + 1; };
    constexpr size_t kNear = 4096;
    size_t begin = 0, end = text.size(); // rows of lines that end before `begin` are smaller
    while (end - begin > kNear) {
        size_t middle = begin + (end - begin) / 2, line = nextLine(middle);
        if (auto found = rowBehind(text, line); found && *found < row)
            begin = line;
        else
            end = middle;
    }
    while (begin < text.size()) {
        auto found = rowBehind(text, begin);
        if (!found || *found >= row)
            break;
        begin = nextLine(begin);
    }
    return begin;
}

/// Rows are looked for as if they were in order, and taken if they have as many different entries as there are in all
/// of the file. No other entry can belong to them then: where the matrix has as many cells as the file has entries, no
/// place stands twice in it.
Ref<Csr> readSparseRows(ReadJob &job, const SparseRows &wanted) {
    try {
        Header h = readHeader(job.text());
        ValueType type = job.meta ? job.wantedType() : h.valueType();
        if (!h.coordinate || h.symmetry != Symmetry::General || h.numEntries != wanted.storedInAll)
            return {};
        if (wanted.first > h.rows || wanted.count > h.rows - wanted.first)
            throw job.error("it does not have the rows that are wanted");
        CoordinateList list = listOf(h, type);
        size_t begin = findRow(h.rest, wanted.first + 1), end = findRow(h.rest, wanted.first + wanted.count + 1);
        if (end < begin)
            return {};
        list.text = h.rest.substr(begin, end - begin);
        list.firstRow = wanted.first;
        list.rows = wanted.count;
        list.numEntries = wanted.stored;
        Ref<Csr> rows = h.field == Header::Field::Real ? readCsr<double>(list, job.request.pool)
                                                       : readCsr<int64_t>(list, job.request.pool);
        return rows->nonZeros() == wanted.stored ? withType(std::move(rows), type) : Ref<Csr>();
    } catch (const TextError &) {
        return {}; // not in order, or not a matrix: whoever reads everything finds out
    }
}

// -------------------------------------------------------------------- writing

std::string_view fieldOf(ValueType type) { return isFloat(type) ? "real" : "integer"; }

void writeCsr(const Csr &m, WriteJob &job) {
    std::string_view field = m.isPattern() ? "pattern" : fieldOf(m.type());
    job.file.write("%%MatrixMarket matrix coordinate " + std::string(field) + " general\n" + std::to_string(m.rows()) +
                   " " + std::to_string(m.cols()) + " " + std::to_string(m.nonZeros()) + "\n");
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            auto cells = m.view<T, I>();
            writeRowsInParallel(job, m.rows(), m.nonZeros() / std::max<size_t>(1, m.rows()) + 1,
                                [&](size_t r, std::string &out) {
                                    for (uint64_t k = cells.offsets[r]; k < cells.offsets[r + 1]; ++k) {
                                        appendNumber(out, r + 1);
                                        out += ' ';
                                        appendNumber(out, static_cast<uint64_t>(cells.columns[k]) + 1);
                                        if (cells.values) {
                                            out += ' ';
                                            appendNumber(out, cells.values[k]);
                                        }
                                        out += '\n';
                                    }
                                });
        });
    });
}

void writeDense(const Dense &m, WriteJob &job) {
    if (!isNumeric(m.type()))
        throw executionError("cannot write file \"" + job.file.targetPath() +
                             "\": a MatrixMarket file cannot hold strings");
    job.file.write("%%MatrixMarket matrix array " + std::string(fieldOf(m.type())) + " general\n" +
                   std::to_string(m.rows()) + " " + std::to_string(m.cols()) + "\n");
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto cells = m.view<T>();
        // A line per cell, column by column: a column alone may be more than there is memory for.
        writeRowsInParallel(job, m.cells(), 1, [&](size_t k, std::string &out) {
            appendNumber(out, cells(k % cells.rows, k / cells.rows));
            out += '\n';
        });
    });
}

void writeMatrix(const Matrix &m, WriteJob &job) {
    if (m.isCsr())
        writeCsr(static_cast<const Csr &>(m), job);
    else
        writeDense(static_cast<const Dense &>(m), job);
}

} // namespace

void addMatrixMarket(FormatTable &t) {
    t.add({.extension = "mtx",
           .title = "MatrixMarket",
           .describe = describe,
           .readMatrix = readMatrix,
           .writeMatrix = writeMatrix,
           .describeWhole = describeWhole,
           .readSparseRows = readSparseRows});
}

} // namespace daphne::io
