// SPDX-License-Identifier: Apache-2.0
/// The coordinator's connections to its workers: it greets them, receives what
/// they send, notices losses and calls lost workers again.
///
/// The thread that waits for something receives; a thread of its own receives
/// while no other waits. Objects go straight to where they are expected
/// (ObjectTransfers.h), everything else becomes an event for the coordinating
/// thread. A peer that misses three heartbeats is lost, and nothing of it is heard
/// afterwards. Where the transport can, the coordinator calls it again from time
/// to time; a peer that answers may be admitted, and is then a new one that knows
/// nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>

#include "dist/coordinator/PeerState.h"
#include "dist/transports/Transport.h"

namespace daphne::dist {

struct PeerEvent {
    /// Returned: nobody has claimed a loop that was offered to the peer; it has not begun.
    enum class Kind : uint8_t { Ready, Failed, Lost, Returned } kind = Kind::Ready;
    uint32_t peer = 0;
    uint64_t request = 0;
    bool fault = false;
    std::string text;
};

struct ConnectionSettings {
    std::string build, token;
    uint64_t chunkBytes = 0;                   ///< 0: as the transport likes
    uint32_t heartbeatMs = 2000;               ///< 0: none
    std::chrono::milliseconds patience{10000}; ///< for greetings
    std::vector<std::string> options;          ///< scheduling options for workers
    std::chrono::milliseconds recall{0};       ///< after a loss, until it is called again; 0: never
    std::optional<uint32_t> boundThreads;      ///< that compute here; none: nobody is bound to CPUs
    uint64_t leastLent = kUsuallyLent;         ///< bytes of objects that neighbours lend each other
};

class Connections {
  public:
    /// Greets all peers and waits for their answers. Those that do not answer are lost; throws Error (status 3) if one
    /// refuses or none is left.
    Connections(std::unique_ptr<Transport> transport, ConnectionSettings settings);
    ~Connections();

    uint32_t size() const { return static_cast<uint32_t>(peers.size()); }
    /// False for numbers that are none.
    bool isAlive(uint32_t peer) const;
    uint32_t numAlive() const;
    std::string nameOf(uint32_t peer) const { return transport->nameOf(peer); }
    const Welcome &welcome(uint32_t peer) const { return peers[peer].welcome; }
    bool survivesLoss() const { return transport->survivesLoss(); }
    double roundTripNs() const { return roundTrip; }
    /// Of the slowest line that objects are sent over, as measured at the beginning; infinity if there is none.
    double lineBytesPerNs() const { return bytesPerNs; }
    /// CPUs that this process should use.
    CpuShare ownCpus() const;
    /// Where this process runs, as it was when it began.
    const Seat &ownSeat() const { return seat; }
    /// Whether the coordinator lends large objects to all peers that are there.
    bool areNeighbours() const;
    /// To at least one of them.
    bool hasNeighbours() const;
    /// To this one.
    bool isNeighbour(uint32_t peer) const;
    PeerStatistics statistics(uint32_t peer) const;

    template <class M> void send(uint32_t peer, const M &message, uint64_t request = 0, uint64_t pipeline = 0) {
        sendFrame(peer, frameOf(message, request, pipeline));
    }
    void sendFrame(uint32_t peer, Bytes frame);
    /// Whether workers can send frames to each other.
    bool linksWorkers() const { return transport->linksWorkers(); }

    /// What every worker knows of these files, in their order; nothing of those that are lost.
    std::vector<std::vector<SeenFile>> lookFor(const std::vector<std::string> &paths);
    /// Returns when this worker has done what it was told so far, or is lost, or at the deadline.
    void waitUntilDone(uint32_t peer,
                       std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

    /// The next event; none after the given time.
    std::optional<PeerEvent> next(std::chrono::milliseconds patience);
    /// Peers that were lost and have answered since are alive again, if the events of their losses have been seen. For
    /// the coordinating thread, when nobody is sending; returns who.
    std::vector<uint32_t> admitReturned();
    /// Warnings about peers lost since the last call.
    std::vector<std::string> takeWarnings();

  private:
    friend class ObjectTransfers; ///< reads and changes the states of peers, under the mutex
    Hello helloTo(uint32_t peer) const;
    void meet(uint32_t peer);
    std::vector<CpuShare> cpusOn(const Seat &place, std::vector<uint32_t> &who) const;
    void planCall(PeerState &peer);
    void callLostPeers();
    void handleCalled(uint32_t peer, const Received &item);
    void greet();
    std::vector<std::optional<double>> echoNs(std::span<const uint32_t> asked, size_t bytes);
    void measureLines();
    void receiveAll();
    void waitUntil(std::unique_lock<std::mutex> &lock, std::chrono::steady_clock::time_point deadline,
                   const std::function<bool()> &isDone);
    void take(std::unique_lock<std::mutex> &lock, const Received &item);
    void handle(uint32_t peer, std::span<const std::byte> frame);
    void lose(uint32_t peer, const std::string &why);
    void loseSilentPeers(int beats);

    std::unique_ptr<Transport> transport;
    ConnectionSettings settings;
    const Seat seat;
    std::deque<PeerState> peers;
    double roundTrip = 0, bytesPerNs = std::numeric_limits<double>::infinity();
    uint64_t nextQuestion = 1;
    mutable std::mutex mutex; ///< guards peers and events
    std::condition_variable changed;
    std::deque<PeerEvent> events;
    uint64_t numHandled = 0; ///< of what was received
    int numWaiting = 0;      ///< threads that receive while they wait
    TransferClock clock;
    std::vector<std::string> warnings;
    std::atomic<bool> stopping{false};
    std::thread receiver;
};

} // namespace daphne::dist
