// SPDX-License-Identifier: Apache-2.0
/// Memory that two processes of one machine see: a file without a name that one of
/// them has opened (io::OpenFile is something else: a file that a script opened).
#pragma once

#include <cstdint>

namespace daphne::dist {

struct MemoryFile {
    int32_t file = -1; ///< the number its process knows it by; -1: none
    uint64_t inode = 0;
    bool isGiven() const { return file >= 0; }
};

/// Opens the file of another process, to be closed by the caller. -1 if that is not possible, if it is another file
/// than it was or another user's, or if it could become shorter, which would kill whoever has mapped it.
int openMemoryFile(uint64_t process, const MemoryFile &wanted, int flags);

} // namespace daphne::dist
