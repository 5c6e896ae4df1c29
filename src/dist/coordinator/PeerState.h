// SPDX-License-Identifier: Apache-2.0
/// One worker as the coordinator sees it: whether it is there, what it said about
/// itself, which objects it still has to send, and when it is called again after a
/// loss. Connections owns the states and guards them with its mutex.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dist/coordinator/TransferClock.h"
#include "dist/protocol/ObjectStream.h"

namespace daphne::dist {

/// What statistics tell about a worker.
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

struct PeerState {
    bool alive = true, greeted = false, detached = false;
    std::string trouble; ///< why it refused the greeting
    Welcome welcome{};
    std::chrono::steady_clock::time_point lastHeard;
    PeerStatistics statistics;
    uint32_t connection = 0; ///< in use

    // ---- on the same host
    Neighbour neighbour;
    bool isNeighbour = false; ///< it reads our memory
    Loans loans;
    std::optional<ClaimBoard> board;
    bool seesBoard = false;

    // ---- objects
    std::vector<ObjectAck> acks; ///< of what it has lent to us, to be sent
    std::vector<uint64_t> freed; ///< objects that it may drop, to be sent
    Arrivals arrivals{~uint64_t(0) >> 1};
    uint32_t numArriving = 0;
    std::map<uint64_t, Destination> expected;
    std::set<uint64_t> unwanted;                         ///< may come, and belong nowhere
    std::map<uint64_t, std::vector<uint64_t>> cancelled; ///< objects of loops, by request, until it answers

    /// The worker begins to send an object. Throws WireError if nobody asked for it.
    void beginObject(const ObjectBegin &begin, TransferClock &clock);
    /// Some bytes of it. Whether an object that somebody waits for is complete.
    bool addChunk(const ObjectChunk &chunk, TransferClock &clock);
    /// Copies an object from the memory of the worker to where it is expected.
    void borrow(const ObjectLent &message, TransferClock &clock);
    /// If the object comes nevertheless, it is taken and dropped.
    void unexpect(uint64_t object, TransferClock &clock);
    /// The worker answers a cancelled loop: nothing of it comes any more. False if the loop was not cancelled.
    bool forgetCancelled(uint64_t request);
    /// The worker is gone, and with it all that it has, knows or was going to send.
    void dropObjects(TransferClock &clock);

    // ---- questions
    uint64_t lastEcho = 0;                        ///< request of the last answered heartbeat
    std::chrono::steady_clock::time_point echoed; ///< when that was
    uint64_t lastFile = 0;                        ///< request of the last answered question about files
    FileAnswer files{};

    // ---- after a loss
    struct {
        std::optional<uint32_t> connection; ///< on which it is called again
        bool isWelcome = false;             ///< it has answered
        Welcome welcome{};
        std::chrono::steady_clock::time_point next; ///< attempt
        std::chrono::milliseconds pause{0};
        bool isHopeless = false; ///< it refuses, or does not keep to the protocol
    } call;
};

} // namespace daphne::dist
