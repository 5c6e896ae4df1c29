// SPDX-License-Identifier: Apache-2.0
/// MatrixMarket files: coordinate and array, real, integer and pattern, general,
/// symmetric and skew-symmetric. Errors (status 3) name file and line.
#include <algorithm>
#include <vector>

#include "data/CopyCells.h"
#include "data/CsrEntries.h"
#include "io/Fields.h"
#include "io/FormatTable.h"

namespace daphne::io {

namespace {

struct Header {
    bool coordinate = false;
    enum class Field { Real, Integer, Pattern } field = Field::Real;
    enum class Symmetry { General, Symmetric, Skew } symmetry = Symmetry::General;
    size_t rows = 0, cols = 0, numEntries = 0; ///< entries only for coordinate files
    /// f64 for real, si64 otherwise.
    ValueType valueType() const { return field == Field::Real ? ValueType::F64 : ValueType::SI64; }
};

/// Words of a text, separated by blanks and line ends.
class Scanner {
  public:
    Scanner(std::string_view text, const std::string &path)
        : at(text.data()), end(text.data() + text.size()), path(path) {}

    Error error(const std::string &what) const {
        return executionError("file \"" + path + "\", line " + std::to_string(lineNumber) + ": " + what);
    }
    size_t bytesLeft() const { return static_cast<size_t>(end - at); }

    /// The rest of the current line; the next one becomes current.
    std::string_view restOfLine() {
        const char *stop = std::find(at, end, '\n');
        std::string_view rest(at, static_cast<size_t>(stop - at));
        at = stop == end ? end : stop + 1;
        ++lineNumber;
        return rest;
    }
    void skipComments() {
        while (skipBlank(), at != end && *at == '%')
            restOfLine();
    }
    bool atEnd() { return skipBlank(), at == end; }

    size_t size(const char *what) {
        std::string_view word = next(what);
        size_t value = 0;
        auto [last, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (failure != std::errc() || last != word.data() + word.size() || value > static_cast<size_t>(INT64_MAX))
            throw error(std::string("expected ") + what + ", got \"" + shown(word) + "\"");
        return value;
    }

    template <class T> T number() {
        std::string_view word = next("a value");
        size_t used = 0;
        bool inRange = true;
        T value;
        if constexpr (std::is_same_v<T, double>)
            value = leadingDouble(word, used);
        else
            value = leadingInteger<int64_t>(word, used, inRange);
        if (used != word.size() || !inRange)
            throw error("expected a value, got \"" + shown(word) + "\"");
        return value;
    }

  private:
    void skipBlank() {
        for (; at != end && (isBlank(*at) || *at == '\r' || *at == '\n'); ++at)
            lineNumber += *at == '\n';
    }
    std::string_view next(const char *what) {
        if (atEnd())
            throw error(std::string("the file ends where ") + what + " is expected");
        const char *begin = at;
        while (at != end && !isBlank(*at) && *at != '\r' && *at != '\n')
            ++at;
        return {begin, static_cast<size_t>(at - begin)};
    }
    static std::string shown(std::string_view word) { return std::string(word.substr(0, 40)); }

    const char *at, *end;
    const std::string &path;
    size_t lineNumber = 1;
};

std::vector<std::string> lowerWords(std::string_view line) {
    std::vector<std::string> words(1);
    for (char c : line) {
        if (isBlank(c) || c == '\r') {
            if (!words.back().empty())
                words.emplace_back();
        } else {
            words.back() += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

/// The banner and the size line.
Header readHeader(Scanner &in) {
    auto reject = [&](const std::string &what) { return in.error(what); };
    auto words = lowerWords(in.restOfLine().substr(0, 1000));
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
        throw reject("a MatrixMarket file starts with \"%%MatrixMarket matrix <format> <field> <symmetry>\"");
    Header h;
    if (words[2] != "coordinate" && words[2] != "array")
        throw reject("the format must be coordinate or array, got " + words[2]);
    h.coordinate = words[2] == "coordinate";
    if (words[3] == "real" || words[3] == "double")
        h.field = Header::Field::Real;
    else if (words[3] == "integer")
        h.field = Header::Field::Integer;
    else if (words[3] == "pattern" && h.coordinate)
        h.field = Header::Field::Pattern;
    else
        throw reject("the field must be real, integer or (coordinate only) pattern, got " + words[3]);
    if (words[4] == "general")
        h.symmetry = Header::Symmetry::General;
    else if (words[4] == "symmetric")
        h.symmetry = Header::Symmetry::Symmetric;
    else if (words[4] == "skew-symmetric")
        h.symmetry = Header::Symmetry::Skew;
    else
        throw reject("the symmetry must be general, symmetric or skew-symmetric, got " + words[4]);
    in.skipComments();
    h.rows = in.size("the number of rows");
    h.cols = in.size("the number of columns");
    if (h.coordinate)
        h.numEntries = in.size("the number of entries");
    if (h.symmetry != Header::Symmetry::General && h.rows != h.cols)
        throw in.error("a " + words[4] + " matrix must be square, got " + std::to_string(h.rows) + "x" +
                       std::to_string(h.cols));
    return h;
}

double negated(double x) { return -x; }
int64_t negated(int64_t x) { return static_cast<int64_t>(uint64_t(0) - static_cast<uint64_t>(x)); }

/// Calls put(row, column, value) for an entry and its mirror image.
template <class T, class Put> void place(Put &put, Header::Symmetry symmetry, size_t i, size_t j, T value) {
    if (symmetry == Header::Symmetry::Skew && i == j)
        return; // the diagonal is zero
    put(i, j, value);
    if (i != j && symmetry == Header::Symmetry::Symmetric)
        put(j, i, value);
    else if (symmetry == Header::Symmetry::Skew)
        put(j, i, negated(value));
}

size_t index(Scanner &in, const char *what, size_t n) {
    size_t i = in.size(what);
    if (i == 0 || i > n)
        throw in.error(std::string(what) + " " + std::to_string(i) + " is outside 1.." + std::to_string(n));
    return i - 1;
}

template <class T, class Put> void readCoordinates(Scanner &in, const Header &h, Put put) {
    for (size_t k = 0; k < h.numEntries; ++k) {
        size_t i = index(in, "row", h.rows), j = index(in, "column", h.cols);
        place<T>(put, h.symmetry, i, j, h.field == Header::Field::Pattern ? T(1) : in.number<T>());
    }
}

/// All values, column by column; of a symmetric matrix the lower triangle. A skew-symmetric one may leave out its
/// diagonal, which is zero.
template <class T, class Put> void readArray(Scanner &in, const Header &h, Put put) {
    if (h.symmetry == Header::Symmetry::General) {
        for (size_t j = 0; j < h.cols; ++j)
            for (size_t i = 0; i < h.rows; ++i)
                put(i, j, in.number<T>());
        return;
    }
    std::vector<T> values;
    size_t n = h.rows, whole = n * (n + 1) / 2;
    while (values.size() < whole && !in.atEnd())
        values.push_back(in.number<T>());
    bool diagonal = values.size() == whole;
    if (!diagonal && (h.symmetry != Header::Symmetry::Skew || values.size() != whole - n))
        throw in.error("the file ends after " + std::to_string(values.size()) + " of " + std::to_string(whole) +
                       " values");
    size_t k = 0;
    for (size_t j = 0; j < n; ++j)
        for (size_t i = j + !diagonal; i < n; ++i)
            place<T>(put, h.symmetry, i, j, values[k++]);
}

/// Entries take at least this many bytes; checked before memory is allocated for what a header promises.
void needPlausibleSize(const Scanner &in, const Header &h) {
    size_t cells = 0;
    bool overflow = __builtin_mul_overflow(h.rows, h.cols, &cells);
    size_t entries =
        h.coordinate ? h.numEntries : (h.symmetry == Header::Symmetry::General ? cells : (cells - h.rows) / 2);
    size_t bytes = h.coordinate ? 4 : 2; // "1 1\n", "1\n"; the last one may lack its line end
    if ((!h.coordinate && overflow) || (entries > 0 && entries > (in.bytesLeft() + 1) / bytes))
        throw in.error("the file is too short for the " + std::to_string(h.rows) + "x" + std::to_string(h.cols) +
                       " matrix its header promises");
}

template <class T> Ref<Dense> readCells(Scanner &in, const Header &h) {
    auto result = Dense::create(valueTypeOf<T>(), h.rows, h.cols, Buffer::Init::Zero);
    auto out = result->template mutableView<T>();
    auto put = [out](size_t i, size_t j, T value) { out(i, j) = value; };
    if (h.coordinate)
        readCoordinates<T>(in, h, put);
    else
        readArray<T>(in, h, put);
    return result;
}

/// Entries go to the type of the matrix one by one, so that rounding to zero and ones are seen.
template <class T> Ref<Csr> readSparse(Scanner &in, const Header &h, ValueType type) {
    return withNumericType(type, [&]<class Cell>(TypeTag<Cell>) {
        Entries<Cell> entries;
        bool pattern = h.field == Header::Field::Pattern && h.symmetry != Header::Symmetry::Skew;
        readCoordinates<T>(in, h, [&](size_t i, size_t j, T value) {
            if (pattern)
                entries.add(i, j);
            else
                entries.add(i, j, convertCell<Cell>(value));
        });
        return csrFromEntries(entries, type, h.rows, h.cols, SamePlace::LastCounts);
    });
}

bool becomesCsr(const Header &h, ValueType type, const ReadRequest &request) {
    double stored = static_cast<double>(h.numEntries) * (h.symmetry == Header::Symmetry::General ? 1 : 2);
    return h.coordinate && (request.csr || request.policy.prefersCsr(type, h.rows, h.cols, stored));
}

std::optional<Metadata> describe(ReadJob &job) {
    Scanner in(job.text(), job.path);
    Header h = readHeader(in);
    Metadata meta;
    meta.rows = h.rows;
    meta.cols = h.cols;
    meta.valueType = h.valueType();
    return meta;
}

Value readMatrix(ReadJob &job) {
    Scanner in(job.text(), job.path);
    Header h = readHeader(in);
    needPlausibleSize(in, h);
    ValueType type = job.meta ? job.wantedType() : h.valueType();
    if (!isNumeric(type))
        throw executionError("a MatrixMarket file cannot be read as a matrix of " + std::string(dslName(type)));
    if (becomesCsr(h, type, job.request))
        return h.field == Header::Field::Real ? readSparse<double>(in, h, type) : readSparse<int64_t>(in, h, type);
    auto cells = h.field == Header::Field::Real ? readCells<double>(in, h) : readCells<int64_t>(in, h);
    return converted(*cells, type);
}

} // namespace

void addMatrixMarket(FormatTable &t) {
    t.add({.extension = "mtx", .title = "MatrixMarket", .describe = describe, .readMatrix = readMatrix});
}

} // namespace daphne::io
