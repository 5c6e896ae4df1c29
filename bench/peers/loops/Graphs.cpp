// SPDX-License-Identifier: Apache-2.0
#include "loops/Loops.h"

namespace peer {

namespace {
constexpr int kRowsPerTask = 2048; // from a shared counter: balances skewed rows, costs nothing
}

/// Every vertex takes the largest label among its neighbours and itself, until nothing changes. Update and test for
/// changes in one pass.
Answer components(const Arguments &arguments) {
    Graph g = readGraph(arguments.text("graph"));
    auto n = static_cast<int64_t>(g.numRows);
    Stopwatch watch;
    Buffer<int32_t> labels(g.numRows), next(g.numRows);
    for (int64_t v = 0; v < n; ++v)
        labels[v] = static_cast<int32_t>(v + 1);
    int64_t changed = 1, iterations = 0;
    for (; changed > 0; ++iterations) {
        changed = 0;
#pragma omp parallel for schedule(dynamic, kRowsPerTask) reduction(+ : changed)
        for (int64_t v = 0; v < n; ++v) {
            int32_t largest = labels[v];
            for (uint64_t k = g.offsets[v]; k < g.offsets[v + 1]; ++k)
                largest = std::max(largest, labels[g.columns[k]]);
            next[v] = largest;
            changed += largest != labels[v];
        }
        std::swap(labels, next);
    }
    double seconds = watch.seconds();
    int64_t components = 0, sum = 0;
    for (int64_t v = 0; v < n; ++v) {
        components += labels[v] == v + 1;
        sum += labels[v];
    }
    return {seconds, {double(components), double(iterations), double(sum)}};
}

/// The rank of a vertex divided by its degree is what its neighbours gather; it is computed where the rank is.
Answer pagerank(const Arguments &arguments) {
    constexpr double kAlpha = 0.85;
    Graph g = readGraph(arguments.text("graph"));
    size_t iterations = arguments.number("iterations");
    auto n = static_cast<int64_t>(g.numRows);
    Stopwatch watch;
    Buffer<double> rank(g.numRows), inverse(g.numRows), share(g.numRows), nextShare(g.numRows);
    double stuck = 0;
#pragma omp parallel for reduction(+ : stuck)
    for (int64_t v = 0; v < n; ++v) {
        uint64_t degree = g.offsets[v + 1] - g.offsets[v];
        rank[v] = 1.0 / double(n);
        inverse[v] = degree == 0 ? 0.0 : 1.0 / double(degree);
        share[v] = rank[v] * inverse[v];
        stuck += degree == 0 ? rank[v] : 0.0;
    }
    for (size_t i = 0; i < iterations; ++i) {
        double jump = (kAlpha * stuck + 1 - kAlpha) / double(n);
        stuck = 0;
#pragma omp parallel for schedule(dynamic, kRowsPerTask) reduction(+ : stuck)
        for (int64_t v = 0; v < n; ++v) {
            double gathered = 0;
            for (uint64_t k = g.offsets[v]; k < g.offsets[v + 1]; ++k)
                gathered += share[g.columns[k]];
            rank[v] = kAlpha * gathered + jump;
            nextShare[v] = rank[v] * inverse[v];
            stuck += inverse[v] == 0.0 ? rank[v] : 0.0;
        }
        std::swap(share, nextShare);
    }
    double seconds = watch.seconds(), sum = 0, largest = 0;
    for (int64_t v = 0; v < n; ++v) {
        sum += rank[v];
        largest = std::max(largest, rank[v]);
    }
    return {seconds, {sum, largest * double(n), rank[0] * double(n)}};
}

} // namespace peer
