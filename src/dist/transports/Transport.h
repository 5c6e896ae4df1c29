// SPDX-License-Identifier: Apache-2.0
/// Moves frames between the coordinator and its workers, and nothing else. At
/// the coordinator the peers are the workers, from 0; a worker has one peer, the
/// coordinator, and may get frames of other workers.
///
/// Frames of one connection keep their order and arrive once or, if the peer is
/// lost, not at all; a loss is reported once, behind all frames that came before
/// it. Any thread may send. Several may receive; `order` numbers what they get, in the order of arrival.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "dist/protocol/Wire.h"

namespace daphne::dist {

struct Received {
    uint32_t peer = 0; ///< at a worker: 0 is the coordinator, k + 1 the worker k
    Bytes frame;
    bool isLost = false;     ///< no frame: the connection is gone
    std::string reason;      ///< of the loss
    uint32_t connection = 0; ///< to this peer: 0 is the first one
    uint64_t order = 0;      ///< counts all that this end has received
};

/// Which thread receives. While an urgent one attends, the one that stands by gets nothing.
enum class Listener : uint8_t { StandsBy, Urgent };

class Transport {
  public:
    virtual ~Transport() = default;
    virtual uint32_t numPeers() const = 0;
    /// What users call the peer: host:port or rank.
    virtual std::string nameOf(uint32_t peer) const = 0;
    /// Hands the frame over. Blocks while too much is waiting to be sent; frames to lost peers vanish.
    virtual void send(uint32_t peer, Bytes frame) = 0;
    /// The same frame to several peers, in the order of everything else that is sent to them.
    virtual void broadcast(std::span<const uint32_t> peers, const Bytes &frame) {
        for (uint32_t peer : peers)
            send(peer, Bytes(frame));
    }
    /// Whether peers pass on what is broadcast, so that it costs this end less than sending it to each of them.
    virtual bool relays() const { return false; }
    /// Whether workers can send frames to each other.
    virtual bool linksWorkers() const { return false; }
    /// The same frame from this worker to others, by their numbers at the coordinator; does not wait for them. Frames
    /// from one worker to another keep their order.
    virtual void sendToWorkers(std::span<const uint32_t> /*workers*/, Bytes /*frame*/) {}
    /// The next frame or loss of any peer; none after the given time.
    virtual std::optional<Received> receive(std::chrono::milliseconds patience, Listener who = Listener::StandsBy) = 0;
    /// A thread begins or ends to do nothing but receive, urgently.
    virtual void attend(bool begins) = 0;
    /// Ends one connection; its loss is not reported.
    virtual void disconnect(uint32_t peer) = 0;
    /// Payload of a chunk unless the user wants another.
    virtual uint64_t usualChunkBytes() const = 0;
    /// Whether the program can go on without a lost peer.
    virtual bool survivesLoss() const = 0;

    /// Begins another connection to a lost peer, with this frame first, and gives up the one begun before, if it was
    /// not adopted. The number of the connection; none if the transport has no second ones.
    virtual std::optional<uint32_t> reconnect(uint32_t, Bytes) { return std::nullopt; }
    /// From now on frames to the peer take that connection. Nobody may be sending.
    virtual void adopt(uint32_t) {}
};

} // namespace daphne::dist
