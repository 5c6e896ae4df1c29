// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/ObjectTransfers.h"

#include <algorithm>

#include "dist/protocol/AllGather.h"

namespace daphne::dist {

namespace {
using Clock = std::chrono::steady_clock;
/// Fewer peers get an object as fast without passing it on, and a short one is there before the second has it.
constexpr size_t kLeastRelayed = 3;
constexpr uint64_t kLeastRelayedBytes = 64 << 10;
/// At the end of a program, for a worker that is late.
constexpr std::chrono::milliseconds kSettlingTime{500};
} // namespace

void ObjectTransfers::ship(uint32_t peer, std::vector<Parcel> &parcels) {
    FrameBatch batch(*connections.transport, peer, connections.settings.chunkBytes, &connections.peers[peer].loans);
    std::unique_lock start(connections.mutex);
    auto acks = std::exchange(connections.peers[peer].acks, {});
    auto freed = std::exchange(connections.peers[peer].freed, {});
    start.unlock();
    if (!freed.empty())
        batch.add(frameOf(Free{std::move(freed)}));
    for (const ObjectAck &ack : acks)
        batch.add(frameOf(ack));
    for (Parcel &parcel : parcels) {
        std::unique_lock lock(connections.mutex);
        if (!connections.peers[peer].alive)
            return;
        if (parcel.object && parcel.object->second.totalBytes > kPromptAckBytes)
            connections.clock.sent(peer, parcel.object->first.object, Clock::now());
        else if (parcel.request)
            connections.clock.asked(peer, parcel.request, Clock::now());
        lock.unlock();
        if (parcel.object)
            batch.add(parcel.object->first, parcel.object->second, parcel.known);
        else
            batch.add(std::move(parcel.frame));
        lock.lock();
        connections.peers[peer].statistics.objectsOut += parcel.object ? 1 : 0;
        connections.peers[peer].statistics.partsRead += parcel.object || parcel.request ? 0 : 1;
    }
    std::lock_guard lock(connections.mutex);
    connections.peers[peer].statistics.bytesOut += batch.bytes();
    connections.peers[peer].statistics.bytesLent += batch.lentBytes();
}

void ObjectTransfers::freeLater(uint32_t peer, const std::vector<uint64_t> &objects) {
    std::lock_guard lock(connections.mutex);
    if (peer < connections.size() && connections.peers[peer].alive) // lost cells are nobody's
        connections.peers[peer].freed.insert(connections.peers[peer].freed.end(), objects.begin(), objects.end());
}

void ObjectTransfers::tellFreed() {
    for (uint32_t i = 0; i < connections.size(); ++i) {
        std::unique_lock lock(connections.mutex);
        if (connections.peers[i].freed.empty())
            continue;
        lock.unlock();
        std::vector<Parcel> nothing;
        ship(i, nothing);
    }
}

bool ObjectTransfers::isRelayed(std::span<const uint32_t> wanted, uint64_t bytes) const {
    std::lock_guard lock(connections.mutex);
    return connections.transport->relays() && wanted.size() >= kLeastRelayed && bytes >= kLeastRelayedBytes &&
           std::ranges::none_of(wanted, [&](uint32_t peer) { return connections.peers[peer].isNeighbour; });
}

void ObjectTransfers::broadcast(std::span<const uint32_t> wanted, const ObjectBegin &begin, const Encoded &object) {
    tellFreed(); // first, so that there is room
    {
        std::lock_guard lock(connections.mutex);
        for (uint32_t peer : wanted) {
            if (object.totalBytes > kPromptAckBytes)
                connections.clock.sent(peer, begin.object, Clock::now());
            ++connections.peers[peer].statistics.objectsOut;
        }
    }
    uint64_t bytes = 0;
    eachFrame(begin, object, connections.settings.chunkBytes, [&](const Bytes &frame) {
        bytes += frame.size();
        connections.transport->broadcast(wanted, frame);
    });
    std::lock_guard lock(connections.mutex);
    for (uint32_t peer : wanted)
        connections.peers[peer].statistics.bytesOut += bytes;
}

void ObjectTransfers::sendPiece(std::span<const uint32_t> wanted, uint64_t object, const Dense &matrix, uint64_t first,
                                uint64_t count) {
    size_t cell = cellSize(matrix.type());
    ObjectPiece piece{object,
                      matrix.type(),
                      matrix.rows(),
                      matrix.cols(),
                      first,
                      count,
                      0,
                      {matrix.storage() + first * cell, count * cell}};
    uint64_t bytes = 0;
    // Not passed on: everybody sends its own piece at this time, and one more frame for each other is no burden.
    eachPieceFrame(piece, connections.settings.chunkBytes, [&](const Bytes &frame) {
        bytes += frame.size();
        for (uint32_t peer : wanted)
            connections.transport->send(peer, frame);
    });
    std::lock_guard lock(connections.mutex);
    for (uint32_t peer : wanted)
        connections.peers[peer].statistics.bytesOut += bytes;
}

void ObjectTransfers::computingHere(bool begins) {
    std::lock_guard lock(connections.mutex);
    connections.clock.computingHere(begins, Clock::now());
}

std::pair<double, double> ObjectTransfers::transferTimes() const {
    std::lock_guard lock(connections.mutex);
    return {connections.clock.transferNs(), connections.clock.overlappedNs()};
}

void ObjectTransfers::expect(uint32_t peer, uint64_t object, Destination destination) {
    std::lock_guard lock(connections.mutex);
    if (connections.peers[peer].alive)
        connections.peers[peer].expected[object] = destination;
}

void ObjectTransfers::unexpect(uint32_t peer, uint64_t object) {
    std::lock_guard lock(connections.mutex);
    connections.peers[peer].unexpect(object, connections.clock);
}

void ObjectTransfers::giveUp(uint32_t peer, const std::vector<uint64_t> &objects) {
    std::lock_guard lock(connections.mutex);
    for (uint64_t object : objects) {
        connections.peers[peer].unexpect(object, connections.clock);
        connections.peers[peer].unwanted.erase(object);
    }
}

void ObjectTransfers::cancel(uint32_t index, uint64_t request, const std::vector<uint64_t> &objects) {
    for (uint64_t object : objects)
        unexpect(index, object);
    {
        std::lock_guard lock(connections.mutex);
        if (!connections.peers[index].alive)
            return;
        connections.peers[index].cancelled[request] = objects;
    }
    connections.sendFrame(index, frameOf({MessageType::Cancel, request}, {}));
    freeLater(index, objects);
}

bool ObjectTransfers::hasBoard(uint32_t peer) const {
    std::lock_guard lock(connections.mutex);
    return connections.peers[peer].alive && connections.peers[peer].seesBoard;
}

void ObjectTransfers::offer(uint32_t peer, uint64_t request) {
    std::lock_guard lock(connections.mutex);
    if (connections.peers[peer].board)
        connections.peers[peer].board->offer(request);
}

bool ObjectTransfers::claim(uint32_t peer, uint64_t request, const std::vector<uint64_t> &objects) {
    std::lock_guard lock(connections.mutex);
    if (!connections.peers[peer].alive || !connections.peers[peer].board ||
        !connections.peers[peer].board->claim(request))
        return false;
    connections.peers[peer].cancelled[request] = objects;
    for (uint64_t object : objects)
        connections.peers[peer].unexpect(object, connections.clock);
    return true;
}

void ObjectTransfers::sweepLoans() {
    for (PeerState &peer : connections.peers)
        peer.loans.sweep();
}

void ObjectTransfers::forgetObjects() {
    for (uint32_t i = 0; i < connections.size(); ++i) {
        std::vector<uint64_t> objects;
        {
            std::lock_guard lock(connections.mutex);
            for (auto &[object, destination] : connections.peers[i].expected)
                objects.push_back(object);
        }
        for (uint64_t object : objects)
            unexpect(i, object);
        settleLoans(i);
        connections.peers[i].loans.endAll();
    }
    sweepLoans();
}

/// A worker that is told of an object behind a loop that it does not run may not have come to it yet. It is given a
/// moment.
void ObjectTransfers::settleLoans(uint32_t peer) {
    if (connections.peers[peer].loans.isEmpty() || !connections.isAlive(peer))
        return;
    connections.waitUntilDone(peer, Clock::now() + kSettlingTime);
}

bool ObjectTransfers::waitFor(uint32_t peer, const std::vector<uint64_t> &objects) {
    std::unique_lock lock(connections.mutex);
    connections.waitUntil(lock, Clock::time_point::max(), [&] {
        PeerState &p = connections.peers[peer];
        return !p.alive ||
               std::none_of(objects.begin(), objects.end(), [&](uint64_t o) { return p.expected.count(o); });
    });
    bool isAlive = connections.peers[peer].alive;
    lock.unlock();
    std::vector<Parcel> nothing; // but acknowledgements
    ship(peer, nothing);
    return isAlive;
}

} // namespace daphne::dist
