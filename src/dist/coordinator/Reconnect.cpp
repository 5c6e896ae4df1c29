// SPDX-License-Identifier: Apache-2.0
/// Peers that were lost are called again. They are not used before somebody who
/// knows what was lost with them admits them.
#include <algorithm>

#include "dist/coordinator/Connections.h"

namespace daphne::dist {

namespace {
using Clock = std::chrono::steady_clock;
/// Attempts become rarer up to this.
constexpr std::chrono::milliseconds kLongestPause{8000};
} // namespace

Hello Connections::helloTo(uint32_t peer) const {
    return {settings.build, settings.token,   settings.chunkBytes,          settings.heartbeatMs,
            peer + 1,       settings.options, peers[peer].neighbour.offer()};
}

void Connections::planCall(PeerState &peer) {
    peer.call.connection.reset();
    peer.call.isWelcome = false;
    peer.call.next = Clock::now() + peer.call.pause;
    peer.call.pause = std::min(2 * peer.call.pause, kLongestPause);
}

/// Also those that were never there: they may be late.
void Connections::callLostPeers() {
    if (settings.recall.count() == 0)
        return;
    for (uint32_t i = 0; i < size(); ++i) {
        PeerState &peer = peers[i];
        bool isWanted = !peer.alive && !peer.detached && !peer.call.isHopeless && !peer.call.isWelcome;
        if (!isWanted || Clock::now() < peer.call.next)
            continue;
        planCall(peer);
        // Who does not answer in time is called again.
        peer.call.next = Clock::now() + settings.patience;
        Bytes hello = frameOf(helloTo(i));
        peer.statistics.bytesOut += hello.size();
        peer.call.connection = transport->reconnect(i, std::move(hello));
        peer.call.isHopeless = !peer.call.connection;
    }
}

void Connections::handleCalled(uint32_t index, const Received &item) {
    PeerState &peer = peers[index];
    if (peer.alive || item.connection != peer.call.connection)
        return; // of a connection that was given up
    if (item.isLost) {
        planCall(peer);
        return;
    }
    peer.statistics.bytesIn += item.frame.size();
    try {
        for (std::span<const std::byte> rest = item.frame, body; !rest.empty();) {
            MessageType type = openFrame(takeFrame(rest), body).type;
            if (type == MessageType::Welcome) {
                peer.call.welcome = read<Welcome>(body);
                peer.call.isWelcome = true;
            } else if (type != MessageType::Heartbeat) {
                peer.call.isHopeless = true; // it refuses
            }
        }
    } catch (const WireError &) {
        peer.call.isHopeless = true;
    }
}

std::vector<uint32_t> Connections::admitReturned() {
    std::lock_guard lock(mutex);
    std::vector<uint32_t> admitted;
    for (uint32_t i = 0; i < size(); ++i) {
        PeerState &peer = peers[i];
        bool isUnseen = std::ranges::any_of(
            events, [&](const PeerEvent &e) { return e.kind == PeerEvent::Kind::Lost && e.peer == i; });
        if (peer.alive || !peer.call.isWelcome || isUnseen)
            continue;
        transport->adopt(i);
        peer.connection = *peer.call.connection;
        peer.welcome = peer.call.welcome;
        peer.alive = peer.greeted = true;
        meet(i);
        peer.lastHeard = Clock::now();
        peer.call.connection.reset();
        peer.call.isWelcome = false;
        ++peer.statistics.returns;
        warnings.push_back("the worker " + nameOf(i) + " is back");
        admitted.push_back(i);
    }
    return admitted;
}

} // namespace daphne::dist
