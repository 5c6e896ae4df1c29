// SPDX-License-Identifier: Apache-2.0
/// The content of a file in memory. Others may make the file shorter meanwhile:
/// becameShorter() tells.
///
/// Touching a page of a mapping behind the new end raises SIGBUS, and signals belong
/// to the program that owns the process. One that hands such faults on (hostForwardsFaults
/// and handleFault; bin/daphne: driver/process/FileFaults.h) gets mappings, in which missing
/// pages then read as zeros. In all other processes files are read into memory.
#pragma once

#include <cstddef>
#include <string_view>

namespace daphne::io {

class MappedFile {
  public:
    MappedFile() = default;
    ~MappedFile() { release(); }
    MappedFile(const MappedFile &) = delete;
    MappedFile &operator=(const MappedFile &) = delete;
    /// Maps or reads the first bytes of a file; false if that is not possible. The descriptor stays the caller's.
    bool load(int fd, size_t numBytes);
    void release();
    bool isLoaded() const { return data != nullptr; }
    /// False: text() is a copy.
    bool isMapped() const { return slot >= 0; }
    std::string_view text() const { return {static_cast<const char *>(data), size}; }
    /// What was read may not be what the file held.
    bool becameShorter(int fd) const;

    /// A promise of the program that owns the process, for files that are loaded from now on and as long as they are:
    /// its handler of SIGBUS asks handleFault.
    static void hostForwardsFaults(bool does);
    /// True: the address is in a mapped file, and the instruction may run again. Async-signal-safe.
    static bool handleFault(const void *address);

  private:
    bool map(int fd, size_t numBytes);
    bool read(int fd, size_t numBytes);

    void *data = nullptr;
    size_t size = 0;
    int slot = -1;          ///< of the table handleFault reads; -1: not mapped
    bool isMissing = false; ///< of a copy: the file ended too early
};

} // namespace daphne::io
