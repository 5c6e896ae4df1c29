// SPDX-License-Identifier: Apache-2.0
/// Ranks of an MPI job: 0 coordinates, the others work. Whoever sends or waits
/// for a frame calls MPI itself, one thread at a time: handing over to another
/// thread costs a slice of time where cores are busy. MPI has to be asked again
/// and again; who waits sleeps in between, because processes may share cores,
/// and the longer in vain, the longer. While a worker computes, a thread of its
/// own keeps frames moving.
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <list>
#include <mpi.h>
#include <stdexcept>
#include <thread>

#include <sys/prctl.h>

#include "dist/Modules.h"
#include "dist/transports/Mailbox.h"

namespace daphne::dist {

namespace {

constexpr int kTag = 1;
constexpr uint64_t kChunkBytes = 1 << 20;
constexpr int kIdleSpins = 16;
/// Naps are this part of the time that has passed in vain, between the limits.
constexpr int kNapShare = 8;
constexpr std::chrono::microseconds kShortestNap{20}, kLongestNap{1000};
/// While nobody waits.
constexpr std::chrono::microseconds kCalmNap{2000};

struct JobState {
    std::atomic<bool> rankLost{false};
};

class MpiTransport : public Transport {
  public:
    MpiTransport(MPI_Comm communicator, int rank, int size, JobState &job)
        : communicator(communicator), rank(rank), size(size), job(job) {
        // The coordinator always has a thread that receives.
        if (rank != 0)
            background = std::thread([this] { keepMoving(); });
    }
    ~MpiTransport() override {
        {
            std::lock_guard lock(mutex);
            stopping = true;
        }
        wake.notify_all();
        if (background.joinable())
            background.join();
        // What goes to a lost rank never arrives; the job is aborted then.
        std::unique_lock lock(mutex);
        while (!job.rankLost && !underWay.empty())
            if (!pump())
                wake.wait_for(lock, kShortestNap);
    }

    uint32_t numPeers() const override { return rank == 0 ? static_cast<uint32_t>(size - 1) : 1; }
    std::string nameOf(uint32_t peer) const override { return "rank " + std::to_string(rankOf(peer)); }
    void send(uint32_t peer, Bytes frame) override {
        if (frame.size() > INT_MAX)
            throw std::length_error("a frame of more than 2 GiB");
        std::unique_lock lock(mutex);
        while (!job.rankLost && outgoingBytes >= Mailbox::kUsualBytes)
            if (!pump())
                wake.wait_for(lock, kShortestNap);
        if (job.rankLost)
            return;
        outgoingBytes += frame.size();
        Sending &s = underWay.emplace_back(rankOf(peer), std::move(frame), MPI_REQUEST_NULL);
        MPI_Isend(s.frame.data(), static_cast<int>(s.frame.size()), MPI_BYTE, s.rank, kTag, communicator, &s.request);
    }
    std::optional<Received> receive(std::chrono::milliseconds patience) override {
        prctl(PR_SET_TIMERSLACK, 1000ul); // naps are as long as they should be
        auto start = Clock::now(), lastBusy = start;
        std::unique_lock lock(mutex);
        isReceiving = true;
        std::optional<Received> item;
        for (int inVain = 0; !item;) {
            if (pump()) {
                inVain = 0;
                lastBusy = Clock::now();
            }
            item = inbox.take(std::chrono::milliseconds(0));
            if (item || Clock::now() - start >= patience)
                break;
            if (++inVain < kIdleSpins) {
                lock.unlock();
                std::this_thread::yield();
                lock.lock();
            } else {
                nap(lock, lastBusy);
            }
        }
        isReceiving = false;
        return item;
    }
    void attend(bool begins) override {
        std::lock_guard lock(mutex);
        numWaiting += begins ? 1 : -1;
        if (begins)
            wake.notify_all();
    }
    void disconnect(uint32_t) override {
        std::lock_guard lock(mutex);
        job.rankLost = true;
        wake.notify_all();
    }
    uint64_t usualChunkBytes() const override { return kChunkBytes; }
    bool survivesLoss() const override { return false; }

  private:
    using Clock = std::chrono::steady_clock;
    struct Sending {
        int rank;
        Bytes frame;
        MPI_Request request;
    };

    int rankOf(uint32_t peer) const { return rank == 0 ? static_cast<int>(peer) + 1 : 0; }

    /// Until it is worth looking again. At the coordinator nobody may be interested at the moment.
    void nap(std::unique_lock<std::mutex> &lock, Clock::time_point &lastBusy) {
        bool calm = rank == 0 && numWaiting == 0 && underWay.empty();
        auto share = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - lastBusy) / kNapShare;
        wake.wait_for(lock, calm ? kCalmNap : std::clamp(share, kShortestNap, kLongestNap));
        if (calm)
            lastBusy = Clock::now();
    }

    void keepMoving() {
        std::unique_lock lock(mutex);
        while (!stopping) {
            wake.wait_for(lock, kCalmNap);
            while (!isReceiving && pump()) {
            }
        }
    }

    /// Whether something has moved. The caller has the mutex.
    bool pump() {
        bool sent = finishSends();
        return receiveOne() || sent;
    }

    bool finishSends() {
        bool any = false;
        for (auto it = underWay.begin(); it != underWay.end();) {
            int done = 0;
            MPI_Test(&it->request, &done, MPI_STATUS_IGNORE);
            if (!done) {
                ++it;
                continue;
            }
            any = true;
            outgoingBytes -= it->frame.size();
            it = underWay.erase(it);
        }
        return any;
    }

    bool receiveOne() {
        if (inbox.isFull())
            return false;
        int found = 0, bytes = 0;
        MPI_Message message;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, kTag, communicator, &found, &message, &status);
        if (!found)
            return false;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        Received item;
        item.peer = rank == 0 ? static_cast<uint32_t>(status.MPI_SOURCE - 1) : 0;
        item.frame.resize(static_cast<size_t>(bytes));
        MPI_Mrecv(item.frame.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        if (bytes == 0) {
            item.isLost = true;
            item.reason = "the job has ended";
        }
        inbox.put(std::move(item));
        return true;
    }

    MPI_Comm communicator;
    const int rank, size;
    JobState &job;
    Mailbox inbox;
    std::mutex mutex; ///< of all that follows and of all calls of MPI
    std::condition_variable wake;
    std::list<Sending> underWay;
    size_t outgoingBytes = 0;
    int numWaiting = 0; ///< threads that want a frame
    bool isReceiving = false, stopping = false;
    std::thread background;
};

class Mpi : public MpiModule {
  public:
    Mpi() {
        // Processes that share cores must not spin inside of the library.
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
        if (provided < MPI_THREAD_SERIALIZED)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
        MPI_Comm_rank(communicator, &myRank);
        MPI_Comm_size(communicator, &numRanks);
    }
    ~Mpi() override {
        if (job.rankLost)
            MPI_Abort(MPI_COMM_WORLD, 3);
        // Ranks that still wait for the first one, because the program never began, may leave.
        for (int r = 1; myRank == 0 && r < numRanks; ++r)
            MPI_Send(nullptr, 0, MPI_BYTE, r, kTag, communicator);
        MPI_Comm_free(&communicator);
        MPI_Finalize();
    }
    int rank() const override { return myRank; }
    int size() const override { return numRanks; }
    std::unique_ptr<Transport> connect() override {
        return std::make_unique<MpiTransport>(communicator, myRank, numRanks, job);
    }

  private:
    MPI_Comm communicator = MPI_COMM_NULL;
    int myRank = 0, numRanks = 1;
    JobState job;
};

} // namespace

} // namespace daphne::dist

extern "C" __attribute__((visibility("default"))) daphne::dist::MpiModule *daphne_mpi_module() {
    return new daphne::dist::Mpi;
}
