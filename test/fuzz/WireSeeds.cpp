// SPDX-License-Identifier: Apache-2.0
/// Writes the inputs that fuzz_wire begins with: conversations of a coordinator
/// and a worker about random regions, in both directions.
///
///   wire_seeds directory
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "SharedFiles.h"
#include "dist/coordinator/Cluster.h"
#include "dist/protocol/AllGather.h"
#include "dist/protocol/ObjectStream.h"
#include "dist/transports/InProcess.h"
#include "dist/worker/Worker.h"
#include "exec/RandomRecipes.h"
#include "exec/RecipeRuns.h"

using namespace daphne;
using namespace daphne::dist;

namespace {

namespace fs = std::filesystem;
constexpr size_t kLargestSeed = 6000;
constexpr uint64_t kLastRecipe = 250;
constexpr size_t kMostSeeds = 40;

/// Frames of one direction as an input: see FuzzWire.cpp. Several threads of a coordinator send and receive.
struct Recording {
    std::string text;
    std::mutex mutex;
    void add(const Bytes &frame) {
        std::lock_guard lock(mutex);
        text.append(reinterpret_cast<const char *>(frame.data()), frame.size());
    }
};

/// Takes down what the worker is told and what it answers.
class Recorder : public Transport {
  public:
    Recorder(std::unique_ptr<Transport> inner, Recording &toWorker, Recording &fromWorker)
        : inner(std::move(inner)), toWorker(toWorker), fromWorker(fromWorker) {}
    uint32_t numPeers() const override { return inner->numPeers(); }
    std::string nameOf(uint32_t peer) const override { return inner->nameOf(peer); }
    void send(uint32_t peer, Bytes frame) override {
        toWorker.add(frame);
        inner->send(peer, std::move(frame));
    }
    void attend(bool begins) override { inner->attend(begins); }
    std::optional<Received> receive(std::chrono::milliseconds patience, Listener who) override {
        std::optional<Received> item = inner->receive(patience, who);
        if (item && !item->isLost)
            fromWorker.add(item->frame);
        return item;
    }
    void disconnect(uint32_t peer) override { inner->disconnect(peer); }
    uint64_t usualChunkBytes() const override { return inner->usualChunkBytes(); }
    bool survivesLoss() const override { return inner->survivesLoss(); }

  private:
    std::unique_ptr<Transport> inner;
    Recording &toWorker, &fromWorker;
};

/// One region on one worker.
void converse(uint64_t seed, Recording &toWorker, Recording &fromWorker) {
    exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
    auto serve = [&](Transport &transport, uint32_t) {
        Worker({.build = "fuzz"}, engine, [](const std::vector<std::string> &) {
            return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
        }).serve(transport);
    };
    auto recorder = std::make_unique<Recorder>(connectInProcess(1, serve), toWorker, fromWorker);
    Cluster cluster(std::move(recorder), {.build = "fuzz", .heartbeatMs = 0},
                    {.coordinatorComputes = false, .threshold = 0}, 1);
    sched::Scheduler scheduler(sched::Settings{.threads = {.numThreads = 1}});
    test::Recipe recipe = test::RandomRecipes(seed).make();
    std::vector<Value> inputs = test::freshCopies(recipe.inputs);
    test::runRegion(recipe, *recipe.build(engine), {"seed", &engine, &scheduler, &cluster}, inputs);
    cluster.endOfProgram(false);
}

void write(const fs::path &directory, uint64_t seed, uint8_t choice, const std::string &text) {
    fs::create_directories(directory);
    std::ofstream(directory / (std::to_string(seed) + "-" + std::to_string(choice)), std::ios::binary)
        << static_cast<char>(choice) << text;
}

/// A worker that has greeted gets matrices and multiplies them.
std::string productOf(RowwiseProduct::Form form) {
    using Form = RowwiseProduct::Form;
    constexpr size_t kSize = 17;
    bool isSparse = form == Form::SparseRows, isDeep = form >= Form::Sums;
    auto cells = Dense::create(ValueType::F32, kSize, kSize);
    for (size_t i = 0; i < kSize * kSize; ++i)
        cells->mutableView<float>().data[i] = isSparse && i % 5 ? 0.0f : static_cast<float>(i);
    Recording all;
    auto send = [&](uint64_t object, const Value &v) {
        eachFrame({.object = object, .version = 1, .kind = ObjectBegin::Kind::Part, .first = 0, .count = kSize},
                  encode(v), 1000, [&](const Bytes &frame) { all.add(frame); });
    };
    send(1, isSparse ? Value(toCsr(*cells)) : Value(cells));
    send(2, Value(cells));
    RowwiseProduct product{form, ValueType::F32, kSize, kSize};
    Compute message{};
    message.program = exec::LoopProgram::of(product).text();
    message.hash = hashOf(message.program);
    message.rows = message.cols = kSize;
    message.operands.push_back({Compute::Role::Object, 1});
    if (form != Form::Gram)
        message.operands.push_back({Compute::Role::Object, 2});
    message.operands.push_back({isDeep ? Compute::Role::Collected : Compute::Role::Result, 3});
    all.add(frameOf(message, 7, 1));
    all.add(frameOf(Transfer{3}, 8));
    return all.text;
}

/// A worker that has greeted gets a matrix in pieces, multiplies with it and passes the result on as a piece of
/// another.
std::string exchange() {
    constexpr size_t kSize = 17, kHalf = 100;
    auto cells = Dense::create(ValueType::F64, kSize, kSize);
    for (size_t i = 0; i < kSize * kSize; ++i)
        cells->mutableView<double>().data[i] = static_cast<double>(i);
    Recording all;
    eachFrame({.object = 1, .version = 1, .kind = ObjectBegin::Kind::Part, .first = 0, .count = kSize},
              encode(Value(cells)), 1000, [&](const Bytes &frame) { all.add(frame); });
    auto bytes = std::as_bytes(std::span(cells->view<double>().data, kSize * kSize));
    for (size_t begin : {kHalf, size_t(0)}) {
        size_t count = begin ? kSize * kSize - kHalf : kHalf;
        ObjectPiece piece{
            kGathered | 2, ValueType::F64, kSize, kSize,
            begin,         count,          0,     bytes.subspan(begin * sizeof(double), count * sizeof(double))};
        eachPieceFrame(piece, 800, [&](const Bytes &frame) { all.add(frame); });
    }
    Compute message{};
    message.program = exec::LoopProgram::of({RowwiseProduct::Form::Rows, ValueType::F64, kSize, kSize}).text();
    message.hash = hashOf(message.program);
    message.rows = message.cols = message.allRows = kSize;
    message.audience = {0, 1, 5};
    message.operands = {{Compute::Role::Object, 1},
                        {Compute::Role::Awaited, kGathered | 2},
                        {Compute::Role::Exchanged, 3, kGathered | 4}};
    all.add(frameOf(message, 7, 1));
    all.add(frameOf(Transfer{3}, 8));
    all.add(frameOf(Free{{1, kGathered | 2, 3, kGathered | 4}}));
    return all.text;
}

/// A worker that has greeted is asked for rows of files, and then for what it has read.
std::string readingOf(const std::string &path, bool isSparse) {
    Recording all;
    all.add(frameOf(FileQuery{{path, path + ".meta", "/etc/hostname"}}, 1));
    FilePiece piece{path, *stateOf(path), 0, 0};
    struct Wanted {
        uint64_t first, count, inText, inBinary; ///< stored cells of the files
    };
    for (auto [first, count, inText, inBinary] : {Wanted{0, 6, 4, 10}, Wanted{2, 1, 2, 1}, Wanted{3, 3, 1, 5}}) {
        ReadRows rows{first + 1, 1, 5, isSparse ? first : 5 * first, isSparse ? count : 5 * count, {piece}};
        rows.isSparse = isSparse;
        rows.stored = path.ends_with("dbdf") ? inBinary : inText;
        rows.storedInAll = path.ends_with("dbdf") ? 10 : 4;
        all.add(frameOf(rows));
        all.add(frameOf(Transfer{first + 1}, 2));
    }
    all.add(frameOf(Free{{1, 3}}));
    all.add(frameOf(FileQuery{{path}}, 3));
    return all.text;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fputs("usage: wire_seeds directory\n", stderr);
        return 1;
    }
    size_t written = 0;
    for (uint64_t seed = 1; seed <= kLastRecipe && written < kMostSeeds; ++seed) {
        Recording toWorker, fromWorker;
        converse(seed, toWorker, fromWorker);
        // Without a loop there are greetings, heartbeats and a farewell only.
        if (toWorker.text.size() > kLargestSeed || toWorker.text.find("\nn ") == std::string::npos)
            continue;
        // Interpreted and compiled, repaired and as it comes.
        write(fs::path(argv[1]) / "worker", seed, seed % 4 == 0 ? 5 : 1, toWorker.text);
        if (seed % 5 == 0)
            write(fs::path(argv[1]) / "worker", seed, 0, toWorker.text);
        write(fs::path(argv[1]) / "coordinator", seed, seed % 5 == 0 ? 0 : 1, fromWorker.text);
        ++written;
    }
    fuzz::SharedFiles files = fuzz::makeSharedFiles();
    for (bool isSparse : {true, false})
        for (const std::string &path : isSparse ? files.sparse : files.dense)
            write(fs::path(argv[1]) / "worker", kLastRecipe + ++written, 3, readingOf(path, isSparse));
    for (int form = 0; form <= static_cast<int>(RowwiseProduct::Form::Gram); ++form)
        write(fs::path(argv[1]) / "worker", kLastRecipe + ++written, 3,
              productOf(static_cast<RowwiseProduct::Form>(form)));
    write(fs::path(argv[1]) / "worker", kLastRecipe + ++written, 3, exchange());
    std::printf("%zu conversations\n", written);
    return written == 0;
}
