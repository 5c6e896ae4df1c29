// SPDX-License-Identifier: Apache-2.0
/// Decides which of two processes of one machine runs a chunk. The coordinator
/// offers chunks to a worker on a board in memory that both see; the process that
/// claims one first runs it. That costs an atomic operation instead of a message,
/// and no chunk is ever computed twice.
///
/// A board is trusted with nothing else: whatever stands on it, a chunk that both
/// leave to the other one is offered again (PeerEvent::Returned).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "dist/samehost/MemoryFile.h"

namespace daphne::dist {

class ClaimBoard {
  public:
    /// An empty one; nothing if the system has no memory for it.
    static std::optional<ClaimBoard> make();
    /// The board that another process has made; nothing if it cannot be seen.
    static std::optional<ClaimBoard> open(uint64_t process, const MemoryFile &place);
    ClaimBoard(ClaimBoard &&other) noexcept
        : slots(std::exchange(other.slots, nullptr)), place(std::exchange(other.place, {})) {}
    ClaimBoard &operator=(ClaimBoard &&other) noexcept {
        std::swap(slots, other.slots);
        std::swap(place, other.place);
        return *this;
    }
    ~ClaimBoard();

    /// For open(); the file belongs to the board.
    MemoryFile file() const { return place; }
    /// Requests are not 0. At most kSlots of consecutive numbers are on offer at a time; older ones count as claimed.
    static constexpr uint64_t kSlots = 512;
    void offer(uint64_t request);
    /// Whether the caller is the first one to claim it.
    bool claim(uint64_t request);

  private:
    using Slot = std::atomic<uint64_t>; ///< the request while it is on offer
    static_assert(Slot::is_always_lock_free);
    ClaimBoard(Slot *slots, MemoryFile place) : slots(slots), place(place) {}

    Slot *slots;
    MemoryFile place;
};

} // namespace daphne::dist
