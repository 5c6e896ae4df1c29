// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <omp.h>

#include "loops/Loops.h"

namespace peer {

namespace {

constexpr int kRepetitions = 5;
constexpr size_t kLanes = 48; // twelve vectors of four: enough to hide the latency of two units

template <typename Body> double fastest(Body body) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < kRepetitions; ++i) {
        Stopwatch watch;
        body();
        best = std::min(best, watch.seconds());
    }
    return best;
}

/// Independent chains of multiply-adds in registers.
double multiplyAdd(size_t rounds) {
    double lanes[kLanes];
    for (size_t l = 0; l < kLanes; ++l)
        lanes[l] = double(l);
    for (size_t i = 0; i < rounds; ++i)
#pragma omp simd
        for (size_t l = 0; l < kLanes; ++l)
            lanes[l] = lanes[l] * 0.999 + 0.001;
    double sum = 0;
    for (double lane : lanes)
        sum += lane;
    return sum;
}

} // namespace

Answer machine(const Arguments &arguments) {
    size_t n = arguments.number("cells");
    Buffer<double> a(n), b(n), c(n);
#pragma omp parallel for
    for (size_t i = 0; i < n; ++i)
        a[i] = 1, b[i] = 2, c[i] = 3;
    Stopwatch watch;
    double sum = 0;
    double reading = fastest([&] {
#pragma omp parallel for simd reduction(+ : sum)
        for (size_t i = 0; i < n; ++i)
            sum += a[i];
    });
    double triad = fastest([&] {
#pragma omp parallel for simd
        for (size_t i = 0; i < n; ++i)
            a[i] = b[i] + 0.5 * c[i];
    });
    constexpr size_t kRounds = 20'000'000, kFlops = 2 * kLanes * kRounds;
    double computing = fastest([&] {
#pragma omp parallel reduction(+ : sum)
        sum += multiplyAdd(kRounds);
    });
    double gigabytes = double(n) * sizeof(double) / 1e9;
    if (sum == 0)
        throw std::runtime_error("the loops were not run");
    return {watch.seconds(),
            {gigabytes / reading, 3 * gigabytes / triad, double(kFlops) * omp_get_max_threads() / computing / 1e9}};
}

} // namespace peer
