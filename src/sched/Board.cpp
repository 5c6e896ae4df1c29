// SPDX-License-Identifier: Apache-2.0
#include "sched/Board.h"

#include <bit>

namespace daphne::sched {

namespace {

/// Calls f with the number of every bit.
template <class F> void forEachBit(uint64_t bits, F &&f) {
    for (; bits; bits &= bits - 1)
        f(static_cast<uint32_t>(std::countr_zero(bits)));
}

} // namespace

/// How many helpers the runs have. A look at a moving target: who decides by it must be right whatever it says.
struct Board::Shares {
    uint64_t families = 0; ///< their root slots
    std::array<uint64_t, kRoots> ofFamily;
    std::array<const void *, kRoots> run;
    uint64_t all = 0;

    uint64_t ofRun(uint32_t family) const {
        uint64_t sum = 0;
        forEachBit(families, [&](uint32_t f) { sum += run[f] == run[family] ? ofFamily[f] : 0; });
        return sum;
    }
    /// Helpers for which a pool of so many workers has room besides the callers.
    uint64_t most(uint32_t numWorkers) const {
        auto callers = static_cast<uint32_t>(std::popcount(families));
        return numWorkers > callers ? numWorkers - callers : 0;
    }
};

Board::Shares Board::shares() const {
    Shares s;
    s.families = taken().load(std::memory_order_relaxed) & kRootMask;
    forEachBit(s.families, [&](uint32_t f) {
        s.ofFamily[f] = helpersIn(slots[f].state.load(std::memory_order_relaxed));
        s.run[f] = slots[f].owner.load(std::memory_order_relaxed);
        s.all += s.ofFamily[f];
    });
    return s;
}

uint32_t Board::take(Kind kind) {
    uint64_t mask = kind == Kind::Root ? kRootMask : ~kRootMask;
    uint64_t seen = taken().load(std::memory_order_relaxed);
    while (uint64_t isFree = ~seen & mask) {
        auto slot = static_cast<uint32_t>(std::countr_zero(isFree));
        if (taken().compare_exchange_weak(seen, seen | bit(slot)))
            return slot;
    }
    return kNone;
}

uint32_t Board::choose(uint32_t numWorkers) const {
    uint64_t candidates = open().load();
    if (!candidates)
        return kNone;
    uint64_t families = taken().load() & kRootMask;
    bool isShared = (families & (families - 1)) != 0;
    if (!isShared && (candidates & kRootMask))
        return static_cast<uint32_t>(std::countr_zero(candidates));
    Shares s = shares();
    if (isShared && s.all >= s.most(numWorkers))
        return kNone;
    uint32_t best = kNone;
    uint64_t fewest = 0;
    forEachBit(candidates, [&](uint32_t slot) {
        uint32_t family = rootOf(slot);
        if (!(s.families & bit(family)))
            return; // it has just ended
        uint64_t helpers = s.ofRun(family);
        if (best == kNone || helpers < fewest || (helpers == fewest && depthOf(slot) < depthOf(best))) {
            best = slot;
            fewest = helpers;
        }
    });
    return best;
}

bool Board::givesUp(uint32_t root, uint32_t numWorkers) {
    Shares s = shares();
    uint64_t own = s.ofRun(root);
    bool isNeeded = s.all > s.most(numWorkers);
    forEachBit(open().load(std::memory_order_relaxed), [&](uint32_t slot) {
        uint32_t family = rootOf(slot);
        isNeeded |= (s.families & bit(family)) && s.run[family] != s.run[root] && s.ofRun(family) + 1 < own;
    });
    if (!isNeeded)
        return false;
    std::atomic<uint64_t> &state = slots[root].state;
    uint64_t seen = state.load(std::memory_order_relaxed);
    while (helpersIn(seen) == s.ofFamily[root]) // else somebody has come or gone: ask again after the next task
        if (state.compare_exchange_weak(seen, seen - kOneHelper))
            return true;
    return false;
}

uint32_t Board::openInside(uint32_t slot) const {
    uint32_t found = kNone;
    forEachBit(open().load() & ~kRootMask, [&](uint32_t inner) {
        if (slots[inner].ancestors.load(std::memory_order_relaxed) & bit(slot))
            if (found == kNone || depthOf(inner) < depthOf(found))
                found = inner;
    });
    return found;
}

} // namespace daphne::sched
