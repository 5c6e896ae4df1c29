// SPDX-License-Identifier: Apache-2.0
// The scheduler alone: counts primes on all cores, whichever scheme is named.
//   sched_example GSS
#include <cstdio>

#include "sched/ParallelFor.h"

int main(int argc, char **argv) {
    using namespace daphne::sched;
    const Scheme *scheme = findScheme(argc > 1 ? argv[1] : "FAC2");
    if (!scheme)
        return std::fprintf(stderr, "no such scheme: %s\n", argv[1]), 1;
    Topology topology = Topology::detect();
    Pool pool(topology, chooseNumWorkers(topology, {}));
    std::vector<uint64_t> counts(pool.numWorkers() * 8); // eight apart: one cache line per worker
    parallelFor(pool, 300000, {.scheme = scheme}, [&](Range range, uint32_t worker) {
        for (uint64_t n = std::max<uint64_t>(2, range.begin); n < range.end; ++n) {
            uint64_t divisor = 2;
            while (divisor * divisor <= n && n % divisor != 0)
                ++divisor;
            counts[worker * 8] += divisor * divisor > n;
        }
    });
    uint64_t primes = 0;
    for (uint64_t count : counts)
        primes += count;
    std::printf("%llu primes below 300000, %s on %u workers\n", static_cast<unsigned long long>(primes),
                scheme->name.data(), pool.numWorkers());
}
