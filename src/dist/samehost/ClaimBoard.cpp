// SPDX-License-Identifier: Apache-2.0
#include "dist/samehost/ClaimBoard.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace daphne::dist {

namespace {

constexpr size_t kBytes = ClaimBoard::kSlots * sizeof(uint64_t);

/// Null if that is not possible.
void *mapBoard(int file) {
    void *at = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? nullptr : at;
}

} // namespace

std::optional<ClaimBoard> ClaimBoard::make() {
    int file = memfd_create("daphne-claims", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct stat info{};
    void *at = nullptr;
    // Fresh pages are zeros: nothing is on offer.
    if (file >= 0 && ftruncate(file, kBytes) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0 &&
        fstat(file, &info) == 0)
        at = mapBoard(file);
    if (!at) {
        if (file >= 0)
            close(file);
        return std::nullopt;
    }
    return ClaimBoard(static_cast<Slot *>(at), {file, info.st_ino});
}

std::optional<ClaimBoard> ClaimBoard::open(uint64_t process, const MemoryFile &place) {
    int file = openMemoryFile(process, place, O_RDWR);
    if (file < 0)
        return std::nullopt;
    struct stat info{};
    void *at = fstat(file, &info) == 0 && info.st_size == off_t(kBytes) ? mapBoard(file) : nullptr;
    close(file);
    return at ? std::optional(ClaimBoard(static_cast<Slot *>(at), {})) : std::nullopt;
}

ClaimBoard::~ClaimBoard() {
    if (slots)
        munmap(slots, kBytes);
    if (place.file >= 0)
        close(place.file);
}

void ClaimBoard::offer(uint64_t request) { slots[request % kSlots].store(request, std::memory_order_release); }

bool ClaimBoard::claim(uint64_t request) {
    return slots[request % kSlots].compare_exchange_strong(request, 0, std::memory_order_acq_rel);
}

} // namespace daphne::dist
