// SPDX-License-Identifier: Apache-2.0
#include "data/BufferPool.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace daphne {

namespace {

constexpr size_t kHugePage = size_t(2) << 20;
/// Blocks without a huge page are multiples of this.
constexpr size_t kSmallUnit = size_t(64) << 10;
/// A kept block serves requests down to this share of its size.
constexpr size_t kShareNumerator = 4, kShareDenominator = 5;
/// Shared blocks at a time: each is an open file, and a process may have some hundred of these.
constexpr size_t kMostFiles = 64;
/// Of shared files: nobody is surprised by pages that are gone.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

size_t blockSize(size_t numBytes) {
    size_t unit = numBytes < kHugePage ? kSmallUnit : kHugePage;
    return (numBytes + unit - 1) / unit * unit;
}

class Pool {
  public:
    PooledBlock allocate(size_t numBytes) {
        size_t size = blockSize(numBytes);
        if (size < numBytes)
            throw std::bad_alloc();
        std::lock_guard lock(mutex);
        auto it = kept.lower_bound(size);
        if (it != kept.end() && it->first <= size / kShareNumerator * kShareDenominator) {
            Block block = it->second;
            kept.erase(it);
            state.kept -= block.size;
            use(block);
            return {block.data, false};
        }
        makeRoom(size);
        Block block{map(size), size};
        if (!block.data) {
            shrinkTo(0);
            block.data = map(size);
        }
        if (!block.data)
            throw std::bad_alloc();
        use(block);
        return {block.data, true};
    }

    void free(std::byte *data) noexcept {
        std::lock_guard lock(mutex);
        if (auto it = mapped.find(data); it != mapped.end()) {
            munmap(data, it->second.size);
            if (it->second.file >= 0) {
                close(it->second.file);
                state.inUse -= it->second.size;
                --numFiles;
            }
            mapped.erase(it);
            return;
        }
        auto it = used.find(data);
        Block block{data, it->second};
        used.erase(it);
        state.inUse -= block.size;
        if (state.inUse + state.kept + block.size > state.peakInUse) {
            munmap(block.data, block.size);
            return;
        }
        kept.emplace(block.size, block);
        state.kept += block.size;
    }

    std::byte *allocateFile(size_t numBytes) {
        size_t size = blockSize(numBytes);
        std::byte *data = nullptr;
        {
            std::lock_guard lock(mutex);
            if (numBytes < kLeastShared || size < numBytes || numFiles >= kMostFiles)
                return nullptr;
            makeRoom(size);
            data = mapNewFile(size);
            if (!data)
                return nullptr;
            ++numFiles;
            state.inUse += size;
            state.peakInUse = std::max(state.peakInUse, state.inUse);
        }
        wishForHugePages(data, size); // takes as long as filling it with zeros: others need not wait
        return data;
    }

    BufferPoolState current() {
        std::lock_guard lock(mutex);
        return state;
    }

    void trim() {
        std::lock_guard lock(mutex);
        shrinkTo(0);
        state.peakInUse = state.inUse;
    }

    std::optional<SharedPlace> placeOf(const std::byte *address) {
        std::lock_guard lock(mutex);
        auto it = mapped.upper_bound(const_cast<std::byte *>(address));
        if (it == mapped.begin())
            return std::nullopt;
        auto &[data, block] = *std::prev(it);
        auto offset = static_cast<size_t>(address - data);
        return block.file >= 0 && offset < block.size ? std::optional<SharedPlace>({block.file, block.inode, offset})
                                                      : std::nullopt;
    }

    std::optional<ForeignBlock> mapFile(int file) {
        struct stat info{};
        int seals = fcntl(file, F_GET_SEALS); // -1: files like that have none
        if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(file, &info) != 0 ||
            info.st_size < static_cast<off_t>(kLeastShared))
            return std::nullopt;
        auto size = static_cast<size_t>(info.st_size);
        std::byte *data = mapShared(size, PROT_READ, file);
        if (!data)
            return std::nullopt;
        std::lock_guard lock(mutex);
        mapped.emplace(data, File{size, -1, 0});
        return ForeignBlock{data, size};
    }

  private:
    struct Block {
        std::byte *data;
        size_t size;
    };

    struct File {
        size_t size;
        int file; ///< -1: of another process
        uint64_t inode;
    };

    /// Null if there can be none; then a usual block does.
    std::byte *mapNewFile(size_t size) {
        // Whether there is so much memory at all is not asked for files.
        std::byte *probe = mapAnywhere(size);
        if (!probe)
            return nullptr;
        munmap(probe, size);
        int file = memfd_create("daphne", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        struct stat info{};
        std::byte *data = nullptr;
        if (file >= 0 && ftruncate(file, static_cast<off_t>(size)) == 0 && fcntl(file, F_ADD_SEALS, kSeals) == 0 &&
            fstat(file, &info) == 0)
            data = mapShared(size, PROT_READ | PROT_WRITE, file);
        if (data)
            mapped.emplace(data, File{size, file, info.st_ino});
        else if (file >= 0)
            close(file);
        return data;
    }

    /// Beginning where a huge page may, unless another thread takes that place; null if it is not possible.
    static std::byte *mapShared(size_t size, int protection, int file) {
        constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void *place = nullptr;
        size_t whole = size + kHugePage;
        if (void *room = mmap(nullptr, whole, PROT_NONE, kReserve, -1, 0); room != MAP_FAILED) {
            munmap(room, whole);
            place = firstHugePage(static_cast<std::byte *>(room));
        }
        void *at = mmap(place, size, protection, MAP_SHARED, file, 0);
        return at == MAP_FAILED ? nullptr : static_cast<std::byte *>(at);
    }

    /// For a file without pages. Few systems give huge ones to files by themselves; many do on request, where there is
    /// a page already.
    static void wishForHugePages(std::byte *data, size_t size) {
        constexpr int kCollapse = 25; // MADV_COLLAPSE: since Linux 6.1, others refuse
        madvise(data, size, MADV_HUGEPAGE);
        for (size_t at = 0; at + kHugePage <= size; at += kHugePage) {
            *reinterpret_cast<volatile std::byte *>(data + at) = std::byte(0);
            if (madvise(data + at, kHugePage, kCollapse) != 0)
                return;
        }
    }

    void use(const Block &block) {
        used.emplace(block.data, block.size);
        state.inUse += block.size;
        state.peakInUse = std::max(state.peakInUse, state.inUse);
    }

    /// Before so many bytes more are in use.
    void makeRoom(size_t size) { shrinkTo(std::max(state.peakInUse, state.inUse + size) - state.inUse - size); }

    /// Gives kept blocks back to the system, the largest first.
    void shrinkTo(size_t bytes) {
        while (state.kept > bytes) {
            auto last = std::prev(kept.end());
            munmap(last->second.data, last->second.size);
            state.kept -= last->second.size;
            kept.erase(last);
        }
    }

    static std::byte *firstHugePage(std::byte *begin) {
        return begin + (kHugePage - reinterpret_cast<size_t>(begin) % kHugePage) % kHugePage;
    }
    /// Null if the system has no more.
    static std::byte *mapAnywhere(size_t size) {
        void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return at == MAP_FAILED ? nullptr : static_cast<std::byte *>(at);
    }
    static std::byte *map(size_t size) {
        if (size < kHugePage)
            return mapAnywhere(size);
        // A huge page too much, so that an aligned part is inside; the rest goes back.
        size_t whole = size + kHugePage;
        std::byte *begin = whole < size ? nullptr : mapAnywhere(whole);
        if (!begin)
            return nullptr;
        std::byte *aligned = firstHugePage(begin);
        if (aligned > begin)
            munmap(begin, static_cast<size_t>(aligned - begin));
        if (auto *end = begin + whole; end > aligned + size)
            munmap(aligned + size, static_cast<size_t>(end - aligned) - size);
        madvise(aligned, size, MADV_HUGEPAGE);
        return aligned;
    }

    std::mutex mutex;
    std::multimap<size_t, Block> kept;
    std::map<std::byte *, size_t> used;
    std::map<std::byte *, File> mapped; ///< blocks that several processes see
    size_t numFiles = 0;                ///< of them: made here
    BufferPoolState state{};
};

Pool &pool() {
    static auto *instance = new Pool; // buffers may outlive static destruction
    return *instance;
}

} // namespace

PooledBlock allocatePooled(size_t numBytes) { return pool().allocate(numBytes); }
std::byte *allocateShared(size_t numBytes) { return pool().allocateFile(numBytes); }
void freePooled(std::byte *data) noexcept { pool().free(data); }
BufferPoolState bufferPoolState() { return pool().current(); }
void trimBufferPool() { pool().trim(); }
std::optional<SharedPlace> sharedPlaceOf(const std::byte *address) { return pool().placeOf(address); }
std::optional<ForeignBlock> mapForeign(int file) { return pool().mapFile(file); }

} // namespace daphne
