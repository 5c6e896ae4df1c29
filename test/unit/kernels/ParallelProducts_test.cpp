// SPDX-License-Identifier: Apache-2.0
/// Products on several workers at once: BLAS must be safe to enter from all of them, and blocks must add up to the same
/// bits for every number of threads.
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/Run.h"
#include "sched/Scheduler.h"

namespace daphne {

namespace {

Ref<Dense> numbers(size_t rows, size_t cols) {
    auto m = Dense::create(ValueType::F64, rows, cols);
    double *x = m->mutableView<double>().data;
    uint64_t state = 42;
    for (size_t i = 0; i < rows * cols; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = static_cast<double>(state >> 40) / (1 << 24) - 0.5;
    }
    return m;
}

Value product(RunContext &context, const Value &a, const Value &b, bool transposeLeft) {
    const Kernel &kernel = *KernelTable::get().find("matMul");
    Value args[] = {a, b, Value::scalar(transposeLeft), Value::scalar(false)};
    Value result;
    KernelCall call{context, kernel, args, {&result, 1}};
    kernel.run(call);
    return result;
}

bool sameBits(const Value &a, const Value &b) {
    return std::memcmp(a.dense().view<double>().data, b.dense().view<double>().data, 8 * a.dense().cells()) == 0;
}

} // namespace

TEST(ParallelProducts, HaveTheSameBitsForEveryNumberOfThreads) {
    Value deep(numbers(50000, 10)), wide(numbers(50000, 20)), tall(numbers(3000, 200)), square(numbers(200, 300));
    RunContext alone;
    Value atOnce[] = {product(alone, deep, wide, true), product(alone, deep, deep, true),
                      product(alone, tall, square, false), product(alone, tall, tall, true)};
    for (int threads : {2, 4}) {
        sched::Settings settings;
        settings.threads.numThreads = threads;
        settings.plan.scheme = sched::findScheme("SS"); // no cost rule
        sched::Scheduler scheduler(settings);
        RunContext context;
        context.scheduler = &scheduler;
        for (int repetition = 0; repetition < 100; ++repetition) {
            ASSERT_TRUE(sameBits(product(context, deep, wide, true), atOnce[0])) << threads;
            ASSERT_TRUE(sameBits(product(context, deep, deep, true), atOnce[1])) << threads;
            ASSERT_TRUE(sameBits(product(context, tall, square, false), atOnce[2])) << threads;
            ASSERT_TRUE(sameBits(product(context, tall, tall, true), atOnce[3])) << threads;
        }
    }
}

} // namespace daphne
