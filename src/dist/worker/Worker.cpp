// SPDX-License-Identifier: Apache-2.0
#include "dist/worker/Worker.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <set>
#include <thread>
#include <unordered_map>

#include <unistd.h>

#include "base/Error.h"
#include "dist/protocol/AllGather.h"
#include "dist/protocol/ObjectStream.h"
#include "dist/worker/BindOperands.h"
#include "dist/worker/WorkerFiles.h"
#include "exec/ParseProgram.h"
#include "kernels/products/BlasProcessor.h"

namespace daphne::dist {

namespace {

using Clock = std::chrono::steady_clock;

/// Acknowledgements that wait for an answer to travel with.
constexpr size_t kMostAcks = 64;
/// Answers wait no longer for others: the coordinator should know what is done, and copy results while the rest is
/// computed.
constexpr double kLongestAnswerNs = 4e6;
/// What is received in advance, to see whether a loop is still wanted.
constexpr size_t kMostWaiting = 64, kMostWaitingBytes = 4 << 20;

double nsSince(Clock::time_point begin) {
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

/// Takes the same time wherever the texts differ.
bool sameSecret(const std::string &a, const std::string &b) {
    unsigned difference = a.size() == b.size() ? 0 : 1;
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return difference == 0;
}

uint64_t bytesOf(const Value &v) {
    if (!v.isMatrix())
        return 64;
    const Matrix &m = v.matrix();
    if (!m.isCsr())
        return m.cells() * cellSize(m.type());
    const Csr &c = v.csr();
    return (m.rows() + 1) * 8 + c.nonZeros() * ((c.hasWideIndex() ? 8 : 4) + (c.isPattern() ? 0 : cellSize(m.type())));
}

/// Signs of life, also while a loop runs.
class Pulse {
  public:
    Pulse(Transport &transport, std::chrono::milliseconds interval)
        : thread([this, &transport, interval] {
              std::unique_lock lock(mutex);
              while (!wake.wait_for(lock, interval, [&] { return stopped; }))
                  transport.send(0, frameOf({MessageType::Heartbeat}, {}));
          }) {}
    ~Pulse() {
        {
            std::lock_guard lock(mutex);
            stopped = true;
        }
        wake.notify_all();
        thread.join();
    }

  private:
    std::mutex mutex;
    std::condition_variable wake;
    bool stopped = false;
    std::thread thread;
};

/// Of process and machine.
struct Vitals {
    uint64_t residentBytes = 0;
    double load = 0;
};

/// Looks from time to time: it costs more than a short loop.
class VitalSigns {
  public:
    const Vitals &now() {
        if (Clock::now() < next)
            return known;
        next = Clock::now() + std::chrono::milliseconds(100);
        uint64_t all = 0, resident = 0;
        if (std::ifstream file("/proc/self/statm"); file >> all >> resident)
            known.residentBytes = resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        if (double load = 0; getloadavg(&load, 1) == 1)
            known.load = load;
        return known;
    }

  private:
    Vitals known;
    Clock::time_point next;
};

class Session {
  public:
    Session(Transport &transport, const WorkerOptions &options, exec::LoopEngine &engine,
            const Worker::MakeScheduler &makeScheduler)
        : transport(transport), options(options), engine(engine), makeScheduler(makeScheduler),
          arrivals(options.mostObjectBytes), files(options.readRoots) {}

    ~Session() { neighbour.leave(); }
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    bool run() {
        while (!isOver) {
            if (waiting.empty())
                receive(std::chrono::seconds(1));
            if (waiting.empty())
                continue;
            std::optional<Received> item = std::move(waiting.front());
            waiting.pop_front();
            waitingBytes -= item->frame.size();
            if (item->isLost) {
                log("connection lost: " + item->reason);
                return false;
            }
            for (std::span<const std::byte> rest = item->frame; !rest.empty() && !isOver;)
                handleFrame(takeFrame(rest));
        }
        return hasDetached;
    }

  private:
    void log(const std::string &line) const {
        if (options.log)
            options.log(line);
    }

    /// The next frame, if there is one. What it takes back is known before what stands in front of it is handled.
    bool receive(std::chrono::milliseconds patience) {
        std::optional<Received> item = transport.receive(patience);
        if (!item)
            return false;
        if (item->peer != 0) { // another worker's: its place among the coordinator's messages does not matter
            for (std::span<const std::byte> rest = item->frame; !rest.empty() && !isOver;)
                handleFrame(takeFrame(rest), true);
            return true;
        }
        try {
            for (std::span<const std::byte> rest = item->frame, body; isKnown && !rest.empty();)
                if (Envelope e = openFrame(takeFrame(rest), body); e.type == MessageType::Cancel)
                    cancelled.insert(e.request);
        } catch (const WireError &) {
            // Whoever handles it says so.
        }
        waitingBytes += item->frame.size();
        waiting.push_back(std::move(*item));
        return true;
    }

    /// Whether a loop that is about to begin is not wanted any more.
    bool isCancelled(uint64_t request) {
        while (waiting.size() < kMostWaiting && waitingBytes < kMostWaitingBytes && receive({})) {
        }
        return cancelled.erase(request) > 0;
    }

    void handleFrame(std::span<const std::byte> frame, bool isFromWorker = false) {
        Envelope envelope;
        try {
            std::span<const std::byte> body;
            envelope = openFrame(frame, body);
            if (isFromWorker && envelope.type != MessageType::ObjectPiece)
                throw WireError("a message that only coordinators send");
            if (!isKnown && envelope.type != MessageType::Hello)
                throw WireError("the first message must be a greeting");
            handle(envelope, body);
        } catch (const WireError &e) {
            refuse(Failure::Code::Protocol, std::string("rejected: ") + e.what());
        } catch (const Error &e) {
            log("failed: " + e.message);
            answer(Failure{Failure::Code::Execution, e.message}, envelope);
        } catch (const std::bad_alloc &) {
            log("failed: out of memory");
            answer(Failure{Failure::Code::Execution, "out of memory"}, envelope);
        }
    }

    /// Says why and ends the session.
    void refuse(Failure::Code code, const std::string &why) {
        log(why);
        transport.send(0, frameOf(Failure{code, why}));
        isOver = true;
    }

    FrameBatch newBatch() { return {transport, 0, chunkBytes, &loans}; }

    template <class M> void answer(const M &message, const Envelope &to) {
        answers.reset(); // sent before this one
        FrameBatch batch = newBatch();
        addAcks(batch);
        batch.add(frameOf(message, to.request, to.pipeline));
    }
    /// Where answers to loops are put together.
    FrameBatch &answersToLoops() {
        if (!answers) {
            answers.emplace(transport, 0, chunkBytes, &loans);
            firstAnswer = Clock::now();
        }
        return *answers;
    }
    void endAnswer(const Compute &message) {
        if (!message.isFollowed || nsSince(firstAnswer) > kLongestAnswerNs)
            answers.reset();
    }
    /// The loop is not run here.
    void giveBack(const Compute &message, const Envelope &envelope) {
        answersToLoops().add(frameOf({MessageType::Cancel, envelope.request}, {}));
        endAnswer(message);
    }

    void handle(const Envelope &envelope, std::span<const std::byte> body) {
        switch (envelope.type) {
        case MessageType::Hello: return greet(read<Hello>(body), envelope);
        case MessageType::Neighbour: return meet(read<Neighbourhood>(body));
        case MessageType::ObjectBegin: return begin(read<ObjectBegin>(body));
        case MessageType::ObjectLent: return borrow(read<ObjectLent>(body));
        case MessageType::ObjectAck: loans.end(read<ObjectAck>(body).object); return loans.sweep();
        case MessageType::ObjectChunk: return add(read<ObjectChunk>(body));
        case MessageType::ObjectPiece: return add(read<ObjectPiece>(body));
        case MessageType::Compute: return compute(read<Compute>(body), envelope);
        case MessageType::Transfer: return transfer(read<Transfer>(body), envelope);
        case MessageType::FileQuery: return answer(files.answerTo(read<FileQuery>(body), bytesLeft()), envelope);
        case MessageType::ReadRows: return readRows(read<ReadRows>(body));
        case MessageType::Free:
            for (uint64_t object : read<Free>(body).objects)
                forget(object);
            neighbour.sweep();
            return files.sweep();
        case MessageType::Heartbeat: // a question how long an answer takes
            return transport.send(0, frameOf({MessageType::Heartbeat, envelope.request}, {}));
        case MessageType::Cancel: cancelled.erase(envelope.request); return; // too late: loops are not interrupted
        case MessageType::Detach:
            pulse.reset();
            transport.send(0, frameOf({MessageType::Detach, envelope.request}, {}));
            isOver = hasDetached = true;
            return;
        default: throw WireError("a message that only workers send");
        }
    }

    void greet(const Hello &hello, const Envelope &envelope) {
        if (!options.token.empty() && !sameSecret(hello.token, options.token))
            return refuse(Failure::Code::Refused, "refused: the token is wrong");
        if (hello.build != options.build)
            return refuse(Failure::Code::Refused, "refused: the coordinator is version " + hello.build +
                                                      ", this worker is version " + options.build);
        if (isKnown)
            throw WireError("a second greeting");
        chunkBytes = std::clamp<uint64_t>(hello.chunkBytes, 100, uint64_t(1) << 30);
        try {
            scheduler = makeScheduler(hello.options);
        } catch (const Error &e) {
            return refuse(Failure::Code::Refused, "refused: " + e.message);
        }
        isKnown = true;
        number = hello.workerId - 1;
        neighbour.meet(hello.memory);
        char host[256] = "";
        gethostname(host, sizeof host - 1);
        answer(Welcome{host, options.build, static_cast<uint64_t>(getpid()),
                       static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)),
                       scheduler->numThreads(), ownSeat(), neighbour.offer(), blasLoops()},
               envelope);
        if (hello.heartbeatMs > 0)
            pulse = std::make_unique<Pulse>(transport, std::chrono::milliseconds(hello.heartbeatMs));
        log("connected: worker " + std::to_string(hello.workerId));
        idleSince = Clock::now();
    }

    /// The coordinator has found the number it had sent here; now the other way round.
    void meet(const Neighbourhood &message) {
        isNeighbour = message.canRead && neighbour.isReadable();
        loans.beginAt(message.canRead ? message.leastBytes : kNeverLent);
        bound.emplace(message.cpus);
        board = isNeighbour ? neighbour.openBoard(message.board) : std::nullopt;
        transport.send(
            0, frameOf(Neighbourhood{isNeighbour, message.leastBytes, {}, board ? message.board : MemoryFile()}));
    }

    // ---- objects

    void requireRoom(const ObjectBegin &message) const {
        if (objects.size() + arrivals.size() >= options.mostObjects)
            throw WireError("more than " + std::to_string(options.mostObjects) + " objects");
        if (message.totalBytes > bytesLeft())
            throw executionError("object " + std::to_string(message.object) + " of " +
                                 std::to_string(message.totalBytes) + " bytes exceeds the memory of the worker");
    }

    void begin(const ObjectBegin &message) {
        requireRoom(message);
        arrivals.begin(message);
    }

    void borrow(const ObjectLent &message) {
        if (!isNeighbour)
            throw WireError("an object in memory that is not this machine's");
        requireRoom(message.begin);
        std::optional<FoundArrays> arrays = neighbour.findArrays(message.pieces);
        Decoder decoder =
            arrays ? Decoder(message.begin.totalBytes, std::move(*arrays)) : Decoder(message.begin.totalBytes);
        neighbour.copy(message.pieces, message.begin.totalBytes, decoder,
                       [this](uint64_t object) { return cellsOf(find(object)); });
        store(message.begin.object, decoder.take());
        acknowledge(message.begin.object, message.begin.version);
    }

    void add(const ObjectChunk &chunk) {
        if (chunk.payload.size() > chunkBytes)
            throw WireError("a chunk of " + std::to_string(chunk.payload.size()) + " bytes; at most " +
                            std::to_string(chunkBytes) + " were agreed on");
        std::optional<ObjectBegin> complete = arrivals.add(chunk);
        if (!complete)
            return;
        store(complete->object, arrivals.take(complete->object));
        acknowledge(complete->object, complete->version);
    }

    void add(const ObjectPiece &piece) {
        if (objects.size() + pieces.size() >= options.mostObjects)
            throw WireError("more than " + std::to_string(options.mostObjects) + " objects");
        try {
            if (std::optional<Value> complete = pieces.add(piece, bytesLeft()))
                store(piece.object, std::move(*complete));
        } catch (...) {
            pieces.end(piece.object); // it will never be complete
            throw;
        }
    }

    /// A result, whole rows, is a piece of a matrix that others need, and maybe this worker. Bytes that were sent.
    uint64_t exchange(const Compute &message, uint64_t whole, const Ref<Dense> &rows) {
        uint64_t cols = rows->cols();
        ObjectPiece piece{whole, rows->type(),        message.allRows, cols, message.firstRow * cols, rows->cells(),
                          0,     cellsOf(Value(rows))};
        std::vector<uint32_t> others = message.audience;
        bool isWanted = std::erase(others, number) > 0;
        uint64_t bytes = 0;
        eachPieceFrame(piece, chunkBytes, [&](Bytes frame) {
            bytes += frame.size() * others.size();
            if (!others.empty())
                transport.sendToWorkers(others, std::move(frame));
        });
        if (isWanted) {
            piece.crc = crc32c(piece.payload);
            add(piece);
        }
        return bytes;
    }

    /// What comes in pieces from other workers may come later than what needs it.
    void awaitPieces(const Compute &message) {
        for (const Compute::Operand &operand : message.operands)
            while (operand.role == Compute::Role::Awaited && !objects.contains(operand.number)) {
                bool isHopeless = isOver || !transport.linksWorkers() || pieces.hasEnded(operand.number) ||
                                  (!waiting.empty() && waiting.back().isLost);
                if (isHopeless)
                    throw executionError("pieces of object " + std::to_string(operand.number) + " are missing");
                if (waitingBytes > bytesLeft())
                    throw executionError("messages of " + std::to_string(waitingBytes) +
                                         " bytes exceed the memory of the worker");
                answers.reset(); // nobody waits for them meanwhile
                receive(std::chrono::seconds(1));
            }
    }

    void acknowledge(uint64_t object, uint64_t version) {
        const Value &v = objects[object];
        ObjectAck ack{object, version, 0, 0, bytesOf(v)};
        if (v.isMatrix())
            ack.rows = v.matrix().rows(), ack.cols = v.matrix().cols();
        acks.push_back(ack);
        if (ack.bytes >= kPromptAckBytes || acks.size() >= kMostAcks) {
            FrameBatch batch = newBatch();
            addAcks(batch);
        }
    }
    void addAcks(FrameBatch &batch) {
        for (const ObjectAck &ack : std::exchange(acks, {}))
            batch.add(frameOf(ack));
    }

    uint64_t bytesLeft() const {
        uint64_t taken = objectBytes + arrivals.announcedBytes() + pieces.announcedBytes() + files.keptBytes();
        return options.mostObjectBytes - std::min(options.mostObjectBytes, taken);
    }

    void readRows(const ReadRows &message) {
        if (objects.size() >= options.mostObjects)
            throw executionError("there are more than " + std::to_string(options.mostObjects) + " objects");
        store(message.object, files.read(message, bytesLeft(), &scheduler->pool()));
        acknowledge(message.object, message.version);
    }

    void store(uint64_t object, Value v) {
        drop(object);
        objectBytes += bytesOf(v);
        objects[object] = std::move(v);
    }
    void drop(uint64_t object) {
        arrivals.drop(object);
        auto it = objects.find(object);
        if (it == objects.end())
            return;
        objectBytes -= bytesOf(it->second);
        objects.erase(it);
    }
    /// What is still coming of it is not wanted, either.
    void forget(uint64_t object) {
        if (object & kGathered)
            pieces.end(object);
        drop(object);
    }
    const Value &find(uint64_t object) const {
        auto it = objects.find(object);
        if (it == objects.end())
            throw executionError("object " + std::to_string(object) + " is not here");
        return it->second;
    }

    static std::span<const std::byte> cellsOf(const Value &v) {
        if (!v.isMatrix() || v.isCsr() || v.dense().type() == ValueType::Str || !v.dense().contiguous())
            throw WireError("cells of an object that has none");
        const Dense &m = v.dense();
        return withNumericType(
            m.type(), [&]<class T>(TypeTag<T>) { return std::as_bytes(std::span(m.view<T>().data, m.cells())); });
    }

    static void send(FrameBatch &batch, uint64_t object, const Value &v) {
        ObjectBegin announcement{.object = object, .version = 0, .kind = ObjectBegin::Kind::Result};
        announcement.first = 0;
        announcement.count = v.isMatrix() ? v.matrix().cells() : 1;
        batch.add(announcement, encode(v));
    }

    void transfer(const Transfer &message, const Envelope &) {
        FrameBatch batch = newBatch();
        send(batch, message.object, find(message.object));
    }

    // ---- loops

    struct Program {
        exec::LoopProgram program;
        exec::LoopCodeRef code = nullptr; ///< null: interpreted
    };

    const Program &programOf(const Compute &message, double &compileNs) {
        auto it = programs.find(message.hash);
        if (it != programs.end())
            return it->second;
        if (hashOf(message.program) != message.hash)
            throw WireError("a loop program that is not the one announced");
        auto start = Clock::now();
        Program p{exec::parseProgram(message.program)};
        p.code = engine.compile(p.program);
        compileNs = nsSince(start);
        return programs.emplace(message.hash, std::move(p)).first->second;
    }

    void compute(const Compute &message, const Envelope &envelope) {
        double compileNs = 0;
        // Later messages name a program that this one may have brought, whatever becomes of the loop.
        const Program &program = programOf(message, compileNs);
        awaitPieces(message);
        double waited = nsSince(idleSince) - compileNs;
        auto start = Clock::now();
        bool isMine = message.isOffered ? board && board->claim(envelope.request) : !isCancelled(envelope.request);
        if (!isMine)
            return giveBack(message, envelope);
        if (options.beforeLoop)
            options.beforeLoop(numLoops++);
        exec::BoundLoop loop(program.program);
        loop.function = program.code ? program.code->function : nullptr;
        loop.rows = message.rows;
        loop.cols = message.cols;
        loop.site = message.site;
        loop.serialNs = message.serialNs;
        loop.nsPerStored = message.nsPerStored;
        if (objects.size() + message.operands.size() > options.mostObjects)
            throw WireError("more than " + std::to_string(options.mostObjects) + " objects");
        std::vector<Ref<Dense>> outputs =
            bindOperands(loop, message, [this](uint64_t object) -> const Value & { return find(object); }, bytesLeft());
        bool fault = !exec::runRows(scheduler.get(), loop, 0, loop.rows);
        double computed = nsSince(start);
        FrameBatch &batch = answersToLoops();
        addAcks(batch);
        uint64_t bytesToWorkers = 0;
        for (size_t p = 0; p < outputs.size() && !fault; ++p) {
            if (!outputs[p])
                continue;
            const Compute::Operand &operand = message.operands[p];
            Compute::Role role = operand.role;
            if (role == Compute::Role::Collected && loop.isSumOfGroups(p))
                outputs[p] = mergedGroups(loop, p, message.firstRow, outputs[p]);
            if (role == Compute::Role::Exchanged)
                bytesToWorkers += exchange(message, operand.whole, outputs[p]);
            Value output(std::move(outputs[p]));
            if (role >= Compute::Role::Shared)
                send(batch, operand.number, output);
            if (role <= Compute::Role::Exchanged)
                store(operand.number, std::move(output));
        }
        const Vitals &vitals = vitalSigns.now();
        Ready ready{fault,          computed,      waited,    compileNs,
                    objects.size(), objectBytes,   loop.rows, vitals.residentBytes,
                    vitals.load,    bytesToWorkers};
        batch.add(frameOf(ready, envelope.request, envelope.pipeline));
        endAnswer(message);
        idleSince = Clock::now();
    }

    Transport &transport;
    std::deque<Received> waiting; ///< received, not handled
    size_t waitingBytes = 0;
    std::set<uint64_t> cancelled; ///< requests of loops, until they or their messages are handled
    const WorkerOptions &options;
    exec::LoopEngine &engine;
    const Worker::MakeScheduler &makeScheduler;
    std::unique_ptr<sched::Scheduler> scheduler;
    std::unique_ptr<Pulse> pulse;
    Neighbour neighbour;
    Loans loans;
    std::optional<BoundToCpus> bound;  ///< threads of the scheduler begin later
    bool isNeighbour = false;          ///< the coordinator's memory can be read, and it can read ours
    std::optional<ClaimBoard> board;   ///< of the coordinator
    std::optional<FrameBatch> answers; ///< to loops that are followed by another one
    Clock::time_point firstAnswer;     ///< of them
    Arrivals arrivals;
    AllGather pieces;
    uint32_t number = 0; ///< of this worker at the coordinator
    WorkerFiles files;
    std::vector<ObjectAck> acks; ///< to be sent
    std::unordered_map<uint64_t, Value> objects;
    std::unordered_map<uint64_t, Program> programs; ///< by hash
    uint64_t objectBytes = 0, numLoops = 0, chunkBytes = 1 << 20;
    Clock::time_point idleSince = Clock::now();
    VitalSigns vitalSigns;
    bool isKnown = false, isOver = false, hasDetached = false;
};

} // namespace

bool Worker::serve(Transport &transport) { return Session(transport, options, engine, makeScheduler).run(); }

} // namespace daphne::dist
