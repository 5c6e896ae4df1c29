// SPDX-License-Identifier: Apache-2.0
/// Files that a script keeps open and reads line by line, known by numbers.
/// Errors (status 3) name the file or the number. One table per run; not
/// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/Error.h"
#include "data/Value.h"

namespace daphne::io {

/// A file being read from its beginning; closed by the destructor.
class OpenFile {
  public:
    enum class Kind : uint8_t { Any, Device }; ///< Device: a character or block device, nothing else
    explicit OpenFile(std::string path, Kind kind = Kind::Any);
    ~OpenFile();
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;

    /// The next line without its end (\n or \r\n), valid until the next call; nothing at the end of the file.
    std::optional<std::string_view> nextLine();
    /// "file "x.csv", line 3: what" for the line read last.
    Error error(const std::string &what) const;

  private:
    /// Reads more; false at the end of the file.
    bool fill();
    std::string path;
    int fd;
    std::string buffer;
    size_t at = 0; ///< start of the next line in the buffer
    size_t lineNumber = 0;
};

class OpenFiles {
  public:
    /// The number of the file; none is given twice in a run.
    int64_t add(std::unique_ptr<OpenFile> file);
    /// Throws if no file of this number is open.
    OpenFile &get(int64_t handle);
    void close(int64_t handle);

  private:
    std::vector<std::unique_ptr<OpenFile>> files; ///< number i + 1 at [i]; null once closed
};

/// The next rows of a file as a matrix of f64, one line per row, fields read by the lenient rules of files. Throws if
/// lines or fields are missing, or a line has more fields.
Ref<Dense> readDelimited(OpenFile &file, size_t rows, size_t cols, char delimiter);

} // namespace daphne::io
