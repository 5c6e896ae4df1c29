// SPDX-License-Identifier: Apache-2.0
/// One bidirectional stream of frames per worker. The coordinator is the client;
/// it either gives every worker two threads (sync; short frames are written by who
/// sends them) or serves all of them from
/// one completion queue (async).
#include <atomic>
#include <functional>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <thread>

#include "dist/transports/Mailbox.h"
#include "dist/transports/TransportModule.h"
#include "exchange.grpc.pb.h"

namespace daphne::dist {

namespace {

constexpr uint64_t kChunkBytes = 1 << 20;
/// Of a message; and with its envelope.
constexpr uint64_t kMostPayload = 64 << 20, kMostFrame = kMostPayload + 4096;
/// Frames up to this size are written by who sends them, if nothing else is waiting.
constexpr size_t kShortFrame = 64 << 10;
constexpr std::chrono::seconds kConnectTime{5}, kRefusedTime{1};
/// So long nobody notices that a connection is given up before it is there.
constexpr std::chrono::milliseconds kGivenUpTime{20};
/// What a client that does not close its stream is granted.
constexpr std::chrono::seconds kFarewellTime{2};
/// A second coordinator waits so long for the first to leave.
constexpr std::chrono::seconds kBusyTime{5};

using Clock = std::chrono::system_clock;
using wire::Frame;

Bytes bytesOf(const Frame &frame) {
    auto *data = reinterpret_cast<const std::byte *>(frame.data().data());
    return {data, data + frame.data().size()};
}
Frame frameOf(const Bytes &bytes) {
    Frame frame;
    frame.set_data(bytes.data(), bytes.size());
    return frame;
}

std::string reasonOf(const grpc::Status &status) {
    return status.error_message().empty() ? "the connection was closed" : status.error_message();
}

std::shared_ptr<grpc::Channel> openChannel(const std::string &address, const TlsIdentity &tls) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(kMostFrame));
    arguments.SetMaxSendMessageSize(static_cast<int>(kMostFrame));
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (tls.isGiven())
        credentials = grpc::SslCredentials({tls.authority, tls.key, tls.certificate});
    return grpc::CreateCustomChannel(address, credentials, arguments);
}

/// Which connection to which worker.
struct Line {
    uint32_t peer = 0, connection = 0;
};

// ---- client, two threads per worker

class SyncConnection {
  public:
    SyncConnection(Line line, const std::string &address, const TlsIdentity &tls, Mailbox &inbox)
        : line(line), inbox(inbox), channel(openChannel(address, tls)), stub(wire::Worker::NewStub(channel)),
          writer([this] { run(); }) {}
    ~SyncConnection() {
        outbox.close();
        // A worker that hangs does not answer to our end of the stream.
        for (auto deadline = Clock::now() + kFarewellTime; !isOver && Clock::now() < deadline;)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (!isOver)
            context.TryCancel();
        writer.join();
    }
    /// Waking another thread takes longer than writing what is short.
    void send(Bytes frame) {
        if (frame.size() <= kShortFrame && numQueued == 0) {
            std::unique_lock lock(writing, std::try_to_lock);
            if (lock && isOpen && numQueued == 0) {
                if (!stream->Write(frameOf(frame)))
                    outbox.close();
                return;
            }
        }
        ++numQueued;
        outbox.put({0, std::move(frame), false, {}});
    }
    void disconnect() {
        isCut = true;
        context.TryCancel();
        outbox.close();
    }
    /// Nothing more is sent.
    void close() { outbox.close(); }
    bool isDone() const { return isOver; }

  private:
    void run() {
        isConnected() ? exchange() : lose("it cannot be reached");
        isOver = true;
    }

    /// Who refuses is given a moment, who is silent some time.
    bool isConnected() {
        auto deadline = Clock::now() + kConnectTime;
        bool wasRefused = false;
        while (true) {
            grpc_connectivity_state state = channel->GetState(true);
            if (state == GRPC_CHANNEL_READY)
                return true;
            if (state == GRPC_CHANNEL_TRANSIENT_FAILURE && !std::exchange(wasRefused, true))
                deadline = std::min(deadline, Clock::now() + kRefusedTime);
            if (isCut || Clock::now() >= deadline)
                return false;
            channel->WaitForStateChange(state, std::min(deadline, Clock::now() + kGivenUpTime));
        }
    }

    void exchange() {
        stream = stub->Exchange(&context);
        std::thread reader([this] {
            Frame frame;
            while (stream->Read(&frame))
                inbox.put({line.peer, bytesOf(frame), false, {}, line.connection});
            outbox.close();
        });
        std::unique_lock lock(writing);
        isOpen = true;
        while (true) {
            lock.unlock();
            std::optional<Received> item = outbox.take(std::chrono::milliseconds(1000));
            lock.lock();
            if (item ? !stream->Write(frameOf(item->frame)) : outbox.isClosed())
                break;
            numQueued -= item ? 1 : 0;
        }
        isOpen = false;
        lock.unlock();
        stream->WritesDone();
        reader.join();
        lose(reasonOf(stream->Finish()));
    }
    void lose(const std::string &why) {
        outbox.close();
        if (!isCut.exchange(true))
            inbox.put({line.peer, {}, true, why, line.connection});
    }

    const Line line;
    Mailbox &inbox;
    Mailbox outbox;
    std::atomic<bool> isCut{false}, isOver{false};
    std::atomic<uint64_t> numQueued{0}; ///< frames in the outbox or taken from it and not written yet
    std::mutex writing;                 ///< of the stream, and of isOpen
    bool isOpen = false;                ///< frames may be written
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<wire::Worker::Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReaderWriter<Frame, Frame>> stream;
    std::thread writer;
};

// ---- client, one completion queue for all workers

class AsyncConnection {
  public:
    enum class Operation : uint8_t { Start, Read, Write, WritesDone, Finish };
    struct Tag {
        AsyncConnection *connection;
        Operation operation;
    };

    AsyncConnection(Line line, const std::string &address, const TlsIdentity &tls, Mailbox &inbox,
                    grpc::CompletionQueue &queue)
        : line(line), inbox(inbox), channel(openChannel(address, tls)), stub(wire::Worker::NewStub(channel)) {
        context.set_wait_for_ready(false);
        stream = stub->PrepareAsyncExchange(&context, &queue);
        underWay = 1;
        stream->StartCall(&start);
    }

    void send(Bytes frame) {
        std::unique_lock lock(mutex);
        hasRoom.wait(lock, [&] { return isOver || outgoingBytes < Mailbox::kUsualBytes; });
        if (isOver)
            return;
        outgoingBytes += frame.size();
        outgoing.push_back(std::move(frame));
        writeNext();
    }
    void disconnect() {
        std::lock_guard lock(mutex);
        isCut = true;
        context.TryCancel();
    }
    /// Nothing more is sent; the worker's end of the stream ends the connection.
    void close() {
        std::lock_guard lock(mutex);
        isClosing = true;
        writeNext();
    }
    bool isDone() {
        std::lock_guard lock(mutex);
        return underWay == 0;
    }

    /// An operation has ended; called by the thread of the queue.
    void complete(Operation operation, bool ok) {
        std::optional<Received> item;
        {
            std::lock_guard lock(mutex);
            switch (operation) {
            case Operation::Start:
                isStarted = ok;
                ok ? (readNext(), writeNext()) : finish();
                break;
            case Operation::Read:
                if (ok)
                    item = Received{line.peer, bytesOf(incoming), false, {}, line.connection};
                else
                    finish();
                break;
            case Operation::Write:
                isWriting = false;
                outgoingBytes -= outgoing.front().size();
                outgoing.pop_front();
                hasRoom.notify_all();
                if (ok)
                    writeNext();
                break;
            case Operation::WritesDone: break;
            case Operation::Finish:
                isOver = true;
                hasRoom.notify_all();
                if (!isCut)
                    item = Received{line.peer, {}, true, reasonOf(status), line.connection};
            }
        }
        bool isFrame = item && !item->isLost;
        if (item)
            inbox.put(std::move(*item));
        std::lock_guard lock(mutex);
        if (isFrame)
            readNext();
        --underWay; // the last one ends the connection: nothing of it is touched afterwards
    }

  private:
    void readNext() {
        ++underWay;
        stream->Read(&incoming, &read);
    }
    void writeNext() {
        if (!isStarted || isWriting || isOver || isFinishing)
            return;
        if (outgoing.empty()) {
            if (isClosing && !saidLast) {
                saidLast = true;
                ++underWay;
                stream->WritesDone(&writesDone);
            }
            return;
        }
        isWriting = true;
        current = frameOf(outgoing.front());
        ++underWay;
        stream->Write(current, &write);
    }
    void finish() {
        if (isFinishing)
            return;
        isFinishing = true;
        ++underWay;
        stream->Finish(&status, &last);
    }

    const Line line;
    Mailbox &inbox;
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<wire::Worker::Stub> stub;
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientAsyncReaderWriter<Frame, Frame>> stream;
    Tag start{this, Operation::Start}, read{this, Operation::Read}, write{this, Operation::Write},
        writesDone{this, Operation::WritesDone}, last{this, Operation::Finish};
    std::mutex mutex;
    std::condition_variable hasRoom;
    std::deque<Bytes> outgoing;
    size_t outgoingBytes = 0, underWay = 0;
    Frame incoming, current;
    grpc::Status status;
    bool isStarted = false, isWriting = false, isClosing = false, saidLast = false, isFinishing = false, isOver = false,
         isCut = false;
};

/// Workers as peers: one connection of type C for each, and sometimes one that may take its place.
template <class C> class ClientTransport : public Transport {
  public:
    ClientTransport(std::vector<std::string> all, TlsIdentity tls)
        : addresses(std::move(all)), tls(std::move(tls)), candidates(addresses.size()), attempts(addresses.size()) {}
    uint32_t numPeers() const override { return static_cast<uint32_t>(addresses.size()); }
    std::string nameOf(uint32_t peer) const override { return addresses[peer]; }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener who) override {
        return inbox.take(patience, who);
    }
    void attend(bool begins) override { inbox.attend(begins); }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return true; }
    void send(uint32_t peer, Bytes frame) override { connections[peer]->send(std::move(frame)); }
    void disconnect(uint32_t peer) override { connections[peer]->disconnect(); }

    std::optional<uint32_t> reconnect(uint32_t peer, Bytes greeting) override {
        std::erase_if(retired, [](auto &connection) { return connection->isDone(); });
        retire(candidates[peer]);
        candidates[peer] = open({peer, ++attempts[peer]});
        candidates[peer]->send(std::move(greeting));
        return attempts[peer];
    }
    void adopt(uint32_t peer) override {
        std::swap(connections[peer], candidates[peer]);
        retire(candidates[peer]);
    }

  protected:
    virtual std::unique_ptr<C> open(Line line) = 0;
    void openAll() {
        for (uint32_t i = 0; i < addresses.size(); ++i)
            connections.push_back(open({i, 0}));
    }
    /// It goes when it has ended.
    void retire(std::unique_ptr<C> &connection) {
        if (!connection)
            return;
        connection->disconnect();
        retired.push_back(std::move(connection));
    }
    /// The farewell, for those who want to hear it; all connections have ended then.
    void closeAll() {
        inbox.close();
        for (auto &candidate : candidates)
            retire(candidate);
        for (auto &connection : connections)
            connection->close();
        auto deadline = Clock::now() + kFarewellTime;
        for (auto *group : {&connections, &retired})
            for (auto &connection : *group) {
                while (!connection->isDone() && Clock::now() < deadline)
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (!connection->isDone())
                    connection->disconnect();
                while (!connection->isDone())
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
    }

    std::vector<std::string> addresses;
    TlsIdentity tls;
    Mailbox inbox;
    std::vector<std::unique_ptr<C>> connections, candidates, retired;
    std::vector<uint32_t> attempts; ///< numbers of connections
};

class SyncTransport : public ClientTransport<SyncConnection> {
  public:
    SyncTransport(const std::vector<std::string> &all, const TlsIdentity &tls) : ClientTransport(all, tls) {
        openAll();
    }
    ~SyncTransport() override { closeAll(); }

  private:
    std::unique_ptr<SyncConnection> open(Line line) override {
        return std::make_unique<SyncConnection>(line, addresses[line.peer], tls, inbox);
    }
};

class AsyncTransport : public ClientTransport<AsyncConnection> {
  public:
    AsyncTransport(const std::vector<std::string> &all, const TlsIdentity &tls) : ClientTransport(all, tls) {
        openAll();
        thread = std::thread([this] {
            void *tag;
            bool ok;
            while (queue.Next(&tag, &ok)) {
                auto *t = static_cast<AsyncConnection::Tag *>(tag);
                t->connection->complete(t->operation, ok);
            }
        });
    }
    ~AsyncTransport() override {
        closeAll();
        queue.Shutdown();
        thread.join();
    }

  private:
    std::unique_ptr<AsyncConnection> open(Line line) override {
        return std::make_unique<AsyncConnection>(line, addresses[line.peer], tls, inbox, queue);
    }

    grpc::CompletionQueue queue;
    std::thread thread;
};

// ---- server

class ServerEnd : public Transport {
  public:
    ServerEnd(grpc::ServerReaderWriter<Frame, Frame> &stream, std::string peer)
        : stream(stream), peer(std::move(peer)) {}
    uint32_t numPeers() const override { return 1; }
    std::string nameOf(uint32_t) const override { return peer; }
    void send(uint32_t, Bytes bytes) override {
        Frame frame = frameOf(bytes);
        std::lock_guard lock(mutex);
        if (!isBroken && !stream.Write(frame))
            isBroken = true;
    }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener who) override {
        return inbox.take(patience, who);
    }
    void attend(bool begins) override { inbox.attend(begins); }
    void disconnect(uint32_t) override {}
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return true; }

    Mailbox inbox;

  private:
    grpc::ServerReaderWriter<Frame, Frame> &stream;
    std::string peer;
    std::mutex mutex;
    bool isBroken = false;
};

class Service : public wire::Worker::Service {
  public:
    explicit Service(TransportModule::Session session) : session(std::move(session)) {}

    grpc::Status Exchange(grpc::ServerContext *context, grpc::ServerReaderWriter<Frame, Frame> *stream) override {
        std::unique_lock lock(busy, kBusyTime);
        if (!lock)
            return {grpc::StatusCode::RESOURCE_EXHAUSTED, "the worker is busy with another coordinator"};
        ServerEnd end(*stream, context->peer());
        std::mutex mutex;
        std::condition_variable changed;
        bool readingIsOver = false;
        std::thread work([&] {
            session(end, context->peer());
            // What is behind the end of the session is not read; the client should close now.
            std::unique_lock wait(mutex);
            end.inbox.close();
            if (!changed.wait_for(wait, kFarewellTime, [&] { return readingIsOver; }))
                context->TryCancel();
        });
        Frame frame;
        while (stream->Read(&frame) && end.inbox.put({0, bytesOf(frame), false, {}})) {
        }
        end.inbox.put({0, {}, true, "the coordinator has disconnected"});
        {
            std::lock_guard wait(mutex);
            readingIsOver = true;
        }
        changed.notify_all();
        work.join();
        return grpc::Status::OK;
    }

  private:
    TransportModule::Session session;
    std::timed_mutex busy;
};

/// gRPC tells nobody but its own log about strangers whose handshake fails. There is one such log per process; the
/// last server that wants it gets it.
class HandshakeLog {
  public:
    explicit HandshakeLog(TransportModule::Log given) {
        std::lock_guard lock(mutex);
        log = std::move(given);
        gpr_set_log_function([](gpr_log_func_args *line) {
            std::lock_guard inner(mutex);
            if (std::string_view text = line->message; log && text.find("andshake failed") != text.npos)
                log("rejected: " + std::string(text));
        });
        gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
    }
    ~HandshakeLog() {
        std::lock_guard lock(mutex);
        log = nullptr;
    }

  private:
    static inline std::mutex mutex;
    static inline TransportModule::Log log;
};

class Server : public TransportServer {
  public:
    Server(const std::string &address, const TlsIdentity &tls, TransportModule::Session session,
           TransportModule::Log log)
        : service(std::move(session)) {
        if (tls.isGiven() && log)
            handshakes.emplace(std::move(log));
        grpc::ServerBuilder builder;
        std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
        if (tls.isGiven()) {
            grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
            options.pem_root_certs = tls.authority;
            options.pem_key_cert_pairs.push_back({tls.key, tls.certificate});
            credentials = grpc::SslServerCredentials(options);
        }
        builder.AddListeningPort(address, credentials, &boundPort);
        builder.SetMaxReceiveMessageSize(static_cast<int>(kMostFrame));
        builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
        // A coordinator behind a cut link is gone.
        builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 10000);
        builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10000);
        builder.RegisterService(&service);
        server = builder.BuildAndStart();
    }
    bool isUp() const { return server && boundPort != 0; }
    int port() const override { return boundPort; }
    void stop() override { server->Shutdown(Clock::now() + std::chrono::milliseconds(200)); }
    void wait() override { server->Wait(); }

  private:
    std::optional<HandshakeLog> handshakes;
    Service service;
    int boundPort = 0;
    std::unique_ptr<grpc::Server> server;
};

class Grpc : public TransportModule {
  public:
    explicit Grpc(const TransportHost &) {}
    std::unique_ptr<Transport> connect(const ConnectRequest &request) override {
        if (request.transport == "async-gRPC")
            return std::make_unique<AsyncTransport>(request.addresses, request.tls);
        return std::make_unique<SyncTransport>(request.addresses, request.tls);
    }
    uint64_t mostChunkBytes() const override { return kMostPayload; }
    std::unique_ptr<TransportServer> listen(const std::string &address, const TlsIdentity &tls, Session session,
                                            Log log) override {
        auto server = std::make_unique<Server>(address, tls, std::move(session), std::move(log));
        if (!server->isUp())
            return nullptr;
        return server;
    }
};

} // namespace

} // namespace daphne::dist

DAPHNE_TRANSPORT_MODULE(daphne::dist::Grpc)
