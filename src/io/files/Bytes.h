// SPDX-License-Identifier: Apache-2.0
/// Binary content: little-endian numbers with a check of the length, large runs
/// of bytes straight into their memory, in parallel.
#pragma once

#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

#include "io/FormatTable.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

static_assert(std::endian::native == std::endian::little);

/// A position in the bytes of a file. Errors (status 3) name the file and the byte.
class ByteCursor {
  public:
    ByteCursor(std::string_view bytes, const std::string &path, size_t at = 0) : bytes(bytes), path(path), at(at) {}
    size_t position() const { return at; }
    size_t left() const { return bytes.size() - at; }
    void seek(size_t position) { at = std::min(position, bytes.size()); }
    Error error(const std::string &what) const {
        return executionError("file \"" + path + "\", byte " + std::to_string(at) + ": " + what);
    }
    /// The next n bytes.
    std::string_view take(size_t n, const char *what) {
        if (n > left())
            throw error(std::string("the file ends inside of ") + what + ": " + std::to_string(n) +
                        " bytes expected, " + std::to_string(left()) + " left");
        std::string_view piece = bytes.substr(at, n);
        at += n;
        return piece;
    }
    template <class T> T number(const char *what) {
        T x;
        std::memcpy(&x, take(sizeof x, what).data(), sizeof x);
        return x;
    }
    /// count * size bytes; an error if the file does not hold so many.
    std::string_view takeCells(size_t count, size_t size, const char *what) {
        size_t n;
        if (__builtin_mul_overflow(count, size, &n))
            throw error(std::string("the file is too short for ") + what);
        return take(n, what);
    }

  private:
    std::string_view bytes;
    const std::string &path;
    size_t at;
};

/// Copies a part of the content of a file to memory: read from the file itself where that is possible, which saves
/// mapping its pages.
void copyContent(ReadJob &job, std::string_view part, void *to);

/// Shows a part of the content piece by piece, on all threads and in any order: f(position in the part, piece). Pieces
/// are in memory that stays in the cache and hold whole numbers of 8 bytes, but for the last one. After f has returned
/// false no more than the pieces at hand are shown.
void scanContent(ReadJob &job, std::string_view part, const std::function<bool(size_t, std::string_view)> &f);

/// As copyContent, from memory.
void copyBytes(sched::Pool *pool, std::string_view part, void *to);

template <class T> void appendRaw(std::string &out, T x) { out.append(reinterpret_cast<const char *>(&x), sizeof x); }

/// The cells of a matrix without strings, row by row.
void writeCells(const Dense &m, FileReplacement &file);

/// m in the representation the request wants: large and sparse ones as Csr.
Value inWantedForm(Ref<Dense> m, const ReadRequest &request);
Value inWantedForm(Ref<Csr> m, const ReadRequest &request);
/// The same stored cells with another value type; what rounds to zero goes.
Ref<Csr> withType(Ref<Csr> m, ValueType type);
/// The type the metadata want, the stored one without metadata; an error for strings to numbers.
ValueType resultType(const ReadJob &job, ValueType stored);

/// One column per column of the matrix, with the labels and types of the metadata or default labels.
Ref<Frame> frameOf(const Matrix &m, ReadJob &job);

} // namespace daphne::io
