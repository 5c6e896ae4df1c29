// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/PeerState.h"

#include "base/Error.h"

namespace daphne::dist {

using Clock = std::chrono::steady_clock;

void PeerState::beginObject(const ObjectBegin &begin, TransferClock &clock) {
    if (unwanted.erase(begin.object)) {
        arrivals.begin(begin);
        arrivals.disregard(begin.object);
        return;
    }
    auto it = expected.find(begin.object);
    if (it == expected.end())
        throw WireError("an object that nobody asked for");
    arrivals.begin(begin, Decoder(begin.totalBytes, it->second));
    ++numArriving;
    clock.arriving(true, lastHeard);
}

bool PeerState::addChunk(const ObjectChunk &chunk, TransferClock &clock) {
    std::optional<ObjectBegin> complete = arrivals.add(chunk);
    if (!complete)
        return false;
    arrivals.take(complete->object);
    --numArriving;
    clock.arriving(false, Clock::now());
    expected.erase(complete->object);
    return true;
}

void PeerState::borrow(const ObjectLent &message, TransferClock &clock) {
    auto [object, version, kind, first, count, bytes] = message.begin;
    if (unwanted.erase(object)) {
        acks.push_back({object, version, 0, 0, bytes});
        return;
    }
    auto it = expected.find(object);
    if (it == expected.end())
        throw WireError("an object that nobody asked for");
    clock.arriving(true, lastHeard);
    ++numArriving;
    Decoder decoder(bytes, it->second);
    try {
        neighbour.copy(message.pieces, bytes, decoder, [](uint64_t) -> std::span<const std::byte> {
            throw WireError("an object made of what only workers have");
        });
    } catch (const WireError &) {
        // A process that has ended may come back; one that breaks the protocol may not.
        if (!neighbour.isReadable())
            throw executionError("its process has ended");
        throw;
    }
    decoder.take();
    --numArriving;
    clock.arriving(false, Clock::now());
    statistics.bytesIn += bytes;
    statistics.bytesLent += bytes;
    expected.erase(it);
    acks.push_back({object, version, 0, 0, bytes});
}

void PeerState::unexpect(uint64_t object, TransferClock &clock) {
    if (expected.erase(object) == 0)
        return;
    if (arrivals.isUnderWay(object)) {
        arrivals.disregard(object);
        --numArriving;
        clock.arriving(false, Clock::now());
    } else {
        unwanted.insert(object);
    }
}

bool PeerState::forgetCancelled(uint64_t request) {
    auto node = cancelled.extract(request);
    if (!node.empty())
        for (uint64_t object : node.mapped())
            unwanted.erase(object);
    return !node.empty();
}

void PeerState::dropObjects(TransferClock &clock) {
    expected.clear();
    unwanted.clear();
    cancelled.clear();
    arrivals = Arrivals(~uint64_t(0) >> 1);
    isNeighbour = false;
    seesBoard = false;
    loans.beginAt(kNeverLent);
    loans.endAll();
    acks.clear();
    freed.clear();
    for (; numArriving > 0; --numArriving)
        clock.arriving(false, Clock::now());
}

} // namespace daphne::dist
