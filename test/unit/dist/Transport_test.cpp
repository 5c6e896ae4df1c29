// SPDX-License-Identifier: Apache-2.0
/// What every transport promises, over all of them. Three workers send back what
/// they get, twice where the frame begins with 'D' and later if it is an 'S'; 'X'
/// ends them without a word. 'P' goes to the other workers, which say from whom
/// they have it. Over MPI, which needs mpirun, the same as Mpi.* in
/// more ranks.
#include "dist/transports/Transport.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <netinet/in.h>
#include <numeric>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "dist/transports/InProcess.h"
#include "dist/transports/TransportTable.h"

namespace daphne::dist {

namespace {

using std::chrono::seconds;

Bytes bytesOf(std::string_view text) {
    auto *data = reinterpret_cast<const std::byte *>(text.data());
    return {data, data + text.size()};
}
std::string textOf(const Bytes &bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }

void echo(Transport &transport, uint32_t number = 0, uint32_t numWorkers = 0) {
    while (true) {
        std::optional<Received> item = transport.receive(seconds(1));
        if (!item)
            continue;
        if (item->isLost || (!item->frame.empty() && item->frame[0] == std::byte('X')))
            return;
        if (item->peer != 0) {
            transport.send(0, bytesOf(std::to_string(item->peer - 1) + textOf(item->frame)));
            continue;
        }
        if (item->frame[0] == std::byte('P')) {
            std::vector<uint32_t> others(numWorkers);
            std::iota(others.begin(), others.end(), 0);
            std::erase(others, number);
            transport.sendToWorkers(others, std::move(item->frame));
            continue;
        }
        if (item->frame[0] == std::byte('S'))
            std::this_thread::sleep_for(std::chrono::milliseconds(400));
        if (item->frame[0] == std::byte('D'))
            transport.send(0, item->frame);
        transport.send(0, std::move(item->frame));
    }
}

Received next(Transport &transport) {
    for (int i = 0; i < 60; ++i)
        if (std::optional<Received> item = transport.receive(seconds(1)))
            return std::move(*item);
    ADD_FAILURE() << "nothing came";
    return {};
}

void framesKeepTheirOrder(Transport &transport) {
    constexpr int kFrames = 300;
    for (int i = 0; i < kFrames; ++i)
        for (uint32_t w = 0; w < transport.numPeers(); ++w)
            transport.send(w, bytesOf("n" + std::to_string(w) + ":" + std::to_string(i)));
    std::map<uint32_t, int> expected;
    for (uint32_t k = 0; k < kFrames * transport.numPeers(); ++k) {
        Received item = next(transport);
        ASSERT_EQ(textOf(item.frame), "n" + std::to_string(item.peer) + ":" + std::to_string(expected[item.peer]++));
    }
}

void framesOfAllSizesArrive(Transport &transport) {
    for (size_t size : {size_t(1), size_t(100), size_t(65536), size_t(1 << 20), size_t(20 << 20)}) {
        Bytes frame(size);
        for (size_t i = 0; i < size; ++i)
            frame[i] = static_cast<std::byte>(i * 31 + 5);
        transport.send(0, frame);
        ASSERT_EQ(next(transport).frame, frame) << size;
    }
}

void manyThreadsMaySend(Transport &transport) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i)
                transport.send(static_cast<uint32_t>(i) % transport.numPeers(), bytesOf("D" + std::string(1000, 'x')));
        });
    for (int i = 0; i < 400; ++i)
        ASSERT_EQ(next(transport).frame.size(), 1001u);
    for (std::thread &thread : threads)
        thread.join();
}

void moreThanFitsIntoAnyQueueArrives(Transport &transport) {
    constexpr int kFrames = 20;
    std::thread sender([&] {
        for (int i = 0; i < kFrames; ++i)
            transport.send(0, Bytes(4 << 20, std::byte('D')));
    });
    uint64_t bytes = 0;
    for (int i = 0; i < 2 * kFrames; ++i)
        bytes += next(transport).frame.size();
    sender.join();
    EXPECT_EQ(bytes, 2ull * kFrames * (4 << 20));
}

/// However many peers pass frames on, each gets all of them in the order in which they were sent.
void broadcastsKeepTheirPlace(Transport &transport) {
    std::vector<std::vector<uint32_t>> groups{{}, {0}, {}};
    for (uint32_t w = 0; w < transport.numPeers(); ++w) {
        groups[0].push_back(w);
        groups[2].insert(groups[2].begin(), w);
    }
    groups[2].pop_back(); // all but the first, backwards
    std::map<uint32_t, std::vector<std::string>> sent;
    for (int i = 0; i < 60; ++i) {
        const std::vector<uint32_t> &group = groups[static_cast<size_t>(i) % groups.size()];
        std::string text = "b" + std::to_string(i) + std::string(i % 4 == 0 ? 200000 : 10, 'x');
        transport.broadcast(group, bytesOf(text));
        for (uint32_t w : group)
            sent[w].push_back(text);
        uint32_t alone = static_cast<uint32_t>(i) % transport.numPeers();
        transport.send(alone, bytesOf("a" + std::to_string(i)));
        sent[alone].push_back("a" + std::to_string(i));
    }
    size_t total = 0;
    for (auto &[w, texts] : sent)
        total += texts.size();
    std::map<uint32_t, size_t> seen;
    for (size_t k = 0; k < total; ++k) {
        Received item = next(transport);
        size_t at = seen[item.peer]++;
        ASSERT_LT(at, sent[item.peer].size());
        ASSERT_EQ(textOf(item.frame), sent[item.peer][at]) << "peer " << item.peer << ", frame " << at;
    }
}

/// What comes while a peer is busy waits, also if it is more than its queue likes to hold.
void aBusyPeerGetsEverything(Transport &transport) {
    constexpr int kFrames = 90;
    transport.send(0, bytesOf("S"));
    std::thread sender([&] {
        for (int i = 0; i < kFrames; ++i)
            transport.send(0, Bytes((1 << 20) + 81, std::byte('y')));
    });
    EXPECT_EQ(textOf(next(transport).frame), "S");
    for (int i = 0; i < kFrames; ++i)
        ASSERT_EQ(next(transport).frame.size(), (1u << 20) + 81);
    sender.join();
}

/// All workers send to all others at the same time, more than queues like to hold.
void workersReachEachOther(Transport &transport) {
    constexpr int kFrames = 30;
    ASSERT_TRUE(transport.linksWorkers());
    uint32_t workers = transport.numPeers();
    for (int i = 0; i < kFrames; ++i)
        for (uint32_t w = 0; w < workers; ++w)
            transport.send(w, bytesOf("P" + std::to_string(i) + std::string(i % 3 == 0 ? 3 << 20 : 10, 'x')));
    std::map<std::pair<uint32_t, uint32_t>, int> seen; // from, to
    for (uint32_t k = 0; k < kFrames * workers * (workers - 1); ++k) {
        Received item = next(transport);
        std::string text = textOf(item.frame);
        uint32_t from = static_cast<uint32_t>(text[0] - '0');
        ASSERT_NE(from, item.peer);
        int i = seen[{from, item.peer}]++;
        ASSERT_EQ(text.substr(1, 1 + std::to_string(i).size()), "P" + std::to_string(i));
        ASSERT_EQ(text.size(), 2 + std::to_string(i).size() + (i % 3 == 0 ? 3 << 20 : 10));
    }
}

void checkAll(Transport &transport) {
    framesKeepTheirOrder(transport);
    framesOfAllSizesArrive(transport);
    manyThreadsMaySend(transport);
    moreThanFitsIntoAnyQueueArrives(transport);
    broadcastsKeepTheirPlace(transport);
    aBusyPeerGetsEverything(transport);
}

void aLossIsReportedOnceAndOthersGoOn(Transport &transport) {
    transport.send(1, bytesOf("last words"));
    transport.send(1, bytesOf("X"));
    EXPECT_EQ(textOf(next(transport).frame), "last words");
    Received lost = next(transport);
    EXPECT_TRUE(lost.isLost);
    EXPECT_EQ(lost.peer, 1u);
    EXPECT_FALSE(lost.reason.empty());
    transport.send(1, bytesOf("into the void"));
    transport.send(0, bytesOf("hello"));
    transport.send(2, bytesOf("hello"));
    EXPECT_EQ(textOf(next(transport).frame), "hello");
    EXPECT_EQ(textOf(next(transport).frame), "hello");
    transport.disconnect(2);
    EXPECT_FALSE(transport.receive(std::chrono::milliseconds(200)).has_value());
}

/// Peer 1 is lost, peer 2 was disconnected.
void aLostPeerCanBeCalledAgain(Transport &transport) {
    for (uint32_t attempt : {1, 2}) {
        std::optional<uint32_t> number = transport.reconnect(1, bytesOf("again"));
        ASSERT_EQ(number, attempt);
        Received answer = next(transport);
        EXPECT_EQ(textOf(answer.frame), "again");
        EXPECT_EQ(answer.peer, 1u);
        EXPECT_EQ(answer.connection, attempt);
        // The old connection is in use until the new one is adopted.
        transport.send(1, bytesOf("into the void"));
    }
    transport.adopt(1);
    transport.send(1, bytesOf("hello"));
    Received answer = next(transport);
    EXPECT_EQ(textOf(answer.frame), "hello");
    EXPECT_EQ(answer.connection, 2u);
    transport.send(1, bytesOf("X"));
    Received lost = next(transport);
    EXPECT_TRUE(lost.isLost);
    EXPECT_EQ(lost.connection, 2u);
}

// ---- the table

TEST(Transports, HaveNamesOfTheirOwnAndAWayToBeMade) {
    std::set<std::string_view> names;
    for (const TransportRow &row : transportTable()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_NE(row.library.empty(), row.make == nullptr) << row.name;
        EXPECT_FALSE(row.doc.empty() || row.title.empty()) << row.name;
        EXPECT_EQ(&transportNamed(row.name), &row);
    }
}

TEST(Transports, ThreadsKeepTheirPromises) {
    auto module = loadTransport(transportFor(WorkersAre::Threads), "");
    auto transport = module->connect({.numThreads = 3, .serve = [](Transport &t, uint32_t) { echo(t); }});
    checkAll(*transport);
}

// ---- in process

TEST(InProcess, KeepsItsPromises) {
    auto transport = connectInProcess(3, [](Transport &t, uint32_t) { echo(t); });
    checkAll(*transport);
    aLossIsReportedOnceAndOthersGoOn(*transport);
    aLostPeerCanBeCalledAgain(*transport);
}

TEST(InProcess, LinkedWorkersReachEachOther) {
    auto transport = connectInProcess(4, [](Transport &t, uint32_t number) { echo(t, number, 4); }, true);
    EXPECT_FALSE(transport->survivesLoss());
    checkAll(*transport);
    workersReachEachOther(*transport);
}

// ---- workers that listen, in this process

std::vector<std::string_view> listeningTransports() {
    std::vector<std::string_view> names;
    for (const TransportRow &row : transportTable())
        if (row.workers == WorkersAre::Listeners)
            names.push_back(row.name);
    return names;
}

class Listeners : public testing::TestWithParam<std::string_view> {
  protected:
    void SetUp() override {
        const TransportRow &row = transportNamed(GetParam());
        if (!row.library.empty() &&
            !std::filesystem::exists(std::string(DAPHNE_TEST_LIBRARIES) + "/" + std::string(row.library)))
            GTEST_SKIP() << "built without " << row.title;
        module = loadTransport(row, DAPHNE_TEST_LIBRARIES);
        for (int i = 0; i < 3; ++i) {
            servers.push_back(
                module->listen("127.0.0.1:0", {}, [](Transport &t, const std::string &) { echo(t); }, {}));
            ASSERT_TRUE(servers.back());
            addresses.push_back("127.0.0.1:" + std::to_string(servers.back()->port()));
        }
    }
    void TearDown() override {
        for (auto &server : servers)
            server->stop();
    }
    std::unique_ptr<Transport> connect(const std::vector<std::string> &workers) {
        return module->connect({.transport = GetParam(), .addresses = workers});
    }
    std::unique_ptr<TransportModule> module;
    std::vector<std::unique_ptr<TransportServer>> servers;
    std::vector<std::string> addresses;
};

TEST_P(Listeners, KeepsItsPromises) {
    auto transport = connect(addresses);
    checkAll(*transport);
    aLossIsReportedOnceAndOthersGoOn(*transport);
    aLostPeerCanBeCalledAgain(*transport);
}

TEST_P(Listeners, ASecondCoordinatorIsTurnedAwayWhileTheFirstStays) {
    auto first = connect({addresses[0]});
    first->send(0, bytesOf("hello"));
    EXPECT_EQ(textOf(next(*first).frame), "hello");
    auto second = connect({addresses[0]});
    second->send(0, bytesOf("me, too"));
    Received answer = next(*second);
    EXPECT_TRUE(answer.isLost);
    EXPECT_NE(answer.reason.find("busy with another coordinator"), answer.reason.npos) << answer.reason;
    first->send(0, bytesOf("hello"));
    EXPECT_EQ(textOf(next(*first).frame), "hello");
}

TEST_P(Listeners, AServerThatStopsIsLost) {
    auto transport = connect({addresses[0]});
    transport->send(0, bytesOf("hello"));
    EXPECT_EQ(textOf(next(*transport).frame), "hello");
    std::thread stopper([&] { servers[0]->stop(); });
    EXPECT_TRUE(next(*transport).isLost);
    stopper.join();
}

TEST_P(Listeners, NamesAndAddressesOfBothFamiliesAreReached) {
    auto echoes = [](Transport &t, const std::string &) { echo(t); };
    for (const std::string host : {"localhost", "[::1]"}) {
        auto server = module->listen(host + ":0", {}, echoes, {});
        if (!server && host == "[::1]")
            GTEST_SKIP() << "without IPv6";
        ASSERT_TRUE(server) << host;
        auto transport = connect({host + ":" + std::to_string(server->port())});
        transport->send(0, bytesOf("hello"));
        EXPECT_EQ(textOf(next(*transport).frame), "hello") << host;
        transport = nullptr;
        server->stop();
    }
}

TEST_P(Listeners, ServersServeOneCoordinatorAfterAnother) {
    for (int i = 0; i < 3; ++i) {
        auto transport = connect(addresses);
        framesKeepTheirOrder(*transport);
    }
}

TEST_P(Listeners, AServerThatIsNotThereIsLost) {
    servers[0]->stop();
    auto transport = connect({addresses[0]});
    transport->send(0, bytesOf("hello"));
    EXPECT_TRUE(next(*transport).isLost);
}

TEST_P(Listeners, ACallThatIsNotAnsweredDoesNotDelayTheEnd) {
    // The system accepts connections for a process that does not: so it is with one that is stopped.
    int silent = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ASSERT_EQ(bind(silent, reinterpret_cast<sockaddr *>(&address), size), 0);
    ASSERT_EQ(listen(silent, 5), 0);
    ASSERT_EQ(getsockname(silent, reinterpret_cast<sockaddr *>(&address), &size), 0);
    auto transport = connect({"127.0.0.1:" + std::to_string(ntohs(address.sin_port))});
    transport->disconnect(0);
    transport->reconnect(0, bytesOf("hello"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    auto begin = std::chrono::steady_clock::now();
    transport = nullptr;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(4)); // less than a connection may take
    close(silent);
}

TEST_P(Listeners, APortCanBeUsedOnce) {
    EXPECT_FALSE(module->listen(addresses[0], {}, [](Transport &t, const std::string &) { echo(t); }, {}));
}

INSTANTIATE_TEST_SUITE_P(Table, Listeners, testing::ValuesIn(listeningTransports()), [](const auto &info) {
    std::string name(info.param);
    std::erase(name, '-');
    return name;
});

// ---- MPI: this binary is every rank

TEST(Mpi, KeepsItsPromises) {
    if (!std::getenv("OMPI_COMM_WORLD_SIZE"))
        GTEST_SKIP() << "only under mpirun";
    std::unique_ptr<TransportModule> mpi = loadTransport(transportNamed("MPI"), DAPHNE_TEST_LIBRARIES);
    std::unique_ptr<Transport> transport = mpi->connect({});
    if (mpi->rank() > 0)
        return echo(*transport, mpi->rank() - 1, mpi->numRanks() - 1);
    ASSERT_EQ(transport->numPeers(), mpi->numRanks() - 1);
    EXPECT_EQ(transport->nameOf(0), "rank 1");
    EXPECT_TRUE(transport->relays());
    checkAll(*transport);
    workersReachEachOther(*transport);
    for (uint32_t w = 0; w < transport->numPeers(); ++w)
        transport->send(w, bytesOf("X"));
}

} // namespace

} // namespace daphne::dist
