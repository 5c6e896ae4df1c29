// SPDX-License-Identifier: Apache-2.0
/// The tasks of one loop, all known before it starts: where they begin and which
/// queue they wait in. Filled once per loop by one thread, read by all; keeps its
/// memory from loop to loop.
///
/// A queue is an interval of its own task numbers, so taking a task is one
/// compare-and-swap (front by those at home, back by thieves) and needs no
/// storage per task.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "sched/LoopPlan.h"

namespace daphne::sched {

/// An interval [front, back) of task numbers that shrinks from both sides.
class TaskInterval {
  public:
    void fill(uint32_t count) { state.store(uint64_t(count) << 32, std::memory_order_relaxed); }
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

  private:
    static bool isEmpty(uint64_t s) { return static_cast<uint32_t>(s) >= static_cast<uint32_t>(s >> 32); }
    std::atomic<uint64_t> state{0}; ///< front in the low half, back in the high half
};

/// Tasks of a part of a loop: equal sizes, or a table of where they begin.
class TaskSequence {
  public:
    /// `total` of the loop is the length of this part; its first unit is `begin`.
    void build(const Scheme &scheme, const Loop &loop, uint64_t begin);
    uint64_t count() const { return numTasks; }
    /// Task k < count().
    Range task(uint64_t k) const {
        if (equalSize) {
            uint64_t from = first + k * equalSize;
            return {from, limit - from < equalSize ? limit : from + equalSize};
        }
        return {begins[k], begins[k + 1]};
    }

  private:
    uint64_t first = 0, limit = 0, equalSize = 0, numTasks = 0;
    std::vector<uint64_t> begins; ///< and the end of the last
};

/// Most tasks a queue can hold; loops with more are run in parts.
constexpr uint64_t kMostTasks = uint64_t(1) << 31;

} // namespace daphne::sched
