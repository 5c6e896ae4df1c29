// SPDX-License-Identifier: Apache-2.0
#include "dist/transports/InProcess.h"

#include <thread>
#include <utility>

#include "dist/transports/Mailbox.h"

namespace daphne::dist {

namespace {

constexpr uint64_t kChunkBytes = 4 << 20;

/// What one worker and the coordinator share.
struct Link {
    uint32_t peer = 0, connection = 0;
    Mailbox toWorker = Mailbox();
    std::atomic<bool> isCut{false};
    std::thread thread = {};

    void cut() {
        isCut = true;
        toWorker.close();
    }
};

class WorkerEnd : public Transport {
  public:
    /// others: all links, of workers that reach each other; else null.
    WorkerEnd(Link &link, Mailbox &inbox, const std::vector<Link *> *others)
        : link(link), inbox(inbox), others(others) {}
    uint32_t numPeers() const override { return 1; }
    std::string nameOf(uint32_t) const override { return "the coordinator"; }
    void send(uint32_t, Bytes frame) override {
        if (!link.isCut)
            inbox.put({link.peer, std::move(frame), false, {}, link.connection});
    }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener who) override {
        std::optional<Received> item = link.toWorker.take(patience, who);
        if (item || !link.toWorker.isClosed() || reported)
            return item;
        reported = true;
        return Received{0, {}, true, "the coordinator has disconnected"};
    }
    void attend(bool begins) override { link.toWorker.attend(begins); }
    void disconnect(uint32_t) override { link.isCut = true; }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return !others; }
    bool linksWorkers() const override { return others; }
    void sendToWorkers(std::span<const uint32_t> workers, Bytes frame) override {
        for (uint32_t worker : workers)
            if (others && worker < others->size())
                (*others)[worker]->toWorker.putAnyway({link.peer + 1, frame, false, {}});
    }

  private:
    Link &link;
    Mailbox &inbox;
    const std::vector<Link *> *others;
    bool reported = false;
};

class CoordinatorEnd : public Transport {
  public:
    CoordinatorEnd(uint32_t numWorkers, std::function<void(Transport &, uint32_t)> serve, bool areLinked)
        : serve(std::move(serve)), areLinked(areLinked), candidates(numWorkers), attempts(numWorkers) {
        current.reserve(numWorkers);
        for (uint32_t i = 0; i < numWorkers; ++i)
            current.push_back(open(i, 0));
    }
    ~CoordinatorEnd() override {
        for (auto &link : links)
            link->toWorker.close();
        inbox.close();
        for (auto &link : links)
            link->thread.join();
    }

    uint32_t numPeers() const override { return static_cast<uint32_t>(current.size()); }
    std::string nameOf(uint32_t peer) const override { return "thread " + std::to_string(peer + 1); }
    void send(uint32_t peer, Bytes frame) override { current[peer]->toWorker.put({0, std::move(frame), false, {}}); }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener who) override {
        return inbox.take(patience, who);
    }
    void attend(bool begins) override { inbox.attend(begins); }
    void disconnect(uint32_t peer) override { current[peer]->cut(); }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return !areLinked; }
    bool linksWorkers() const override { return areLinked; }
    std::optional<uint32_t> reconnect(uint32_t peer, Bytes greeting) override {
        if (areLinked)
            return std::nullopt;
        if (candidates[peer])
            candidates[peer]->cut();
        candidates[peer] = open(peer, ++attempts[peer]);
        candidates[peer]->toWorker.put({0, std::move(greeting), false, {}});
        return attempts[peer];
    }
    void adopt(uint32_t peer) override { current[peer] = std::exchange(candidates[peer], nullptr); }

  private:
    Link *open(uint32_t peer, uint32_t connection) {
        Link &link = *links.emplace_back(new Link{.peer = peer, .connection = connection});
        link.thread = std::thread([this, &link] { run(link); });
        return &link;
    }
    void run(Link &link) {
        std::string reason = "it has ended";
        try {
            WorkerEnd end(link, inbox, areLinked ? &current : nullptr);
            serve(end, link.peer);
        } catch (const std::exception &e) {
            reason = e.what();
        }
        if (!link.isCut.exchange(true))
            inbox.put({link.peer, {}, true, reason, link.connection});
        link.toWorker.close();
    }

    std::function<void(Transport &, uint32_t)> serve;
    const bool areLinked;
    Mailbox inbox;
    std::vector<std::unique_ptr<Link>> links; ///< of all times
    std::vector<Link *> current, candidates;
    std::vector<uint32_t> attempts;
};

} // namespace

std::unique_ptr<Transport> connectInProcess(uint32_t numWorkers, std::function<void(Transport &, uint32_t)> serve,
                                            bool areLinked) {
    return std::make_unique<CoordinatorEnd>(numWorkers, std::move(serve), areLinked);
}

TransportModule *makeInProcess(const TransportHost &) {
    class Module : public TransportModule {
        std::unique_ptr<Transport> connect(const ConnectRequest &request) override {
            return connectInProcess(request.numThreads, request.serve);
        }
    };
    return new Module;
}

} // namespace daphne::dist
