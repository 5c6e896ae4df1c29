// SPDX-License-Identifier: Apache-2.0
/// Kernels beside the loop one would write by hand, on 10 million cells (out of
/// the caches) and 10 thousand (inside them). The counter `bytes_per_second`
/// tells how far both are from what a copy reaches.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include <benchmark/benchmark.h>

#include "kernels/KernelTable.h"

namespace daphne {

namespace {

struct Shape {
    size_t rows, cols;
};
Shape shapeOf(const benchmark::State &state) {
    return {static_cast<size_t>(state.range(0)), static_cast<size_t>(state.range(1))};
}

Value randomMatrix(Shape s, unsigned seed) {
    auto m = Dense::create(ValueType::F64, s.rows, s.cols);
    std::mt19937_64 source(seed);
    std::uniform_real_distribution<double> cells(0, 1);
    std::generate_n(m->mutableView<double>().data, s.rows * s.cols, [&] { return cells(source); });
    return m;
}

Value run(const char *mnemonic, std::vector<Value> args) {
    static RunContext context;
    const Kernel &kernel = *KernelTable::get().find(mnemonic);
    Value result[1];
    KernelCall call{context, kernel, args, result};
    kernel.run(call);
    return std::move(result[0]);
}

const double *cellsOf(const Value &m) { return m.dense().view<double>().data; }

/// Bytes the operation must read and write, per cell of the argument.
void setBytes(benchmark::State &state, size_t perCell) {
    Shape s = shapeOf(state);
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * s.rows * s.cols * perCell));
}

void sizes(benchmark::internal::Benchmark *b) {
    b->Args({10'000, 1'000})->Args({100, 100})->Unit(benchmark::kMicrosecond)->MinTime(0.2);
}
void columnSizes(benchmark::internal::Benchmark *b) {
    b->Args({1'000'000, 1})->Args({10'000, 1})->Unit(benchmark::kMicrosecond)->MinTime(0.2);
}

/// The kernel `mnemonic` on N random matrices.
void runKernel(benchmark::State &state, const char *mnemonic, size_t numArgs, size_t bytesPerCell) {
    std::vector<Value> args;
    for (unsigned i = 0; i < numArgs; ++i)
        args.push_back(randomMatrix(shapeOf(state), i));
    for (auto _ : state)
        benchmark::DoNotOptimize(run(mnemonic, args));
    setBytes(state, bytesPerCell);
}

/// A loop written by hand into a result that is there already: loop(in, other, out, shape).
template <class Loop> void runLoop(benchmark::State &state, size_t bytesPerCell, Loop loop) {
    Shape s = shapeOf(state);
    Value x = randomMatrix(s, 0), y = randomMatrix(s, 1), z = randomMatrix(s, 2);
    double *out = z.dense().mutableView<double>().data;
    for (auto _ : state) {
        loop(cellsOf(x), cellsOf(y), out, s);
        benchmark::ClobberMemory();
    }
    setBytes(state, bytesPerCell);
}

// ------------------------------------------------------------------ the pairs

void copyByLibrary(benchmark::State &state) {
    runLoop(state, 16, [](const double *x, const double *, double *out, Shape s) {
        std::memcpy(out, x, s.rows * s.cols * sizeof(double));
    });
}
BENCHMARK(copyByLibrary)->Apply(sizes);

void addKernel(benchmark::State &state) { runKernel(state, "ewAdd", 2, 24); }
void addLoop(benchmark::State &state) {
    runLoop(state, 24, [](const double *x, const double *y, double *out, Shape s) {
        for (size_t i = 0; i < s.rows * s.cols; ++i)
            out[i] = x[i] + y[i];
    });
}
BENCHMARK(addKernel)->Apply(sizes);
BENCHMARK(addLoop)->Apply(sizes);

void expKernel(benchmark::State &state) { runKernel(state, "ewExp", 1, 16); }
void expLoop(benchmark::State &state) {
    runLoop(state, 16, [](const double *x, const double *, double *out, Shape s) {
        for (size_t i = 0; i < s.rows * s.cols; ++i)
            out[i] = std::exp(x[i]);
    });
}
BENCHMARK(expKernel)->Apply(sizes);
BENCHMARK(expLoop)->Apply(sizes);

void sumKernel(benchmark::State &state) { runKernel(state, "sumAll", 1, 8); }
void sumLoop(benchmark::State &state) {
    runLoop(state, 8, [](const double *x, const double *, double *out, Shape s) {
        out[0] = std::accumulate(x, x + s.rows * s.cols, 0.0);
    });
}
BENCHMARK(sumKernel)->Apply(sizes);
BENCHMARK(sumLoop)->Apply(sizes);

void rowSumsKernel(benchmark::State &state) { runKernel(state, "sumRow", 1, 8); }
void rowSumsLoop(benchmark::State &state) {
    runLoop(state, 8, [](const double *x, const double *, double *out, Shape s) {
        for (size_t r = 0; r < s.rows; ++r)
            out[r] = std::accumulate(x + r * s.cols, x + (r + 1) * s.cols, 0.0);
    });
}
BENCHMARK(rowSumsKernel)->Apply(sizes);
BENCHMARK(rowSumsLoop)->Apply(sizes);

void columnSumsKernel(benchmark::State &state) { runKernel(state, "sumCol", 1, 8); }
void columnSumsLoop(benchmark::State &state) {
    runLoop(state, 8, [](const double *x, const double *, double *out, Shape s) {
        std::fill_n(out, s.cols, 0.0);
        for (size_t r = 0; r < s.rows; ++r)
            for (size_t c = 0; c < s.cols; ++c)
                out[c] += x[r * s.cols + c];
    });
}
BENCHMARK(columnSumsKernel)->Apply(sizes);
BENCHMARK(columnSumsLoop)->Apply(sizes);

void transposeKernel(benchmark::State &state) { runKernel(state, "transpose", 1, 16); }
void transposeLoop(benchmark::State &state) {
    runLoop(state, 16, [](const double *x, const double *, double *out, Shape s) {
        for (size_t c = 0; c < s.cols; ++c)
            for (size_t r = 0; r < s.rows; ++r)
                out[c * s.rows + r] = x[r * s.cols + c];
    });
}
BENCHMARK(transposeKernel)->Apply(sizes);
BENCHMARK(transposeLoop)->Apply(sizes);

void cumSumKernel(benchmark::State &state) { runKernel(state, "sumCum", 1, 16); }
void cumSumLoop(benchmark::State &state) {
    runLoop(state, 16, [](const double *x, const double *, double *out, Shape s) {
        std::copy_n(x, s.cols, out);
        for (size_t i = s.cols; i < s.rows * s.cols; ++i)
            out[i] = out[i - s.cols] + x[i];
    });
}
BENCHMARK(cumSumKernel)->Apply(sizes)->Apply(columnSizes);
BENCHMARK(cumSumLoop)->Apply(sizes)->Apply(columnSizes);

void orderKernel(benchmark::State &state) {
    Value x = randomMatrix(shapeOf(state), 0);
    std::vector<Value> args{x, Value::scalar(int64_t(0)), Value::scalar(true), Value::scalar(true)};
    for (auto _ : state)
        benchmark::DoNotOptimize(run("order", args));
    setBytes(state, 16);
}
void orderLoop(benchmark::State &state) {
    Shape s = shapeOf(state);
    Value x = randomMatrix(s, 0);
    std::vector<uint64_t> order(s.rows);
    for (auto _ : state) {
        std::iota(order.begin(), order.end(), uint64_t(0));
        std::stable_sort(order.begin(), order.end(),
                         [cells = cellsOf(x)](uint64_t a, uint64_t b) { return cells[a] < cells[b]; });
        benchmark::ClobberMemory();
    }
    setBytes(state, 16);
}
BENCHMARK(orderKernel)->Apply(columnSizes);
BENCHMARK(orderLoop)->Apply(columnSizes);

} // namespace

} // namespace daphne
