// SPDX-License-Identifier: Apache-2.0
/// Kernels that run on all workers give the same bits as on one thread, however their loops are cut.
#include <cstring>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "kernels/RandomMatrices.h"
#include "sched/Scheduler.h"

namespace daphne::test {

namespace {

using Density = RandomMatrices::Density;

/// Workers with a scheme the user named: even small loops are shared.
struct Workers {
    Workers(int threads, const char *scheme) : name(std::to_string(threads) + " threads, " + scheme) {
        sched::Settings settings;
        settings.threads.numThreads = threads;
        settings.plan.scheme = sched::findScheme(scheme);
        scheduler = std::make_unique<sched::Scheduler>(settings);
        context.scheduler = scheduler.get();
    }
    std::string name;
    std::unique_ptr<sched::Scheduler> scheduler;
    RunContext context;
};

/// Schemes that cut rows one by one, unevenly and evenly.
std::vector<std::unique_ptr<Workers>> &allWorkers() {
    static std::vector<std::unique_ptr<Workers>> all;
    if (all.empty())
        for (int threads : {1, 2, 4})
            for (const char *scheme : {"SS", "GSS", "STATIC"})
                all.push_back(std::make_unique<Workers>(threads, scheme));
    return all;
}

std::vector<Value> runIn(RunContext &context, std::string_view mnemonic, std::vector<Value> args, size_t numResults,
                         uint64_t wantsCsr) {
    const Kernel &kernel = *KernelTable::get().find(mnemonic);
    std::vector<Value> results(numResults);
    KernelCall call{context, kernel, args, results, 0, {}, wantsCsr};
    kernel.run(call);
    return results;
}

template <class T> bool sameCells(const T *a, const T *b, size_t n) {
    return n == 0 || std::memcmp(a, b, n * sizeof(T)) == 0;
}

bool sameBits(const Csr &a, const Csr &b) {
    size_t n = a.nonZeros();
    bool sameStructure = b.nonZeros() == n && a.isPattern() == b.isPattern() && a.offsets()[0] == b.offsets()[0] &&
                         sameCells(a.offsets(), b.offsets(), a.rows() + 1) &&
                         sameCells(a.columns<uint32_t>(), b.columns<uint32_t>(), n);
    return sameStructure &&
           (a.isPattern() || sameCells(a.values<std::byte>(), b.values<std::byte>(), n * cellSize(a.type())));
}

bool sameBits(const Dense &a, const Dense &b) {
    return withNumericType(a.type(), [&]<class T>(TypeTag<T>) {
        auto x = a.view<T>(), y = b.view<T>();
        for (size_t r = 0; r < x.rows; ++r)
            if (!sameCells(x.row(r), y.row(r), x.cols))
                return false;
        return true;
    });
}

bool sameBits(const Value &a, const Value &b) {
    if (describe(a) != describe(b) || a.isCsr() != b.isCsr())
        return false;
    if (a.isScalar())
        return a.raw().bits == b.raw().bits;
    return a.isCsr() ? sameBits(a.csr(), b.csr()) : sameBits(a.dense(), b.dense());
}

/// Runs the kernel without workers and with several.
void expectSameBits(std::string_view mnemonic, const std::vector<Value> &args, size_t numResults = 1,
                    uint64_t wantsCsr = 0) {
    RunContext alone;
    auto expected = runIn(alone, mnemonic, args, numResults, wantsCsr);
    for (const auto &workers : allWorkers()) {
        auto found = runIn(workers->context, mnemonic, args, numResults, wantsCsr);
        for (size_t i = 0; i < numResults; ++i) {
            EXPECT_TRUE(sameBits(found[i], expected[i]))
                << mnemonic << " of " << describe(args[0]) << ", " << workers->name;
            if (found[i].isCsr()) {
                EXPECT_NO_THROW(found[i].csr().check());
            }
        }
    }
}

/// Rows of very different lengths; numbers that add up to other bits in another order.
Ref<Csr> skewed(RandomMatrices &random, size_t rows, size_t cols, ValueType type = ValueType::F64) {
    auto m = random.matrix(type, rows, cols, Density::SomeRowsEmpty);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        auto cells = m->template mutableView<T>();
        for (size_t r = 0; r < rows; ++r)
            for (size_t c = 0; c < cols; ++c)
                if (random.below(cols) > cols / (1 + r % 7))
                    cells(r, c) = T(0);
                else if (std::is_floating_point_v<T> && cells(r, c) != T(0))
                    cells(r, c) /= T(3);
    });
    return toCsr(*m);
}

Ref<Csr> patternOf(const Csr &m) { return Csr::withStructureOf(m, m.type(), BufferRef()); }

Ref<Dense> thirds(RandomMatrices &random, size_t rows, size_t cols) {
    auto m = random.matrix(ValueType::F64, rows, cols, Density::Full);
    double *x = m->mutableView<double>().data;
    for (size_t i = 0; i < rows * cols; ++i)
        x[i] = x[i] / 3 + 0.1;
    return m;
}

} // namespace

TEST(ParallelKernels, ProductsOfSparseAndDenseHaveTheSameBits) {
    RandomMatrices random(1);
    auto s = skewed(random, 120, 90);
    for (const Ref<Csr> &m : {s, patternOf(*s), Csr::rowWindow(*s, 20, 100)})
        for (bool transposed : {false, true}) {
            size_t rows = transposed ? m->cols() : m->rows(), cols = transposed ? m->rows() : m->cols();
            for (size_t width : {1, 3, 24, 70}) {
                Value right(thirds(random, cols, width)), left(thirds(random, width, rows));
                expectSameBits("matMul", {Value(m), right, Value::scalar(transposed), Value::scalar(false)});
                expectSameBits("matMul", {left, Value(m), Value::scalar(false), Value::scalar(transposed)});
            }
        }
    auto special = thirds(random, 90, 3);
    special->mutableView<double>().data[5] = std::numeric_limits<double>::infinity();
    expectSameBits("matMul", {Value(s), Value(special), Value::scalar(false), Value::scalar(false)});
    expectSameBits("gemv", {Value(s), Value(thirds(random, 120, 1))});
}

TEST(ParallelKernels, ProductsOfSparseMatricesHaveTheSameBits) {
    RandomMatrices random(2);
    auto a = skewed(random, 70, 80), b = skewed(random, 80, 300), none = toCsr(*Dense::create(ValueType::F64, 0, 80));
    for (uint64_t wantsCsr : {0, 1}) {
        auto product = [&](const Ref<Csr> &l, const Ref<Csr> &r, bool transposeL, bool transposeR) {
            expectSameBits("matMul", {Value(l), Value(r), Value::scalar(transposeL), Value::scalar(transposeR)}, 1,
                           wantsCsr);
        };
        product(a, b, false, false);
        product(a, patternOf(*b), false, false);
        product(patternOf(*a), patternOf(*b), false, false);
        product(Csr::rowWindow(*a, 30, 60), b, false, false);
        product(none, b, false, false);
        product(a, a, true, false);
        product(a, a, false, true);
        product(a, skewed(random, 70, 50), true, false);
        product(skewed(random, 40, 30, ValueType::SI64), skewed(random, 30, 60, ValueType::SI64), false, false);
    }
}

TEST(ParallelKernels, TransposesHaveTheSameBits) {
    RandomMatrices random(3);
    for (ValueType type : {ValueType::F64, ValueType::F32, ValueType::Bool, ValueType::SI64}) {
        for (auto [rows, cols] : {std::pair<size_t, size_t>{1500, 7}, {7, 1500}, {600, 601}, {1, 3000}, {0, 5}}) {
            Value m(random.matrix(type, rows, cols, Density::Full));
            expectSameBits("transpose", {m});
            expectSameBits("transpose", {windowed(m)});
        }
        for (auto [rows, cols] : {std::pair<size_t, size_t>{200, 30}, {30, 200}, {5, 0}, {0, 5}}) {
            auto m = skewed(random, rows, cols, type);
            expectSameBits("transpose", {Value(m)});
            expectSameBits("transpose", {Value(patternOf(*m))});
            expectSameBits("transpose", {Value(Csr::rowWindow(*m, rows / 3, rows - rows / 3))});
        }
    }
}

TEST(ParallelKernels, LinesOfALargeTransposeAreWrittenAroundTheCaches) {
    RandomMatrices random(4);
    auto m = random.integers(ValueType::F64, 1024, 1030, 0, 1000);
    expectSameBits("transpose", {Value(m)});
}

TEST(ParallelKernels, OrderHasTheSameBits) {
    RandomMatrices random(5);
    random.allowSpecialValues(true); // NaNs and zeros of both signs
    auto zero = Value::scalar(int64_t(0)), one = Value::scalar(int64_t(1));
    for (ValueType type : {ValueType::F64, ValueType::F32, ValueType::SI64, ValueType::UI8})
        for (size_t n : {513, 5000})
            for (bool ascending : {true, false})
                for (bool positions : {true, false}) {
                    Value up = Value::scalar(ascending), down = Value::scalar(!ascending);
                    Value returned = Value::scalar(positions);
                    expectSameBits("order", {Value(random.matrix(type, n, 1, Density::Half)), zero, up, returned});
                    expectSameBits("order",
                                   {Value(random.matrix(type, n, 3, Density::Full)), one, zero, up, down, returned});
                }
    auto sorted = Dense::create(ValueType::SI64, 4000, 1);
    for (size_t i = 0; i < 4000; ++i)
        sorted->mutableView<int64_t>().data[i] = static_cast<int64_t>(i / 3);
    expectSameBits("order", {Value(sorted), zero, Value::scalar(true), Value::scalar(true)});
}

} // namespace daphne::test
