// SPDX-License-Identifier: Apache-2.0
/// Whole files: the text of one for reading, and replacing one by another text
/// so that no reader ever sees a part of it.
#pragma once

#include <string>
#include <string_view>

namespace daphne::io {

/// The content of a file, mapped into memory where possible. Errors (status 3) name the file.
class FileText {
  public:
    explicit FileText(const std::string &path);
    ~FileText();
    FileText(const FileText &) = delete;
    FileText &operator=(const FileText &) = delete;
    std::string_view text() const { return content; }

  private:
    std::string_view content;
    std::string copy; ///< of what cannot be mapped
    void *mapping = nullptr;
};

bool fileExists(const std::string &path);

/// Text for a file. It is collected in a temporary file in the same directory; commit() puts it in place of whatever
/// was there. Without commit() the target stays as it was. Errors (status 3) name the target.
class FileReplacement {
  public:
    explicit FileReplacement(std::string path);
    ~FileReplacement();
    FileReplacement(const FileReplacement &) = delete;
    FileReplacement &operator=(const FileReplacement &) = delete;
    void write(std::string_view text);
    /// Hands all text to the system; errors of a full disk show here at the latest.
    void flush();
    void commit();

  private:
    [[noreturn]] void fail(const char *what) const;
    std::string path, temporary;
    std::string buffer;
    int fd = -1;
};

} // namespace daphne::io
