// SPDX-License-Identifier: Apache-2.0
#include "dist/Peers.h"

#include <algorithm>
#include <limits>

#include "base/Error.h"
#include "dist/Pieces.h"

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
/// Fewer peers get an object as fast without passing it on, and a short one is there before the second has it.
constexpr size_t kLeastRelayed = 3;
constexpr uint64_t kLeastRelayedBytes = 64 << 10;
/// At the end of a program, for a worker that is late.
constexpr std::chrono::milliseconds kSettlingTime{500};
/// Intervals without a sign of life after which a peer is lost.
constexpr int kMissedBeats = 3;
/// The same while others keep us busy.
constexpr int kUnheardBeats = 6;

} // namespace

Peers::Peers(std::unique_ptr<Transport> given, Settings wanted)
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

Peers::~Peers() {
    for (uint32_t i = 0; i < size(); ++i)
        if (isAlive(i))
            sendFrame(i, frameOf({MessageType::Detach}, {}));
    // Their answers, so that nobody sees a broken connection.
    auto deadline = Clock::now() + std::chrono::milliseconds(1000);
    std::unique_lock lock(mutex);
    changed.wait_until(lock, deadline,
                       [&] { return std::none_of(peers.begin(), peers.end(), [](const Peer &p) { return p.alive; }); });
    lock.unlock();
    stopping = true;
    receiver.join();
}

void Peers::greet() {
    auto start = Clock::now();
    for (uint32_t i = 0; i < size(); ++i)
        send(i, helloTo(i));
    std::unique_lock lock(mutex);
    changed.wait_until(lock, start + settings.patience, [&] {
        return std::all_of(peers.begin(), peers.end(), [](const Peer &p) { return p.greeted || !p.alive; });
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
    if (std::none_of(peers.begin(), peers.end(), [](const Peer &p) { return p.alive; }) && !peers.empty())
        throw executionError("no worker can be reached: " + (warnings.empty() ? "" : warnings.front()))
            .withHint("start the workers first: daphne-worker host:port");
    lock.unlock();
    measureLines();
}

/// Shares of those who run there; the number of peers is this process. Nobody gets one where CPUs were divided by
/// somebody else.
std::vector<CpuShare> Peers::cpusOn(const Seat &place, std::vector<uint32_t> &who) const {
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

CpuShare Peers::ownCpus() const {
    std::lock_guard lock(mutex);
    std::vector<uint32_t> who;
    std::vector<CpuShare> shares = cpusOn(seat, who);
    return !who.empty() && who.front() == size() ? shares.front() : CpuShare{};
}

/// Finds out whether objects can be copied from memory to memory. Nobody waits for the answer: it is there before the
/// first object, or objects are sent.
void Peers::meet(uint32_t index) {
    Peer &peer = peers[index];
    peer.neighbour.meet(peer.welcome.memory);
    bool lends = settings.leastLent != kNeverLent;
    std::vector<uint32_t> who;
    std::vector<CpuShare> shares = cpusOn(peer.welcome.seat, who);
    CpuShare cpus = shares[static_cast<size_t>(std::ranges::find(who, index) - who.begin())];
    bool canRead = lends && peer.neighbour.isReadable();
    peer.seesBoard = false;
    peer.board = canRead ? ClaimBoard::make() : std::nullopt;
    Bytes frame =
        frameOf(Neighbourhood{canRead, settings.leastLent, cpus, peer.board ? peer.board->file() : OpenFile()});
    peer.statistics.bytesOut += frame.size();
    transport->send(index, std::move(frame));
}

bool Peers::areNeighbours() const {
    std::lock_guard lock(mutex);
    return std::ranges::all_of(peers, [](const Peer &p) { return p.isNeighbour || !p.alive; });
}

bool Peers::hasNeighbours() const {
    std::lock_guard lock(mutex);
    return std::ranges::any_of(peers, [](const Peer &p) { return p.isNeighbour && p.alive; });
}

bool Peers::isNeighbour(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peers[peer].alive && peers[peer].isNeighbour;
}

/// Until each of these peers has answered a message with so many bytes; nothing of those that do not. All are asked at
/// once: on long lines every question takes its time, and lines may have a common part.
std::vector<std::optional<double>> Peers::echoNs(std::span<const uint32_t> asked, size_t bytes) {
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
void Peers::measureLines() {
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

bool Peers::isAlive(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peer < peers.size() && peers[peer].alive;
}

uint32_t Peers::numAlive() const {
    std::lock_guard lock(mutex);
    return static_cast<uint32_t>(std::count_if(peers.begin(), peers.end(), [](const Peer &p) { return p.alive; }));
}

PeerStatistics Peers::statistics(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peers[peer].statistics;
}

void Peers::sendFrame(uint32_t peer, Bytes frame) {
    {
        std::lock_guard lock(mutex);
        peers[peer].statistics.bytesOut += frame.size();
    }
    transport->send(peer, std::move(frame));
}

void Peers::ship(uint32_t peer, std::vector<Parcel> &parcels) {
    FrameBatch batch(*transport, peer, settings.chunkBytes, &peers[peer].loans);
    std::unique_lock start(mutex);
    auto acks = std::exchange(peers[peer].acks, {});
    auto freed = std::exchange(peers[peer].freed, {});
    start.unlock();
    if (!freed.empty())
        batch.add(frameOf(Free{std::move(freed)}));
    for (const ObjectAck &ack : acks)
        batch.add(frameOf(ack));
    for (Parcel &parcel : parcels) {
        std::unique_lock lock(mutex);
        if (!peers[peer].alive)
            return;
        if (parcel.object && parcel.object->second.totalBytes > kPromptAckBytes)
            clock.sent(peer, parcel.object->first.object, Clock::now());
        else if (parcel.request)
            clock.asked(peer, parcel.request, Clock::now());
        lock.unlock();
        if (parcel.object)
            batch.add(parcel.object->first, parcel.object->second, parcel.known);
        else
            batch.add(std::move(parcel.frame));
        lock.lock();
        peers[peer].statistics.objectsOut += parcel.object ? 1 : 0;
        peers[peer].statistics.partsRead += parcel.object || parcel.request ? 0 : 1;
    }
    std::lock_guard lock(mutex);
    peers[peer].statistics.bytesOut += batch.bytes();
    peers[peer].statistics.bytesLent += batch.lentBytes();
}

void Peers::freeLater(uint32_t peer, const std::vector<uint64_t> &objects) {
    std::lock_guard lock(mutex);
    if (peer < size() && peers[peer].alive) // lost cells are nobody's
        peers[peer].freed.insert(peers[peer].freed.end(), objects.begin(), objects.end());
}

void Peers::tellFreed() {
    for (uint32_t i = 0; i < size(); ++i) {
        std::unique_lock lock(mutex);
        if (peers[i].freed.empty())
            continue;
        lock.unlock();
        std::vector<Parcel> nothing;
        ship(i, nothing);
    }
}

bool Peers::isRelayed(std::span<const uint32_t> wanted, uint64_t bytes) const {
    std::lock_guard lock(mutex);
    return transport->relays() && wanted.size() >= kLeastRelayed && bytes >= kLeastRelayedBytes &&
           std::ranges::none_of(wanted, [&](uint32_t peer) { return peers[peer].isNeighbour; });
}

void Peers::broadcast(std::span<const uint32_t> wanted, const ObjectBegin &begin, const Encoded &object) {
    tellFreed(); // first, so that there is room
    {
        std::lock_guard lock(mutex);
        for (uint32_t peer : wanted) {
            if (object.totalBytes > kPromptAckBytes)
                clock.sent(peer, begin.object, Clock::now());
            ++peers[peer].statistics.objectsOut;
        }
    }
    uint64_t bytes = 0;
    eachFrame(begin, object, settings.chunkBytes, [&](const Bytes &frame) {
        bytes += frame.size();
        transport->broadcast(wanted, frame);
    });
    std::lock_guard lock(mutex);
    for (uint32_t peer : wanted)
        peers[peer].statistics.bytesOut += bytes;
}

void Peers::sendPiece(std::span<const uint32_t> wanted, uint64_t object, const Dense &matrix, uint64_t first,
                      uint64_t count) {
    size_t cell = cellSize(matrix.type());
    auto *data = reinterpret_cast<const std::byte *>(matrix.view<uint8_t>().data);
    ObjectPiece piece{
        object, matrix.type(), matrix.rows(), matrix.cols(), first, count, 0, {data + first * cell, count * cell}};
    uint64_t bytes = 0;
    // Not passed on: everybody sends its own piece at this time, and one more frame for each other is no burden.
    eachPieceFrame(piece, settings.chunkBytes, [&](const Bytes &frame) {
        bytes += frame.size();
        for (uint32_t peer : wanted)
            transport->send(peer, frame);
    });
    std::lock_guard lock(mutex);
    for (uint32_t peer : wanted)
        peers[peer].statistics.bytesOut += bytes;
}

void Peers::computingHere(bool begins) {
    std::lock_guard lock(mutex);
    clock.computingHere(begins, Clock::now());
}

std::pair<double, double> Peers::transferTimes() const {
    std::lock_guard lock(mutex);
    return {clock.transferNs(), clock.overlappedNs()};
}

std::vector<std::vector<SeenFile>> Peers::lookFor(const std::vector<std::string> &paths) {
    uint64_t request = nextQuestion++;
    for (uint32_t i = 0; i < size(); ++i)
        if (isAlive(i))
            send(i, FileQuery{paths}, request);
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::time_point::max(), [&] {
        return std::ranges::all_of(peers, [&](const Peer &p) { return !p.alive || p.lastFile == request; });
    });
    std::vector<std::vector<SeenFile>> seen(size());
    for (uint32_t i = 0; i < size(); ++i)
        if (peers[i].alive && peers[i].files.files.size() == paths.size())
            seen[i] = peers[i].files.files;
    return seen;
}

void Peers::waitUntilDone(uint32_t peer) {
    uint64_t request = nextQuestion++;
    if (isAlive(peer))
        sendFrame(peer, frameOf({MessageType::Heartbeat, request}, {}));
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::time_point::max(), [&] { return peers[peer].lastEcho == request || !peers[peer].alive; });
}

void Peers::expect(uint32_t peer, uint64_t object, Destination destination) {
    std::lock_guard lock(mutex);
    if (peers[peer].alive)
        peers[peer].expected[object] = destination;
}

void Peers::unexpect(uint32_t peer, uint64_t object) {
    std::lock_guard lock(mutex);
    takeNoMore(peers[peer], object);
}

void Peers::takeNoMore(Peer &peer, uint64_t object) {
    if (peer.expected.erase(object) == 0)
        return;
    if (peer.arrivals.isUnderWay(object)) {
        peer.arrivals.disregard(object);
        --peer.numArriving;
        clock.arriving(false, Clock::now());
    } else {
        peer.unwanted.insert(object);
    }
}

void Peers::giveUp(uint32_t peer, const std::vector<uint64_t> &objects) {
    std::lock_guard lock(mutex);
    for (uint64_t object : objects) {
        takeNoMore(peers[peer], object);
        peers[peer].unwanted.erase(object);
    }
}

void Peers::cancel(uint32_t index, uint64_t request, const std::vector<uint64_t> &objects) {
    for (uint64_t object : objects)
        unexpect(index, object);
    {
        std::lock_guard lock(mutex);
        if (!peers[index].alive)
            return;
        peers[index].cancelled[request] = objects;
    }
    sendFrame(index, frameOf({MessageType::Cancel, request}, {}));
    freeLater(index, objects);
}

/// The answer to a cancelled loop: nothing of it comes any more. False if it is none.
bool Peers::forgetCancelled(Peer &peer, uint64_t request) {
    auto node = peer.cancelled.extract(request);
    if (!node.empty())
        for (uint64_t object : node.mapped())
            peer.unwanted.erase(object);
    return !node.empty();
}

bool Peers::hasBoard(uint32_t peer) const {
    std::lock_guard lock(mutex);
    return peers[peer].alive && peers[peer].seesBoard;
}

void Peers::offer(uint32_t peer, uint64_t request) {
    std::lock_guard lock(mutex);
    if (peers[peer].board)
        peers[peer].board->offer(request);
}

bool Peers::claim(uint32_t peer, uint64_t request, const std::vector<uint64_t> &objects) {
    std::lock_guard lock(mutex);
    if (!peers[peer].alive || !peers[peer].board || !peers[peer].board->claim(request))
        return false;
    peers[peer].cancelled[request] = objects;
    for (uint64_t object : objects)
        takeNoMore(peers[peer], object);
    return true;
}

void Peers::sweepLoans() {
    for (Peer &peer : peers)
        peer.loans.sweep();
}

void Peers::forgetObjects() {
    for (uint32_t i = 0; i < size(); ++i) {
        std::vector<uint64_t> objects;
        {
            std::lock_guard lock(mutex);
            for (auto &[object, destination] : peers[i].expected)
                objects.push_back(object);
        }
        for (uint64_t object : objects)
            unexpect(i, object);
        settleLoans(i);
        peers[i].loans.endAll();
    }
    sweepLoans();
}

/// A worker that is told of an object behind a loop that it does not run may not have come to it yet. It is given a
/// moment.
void Peers::settleLoans(uint32_t peer) {
    if (peers[peer].loans.isEmpty() || !isAlive(peer))
        return;
    uint64_t request = nextQuestion++;
    sendFrame(peer, frameOf({MessageType::Heartbeat, request}, {}));
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::now() + kSettlingTime,
              [&] { return peers[peer].lastEcho == request || !peers[peer].alive; });
}

bool Peers::waitFor(uint32_t peer, const std::vector<uint64_t> &objects) {
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::time_point::max(), [&] {
        Peer &p = peers[peer];
        return !p.alive ||
               std::none_of(objects.begin(), objects.end(), [&](uint64_t o) { return p.expected.count(o); });
    });
    bool isAlive = peers[peer].alive;
    lock.unlock();
    std::vector<Parcel> nothing; // but acknowledgements
    ship(peer, nothing);
    return isAlive;
}

std::optional<PeerEvent> Peers::next(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    waitUntil(lock, Clock::now() + patience, [&] { return !events.empty(); });
    if (events.empty())
        return std::nullopt;
    PeerEvent event = std::move(events.front());
    events.pop_front();
    return event;
}

std::vector<std::string> Peers::takeWarnings() {
    std::lock_guard lock(mutex);
    return std::exchange(warnings, {});
}

/// The thread that waits receives itself: it hears sooner, and no other thread has to be woken.
void Peers::waitUntil(std::unique_lock<std::mutex> &lock, Clock::time_point deadline,
                      const std::function<bool()> &isDone) {
    if (isDone())
        return;
    struct Attention {
        Peers &all;
        explicit Attention(Peers &all) : all(all) {
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

void Peers::receiveAll() {
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
void Peers::take(std::unique_lock<std::mutex> &lock, const Received &item) {
    changed.wait(lock, [&] { return numHandled == item.order; });
    struct Handled {
        Peers &all;
        ~Handled() {
            ++all.numHandled;
            all.changed.notify_all();
        }
    } handled{*this};
    Peer &peer = peers[item.peer];
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

void Peers::handle(uint32_t index, std::span<const std::byte> frame) {
    Peer &peer = peers[index];
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
    case MessageType::ObjectLent: borrow(index, read<ObjectLent>(body)); break;
    case MessageType::ObjectBegin: {
        auto begin = read<ObjectBegin>(body);
        if (peer.unwanted.erase(begin.object)) {
            peer.arrivals.begin(begin);
            peer.arrivals.disregard(begin.object);
            return;
        }
        auto it = peer.expected.find(begin.object);
        if (it == peer.expected.end())
            throw WireError("an object that nobody asked for");
        peer.arrivals.begin(begin, Decoder(begin.totalBytes, it->second));
        ++peer.numArriving;
        clock.arriving(true, peer.lastHeard);
        return;
    }
    case MessageType::ObjectChunk: {
        std::optional<ObjectBegin> complete = peer.arrivals.add(read<ObjectChunk>(body));
        if (!complete)
            return;
        peer.arrivals.take(complete->object);
        --peer.numArriving;
        clock.arriving(false, Clock::now());
        peer.expected.erase(complete->object);
        break;
    }
    case MessageType::Cancel: // it had not begun
        clock.answered(index, envelope.request, peer.lastHeard);
        if (!forgetCancelled(peer, envelope.request))
            events.push_back({PeerEvent::Kind::Returned, index, envelope.request, false, {}});
        break;
    case MessageType::Ready: {
        auto ready = read<Ready>(body);
        clock.answered(index, envelope.request, peer.lastHeard);
        forgetCancelled(peer, envelope.request);
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
        forgetCancelled(peer, envelope.request);
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

/// From the memory of the worker to where it is expected.
void Peers::borrow(uint32_t index, const ObjectLent &message) {
    Peer &peer = peers[index];
    auto [object, version, kind, first, count, bytes] = message.begin;
    if (peer.unwanted.erase(object)) {
        peer.acks.push_back({object, version, 0, 0, bytes});
        return;
    }
    auto it = peer.expected.find(object);
    if (it == peer.expected.end())
        throw WireError("an object that nobody asked for");
    clock.arriving(true, peer.lastHeard);
    ++peer.numArriving;
    Decoder decoder(bytes, it->second);
    try {
        peer.neighbour.copy(message.pieces, bytes, decoder, [](uint64_t) -> std::span<const std::byte> {
            throw WireError("an object made of what only workers have");
        });
    } catch (const WireError &) {
        // It may come back, unlike who keeps to no protocol.
        if (!peer.neighbour.isReadable())
            throw executionError("its process has ended");
        throw;
    }
    decoder.take();
    --peer.numArriving;
    clock.arriving(false, Clock::now());
    peer.statistics.bytesIn += bytes;
    peer.statistics.bytesLent += bytes;
    peer.expected.erase(it);
    peer.acks.push_back({object, version, 0, 0, bytes});
}

void Peers::lose(uint32_t index, const std::string &why) {
    Peer &peer = peers[index];
    if (!peer.alive)
        return;
    peer.alive = false;
    peer.expected.clear();
    peer.unwanted.clear();
    peer.cancelled.clear();
    peer.arrivals = Arrivals(~uint64_t(0) >> 1);
    peer.isNeighbour = false;
    peer.seesBoard = false;
    peer.loans.beginAt(kNeverLent);
    peer.loans.endAll();
    peer.acks.clear();
    peer.freed.clear();
    clock.lost(index, Clock::now());
    for (; peer.numArriving > 0; --peer.numArriving)
        clock.arriving(false, Clock::now());
    transport->disconnect(index);
    peer.call.pause = settings.recall;
    planCall(peer);
    ++peer.statistics.losses;
    warnings.push_back("the worker " + nameOf(index) + " is lost: " + why);
    events.push_back({PeerEvent::Kind::Lost, index, 0, false, why});
    changed.notify_all();
}

void Peers::loseSilentPeers(int beats) {
    if (settings.heartbeatMs == 0)
        return;
    auto limit = std::chrono::milliseconds(settings.heartbeatMs) * beats;
    for (uint32_t i = 0; i < size(); ++i)
        if (peers[i].alive && peers[i].greeted && Clock::now() - peers[i].lastHeard > limit)
            lose(i, "no sign of life for " + std::to_string(limit.count()) + " ms");
}

} // namespace daphne::dist
