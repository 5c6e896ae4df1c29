// SPDX-License-Identifier: Apache-2.0
/// Regions on several machines give what the kernels give, to the last bit, also
/// when machines are lost on the way.
#include "dist/coordinator/Cluster.h"

#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <thread>

#include "dist/transports/InProcess.h"
#include "dist/worker/Worker.h"
#include "exec/CallKernel.h"
#include "exec/RandomRecipes.h"
#include "exec/RecipeRuns.h"

namespace daphne::test {

namespace {

using dist::Cluster;
using dist::ClusterSettings;
using dist::ConnectionSettings;
using dist::Transport;

struct Machines {
    uint32_t workers = 3;
    ClusterSettings settings = {.threshold = 0};
    ConnectionSettings peers = {.build = "test", .heartbeatMs = 0};
    std::function<void(uint64_t loop, uint32_t worker)> beforeLoop;
    std::string workerToken;
    bool areLinked = false;

    std::unique_ptr<Cluster> start() const {
        auto serve = [*this](Transport &transport, uint32_t number) {
            exec::LoopEngine engine{{.jit = false}, nullptr};
            dist::WorkerOptions options{.build = "test", .token = workerToken};
            if (beforeLoop)
                options.beforeLoop = [&](uint64_t loop) { beforeLoop(loop, number); };
            dist::Worker(options, engine, [](const std::vector<std::string> &) {
                return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
            }).serve(transport);
        };
        return std::make_unique<Cluster>(dist::connectInProcess(workers, serve, areLinked), peers, settings, 1);
    }
};

void expectSameAsKernels(Cluster &cluster, uint64_t first, uint64_t last) {
    exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
    sched::Scheduler scheduler(sched::Settings{.threads = {.numThreads = 2}});
    for (uint64_t seed = first; seed <= last; ++seed) {
        Recipe recipe = RandomRecipes(seed).make();
        Way way{"cluster", &engine, &scheduler, &cluster};
        std::string difference = differenceFromKernels(recipe, way);
        cluster.endOfProgram(false);
        ASSERT_EQ(difference, "") << "seed " << seed << "\n" << recipe.text();
    }
}

TEST(Cluster, RandomRegionsGiveTheBitsOfTheKernels) {
    auto cluster = Machines{}.start();
    expectSameAsKernels(*cluster, 1, 400);
    EXPECT_NE(cluster->statisticsText().find("thread 3"), std::string::npos);
}

TEST(Cluster, LentObjectsGiveTheSameBitsAsSentOnes) {
    for (uint64_t least : {uint64_t(0), dist::kNeverLent}) {
        Machines machines;
        machines.peers.leastLent = least;
        auto cluster = machines.start();
        expectSameAsKernels(*cluster, 500, 700);
        bool hasLent = cluster->statisticsText().find(" 0.000000 MB of both by memory") == std::string::npos;
        dist::Neighbour here, there;
        here.meet(there.offer());
        there.meet(here.offer());
        EXPECT_EQ(hasLent, least == 0 && here.isReadable()); // which the system may forbid
    }
}

TEST(Cluster, OneWorkerAndManyWorkersGiveTheSame) {
    for (uint32_t workers : {1, 2, 5}) {
        auto cluster = Machines{.workers = workers}.start();
        expectSameAsKernels(*cluster, 1000, 1060);
    }
}

TEST(Cluster, TheCoordinatorNeedNotCompute) {
    auto cluster = Machines{.settings = {.coordinatorComputes = false, .threshold = 0}}.start();
    expectSameAsKernels(*cluster, 2000, 2100);
}

TEST(Cluster, ResultsMayBeFetchedAtOnce) {
    auto cluster = Machines{.settings = {.resident = false, .threshold = 0}}.start();
    expectSameAsKernels(*cluster, 3000, 3100);
}

TEST(Cluster, TinyMessagesAndEverySchemeGiveTheSame) {
    for (const sched::Scheme &scheme : sched::schemes()) {
        Machines machines;
        machines.settings.scheme = &scheme;
        machines.peers.chunkBytes = 100;
        auto cluster = machines.start();
        expectSameAsKernels(*cluster, 4000, 4020);
    }
}

/// A chain of loops whose results nobody reads until the end.
struct Chain {
    static constexpr size_t kRows = 40000;
    explicit Chain(Cluster &cluster, size_t rows = kRows) : cluster(cluster) {
        context.scheduler = &scheduler;
        x = Dense::create(ValueType::F64, rows, 1);
        for (size_t i = 0; i < rows; ++i)
            x.dense().mutableView<double>().data[i] = static_cast<double>(i);
    }
    ~Chain() {
        x = Value();
        cluster.endOfProgram(false);
    }
    void step() {
        Recipe r;
        r.output(r.add("ewAdd", {r.input(x), r.input(Value::scalar(1.0))}));
        auto region = r.build(engine);
        std::vector<Value> results(1);
        region->run(thread, r.inputs, results, 0);
        x = std::move(results[0]);
    }
    double cell(size_t i) {
        exec::bringHere(x);
        return x.dense().view<double>().data[i];
    }
    Cluster &cluster;
    RunContext context;
    PlacedThread thread{context, &cluster};
    exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
    sched::Scheduler scheduler{sched::Settings{.threads = {.numThreads = 1}}};
    Value x;
};

uint64_t bytesOut(const Cluster &cluster) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cluster.workers().size(); ++i)
        bytes += cluster.workers().statistics(i).bytesOut;
    return bytes;
}
uint64_t bytesIn(const Cluster &cluster) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cluster.workers().size(); ++i)
        bytes += cluster.workers().statistics(i).bytesIn;
    return bytes;
}

TEST(Cluster, InputsAreSentOnceAndResultsStayUntilTheyAreRead) {
    auto cluster = Machines{}.start();
    Chain chain(*cluster);
    chain.step();
    uint64_t out = bytesOut(*cluster), in = bytesIn(*cluster);
    EXPECT_GT(out, 3 * Chain::kRows * 8 / 4);
    for (int i = 0; i < 6; ++i)
        chain.step();
    EXPECT_LT(bytesOut(*cluster) - out, 20000u);
    EXPECT_LT(bytesIn(*cluster) - in, 20000u);
    EXPECT_EQ(chain.cell(Chain::kRows - 1), Chain::kRows - 1 + 7.0);
    EXPECT_EQ(chain.cell(0), 7.0);
}

/// What the statistics say before this word.
TEST(Cluster, WorkersAddUpSumsOfTheirRowsBeforeTheySendThem) {
    constexpr size_t kRows = 300000, kCols = 32;
    auto x = Dense::create(ValueType::F64, kRows, kCols);
    for (size_t i = 0; i < x->cells(); ++i)
        x->mutableView<double>().data[i] = std::sin(static_cast<double>(i));
    Machines machines{.workers = 3};
    auto cluster = machines.start();
    RunContext context;
    auto sums = [&](Cluster *other) {
        PlacedThread thread(context, other);
        Recipe r;
        r.output(r.add("sumCol", {r.add("ewMul", {r.input(Value(x)), r.input(Value::scalar(0.1))})}));
        exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
        std::vector<Value> results(1);
        r.build(engine)->run(thread, r.inputs, results, 0);
        return results[0];
    };
    uint64_t before = bytesIn(*cluster);
    Value found = sums(cluster.get()), wanted = sums(nullptr);
    EXPECT_EQ(bitDifference(wanted, found), "");
    uint64_t perGroup = kCols * sizeof(double), groups = kRows / 512;
    EXPECT_GE(bytesIn(*cluster) - before, 3 * perGroup);
    EXPECT_LT(bytesIn(*cluster) - before, groups * perGroup / 5) << "at most two sums per power of two";
    cluster->endOfProgram(false);
}

uint64_t bytesAcross(const Cluster &cluster) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < cluster.workers().size(); ++i)
        bytes += cluster.workers().statistics(i).bytesToWorkers;
    return bytes;
}

/// A vector that every loop needs as a whole and leaves in parts: v = maximum of each row of X * t(v), and more.
struct Iteration {
    explicit Iteration(Cluster *cluster, size_t rows = 1200) : cluster(cluster), thread(context, cluster) {
        auto m = Dense::create(ValueType::F64, rows, rows);
        for (size_t i = 0; i < m->cells(); ++i)
            m->mutableView<double>().data[i] = std::cos(static_cast<double>(i % 7919));
        x = m;
        v = Dense::create(ValueType::F64, rows, 1);
        for (size_t i = 0; i < rows; ++i)
            v.dense().mutableView<double>().data[i] = 1 + std::sin(static_cast<double>(i));
    }
    ~Iteration() {
        x = v = Value();
        if (cluster)
            cluster->endOfProgram(false);
    }
    /// isLogarithm: of the products, which must be positive.
    void step(bool isLogarithm = false) {
        Recipe r;
        Value row = Dense::reshaped(v.dense(), 1, v.matrix().rows());
        uint16_t products = r.add("ewMul", {r.input(x), r.input(row)});
        uint16_t best = r.add("maxRow", {isLogarithm ? r.add("ewLn", {products}) : products});
        r.output(r.add("ewAdd", {best, r.input(v)}));
        std::vector<Value> results(1);
        r.build(engine)->run(thread, r.inputs, results, 0);
        v = std::move(results[0]);
        exec::bringHere(v);
    }
    Cluster *cluster;
    RunContext context;
    PlacedThread thread;
    exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
    Value x, v;
};

TEST(ClusterExchange, RandomRegionsGiveTheBitsOfTheKernels) {
    Machines machines{.workers = 3, .areLinked = true};
    machines.peers.leastLent = dist::kNeverLent;
    expectSameAsKernels(*machines.start(), 1, 150);
    machines.settings.scheme = sched::findScheme("GSS");
    ASSERT_TRUE(machines.settings.scheme);
    expectSameAsKernels(*machines.start(), 200, 260);
}

TEST(ClusterExchange, WorkersSendEachOtherWhatEverybodyNeeds) {
    constexpr uint64_t kVector = 1200 * 8;
    for (bool isLinked : {false, true}) {
        Machines machines{.workers = 3, .areLinked = isLinked};
        machines.peers.leastLent = dist::kNeverLent;
        auto cluster = machines.start();
        Value found, wanted;
        {
            Iteration there(cluster.get());
            for (int i = 0; i < 3; ++i)
                there.step(); // until it is known what is needed
            uint64_t out = bytesOut(*cluster), in = bytesIn(*cluster), across = bytesAcross(*cluster);
            for (int i = 0; i < 4; ++i)
                there.step();
            out = (bytesOut(*cluster) - out) / 4, in = (bytesIn(*cluster) - in) / 4;
            across = (bytesAcross(*cluster) - across) / 4;
            EXPECT_LT(in, kVector);
            if (isLinked) {
                EXPECT_LT(out, 3 * kVector / 4 + 3000) << "only what the coordinator has computed goes out";
                EXPECT_GE(across, 2 * kVector * 3 / 4);
                EXPECT_LT(across, 2 * kVector * 3 / 4 + 3000);
            } else {
                EXPECT_GE(out, 3 * kVector);
                EXPECT_EQ(across, 0u);
            }
            found = there.v;
        }
        {
            Iteration here(nullptr);
            for (int i = 0; i < 7; ++i)
                here.step();
            wanted = here.v;
        }
        EXPECT_EQ(bitDifference(wanted, found), "");
    }
}

TEST(ClusterExchange, EndsWhenNobodyNeedsTheResultAsAWhole) {
    Machines machines{.workers = 3, .areLinked = true};
    machines.peers.leastLent = dist::kNeverLent;
    auto cluster = machines.start();
    {
        Iteration loop(cluster.get());
        for (int i = 0; i < 4; ++i)
            loop.step();
        uint64_t across = bytesAcross(*cluster);
        EXPECT_GT(across, 0u);
        Value kept = loop.v;
        for (int i = 0; i < 3; ++i) {
            loop.v = kept; // the result is thrown away
            loop.step();
        }
        uint64_t later = bytesAcross(*cluster);
        for (int i = 0; i < 3; ++i) {
            loop.v = kept;
            loop.step();
        }
        EXPECT_EQ(bytesAcross(*cluster), later);
        // And begins again.
        for (int i = 0; i < 4; ++i)
            loop.step();
        EXPECT_GT(bytesAcross(*cluster), later);
    }
    for (uint32_t w = 0; w < 3; ++w)
        EXPECT_TRUE(cluster->workers().isAlive(w));
}

TEST(ClusterExchange, OfALoopThatFailsLeavesNothingBehind) {
    Machines machines{.workers = 3, .areLinked = true};
    machines.peers.leastLent = dist::kNeverLent;
    auto cluster = machines.start();
    Iteration loop(cluster.get());
    auto twos = [](size_t bad) {
        auto m = Dense::create(ValueType::F64, 1200, 1200);
        for (size_t i = 0; i < m->cells(); ++i)
            m->mutableView<double>().data[i] = i == bad ? -2 : 2;
        return Value(m);
    };
    auto manySteps = [&] {
        loop.v = Value(Dense::create(ValueType::F64, 1200, 1, Buffer::Init::Zero));
        for (size_t i = 0; i < 1200; ++i)
            loop.v.dense().mutableView<double>().data[i] = 1 + static_cast<double>(i);
        for (int i = 0; i < 5; ++i)
            loop.step(true);
        return loop.v;
    };
    loop.x = twos(~size_t(0));
    Value before = manySteps();
    EXPECT_GT(bytesAcross(*cluster), 0u);
    Value positive = loop.x;
    // A row that leaves the domain, at another machine each time: the kernels say so.
    for (size_t row : {0, 300, 700, 1199}) {
        loop.x = twos(row * 1200 + 5);
        EXPECT_THROW(loop.step(true), Error);
    }
    loop.x = positive;
    EXPECT_EQ(bitDifference(before, manySteps()), "");
    for (uint32_t w = 0; w < 3; ++w)
        EXPECT_LT(cluster->workers().statistics(w).objects, 20u);
}

/// Rows that the coordinator has taken back may be computed by both: pieces come twice then.
TEST(ClusterExchange, GoesOnWhereSlowWorkersLoseTheirRows) {
    Machines machines{.workers = 3, .areLinked = true};
    machines.peers.leastLent = dist::kNeverLent;
    machines.settings.leastReserveNs = 0;
    machines.settings.stragglerNs = 1e6;
    machines.beforeLoop = [](uint64_t loop, uint32_t worker) {
        if (worker == 1 && loop > 12 && loop % 3 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
    };
    auto cluster = machines.start();
    Value found, wanted;
    {
        Iteration there(cluster.get(), 2500);
        for (int i = 0; i < 25; ++i)
            there.step();
        found = there.v;
    }
    {
        Iteration here(nullptr, 2500);
        for (int i = 0; i < 25; ++i)
            here.step();
        wanted = here.v;
    }
    EXPECT_EQ(bitDifference(wanted, found), "");
    EXPECT_GT(bytesAcross(*cluster), 0u);
    EXPECT_NE(cluster->statisticsText().find(" taken back"), std::string::npos);
    EXPECT_EQ(cluster->statisticsText().find(" 0 taken back"), std::string::npos);
}

uint64_t countOf(const Cluster &cluster, const std::string &word) {
    std::string text = cluster.statisticsText();
    size_t end = text.find(" " + word);
    size_t begin = text.rfind(' ', end - 1);
    return end == text.npos ? 0 : std::stoull(text.substr(begin + 1));
}

TEST(Cluster, ResultsThatAreReadComeUnaskedTheNextTime) {
    auto cluster = Machines{}.start();
    Chain chain(*cluster);
    chain.step();
    EXPECT_EQ(chain.cell(Chain::kRows - 1), Chain::kRows);
    uint64_t fetched = countOf(*cluster, "fetched");
    EXPECT_GT(fetched, 0u);
    for (int i = 2; i < 6; ++i) {
        chain.step();
        EXPECT_EQ(chain.cell(7), 7.0 + i);
    }
    EXPECT_EQ(countOf(*cluster, "fetched"), fetched);
    // And are not sent any more when nobody reads them.
    chain.step();
    chain.step();
    uint64_t in = bytesIn(*cluster);
    chain.step();
    EXPECT_LT(bytesIn(*cluster) - in, 5000u);
    EXPECT_EQ(chain.cell(7), 7.0 + 8);
}

TEST(Cluster, IdleMachinesTakeChunksOfSlowOnes) {
    for (dist::Stealing steal : {dist::Stealing::One, dist::Stealing::Half}) {
        Machines machines{.settings = {.threshold = 0, .steal = steal}};
        machines.beforeLoop = [](uint64_t, uint32_t worker) {
            if (worker == 1)
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
        };
        auto cluster = machines.start();
        expectSameAsKernels(*cluster, 7000, 7010);
        Chain chain(*cluster);
        chain.step();
        EXPECT_GT(countOf(*cluster, "stolen"), 0u);
        EXPECT_EQ(chain.cell(Chain::kRows - 1), Chain::kRows);
    }
}

TEST(Cluster, NobodyStealsUnlessAllowed) {
    auto cluster = Machines{}.start();
    expectSameAsKernels(*cluster, 7000, 7010);
    EXPECT_EQ(countOf(*cluster, "stolen"), 0u);
}

/// On a board that both see, or by messages.
class TakingBack : public testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Neighbours, TakingBack, testing::Values(dist::kUsuallyLent, dist::kNeverLent));

TEST_P(TakingBack, RowsThatSlowWorkersHaveNotBegun) {
    Machines machines{.settings = {.threshold = 0, .leastReserveNs = 0}};
    machines.peers.leastLent = GetParam();
    machines.beforeLoop = [](uint64_t, uint32_t worker) {
        if (worker == 1)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    auto cluster = machines.start();
    expectSameAsKernels(*cluster, 7100, 7160);
    constexpr size_t kRows = 100 * 4096 + 5;
    Chain chain(*cluster, kRows);
    for (int i = 0; i < 20; ++i) {
        chain.step();
        // What is here can be taken back in the next step.
        ASSERT_EQ(chain.cell(kRows - 1), static_cast<double>(kRows + i));
    }
    EXPECT_GT(countOf(*cluster, "taken back"), 0u);
    for (size_t i = 0; i < kRows; i += 97)
        ASSERT_EQ(chain.cell(i), static_cast<double>(i + 20)) << i;
    for (uint32_t w = 0; w < 3; ++w)
        EXPECT_LT(cluster->workers().statistics(w).objects, 100u);
}

TEST_P(TakingBack, WhatAWorkerDoesNotComeTo) {
    // One worker begins nothing before the others have finished the program.
    std::promise<void> end;
    std::shared_future<void> ended = end.get_future().share();
    Machines machines{.settings = {.threshold = 0, .leastReserveNs = 0, .stragglerNs = 1e6}};
    machines.peers.leastLent = GetParam();
    machines.beforeLoop = [ended](uint64_t, uint32_t worker) {
        if (worker == 1)
            ended.wait();
    };
    auto cluster = machines.start();
    {
        Chain chain(*cluster);
        for (int i = 0; i < 3; ++i) {
            chain.step();
            // The worker's cells of the step are not there: they are computed, and what is here can be taken back.
            ASSERT_EQ(chain.cell(Chain::kRows - 1), static_cast<double>(Chain::kRows + i));
        }
        EXPECT_GT(countOf(*cluster, "taken back"), 0u);
        for (size_t i = 0; i < Chain::kRows; i += 13)
            ASSERT_EQ(chain.cell(i), static_cast<double>(i + 3)) << i;
        end.set_value();
    }
}

TEST(Cluster, AProgramThatCameWithACancelledLoopIsKnown) {
    // While a worker is busy with one program, its first loop of another one is taken back.
    std::promise<void> end;
    std::shared_future<void> ended = end.get_future().share();
    Machines machines{.workers = 1, .settings = {.threshold = 0, .stragglerNs = 1e6}};
    machines.beforeLoop = [ended](uint64_t loop, uint32_t) {
        if (loop == 0)
            ended.wait();
    };
    auto cluster = machines.start();
    Chain chain(*cluster);
    chain.step();
    auto times = [&] {
        Recipe r;
        r.output(r.add("ewMul", {r.input(chain.x), r.input(Value::scalar(2.0))}));
        std::vector<Value> results(1);
        r.build(chain.engine)->run(chain.thread, r.inputs, results, 0);
        chain.x = std::move(results[0]);
    };
    ASSERT_EQ(chain.cell(5), 6.0);
    times();
    ASSERT_EQ(chain.cell(Chain::kRows - 1), 2.0 * Chain::kRows);
    end.set_value();
    times();
    EXPECT_EQ(chain.cell(Chain::kRows - 1), 4.0 * Chain::kRows);
    EXPECT_EQ(cluster->workers().numAlive(), 1u);
}

TEST(Cluster, WhatWasTakenBackFromALostWorkerIsThere) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Machines machines{.workers = 3, .settings = {.threshold = 0, .leastReserveNs = 0}};
        machines.beforeLoop = [seed](uint64_t loop, uint32_t worker) {
            if ((loop * 7919 + worker * 104729 + seed * 31) % 29 == 0)
                throw std::runtime_error("killed");
            std::this_thread::sleep_for(std::chrono::microseconds(loop * 7919 % 1000));
        };
        auto cluster = machines.start();
        Chain chain(*cluster, 50 * 4096);
        for (int i = 0; i < 5; ++i) {
            chain.step();
            if ((seed + static_cast<uint64_t>(i)) % 2) {
                ASSERT_EQ(chain.cell(4096), 4096.0 + i + 1);
            }
        }
        for (size_t i = 0; i < 50 * 4096; i += 101)
            ASSERT_EQ(chain.cell(i), static_cast<double>(i + 5)) << i;
    }
}

/// Products of matrices, as generated code calls them.
struct Products {
    explicit Products(exec::Backend *other, int numThreads = 2)
        : thread(context, other), scheduler(sched::Settings{.threads = {.numThreads = numThreads}}) {
        context.scheduler = &scheduler;
    }
    Value call(std::string_view name, std::vector<Value> args) {
        Slot result{};
        std::vector<Slot> slots;
        for (const Value &v : args)
            slots.push_back(v.raw());
        exec::callKernel(thread, *KernelTable::get().find(name), {&result, 1}, slots, 0, 0);
        Value v = Value::adopt(result);
        exec::bringHere(v);
        return v;
    }
    Value multiply(const Value &a, const Value &b, bool transposeLhs = false, bool transposeRhs = false) {
        return call("matMul", {a, b, Value::scalar(transposeLhs), Value::scalar(transposeRhs)});
    }
    static Value numbers(ValueType type, size_t rows, size_t cols) {
        auto m = Dense::create(type, rows, cols);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            T *x = m->mutableView<T>().data;
            for (size_t i = 0; i < rows * cols; ++i)
                x[i] = static_cast<T>(static_cast<double>(i * 2654435761 % 10007 / 100) / 10 - 5); // some are 0
        });
        return m;
    }
    /// Every form, two types, windows with gaps between rows, a matrix that is on both sides, infinity.
    std::vector<Value> all() {
        std::vector<Value> results;
        for (ValueType type : {ValueType::F64, ValueType::F32}) {
            Value a = numbers(type, 20001, 40), b = numbers(type, 20001, 30), right = numbers(type, 40, 50);
            results.push_back(call("syrk", {a}));
            results.push_back(multiply(a, a, true, false));
            results.push_back(multiply(a, b, true, false));
            results.push_back(multiply(a, right));
            results.push_back(multiply(a, numbers(type, 50, 40), false, true));
            Value square = numbers(type, 300, 300);
            results.push_back(multiply(square, square));
            Value part = Dense::window(a.dense(), 100, 15000, 3, 30);
            results.push_back(multiply(part, Dense::window(right.dense(), 1, 28, 5, 40)));
            results.push_back(multiply(part, Dense::window(b.dense(), 100, 15000, 1, 20), true, false));
            results.push_back(multiply(results[results.size() - 5], numbers(type, 50, 20)));
            Value sparse = toCsr(numbers(type, 3000, 40).dense()), few = numbers(type, 40, 9);
            results.push_back(multiply(sparse, few));
            results.push_back(multiply(Csr::withStructureOf(sparse.csr(), type, BufferRef()), few));
            results.push_back(multiply(Csr::rowWindow(sparse.csr(), 1000, 2500), right));
            withNumericType(type, [&]<class T>(TypeTag<T>) {
                few.dense().mutableView<T>().data[11] = std::numeric_limits<T>::infinity();
            });
            results.push_back(multiply(sparse, few)); // absent cells count
        }
        return results;
    }
    RunContext context;
    PlacedThread thread;
    sched::Scheduler scheduler;
};

void expectProductsOfKernels(Cluster &cluster) {
    std::vector<Value> wanted = Products(nullptr).all(), found = Products(&cluster).all();
    for (size_t i = 0; i < wanted.size(); ++i)
        EXPECT_EQ(bitDifference(wanted[i], found[i]), "") << "product " << i;
    found.clear();
    cluster.endOfProgram(false);
}

TEST(ClusterProducts, HaveTheBitsOfTheKernels) {
    for (uint32_t workers : {1, 3}) {
        Machines machines{.workers = workers};
        auto cluster = machines.start();
        expectProductsOfKernels(*cluster);
        for (uint32_t w = 0; w < workers; ++w)
            EXPECT_GE(cluster->workers().statistics(w).chunks, 14u); // most products have rows for everybody
    }
    Machines strict{.settings = {.coordinatorComputes = false, .resident = false, .threshold = 0}};
    strict.peers.chunkBytes = 1000;
    strict.peers.leastLent = dist::kNeverLent;
    expectProductsOfKernels(*strict.start());
}

TEST(ClusterProducts, MayBeCutByEverySchemeOrTakenFromOthers) {
    for (const sched::Scheme &scheme : sched::schemes()) {
        Machines machines;
        machines.settings.scheme = &scheme;
        expectProductsOfKernels(*machines.start());
    }
    expectProductsOfKernels(*Machines{.settings = {.threshold = 0, .steal = dist::Stealing::Half}}.start());
    expectProductsOfKernels(*Machines{.settings = {.threshold = 0, .leastReserveNs = 0}}.start());
}

TEST(ClusterProducts, OfWhatLoopsHaveLeftAtWorkersAreComputedThere) {
    // Flat loops and loops over rows, both with reserves at the ends of ranges.
    for (const char *name : {"ewAdd", "ewMul"}) {
        auto cluster = Machines{.settings = {.threshold = 0, .leastReserveNs = 0}}.start();
        Products products(cluster.get());
        Value x = Products::numbers(ValueType::F64, 270000, 20), row = Products::numbers(ValueType::F64, 1, 20);
        bool isFlat = std::string_view(name) == "ewAdd";
        for (int i = 0; i < 2; ++i) {
            Recipe r;
            r.output(r.add(name, {r.input(x), isFlat ? r.input(Value::scalar(1.0)) : r.input(row)}));
            exec::LoopEngine engine{{.jit = false, .always = true}, nullptr};
            std::vector<Value> results(1);
            r.build(engine)->run(products.thread, r.inputs, results, 0);
            x = std::move(results[0]);
        }
        uint64_t out = bytesOut(*cluster), in = bytesIn(*cluster), xBytes = x.matrix().cells() * 8;
        Value gram = products.call("syrk", {x});
        // Rows that the coordinator has taken back are sent to their owners: never more than a quarter of all.
        EXPECT_LT(bytesOut(*cluster) - out, xBytes / 3) << name;
        EXPECT_LT(bytesIn(*cluster) - in, xBytes / 50) << name;
        Value rows = products.multiply(x, Products::numbers(ValueType::F64, 20, 30));
        EXPECT_LT(bytesOut(*cluster) - out, xBytes / 2) << name;
        EXPECT_EQ(rows.matrix().cells(), 270000u * 30);
        cluster->endOfProgram(false);
    }
}

/// Whole operands that are windows of wider matrices are sent once, however many chunks need them.
TEST(ClusterProducts, WithAWindowSendItOnce) {
    for (bool areLinked : {false, true}) {
        Machines machines{.settings = {.threshold = 0, .leastReserveNs = 0}, .areLinked = areLinked};
        machines.peers.leastLent = dist::kNeverLent;
        auto cluster = machines.start();
        {
            Products products(cluster.get());
            Value a = Products::numbers(ValueType::F64, 40000, 30), wide = Products::numbers(ValueType::F64, 30, 400);
            Value b = Dense::window(wide.dense(), 0, 30, 0, 200);
            Value first = products.multiply(a, b);
            uint64_t out = bytesOut(*cluster);
            EXPECT_EQ(bitDifference(first, products.multiply(a, b)), "");
            EXPECT_LT(bytesOut(*cluster) - out, 30u * 200 * 8) << "it is there already";
        }
        cluster->endOfProgram(false);
    }
}

TEST(ClusterProducts, StayHereIfThereIsNothingToShare) {
    if (std::thread::hardware_concurrency() < 2)
        GTEST_SKIP() << "the worker would stand by";
    auto cluster = Machines{.workers = 1, .settings = {}}.start();
    auto loops = [&] { return countOf(*cluster, "loops"); };
    Value right = Products::numbers(ValueType::F64, 1000, 1000);
    {
        Products products(cluster.get(), 1); // as many threads as the cluster knows of
        products.multiply(Products::numbers(ValueType::F64, 200, 1000), right); // one block
        EXPECT_EQ(loops(), 0u);
        products.multiply(Products::numbers(ValueType::F64, 5120, 1000), right);
        EXPECT_EQ(loops(), 1u);
        // A result that is read, and large beside what was multiplied.
        Value narrow = Products::numbers(ValueType::F64, 20, 3000);
        uint64_t before = loops();
        for (int i = 0; i < 4; ++i)
            products.multiply(Products::numbers(ValueType::F64, 2000, 20), narrow);
        EXPECT_LE(loops() - before, 1u);
        // New matrices every time, but worth their journey.
        Value square = Products::numbers(ValueType::F64, 600, 600);
        before = loops();
        for (int i = 0; i < 12; ++i)
            products.multiply(Products::numbers(ValueType::F64, 2560, 600), square);
        EXPECT_EQ(loops() - before, 12u);
    }
    cluster->endOfProgram(false);
}

TEST(ClusterProducts, OfLostWorkersAreComputedAgain) {
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        Machines machines;
        machines.beforeLoop = [seed](uint64_t loop, uint32_t worker) {
            if ((loop * 7919 + worker * 104729 + seed * 31) % 17 == 0)
                throw std::runtime_error("killed");
        };
        auto cluster = machines.start();
        expectProductsOfKernels(*cluster);
        EXPECT_LT(cluster->workers().numAlive(), 3u);
    }
}

TEST(Cluster, WorkersForgetWhatIsNotNeededAnyMore) {
    auto cluster = Machines{}.start();
    {
        Chain chain(*cluster);
        for (int i = 0; i < 50; ++i)
            chain.step();
        for (uint32_t w = 0; w < 3; ++w)
            EXPECT_LT(cluster->workers().statistics(w).objects, 25u);
    }
}

TEST(Cluster, LostWorkersCostTimeButNoCells) {
    for (uint64_t after : {0, 1, 3}) {
        Machines machines;
        machines.beforeLoop = [after](uint64_t loop, uint32_t worker) {
            if (worker == 1 && loop >= after)
                throw std::runtime_error("killed");
        };
        std::atomic<int> warnings = 0;
        machines.settings.warn = [&](const std::string &line) {
            EXPECT_NE(line.find("thread 2 is lost: killed"), std::string::npos) << line;
            ++warnings;
        };
        auto cluster = machines.start();
        Chain chain(*cluster);
        for (int i = 0; i < 7; ++i)
            chain.step();
        for (size_t i = 0; i < Chain::kRows; i += 999)
            ASSERT_EQ(chain.cell(i), static_cast<double>(i) + 7);
        EXPECT_EQ(warnings, 1);
    }
}

TEST(Cluster, TheCoordinatorFinishesAlone) {
    Machines machines;
    machines.beforeLoop = [](uint64_t loop, uint32_t worker) {
        if (loop >= worker)
            throw std::runtime_error("killed");
    };
    auto cluster = machines.start();
    expectSameAsKernels(*cluster, 5000, 5050);
    EXPECT_EQ(cluster->workers().numAlive(), 0u);
}

TEST(Cluster, WorkersThatComeBackAreUsedAgain) {
    Machines machines;
    machines.peers.recall = std::chrono::milliseconds(1);
    std::atomic<int> deaths = 0;
    machines.beforeLoop = [&](uint64_t loop, uint32_t worker) {
        if (worker == 1 && loop == 2 && deaths++ < 2)
            throw std::runtime_error("killed");
    };
    std::vector<std::string> warnings;
    machines.settings.warn = [&](const std::string &line) { warnings.push_back(line); };
    auto cluster = machines.start();
    Chain chain(*cluster);
    int steps = 0;
    auto numReturns = [&] { return cluster->workers().statistics(1).returns; };
    while (numReturns() < 2 && steps < 10000) {
        chain.step();
        ++steps;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(numReturns(), 2u);
    uint64_t before = cluster->workers().statistics(1).chunks;
    for (int i = 0; i < 5; ++i, ++steps)
        chain.step();
    EXPECT_EQ(cluster->workers().statistics(1).chunks, before + 5);
    EXPECT_EQ(cluster->workers().numAlive(), 3u);
    for (size_t i = 0; i < Chain::kRows; i += 999)
        ASSERT_EQ(chain.cell(i), static_cast<double>(i) + steps);
    EXPECT_EQ(warnings,
              (std::vector<std::string>{"the worker thread 2 is lost: killed", "the worker thread 2 is back",
                                        "the worker thread 2 is lost: killed", "the worker thread 2 is back"}));
}

TEST(Cluster, RandomLossesAndReturnsDoNotChangeResults) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Machines machines{.workers = 4};
        machines.peers.recall = std::chrono::milliseconds(1);
        machines.beforeLoop = [seed](uint64_t loop, uint32_t worker) {
            if ((loop * 7919 + worker * 104729 + seed * 31) % 23 == 0)
                throw std::runtime_error("killed");
        };
        auto cluster = machines.start();
        expectSameAsKernels(*cluster, 7000 + 20 * seed, 7019 + 20 * seed);
    }
}

TEST(Cluster, RandomLossesDoNotChangeResults) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        Machines machines{.workers = 4};
        machines.beforeLoop = [seed](uint64_t loop, uint32_t worker) {
            if ((loop * 7919 + worker * 104729 + seed * 31) % 23 == 0)
                throw std::runtime_error("killed");
        };
        auto cluster = machines.start();
        expectSameAsKernels(*cluster, 6000 + 10 * seed, 6009 + 10 * seed);
    }
}

TEST(Cluster, AnErrorOfAWorkerNamesItAndTheNextLoopWorks) {
    Machines machines;
    machines.beforeLoop = [](uint64_t loop, uint32_t worker) {
        if (worker == 2 && loop == 1)
            throw executionError("no paper");
    };
    auto cluster = machines.start();
    Chain chain(*cluster);
    chain.step();
    try {
        chain.step();
        ADD_FAILURE() << "no error";
    } catch (const Error &e) {
        EXPECT_EQ(e.message, "worker thread 3: no paper");
        EXPECT_EQ(e.stage, Stage::Execute);
    }
    chain.step();
    EXPECT_EQ(chain.cell(5), 7.0);
}

TEST(Cluster, AWrongTokenOrVersionIsRefused) {
    auto messageOf = [](const Machines &machines) -> std::string {
        try {
            machines.start();
        } catch (const Error &e) {
            return e.message;
        }
        return "";
    };
    Machines right{.peers = {.build = "test", .token = "secret"}, .workerToken = "secret"};
    EXPECT_EQ(messageOf(right), "");
    Machines wrong{.peers = {.build = "test", .token = "secrex"}, .workerToken = "secret"};
    EXPECT_EQ(messageOf(wrong), "the worker thread 1 refuses to work: refused: the token is wrong");
    Machines none{.workerToken = "secret"};
    EXPECT_NE(messageOf(none).find("the token is wrong"), std::string::npos);
    Machines old{.peers = {.build = "0.0.1"}};
    EXPECT_NE(messageOf(old).find("the coordinator is version 0.0.1, this worker is version test"), std::string::npos);
}

// ---- hostile coordinators

struct Attack {
    std::vector<std::string> log;
    /// Sends frames to a fresh worker after a greeting, if wanted; whether the worker survived to answer a new one.
    void send(const std::vector<dist::Bytes> &frames, bool greets = true) {
        exec::LoopEngine engine{{.jit = false}, nullptr};
        std::mutex mutex;
        auto transport = dist::connectInProcess(1, [&](Transport &t, uint32_t) {
            dist::WorkerOptions options{.build = "test", .mostObjectBytes = 1 << 20};
            options.log = [&](const std::string &line) {
                std::lock_guard lock(mutex);
                log.push_back(line);
            };
            dist::Worker(options, engine, [](const std::vector<std::string> &) {
                return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
            }).serve(t);
        });
        if (greets)
            transport->send(0, dist::frameOf(dist::Hello{"test", "", 1000, 0, 1, {}}));
        for (const dist::Bytes &frame : frames)
            transport->send(0, frame);
        transport->send(0, dist::frameOf({dist::MessageType::Detach}, {}));
        while (auto item = transport->receive(std::chrono::seconds(5)))
            if (item->isLost)
                break;
    }
    bool said(const std::string &text) const {
        return std::ranges::any_of(log, [&](const std::string &line) { return line.find(text) != line.npos; });
    }
};

TEST(Worker, RejectsWhatIsNotOfTheProtocolAndSaysSo) {
    using namespace dist;
    auto rejects = [](std::vector<Bytes> frames, const std::string &why, bool greets = true) {
        Attack attack;
        attack.send(frames, greets);
        EXPECT_TRUE(attack.said(why)) << why << ": " << (attack.log.empty() ? "" : attack.log.back());
    };
    rejects({Bytes(3)}, "bytes expected", false);
    rejects({frameOf(Transfer{1})}, "the first message must be a greeting", false);
    rejects({Bytes(200, std::byte(7))}, "no message of this protocol");
    Bytes version = frameOf(Transfer{1});
    version[4] = std::byte(77);
    rejects({version}, "version 77 of the protocol");
    Bytes shortened = frameOf(Transfer{1});
    shortened.pop_back();
    rejects({shortened}, "a body of 8 bytes is announced, 7 came");
    rejects({frameOf(Transfer{77})}, "object 77 is not here");
    rejects({frameOf(ObjectBegin{1, 0, ObjectBegin::Kind::Part, 0, 1, uint64_t(1) << 40})}, "exceeds the memory");
    rejects({frameOf(ObjectBegin{1, 0, ObjectBegin::Kind::Part, 0, 1, 600000}),
             frameOf(ObjectBegin{2, 0, ObjectBegin::Kind::Part, 0, 1, 600000})},
            "object 2 of 600000 bytes exceeds the memory");
    ByteWriter chunk;
    chunk.raw(headOf({1, 0, true, 0, {}})).raw(Bytes(2000));
    rejects({frameOf(ObjectBegin{1, 0, ObjectBegin::Kind::Part, 0, 1, 5000}),
             frameOf({MessageType::ObjectChunk}, chunk.out)},
            "at most 1000 were agreed on");
    ByteWriter damaged;
    damaged.raw(headOf({1, 0, false, 12345, {}})).raw(Bytes(20));
    rejects({frameOf(ObjectBegin{1, 0, ObjectBegin::Kind::Part, 0, 1, 5000}),
             frameOf({MessageType::ObjectChunk}, damaged.out)},
            "the checksum");
    rejects({frameOf(Compute{hashOf("nonsense"), "nonsense", 1, 1, 0, 0, "", {}})}, "loop program, line 1");
    rejects({frameOf(Compute{1, "nonsense", 1, 1, 0, 0, "", {}})}, "not the one announced");
    rejects({frameOf(Ready{})}, "a message that only workers send");
    // Memory of a process that has not shown to be the coordinator.
    ObjectLent lent{{1, 0, ObjectBegin::Kind::Part, 0, 1, 5000}, {{reinterpret_cast<uint64_t>(&lent), 5000}}};
    rejects({frameOf(lent)}, "memory that is not this machine's");
    rejects({frameOf(Neighbourhood{true, 0}), frameOf(lent)}, "memory that is not this machine's");
}

TEST(Worker, ChecksWhatALoopIsGoingToTouch) {
    using namespace dist;
    std::string program = std::string(fusesMultiplyAdd() ? "flat fma" : "flat") +
                          "\np 2 9 0\np 8 9 1\nn 0 2 0 0 9 9 0 0\nn 1 2 0 0 9 9 ewAbs 0 0\n";
    auto m = Dense::create(ValueType::F64, 10, 1, Buffer::Init::Zero);
    Encoded e = encode(Value(m));
    Bytes all;
    for (auto piece : e.pieces)
        all.insert(all.end(), piece.begin(), piece.end());
    ByteWriter chunk;
    chunk.raw(headOf({5, 0, true, crc32c(all), {}})).raw(all);
    std::vector<Bytes> object{frameOf(ObjectBegin{5, 0, ObjectBegin::Kind::Part, 0, 10, all.size()}),
                              frameOf({MessageType::ObjectChunk}, chunk.out)};
    auto rejects = [&](Compute compute, const std::string &why) {
        Attack attack;
        std::vector<Bytes> frames = object;
        frames.push_back(frameOf(compute));
        attack.send(frames);
        EXPECT_TRUE(attack.said(why)) << why << ": " << attack.log.back();
        EXPECT_EQ(attack.log.size(), why.empty() ? 1u : 2u) << attack.log.back();
    };
    using Role = Compute::Role;
    Compute good{hashOf(program), program, 10, 1, 0, 0, "", {{Role::Object, 5}, {Role::Result, 6}}};
    rejects(good, "");
    Compute rows = good;
    rows.rows = 11;
    rejects(rows, "another size or type");
    Compute huge = good;
    huge.rows = ~uint64_t(0);
    rejects(huge, "size is too large");
    Compute none = good;
    none.rows = 0;
    rejects(none, "rows or columns are none");
    Compute missing = good;
    missing.operands.pop_back();
    rejects(missing, "number of operands");
    Compute swapped = good;
    std::swap(swapped.operands[0], swapped.operands[1]);
    rejects(swapped, "not those of its program");
    Compute number = good;
    number.operands[0].role = Role::Number;
    rejects(number, "matrices are missing");
    Compute kept = good;
    kept.operands[1].role = Role::Kept;
    rejects(kept, "kept values are no rows");
}

TEST(Worker, RunsOnlyWhatItCanClaim) {
    using namespace dist;
    exec::LoopEngine engine{{.jit = false}, nullptr};
    auto transport = connectInProcess(1, [&](Transport &t, uint32_t) {
        Worker({.build = "test"}, engine, [](const std::vector<std::string> &) {
            return std::make_unique<sched::Scheduler>(sched::Settings{.threads = {.numThreads = 1}});
        }).serve(t);
    });
    std::string program = std::string(fusesMultiplyAdd() ? "flat fma" : "flat") +
                          "\np 2 9 0\np 8 9 1\nn 0 2 0 0 9 9 0 0\nn 1 2 0 0 9 9 ewAbs 0 0\n";
    Compute offered{
        hashOf(program), program, 10, 1, 0, 0, "", {{Compute::Role::Object, 5}, {Compute::Role::Result, 6}}};
    offered.isOffered = true;
    transport->send(0, frameOf(Hello{"test", "", 1000, 0, 1, {}}));
    for (uint64_t request : {1, 2, 3}) {
        offered.isFollowed = request < 3;
        transport->send(0, frameOf(offered, request));
    }
    transport->send(0, frameOf({MessageType::Detach}, {}));
    std::vector<std::pair<MessageType, uint64_t>> answers;
    while (auto item = transport->receive(std::chrono::seconds(5))) {
        if (item->isLost)
            break;
        for (std::span<const std::byte> rest = item->frame, body; !rest.empty();) {
            Envelope envelope = openFrame(takeFrame(rest), body);
            answers.emplace_back(envelope.type, envelope.request);
        }
    }
    // There is no board: nothing is begun, and everything is answered.
    using Answer = std::pair<MessageType, uint64_t>;
    EXPECT_EQ(answers, (std::vector<Answer>{{MessageType::Welcome, 0},
                                            {MessageType::Cancel, 1},
                                            {MessageType::Cancel, 2},
                                            {MessageType::Cancel, 3},
                                            {MessageType::Detach, 0}}));
}

TEST(Worker, SurvivesRandomBytes) {
    using namespace dist;
    std::mt19937_64 random(5);
    std::vector<Bytes> seeds{frameOf(Transfer{1}), frameOf(Free{{1, 2}}),
                             frameOf(ObjectBegin{1, 0, ObjectBegin::Kind::Part, 0, 1, 100}),
                             frameOf(Compute{1, "flat\n", 1, 1, 0, 0, "", {{Compute::Role::Object, 1}}})};
    for (int i = 0; i < 300; ++i) {
        Bytes frame = seeds[random() % seeds.size()];
        for (size_t k = 1 + random() % 4; k > 0; --k)
            frame[random() % frame.size()] = static_cast<std::byte>(random());
        Attack attack;
        attack.send({frame}, random() % 4 != 0);
    }
}

} // namespace

} // namespace daphne::test
