// SPDX-License-Identifier: Apache-2.0
/// What the coordinator makes of workers that are late, missing or dying; here they answer as a test wants.
#include "dist/coordinator/ObjectTransfers.h"

#include <barrier>
#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dist/transports/InProcess.h"

namespace daphne::dist {

namespace {

/// A worker that greets and says farewell; other messages go to `handle`.
class Actor {
  public:
    explicit Actor(Transport &transport) : transport(transport) {}
    std::function<void(const Envelope &, std::span<const std::byte> body)> handle;
    MemoryOffer memory{};

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
                    transport.send(0, frameOf(Welcome{"host", "test", 1, 1 << 30, 1, {}, memory}));
                if (envelope.type == MessageType::Heartbeat)
                    transport.send(0, frameOf({MessageType::Heartbeat, envelope.request}, {}));
            }
        }
    }

  private:
    Transport &transport;
};

ConnectionSettings usual() { return {.build = "test", .heartbeatMs = 0}; }

TEST(Connections, AreAskedForTheirRoundTripsAtOnce) {
    constexpr uint32_t kPeers = 3;
    std::barrier all(kPeers);
    // Nobody answers before everybody was asked; who asks one after the other waits in vain.
    Connections peers(connectInProcess(kPeers,
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

TEST(Connections, ThoseThatAreNotThereHaveNoRoundTrip) {
    Connections peers(connectInProcess(2,
                                       [](Transport &transport, uint32_t number) {
                                           if (number == 0)
                                               Actor(transport).serve();
                                       }),
                      usual());
    EXPECT_EQ(peers.numAlive(), 1u);
    EXPECT_GT(peers.roundTripNs(), 0);
    EXPECT_LT(peers.roundTripNs(), 0.9e9);
}

TEST(Connections, GiveBackWhatNobodyHasClaimed) {
    Connections peers(connectInProcess(1,
                                       [](Transport &transport, uint32_t) {
                                           Actor actor(transport);
                                           actor.handle = [&](const Envelope &envelope, auto) {
                                               if (envelope.type == MessageType::Compute)
                                                   transport.send(0,
                                                                  frameOf({MessageType::Cancel, envelope.request}, {}));
                                           };
                                           actor.serve();
                                       }),
                      usual());
    EXPECT_FALSE(ObjectTransfers(peers).hasBoard(0)); // it has not answered that it sees one
    EXPECT_FALSE(ObjectTransfers(peers).claim(0, 5, {}));
    peers.send(0, Compute{}, 5);
    std::optional<PeerEvent> event = peers.next(std::chrono::seconds(5));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->kind, PeerEvent::Kind::Returned);
    EXPECT_EQ(event->request, 5u);
    // What was cancelled is not returned.
    ObjectTransfers(peers).cancel(0, 6, {});
    peers.send(0, Compute{}, 6);
    peers.waitUntilDone(0);
    EXPECT_FALSE(peers.next(std::chrono::milliseconds(0)));
}

TEST(Connections, MayComeBackIfTheyDiedWhileTheyLentMemory) {
    ConnectionSettings settings = usual();
    settings.recall = std::chrono::milliseconds(1);
    settings.leastLent = 1;
    std::vector<double> cells(1000, 1.5);
    auto serve = [&](Transport &transport, uint32_t) {
        // A process beside this one has the memory, which both have at the same addresses.
        auto challenge = std::make_unique<Challenge>();
        pid_t process = 0;
        Actor actor(transport);
        actor.handle = [&](const Envelope &envelope, std::span<const std::byte> body) {
            if (envelope.type == MessageType::Hello) {
                *challenge = read<Hello>(body).memory.challenge;
                process = fork();
                if (process == 0) {
                    pause();
                    _exit(0);
                }
                actor.memory = {static_cast<uint64_t>(process), reinterpret_cast<uint64_t>(challenge.get()), {}};
            } else if (envelope.type == MessageType::Transfer) {
                kill(process, SIGKILL);
                waitpid(process, nullptr, 0);
                process = 0;
                uint64_t bytes = cells.size() * sizeof(double);
                ObjectBegin begin{read<Transfer>(body).object, 0, ObjectBegin::Kind::Result, 0, cells.size(), bytes};
                transport.send(0, frameOf(ObjectLent{begin, {{reinterpret_cast<uint64_t>(cells.data()), bytes}}}));
            }
        };
        actor.serve();
        if (process != 0) {
            kill(process, SIGKILL);
            waitpid(process, nullptr, 0);
        }
    };
    Connections peers(connectInProcess(1, serve), settings);
    std::vector<double> place(cells.size());
    ObjectTransfers(peers).expect(0, 7, {ValueType::F64, place.size(), reinterpret_cast<std::byte *>(place.data())});
    peers.send(0, Transfer{7});
    EXPECT_FALSE(ObjectTransfers(peers).waitFor(0, {7}));
    EXPECT_EQ(peers.takeWarnings(), std::vector<std::string>{"the worker thread 1 is lost: its process has ended"});
    ASSERT_TRUE(peers.next(std::chrono::seconds(1)).has_value());
    for (int i = 0; i < 1000 && peers.admitReturned().empty(); ++i)
        peers.next(std::chrono::milliseconds(10));
    EXPECT_TRUE(peers.isAlive(0));
    EXPECT_EQ(peers.statistics(0).returns, 1u);
}

} // namespace

} // namespace daphne::dist
