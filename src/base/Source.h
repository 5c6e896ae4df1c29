// SPDX-License-Identifier: Apache-2.0
/// Source texts and spans in them. A SourceSpan is two offsets and a file id;
/// the SourceManager that owns the texts turns it into file:line:col and the
/// source line. Not thread-safe while files are being added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace daphne {

/// Half-open byte range of a file. fileId 0 means "no position known".
struct SourceSpan {
    uint32_t fileId = 0;
    uint32_t begin = 0;
    uint32_t end = 0;

    bool known() const { return fileId != 0; }
    /// Smallest span covering both.
    static SourceSpan join(SourceSpan a, SourceSpan b);
    bool operator==(const SourceSpan &) const = default;
};

/// Longer scripts are not read: offsets in spans have 32 bits.
constexpr size_t kMaxSourceBytes = size_t(1) << 30;

struct LineColumn {
    uint32_t line = 0;   ///< 1-based
    uint32_t column = 0; ///< 1-based, in bytes
};

class SourceManager {
  public:
    /// Takes over a text under a display name and returns its id (>= 1).
    uint32_t add(std::string name, std::string text);
    uint32_t numFiles() const { return static_cast<uint32_t>(files.size()); }
    const std::string &name(uint32_t fileId) const { return files[fileId - 1].name; }
    std::string_view text(uint32_t fileId) const { return files[fileId - 1].text; }
    LineColumn position(uint32_t fileId, uint32_t offset) const;
    /// Text of a 1-based line without its line end.
    std::string_view line(uint32_t fileId, uint32_t line) const;

  private:
    struct File {
        std::string name, text;
        std::vector<uint32_t> lineStarts;
    };
    const std::vector<uint32_t> &lineStarts(uint32_t fileId) const { return files[fileId - 1].lineStarts; }
    std::deque<File> files; ///< deque: texts never move
};

} // namespace daphne
