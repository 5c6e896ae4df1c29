// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/Connections.h"

#include <algorithm>

#include "base/Error.h"

namespace daphne::dist {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{50};
/// So long a frame is in the hands of a thread at most before it is handled.
constexpr std::chrono::milliseconds kInHand{1};
/// Who does not answer is as slow as that.
constexpr double kUnansweredNs = 2e9;
/// So many show how fast a line is: much longer than a fast one takes for a message, no burden for a slow one.
constexpr size_t kProbeBytes = 128 << 10;
/// Intervals without a sign of life after which a peer is lost.
constexpr int kMissedBeats = 3;
/// The same while others keep us busy.
constexpr int kUnheardBeats = 6;

} // namespace

Connections::Connections(std::unique_ptr<Transport> given, ConnectionSettings wanted)
    : transport(std::move(given)), settings(std::move(wanted)), seat(dist::ownSeat()), peers(transport->numPeers()),
      clock(transport->numPeers()) {
    if (settings.chunkBytes == 0)
        settings.chunkBytes = transport->usualChunkBytes();
    receiver = std::thread([this] { receiveAll(); });
    try {
        greet();
    } catch (...) {
        stopping = true;
        receiver.join();
        throw;
    }
}

Connections::~Connections() {
    for (uint32_t i = 0; i < size(); ++i)
        if (isAlive(i))
            sendFrame(i, frameOf({MessageType::Detach}, {}));
    // Their answers, so that nobody sees a broken connection.
    auto deadline = Clock::now() + std::chrono::milliseconds(1000);
    std::unique_lock lock(mutex);
    changed.wait_until(lock, deadline, [&] {
        return std::none_of(peers.begin(), peers.end(), [](const PeerState &p) { return p.alive; });
    });
    lock.unlock();
    stopping = true;
    receiver.join();
}

void Connections::greet() {
    auto start = Clock::now();
    for (uint32_t i = 0; i < size(); ++i)
        send(i, helloTo(i));
    std::unique_lock lock(mutex);
    changed.wait_until(lock, start + settings.patience, [&] {
        return std::all_of(peers.begin(), peers.end(), [](const PeerState &p) { return p.greeted || !p.alive; });
    });
    for (uint32_t i = 0; i < size(); ++i) {
        if (!peers[i].trouble.empty())
            throw executionError("the worker " + nameOf(i) + " refuses to work: " + peers[i].trouble);
        if (peers[i].alive && !peers[i].greeted)
            lose(i, "it does not answer");
        else if (peers[i].alive)
            meet(i);
    }
    // Nothing has been computed: whoever is not there was never there.
    events.clear();
    if (std::none_of(peers.begin(), peers.end(), [](const PeerState &p) { return p.alive; }) && !peers.empty())
        throw executionError("no worker can be reached: " + (warnings.empty() ? "" : warnings.front()))
            .withHint("start the workers first: daphne-worker host:port");
    lock.unlock();
    measureLines();
}

/// Shares of those who run there; the number of peers is this process. Nobody gets one where CPUs were divided by
/// somebody else.
std::vector<CpuShare> Connections::cpusOn(const Seat &place, std::vector<uint32_t> &who) const {
    std::vector<uint32_t> threads;
    bool areShared = settings.boundThreads.has_value();
    auto join = [&](uint32_t index, const Seat &other, uint32_t count) {
        if (other.machine != place.machine)
            return;
        who.push_back(index);
        threads.push_back(count);
        areShared &= other.cpus == place.cpus;
    };
    if (settings.boundThreads.value_or(0) > 0)
        join(size(), seat, *settings.boundThreads);
    for (uint32_t i = 0; i < size(); ++i)
        if (peers[i].alive)
            join(i, peers[i].welcome.seat, peers[i].welcome.threads);
    return areShared ? shareCpus(threads, static_cast<uint32_t>(place.cpus.size()))
                     : std::vector<CpuShare>(threads.size());
}

CpuShare Connections::ownCpus() const {
    std::lock_guard lock(mutex);
    std::vector<uint32_t> who;
    std::vector<CpuShare> shares = cpusOn(seat, who);
    return !who.empty() && who.front() == size() ? shares.front() : CpuShare{};
}

/// Finds out whether objects can be copied from memory to memory. Nobody waits for the answer: it is there before the
/// first object, or objects are sent.
void Connections::meet(uint32_t index) {
    PeerState &peer = peers[index];
    peer.neighbour.meet(peer.welcome.memory);
    bool lends = settings.leastLent != kNeverLent;
    std::vector<uint32_t> who;
    std::vector<CpuShare> shares = cpusOn(peer.welcome.seat, who);
    CpuShare cpus = shares[static_cast<size_t>(std::ranges::find(who, index) - who.begin())];
    bool canRead = lends && peer.neighbour.isReadable();
    peer.seesBoard = false;
    peer.board = canRead ? ClaimBoard::make() : std::nullopt;
    Bytes frame =
        frameOf(Neighbourhood{canRead, settings.leastLent, cpus, peer.board ? peer.board->file() : MemoryFile()});
    peer.statistics.bytesOut += frame.size();
    transport->send(index, std::move(frame));
}

bool Connections::areNeighbours() const {
    std::lock_guard lock(mutex);
    return std::ranges::all_of(peers, [](const PeerState &p) { return p.isNeighbour || !p.alive; });
}

bool Connections::hasNeighbours() const {
    std::lock_guard lock(mutex);
    return std::ranges::any_of(peers, [](const PeerState &p) { return p.isNeighbour && p.alive; });
}

bool Connections::isNeighbour(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peers[peer].alive && peers[peer].isNeighbour;
}

/// Until each of these peers has answered a message with so many bytes; nothing of those that do not. All are asked at
/// once: on long lines every question takes its time, and lines may have a common part.
std::vector<std::optional<double>> Connections::echoNs(std::span<const uint32_t> asked, size_t bytes) {
    uint64_t request = nextQuestion++;
    std::vector<Clock::time_point> start(size());
    for (uint32_t i : asked) {
        start[i] = Clock::now();
        // Statistics tell what the program sends.
        transport->send(i, frameOf({MessageType::Heartbeat, request}, Bytes(bytes)));
    }
    std::unique_lock lock(mutex);
    auto hasEcho = [&](uint32_t i) { return peers[i].lastEcho == request; };
    waitUntil(lock, Clock::now() + std::chrono::seconds(2),
              [&] { return std::ranges::all_of(asked, [&](uint32_t i) { return !peers[i].alive || hasEcho(i); }); });
    std::vector<std::optional<double>> times;
    for (uint32_t i : asked)
        times.push_back(
            hasEcho(i) ? std::optional(std::chrono::duration<double, std::nano>(peers[i].echoed - start[i]).count())
                       : std::nullopt);
    return times;
}

/// The slowest peer counts, at its best. How fast lines are matters where objects are sent.
void Connections::measureLines() {
    constexpr int kTries = 3;
    std::vector<uint32_t> here, elsewhere;
    for (uint32_t i = 0; i < size(); ++i)
        if (isAlive(i))
            here.push_back(i);
    std::vector<double> best(size(), kUnansweredNs);
    for (int n = 0; n < kTries; ++n) {
        auto times = echoNs(here, 0);
        for (size_t k = 0; k < here.size(); ++k)
            best[here[k]] = std::min(best[here[k]], times[k].value_or(kUnansweredNs));
    }
    for (uint32_t i : here)
        if (isAlive(i)) {
            roundTrip = std::max(roundTrip, best[i]);
            if (!isNeighbour(i))
                elsewhere.push_back(i);
        }
    auto times = echoNs(elsewhere, kProbeBytes);
    for (size_t k = 0; k < elsewhere.size(); ++k)
        if (isAlive(elsewhere[k]))
            bytesPerNs = std::min(bytesPerNs, static_cast<double>(kProbeBytes) /
                                                  std::max(1.0, times[k].value_or(kUnansweredNs) - best[elsewhere[k]]));
}

bool Connections::isAlive(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peer < peers.size() && peers[peer].alive;
}

uint32_t Connections::numAlive() const {
    std::lock_guard lock(mutex);
    return static_cast<uint32_t>(std::count_if(peers.begin(), peers.end(), [](const PeerState &p) { return p.alive; }));
}

PeerStatistics Connections::statistics(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peers[peer].statistics;
}

void Connections::sendFrame(uint32_t peer, Bytes frame) {
    {
        std::lock_guard lock(mutex);
        peers[peer].statistics.bytesOut += frame.size();
    }
    transport->send(peer, std::move(frame));
}

std::vector<std::vector<SeenFile>> Connections::lookFor(const std::vector<std::string> &paths) {
    uint64_t request = nextQuestion++;
    for (uint32_t i = 0; i < size(); ++i)
        if (isAlive(i))
            send(i, FileQuery{paths}, request);
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::time_point::max(), [&] {
        return std::ranges::all_of(peers, [&](const PeerState &p) { return !p.alive || p.lastFile == request; });
    });
    std::vector<std::vector<SeenFile>> seen(size());
    for (uint32_t i = 0; i < size(); ++i)
        if (peers[i].alive && peers[i].files.files.size() == paths.size())
            seen[i] = peers[i].files.files;
    return seen;
}

void Connections::waitUntilDone(uint32_t peer, Clock::time_point deadline) {
    uint64_t request = nextQuestion++;
    if (isAlive(peer))
        sendFrame(peer, frameOf({MessageType::Heartbeat, request}, {}));
    std::unique_lock lock(mutex);
    waitUntil(lock, deadline, [&] { return peers[peer].lastEcho == request || !peers[peer].alive; });
}

std::optional<PeerEvent> Connections::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::now() + patience, [&] { return !events.empty(); });
    if (events.empty())
        return std::nullopt;
    PeerEvent event = std::move(events.front());
    events.pop_front();
    return event;
}

std::vector<std::string> Connections::takeWarnings() {
    std::lock_guard lock(mutex);
    return std::exchange(warnings, {});
}

/// The thread that waits receives itself: it hears sooner, and no other thread has to be woken.
void Connections::waitUntil(std::unique_lock<std::mutex> &lock, Clock::time_point deadline,
                            const std::function<bool()> &isDone) {
    if (isDone())
        return;
    struct Attention {
        Connections &all;
        explicit Attention(Connections &all) : all(all) {
            ++all.numWaiting;
            all.transport->attend(true);
        }
        ~Attention() {
            all.transport->attend(false);
            --all.numWaiting;
        }
    } attention(*this);
    // The thread that stands by may have got just what is wanted, once.
    std::chrono::milliseconds most = kInHand;
    do {
        auto now = Clock::now();
        auto left = std::chrono::ceil<std::chrono::milliseconds>(std::max(deadline, now) - now);
        lock.unlock();
        std::optional<Received> item = transport->receive(std::min(left, std::exchange(most, kTick)), Listener::Urgent);
        lock.lock();
        callLostPeers();
        loseSilentPeers(item ? kUnheardBeats : kMissedBeats);
        if (item)
            take(lock, *item);
    } while (!isDone() && Clock::now() < deadline);
}

void Connections::receiveAll() {
    while (!stopping) {
        std::optional<Received> item = transport->receive(kTick);
        std::unique_lock lock(mutex);
        callLostPeers();
        // If nothing is waiting, whoever is silent is so, and not only unheard.
        if (numWaiting == 0)
            loseSilentPeers(item ? kUnheardBeats : kMissedBeats);
        if (item)
            take(lock, *item);
    }
}

/// In the order of arrival, whoever has received what.
void Connections::take(std::unique_lock<std::mutex> &lock, const Received &item) {
    changed.wait(lock, [&] { return numHandled == item.order; });
    struct Handled {
        Connections &all;
        ~Handled() {
            ++all.numHandled;
            all.changed.notify_all();
        }
    } handled{*this};
    PeerState &peer = peers[item.peer];
    if (item.connection != peer.connection)
        return handleCalled(item.peer, item);
    if (!peer.alive)
        return;
    if (item.isLost)
        return lose(item.peer, item.reason);
    peer.lastHeard = Clock::now();
    peer.statistics.bytesIn += item.frame.size();
    try {
        for (std::span<const std::byte> rest = item.frame; !rest.empty() && peer.alive;)
            handle(item.peer, takeFrame(rest));
    } catch (const WireError &e) {
        peer.call.isHopeless = true;
        lose(item.peer, std::string("it broke the protocol: ") + e.what());
    } catch (const Error &e) {
        lose(item.peer, e.message);
    }
}

void Connections::handle(uint32_t index, std::span<const std::byte> frame) {
    PeerState &peer = peers[index];
    std::span<const std::byte> body;
    Envelope envelope = openFrame(frame, body);
    switch (envelope.type) {
    case MessageType::Welcome:
        peer.welcome = read<Welcome>(body);
        peer.greeted = true;
        break;
    case MessageType::Heartbeat:
        if (envelope.request == 0)
            return;
        peer.lastEcho = envelope.request;
        peer.echoed = peer.lastHeard;
        break;
    case MessageType::FileAnswer:
        peer.files = read<FileAnswer>(body);
        peer.lastFile = envelope.request;
        break;
    case MessageType::Neighbour:
        peer.isNeighbour = read<Neighbourhood>(body).canRead;
        peer.seesBoard = peer.isNeighbour && peer.board && read<Neighbourhood>(body).board.isGiven();
        peer.loans.beginAt(peer.isNeighbour ? settings.leastLent : kNeverLent);
        break;
    case MessageType::ObjectAck: {
        auto object = read<ObjectAck>(body).object;
        peer.loans.end(object);
        clock.stored(index, object, peer.lastHeard);
        return;
    }
    case MessageType::ObjectLent: peer.borrow(read<ObjectLent>(body), clock); break;
    case MessageType::ObjectBegin: return peer.beginObject(read<ObjectBegin>(body), clock);
    case MessageType::ObjectChunk:
        if (!peer.addChunk(read<ObjectChunk>(body), clock))
            return;
        break;
    case MessageType::Cancel: // it had not begun
        clock.answered(index, envelope.request, peer.lastHeard);
        if (!peer.forgetCancelled(envelope.request))
            events.push_back({PeerEvent::Kind::Returned, index, envelope.request, false, {}});
        break;
    case MessageType::Ready: {
        auto ready = read<Ready>(body);
        clock.answered(index, envelope.request, peer.lastHeard);
        peer.forgetCancelled(envelope.request);
        PeerStatistics &s = peer.statistics;
        ++s.chunks;
        s.computeNs += ready.computeNs, s.waitNs += ready.waitNs, s.compileNs += ready.compileNs;
        s.objects = ready.objects, s.objectBytes = ready.objectBytes;
        s.rows += ready.rows, s.reused += ready.compileNs == 0, s.squaredNs += ready.computeNs * ready.computeNs;
        s.residentBytes = ready.residentBytes, s.load = ready.load;
        s.bytesToWorkers += ready.bytesToWorkers;
        events.push_back({PeerEvent::Kind::Ready, index, envelope.request, ready.fault, {}});
        break;
    }
    case MessageType::Failure: {
        auto failure = read<Failure>(body);
        clock.answered(index, envelope.request, peer.lastHeard);
        peer.forgetCancelled(envelope.request);
        if (failure.code == Failure::Code::Refused)
            peer.trouble = failure.message;
        if (failure.code != Failure::Code::Execution) {
            peer.call.isHopeless = true;
            lose(index, failure.message);
        } else
            events.push_back({PeerEvent::Kind::Failed, index, envelope.request, false, failure.message});
        break;
    }
    case MessageType::Detach:
        peer.alive = false;
        peer.detached = true;
        break;
    default: throw WireError("a message that only coordinators send");
    }
}

void Connections::lose(uint32_t index, const std::string &why) {
    PeerState &peer = peers[index];
    if (!peer.alive)
        return;
    peer.alive = false;
    peer.dropObjects(clock);
    clock.lost(index, Clock::now());
    transport->disconnect(index);
    peer.call.pause = settings.recall;
    planCall(peer);
    ++peer.statistics.losses;
    warnings.push_back("the worker " + nameOf(index) + " is lost: " + why);
    events.push_back({PeerEvent::Kind::Lost, index, 0, false, why});
    changed.notify_all();
}

void Connections::loseSilentPeers(int beats) {
    if (settings.heartbeatMs == 0)
        return;
    auto limit = std::chrono::milliseconds(settings.heartbeatMs) * beats;
    for (uint32_t i = 0; i < size(); ++i)
        if (peers[i].alive && peers[i].greeted && Clock::now() - peers[i].lastHeard > limit)
            lose(i, "no sign of life for " + std::to_string(limit.count()) + " ms");
}

} // namespace daphne::dist
