// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/TransferClock.h"

#include <algorithm>

namespace daphne::dist {

void TransferClock::sent(uint32_t peer, uint64_t object, Time now) {
    advance(now);
    queues[peer].push_back({true, object});
    ++underway;
}

void TransferClock::stored(uint32_t peer, uint64_t object, Time now) {
    advance(now);
    remove(peer, {true, object});
}

void TransferClock::asked(uint32_t peer, uint64_t request, Time now) {
    advance(now);
    queues[peer].push_back({false, request});
}

void TransferClock::answered(uint32_t peer, uint64_t request, Time now) {
    advance(now);
    remove(peer, {false, request});
}

void TransferClock::arriving(bool begins, Time now) {
    advance(now);
    underway += begins ? 1 : underway > 0 ? -1 : 0;
}

void TransferClock::computingHere(bool begins, Time now) {
    advance(now);
    isComputing = begins;
}

void TransferClock::lost(uint32_t peer, Time now) {
    advance(now);
    underway -= static_cast<uint64_t>(std::ranges::count_if(queues[peer], [](const Item &i) { return i.isObject; }));
    queues[peer].clear();
}

void TransferClock::advance(Time now) {
    if (now <= last)
        return;
    double passed = std::chrono::duration<double, std::nano>(now - last).count();
    if (underway > 0) {
        transfer += passed;
        overlapped += isSomebodyAtWork() ? passed : 0;
    }
    last = now;
}

void TransferClock::remove(uint32_t peer, Item item) {
    auto &queue = queues[peer];
    auto it = std::ranges::find_if(
        queue, [&](const Item &i) { return i.isObject == item.isObject && i.number == item.number; });
    if (it == queue.end())
        return; // an answer of a worker to something that was given up
    underway -= item.isObject ? 1 : 0;
    queue.erase(it);
}

bool TransferClock::isSomebodyAtWork() const {
    return isComputing || std::ranges::any_of(queues, [](const auto &q) { return !q.empty() && !q.front().isObject; });
}

} // namespace daphne::dist
