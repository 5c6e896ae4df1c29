// SPDX-License-Identifier: Apache-2.0
/// What the coordinator makes of workers that are late or missing; here they answer as a test wants.
#include "dist/Peers.h"

#include <barrier>
#include <gtest/gtest.h>

#include "dist/transports/InProcess.h"

namespace daphne::dist {

namespace {

/// A worker that greets and says farewell; other messages go to `handle`.
class Actor {
  public:
    explicit Actor(Transport &transport) : transport(transport) {}
    std::function<void(const Envelope &, std::span<const std::byte> body)> handle;

    void serve() {
        for (bool isOver = false; !isOver;) {
            std::optional<Received> item = transport.receive(std::chrono::seconds(1));
            if (!item)
                continue;
            if (item->isLost)
                return;
            for (std::span<const std::byte> rest = item->frame, body; !rest.empty();) {
                Envelope envelope = openFrame(takeFrame(rest), body);
                if (envelope.type == MessageType::Detach) {
                    transport.send(0, frameOf({MessageType::Detach}, {}));
                    isOver = true;
                    continue;
                }
                if (handle)
                    handle(envelope, body);
                if (envelope.type == MessageType::Hello)
                    transport.send(0, frameOf(Welcome{"host", "test", 1, 1 << 30, 1}));
                if (envelope.type == MessageType::Heartbeat)
                    transport.send(0, frameOf({MessageType::Heartbeat, envelope.request}, {}));
            }
        }
    }

  private:
    Transport &transport;
};

Peers::Settings usual() { return {.build = "test", .heartbeatMs = 0}; }

TEST(Peers, AreAskedForTheirRoundTripsAtOnce) {
    constexpr uint32_t kPeers = 3;
    std::barrier all(kPeers);
    // Nobody answers before everybody was asked; who asks one after the other waits in vain.
    Peers peers(connectInProcess(kPeers,
                                 [&](Transport &transport, uint32_t) {
                                     Actor actor(transport);
                                     actor.handle = [&](const Envelope &envelope, auto) {
                                         if (envelope.type == MessageType::Heartbeat)
                                             all.arrive_and_wait();
                                     };
                                     actor.serve();
                                 }),
                usual());
    EXPECT_EQ(peers.numAlive(), kPeers);
    EXPECT_LT(peers.roundTripNs(), 0.9e9);
}

TEST(Peers, ThoseThatAreNotThereHaveNoRoundTrip) {
    Peers peers(connectInProcess(2,
                                 [](Transport &transport, uint32_t number) {
                                     if (number == 0)
                                         Actor(transport).serve();
                                 }),
                usual());
    EXPECT_EQ(peers.numAlive(), 1u);
    EXPECT_GT(peers.roundTripNs(), 0);
    EXPECT_LT(peers.roundTripNs(), 0.9e9);
}

} // namespace

} // namespace daphne::dist
