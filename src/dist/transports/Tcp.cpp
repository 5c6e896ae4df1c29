// SPDX-License-Identifier: Apache-2.0
/// Plain sockets, where there are no libraries for anything else. Nothing is
/// encrypted.
///
/// Each side begins with eight bytes that name the protocol and say who it is; the
/// worker's say whether it is ready. Frames follow, each behind its length. At the
/// coordinator one thread serves all connections, and each call of a worker has a
/// thread until it is answered; short frames are sent by the thread that has them. At a
/// worker every connection has a thread that reads; a coordinator counts as one when
/// its first frame is there, so that strangers who say nothing keep nobody out.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <future>
#include <list>
#include <system_error>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/Error.h"
#include "dist/protocol/Message.h"
#include "dist/transports/Mailbox.h"
#include "dist/transports/TransportModule.h"

namespace daphne::dist {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr uint64_t kChunkBytes = 1 << 20;
/// Of a chunk; and with what the protocol adds.
constexpr uint64_t kMostPayload = 64 << 20, kMostFrame = kMostPayload + 4096;
/// Frames up to this size are sent by the thread that has them, if nothing else is waiting.
constexpr size_t kShortFrame = 64 << 10;
/// Received at once, besides the rest of a frame that has begun.
constexpr size_t kRoomBytes = 64 << 10;
/// Sent at once.
constexpr size_t kMostParts = 64;
constexpr milliseconds kConnectTime{5000}, kRefusedTime{1000}, kPauseBetweenCalls{50};
/// So long nobody notices that a call is given up before it is answered.
constexpr milliseconds kGivenUpTime{20};
/// What the other side is granted to close its end.
constexpr milliseconds kFarewellTime{2000};
/// Visitors of a worker say who they are in this time, and a second coordinator waits so long for the first to leave.
constexpr milliseconds kGreetTime{5000}, kBusyTime{5000};
constexpr size_t kMostVisitors = 64;
/// A worker takes a coordinator that the system cannot reach for gone after twice this time.
constexpr int kKeepAliveSeconds = 10;
/// While nobody takes what has been received.
constexpr milliseconds kFullPause{1};

std::string errorText(int error) { return std::generic_category().message(error); }

class Socket {
  public:
    explicit Socket(int number = -1) : number(number) {}
    Socket(Socket &&other) noexcept : number(std::exchange(other.number, -1)) {}
    Socket &operator=(Socket &&other) noexcept {
        std::swap(number, other.number);
        return *this;
    }
    ~Socket() {
        if (number >= 0)
            ::close(number);
    }
    int get() const { return number; }
    bool isOpen() const { return number >= 0; }
    void set(int level, int option, int value) const { ::setsockopt(number, level, option, &value, sizeof value); }

  private:
    int number;
};

int millisecondsUntil(Clock::time_point time) {
    return static_cast<int>(std::max<int64_t>(0, std::chrono::ceil<milliseconds>(time - Clock::now()).count()));
}

// ---- what is on the wire

/// Who speaks, and what a worker answers.
enum class Role : char { Coordinator = 'c', Ready = 'r', Busy = 'b' };
using Head = std::array<std::byte, 8>;
constexpr std::string_view kSignature = "DPHTCP1";

Head opening(Role role) {
    Head head;
    std::memcpy(head.data(), kSignature.data(), kSignature.size());
    head.back() = static_cast<std::byte>(role);
    return head;
}

/// Frames that wait to be sent.
class SendQueue {
  public:
    explicit SendQueue(Role role) { items.push_back({opening(role), std::make_shared<Bytes>()}); }
    void put(std::shared_ptr<const Bytes> frame) {
        uint64_t size = frame->size();
        Head head;
        std::memcpy(head.data(), &size, sizeof size);
        waiting += frame->size();
        items.push_back({head, std::move(frame)});
    }
    bool isEmpty() const { return items.empty(); }
    size_t waitingBytes() const { return waiting; }
    void clear() { items.clear(), waiting = sent = 0; }

    /// Hands over what the socket takes at once, without copying it. The error, or 0.
    int sendSome(int socket) {
        std::array<iovec, kMostParts> parts;
        size_t count = 0, skipped = sent;
        auto add = [&](const std::byte *data, size_t size) {
            size_t skip = std::min(skipped, size);
            skipped -= skip;
            if (size > skip)
                parts[count++] = {const_cast<std::byte *>(data + skip), size - skip};
        };
        for (size_t i = 0; i < items.size() && count + 2 <= kMostParts; ++i) {
            add(items[i].head.data(), items[i].head.size());
            add(items[i].frame->data(), items[i].frame->size());
        }
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = count;
        ssize_t taken = ::sendmsg(socket, &message, MSG_NOSIGNAL);
        if (taken < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : errno;
        sent += static_cast<size_t>(taken);
        while (!items.empty() && sent >= items.front().size()) {
            sent -= items.front().size();
            waiting -= items.front().frame->size();
            items.pop_front();
        }
        return 0;
    }

  private:
    struct Item {
        Head head;
        std::shared_ptr<const Bytes> frame;
        size_t size() const { return head.size() + frame->size(); }
    };
    std::deque<Item> items;
    size_t sent = 0; ///< of the first one
    size_t waiting = 0;
};

/// Takes the stream apart. A long frame is received into its own memory, short ones several at a time. Believes no
/// length: the first frame is a greeting, which is short, and none is longer than a chunk can be.
class FrameReader {
  public:
    explicit FrameReader(Role self) : isCoordinator(self == Role::Coordinator) {}

    /// Receives once and hands over the frames that are complete then; waits if the socket does. False at the end of
    /// the stream. Throws WireError if that is no stream of ours, std::system_error if it has broken.
    template <class Deliver> bool receive(int socket, std::span<std::byte> room, Deliver deliver) {
        std::array<iovec, 2> parts;
        int count = 0;
        if (isInFrame)
            parts[count++] = {frame.data() + filled, frame.size() - filled};
        parts[count++] = {room.data(), room.size()};
        ssize_t received = ::readv(socket, parts.data(), count);
        if (received < 0) {
            if (errno == EAGAIN || errno == EINTR)
                return true;
            throw std::system_error(errno, std::generic_category());
        }
        if (received == 0)
            return false;
        auto size = static_cast<size_t>(received);
        if (isInFrame) {
            size_t own = std::min(size, frame.size() - filled);
            filled += own;
            size -= own;
            deliverIfComplete(deliver);
        }
        for (std::span<const std::byte> rest = room.first(size); !rest.empty();)
            take(rest, deliver);
        return true;
    }

  private:
    template <class Deliver> void take(std::span<const std::byte> &rest, Deliver deliver) {
        std::byte *to = isInFrame ? frame.data() : head.data();
        size_t part = std::min(rest.size(), (isInFrame ? frame.size() : head.size()) - filled);
        std::memcpy(to + filled, rest.data(), part);
        filled += part;
        rest = rest.subspan(part);
        if (!isInFrame && filled == head.size()) {
            filled = 0;
            if (hasOpening)
                beginFrame();
            else
                checkOpening();
        }
        deliverIfComplete(deliver);
    }
    void checkOpening() {
        hasOpening = true;
        auto role = static_cast<Role>(head.back());
        if (std::memcmp(head.data(), kSignature.data(), kSignature.size()) != 0)
            throw WireError(isCoordinator
                                ? "it does not answer over TCP: was the worker started with --dist_backend=TCP?"
                                : "no coordinator with --dist_backend=TCP");
        if (isCoordinator && role == Role::Busy)
            throw WireError("the worker is busy with another coordinator");
        if (role != (isCoordinator ? Role::Ready : Role::Coordinator))
            throw WireError(isCoordinator ? "no worker answers" : "no coordinator calls");
    }
    void beginFrame() {
        uint64_t size, most = hasGreeting ? kMostFrame : kMostControlBytes;
        std::memcpy(&size, head.data(), sizeof size);
        if (size > most)
            throw WireError("a frame of " + std::to_string(size) + " bytes is announced, at most " +
                            std::to_string(most) + " are allowed");
        frame = Bytes(static_cast<size_t>(size));
        isInFrame = hasGreeting = true;
    }
    template <class Deliver> void deliverIfComplete(Deliver deliver) {
        if (!isInFrame || filled < frame.size())
            return;
        isInFrame = false;
        filled = 0;
        deliver(std::exchange(frame, {}));
    }

    const bool isCoordinator;
    bool hasOpening = false, hasGreeting = false, isInFrame = false;
    Head head = {};
    Bytes frame;
    size_t filled = 0; ///< of the frame or of the head
};

// ---- addresses

struct Place {
    sockaddr_storage address = {};
    socklen_t size = 0;
    sockaddr *get() { return reinterpret_cast<sockaddr *>(&address); }
    bool operator==(const Place &other) const {
        return size == other.size && std::memcmp(&address, &other.address, size) == 0;
    }
};

std::string textOf(Place place) {
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    if (::getnameinfo(place.get(), place.size, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return "somebody";
    std::string name = host.data();
    return (name.find(':') == name.npos ? name : "[" + name + "]") + ":" + port.data();
}

struct HostAndPort {
    /// "host:port", "[ipv6]:port" or ":port", which is on this machine.
    explicit HostAndPort(const std::string &text) {
        size_t colon = text.rfind(':');
        host = text.substr(0, colon);
        port = colon == text.npos ? "" : text.substr(colon + 1);
        if (host.starts_with('[') && host.ends_with(']'))
            host = host.substr(1, host.size() - 2);
        if (host.empty())
            host = "127.0.0.1";
    }
    std::string host, port;
};

struct Places {
    std::vector<Place> all = {};
    std::string error = {};
};

Places placesOf(const HostAndPort &wanted, int flags) {
    addrinfo hints{}, *found = nullptr;
    hints.ai_flags = flags | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    Places places;
    if (int code = ::getaddrinfo(wanted.host.c_str(), wanted.port.c_str(), &hints, &found); code != 0) {
        places.error = ::gai_strerror(code);
        return places;
    }
    for (addrinfo *a = found; a; a = a->ai_next) {
        Place place;
        std::memcpy(&place.address, a->ai_addr, a->ai_addrlen);
        place.size = a->ai_addrlen;
        // Files of names may contain an address twice.
        if (std::ranges::find(places.all, place) == places.all.end())
            places.all.push_back(place);
    }
    ::freeaddrinfo(found);
    return places;
}

/// Why a worker cannot be reached.
class Unreachable : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// One attempt to connect to a worker.
class Call {
  public:
    Call(const std::string &address, const std::atomic<bool> &isGivenUp) : wanted(address), isGivenUp(isGivenUp) {}

    /// A connected socket that does not wait. A worker that refuses may just be starting: it is called again for a
    /// moment. Throws Unreachable.
    Socket connect() {
        std::vector<Place> places = lookUp();
        std::string why = "no answer";
        for (bool wasRefused = false;;) {
            for (size_t i = 0; i < places.size() && !isOver(); ++i) {
                auto left = deadline - Clock::now();
                auto share = Clock::now() + left / static_cast<int>(places.size() - i);
                if (Socket socket = tryPlace(places[i], share, why); socket.isOpen())
                    return socket;
            }
            if (!std::exchange(wasRefused, true))
                deadline = std::min(deadline, Clock::now() + kRefusedTime);
            if (isOver())
                throw Unreachable(why);
            std::this_thread::sleep_for(kPauseBetweenCalls);
        }
    }

  private:
    bool isOver() const { return isGivenUp || Clock::now() >= deadline; }

    /// Looking names up cannot be interrupted; where that takes too long, nobody waits for the thread that does it.
    std::vector<Place> lookUp() {
        if (Places numeric = placesOf(wanted, AI_NUMERICHOST); !numeric.all.empty())
            return numeric.all;
        std::packaged_task<Places()> task([wanted = wanted] { return placesOf(wanted, AI_ADDRCONFIG); });
        std::future<Places> answer = task.get_future();
        std::thread(std::move(task)).detach();
        while (answer.wait_for(kGivenUpTime) != std::future_status::ready)
            if (isOver())
                throw Unreachable("the name '" + wanted.host + "' is not resolved");
        Places found = answer.get();
        if (found.all.empty())
            throw Unreachable("'" + wanted.host + "': " + found.error);
        return found.all;
    }

    /// No socket if nobody answers there until then, and why.
    Socket tryPlace(Place &place, Clock::time_point until, std::string &why) const {
        Socket socket(::socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        int error = 0;
        if (!socket.isOpen() || (::connect(socket.get(), place.get(), place.size) != 0 && errno != EINPROGRESS)) {
            why = errorText(errno);
            return Socket();
        }
        pollfd wait{socket.get(), POLLOUT, 0};
        while (::poll(&wait, 1, std::min(millisecondsUntil(until), static_cast<int>(kGivenUpTime.count()))) <= 0)
            if (isGivenUp || Clock::now() >= until) {
                why = "no answer";
                return Socket();
            }
        socklen_t size = sizeof error;
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error == 0 && isConnectedToItself(socket))
            error = ECONNREFUSED;
        if (error != 0) {
            why = errorText(error);
            return Socket();
        }
        socket.set(IPPROTO_TCP, TCP_NODELAY, 1);
        return socket;
    }
    /// Who calls a free port of this machine often enough gets the same port for its own end, and an answer.
    static bool isConnectedToItself(const Socket &socket) {
        Place own, other;
        own.size = other.size = sizeof own.address;
        return ::getsockname(socket.get(), own.get(), &own.size) == 0 &&
               ::getpeername(socket.get(), other.get(), &other.size) == 0 && own == other;
    }

    const HostAndPort wanted;
    const std::atomic<bool> &isGivenUp;
    Clock::time_point deadline = Clock::now() + kConnectTime;
};

// ---- coordinator

/// Which connection to which worker.
struct Line {
    uint32_t peer = 0, connection = 0;
};

/// A call, and what becomes of it. The thread of the poll serves it, once it is connected, and ends it.
class Connection {
  public:
    Connection(Line line, const std::string &address, Mailbox &inbox, int poll)
        : line(line), inbox(inbox), poll(poll), caller([this, address] { call(address); }) {}
    ~Connection() { caller.join(); }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    /// Waking another thread takes longer than sending what is short.
    void send(std::shared_ptr<const Bytes> frame) {
        std::unique_lock lock(mutex);
        hasRoom.wait(lock, [&] { return isBroken || isCut || outgoing.waitingBytes() < Mailbox::kUsualBytes; });
        if (isBroken || isCut)
            return;
        bool mayGo = outgoing.isEmpty() && frame->size() <= kShortFrame;
        outgoing.put(std::move(frame));
        if (!socket.isOpen())
            return;
        if (mayGo)
            sendSome();
        watch();
    }
    void disconnect() {
        std::lock_guard lock(mutex);
        cut();
    }
    /// Nothing more is sent; the worker's end of the stream ends the connection.
    void close() {
        std::lock_guard lock(mutex);
        isClosing = true;
        if (!socket.isOpen())
            cut();
        else
            endStream();
    }
    bool isDone() const { return isOver; }

    /// By the thread of the poll. Nothing is touched after the end.
    void serve(bool mayReceive, std::span<std::byte> room) {
        {
            std::lock_guard lock(mutex);
            if (!outgoing.isEmpty())
                sendSome();
            watch();
        }
        if (!mayReceive)
            return;
        try {
            bool goesOn = reader.receive(socket.get(), room, [&](Bytes frame) {
                if (!isCut && !inbox.isClosed())
                    inbox.putAnyway({line.peer, std::move(frame), false, {}, line.connection});
            });
            if (!goesOn)
                lose("the connection was closed");
        } catch (const std::system_error &e) {
            lose(e.code().message());
        } catch (const std::exception &e) {
            lose(e.what());
        }
    }

  private:
    void call(const std::string &address) {
        try {
            Socket connected = Call(address, isCut).connect();
            std::lock_guard lock(mutex);
            if (!isCut) {
                socket = std::move(connected);
                isWatchedForRoom = true;
                epoll_event event{.events = EPOLLIN | EPOLLOUT, .data = {.ptr = this}};
                if (::epoll_ctl(poll, EPOLL_CTL_ADD, socket.get(), &event) == 0)
                    return;
                socket = Socket();
                throw Unreachable(errorText(errno));
            }
        } catch (const std::exception &e) {
            return lose(std::string("it cannot be reached: ") + e.what());
        }
        lose({});
    }
    // With the lock:
    void sendSome() {
        if (outgoing.sendSome(socket.get()) != 0) {
            // What has arrived is received before the loss is told.
            isBroken = true;
            outgoing.clear();
            ::shutdown(socket.get(), SHUT_RDWR);
        }
        hasRoom.notify_all();
        endStream();
    }
    void endStream() {
        if (isClosing && outgoing.isEmpty() && !std::exchange(saidLast, true))
            ::shutdown(socket.get(), SHUT_WR);
    }
    void cut() {
        isCut = true;
        hasRoom.notify_all();
        if (socket.isOpen())
            ::shutdown(socket.get(), SHUT_RDWR);
    }
    void watch() {
        if (isWatchedForRoom == !outgoing.isEmpty())
            return;
        isWatchedForRoom = !isWatchedForRoom;
        epoll_event event{.events = EPOLLIN, .data = {.ptr = this}};
        if (isWatchedForRoom)
            event.events |= EPOLLOUT;
        ::epoll_ctl(poll, EPOLL_CTL_MOD, socket.get(), &event);
    }
    /// The end, told unless nobody wants to know.
    void lose(const std::string &why) {
        bool isTold;
        {
            std::lock_guard lock(mutex);
            isTold = !isCut.exchange(true);
            outgoing.clear();
            // Closing alone leaves it in the poll while a child of the process has it, too.
            if (socket.isOpen())
                ::epoll_ctl(poll, EPOLL_CTL_DEL, socket.get(), nullptr);
            socket = Socket();
            hasRoom.notify_all();
        }
        if (isTold)
            inbox.putAnyway({line.peer, {}, true, why, line.connection});
        isOver = true;
    }

    const Line line;
    Mailbox &inbox;
    const int poll;
    FrameReader reader{Role::Coordinator};
    std::mutex mutex; ///< of all below
    std::condition_variable hasRoom;
    Socket socket;
    SendQueue outgoing{Role::Coordinator};
    bool isWatchedForRoom = false, isClosing = false, saidLast = false, isBroken = false;
    std::atomic<bool> isCut{false}, isOver{false};
    std::thread caller;
};

/// Workers as peers: a connection for each, and sometimes one that may take its place.
class ClientTransport : public Transport {
  public:
    explicit ClientTransport(std::vector<std::string> all)
        : addresses(std::move(all)), poll(::epoll_create1(EPOLL_CLOEXEC)), over(::eventfd(0, EFD_CLOEXEC)),
          candidates(addresses.size()), attempts(addresses.size()) {
        epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
        if (!poll.isOpen() || !over.isOpen() || ::epoll_ctl(poll.get(), EPOLL_CTL_ADD, over.get(), &event) != 0)
            throw executionError("the TCP transport cannot be started: " + errorText(errno));
        try {
            server = std::thread([this] { serve(); });
            for (uint32_t i = 0; i < addresses.size(); ++i)
                connections.push_back(open({i, 0}));
        } catch (const std::system_error &e) { // too many threads
            end();
            throw executionError("the TCP transport cannot be started: " + e.code().message());
        }
    }
    ~ClientTransport() override { end(); }
    uint32_t numPeers() const override { return static_cast<uint32_t>(addresses.size()); }
    std::string nameOf(uint32_t peer) const override { return addresses[peer]; }
    std::optional<Received> receive(milliseconds patience, Listener who) override { return inbox.take(patience, who); }
    void attend(bool begins) override { inbox.attend(begins); }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return true; }
    void send(uint32_t peer, Bytes frame) override {
        connections[peer]->send(std::make_shared<const Bytes>(std::move(frame)));
    }
    void broadcast(std::span<const uint32_t> peers, const Bytes &frame) override {
        auto shared = std::make_shared<const Bytes>(frame);
        for (uint32_t peer : peers)
            connections[peer]->send(shared);
    }
    void disconnect(uint32_t peer) override { connections[peer]->disconnect(); }

    std::optional<uint32_t> reconnect(uint32_t peer, Bytes greeting) override {
        std::erase_if(retired, [](auto &connection) { return connection->isDone(); });
        retire(candidates[peer]);
        candidates[peer] = open({peer, ++attempts[peer]});
        candidates[peer]->send(std::make_shared<const Bytes>(std::move(greeting)));
        return attempts[peer];
    }
    void adopt(uint32_t peer) override {
        std::swap(connections[peer], candidates[peer]);
        retire(candidates[peer]);
    }

  private:
    /// The farewell, for those who want to hear it; all connections have ended then.
    void end() {
        inbox.close();
        for (auto &candidate : candidates)
            retire(candidate);
        for (auto &connection : connections)
            connection->close();
        auto deadline = Clock::now() + kFarewellTime;
        for (auto *group : {&connections, &retired})
            for (auto &connection : *group) {
                while (!connection->isDone() && Clock::now() < deadline)
                    std::this_thread::sleep_for(milliseconds(1));
                if (!connection->isDone())
                    connection->disconnect();
                while (!connection->isDone())
                    std::this_thread::sleep_for(milliseconds(1));
            }
        ::eventfd_write(over.get(), 1);
        if (server.joinable())
            server.join();
    }
    std::unique_ptr<Connection> open(Line line) {
        return std::make_unique<Connection>(line, addresses[line.peer], inbox, poll.get());
    }
    /// It goes when it has ended.
    void retire(std::unique_ptr<Connection> &connection) {
        if (!connection)
            return;
        connection->disconnect();
        retired.push_back(std::move(connection));
    }
    void serve() {
        std::vector<std::byte> room(kRoomBytes);
        std::array<epoll_event, 64> events;
        while (true) {
            int count = ::epoll_wait(poll.get(), events.data(), static_cast<int>(events.size()), -1);
            // Who sends more than anybody takes waits.
            bool isFull = inbox.isFull() && !inbox.isClosed();
            for (int i = 0; i < count; ++i) {
                if (!events[static_cast<size_t>(i)].data.ptr)
                    return;
                auto &connection = *static_cast<Connection *>(events[static_cast<size_t>(i)].data.ptr);
                connection.serve(!isFull && (events[static_cast<size_t>(i)].events & ~EPOLLOUT), room);
            }
            if (isFull)
                std::this_thread::sleep_for(kFullPause);
        }
    }

    const std::vector<std::string> addresses;
    Mailbox inbox;
    Socket poll, over;
    std::vector<std::unique_ptr<Connection>> connections, candidates, retired;
    std::vector<uint32_t> attempts; ///< numbers of connections
    std::thread server;
};

// ---- worker

class ServerEnd : public Transport {
  public:
    ServerEnd(int socket, std::string peer) : socket(socket), peer(std::move(peer)) {}
    uint32_t numPeers() const override { return 1; }
    std::string nameOf(uint32_t) const override { return peer; }
    void send(uint32_t, Bytes frame) override {
        std::lock_guard lock(mutex);
        outgoing.put(std::make_shared<const Bytes>(std::move(frame)));
        while (!isBroken && !outgoing.isEmpty())
            isBroken = outgoing.sendSome(socket) != 0;
        outgoing.clear();
    }
    std::optional<Received> receive(milliseconds patience, Listener who) override { return inbox.take(patience, who); }
    void attend(bool begins) override { inbox.attend(begins); }
    void disconnect(uint32_t) override {}
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return true; }

    Mailbox inbox;

  private:
    const int socket;
    const std::string peer;
    std::mutex mutex;
    SendQueue outgoing{Role::Ready};
    bool isBroken = false;
};

class Server : public TransportServer {
  public:
    Server(std::vector<Socket> listening, int port, TransportModule::Session session, TransportModule::Log log)
        : listeners(std::move(listening)), boundPort(port), session(std::move(session)), log(std::move(log)),
          acceptor([this] { acceptAll(); }) {}
    ~Server() override {
        stop();
        wait();
    }
    int port() const override { return boundPort; }
    void stop() override {
        std::lock_guard lock(mutex);
        isStopping = true;
        for (const Socket &listener : listeners)
            ::shutdown(listener.get(), SHUT_RDWR); // which wakes the acceptor
        for (const Visitor &visitor : visitors)
            if (visitor.socket.isOpen())
                ::shutdown(visitor.socket.get(), SHUT_RDWR);
        changed.notify_all();
    }
    void wait() override {
        if (acceptor.joinable())
            acceptor.join();
    }

  private:
    /// Somebody who has connected.
    struct Visitor {
        Socket socket;
        std::string name;
        std::atomic<bool> isOver{false};
        std::thread thread = {};
    };

    void acceptAll() {
        std::vector<pollfd> waits;
        waits.reserve(listeners.size());
        for (const Socket &listener : listeners)
            waits.push_back({listener.get(), POLLIN, 0});
        while (!isStopping) {
            ::poll(waits.data(), waits.size(), -1);
            for (size_t i = 0; i < waits.size() && !isStopping; ++i)
                if (waits[i].revents != 0)
                    acceptOne(waits[i].fd);
        }
        for (Visitor &visitor : visitors)
            visitor.thread.join();
    }

    void acceptOne(int listener) {
        Place place;
        place.size = sizeof place.address;
        Socket socket(::accept4(listener, place.get(), &place.size, SOCK_CLOEXEC));
        if (!socket.isOpen()) {
            // Without descriptors it would be tried again at once.
            std::this_thread::sleep_for(kPauseBetweenCalls);
            return;
        }
        std::lock_guard lock(mutex);
        visitors.remove_if([](Visitor &visitor) {
            if (visitor.isOver)
                visitor.thread.join();
            return visitor.isOver.load();
        });
        if (isStopping || visitors.size() >= kMostVisitors)
            return;
        visitors.emplace_back();
        Visitor &visitor = visitors.back();
        visitor.socket = std::move(socket);
        visitor.name = textOf(place);
        try {
            visitor.thread = std::thread([this, &visitor] { receiveVisitor(visitor); });
        } catch (const std::system_error &) {
            visitors.pop_back();
        }
    }

    void receiveVisitor(Visitor &visitor) {
        int socket = visitor.socket.get();
        visitor.socket.set(IPPROTO_TCP, TCP_NODELAY, 1);
        // A coordinator behind a cut link is gone.
        visitor.socket.set(SOL_SOCKET, SO_KEEPALIVE, 1);
        visitor.socket.set(IPPROTO_TCP, TCP_KEEPIDLE, kKeepAliveSeconds);
        visitor.socket.set(IPPROTO_TCP, TCP_KEEPINTVL, kKeepAliveSeconds / 2);
        visitor.socket.set(IPPROTO_TCP, TCP_USER_TIMEOUT, 2 * kKeepAliveSeconds * 1000);
        try {
            converse(socket, visitor.name);
        } catch (const std::exception &e) {
            if (log)
                log(visitor.name + ": rejected: " + e.what());
        }
        std::lock_guard lock(mutex);
        visitor.socket = Socket();
        visitor.isOver = true;
    }

    void converse(int socket, const std::string &name) {
        std::vector<std::byte> room(kRoomBytes);
        FrameReader reader(Role::Ready);
        std::vector<Bytes> early;
        auto deadline = Clock::now() + kGreetTime;
        while (early.empty()) {
            pollfd wait{socket, POLLIN, 0};
            int ready = ::poll(&wait, 1, millisecondsUntil(deadline));
            if (ready == 0)
                throw WireError("no greeting for " + std::to_string(kGreetTime.count()) + " ms");
            if (ready > 0 && !reader.receive(socket, room, [&](Bytes frame) { early.push_back(std::move(frame)); }))
                return;
        }
        if (!beginSession()) {
            SendQueue(Role::Busy).sendSome(socket);
            ::shutdown(socket, SHUT_WR);
            return drain(socket, room);
        }
        ServerEnd end(socket, name);
        std::future<void> reading = std::async(std::launch::async, [&] {
            for (Bytes &frame : early)
                end.inbox.put({0, std::move(frame), false, {}});
            std::string why = "the coordinator has disconnected";
            try {
                // What is behind the end of the session is received and forgotten, or the last answer might be lost.
                while (reader.receive(socket, room,
                                      [&](Bytes frame) { end.inbox.put({0, std::move(frame), false, {}}); })) {
                }
            } catch (const std::system_error &e) {
                why += ": " + e.code().message();
            } catch (const std::exception &e) {
                why = e.what();
            }
            end.inbox.put({0, {}, true, why});
        });
        session(end, name);
        end.inbox.close();
        endSession();
        ::shutdown(socket, SHUT_WR);
        // The coordinator should close now.
        if (reading.wait_for(kFarewellTime) != std::future_status::ready)
            ::shutdown(socket, SHUT_RDWR);
    }

    /// Receives what is of no interest until the other side closes its end.
    static void drain(int socket, std::span<std::byte> room) {
        auto deadline = Clock::now() + kFarewellTime;
        pollfd wait{socket, POLLIN, 0};
        while (::poll(&wait, 1, millisecondsUntil(deadline)) > 0 && ::read(socket, room.data(), room.size()) > 0) {
        }
    }

    /// One coordinator at a time. False if the one who is there does not leave.
    bool beginSession() {
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, kBusyTime, [&] { return !isBusy || isStopping; }) && !isStopping &&
               !std::exchange(isBusy, true);
    }
    void endSession() {
        std::lock_guard lock(mutex);
        isBusy = false;
        changed.notify_all();
    }

    const std::vector<Socket> listeners;
    const int boundPort;
    const TransportModule::Session session;
    const TransportModule::Log log;
    std::mutex mutex;
    std::condition_variable changed;
    std::list<Visitor> visitors;
    bool isBusy = false;
    std::atomic<bool> isStopping{false};
    std::thread acceptor;
};

/// No socket if the place is in use; it may be one of a family that this machine does not have.
Socket listenAt(Place place, int &error) {
    Socket socket(::socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socket.set(SOL_SOCKET, SO_REUSEADDR, 1); // by a worker that is started again, not by two
    if (place.address.ss_family == AF_INET6)
        socket.set(IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (socket.isOpen() && ::bind(socket.get(), place.get(), place.size) == 0 && ::listen(socket.get(), SOMAXCONN) == 0)
        return socket;
    error = errno;
    return Socket();
}

int portOf(const Socket &socket) {
    Place place;
    place.size = sizeof place.address;
    ::getsockname(socket.get(), place.get(), &place.size);
    // At the same place in addresses of both families.
    return ntohs(reinterpret_cast<sockaddr_in *>(&place.address)->sin_port);
}

class Module : public TransportModule {
  public:
    std::unique_ptr<Transport> connect(const ConnectRequest &request) override {
        refuse(request.tls);
        return std::make_unique<ClientTransport>(request.addresses);
    }
    uint64_t mostChunkBytes() const override { return kMostPayload; }
    /// A name may have an address of either family: the worker listens at all that this machine has, at one port.
    std::unique_ptr<TransportServer> listen(const std::string &address, const TlsIdentity &tls, Session session,
                                            Log log) override {
        refuse(tls);
        HostAndPort wanted(address);
        bool isAnyPort = wanted.port == "0";
        std::vector<Socket> listeners;
        for (Place &place : placesOf(wanted, AI_PASSIVE).all) {
            if (isAnyPort && !listeners.empty())
                reinterpret_cast<sockaddr_in *>(&place.address)->sin_port =
                    htons(static_cast<uint16_t>(portOf(listeners.front())));
            int error = 0;
            if (Socket socket = listenAt(place, error); socket.isOpen())
                listeners.push_back(std::move(socket));
            else if (error != EAFNOSUPPORT && error != EADDRNOTAVAIL)
                return nullptr;
        }
        if (listeners.empty())
            return nullptr;
        int port = portOf(listeners.front());
        return std::make_unique<Server>(std::move(listeners), port, std::move(session), std::move(log));
    }

  private:
    /// Who asks for encryption never gets a connection without.
    static void refuse(const TlsIdentity &tls) {
        if (tls.isGiven())
            throw executionError("the TCP transport does not encrypt");
    }
};

} // namespace

TransportModule *makeTcp(const TransportHost &) { return new Module; }

} // namespace daphne::dist
