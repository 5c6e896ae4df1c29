// SPDX-License-Identifier: Apache-2.0
#include "dist/transports/InProcess.h"

#include <thread>

#include "dist/transports/Mailbox.h"

namespace daphne::dist {

namespace {

constexpr uint64_t kChunkBytes = 4 << 20;

/// What one worker and the coordinator share.
struct Link {
    Mailbox toWorker;
    std::atomic<bool> isCut{false};
};

class WorkerEnd : public Transport {
  public:
    WorkerEnd(Link &link, Mailbox &inbox, uint32_t number) : link(link), inbox(inbox), number(number) {}
    uint32_t numPeers() const override { return 1; }
    std::string nameOf(uint32_t) const override { return "the coordinator"; }
    void send(uint32_t, Bytes frame) override {
        if (!link.isCut)
            inbox.put({number, std::move(frame), false, {}});
    }
    std::optional<Received> receive(std::chrono::milliseconds patience) override {
        std::optional<Received> item = link.toWorker.take(patience);
        if (item || !link.toWorker.isClosed() || reported)
            return item;
        reported = true;
        return Received{0, {}, true, "the coordinator has disconnected"};
    }
    void disconnect(uint32_t) override { link.isCut = true; }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return true; }

  private:
    Link &link;
    Mailbox &inbox;
    uint32_t number;
    bool reported = false;
};

class CoordinatorEnd : public Transport {
  public:
    CoordinatorEnd(uint32_t numWorkers, std::function<void(Transport &, uint32_t)> serve) : serve(std::move(serve)) {
        for (uint32_t i = 0; i < numWorkers; ++i)
            links.push_back(std::make_unique<Link>());
        for (uint32_t i = 0; i < numWorkers; ++i)
            threads.emplace_back([this, i] { run(i); });
    }
    ~CoordinatorEnd() override {
        for (auto &link : links)
            link->toWorker.close();
        inbox.close();
        for (std::thread &thread : threads)
            thread.join();
    }

    uint32_t numPeers() const override { return static_cast<uint32_t>(links.size()); }
    std::string nameOf(uint32_t peer) const override { return "thread " + std::to_string(peer + 1); }
    void send(uint32_t peer, Bytes frame) override { links[peer]->toWorker.put({0, std::move(frame), false, {}}); }
    std::optional<Received> receive(std::chrono::milliseconds patience) override { return inbox.take(patience); }
    void disconnect(uint32_t peer) override {
        links[peer]->isCut = true;
        links[peer]->toWorker.close();
    }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return true; }

  private:
    void run(uint32_t i) {
        std::string reason = "it has ended";
        try {
            WorkerEnd end(*links[i], inbox, i);
            serve(end, i);
        } catch (const std::exception &e) {
            reason = e.what();
        }
        if (!links[i]->isCut.exchange(true))
            inbox.put({i, {}, true, reason});
        links[i]->toWorker.close();
    }

    std::function<void(Transport &, uint32_t)> serve;
    std::vector<std::unique_ptr<Link>> links;
    Mailbox inbox;
    std::vector<std::thread> threads;
};

} // namespace

std::unique_ptr<Transport> connectInProcess(uint32_t numWorkers, std::function<void(Transport &, uint32_t)> serve) {
    return std::make_unique<CoordinatorEnd>(numWorkers, std::move(serve));
}

} // namespace daphne::dist
