// SPDX-License-Identifier: Apache-2.0
/// The loops of a pool that threads may join now: 64 slots and two words that say
/// which are taken and which are open. No threads, no waiting: the Pool does that.
///
/// Slots below kRoots are for loops that begin outside of all others; such a loop
/// and all inside of it are a family, named by that slot. The others are for
/// loops inside of tasks. Whoever takes a slot fills it, opens it, closes it and
/// waits until nobody is inside; only then it gives it back. Who wants to join
/// counts itself in first and looks then whether the slot is open, so either it is
/// seen by the one who closes or it sees that the slot is closed.
///
/// Everything here may be called by any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/ActiveRun.h"
#include "sched/LoopRun.h"

namespace daphne::sched {

class Visit;
/// What a thread does in a loop; returns when no task is left for it, or when the visit says that it leaves. Must not
/// throw.
using Job = void (*)(void *argument, Visit &visit);

class Board {
  public:
    static constexpr uint32_t kSlots = 64, kRoots = 32, kNone = ~uint32_t(0);
    static constexpr uint64_t kRootMask = (uint64_t(1) << kRoots) - 1;
    static constexpr uint64_t bit(uint32_t slot) { return uint64_t(1) << slot; }
    static constexpr bool isRoot(uint32_t slot) { return slot < kRoots; }

    // Parts of Slot::state.
    static constexpr uint64_t kInside = (uint64_t(1) << 24) - 1; ///< threads inside, without the caller
    static constexpr uint64_t kCallerSleeps = uint64_t(1) << 30;
    static constexpr uint64_t kOneHelper = uint64_t(1) << 32; ///< root slots: threads of the pool in the family
    static constexpr uint64_t helpersIn(uint64_t state) { return state / kOneHelper; }

    struct alignas(64) Slot {
        // All that a thread reads to join, on one cache line.
        std::atomic<uint64_t> taken{0}, open{0}; ///< a bit per slot; only those of slot 0 are in use
        std::atomic<uint64_t> state{0};
        Job job = nullptr;
        std::atomic<void *> argument{nullptr}; ///< atomic for those who look before they join, as is the next
        std::atomic<LoopRun *> tasks{nullptr}; ///< or what it was: to be prefetched only
        ActiveRun *run = nullptr;              ///< null: outside of runs
        // What only loops inside of tasks need, and waiting.
        alignas(64) std::atomic<uint64_t> ancestors{0}; ///< slots of the loops around it
        std::atomic<const void *> owner{nullptr};       ///< root slots: the run, or the slot itself outside of runs
        std::atomic<uint32_t> root{0}, depth{0};        ///< of loops inside of tasks
        std::atomic<uint32_t> bell{0};                  ///< its caller sleeps on this
        std::unique_ptr<LoopRun> ownTasks;              ///< of root slots; keep their memory from loop to loop
    };
    Slot &operator[](uint32_t slot) { return slots[slot]; }
    const Slot &operator[](uint32_t slot) const { return slots[slot]; }

    std::atomic<uint64_t> &taken() { return slots[0].taken; }
    std::atomic<uint64_t> &open() { return slots[0].open; }
    const std::atomic<uint64_t> &taken() const { return slots[0].taken; }
    const std::atomic<uint64_t> &open() const { return slots[0].open; }
    bool isOpen(uint32_t slot) const { return open().load() & bit(slot); }
    void close(uint32_t slot) {
        if (isOpen(slot)) // somebody who found no task may have closed it
            open().fetch_and(~bit(slot));
    }

    enum class Kind : uint8_t { Root, Inner };
    /// A free slot of this kind, or kNone.
    uint32_t take(Kind kind);
    void giveBack(uint32_t slot) { taken().fetch_and(~bit(slot)); }

    /// The open slot that an idle thread of a pool of so many workers should join: one of the run with the fewest
    /// helpers, there the shallowest. kNone: none, or there are as many threads at work as the pool has workers.
    uint32_t choose(uint32_t numWorkers) const;
    /// Whether a helper of this family should rather do something else: helpers and callers are more than the workers
    /// of the pool, or a run with open loops has at least two helpers less. If so it is not counted as a helper any
    /// more, so that others do not leave for the same reason.
    bool givesUp(uint32_t root, uint32_t numWorkers);
    /// An open slot inside of this one, or kNone.
    uint32_t openInside(uint32_t slot) const;

  private:
    struct Shares;
    Shares shares() const;
    uint32_t rootOf(uint32_t slot) const {
        return isRoot(slot) ? slot : slots[slot].root.load(std::memory_order_relaxed);
    }
    uint32_t depthOf(uint32_t slot) const {
        return isRoot(slot) ? 0 : slots[slot].depth.load(std::memory_order_relaxed);
    }

    std::array<Slot, kSlots> slots;
};

} // namespace daphne::sched
