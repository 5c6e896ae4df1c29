// SPDX-License-Identifier: Apache-2.0
/// Whole files: the content of one for reading, and replacing one by another
/// content so that no reader ever sees a part of it. Names that end in .gz or
/// .zst are decompressed and compressed on the way.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/files/Compression.h"
#include "io/files/MappedFile.h"

namespace daphne::io {

/// The content of a file, mapped into memory where possible. Errors (status 3) name the file.
class FileText {
  public:
    explicit FileText(const std::string &path);
    ~FileText();
    FileText(const FileText &) = delete;
    FileText &operator=(const FileText &) = delete;
    std::string_view text() const { return content; }
    /// The descriptor of a file whose content is mapped as it stands, -1 otherwise: for reads into other memory.
    int descriptor() const { return fd; }
    /// Throws if the file has become shorter since: what was read of text() since then is not what the file held.
    void needUnchanged() const { needUnchanged(fd); }

  private:
    void needUnchanged(int descriptor) const;
    const std::string path;
    std::string_view content;
    GrowingText copy;  ///< of what cannot be mapped, or was compressed
    MappedFile mapped; ///< or read as a whole
    int fd = -1;
};

bool fileExists(const std::string &path);
/// The file a symbolic link leads to, or the name itself.
std::string behindLinks(const std::string &path);

/// New content for a file. It is collected in a temporary file in the same directory; commit() puts it in place of
/// whatever was there. Without commit() the target stays as it was. Errors (status 3) name the target.
class FileReplacement {
  public:
    explicit FileReplacement(std::string path);
    ~FileReplacement();
    FileReplacement(const FileReplacement &) = delete;
    FileReplacement &operator=(const FileReplacement &) = delete;
    void write(std::string_view text);
    /// The content is complete and on the disk afterwards; errors of a full disk show here at the latest.
    void finish();
    /// finish(), then in place.
    void commit();
    /// For libraries that write files by themselves, instead of write().
    const std::string &temporaryPath() const { return temporary; }
    const std::string &targetPath() const { return path; }

  private:
    [[noreturn]] void fail(const char *what) const;
    void flush();
    void writeOut(std::string_view bytes);
    std::string path, place, temporary; ///< place: what path leads to
    std::string buffer;
    std::unique_ptr<Compressor> compressor; ///< null: content goes out as it is
    int fd = -1;
    bool finished = false;
};

} // namespace daphne::io
