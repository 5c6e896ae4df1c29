// SPDX-License-Identifier: Apache-2.0
/// Matrices that have to be read as a whole: workers that see the file read their rows of it instead of getting them,
/// results are those of one machine, and nobody is fooled by messages or by files that change.
#include <algorithm>
#include <random>

#include "dist/coordinator/Cluster.h"
#include "dist/transports/InProcess.h"
#include "dist/worker/Worker.h"
#include "dist/worker/WorkerFiles.h"
#include "exec/RecipeRuns.h"
#include "io/Format.h"
#include "io/TempDir.h"
#include "kernels/csr/CsrParts.h"

namespace daphne::test {

namespace {

namespace fs = std::filesystem;
using dist::Cluster;
using Access = dist::SeenFile::Access;

constexpr size_t kRows = 50000, kCols = 150;

/// Three entries in every row, in order.
std::string mtx(const std::string &kind, bool isReversed = false) {
    bool isPattern = kind.starts_with("pattern"), isSymmetric = kind.ends_with(" symmetric");
    std::vector<std::string> lines;
    for (size_t r = 0; r < kRows; ++r)
        for (size_t c : {r % 7, 10 + r % 31, 50 + r % 100}) {
            if (isSymmetric && c > r)
                continue;
            lines.push_back(std::to_string(r + 1) + " " + std::to_string(c + 1) +
                            (isPattern ? "" : " " + std::to_string(1 + (r * 31 + c) % 97) + ".25") + "\n");
        }
    if (isReversed)
        std::ranges::reverse(lines);
    std::string cols = std::to_string(isSymmetric ? kRows : kCols);
    std::string text = "%%MatrixMarket matrix coordinate " + kind + "\n" + std::to_string(kRows) + " " + cols + " " +
                       std::to_string(lines.size()) + "\n";
    for (const std::string &line : lines)
        text += line;
    return text;
}

class WholeFiles : public InTempDir {
  protected:
    WholeFiles() { fs::create_directory(path("common")); }

    void start(uint64_t leastLent = dist::kNeverLent, uint64_t mostObjectBytes = ~uint64_t(0) >> 1) {
        auto serve = [this, mostObjectBytes](dist::Transport &transport, uint32_t number) {
            exec::LoopEngine engine{{.jit = false}, nullptr};
            dist::WorkerOptions options{
                .build = "test", .mostObjectBytes = mostObjectBytes, .readRoots = {path("common")}};
            options.beforeLoop = [&](uint64_t loop) {
                if (number == 1 && loop == killedBefore)
                    throw std::runtime_error("killed");
            };
            dist::Worker(options, engine, [](const std::vector<std::string> &) {
                return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
            }).serve(transport);
        };
        cluster = std::make_unique<Cluster>(
            dist::connectInProcess(kWorkers, serve),
            dist::ConnectionSettings{.build = "test", .heartbeatMs = 0, .leastLent = leastLent},
            dist::ClusterSettings{.threshold = 0}, 1);
        context.scheduler = &scheduler;
    }
    ~WholeFiles() override {
        if (cluster)
            cluster->endOfProgram(false);
    }

    Value read(const std::string &name, bool asCsr = true) {
        return cluster->readMatrix(context, path(name), asCsr,
                                   [&] { return io::readMatrix(path(name), {.csr = asCsr}); });
    }
    /// Sums of rows, of all and of squares.
    std::vector<Value> compute(const Value &x, Cluster *where) {
        Recipe r;
        auto in = r.input(x);
        r.output(r.add("sumRow", {in}));
        r.output(r.add("sumAll", {r.add("ewMul", {in, in})}));
        r.output(r.add("maxRow", {in}));
        PlacedThread thread(context, where);
        std::vector<Value> results(r.outputs.size());
        r.build(engine)->run(thread, r.inputs, results, 0);
        for (const Value &v : results)
            exec::bringHere(v);
        return results;
    }
    void expectSame(const Value &x, const Value &wanted) {
        std::vector<Value> expected = compute(wanted, nullptr), found = compute(x, cluster.get());
        for (size_t i = 0; i < expected.size(); ++i)
            EXPECT_EQ(bitDifference(expected[i], found[i]), "") << i;
    }
    struct Traffic {
        uint64_t bytes = 0, parts = 0;
    };
    Traffic traffic() const {
        Traffic t;
        for (uint32_t w = 0; w < kWorkers; ++w) {
            t.bytes += cluster->workers().statistics(w).bytesOut;
            t.parts += cluster->workers().statistics(w).partsRead;
        }
        return t;
    }
    /// Computes with the file on all machines.
    Traffic use(const std::string &name, bool asCsr = true) {
        Value x = read(name, asCsr);
        Traffic before = traffic();
        expectSame(x, io::readMatrix(path(name), {.csr = asCsr}));
        Traffic after = traffic();
        return {after.bytes - before.bytes, after.parts - before.parts};
    }

    static constexpr uint32_t kWorkers = 3;
    uint64_t killedBefore = ~uint64_t(0); ///< the second worker
    exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
    sched::Scheduler scheduler{sched::Settings{.threads = {.numThreads = 1}}};
    RunContext context;
    std::unique_ptr<Cluster> cluster;
};

TEST_F(WholeFiles, AreReadByWorkersWhateverTheyAre) {
    start();
    for (const char *kind : {"real general", "pattern general", "real symmetric", "pattern symmetric"})
        for (bool isReversed : {false, true}) {
            put("common/x.mtx", mtx(kind, isReversed));
            Traffic t = use("common/x.mtx");
            EXPECT_GE(t.parts, kWorkers - 1) << kind; // the first rows of symmetric ones have most of the cells
            EXPECT_LT(t.bytes, 20000u) << kind;
        }
    put("common/x.mtx", mtx("real general"));
    put("common/x.mtx.meta", R"({"numRows": 50000, "numCols": 150, "valueType": "f32"})");
    EXPECT_GE(use("common/x.mtx").parts, kWorkers);
    for (size_t blockRows : {0, 1000}) {
        io::write(io::readMatrix(path("common/x.mtx"), {.csr = true}), path("common/x.dbdf"), {.blockRows = blockRows});
        Traffic t = use("common/x.dbdf");
        EXPECT_GE(t.parts, kWorkers) << blockRows;
        EXPECT_LT(t.bytes, 20000u) << blockRows;
    }
}

TEST_F(WholeFiles, MayBeDense) {
    start();
    auto m = Dense::create(ValueType::F64, kRows, 8);
    for (size_t i = 0; i < m->cells(); ++i)
        m->mutableView<double>().data[i] = 1.0 / static_cast<double>(i + 1);
    m->mutableView<double>().data[77] = -0.0;
    io::write(m, path("common/x.mtx"));
    Traffic t = use("common/x.mtx", false);
    EXPECT_GE(t.parts, kWorkers);
    EXPECT_LT(t.bytes, 20000u);
    put("common/y.mtx", mtx("real general")); // coordinates, small enough to be dense
    EXPECT_FALSE(read("common/y.mtx", false).isCsr());
    t = use("common/y.mtx", false);
    EXPECT_GE(t.parts, kWorkers);
    EXPECT_LT(t.bytes, 20000u);
}

TEST_F(WholeFiles, MayBeCast) {
    start();
    for (const char *kind : {"pattern general", "real general"}) {
        put("common/x.mtx", mtx(kind));
        Value x = read("common/x.mtx"), wanted = io::readMatrix(path("common/x.mtx"), {.csr = true});
        Value other = converted(x.csr(), ValueType::F32);
        cluster->keptStored(x.object(), other);
        uint64_t before = traffic().parts;
        expectSame(other, converted(wanted.csr(), ValueType::F32));
        EXPECT_GE(traffic().parts - before, kWorkers) << kind;
        // One cell fewer.
        auto fewer = Csr::rowWindow(x.csr(), 0, kRows - 1);
        cluster->keptStored(x.object(), Value(fewer));
        before = traffic().parts;
        expectSame(Value(fewer), Csr::rowWindow(wanted.csr(), 0, kRows - 1));
        EXPECT_EQ(traffic().parts, before);
    }
}

TEST_F(WholeFiles, AreSentToWhomTheyAreLent) {
    start(dist::kUsuallyLent);
    if (!cluster->workers().areNeighbours())
        GTEST_SKIP() << "memory of others cannot be read here";
    put("common/x.mtx", mtx("real general"));
    EXPECT_EQ(use("common/x.mtx").parts, 0u);
}

TEST_F(WholeFiles, AreSentWhereTheyCannotBeRead) {
    start();
    put("outside.mtx", mtx("real general"));
    fs::create_symlink(path("outside.mtx"), path("common/link.mtx"));
    for (const char *name : {"outside.mtx", "common/link.mtx"}) {
        Traffic t = use(name);
        EXPECT_EQ(t.parts, 0u) << name;
        EXPECT_GT(t.bytes, 100000u) << name;
    }
    put("common/small.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 5\n");
    EXPECT_EQ(use("common/small.mtx").parts, 0u);
    // Too large for the workers as a whole, but not in parts.
    put("common/x.mtx", mtx("real symmetric"));
    start(dist::kNeverLent, 3000000);
    EXPECT_EQ(use("common/x.mtx").parts, 0u);
}

TEST_F(WholeFiles, AreReadByOthersWhenAWorkerIsLost) {
    for (bool isReversed : {false, true})
        for (uint64_t loop : {0, 1}) {
            killedBefore = loop;
            start();
            put("common/x.mtx", mtx("real general", isReversed));
            Value x = read("common/x.mtx"), wanted = io::readMatrix(path("common/x.mtx"), {.csr = true});
            expectSame(x, wanted);
            expectSame(x, wanted);
            EXPECT_FALSE(cluster->workers().isAlive(1));
            EXPECT_GE(traffic().parts, 3u) << loop;
        }
}

TEST_F(WholeFiles, ThatHaveChangedAreSentAsTheyWere) {
    start();
    put("common/x.mtx", mtx("real general"));
    Value x = read("common/x.mtx"), wanted = io::readMatrix(path("common/x.mtx"), {.csr = true});
    put("common/x.mtx", mtx("pattern general"));
    expectSame(x, wanted);
    EXPECT_EQ(traffic().parts, 0u);
}

TEST_F(WholeFiles, ThatChangeWhileTheyAreReadAreNotTheMatrix) {
    start();
    put("common/x.mtx", mtx("real general"));
    Value wanted = io::readMatrix(path("common/x.mtx"), {.csr = true});
    Value x = cluster->readMatrix(context, path("common/x.mtx"), true, [&] {
        Value read = io::readMatrix(path("common/x.mtx"), {.csr = true});
        put("common/x.mtx", mtx("pattern general"));
        return read;
    });
    expectSame(x, wanted);
    EXPECT_EQ(traffic().parts, 0u);
}

// -------------------------------------------------------------------- what a worker does

class FilesOfWorker : public InTempDir {
  protected:
    dist::ReadRows rows(uint64_t first, uint64_t count, uint64_t stored, uint64_t storedInAll) const {
        dist::ReadRows m{1, 1, 3, first, count, {{file, *dist::stateOf(file), 0, 0}}};
        m.isSparse = true;
        m.type = type;
        m.stored = stored;
        m.storedInAll = storedInAll;
        return m;
    }
    Value read(const dist::ReadRows &m, uint64_t most = 1000000) { return files.read(m, most, nullptr); }
    std::string failure(const dist::ReadRows &m, uint64_t most = 1000000) {
        return failureOf([&] { read(m, most); });
    }
    ValueType type = ValueType::F64;
    std::vector<std::string> roots{directory};
    dist::WorkerFiles files{roots};
    const std::string kOrdered = "%%MatrixMarket matrix coordinate real general\n4 3 4\n1 1 5\n2 1 6\n2 3 7\n4 2 8\n";
    const std::string kOther = "%%MatrixMarket matrix coordinate real general\n4 3 4\n2 3 7\n1 1 5\n4 2 8\n2 1 6\n";
    std::string file = put("x.mtx", kOrdered);
};

TEST_F(FilesOfWorker, GiveRowsOfSparseMatrices) {
    EXPECT_EQ(files.answerTo({{file}}, 1000).files[0].access, Access::Whole);
    EXPECT_EQ(files.answerTo({{file}}, 10).files[0].access, Access::None) << "too large";
    for (const std::string &text : {kOrdered, kOther}) {
        put("x.mtx", text);
        Value v = read(rows(1, 2, 2, 4));
        ASSERT_TRUE(v.isCsr());
        v.csr().check();
        EXPECT_EQ(cellsOf<double>(*toDense(v.csr())), (std::vector<double>{6, 0, 7, 0, 0, 0}));
    }
}

TEST_F(FilesOfWorker, GiveRowsOfTheTypeThatIsWanted) {
    for (const std::string &text : {kOrdered, kOther}) {
        put("x.mtx", text);
        type = ValueType::SI8;
        EXPECT_EQ(cellsOf<int8_t>(*toDense(read(rows(0, 2, 3, 4)).csr())), (std::vector<int8_t>{5, 0, 0, 6, 0, 7}));
        type = ValueType::Str;
        EXPECT_THROW(read(rows(0, 2, 3, 4)), dist::WireError);
    }
    type = ValueType::SI8;
    put("x.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 1\n1 1 0.5\n");
    EXPECT_NE(failure(rows(0, 1, 1, 1)).find("has changed"), std::string::npos) << "it has become zero";
}

TEST_F(FilesOfWorker, StoreValuesWhereTheCoordinatorDoes) {
    put("x.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 3 2\n1 1\n2 3\n");
    dist::ReadRows m = rows(0, 2, 2, 2);
    EXPECT_FALSE(read(m).csr().isPattern());
    m.isPattern = true;
    EXPECT_TRUE(read(m).csr().isPattern());
    put("x.mtx", kOrdered);
    m = rows(0, 1, 1, 4);
    m.isPattern = true;
    EXPECT_NE(failure(m).find("has changed"), std::string::npos);
}

TEST_F(FilesOfWorker, KeepAMatrixWhileItsRowsAreInUse) {
    Value ordered = read(rows(1, 2, 2, 4));
    EXPECT_EQ(files.keptBytes(), 0u) << "its rows were found without the others";
    put("x.mtx", kOther);
    dist::ReadRows first = rows(1, 2, 2, 4), second = rows(3, 1, 1, 4);
    Value a = read(first);
    EXPECT_GT(files.keptBytes(), 0u);
    uint64_t kept = files.keptBytes();
    // Whoever wants what it was gets it from memory.
    put("x.mtx", "%%MatrixMarket\n");
    Value b = read(second, 1);
    EXPECT_EQ(b.csr().nonZeros(), 1u);
    files.sweep();
    EXPECT_EQ(files.keptBytes(), kept);
    a = Value();
    files.sweep();
    EXPECT_EQ(files.keptBytes(), kept);
    b = Value();
    files.sweep();
    EXPECT_EQ(files.keptBytes(), 0u);
    EXPECT_NE(failure(second).find("has changed"), std::string::npos);
}

TEST_F(FilesOfWorker, GiveCellsOfDenseMatrices) {
    put("x.mtx", "%%MatrixMarket matrix array integer general\n2 3\n1\n2\n3\n4\n5\n6\n");
    dist::ReadRows all{1, 1, 3, 0, 6, {{file, *dist::stateOf(file), 0, 0}}}, some = all;
    EXPECT_NE(failure(all, 47).find("memory of the worker"), std::string::npos);
    Value a = read(all);
    some.first = 2;
    some.count = 3;
    Value b = read(some);
    EXPECT_EQ(cellsOf<int64_t>(a.dense()), (std::vector<int64_t>{1, 3, 5, 2, 4, 6}));
    EXPECT_EQ(cellsOf<int64_t>(b.dense()), (std::vector<int64_t>{5, 2, 4}));
    some.count = 5;
    EXPECT_THROW(read(some), dist::WireError);
    some.count = 3;
    some.cols = 2;
    EXPECT_THROW(read(some), dist::WireError);
    all.pieces.push_back({file, all.pieces[0].state, 2, 0});
    all.count = 12;
    EXPECT_THROW(read(all), dist::WireError) << "matrices of their own only";
    all.pieces = {{file, all.pieces[0].state, 1, 0}};
    all.first = 3;
    all.count = 6;
    EXPECT_THROW(read(all), dist::WireError);
}

TEST_F(FilesOfWorker, DoNotBelieveMessages) {
    for (const std::string &text : {kOrdered, kOther}) {
        put("x.mtx", text);
        constexpr uint64_t kHuge = ~uint64_t(0), kLarge = uint64_t(1) << 62;
        for (auto [first, count] : std::vector<std::pair<uint64_t, uint64_t>>{
                 {0, 5}, {4, 1}, {3, 2}, {0, 0}, {kHuge, 1}, {1, kHuge}, {kLarge, kLarge}})
            EXPECT_THROW(read(rows(first, count, 0, 4)), dist::WireError) << first << " " << count;
        EXPECT_THROW(read(rows(0, 4, 5, 4)), dist::WireError);
        EXPECT_NE(failure(rows(0, 4, 3, 3)), "");
        EXPECT_NE(failure(rows(0, 4, kLarge, kLarge)), "");
        EXPECT_NE(failure(rows(0, 4, kHuge, kHuge)), "");
        files.sweep();
        EXPECT_NE(failure(rows(0, 4, 4, 4), 20).find("memory of the worker"), std::string::npos);
        for (const auto &change : std::vector<std::function<void(dist::ReadRows &)>>{
                 [](auto &m) { m.pieces[0].row = 1; }, [](auto &m) { m.pieces[0].col = 1; },
                 [](auto &m) { m.pieces.push_back(m.pieces[0]); }, [](auto &m) { m.pieces.clear(); },
                 [](auto &m) { m.cols = 4; }, [](auto &m) { m.cols = 0; }, [](auto &m) { m.pieces[0].path = "x.mtx"; },
                 [](auto &m) { m.pieces[0].path = "/etc/hostname"; },
                 [&](auto &m) { m.pieces[0].path = path("a/../x.mtx"); }}) {
            dist::ReadRows m = rows(0, 4, 4, 4);
            change(m);
            EXPECT_THROW(read(m), dist::WireError);
        }
    }
    Value dense = Dense::create(ValueType::F64, 4, 3, Buffer::Init::Zero);
    file = path("x.dbdf");
    io::write(dense, file);
    EXPECT_THROW(read(rows(0, 4, 0, 0)), dist::WireError) << "a dense matrix";
}

TEST_F(FilesOfWorker, MayBeBrokenInAnyPlace) {
    dist::ReadRows m = rows(0, 4, 4, 4);
    put("x.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 4\n1 1 5\n2 9 6\n2 3 7\n4 2 8\n");
    m.pieces[0].state = *dist::stateOf(file);
    EXPECT_NE(failure(m).find("line 4, column 3"), std::string::npos) << failure(m);
    put("x.mtx", kOrdered.substr(0, kOrdered.size() - 8));
    m.pieces[0].state = *dist::stateOf(file);
    EXPECT_NE(failure(m), "");
}

TEST_F(FilesOfWorker, MayBeDataSets) {
    file = path("x.h5:/a/b");
    auto dense = Dense::create(ValueType::F64, 4, 3);
    for (size_t i = 0; i < 12; ++i)
        dense->mutableView<double>().data[i] = static_cast<double>(i);
    try {
        io::write(dense, file);
    } catch (const Error &) {
        GTEST_SKIP() << "no HDF5";
    }
    EXPECT_EQ(files.answerTo({{file}}, 0).files[0].access, Access::Rows);
    dist::ReadRows m{1, 1, 3, 4, 5, {{file, *dist::stateOf(file), 0, 0}}};
    EXPECT_EQ(cellsOf<double>(read(m).dense()), (std::vector<double>{4, 5, 6, 7, 8}));
    fs::create_directory(path("root"));
    fs::create_symlink(path("x.h5"), path("root/link.h5"));
    roots = {path("root")};
    for (const std::string &name : {file, path("root/../x.h5:/a/b"), path("root/link.h5:/a/b"), path("root:/a/b"),
                                    path("root/no.h5:/../../x.h5:/a/b")}) {
        EXPECT_EQ(files.answerTo({{name}}, ~uint64_t(0)).files[0].access, Access::None) << name;
        m.pieces[0].path = name;
        EXPECT_THROW(read(m), dist::WireError) << name;
    }
}

} // namespace

} // namespace daphne::test
