// SPDX-License-Identifier: Apache-2.0
/// Moves frames between the coordinator and its workers, and nothing else. At
/// the coordinator the peers are the workers, from 0; a worker has one peer, the
/// coordinator.
///
/// Frames of one connection keep their order and arrive once or, if the peer is
/// lost, not at all; a loss is reported once, behind all frames that came before
/// it. Any thread may send; one thread receives.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "dist/Wire.h"

namespace daphne::dist {

struct Received {
    uint32_t peer = 0;
    Bytes frame;
    bool isLost = false; ///< no frame: the connection is gone
    std::string reason;  ///< of the loss
};

class Transport {
  public:
    virtual ~Transport() = default;
    virtual uint32_t numPeers() const = 0;
    /// What users call the peer: host:port or rank.
    virtual std::string nameOf(uint32_t peer) const = 0;
    /// Hands the frame over. Blocks while too much is waiting to be sent; frames to lost peers vanish.
    virtual void send(uint32_t peer, Bytes frame) = 0;
    /// The next frame or loss of any peer; none after the given time.
    virtual std::optional<Received> receive(std::chrono::milliseconds patience) = 0;
    /// Somebody begins or ends to wait for a frame: a transport that has to look for them looks more often meanwhile.
    virtual void attend(bool) {}
    /// Ends one connection; its loss is not reported.
    virtual void disconnect(uint32_t peer) = 0;
    /// Payload of a chunk unless the user wants another.
    virtual uint64_t usualChunkBytes() const = 0;
    /// Whether the program can go on without a lost peer.
    virtual bool survivesLoss() const = 0;
};

} // namespace daphne::dist
