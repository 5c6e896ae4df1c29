// SPDX-License-Identifier: Apache-2.0
/// Recycles large blocks of memory. The kernel zeroes fresh pages and takes a
/// fault for each: a loop that makes and drops 100 MB matrices would pay that
/// in every iteration. Blocks that hold a huge page are aligned to and advised
/// for them.
///
/// The pool never costs memory: what is in use plus what it keeps stays at or
/// below the most that ever was in use at one time. Thread-safe.
///
/// Some blocks can be mapped by other processes instead of being copied: files
/// without a name, whose size is sealed. They are not recycled, so that their
/// content stays as it is for whoever has mapped them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

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
/// Gives what is kept back to the system.
void trimBufferPool();

/// A block that other processes can map; null if it is too small to be worth it, or the system has none: then a usual
/// one does. Freed like others.
std::byte *allocateShared(size_t numBytes);
constexpr size_t kLeastShared = size_t(1) << 20;

/// While one lives, large arrays of sparse matrices that this thread makes are such blocks.
class SharedAllocations {
  public:
    SharedAllocations() { ++depth; }
    ~SharedAllocations() { --depth; }
    SharedAllocations(const SharedAllocations &) = delete;
    SharedAllocations &operator=(const SharedAllocations &) = delete;
    static bool areWanted() { return depth > 0; }

  private:
    inline static thread_local int depth = 0;
};

/// A byte of a block that can be mapped.
struct SharedPlace {
    int file;
    uint64_t inode; ///< of the file, as long as it exists
    size_t offset;
};
std::optional<SharedPlace> sharedPlaceOf(const std::byte *address);
/// The other side: the file as a block, to be read only. Null if it is none of the files described above, or cannot be
/// mapped. The file itself may be closed afterwards.
struct ForeignBlock {
    std::byte *data;
    size_t size;
};
std::optional<ForeignBlock> mapForeign(int file);

} // namespace daphne
