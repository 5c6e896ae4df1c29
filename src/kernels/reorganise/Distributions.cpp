// SPDX-License-Identifier: Apache-2.0
/// Random numbers that follow a distribution. Cell i, counted row by row, is the
/// quantile at a share u that a counter-based generator (Philox 4x32, ten rounds)
/// makes of i and the seed: nothing depends on who draws which cell.
#include <array>
#include <cmath>
#include <random>

#include "base/Cancellable.h"
#include "kernels/KernelTable.h"
#include "kernels/objects/CellText.h"
#include "kernels/reorganise/DistributionQuantiles.h"
#include "sched/Scheduler.h"

namespace daphne {

namespace {

constexpr int64_t kNoSeed = -1;

/// The share of cell i, strictly between 0 and 1.
double shareOf(uint64_t seed, uint64_t i) {
    constexpr uint64_t kFactor0 = 0xd2511f53, kFactor1 = 0xcd9e8d57;
    constexpr uint32_t kStep0 = 0x9e3779b9, kStep1 = 0xbb67ae85;
    std::array<uint32_t, 4> c = {static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), 0, 0};
    auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round, key0 += kStep0, key1 += kStep1) {
        uint64_t p0 = kFactor0 * c[0], p1 = kFactor1 * c[2];
        c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key0, static_cast<uint32_t>(p1),
             static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key1, static_cast<uint32_t>(p0)};
    }
    uint64_t word = uint64_t(c[1]) << 32 | c[0];
    return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
}

void require(bool holds, const char *what, double found) {
    if (!holds)
        throw executionError(std::string(what) + ", got " + printedText(found));
}

/// cell i = quantile(share of i)
template <class T, class Quantile>
Value draw(KernelCall &call, size_t rows, size_t cols, int64_t given, const Quantile &quantile) {
    constexpr uint64_t kGrain = 4096;
    constexpr size_t kNsPerCell = 60;
    uint64_t seed = static_cast<uint64_t>(given);
    if (given == kNoSeed) {
        std::random_device device;
        seed = uint64_t(device()) << 32 | device();
    }
    auto result = Dense::create(valueTypeOf<T>(), rows, cols);
    T *out = result->template mutableView<T>().data;
    auto body = [&](sched::Range cells, uint32_t) {
        for (uint64_t i : cancellable(cells.end - cells.begin, kNsPerCell))
            out[cells.begin + i] = quantile(shareOf(seed, cells.begin + i));
    };
    uint64_t n = result->cells();
    if (call.context.scheduler && n > kGrain)
        call.context.scheduler->run({.site = call.mnemonic(),
                                     .rows = n,
                                     .grain = kGrain,
                                     .block = kGrain,
                                     .serialNs = static_cast<double>(kNsPerCell * n)},
                                    body);
    else
        body({0, n}, 0);
    return result;
}

Value normal(KernelCall &call, size_t rows, size_t cols, double mean, double stddev, int64_t seed) {
    require(stddev >= 0, "the standard deviation must not be negative", stddev);
    return draw<double>(call, rows, cols, seed, [=](double u) { return mean + stddev * normalQuantile(u); });
}

Value exponential(KernelCall &call, size_t rows, size_t cols, double rate, int64_t seed) {
    require(rate > 0, "the rate must be positive", rate);
    return draw<double>(call, rows, cols, seed, [=](double u) { return exponentialQuantile(u) / rate; });
}

Value gamma(KernelCall &call, size_t rows, size_t cols, double shape, double scale, int64_t seed) {
    require(shape > 0 && std::isfinite(shape), "the shape must be positive", shape);
    require(scale > 0, "the scale must be positive", scale);
    return draw<double>(call, rows, cols, seed, [=](double u) { return scale * gammaQuantile(u, shape); });
}

Value beta(KernelCall &call, size_t rows, size_t cols, double a, double b, int64_t seed) {
    for (double x : {a, b})
        require(x > 0 && std::isfinite(x), "both parameters must be positive", x);
    return draw<double>(call, rows, cols, seed, [=](double u) { return betaQuantile(u, a, b); });
}

Value poisson(KernelCall &call, size_t rows, size_t cols, double lambda, int64_t seed) {
    constexpr double kMost = 1e15; // counts around it are no longer told apart
    require(lambda >= 0 && lambda <= kMost, "the mean must be between 0 and 1e15", lambda);
    return draw<int64_t>(call, rows, cols, seed, [=](double u) { return poissonQuantile(u, lambda); });
}

Value binomial(KernelCall &call, size_t rows, size_t cols, int64_t n, double p, int64_t seed) {
    constexpr int64_t kMost = 1'000'000'000'000'000;
    require(n >= 0 && n <= kMost, "the number of trials must be between 0 and 1e15", static_cast<double>(n));
    require(p >= 0 && p <= 1, "the probability must be between 0 and 1", p);
    return draw<int64_t>(call, rows, cols, seed, [=](double u) { return binomialQuantile(u, n, p); });
}

} // namespace

void addDistributions(KernelTable &t) {
    t.add<&normal>("randn");
    t.add<&exponential>("randExp");
    t.add<&gamma>("randGamma");
    t.add<&beta>("randBeta");
    t.add<&poisson>("randPoisson");
    t.add<&binomial>("randBinom");
}

} // namespace daphne
