// SPDX-License-Identifier: Apache-2.0
#include "io/MappedFile.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
struct sigaction before;
uintptr_t pageSize = 0;

void passOn(int signal, siginfo_t *info, void *context) {
    if (before.sa_flags & SA_SIGINFO)
        return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        return before.sa_handler(signal);
    // The instruction runs again, and the process ends as it would have without us.
    sigaction(SIGBUS, &before, nullptr);
}

/// Only system calls.
void onBusError(int signal, siginfo_t *info, void *context) {
    auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    for (Slot &s : slots) {
        uintptr_t begin = s.begin.load(std::memory_order_acquire), end = s.end.load(std::memory_order_acquire);
        if (begin == 0 || address < begin || address >= end)
            continue;
        // Everything behind this page is missing, too.
        uintptr_t page = address & ~(pageSize - 1);
        int reason = errno;
        void *at = reinterpret_cast<void *>(page);
        void *zeros = mmap(at, end - page, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
        errno = reason;
        if (zeros == MAP_FAILED)
            break;
        s.missing = true;
        return;
    }
    passOn(signal, info, context);
}

void installHandler() {
    pageSize = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action{};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGBUS, &action, &before);
}

/// The slot of a mapping; -1 if all are taken.
int guard(const void *begin, size_t size) {
    static std::once_flag once;
    std::call_once(once, installHandler);
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

void MappedFile::unmap() {
    if (!data)
        return;
    slots[slot].begin = 0;
    slots[slot].taken.store(false, std::memory_order_release);
    ::munmap(std::exchange(data, nullptr), size);
}

bool MappedFile::becameShorter(int fd) const {
    if (!data)
        return false;
    // The rest of the last page reads as zeros without a signal.
    struct stat info;
    return slots[slot].missing || (::fstat(fd, &info) == 0 && static_cast<size_t>(info.st_size) < size);
}

} // namespace daphne::io
