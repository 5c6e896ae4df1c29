// SPDX-License-Identifier: Apache-2.0
/// Fuzz target: frames from the wire, to a worker or (fuzzFormat("coordinator"))
/// from one. Whatever comes, the other side ends the session in time: it refuses
/// or answers. Other exceptions, and more memory than the limits of the worker
/// allow, abort.
///
/// The first byte of an input is a set of Choices, then come frames, each of which
/// begins where the magic number of the protocol stands. Repaired frames have a
/// right envelope, and lengths of programs, checksums and hashes are made right,
/// so that what is behind them is reached.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <mutex>
#include <ranges>
#include <string>
#include <string_view>

#include "AllocationMeter.h"
#include "SharedFiles.h"
#include "base/Error.h"
#include "codegen/loops/LoopJit.h"
#include "data/BufferPool.h"
#include "data/Object.h"
#include "dist/coordinator/ObjectTransfers.h"
#include "dist/worker/Worker.h"

using namespace daphne;
using namespace daphne::dist;

namespace {

enum Choice : uint8_t { kRepaired = 1, kGreets = 2, kCompiled = 4 };

/// Of one worker. Two vectors of this size span a loop that ends in time.
constexpr uint64_t kMostObjectBytes = 16 << 10;
/// Results, kept rows and arriving objects besides, and what the scheduler has.
constexpr size_t kMostMemory = size_t(128) << 20;

bool toCoordinator = false;

[[noreturn]] void fail(const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    std::abort();
}

template <class T> void put(Bytes &frame, size_t at, T x) {
    if (at + sizeof x <= frame.size())
        std::memcpy(frame.data() + at, &x, sizeof x);
}

/// Envelope, checksums and hashes as they should be; types wrap around to known ones.
void repair(Bytes &frame) {
    if (frame.size() < kEnvelopeBytes)
        return;
    put(frame, 0, kMagic);
    put(frame, 4, kProtocolVersion);
    uint16_t type;
    std::memcpy(&type, frame.data() + 6, sizeof type);
    type = static_cast<uint16_t>(type % (static_cast<uint16_t>(MessageType::Detach) + 1));
    put(frame, 6, type);
    put(frame, 24, static_cast<uint64_t>(frame.size() - kEnvelopeBytes));
    std::span<const std::byte> body = std::span(frame).subspan(kEnvelopeBytes);
    constexpr size_t kCrcAt = 13, kChunkHead = 17, kProgramAt = 12;
    if (type == static_cast<uint16_t>(MessageType::ObjectChunk) && body.size() >= kChunkHead)
        put(frame, kEnvelopeBytes + kCrcAt, crc32c(body.subspan(kChunkHead)));
    constexpr size_t kPieceCrcAt = 41, kPieceHead = 45;
    if (type == static_cast<uint16_t>(MessageType::ObjectPiece) && body.size() >= kPieceHead)
        put(frame, kEnvelopeBytes + kPieceCrcAt, crc32c(body.subspan(kPieceHead)));
    if (type == static_cast<uint16_t>(MessageType::Compute) && body.size() >= kProgramAt) {
        std::string_view text(reinterpret_cast<const char *>(body.data()) + kProgramAt, body.size() - kProgramAt);
        size_t printable = 0;
        while (printable < text.size() &&
               (text[printable] == '\n' || (text[printable] >= ' ' && text[printable] <= '~')))
            ++printable;
        size_t end = text.substr(0, printable).rfind('\n');
        text = text.substr(0, end == text.npos ? 0 : end + 1);
        put(frame, kEnvelopeBytes + 8, static_cast<uint32_t>(text.size()));
        if (!text.empty())
            put(frame, kEnvelopeBytes, hashOf(text));
    }
}

std::deque<Bytes> framesOf(std::string_view rest, bool isRepaired) {
    const std::string_view magic(reinterpret_cast<const char *>(&kMagic), sizeof kMagic);
    std::deque<Bytes> frames;
    while (!rest.empty()) {
        std::string_view text = rest.substr(0, rest.find(magic, 1));
        auto bytes = std::as_bytes(std::span(text));
        frames.emplace_back(bytes.begin(), bytes.end());
        if (isRepaired)
            repair(frames.back());
        rest.remove_prefix(text.size());
    }
    return frames;
}

/// The other end says what the input says, then it is gone. Before that it greets, if wanted, and answers heartbeats
/// until it may begin().
class Stranger : public Transport {
  public:
    explicit Stranger(std::deque<Bytes> frames) : later(std::move(frames)) {}
    uint32_t numPeers() const override { return 1; }
    std::string nameOf(uint32_t) const override { return "stranger"; }
    void send(uint32_t, Bytes frame) override {
        std::lock_guard lock(mutex);
        if (!hasBegun && frame[6] == std::byte(static_cast<uint8_t>(MessageType::Heartbeat)))
            now.push_back(std::move(frame));
        changed.notify_all();
    }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener) override {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, patience, [&] { return hasBegun || !now.empty(); });
        if (now.empty())
            return hasBegun ? std::optional(Received{0, {}, true, "end of input", 0, numTaken++}) : std::nullopt;
        Received item{0, std::move(now.front()), false, {}, 0, numTaken++};
        now.pop_front();
        return item;
    }
    void attend(bool) override {}
    void disconnect(uint32_t) override {}
    uint64_t usualChunkBytes() const override { return 1000; }
    bool survivesLoss() const override { return true; }

    void greet(Bytes frame) { now.push_back(std::move(frame)); }
    void begin() {
        std::lock_guard lock(mutex);
        hasBegun = true;
        std::ranges::move(later, std::back_inserter(now));
        changed.notify_all();
    }

  private:
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t numTaken = 0;
    std::deque<Bytes> now, later;
    bool hasBegun = false;
};

const std::string &readRoot() {
    static const std::string directory = fuzz::makeSharedFiles().directory;
    return directory;
}

void attackWorker(std::deque<Bytes> frames, uint8_t choice) {
    static exec::LoopEngine interpreter{{.jit = false}, nullptr};
    static exec::LoopEngine jit{{.jit = true}, codegen::makeLoopCompiler("")};
    Stranger coordinator(std::move(frames));
    if (choice & kGreets)
        coordinator.greet(frameOf(Hello{"fuzz", "", 1 << 16, 0, 1, {}}));
    coordinator.begin();
    WorkerOptions options{
        .build = "fuzz", .mostObjectBytes = kMostObjectBytes, .mostObjects = 100, .readRoots = {readRoot()}};
    Worker(options, choice & kCompiled ? jit : interpreter, [](const std::vector<std::string> &) {
        return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
    }).serve(coordinator);
}

/// Some objects are expected: two for which there is room, the second of truth values.
void attackCoordinator(std::deque<Bytes> frames, uint8_t choice) {
    auto stranger = std::make_unique<Stranger>(std::move(frames));
    Stranger &worker = *stranger;
    if (choice & kGreets)
        worker.greet(frameOf(Welcome{"stranger", "fuzz", 1, 1 << 20, 1, {"stranger", {0}}}));
    else
        worker.begin();
    std::vector<std::byte> cells(16 * 8 + 16);
    try {
        Connections peers(std::move(stranger), {.build = "fuzz", .heartbeatMs = 0});
        ObjectTransfers(peers).expect(0, 1, {ValueType::F64, 16, cells.data()});
        ObjectTransfers(peers).expect(0, 2, {ValueType::Bool, 16, cells.data() + 128});
        worker.begin();
        while (peers.isAlive(0))
            peers.next(std::chrono::milliseconds(1));
        while (peers.next(std::chrono::milliseconds(0))) {
        }
    } catch (const Error &) {
        // No worker is left.
    }
    for (size_t i = 128; i < cells.size(); ++i)
        if (cells[i] > std::byte(1))
            fail("a truth value that is neither 0 nor 1");
}

} // namespace

void fuzzFormat(std::string direction) { toCoordinator = direction == "coordinator"; }

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
    for (int i = 1; i < *argc; ++i)
        if (std::string_view option = (*argv)[i]; option.starts_with("--format="))
            fuzzFormat(std::string(option.substr(9)));
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    uint8_t choice = data[0];
    std::deque<Bytes> frames = framesOf({reinterpret_cast<const char *>(data) + 1, size - 1}, choice & kRepaired);
    readRoot();
    fuzz::startMeter();
    try {
        toCoordinator ? attackCoordinator(std::move(frames), choice) : attackWorker(std::move(frames), choice);
    } catch (const std::exception &error) {
        fail(std::string("foreign exception: ") + error.what());
    }
    size_t peak = fuzz::peakBytes() + bufferPoolState().peakInUse;
    if (peak > kMostMemory)
        fail("a session took " + std::to_string(peak) + " bytes, the limit is " + std::to_string(kMostMemory));
    return 0;
}
