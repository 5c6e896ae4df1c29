// SPDX-License-Identifier: Apache-2.0
/// The tasks of one loop, all known before it starts: where they begin and which
/// queue they wait in. Filled once per loop by one thread, read by all; keeps its
/// memory from loop to loop.
///
/// A queue is an interval of its own task numbers, so taking a task is one
/// compare-and-swap (front by those at home, back by thieves) and needs no
/// storage per task.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "sched/LoopPlan.h"

namespace daphne::sched {

/// An interval [front, back) of task numbers that shrinks from both sides.
class TaskInterval {
  public:
    void fill(uint32_t front, uint32_t back) { state.store(uint64_t(back) << 32 | front, std::memory_order_relaxed); }
    bool empty() const { return isEmpty(state.load(std::memory_order_relaxed)); }
    std::optional<uint32_t> popFront() {
        uint64_t s = state.load(std::memory_order_relaxed);
        while (!isEmpty(s))
            if (state.compare_exchange_weak(s, s + 1, std::memory_order_relaxed))
                return static_cast<uint32_t>(s);
        return std::nullopt;
    }
    std::optional<uint32_t> popBack() {
        uint64_t s = state.load(std::memory_order_relaxed);
        while (!isEmpty(s))
            if (state.compare_exchange_weak(s, s - (uint64_t(1) << 32), std::memory_order_relaxed))
                return static_cast<uint32_t>(s >> 32) - 1;
        return std::nullopt;
    }

    struct Part {
        uint32_t front, back;
    };
    /// A quarter of the interval (at least one) from the back, if there are at least so many.
    std::optional<Part> popQuarter(uint32_t least) {
        uint64_t s = state.load(std::memory_order_relaxed);
        for (;;) {
            auto front = static_cast<uint32_t>(s), back = static_cast<uint32_t>(s >> 32);
            if (isEmpty(s) || back - front < least)
                return std::nullopt;
            uint32_t taken = std::max(1u, (back - front) / 4);
            if (state.compare_exchange_weak(s, s - (uint64_t(taken) << 32), std::memory_order_relaxed))
                return Part{back - taken, back};
        }
    }

    /// Takes away the tasks for which `isDropped` holds, which are all behind the first such.
    template <class IsDropped> void dropFrom(IsDropped isDropped) {
        uint64_t s = state.load(std::memory_order_relaxed);
        for (;;) {
            auto front = static_cast<uint32_t>(s), back = static_cast<uint32_t>(s >> 32);
            if (isEmpty(s))
                return;
            for (uint32_t low = front; low < back;) {
                uint32_t middle = low + (back - low) / 2;
                if (isDropped(middle))
                    back = middle;
                else
                    low = middle + 1;
            }
            if (state.compare_exchange_weak(s, uint64_t(back) << 32 | front, std::memory_order_relaxed))
                return;
        }
    }

  private:
    static bool isEmpty(uint64_t s) { return static_cast<uint32_t>(s) >= static_cast<uint32_t>(s >> 32); }
    std::atomic<uint64_t> state{0}; ///< front in the low half, back in the high half
};

/// A few consecutive task numbers that one worker took from the central queue at once. The worker consumes them from
/// the front; from the back they are taken by others who find nothing else, so nobody waits for a task that is not
/// begun.
class TaskBatch {
  public:
    static constexpr uint64_t kMostCount = 16, kMostTasks = uint64_t(1) << 48;
    void clear() { state.store(0, std::memory_order_relaxed); }
    bool empty() const { return (state.load(std::memory_order_relaxed) & kCount) == 0; }
    /// Only its worker, only when empty. No two batches of a loop have the same numbers, so a thief that read an old
    /// state cannot mistake a new one for it.
    void fill(uint64_t front, uint64_t count) { state.store(front << 16 | count, std::memory_order_relaxed); }
    bool popFront(uint64_t &task) {
        uint64_t s = state.load(std::memory_order_relaxed);
        while (s & kCount)
            if (state.compare_exchange_weak(s, s + (1 << 16) - 1, std::memory_order_relaxed)) {
                task = s >> 16;
                return true;
            }
        return false;
    }
    bool popBack(uint64_t &task) {
        uint64_t s = state.load(std::memory_order_relaxed);
        while (s & kCount)
            if (state.compare_exchange_weak(s, s - 1, std::memory_order_relaxed)) {
                task = (s >> 16) + (s & kCount) - 1;
                return true;
            }
        return false;
    }

  private:
    static constexpr uint64_t kCount = (1 << 16) - 1;
    std::atomic<uint64_t> state{0}; ///< first number, then 16 bits of count
};

/// Tasks of a part of a loop: by formula where sizes are equal or differ by one, else a table of where they begin.
class TaskSequence {
  public:
    /// `total` of the loop is the length of this part; its first unit is `begin`.
    void build(const Scheme &scheme, const Loop &loop, uint64_t begin);
    uint64_t count() const { return numTasks; }
    /// Nearly: some may have one unit more, the last may be shorter.
    bool hasEqualSizes() const { return size > 0; }
    /// Task k < count().
    Range task(uint64_t k) const {
        if (size == 0)
            return {begins[k], begins[k + 1]};
        bool isLonger = k < numLonger;
        uint64_t from = first + k * size + (isLonger ? k : numLonger), length = size + isLonger;
        return {from, limit - from < length ? limit : from + length};
    }

  private:
    uint64_t first = 0, limit = 0, numTasks = 0;
    uint64_t size = 0, numLonger = 0; ///< the first numLonger have size + 1; size 0: see the table
    std::vector<uint64_t> begins;     ///< and the end of the last
};

/// Most tasks a queue can hold; loops with more are run in parts.
constexpr uint64_t kMostTasks = uint64_t(1) << 31;

} // namespace daphne::sched
