// SPDX-License-Identifier: Apache-2.0
/// A file mapped into memory. Others may make it shorter meanwhile, and touching a
/// page behind the new end raises SIGBUS: then such pages read as zeros, and
/// becameShorter() tells. Bus errors elsewhere go to whoever handled them before.
#pragma once

#include <cstddef>
#include <string_view>

namespace daphne::io {

class MappedFile {
  public:
    MappedFile() = default;
    ~MappedFile() { unmap(); }
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;
    /// Maps the first bytes of a file; false if that is not possible. The descriptor stays the caller's.
    bool map(int fd, size_t numBytes);
    void unmap();
    bool isMapped() const { return data != nullptr; }
    std::string_view text() const { return {static_cast<const char *>(data), size}; }
    /// What was read may not be what the file held.
    bool becameShorter(int fd) const;

  private:
    void *data = nullptr;
    size_t size = 0;
    int slot = -1; ///< of the table the signal handler reads
};

} // namespace daphne::io
