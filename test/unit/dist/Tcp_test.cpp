// SPDX-License-Identifier: Apache-2.0
/// What strangers say on a port of the TCP transport, to either side: garbage,
/// pieces, lengths that nobody should believe. What it has in common with other
/// transports is in Transport_test.cpp.
#include <arpa/inet.h>
#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include "dist/protocol/Message.h"
#include "dist/transports/TransportTable.h"

namespace daphne::dist {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kCall = "DPHTCP1c", kReady = "DPHTCP1r";

Bytes bytesOf(std::string_view text) {
    auto *data = reinterpret_cast<const std::byte *>(text.data());
    return {data, data + text.size()};
}
std::string textOf(const Bytes &bytes) { return {reinterpret_cast<const char *>(bytes.data()), bytes.size()}; }
std::string lengthOf(uint64_t size) { return {reinterpret_cast<const char *>(&size), sizeof size}; }
std::string framed(std::string_view text) { return lengthOf(text.size()) + std::string(text); }

/// A socket that says what it likes.
class Raw {
  public:
    explicit Raw(int descriptor) : descriptor(descriptor) {}
    static Raw to(int port) {
        Raw raw(::socket(AF_INET, SOCK_STREAM, 0));
        sockaddr_in address = loopback(port);
        if (::connect(raw.descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
            throw std::runtime_error(std::strerror(errno));
        return raw;
    }
    Raw(Raw &&other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
    ~Raw() { close(); }
    static sockaddr_in loopback(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<uint16_t>(port));
        return address;
    }
    /// The other side may close its end before everything is said.
    void say(std::string_view text) const {
        while (!text.empty()) {
            ssize_t n = ::send(descriptor, text.data(), text.size(), MSG_NOSIGNAL);
            if (n <= 0)
                return;
            text.remove_prefix(static_cast<size_t>(n));
        }
    }
    /// What comes until the other side closes its end; "open" is added if it does not for so long.
    std::string hear(milliseconds patience) const {
        std::string heard;
        std::array<char, 65536> room;
        for (auto deadline = Clock::now() + patience;;) {
            pollfd wait{descriptor, POLLIN, 0};
            auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
            if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) == 0)
                return heard + "open";
            ssize_t n = ::recv(descriptor, room.data(), room.size(), 0);
            if (n <= 0)
                return heard;
            heard.append(room.data(), static_cast<size_t>(n));
        }
    }
    /// So many bytes, which the other side is expected to say.
    std::string hearBytes(size_t size) const {
        std::string heard(size, '\0');
        return ::recv(descriptor, heard.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size) ? heard : "";
    }
    void finish() const { ::shutdown(descriptor, SHUT_WR); }
    void close() {
        if (descriptor >= 0)
            ::close(std::exchange(descriptor, -1));
    }

    int descriptor;
};

Received next(Transport &transport) {
    for (int i = 0; i < 30; ++i)
        if (std::optional<Received> item = transport.receive(seconds(1)))
            return std::move(*item);
    ADD_FAILURE() << "nothing came";
    return {};
}

/// A worker that sends back what it gets.
class TcpServer : public testing::Test {
  protected:
    void SetUp() override {
        server = module->listen(
            "127.0.0.1:0", {}, [this](Transport &t, const std::string &) { serve(t); },
            [this](const std::string &line) {
                std::lock_guard lock(mutex);
                log += line + "\n";
            });
        ASSERT_TRUE(server);
    }
    void TearDown() override { server->stop(); }
    void serve(Transport &transport) {
        ++sessions;
        while (std::optional<Received> item = transport.receive(seconds(20))) {
            if (item->isLost) {
                std::lock_guard lock(mutex);
                reason = item->reason;
                break;
            }
            transport.send(0, std::move(item->frame));
        }
        ++ended;
    }
    bool waitFor(const std::function<bool()> &isTrue) const {
        for (auto deadline = Clock::now() + seconds(10); Clock::now() < deadline;) {
            if (isTrue())
                return true;
            std::this_thread::sleep_for(milliseconds(5));
        }
        return false;
    }
    bool isLogged(const std::string &text) {
        return waitFor([&] {
            std::lock_guard lock(mutex);
            return log.find(text) != log.npos;
        });
    }
    std::string lastReason() {
        std::lock_guard lock(mutex);
        return reason;
    }
    void expectService() {
        auto transport = module->connect({.addresses = {"127.0.0.1:" + std::to_string(server->port())}});
        transport->send(0, bytesOf("hello"));
        EXPECT_EQ(textOf(next(*transport).frame), "hello");
    }

    std::unique_ptr<TransportModule> module = loadTransport(transportNamed("TCP"), "");
    std::mutex mutex;
    std::string log, reason;
    std::atomic<int> sessions{0}, ended{0};
    std::unique_ptr<TransportServer> server;
};

TEST_F(TcpServer, AnswersInFramesHoweverTheBytesArrive) {
    std::string stream = std::string(kCall) + framed("one") + framed("") + framed(std::string(100000, 'x'));
    for (size_t step : {size_t(1), size_t(7), size_t(70000), stream.size()}) {
        Raw raw = Raw::to(server->port());
        // Byte by byte only as far as lengths and texts are short.
        for (size_t at = 0; at < stream.size();) {
            size_t size = std::min(at < 64 ? step : std::max<size_t>(step, 5000), stream.size() - at);
            raw.say(std::string_view(stream).substr(at, size));
            at += size;
        }
        raw.finish();
        EXPECT_EQ(raw.hear(seconds(10)), std::string(kReady) + stream.substr(kCall.size())) << step;
    }
}

TEST_F(TcpServer, GarbageIsRejectedWithALineInTheLog) {
    for (const std::string &noise :
         {std::string("GET / HTTP/1.0\r\n\r\n"), std::string(100000, '\0'), std::string("PRI * HTTP/2.0\r\n\r\n"),
          std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), std::string("DPHTCP2c") + framed("x")}) {
        {
            std::lock_guard lock(mutex);
            log.clear();
        }
        Raw raw = Raw::to(server->port());
        raw.say(noise);
        EXPECT_EQ(raw.hear(seconds(10)), "");
        EXPECT_TRUE(isLogged("rejected: no coordinator with --dist_backend=TCP")) << noise.substr(0, 10);
    }
    Raw raw = Raw::to(server->port());
    raw.say(std::string(kReady) + framed("a worker"));
    EXPECT_EQ(raw.hear(seconds(10)), "");
    EXPECT_TRUE(isLogged("rejected: no coordinator calls"));
    EXPECT_EQ(sessions, 0);
    expectService();
}

TEST_F(TcpServer, AGreetingIsShort) {
    Raw raw = Raw::to(server->port());
    raw.say(std::string(kCall) + lengthOf(kMostControlBytes + 1));
    EXPECT_EQ(raw.hear(seconds(10)), "");
    EXPECT_TRUE(isLogged("rejected: a frame of 4194305 bytes is announced, at most 4194304 are allowed"));
    EXPECT_EQ(sessions, 0);
    expectService();
}

TEST_F(TcpServer, ALengthThatNoFrameHasEndsTheSession) {
    const uint64_t most = module->mostChunkBytes() + 4096;
    const std::string greeted = std::string(kReady) + framed("hello");
    for (uint64_t size : {most + 1, uint64_t(1) << 40, ~uint64_t(0), uint64_t(1) << 63}) {
        int before = ended;
        Raw raw = Raw::to(server->port());
        raw.say(std::string(kCall) + framed("hello"));
        EXPECT_EQ(raw.hearBytes(greeted.size()), greeted);
        raw.say(lengthOf(size) + "some bytes");
        EXPECT_EQ(raw.hear(seconds(10)), "");
        ASSERT_TRUE(waitFor([&] { return ended > before; }));
        EXPECT_EQ(lastReason(), "a frame of " + std::to_string(size) + " bytes is announced, at most " +
                                    std::to_string(most) + " are allowed");
    }
    // The largest one there is may be announced.
    Raw raw = Raw::to(server->port());
    raw.say(std::string(kCall) + framed("hello") + lengthOf(most) + "some bytes");
    EXPECT_EQ(raw.hear(milliseconds(300)), greeted + "open");
    raw.close();
    expectService();
}

TEST_F(TcpServer, AFrameThatIsCutOffIsNotDelivered) {
    std::string stream = std::string(kCall) + framed("hello") + framed("never complete");
    for (size_t size = kCall.size() + framed("hello").size(); size < stream.size(); ++size) {
        int before = ended;
        Raw raw = Raw::to(server->port());
        raw.say(stream.substr(0, size));
        raw.finish();
        EXPECT_EQ(raw.hear(seconds(10)), std::string(kReady) + framed("hello")) << size;
        ASSERT_TRUE(waitFor([&] { return ended > before; }));
        EXPECT_EQ(lastReason(), "the coordinator has disconnected");
    }
}

TEST_F(TcpServer, WhoSaysNothingKeepsNobodyOut) {
    std::vector<Raw> silent;
    for (int i = 0; i < 10; ++i) {
        silent.push_back(Raw::to(server->port()));
        silent.back().say(std::string(kCall).substr(0, static_cast<size_t>(i) % 9));
    }
    silent.back().say(std::string(kCall) + framed("not yet").substr(0, 10));
    auto begin = Clock::now();
    expectService();
    EXPECT_LT(Clock::now() - begin, seconds(3));
    EXPECT_EQ(sessions, 1);
    EXPECT_TRUE(isLogged("rejected: no greeting for 5000 ms"));
    EXPECT_EQ(silent.front().hear(seconds(10)), "");
}

TEST_F(TcpServer, AVisitorThatIsStillThereDoesNotDelayTheEnd) {
    Raw silent = Raw::to(server->port()), working = Raw::to(server->port());
    working.say(std::string(kCall) + framed("hello"));
    ASSERT_TRUE(waitFor([&] { return sessions == 1; }));
    auto begin = Clock::now();
    server->stop();
    server->wait();
    EXPECT_LT(Clock::now() - begin, seconds(4));
    EXPECT_EQ(ended, 1);
}

TEST_F(TcpServer, RandomBytesNeverDoHarm) {
    std::mt19937 random(7);
    std::string valid = std::string(kCall) + framed("hello") + framed(std::string(300, 'y')) + framed("end");
    for (int i = 0; i < 300; ++i) {
        std::string stream = valid;
        // Some bytes are others, behind the opening more often than in it, and some are missing.
        for (int k = 0; k < 3; ++k)
            stream[random() % 4 == 0 ? random() % stream.size() : 8 + random() % 30] = static_cast<char>(random());
        if (random() % 2 == 0)
            stream.resize(random() % stream.size());
        Raw raw = Raw::to(server->port());
        raw.say(stream);
        raw.finish();
        std::string heard = raw.hear(seconds(10));
        EXPECT_FALSE(heard.ends_with("open")) << i;
        EXPECT_TRUE(heard.empty() || heard.starts_with(kReady)) << i;
    }
    expectService();
}

TEST_F(TcpServer, WhoAsksForTlsGetsNoConnectionWithout) {
    TlsIdentity tls{"certificate", "key", "authority"};
    EXPECT_ANY_THROW(module->connect({.addresses = {"127.0.0.1:1"}, .tls = tls}));
    EXPECT_ANY_THROW(module->listen("127.0.0.1:0", tls, [](Transport &, const std::string &) {}, {}));
}

/// A coordinator whose worker says what the test wants.
class TcpClient : public testing::Test {
  protected:
    void SetUp() override {
        sockaddr_in address = Raw::loopback(0);
        socklen_t size = sizeof address;
        ASSERT_EQ(::bind(listener.descriptor, reinterpret_cast<sockaddr *>(&address), size), 0);
        ASSERT_EQ(::listen(listener.descriptor, 5), 0);
        ASSERT_EQ(::getsockname(listener.descriptor, reinterpret_cast<sockaddr *>(&address), &size), 0);
        port = ntohs(address.sin_port);
    }
    std::unique_ptr<Transport> connect() {
        auto transport = module->connect({.addresses = {"127.0.0.1:" + std::to_string(port)}});
        transport->send(0, bytesOf("hello"));
        return transport;
    }
    Raw accept() const { return Raw(::accept(listener.descriptor, nullptr, nullptr)); }

    std::unique_ptr<TransportModule> module = loadTransport(transportNamed("TCP"), "");
    Raw listener{::socket(AF_INET, SOCK_STREAM, 0)};
    int port = 0;
};

TEST_F(TcpClient, WhatIsNoWorkerIsLostWithAReason) {
    struct Case {
        std::string said, reason;
        size_t frames = 0;
    };
    for (const Case &c :
         {Case{"HTTP/1.1 400 Bad Request\r\n\r\n", "was the worker started with --dist_backend=TCP?"},
          Case{std::string("\0\0\x12\x04\0\0\0\0\0", 9), "was the worker started with --dist_backend=TCP?"},
          Case{std::string(kCall) + framed("an echo"), "no worker answers"},
          Case{"DPHTCP1b", "busy with another coordinator"}, Case{"", "the connection was closed"},
          Case{"DPHT", "the connection was closed"},
          Case{std::string(kReady) + lengthOf(~uint64_t(0)), "a frame of 18446744073709551615 bytes is announced"},
          Case{std::string(kReady) + framed("welcome") + lengthOf(uint64_t(1) << 40), "is announced", 1},
          Case{std::string(kReady) + framed("welcome") + framed("and half a frame").substr(0, 12),
               "the connection was closed", 1}}) {
        auto transport = connect();
        Raw worker = accept();
        worker.say(c.said);
        worker.finish();
        for (size_t i = 0; i < c.frames; ++i)
            EXPECT_EQ(textOf(next(*transport).frame), "welcome");
        Received lost = next(*transport);
        EXPECT_TRUE(lost.isLost);
        EXPECT_NE(lost.reason.find(c.reason), lost.reason.npos) << lost.reason << " instead of " << c.reason;
        EXPECT_FALSE(transport->receive(milliseconds(20)).has_value());
    }
}

TEST_F(TcpClient, FramesBeforeAResetArriveBeforeTheLoss) {
    auto transport = connect();
    Raw worker = accept();
    worker.say(std::string(kReady) + framed("last words"));
    EXPECT_EQ(textOf(next(*transport).frame), "last words");
    linger hard{1, 0};
    ::setsockopt(worker.descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    worker.close();
    EXPECT_TRUE(next(*transport).isLost);
    for (int i = 0; i < 10; ++i)
        transport->send(0, bytesOf("into the void"));
    EXPECT_FALSE(transport->receive(milliseconds(50)).has_value());
}

/// Who sends waits while a worker takes nothing, and goes on when the worker is given up.
TEST_F(TcpClient, AWorkerThatTakesNothingIsGivenUpWithItsSenders) {
    auto transport = connect();
    Raw worker = accept();
    worker.say(std::string(kReady) + framed("welcome"));
    EXPECT_EQ(textOf(next(*transport).frame), "welcome");
    std::atomic<int> sent{0};
    std::thread sender([&] {
        for (; sent < 200; ++sent)
            transport->send(0, Bytes(1 << 20));
    });
    std::this_thread::sleep_for(milliseconds(500));
    EXPECT_LT(sent, 150); // 64 MiB and what the system holds
    transport->disconnect(0);
    sender.join();
    auto begin = Clock::now();
    transport = nullptr;
    EXPECT_LT(Clock::now() - begin, seconds(1));
}

TEST_F(TcpClient, ANameThatNobodyHasIsNoWorker) {
    auto transport = module->connect({.addresses = {"no-such-host.invalid:1"}});
    Received lost = next(*transport);
    EXPECT_TRUE(lost.isLost);
    EXPECT_TRUE(lost.reason.starts_with("it cannot be reached: ")) << lost.reason;
    EXPECT_NE(lost.reason.find("no-such-host.invalid"), lost.reason.npos) << lost.reason;
}

} // namespace

} // namespace daphne::dist
