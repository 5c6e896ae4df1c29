// SPDX-License-Identifier: Apache-2.0
/// gzip and Zstandard streams. A compressed file may consist of several streams
/// one after another. Bounded memory: a file that grows by more than any honest
/// one is rejected.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace daphne::io {

enum class Compression { None, Gzip, Zstd };

/// By the end of the file name.
Compression compressionOf(std::string_view path);
/// The name without .gz or .zst.
std::string_view withoutCompression(std::string_view path);

/// Memory that grows without copying.
class GrowingText {
  public:
    GrowingText() = default;
    ~GrowingText();
    GrowingText(const GrowingText &) = delete;
    GrowingText &operator=(const GrowingText &) = delete;
    /// Room for n more bytes behind the text; valid until the next call. Throws std::bad_alloc.
    char *room(size_t n);
    void grow(size_t n) { used += n; }
    std::string_view text() const { return {data, used}; }

  private:
    char *data = nullptr;
    size_t used = 0, capacity = 0;
};

/// Appends the content of a compressed file. Errors (status 3) name the file.
void decompress(Compression kind, std::string_view compressed, const std::string &path, GrowingText &into);

/// Turns content into a compressed file, piece by piece.
class Compressor {
  public:
    using Sink = std::function<void(std::string_view)>;
    virtual ~Compressor() = default;
    virtual void write(std::string_view content, const Sink &sink) = 0;
    virtual void finish(const Sink &sink) = 0;
    /// Null for Compression::None.
    static std::unique_ptr<Compressor> create(Compression kind);
};

} // namespace daphne::io
