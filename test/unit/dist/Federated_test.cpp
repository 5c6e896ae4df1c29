// SPDX-License-Identifier: Apache-2.0
/// Federated matrices on several machines: workers read the parts that name them, also parts that nobody else sees, and
/// results are those of the whole matrix on one machine. No worker reads what it must not.
#include <array>
#include <random>

#include <sched.h>
#include <unistd.h>

#include "dist/coordinator/Cluster.h"
#include "dist/transports/InProcess.h"
#include "dist/worker/Worker.h"
#include "dist/worker/WorkerFiles.h"
#include "exec/RecipeRuns.h"
#include "io/Federated.h"
#include "io/Format.h"
#include "io/TempDir.h"

namespace daphne::test {

namespace {

namespace fs = std::filesystem;
using dist::Cluster;

constexpr size_t kCols = 5, kBlock = 4096;

/// Workers may read the directory "common". Each has a working directory of its own, too, so that the name
/// /proc/thread-self/cwd/file is a file that nobody else sees.
class FederatedCluster : public InTempDir {
  protected:
    FederatedCluster() {
        fs::create_directory(path("common"));
        for (uint32_t w = 0; w < kWorkers; ++w)
            fs::create_directories(path("common/site" + std::to_string(w)));
    }

    void start(const dist::ClusterSettings &given = {.threshold = 0}) {
        auto serve = [this](dist::Transport &transport, uint32_t number) {
            if (unshare(CLONE_FS) != 0 || chdir(site(number).c_str()) != 0)
                throw std::runtime_error("no working directory");
            exec::LoopEngine engine{{.jit = false}, nullptr};
            dist::WorkerOptions options{.build = "test", .readRoots = {path("common")}};
            options.beforeLoop = [&, number](uint64_t loop) {
                if (beforeLoop)
                    beforeLoop(loop, number);
            };
            dist::Worker(options, engine, [](const std::vector<std::string> &) {
                return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
            }).serve(transport);
        };
        dist::ClusterSettings settings = given;
        settings.warn = [this](const std::string &line) { warnings.push_back(line); };
        cluster = std::make_unique<Cluster>(dist::connectInProcess(kWorkers, serve),
                                            dist::ConnectionSettings{.build = "test", .heartbeatMs = 0}, settings, 1);
        context.scheduler = &scheduler;
    }
    ~FederatedCluster() override {
        if (cluster)
            cluster->endOfProgram(false);
    }

    std::string site(uint32_t worker) const { return path("common/site" + std::to_string(worker)); }

    /// The whole matrix; its rows go to files of these names (from "common" on, or as only the worker sees them), which
    /// common/x.fed lists.
    struct Part {
        size_t rows;
        std::string file, worker;
    };
    Ref<Dense> write(const std::vector<Part> &parts) {
        io::FederatedMatrix fed{0, kCols, ValueType::F64, {}};
        for (const Part &part : parts)
            fed.rows += part.rows;
        auto whole = Dense::create(ValueType::F64, fed.rows, kCols);
        for (size_t i = 0; i < whole->cells(); ++i)
            whole->mutableView<double>().data[i] = 1.0 / static_cast<double>(i + 1);
        size_t row = 0;
        for (const Part &part : parts) {
            std::string file = part.file;
            if (file.starts_with(kOwn))
                file = site(static_cast<uint32_t>(part.worker.back() - '1')) + file.substr(kOwn.size());
            else if (file[0] != '/')
                file = path("common/" + file);
            io::write(Dense::window(*whole, row, row + part.rows, 0, kCols), file);
            fed.parts.push_back({row, 0, part.rows, kCols, part.file, part.worker});
            row += part.rows;
        }
        put("common/x.fed", io::federatedText(fed));
        return whole;
    }

    Value read(const std::string &name = "common/x.fed") {
        std::optional<Value> matrix = cluster->readLater(context, path(name));
        EXPECT_TRUE(matrix);
        return matrix ? std::move(*matrix) : io::readMatrix(path(name));
    }
    std::string failure() {
        return failureOf([&] { cluster->readLater(context, path("common/x.fed")); });
    }

    /// sum(sqrt(X)), X + 1 and rows' sums of it.
    std::vector<Value> compute(const Value &x, Cluster *where) {
        Recipe r;
        auto in = r.input(x);
        auto more = r.add("ewAdd", {in, r.input(Value::scalar(1.0))});
        r.output(r.add("sumAll", {r.add("ewSqrt", {in})}));
        r.output(more);
        r.output(r.add("sumRow", {more}));
        PlacedThread thread(context, where);
        std::vector<Value> results(r.outputs.size());
        r.build(engine)->run(thread, r.inputs, results, 0);
        for (const Value &v : results)
            exec::bringHere(v);
        return results;
    }
    void expectSame(const Value &x, const Dense &whole) {
        std::vector<Value> expected = compute(Value(whole.copy()), nullptr), found = compute(x, cluster.get());
        for (size_t i = 0; i < expected.size(); ++i)
            if (expected[i].isMatrix())
                EXPECT_EQ(bitDifference(expected[i], found[i]), "") << i;
            else
                EXPECT_EQ(expected[i].as<double>(), found[i].as<double>()) << i;
        exec::bringHere(x);
        EXPECT_EQ(bitDifference(Value(whole.copy()), x), "");
    }
    dist::PeerStatistics statistics(uint32_t worker) const { return cluster->workers().statistics(worker); }
    uint64_t objectsOut() const {
        uint64_t sent = 0;
        for (uint32_t w = 0; w < kWorkers; ++w)
            sent += statistics(w).objectsOut;
        return sent;
    }

    static constexpr uint32_t kWorkers = 3;
    static constexpr std::string_view kOwn = "/proc/thread-self/cwd";
    std::function<void(uint64_t loop, uint32_t worker)> beforeLoop;
    std::vector<std::string> warnings;
    exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
    sched::Scheduler scheduler{sched::Settings{.threads = {.numThreads = 1}}};
    RunContext context;
    std::unique_ptr<Cluster> cluster;
};

std::string own(const std::string &name) { return "/proc/thread-self/cwd/" + name; }

TEST_F(FederatedCluster, WorkersReadThePartsThatNameThem) {
    auto whole =
        write({{3 * kBlock, "a.dbdf", "thread 2"}, {2 * kBlock, "b.dbdf", "thread 1"}, {9000, "c.dbdf", "thread 3"}});
    start();
    Value x = read();
    expectSame(x, *whole);
    EXPECT_EQ(objectsOut(), 0u) << "no cells were sent";
    for (uint32_t w = 0; w < kWorkers; ++w)
        EXPECT_EQ(statistics(w).partsRead, 1u) << w;
    EXPECT_EQ(statistics(1).rows % (3 * kBlock), 0u);
    EXPECT_EQ(statistics(0).rows % (2 * kBlock), 0u);
    EXPECT_TRUE(warnings.empty());
}

TEST_F(FederatedCluster, PartsNeedNotEndWhereLoopsAreCut) {
    auto whole = write({{30001, "a.dbdf", "thread 1"},
                        {7, "b.dbdf", "thread 2"},
                        {19000, "c.dbdf", "thread 2"},
                        {22345, "d.dbdf", "thread 3"}});
    start();
    expectSame(read(), *whole);
    EXPECT_EQ(objectsOut(), 0u) << "workers that see the files of others read from them, too";
}

TEST_F(FederatedCluster, PartsWithoutAWorkerGoToWhoHasLeast) {
    auto whole = write({{2 * kBlock, "a.dbdf", ""},
                        {4 * kBlock, "b.dbdf", "thread 1"},
                        {4 * kBlock, "c.dbdf", ""},
                        {4 * kBlock, "d.dbdf", ""},
                        {4 * kBlock, "e.dbdf", ""}});
    start();
    expectSame(read(), *whole);
    EXPECT_EQ(objectsOut(), 0u);
    EXPECT_EQ(statistics(0).rows % (4 * kBlock), 0u);
    for (uint32_t w = 0; w < kWorkers; ++w)
        EXPECT_GT(statistics(w).rows, 0u);
}

TEST_F(FederatedCluster, WithoutWorkersTheUsualPlanHolds) {
    auto whole = write({{30001, "a.dbdf", ""}, {20001, "b.csv", ""}, {30001, "c.dbdf", ""}});
    start();
    Value plain = io::readMatrix(path("common/x.fed")); // CSV has six decimals
    expectSame(read(), plain.dense());
    EXPECT_EQ(objectsOut(), 0u);
}

TEST_F(FederatedCluster, PartsThatOnlyTheirWorkersSeeStayThere) {
    auto whole = write({{3 * kBlock, own("p.dbdf"), "thread 2"},
                        {2 * kBlock, own("p.dbdf"), "thread 1"},
                        {9000, own("p.dbdf"), "thread 3"}});
    start();
    EXPECT_NE(failureOf([&] { io::readMatrix(path("common/x.fed")); }).find("part 0: cannot read"), std::string::npos);
    Value x = read();
    uint64_t before = statistics(1).bytesIn;
    std::vector<Value> expected = compute(Value(whole->copy()), nullptr);
    {
        PlacedThread thread(context, cluster.get());
        Recipe r;
        r.output(r.add("sumAll", {r.add("ewSqrt", {r.input(x)})}));
        std::vector<Value> results(1);
        r.build(engine)->run(thread, r.inputs, results, 0);
        EXPECT_EQ(results[0].as<double>(), expected[0].as<double>());
    }
    EXPECT_LT(statistics(1).bytesIn - before, 10000u) << "sums, no cells";
    EXPECT_EQ(objectsOut(), 0u);
    expectSame(x, *whole);
}

TEST_F(FederatedCluster, PartsThatOnlyTheirWorkersSeeMayHaveAnyNumberOfRows) {
    auto whole = write({{10001, own("p.dbdf"), "thread 1"},
                        {777, "b.dbdf", ""},
                        {9000, own("p.dbdf"), "thread 3"},
                        {300, own("q.dbdf"), "thread 3"}});
    for (const dist::ClusterSettings &settings :
         std::vector<dist::ClusterSettings>{{.threshold = 0},
                                            {.coordinatorComputes = false, .threshold = 0},
                                            {.resident = false, .threshold = 0},
                                            {.threshold = 0, .scheme = sched::findScheme("GSS")},
                                            {.threshold = 0, .steal = dist::Stealing::Half},
                                            {.threshold = ~uint64_t(0)}}) {
        start(settings);
        expectSame(read(), *whole);
    }
    EXPECT_EQ(statistics(0).chunks, 0u) << "small loops stay here";
}

TEST_F(FederatedCluster, RandomPartsGiveTheBitsOfTheWhole) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 15; ++round) {
        std::vector<Part> parts;
        for (size_t n = 1 + random() % 6, i = 0; i < n; ++i) {
            size_t rows = random() % 2 ? kBlock * (1 + random() % 4) : 1 + random() % 20000;
            std::string name = std::to_string(i) + ".dbdf",
                        worker = "thread " + std::to_string(1 + random() % kWorkers);
            if (random() % 2)
                parts.push_back({rows, own(name), worker});
            else
                parts.push_back({rows, name, random() % 3 ? worker : random() % 2 ? "" : "far:1"});
        }
        parts.push_back({30000, "large.dbdf", ""});
        auto whole = write(parts);
        start({.coordinatorComputes = random() % 2 == 0, .threshold = 0});
        expectSame(read(), *whole);
        if (HasFailure()) {
            ADD_FAILURE() << content("common/x.fed");
            return;
        }
    }
}

TEST_F(FederatedCluster, CellsOfALostWorkerAreAnErrorUnlessSomebodySeesTheFile) {
    beforeLoop = [](uint64_t, uint32_t worker) {
        if (worker == 1)
            throw std::runtime_error("killed");
    };
    auto whole = write({{3 * kBlock, "a.dbdf", "thread 1"}, {9 * kBlock, "b.dbdf", "thread 2"}});
    start();
    expectSame(read(), *whole);
    whole = write({{3 * kBlock, "a.dbdf", "thread 1"}, {9 * kBlock, own("b.dbdf"), "thread 2"}});
    start();
    Value x = read();
    EXPECT_NE(failureOf([&] { compute(x, cluster.get()); }).find("lost with their worker"), std::string::npos);
}

TEST_F(FederatedCluster, APartThatIsNowhereIsAnErrorThatSaysWhy) {
    write({{100, own("p.dbdf"), "thread 2"}});
    start();
    fs::remove(site(1) + "/p.dbdf");
    EXPECT_NE(
        failure().find("part 0: file \"/proc/thread-self/cwd/p.dbdf\" is not here, and the worker thread 2 cannot "
                       "read it"),
        std::string::npos)
        << failure();
    io::write(Dense::create(ValueType::F32, 99, kCols, Buffer::Init::Zero), site(1) + "/p.dbdf");
    EXPECT_NE(failure().find("has a matrix of 99x5 and f32 there instead of 100x5 and f64"), std::string::npos)
        << failure();
    fs::create_symlink("/etc/hostname", site(1) + "/q.dbdf");
    put("common/x.fed", R"({"numRows":1,"numCols":1,"valueType":"f64","parts":[{"file":")" + own("q.dbdf") +
                            R"(","worker":"thread 2"}]})");
    EXPECT_NE(failure().find("cannot read it"), std::string::npos) << "a link that leads out: " << failure();
    put("common/x.fed",
        R"({"numRows":1,"numCols":1,"valueType":"f64","parts":[{"file":"/no/p.dbdf","worker":"far:1"}]})");
    EXPECT_NE(failure().find("worker far:1 takes no part in this run"), std::string::npos) << failure();
}

TEST_F(FederatedCluster, WhatItsWorkerDoesNotSeeIsReadElsewhereWithAWarning) {
    auto whole = write({{5 * kBlock, "a.dbdf", "far:1"},
                        {5 * kBlock, path("outside.dbdf"), "thread 1"},
                        {5 * kBlock, "../common/c.dbdf", "thread 2"}});
    start();
    expectSame(read(), *whole);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find("part 0 is not read by the worker far:1, which takes no part; nor are 1 more"),
              std::string::npos)
        << warnings[0];
    EXPECT_EQ(objectsOut(), 0u) << "who is alone in seeing a file computes with it";
}

TEST_F(FederatedCluster, AFileThatHasChangedIsAnError) {
    write({{5 * kBlock, "a.dbdf", "thread 1"}, {5 * kBlock, "b.dbdf", "thread 2"}});
    start();
    Value x = read();
    io::write(Dense::create(ValueType::F64, 5 * kBlock, kCols, Buffer::Init::Zero), path("common/b.dbdf"));
    // The clock of a file system may stand still for some milliseconds.
    fs::last_write_time(path("common/b.dbdf"), fs::file_time_type::clock::now() + std::chrono::seconds(1));
    std::string message = failureOf([&] { compute(x, cluster.get()); });
    EXPECT_NE(message.find("has changed since it was read"), std::string::npos) << message;
    x = Value();
    cluster->endOfProgram(false);
    io::write(Dense::create(ValueType::F64, 7, kCols, Buffer::Init::Zero), path("common/b.dbdf"));
    EXPECT_FALSE(cluster->readLater(context, path("common/x.fed"))) << "whoever reads it says what is wrong";
}

TEST_F(FederatedCluster, RowsOfTilesAreReadWhereTheyAreNeeded) {
    start();
    size_t rows = 16 * kBlock + 100, cols = 12;
    auto m = Dense::create(ValueType::F64, rows, cols);
    for (size_t i = 0; i < m->cells(); ++i)
        m->mutableView<double>().data[i] = 1.0 / static_cast<double>(i + 1);
    for (size_t blockRows : {4 * kBlock, size_t(15000)})
        for (bool named : {false, true}) {
            io::WriteRequest tiles;
            tiles.blockRows = blockRows;
            tiles.blockCols = 5;
            if (named)
                tiles.workers = {"thread 3", "thread 1"};
            io::write(m, path("common/x.fed"), tiles);
            uint64_t before = statistics(2).partsRead;
            expectSame(read(), *m);
            EXPECT_EQ(objectsOut(), 0u) << blockRows;
            EXPECT_GT(statistics(2).partsRead, before);
        }
}

TEST_F(FederatedCluster, WhatCannotBeReadByRowsIsReadHere) {
    start();
    auto m = Dense::create(ValueType::F64, 40000, 5, Buffer::Init::Zero);
    io::write(m, path("common/x.fed"));
    EXPECT_TRUE(cluster->readLater(context, path("common/x.fed")));
    io::write(toCsr(*m), path("common/x.fed"));
    EXPECT_FALSE(cluster->readLater(context, path("common/x.fed")));
    put("common/x.fed", "{");
    EXPECT_FALSE(cluster->readLater(context, path("common/x.fed")));
}

TEST_F(FederatedCluster, AWorkerReadsNothingOutsideOfItsRootsWhateverAMessageSays) {
    write({{10, "a.dbdf", ""}});
    io::write(Dense::create(ValueType::F64, 10, kCols, Buffer::Init::Zero), path("outside.dbdf"));
    fs::create_symlink(path("outside.dbdf"), path("common/link.dbdf"));
    std::vector<std::string> roots{path("common")};
    dist::WorkerFiles files(roots);
    std::string good = path("common/a.dbdf");
    std::vector<std::string> bad{path("outside.dbdf"),
                                 path("common/../outside.dbdf"),
                                 path("common/link.dbdf"),
                                 path("common/no.dbdf"),
                                 path("common"),
                                 "a.dbdf",
                                 path("common/site0/../a.dbdf"),
                                 ""};
    EXPECT_TRUE(files.answerTo({{good}}, 0).files[0].access == dist::SeenFile::Access::Rows);
    dist::FilePiece piece{good, *dist::stateOf(good), 0, 0}, right{good, piece.state, 0, kCols};
    dist::FilePiece below{good, piece.state, 10, 0};
    auto cells = [&](uint64_t cols, uint64_t first, uint64_t count, std::vector<dist::FilePiece> pieces,
                     uint64_t most = 1000) {
        return files.read({1, 1, cols, first, count, std::move(pieces)}, most, nullptr).matrix().cells();
    };
    EXPECT_EQ(cells(5, 3, 40, {piece}), 40u);
    EXPECT_EQ(cells(5, 3, 90, {piece, below}), 90u);
    EXPECT_EQ(cells(10, 0, 100, {right, piece}), 100u);
    EXPECT_NE(failureOf([&] { cells(10, 0, 100, {right, piece}, 799); }).find("memory of the worker"),
              std::string::npos);
    for (const std::string &name : bad) {
        EXPECT_EQ(files.answerTo({{name}}, ~uint64_t(0)).files[0].access, dist::SeenFile::Access::None) << name;
        dist::FilePiece wrong{name, piece.state, 10, 0};
        EXPECT_THROW(cells(5, 0, 100, {piece, wrong}), dist::WireError) << name;
    }
    constexpr uint64_t kHuge = ~uint64_t(0), kLarge = uint64_t(1) << 62;
    for (auto [cols, first, count] : std::vector<std::array<uint64_t, 3>>{{5, 0, 51},
                                                                          {5, 50, 1},
                                                                          {5, 0, 0},
                                                                          {5, kHuge, 2},
                                                                          {5, 2, kHuge},
                                                                          {0, 0, 1},
                                                                          {kHuge, 0, 1},

                                                                          {5, kLarge, 1},
                                                                          {4, 0, 4},
                                                                          {6, 0, 6}})
        EXPECT_THROW(cells(cols, first, count, {piece}, kHuge), dist::WireError) << cols << " " << first;
    EXPECT_THROW(cells(5, 0, 5, {}), dist::WireError);
    EXPECT_THROW(cells(10, 0, 10, {piece}), dist::WireError) << "half of the rows";
    EXPECT_THROW(cells(10, 0, 10, {{good, piece.state, 0, kHuge}}), dist::WireError);
    EXPECT_THROW(cells(5, 0, 10, {{good, piece.state, kHuge, 0}}), dist::WireError);
    piece.state.changedNs += 1;
    EXPECT_NE(failureOf([&] { cells(5, 0, 5, {piece}); }).find("has changed"), std::string::npos);
    std::vector<std::string> none;
    EXPECT_EQ(dist::WorkerFiles(none).answerTo({{good}}, 0).files[0].access, dist::SeenFile::Access::None);
}

TEST(FileMessages, AreReadAsTheyWereWritten) {
    dist::FileAnswer answer{{{dist::SeenFile::Access::Whole, {5, -7}, 3, 4, ValueType::UI8}, {}}};
    auto again = dist::read<dist::FileAnswer>(dist::bodyOf(answer));
    ASSERT_EQ(again.files.size(), 2u);
    EXPECT_EQ(again.files[0].state, (dist::FileState{5, -7}));
    EXPECT_EQ(again.files[0].cols, 4u);
    EXPECT_EQ(again.files[0].type, ValueType::UI8);
    EXPECT_EQ(again.files[0].access, dist::SeenFile::Access::Whole);
    EXPECT_EQ(again.files[1].access, dist::SeenFile::Access::None);
    dist::ReadRows rows{1, 2, 10, 3, 4, {{"/a", {5, -7}, 8, 9}, {"/b", {}, 0, 1}}, true, ValueType::SI8, true, 11, 12};
    dist::Bytes body = dist::bodyOf(rows);
    auto copy = dist::read<dist::ReadRows>(body);
    EXPECT_EQ(copy.cols, 10u);
    EXPECT_EQ(copy.count, 4u);
    ASSERT_EQ(copy.pieces.size(), 2u);
    EXPECT_EQ(copy.pieces[0].path, "/a");
    EXPECT_EQ(copy.pieces[0].col, 9u);
    EXPECT_TRUE(copy.isSparse);
    EXPECT_EQ(copy.type, ValueType::SI8);
    EXPECT_TRUE(copy.isPattern);
    EXPECT_EQ(copy.stored, 11u);
    EXPECT_EQ(copy.storedInAll, 12u);
    body.pop_back();
    EXPECT_THROW(dist::read<dist::ReadRows>(body), dist::WireError);
    EXPECT_EQ(dist::read<dist::FileQuery>(dist::bodyOf(dist::FileQuery{{"/a", "/b"}})).paths.size(), 2u);
}

} // namespace

} // namespace daphne::test
