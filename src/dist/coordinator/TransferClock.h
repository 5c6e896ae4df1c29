// SPDX-License-Identifier: Apache-2.0
/// Measures how long cells travel, and for how much of that time some machine
/// computes. A worker computes as soon as it has stored everything that was sent
/// before a loop; the coordinator says when it computes. Not thread-safe: its owner
/// guards it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

namespace daphne::dist {

class TransferClock {
  public:
    using Time = std::chrono::steady_clock::time_point;
    explicit TransferClock(uint32_t numPeers) : queues(numPeers) {}

    /// An object goes to a peer; it is underway until it is stored.
    void sent(uint32_t peer, uint64_t object, Time now);
    void stored(uint32_t peer, uint64_t object, Time now);
    /// A loop goes to a peer; it begins when nothing before it is underway.
    void asked(uint32_t peer, uint64_t request, Time now);
    void answered(uint32_t peer, uint64_t request, Time now);
    /// An object begins to come, or has come.
    void arriving(bool begins, Time now);
    void computingHere(bool begins, Time now);
    void lost(uint32_t peer, Time now);

    double transferNs() const { return transfer; }
    /// The part of it while somebody computed.
    double overlappedNs() const { return overlapped; }

  private:
    struct Item {
        bool isObject;
        uint64_t number;
    };
    void advance(Time now);
    void remove(uint32_t peer, Item item);
    bool isSomebodyAtWork() const;

    std::vector<std::deque<Item>> queues; ///< by peer, as it gets them
    uint64_t underway = 0;                ///< objects, in both directions
    bool isComputing = false;
    Time last{};
    double transfer = 0, overlapped = 0;
};

} // namespace daphne::dist
