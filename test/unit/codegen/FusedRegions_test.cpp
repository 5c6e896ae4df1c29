// SPDX-License-Identifier: Apache-2.0
/// Regions give what their kernels give, one after another, to the last bit:
/// interpreted and compiled, on one thread and on three, under every scheme.
///
/// Random regions: DAPHNE_REGIONS is how many (120 by default), DAPHNE_REGION_SEED
/// the first one. To run ten thousand:
///
///     DAPHNE_REGIONS=10000 codegen_test --gtest_filter='FusedRegions.*'
#include <cstdlib>
#include <numeric>

#include "codegen/loops/LoopJit.h"
#include "exec/RandomRecipes.h"
#include "exec/RecipeRuns.h"

namespace daphne::test {

namespace {

using exec::LoopEngine;

uint64_t setting(const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Engines, renewed from time to time: they keep the code of all loops.
struct Engines {
    LoopEngine compiled{{.jit = true, .always = true}, codegen::makeLoopCompiler("")};
    LoopEngine interpreted{{.jit = false}, nullptr};
    LoopEngine byCost{{.jit = true}, codegen::makeLoopCompiler("")};
};

/// One scheduler for every scheme, each with another layout, and some without a scheme.
std::vector<std::unique_ptr<sched::Scheduler>> manySchedulers() {
    std::vector<std::unique_ptr<sched::Scheduler>> all;
    sched::Settings plain{.threads = {.numThreads = 3}};
    all.push_back(std::make_unique<sched::Scheduler>(plain));
    size_t i = 0;
    for (const sched::Scheme &scheme : sched::schemes()) {
        sched::Settings settings = plain;
        settings.plan.scheme = &scheme;
        settings.plan.layout = static_cast<sched::Layout>(i % 3);
        settings.plan.victim = static_cast<sched::Victim>(i % 4);
        settings.plan.prePartition = i % 5 == 0;
        settings.partitionBy = i % 2 ? sched::PartitionBy::NonZeros : sched::PartitionBy::Rows;
        ++i;
        all.push_back(std::make_unique<sched::Scheduler>(settings));
    }
    return all;
}

class FusedRegions : public testing::Test {
  protected:
    /// "" if all ways agree with the kernels; else which one does not, and why.
    std::string disagreement(const Recipe &recipe, size_t number) {
        for (const Way &way : ways(number))
            if (std::string d = differenceFromKernels(recipe, way); !d.empty())
                return way.name + ": " + d;
        return {};
    }

    std::vector<Way> ways(size_t number) {
        sched::Scheduler *several = schedulers[number % schedulers.size()].get();
        return {{"interpreted, 1 thread", &engines->interpreted, &one},
                {"compiled, 1 thread", &engines->compiled, &one},
                {"compiled, 3 threads", &engines->compiled, several},
                {"interpreted, 3 threads", &engines->interpreted, several},
                {"fused where it pays", &engines->byCost, nullptr}};
    }

    void expectAgreement(const Recipe &recipe, const std::string &what) {
        std::string found = disagreement(recipe, 0);
        if (found.empty())
            return;
        Recipe small = shrunk(recipe, [&](const Recipe &r) { return !disagreement(r, 0).empty(); });
        ADD_FAILURE() << what << ": " << found << "\nas small as possible:\n" << small.text() << disagreement(small, 0);
    }

    void runRandomRegions(RecipeFeatures features) {
        uint64_t first = setting("DAPHNE_REGION_SEED", 1), count = setting("DAPHNE_REGIONS", 120), failures = 0;
        for (uint64_t seed = first; seed < first + count && failures < 10; ++seed) {
            if ((seed - first) % 100 == 99)
                engines = std::make_unique<Engines>();
            if (std::getenv("DAPHNE_REGION_TRACE"))
                std::cerr << "region " << seed << std::endl;
            Recipe recipe = RandomRecipes(seed, features).make();
            if (recipe.ops.empty())
                continue;
            std::string found = disagreement(recipe, seed);
            if (found.empty())
                continue;
            ++failures;
            Recipe small = shrunk(recipe, [&](const Recipe &r) { return !disagreement(r, seed).empty(); });
            ADD_FAILURE() << "seed " << seed << ": " << found << "\nas small as possible:\n"
                          << small.text() << disagreement(small, seed);
        }
    }

    std::unique_ptr<Engines> engines = std::make_unique<Engines>();
    sched::Scheduler one{{.threads = {.numThreads = 1}}};
    std::vector<std::unique_ptr<sched::Scheduler>> schedulers = manySchedulers();
};

TEST_F(FusedRegions, RandomRegionsGiveWhatTheirKernelsGive) { runRandomRegions({}); }

TEST_F(FusedRegions, RandomRegionsFailWhereAnUnreadResultFails) { runRandomRegions({.unreadResults = true}); }

TEST_F(FusedRegions, RandomRegionsRaiseTheFirstOfSeveralErrors) { runRandomRegions({.severalErrors = true}); }

TEST_F(FusedRegions, RandomRegionsWithWantedCsrGiveWhatTheirKernelsGive) { runRandomRegions({.wantedCsr = true}); }

TEST_F(FusedRegions, AResultIsNotStoredOverWhatAnotherResultReads) {
    Recipe r;
    Recipe::Id a = r.input(matrix<double>(1, 4, {-1, -2, -3, -4})), b = r.input(matrix<double>(1, 4, {1, 2, 3, 4})),
               c = r.input(matrix<double>(1, 4, {2, 3, 4, 5}));
    r.output(r.add("ewAbs", {a}));
    r.output(r.add("ewMul", {b, c}));
    r.consumable = 7;
    expectAgreement(r, "flat");
    r.output(r.add("sumAll", {b}));
    expectAgreement(r, "flat with a sum");
}

TEST_F(FusedRegions, ExtremesHaveOneZero) {
    for (size_t cols : {2, 7, 33, 100, 5000}) {
        auto m = Dense::create(ValueType::F32, 3, cols);
        float *cells = m->mutableView<float>().data;
        for (size_t i = 0; i < 3 * cols; ++i)
            cells[i] = i < cols && i % 5 == 0 ? 0.0f : -0.0f; // the first row has both zeros
        Recipe r;
        Recipe::Id x = r.input(m);
        for (std::string_view op : {"maxRow", "minRow", "maxAll", "minAll"})
            r.output(r.add(op, {x}));
        expectAgreement(r, std::to_string(cols) + " columns");
    }
}

TEST_F(FusedRegions, AResultIsNotStoredOverWhatARowExtremeReads) {
    Recipe r;
    Recipe::Id x = r.input(matrix<double>(2, 3, {-0.5, -1, 2, NAN, -1, 3})), half = r.input(number(0.5));
    Recipe::Id y = r.add("ewSub", {x, half});
    r.output(r.add("ewSqrt", {r.add("ewAbs", {x})}));
    r.output(r.add("minRow", {y}));
    r.output(r.add("maxRow", {y}));
    r.consumable = 1;
    expectAgreement(r, "rows");
}

TEST_F(FusedRegions, AbsentCellsTimesInfinityOrNanAreNanInProductsToo) {
    Recipe r;
    Recipe::Id g = r.input(toCsr(matrix<double>(3, 3, {0, 2, 0, 0, 0, 0, 1, 2, 3}).dense()));
    Recipe::Id v = r.input(column<double>({INFINITY, 1, 2}));
    r.output(r.product(g, v));
    expectAgreement(r, "infinity");
    r.inputs[v] = column<double>({1, 1, NAN});
    expectAgreement(r, "NaN");
}

/// Nearest of c centroids, their shares, sums of points and of shares: one loop over narrow rows.
Recipe clustering(size_t rows, size_t dims, size_t c, ValueType type, std::initializer_list<double> special) {
    auto cells = [&](size_t n, size_t m, uint64_t state) {
        auto x = Dense::create(type, n, m);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            for (size_t i = 0; i < n * m; ++i) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                x->mutableView<T>().data[i] = static_cast<T>(static_cast<double>(state >> 60) - 7);
            }
        });
        return x;
    };
    Recipe r;
    Ref<Dense> points = cells(rows, dims, 1);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        size_t at = dims + 1;
        for (double x : special)
            points->mutableView<T>().data[std::exchange(at, at + 3 * dims)] = static_cast<T>(x);
    });
    using Id = Recipe::Id;
    Id x = r.input(points), centroids = r.input(cells(c, dims, 2)), two = r.input(Value::scalar(2.0));
    Id distances =
        r.add("ewSub", {r.input(cells(1, c, 3)), r.add("ewMul", {two, r.product(x, centroids, false, true)})});
    Id nearest = r.add("ewLe", {distances, r.add("minRow", {distances})});
    Id shares = r.add("ewDiv", {nearest, r.add("sumRow", {nearest})});
    r.output(r.product(shares, x, true));
    r.output(r.add("sumCol", {shares}));
    r.output(r.product(nearest, x, true));
    return r;
}

TEST_F(FusedRegions, ClustersAreWhatKernelsFindWhateverThePoints) {
    double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (ValueType type : {ValueType::F64, ValueType::F32})
        for (size_t c : {2, 4, 8, 10, 15})
            for (size_t dims : {2, 5, 20, 64}) {
                std::string what = std::to_string(c) + " clusters in " + std::to_string(dims) + " dimensions";
                expectAgreement(clustering(1027, dims, c, type, {}), what);
                expectAgreement(clustering(1027, dims, c, type, {infinity, -infinity, nan, -0.0, 1e300}), what);
            }
}

TEST_F(FusedRegions, ZerosHaveTheSignTheyHaveInKernels) {
    Recipe r;
    Recipe::Id x = r.input(column<double>({-1, 0, 2})), y = r.input(rowVector<double>({0, -3, 1}));
    r.output(r.product(x, y));
    r.output(r.product(x, x, false, true));
    expectAgreement(r, "outer products");
    Recipe s;
    Recipe::Id g = s.input(toCsr(matrix<double>(3, 3, {-1, 2, 3, 0, 0, 0, 1, 0, 0}).dense()));
    s.output(s.add("minRow", {s.add("ewMul", {g, s.input(rowVector<double>({0, 1, 2}))})}));
    expectAgreement(s, "stored cells");
}

TEST_F(FusedRegions, SumsOverChangedStoredCellsAreRoundedAsInKernels) {
    Recipe r;
    auto m = Dense::create(ValueType::F64, 4, 100, Buffer::Init::Zero);
    auto v = Dense::create(ValueType::F64, 1, 100);
    for (size_t i = 0; i < 100; ++i) {
        v->mutableView<double>()(0, i) = i % 9 == 0 ? 0 : 1 / (1.0 + static_cast<double>(i));
        for (size_t row = 0; row < 4; ++row)
            m->mutableView<double>()(row, i) = i % (row + 1) == 0 ? std::sin(static_cast<double>(i + row)) : 0;
    }
    Recipe::Id x = r.add("ewMul", {r.input(toCsr(*m)), r.input(v)});
    r.output(r.product(x, r.input(Dense::reshaped(*v, 100, 1))));
    r.output(r.add("sumRow", {x}));
    expectAgreement(r, "stored cells");
}

/// Rows of so many stored cells, spread over all columns; the first ones begin with column 0.
Ref<Csr> rowsOfLengths(ValueType type, size_t cols, const std::vector<size_t> &lengths, std::vector<double> special) {
    size_t count = std::accumulate(lengths.begin(), lengths.end(), size_t(0)), k = 0;
    auto m = Csr::create(type, lengths.size(), cols, count);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        for (size_t r = 0; r < lengths.size(); ++r) {
            m->mutableOffsets()[r] = k;
            for (size_t i = 0; i < lengths[r]; ++i, ++k) {
                size_t step = cols / lengths[r];
                m->mutableColumns<uint32_t>()[k] = static_cast<uint32_t>(i * step + (r % 2) * (step > 1));
                double cell = static_cast<double>((k * 7919) % 97) - (isFloat(type) ? 48.5 : 0);
                if (isFloat(type) && !special.empty() && k % 11 == 3)
                    cell = special[k % special.size()];
                m->template mutableValues<T>()[k] = cell == 0 ? T(1) : static_cast<T>(cell);
            }
        }
        m->mutableOffsets()[lengths.size()] = k;
    });
    return m;
}

TEST_F(FusedRegions, StoredCellsAreReducedAlikeWhereverTheirVectorLies) {
    // Vectors that fit into a cache, and others: the code has another way for each.
    const std::vector<size_t> lengths{0, 1, 2, 7, 8, 15, 16, 17, 31, 33, 64, 250, 300, 300};
    double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (ValueType type : {ValueType::F64, ValueType::F32, ValueType::SI64, ValueType::SI32, ValueType::UI8})
        for (size_t cols : {size_t(300), (size_t(5) << 20) / cellSize(type)}) {
            if (cols > 300 && type != ValueType::F64 && type != ValueType::SI32)
                continue; // takes long, and types do not matter there
            for (const std::vector<double> &special : {std::vector<double>(), {nan, -0.0, infinity, -infinity}}) {
                auto v = Dense::create(type, 1, cols);
                withNumericType(type, [&]<class T>(TypeTag<T>) {
                    for (size_t i = 0; i < cols; ++i)
                        v->mutableView<T>().data[i] = static_cast<T>(i % 13 == 0 ? 0 : (i * 31) % 101);
                });
                Ref<Csr> m = rowsOfLengths(type, cols, lengths, special);
                for (const Ref<Csr> &g : {m, Csr::withStructureOf(*m, type, BufferRef())})
                    for (auto &ops :
                         std::vector<std::vector<std::string_view>>{{"maxRow"}, {"minRow", "maxRow"}, {"sumRow"}}) {
                        Recipe r;
                        Recipe::Id y = r.add("ewMul", {r.input(g), r.input(v)});
                        for (std::string_view op : ops)
                            r.output(r.add(op, {y}));
                        expectAgreement(r, std::to_string(cols) + " columns");
                    }
            }
        }
}

TEST_F(FusedRegions, ACellPerRowOutsideOfADomainIsAnError) {
    Recipe r;
    Recipe::Id x = r.input(windowed(column<int32_t>({1, 2, 3}))), y = r.input(windowed(column<int32_t>({1, 0, 2})));
    r.output(r.add("ewMod", {x, y}));
    expectAgreement(r, "rows");
}

TEST_F(FusedRegions, AnErrorInAResultThatNobodyReadsIsAnError) {
    Recipe r;
    Recipe::Id x = r.input(column<double>({1, -2, 3})), two = r.input(number(2.0));
    r.add("ewSqrt", {x});
    r.output(r.add("ewMul", {x, two}));
    expectAgreement(r, "unread");
}

TEST_F(FusedRegions, TheFirstOfTwoErrorsIsRaisedThoughItsLoopComesSecond) {
    Recipe r;
    Recipe::Id x = r.input(column<double>({1, 2, 3})), i = r.input(column<int64_t>({1, 0, 2}));
    Recipe::Id ten = r.input(number(int64_t(10)));
    r.output(r.add("ewSqrt", {r.add("ewSub", {x, r.add("sumAll", {x})})}));
    r.output(r.add("ewDiv", {ten, i}));
    expectAgreement(r, "two errors");
}

TEST_F(FusedRegions, ARegionThatRunsAgainWithOtherValuesPlansAnewWhereItMust) {
    uint64_t first = setting("DAPHNE_REGION_SEED", 1) + 1000000, count = setting("DAPHNE_REGIONS", 120) / 4;
    for (uint64_t seed = first; seed < first + count; ++seed) {
        RandomRecipes random(seed);
        Recipe recipe = random.make();
        if (recipe.ops.empty())
            continue;
        for (const Way &way : ways(seed)) {
            auto region = recipe.build(*way.engine);
            for (int again = 0; again < 3; ++again) {
                ASSERT_EQ(differenceFromKernels(recipe, *region, way, runKernels(recipe)), "")
                    << "seed " << seed << ", " << way.name << ", run " << again << "\n"
                    << recipe.text();
                for (Value &v : recipe.inputs)
                    v = random.similar(v);
            }
        }
    }
}

} // namespace

} // namespace daphne::test
