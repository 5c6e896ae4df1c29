// SPDX-License-Identifier: Apache-2.0
/// Recycles large blocks of memory. The kernel zeroes fresh pages and takes a
/// fault for each: a loop that makes and drops 100 MB matrices would pay that
/// in every iteration. Blocks that hold a huge page are aligned to and advised
/// for them.
///
/// The pool never costs memory: what is in use plus what it keeps stays at or
/// below the most that ever was in use at one time. Thread-safe.
#pragma once

#include <cstddef>

namespace daphne {

struct BufferPoolState {
    size_t inUse, kept, peakInUse; ///< bytes
};

/// Requests of at least this many bytes belong here: the general allocator takes fresh pages for them each time.
constexpr size_t kPooledBytes = size_t(256) << 10;

struct PooledBlock {
    std::byte *data;
    bool zeroed; ///< fresh from the system
};

/// Throws std::bad_alloc.
PooledBlock allocatePooled(size_t numBytes);
void freePooled(std::byte *data) noexcept;
BufferPoolState bufferPoolState();

} // namespace daphne
