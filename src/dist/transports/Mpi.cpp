// SPDX-License-Identifier: Apache-2.0
/// Ranks of an MPI job: 0 coordinates, the others work. Whoever sends or waits
/// for a frame calls MPI itself, one thread at a time: handing over to another
/// thread costs a slice of time where cores are busy. MPI has to be asked again
/// and again, for a while without a pause if nobody else wants the core; then, or
/// where processes share cores, who waits sleeps in between, and the longer in
/// vain, the longer. While a worker computes, a thread of its own keeps frames
/// moving.
///
/// Workers send frames to each other, too. What is under way to other workers
/// keeps nobody from receiving, so that they do not wait in a circle.
///
/// What is broadcast goes down a binomial tree: who gets a frame passes it on to
/// the ranks named at its end, half of them to each next one. Frames for a
/// worker are numbered by the coordinator, in their tags, because those that
/// took a longer way may be overtaken; the worker puts them in order again.
#include <algorithm>
#include <climits>
#include <functional>
#include <map>
#include <mpi.h>
#include <stdexcept>
#include <thread>

#include <sys/prctl.h>

#include "dist/transports/Mailbox.h"
#include "dist/transports/TransportModule.h"

namespace daphne::dist {

namespace {

/// Of the message that the job has ended; all others are frames, see Tags.
constexpr int kEndTag = 0;
/// Numbers of frames begin again after so many, or fewer if the library has no tags for them.
constexpr int kMostNumbers = 1 << 20;
constexpr uint64_t kChunkBytes = 1 << 20;
/// Frames of loops come one soon after the other: so long nobody sleeps who has a core of its own.
constexpr std::chrono::microseconds kAwake{2000};
/// Who gets the core back later than this has given it to somebody.
constexpr std::chrono::microseconds kPromptReturn{20};
/// Naps are this part of the time that has passed in vain, between the limits.
constexpr int kNapShare = 40;
constexpr std::chrono::microseconds kShortestNap{20}, kLongestNap{10000};
/// While nobody waits, until something moves and the longer nothing does. Whoever computes is interrupted by each look.
constexpr std::chrono::microseconds kShortestCalm{2000}, kLongestCalm{16000};
/// All ranks begin and end together: so long they wait for each other, and longer in a large job.
constexpr std::chrono::seconds kMeetingTime{20};
constexpr int kRanksPerSecond = 4;

struct JobState {
    const TransportHost host;
    std::atomic<bool> rankLost{false};
};

/// Tells the host if the library waits too long for the other ranks: it does so for ever, and there are no signs of
/// life yet, or no more.
class Meeting {
  public:
    Meeting(const TransportHost &host, const char *what) {
        if (host.givesUp)
            watch = std::thread([this, &host, what] { wait(host, what); });
    }
    ~Meeting() {
        {
            std::lock_guard lock(mutex);
            isOver = true;
        }
        changed.notify_all();
        if (watch.joinable())
            watch.join();
    }
    Meeting(const Meeting &) = delete;
    Meeting &operator=(const Meeting &) = delete;

  private:
    void wait(const TransportHost &host, const char *what) {
        std::chrono::seconds patience = kMeetingTime + std::chrono::seconds(host.announcedRanks / kRanksPerSecond);
        std::unique_lock lock(mutex);
        if (changed.wait_for(lock, patience, [&] { return isOver; }))
            return;
        lock.unlock();
        host.givesUp("the MPI job does not " + std::string(what) + ": a rank is lost, the others have waited for " +
                     std::to_string(patience.count()) + " s");
    }

    std::mutex mutex;
    std::condition_variable changed;
    bool isOver = false;
    std::thread watch;
};

/// A rank and the number of the frame that it gets.
struct Stop {
    uint32_t rank = 0, number = 0;
};
constexpr size_t kStopBytes = 8;

/// The tag of a frame tells its number and whether it is to be passed on.
class Tags {
  public:
    explicit Tags(MPI_Comm communicator) {
        int *largest = nullptr, found = 0;
        MPI_Comm_get_attr(communicator, MPI_TAG_UB, &largest, &found);
        count = std::min(kMostNumbers, ((found ? *largest : 32767) - 2) / 2);
    }
    uint32_t numberAfter(uint32_t number) const { return (number + 1) % static_cast<uint32_t>(count); }
    static int tagOf(uint32_t number, bool isRelayed) { return 1 + 2 * static_cast<int>(number) + (isRelayed ? 1 : 0); }
    static uint32_t numberOf(int tag) { return static_cast<uint32_t>(tag - 1) / 2; }
    static bool isRelayed(int tag) { return (tag - 1) % 2 != 0; }

  private:
    int count;
};

class MpiTransport : public Transport {
  public:
    MpiTransport(MPI_Comm communicator, MPI_Comm workers, int rank, int size, JobState &job)
        : communicator(communicator), workers(workers), rank(rank), size(size), job(job), tags(communicator),
          nextNumber(static_cast<size_t>(size)), lines(static_cast<size_t>(size)) {
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
        isLeaving = true;
        while (!job.rankLost && !underWay.empty())
            if (!pump())
                wake.wait_for(lock, kShortestNap);
        lock.unlock();
        if (rank != 0)
            leaveTogether();
    }

    uint32_t numPeers() const override { return rank == 0 ? static_cast<uint32_t>(size - 1) : 1; }
    std::string nameOf(uint32_t peer) const override { return "rank " + std::to_string(rankOf(peer)); }
    void send(uint32_t peer, Bytes frame) override {
        std::unique_lock lock(mutex);
        if (!waitForRoom(lock, frame))
            return;
        int to = rankOf(peer);
        post(to, takeNumber(to), std::make_shared<const Bytes>(std::move(frame)), Way::Straight);
    }
    void broadcast(std::span<const uint32_t> peers, const Bytes &frame) override {
        std::unique_lock lock(mutex);
        if (!waitForRoom(lock, frame))
            return;
        std::vector<Stop> stops;
        for (uint32_t peer : peers)
            stops.push_back({static_cast<uint32_t>(rankOf(peer)), takeNumber(rankOf(peer))});
        passOn(frame, stops);
    }
    bool relays() const override { return rank == 0; }
    bool linksWorkers() const override { return true; }
    void sendToWorkers(std::span<const uint32_t> workers, Bytes frame) override {
        auto common = std::make_shared<const Bytes>(std::move(frame));
        std::unique_lock lock(mutex);
        for (uint32_t worker : workers)
            if (worker < static_cast<uint32_t>(size) - 1 && !job.rankLost) {
                int to = static_cast<int>(worker) + 1;
                post(to, takeNumber(to), common, Way::Across);
            }
        pump();
    }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener who) override {
        prctl(PR_SET_TIMERSLACK, 1000ul); // naps are as long as they should be
        auto start = Clock::now(), lastBusy = start;
        std::unique_lock lock(mutex);
        bool isUrgent = who == Listener::Urgent;
        ++numReceiving;
        std::optional<Received> item;
        std::chrono::microseconds calm = kShortestCalm;
        for (bool hasCore = true; !item;) {
            bool mayLook = isUrgent || numAttending == 0;
            if (mayLook && pump()) {
                lastBusy = Clock::now();
                calm = kShortestCalm;
            }
            if (mayLook)
                item = inbox.take(std::chrono::milliseconds(0));
            auto now = Clock::now();
            if (item || now - start >= patience)
                break;
            // At the coordinator nobody but who stands by may be interested at the moment.
            bool isCalm = rank == 0 && !isUrgent && (numAttending > 0 || underWay.empty());
            if (isCalm) {
                wake.wait_for(lock, calm);
                calm = std::min(2 * calm, kLongestCalm);
                lastBusy = Clock::now();
            } else if (hasCore && now - lastBusy < kAwake) {
                lock.unlock();
                std::this_thread::yield();
                hasCore = Clock::now() - now < kPromptReturn;
                lock.lock();
            } else {
                auto share = std::chrono::duration_cast<std::chrono::microseconds>(now - lastBusy) / kNapShare;
                wake.wait_for(lock, std::clamp(share, kShortestNap, kLongestNap));
            }
        }
        --numReceiving;
        return item;
    }
    void attend(bool begins) override {
        std::lock_guard lock(mutex);
        numAttending += begins ? 1 : -1;
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
    /// Across: from worker to worker.
    enum class Way : uint8_t { Straight, Relayed, Across };
    struct Sending {
        std::shared_ptr<const Bytes> frame;
        size_t counted; ///< bytes for which who sends more waits
    };
    /// Frames of one peer, in order, and those that came too early.
    struct Line {
        uint32_t expected = 0;
        std::map<uint32_t, Received> early;
    };

    /// Other workers may still send what nobody needs any more; it is taken until all have come here.
    void leaveTogether() {
        Meeting all(job.host, "end");
        MPI_Request request = MPI_REQUEST_NULL;
        std::unique_lock lock(mutex);
        MPI_Ibarrier(workers, &request);
        for (int done = 0; !job.rankLost && !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
            if (!pump())
                wake.wait_for(lock, kShortestNap);
    }

    int rankOf(uint32_t peer) const { return rank == 0 ? static_cast<int>(peer) + 1 : 0; }

    /// False if there is nobody any more to send to.
    bool waitForRoom(std::unique_lock<std::mutex> &lock, const Bytes &frame) {
        if (frame.size() > INT_MAX - kStopBytes * static_cast<size_t>(size) - sizeof(uint32_t))
            throw std::length_error("a frame of more than 2 GiB");
        while (!job.rankLost && outgoingBytes >= Mailbox::kUsualBytes)
            if (!pump())
                wake.wait_for(lock, kShortestNap);
        return !job.rankLost;
    }

    uint32_t takeNumber(int to) {
        uint32_t &next = nextNumber[static_cast<size_t>(to)];
        return std::exchange(next, tags.numberAfter(next));
    }

    void post(int to, uint32_t number, std::shared_ptr<const Bytes> frame, Way way) {
        size_t counted = way == Way::Across ? 0 : frame->size();
        outgoingBytes += counted;
        const Bytes &bytes = *underWay.emplace_back(std::move(frame), counted).frame;
        MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, Tags::tagOf(number, way == Way::Relayed),
                  communicator, &requests.emplace_back());
    }

    /// The first rank gets the frame and passes it on to half of the others, the next one to half of what is left.
    void passOn(std::span<const std::byte> frame, std::span<const Stop> stops) {
        while (!stops.empty()) {
            Stop first = stops.front();
            size_t kept = (stops.size() - 1) / 2;
            ByteWriter w;
            w.out.reserve(frame.size() + kStopBytes * stops.size() + sizeof(uint32_t));
            w.raw(frame);
            for (const Stop &stop : stops.subspan(1 + kept))
                w.number(stop.rank).number(stop.number);
            w.number(static_cast<uint32_t>(stops.size() - 1 - kept));
            post(static_cast<int>(first.rank), first.number, std::make_shared<const Bytes>(std::move(w.out)),
                 Way::Relayed);
            stops = stops.subspan(1, kept);
        }
    }

    /// Takes the ranks off the end of a frame and sends it to them.
    void relay(Bytes &frame) {
        std::span<const std::byte> all(frame);
        auto count = ByteReader(all.subspan(all.size() - sizeof(uint32_t))).number<uint32_t>();
        size_t bytes = all.size() - sizeof(uint32_t) - kStopBytes * count;
        ByteReader r(all.subspan(bytes));
        std::vector<Stop> stops(count);
        for (Stop &stop : stops)
            stop = {r.number<uint32_t>(), r.number<uint32_t>()};
        passOn(all.first(bytes), stops);
        frame.resize(bytes);
    }

    void deliver(Received item, uint32_t number) {
        Line &line = lines[item.peer];
        if (number != line.expected) {
            line.early.emplace(number, std::move(item));
            ++numEarly;
            return;
        }
        inbox.putAnyway(std::move(item));
        line.expected = tags.numberAfter(line.expected);
        for (auto it = line.early.find(line.expected); it != line.early.end(); it = line.early.find(line.expected)) {
            inbox.putAnyway(std::move(it->second));
            line.early.erase(it);
            --numEarly;
            line.expected = tags.numberAfter(line.expected);
        }
    }

    void keepMoving() {
        std::unique_lock lock(mutex);
        for (std::chrono::microseconds calm = kShortestCalm; !stopping;) {
            wake.wait_for(lock, underWay.empty() ? calm : kShortestCalm);
            calm = std::min(2 * calm, kLongestCalm);
            while (numReceiving == 0 && pump())
                calm = kShortestCalm;
        }
    }

    /// Whether something has moved. The caller has the mutex.
    bool pump() {
        bool sent = finishSends();
        return receiveOne() || sent;
    }

    bool finishSends() {
        if (underWay.empty())
            return false;
        int count = 0;
        finished.resize(requests.size());
        MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, finished.data(), MPI_STATUSES_IGNORE);
        if (count <= 0)
            return false;
        // The last ones take the places of those that are done.
        std::sort(finished.begin(), finished.begin() + count, std::greater());
        for (int k = 0; k < count; ++k) {
            auto i = static_cast<size_t>(finished[static_cast<size_t>(k)]);
            outgoingBytes -= underWay[i].counted;
            underWay[i] = std::move(underWay.back());
            requests[i] = requests.back();
            underWay.pop_back();
            requests.pop_back();
        }
        return true;
    }

    bool receiveOne() {
        // What is missing between frames that came too early is always wanted. The coordinator takes what it gets
        // however much it sends, so that nobody waits in a circle.
        bool isBusy = (inbox.isFull() && !isLeaving) || (rank != 0 && outgoingBytes >= Mailbox::kUsualBytes);
        if (isBusy && numEarly == 0)
            return false;
        int found = 0, bytes = 0;
        MPI_Message message;
        MPI_Status status;
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, communicator, &found, &message, &status);
        if (!found)
            return false;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        Received item;
        // What is passed on comes from the coordinator.
        bool isRelayed = status.MPI_TAG != kEndTag && Tags::isRelayed(status.MPI_TAG);
        item.peer = static_cast<uint32_t>(rank == 0 ? status.MPI_SOURCE - 1 : isRelayed ? 0 : status.MPI_SOURCE);
        item.frame.resize(static_cast<size_t>(bytes));
        MPI_Mrecv(item.frame.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        if (status.MPI_TAG == kEndTag) {
            item.isLost = true;
            item.reason = "the job has ended";
            inbox.putAnyway(std::move(item));
            return true;
        }
        if (isRelayed)
            relay(item.frame);
        deliver(std::move(item), Tags::numberOf(status.MPI_TAG));
        return true;
    }

    MPI_Comm communicator, workers; ///< of all ranks, and of those that are workers
    const int rank, size;
    JobState &job;
    const Tags tags;
    Mailbox inbox;
    std::mutex mutex; ///< of all that follows and of all calls of MPI
    std::condition_variable wake;
    std::vector<Sending> underWay;
    std::vector<MPI_Request> requests; ///< of what is under way
    std::vector<int> finished;         ///< room
    std::vector<uint32_t> nextNumber;  ///< by rank, of frames to it
    std::vector<Line> lines;           ///< by peer
    size_t numEarly = 0;               ///< of all lines
    size_t outgoingBytes = 0;
    int numReceiving = 0, numAttending = 0; ///< threads that want a frame, and those that do nothing else
    bool stopping = false, isLeaving = false;
    std::thread background;
};

class Mpi : public TransportModule {
  public:
    explicit Mpi(const TransportHost &host) : job{host} {
        Meeting all(job.host, "begin");
        int provided = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
        if (provided < MPI_THREAD_SERIALIZED)
            throw std::runtime_error("this MPI library cannot be used by several threads");
        MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
        MPI_Comm_rank(communicator, &myRank);
        MPI_Comm_size(communicator, &allRanks);
        MPI_Comm_split(communicator, myRank == 0 ? MPI_UNDEFINED : 0, myRank, &workers);
    }
    ~Mpi() override {
        if (job.rankLost) {
            if (job.host.afterLoss == TransportHost::AfterLoss::AbortJob)
                MPI_Abort(MPI_COMM_WORLD, 3);
            return; // nobody may wait for a rank that is lost
        }
        Meeting all(job.host, "end");
        // Ranks that still wait for the first one, because the program never began, may leave.
        for (int r = 1; myRank == 0 && r < allRanks; ++r)
            MPI_Send(nullptr, 0, MPI_BYTE, r, kEndTag, communicator);
        if (workers != MPI_COMM_NULL)
            MPI_Comm_free(&workers);
        MPI_Comm_free(&communicator);
        MPI_Finalize();
    }
    uint32_t rank() const override { return static_cast<uint32_t>(myRank); }
    uint32_t numRanks() const override { return static_cast<uint32_t>(allRanks); }
    std::unique_ptr<Transport> connect(const ConnectRequest &) override {
        return std::make_unique<MpiTransport>(communicator, workers, myRank, allRanks, job);
    }

  private:
    MPI_Comm communicator = MPI_COMM_NULL, workers = MPI_COMM_NULL;
    int myRank = 0, allRanks = 1;
    JobState job;
};

} // namespace

} // namespace daphne::dist

DAPHNE_TRANSPORT_MODULE(daphne::dist::Mpi)
