// SPDX-License-Identifier: Apache-2.0
#include "io/files/MappedFile.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ActiveRun.h"
#include "base/Error.h"

namespace daphne::io {

namespace {

/// A table of fixed size, because a signal handler reads it.
struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<uintptr_t> begin{0}, end{0}; ///< begin 0: nothing
    std::atomic<bool> missing{false};
};
constexpr int kSlots = 256;
Slot slots[kSlots];
std::atomic<uintptr_t> pageSize{0};
std::atomic<bool> isForwarded{false};

/// The slot of a mapping; -1 if all are taken.
int guard(const void *begin, size_t size) {
    for (int i = 0; i < kSlots; ++i) {
        bool free = false;
        if (!slots[i].taken.compare_exchange_strong(free, true))
            continue;
        slots[i].missing = false;
        slots[i].end = reinterpret_cast<uintptr_t>(begin) + size;
        slots[i].begin.store(reinterpret_cast<uintptr_t>(begin), std::memory_order_release);
        return i;
    }
    return -1;
}

} // namespace

void MappedFile::hostForwardsFaults(bool does) {
    pageSize = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    isForwarded = does;
}

bool MappedFile::handleFault(const void *faulty) {
    auto address = reinterpret_cast<uintptr_t>(faulty);
    for (Slot &s : slots) {
        uintptr_t begin = s.begin.load(std::memory_order_acquire), end = s.end.load(std::memory_order_acquire);
        if (begin == 0 || address < begin || address >= end)
            continue;
        // Everything behind this page is missing, too. A mapping starts at a page.
        uintptr_t page = address & ~(pageSize.load() - 1);
        int reason = errno;
        void *at = reinterpret_cast<void *>(page);
        void *zeros = mmap(at, end - page, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
        errno = reason;
        if (zeros == MAP_FAILED)
            return false;
        s.missing = true;
        return true;
    }
    return false;
}

bool MappedFile::load(int fd, size_t numBytes) { return (isForwarded && map(fd, numBytes)) || read(fd, numBytes); }

bool MappedFile::map(int fd, size_t numBytes) {
    void *m = ::mmap(nullptr, numBytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (m == MAP_FAILED)
        return false;
    slot = guard(m, numBytes);
    if (slot < 0) {
        ::munmap(m, numBytes);
        return false;
    }
    data = m;
    size = numBytes;
    return true;
}

bool MappedFile::read(int fd, size_t numBytes) {
    void *m = ::mmap(nullptr, numBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m == MAP_FAILED)
        return false;
    constexpr size_t kMostAtOnce = size_t(16) << 20; // some milliseconds of a slow disk
    for (size_t done = 0; done < numBytes && !isMissing;) {
        const ActiveRun *run = ActiveRun::current();
        if (run && run->isCancelled()) {
            ::munmap(m, numBytes);
            throw cancelledError();
        }
        ssize_t n = ::pread(fd, static_cast<char *>(m) + done, std::min(kMostAtOnce, numBytes - done),
                            static_cast<off_t>(done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            ::munmap(m, numBytes);
            return false;
        }
        isMissing = n == 0;
        done += static_cast<size_t>(n);
    }
    data = m;
    size = numBytes;
    return true;
}

void MappedFile::release() {
    if (!data)
        return;
    if (slot >= 0) {
        slots[slot].begin = 0;
        slots[slot].taken.store(false, std::memory_order_release);
        slot = -1;
    }
    ::munmap(std::exchange(data, nullptr), size);
}

bool MappedFile::becameShorter(int fd) const {
    if (!data)
        return false;
    if (slot < 0)
        return isMissing; // what was read is what the file held
    // The rest of the last page reads as zeros without a signal.
    struct stat info;
    return slots[slot].missing || (::fstat(fd, &info) == 0 && static_cast<size_t>(info.st_size) < size);
}

} // namespace daphne::io
