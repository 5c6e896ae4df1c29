// SPDX-License-Identifier: Apache-2.0
/// The coordinator's side of all connections. Whoever waits for something
/// receives, a thread of its own while nobody waits: objects go straight to where
/// they are expected, everything else becomes an event for the coordinating
/// thread. A peer that misses three heartbeats is
/// lost, and nothing of it is heard afterwards. Where the transport can, it is
/// called again from time to time; a peer that answers may be admitted, and is
/// then a new one that knows nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "dist/ObjectStream.h"
#include "dist/TransferClock.h"

namespace daphne::dist {

/// What is told about a worker.
struct PeerStatistics {
    uint64_t bytesOut = 0, bytesIn = 0;
    uint64_t bytesLent = 0;      ///< of both: those that were copied from memory instead of being sent
    uint64_t bytesToWorkers = 0; ///< from this worker to others
    uint64_t objectsOut = 0, chunks = 0, partsRead = 0; ///< partsRead: of files
    double computeNs = 0, waitNs = 0, compileNs = 0;
    uint64_t objects = 0, objectBytes = 0; ///< held by the worker at last
    uint32_t losses = 0, returns = 0;
    uint64_t rows = 0, reused = 0; ///< reused: chunks whose program was compiled before
    double squaredNs = 0;          ///< sum of the squares of the times of chunks
    uint64_t residentBytes = 0;    ///< memory of the process, at last
    double load = 0;               ///< of the machine, at last
};

struct PeerEvent {
    /// Returned: the peer has not begun a loop that was offered to it, nor has anybody else claimed it.
    enum class Kind : uint8_t { Ready, Failed, Lost, Returned } kind = Kind::Ready;
    uint32_t peer = 0;
    uint64_t request = 0;
    bool fault = false;
    std::string text;
};

/// Something to be sent to a worker: an object, or what to do.
struct Parcel {
    std::optional<std::pair<ObjectBegin, Encoded>> object;
    uint64_t request = 0; ///< of the loop; 0: rows of a file are to be read
    Bytes frame;
    std::vector<KnownCells> known; ///< of the object, at the worker
};

class Peers {
  public:
    struct Settings {
        std::string build, token;
        uint64_t chunkBytes = 0;                   ///< 0: as the transport likes
        uint32_t heartbeatMs = 2000;               ///< 0: none
        std::chrono::milliseconds patience{10000}; ///< for greetings
        std::vector<std::string> options;          ///< scheduling options for workers
        std::chrono::milliseconds recall{0};       ///< after a loss, until it is called again; 0: never
        std::optional<uint32_t> boundThreads;      ///< that compute here; none: nobody is bound to CPUs
        uint64_t leastLent = kUsuallyLent;         ///< bytes of objects that neighbours lend each other
    };
    /// Greets all peers and waits for their answers. Those that do not answer are lost; throws Error (status 3) if one
    /// refuses or none is left.
    Peers(std::unique_ptr<Transport> transport, Settings settings);
    ~Peers();

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
    /// Whether large objects are lent to everybody who is there.
    bool areNeighbours() const;
    /// Whether they are lent to anybody.
    bool hasNeighbours() const;
    /// Whether they are lent to this one.
    bool isNeighbour(uint32_t peer) const;
    PeerStatistics statistics(uint32_t peer) const;

    template <class M> void send(uint32_t peer, const M &message, uint64_t request = 0, uint64_t pipeline = 0) {
        sendFrame(peer, frameOf(message, request, pipeline));
    }
    void sendFrame(uint32_t peer, Bytes frame);
    /// Messages and objects in this order; short ones travel together.
    void ship(uint32_t peer, std::vector<Parcel> &parcels);
    /// Objects that the peer may drop; it is told with the next parcels, or by tellFreed().
    void freeLater(uint32_t peer, const std::vector<uint64_t> &objects);
    void tellFreed();
    /// Releases what neighbours have borrowed and do not need any more. For the thread that runs the program.
    void sweepLoans();
    /// Nothing that was lent or is expected is used any more.
    void forgetObjects();

    /// An object to several peers, which may pass it on.
    void broadcast(std::span<const uint32_t> peers, const ObjectBegin &begin, const Encoded &object);
    /// Whether objects of so many bytes are better broadcast to such peers than shipped to each of them.
    bool isRelayed(std::span<const uint32_t> peers, uint64_t bytes) const;

    /// Whether workers can exchange what they have computed. Not where one of them may be lost while others wait for
    /// it.
    bool canExchange() const { return transport->linksWorkers() && !transport->survivesLoss(); }
    /// Cells [first, first + count) of an object that these peers put together from pieces.
    void sendPiece(std::span<const uint32_t> peers, uint64_t object, const Dense &matrix, uint64_t first,
                   uint64_t count);

    /// What every worker knows of these files, in their order; nothing of those that are lost.
    std::vector<std::vector<SeenFile>> lookFor(const std::vector<std::string> &paths);
    /// Returns when this worker has done what it was told so far, or is lost.
    void waitUntilDone(uint32_t peer);

    /// The object that is going to come from this peer belongs there.
    void expect(uint32_t peer, uint64_t object, Destination destination);
    /// If it comes nevertheless, it is taken and dropped.
    void unexpect(uint32_t peer, uint64_t object);
    /// These will not be made; if one comes nevertheless, the peer breaks the protocol.
    void giveUp(uint32_t peer, const std::vector<uint64_t> &objects);
    /// A loop is not wanted any more, nor are the objects it makes: whether it has begun does not matter.
    void cancel(uint32_t peer, uint64_t request, const std::vector<uint64_t> &objects);
    /// Whether loops can be offered to this peer: it or this process runs them, whoever claims them first.
    bool hasBoard(uint32_t peer) const;
    /// Before it is sent.
    void offer(uint32_t peer, uint64_t request);
    /// Whether this process runs it; then the peer does not, and makes none of the objects.
    bool claim(uint32_t peer, uint64_t request, const std::vector<uint64_t> &objects);
    /// Waits until none of these objects is expected any more; false if the peer is lost.
    bool waitFor(uint32_t peer, const std::vector<uint64_t> &objects);
    /// The next event; none after the given time.
    std::optional<PeerEvent> next(std::chrono::milliseconds patience);
    /// Peers that were lost and have answered since are alive again, if the events of their losses have been seen. For
    /// the coordinating thread, when nobody is sending; returns who.
    std::vector<uint32_t> admitReturned();
    /// Warnings about peers lost since the last call.
    std::vector<std::string> takeWarnings();
    /// This machine begins or ends to compute.
    void computingHere(bool begins);
    /// Time in which cells travelled, and the part of it in which somebody computed.
    std::pair<double, double> transferTimes() const;

  private:
    struct Peer {
        bool alive = true, greeted = false, detached = false;
        std::string trouble; ///< of a greeting
        Welcome welcome{};
        Neighbour neighbour;
        bool isNeighbour = false; ///< it reads our memory
        Loans loans;
        std::optional<ClaimBoard> board;
        bool seesBoard = false;
        std::vector<ObjectAck> acks; ///< of what it has lent to us, to be sent
        std::vector<uint64_t> freed; ///< objects that it may drop, to be sent
        Arrivals arrivals{~uint64_t(0) >> 1};
        uint32_t numArriving = 0;
        std::map<uint64_t, Destination> expected;
        std::set<uint64_t> unwanted;                         ///< may come, and belong nowhere
        std::map<uint64_t, std::vector<uint64_t>> cancelled; ///< objects of loops, by request, until it answers
        std::chrono::steady_clock::time_point lastHeard;
        PeerStatistics statistics;
        uint64_t lastEcho = 0;                        ///< request of the last answered heartbeat
        std::chrono::steady_clock::time_point echoed; ///< when that was
        uint64_t lastFile = 0;                        ///< request of the last answered question about files
        FileAnswer files{};
        uint32_t connection = 0; ///< in use
        struct {
            std::optional<uint32_t> connection; ///< on which it is called again
            bool isWelcome = false;             ///< it has answered
            Welcome welcome{};
            std::chrono::steady_clock::time_point next; ///< attempt
            std::chrono::milliseconds pause{0};
            bool isHopeless = false; ///< it refuses, or does not keep to the protocol
        } call;
    };
    Hello helloTo(uint32_t peer) const;
    void meet(uint32_t peer);
    std::vector<CpuShare> cpusOn(const Seat &place, std::vector<uint32_t> &who) const;
    void borrow(uint32_t peer, const ObjectLent &message);
    void takeNoMore(Peer &peer, uint64_t object);
    void settleLoans(uint32_t peer);
    static bool forgetCancelled(Peer &peer, uint64_t request);
    void planCall(Peer &peer);
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
    Settings settings;
    const Seat seat;
    std::deque<Peer> peers;
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
