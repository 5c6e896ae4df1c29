// SPDX-License-Identifier: Apache-2.0
/// What travels between the coordinator and its workers over their Connections:
/// objects in both directions, loops, and what workers may drop. Objects that come
/// go straight to where they are expected.
///
/// Has no state of its own. Any thread may call it, unless a function says otherwise.
#pragma once

#include "dist/coordinator/Connections.h"

namespace daphne::dist {

/// What the coordinator sends to a worker: an object, or what to do.
struct Parcel {
    std::optional<std::pair<ObjectBegin, Encoded>> object;
    uint64_t request = 0; ///< of the loop; 0: rows of a file are to be read
    Bytes frame;
    std::vector<KnownCells> known; ///< of the object, at the worker
};

class ObjectTransfers {
  public:
    explicit ObjectTransfers(Connections &connections) : connections(connections) {}

    // ---- to workers
    /// Sends messages and objects in this order; short ones travel together.
    void ship(uint32_t peer, std::vector<Parcel> &parcels);
    /// Sends an object to several peers, which may pass it on.
    void broadcast(std::span<const uint32_t> peers, const ObjectBegin &begin, const Encoded &object);
    /// Whether objects of so many bytes are better broadcast to such peers than shipped to each of them.
    bool isRelayed(std::span<const uint32_t> peers, uint64_t bytes) const;
    /// Whether workers can exchange what they have computed. Not where one of them may be lost while others wait for
    /// it.
    bool canExchange() const { return connections.linksWorkers() && !connections.survivesLoss(); }
    /// Sends cells [first, first + count) of an object that these peers gather (protocol/AllGather.h).
    void sendPiece(std::span<const uint32_t> peers, uint64_t object, const Dense &matrix, uint64_t first,
                   uint64_t count);

    // ---- what workers drop
    /// The peer may drop these objects; the next parcels tell it, or tellFreed().
    void freeLater(uint32_t peer, const std::vector<uint64_t> &objects);
    void tellFreed();
    /// Releases what neighbours have borrowed and do not need any more. For the thread that runs the program.
    void sweepLoans();
    /// Nothing that was lent or is expected is used any more.
    void forgetObjects();

    // ---- from workers
    /// The object that is going to come from this peer belongs there.
    void expect(uint32_t peer, uint64_t object, Destination destination);
    /// If it comes nevertheless, it is taken and dropped.
    void unexpect(uint32_t peer, uint64_t object);
    /// These will not be made; if one comes nevertheless, the peer breaks the protocol.
    void giveUp(uint32_t peer, const std::vector<uint64_t> &objects);
    /// Waits until none of these objects is expected any more; false if the peer is lost.
    bool waitFor(uint32_t peer, const std::vector<uint64_t> &objects);

    // ---- loops
    /// Nobody wants the loop or its objects any more: whether it has begun does not matter.
    void cancel(uint32_t peer, uint64_t request, const std::vector<uint64_t> &objects);
    /// Whether loops can be offered to this peer: the process that claims a loop first runs it, the peer or this one.
    bool hasBoard(uint32_t peer) const;
    /// Before the loop is sent.
    void offer(uint32_t peer, uint64_t request);
    /// Whether this process runs it; then the peer does not, and makes none of the objects.
    bool claim(uint32_t peer, uint64_t request, const std::vector<uint64_t> &objects);

    // ---- times
    /// This machine begins or ends to compute.
    void computingHere(bool begins);
    /// Time in which cells travelled, and the part of it in which some machine computed.
    std::pair<double, double> transferTimes() const;

  private:
    void settleLoans(uint32_t peer);

    Connections &connections;
};

} // namespace daphne::dist
