// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "loops/Loops.h"

namespace peer {

namespace {

constexpr size_t kLanes = 4;  // doubles of a vector
constexpr size_t kPoints = 4; // handled together, so that a column of centroids is loaded once for all of them
using Vector [[gnu::vector_size(kLanes * sizeof(double))]] = double;

/// Centroids by column, padded to V vectors; padding is infinitely far away.
template <size_t V> struct Centroids {
    size_t dims;
    std::vector<Vector> byColumn;
    Vector squares[V];

    Centroids(size_t k, size_t dims, const double *rows) : dims(dims), byColumn(dims * V) {
        for (size_t c = 0; c < V * kLanes; ++c) {
            double square = c < k ? 0 : std::numeric_limits<double>::max();
            for (size_t d = 0; d < dims; ++d) {
                double cell = c < k ? rows[c * dims + d] : 0;
                byColumn[d * V + c / kLanes][c % kLanes] = cell;
                square += cell * cell;
            }
            squares[c / kLanes][c % kLanes] = square;
        }
    }
};

struct Nearest {
    size_t index[kPoints];
    double distance[kPoints]; // without the square of the point itself
};

/// The nearest centroid of kPoints consecutive points; sums stay in registers.
template <size_t V> Nearest nearest(const Centroids<V> &centroids, const double *points) {
    Vector distances[kPoints][V];
    for (auto &ofPoint : distances)
        for (size_t v = 0; v < V; ++v)
            ofPoint[v] = centroids.squares[v];
    for (size_t d = 0; d < centroids.dims; ++d)
        for (size_t p = 0; p < kPoints; ++p)
            for (size_t v = 0; v < V; ++v)
                distances[p][v] -= 2 * points[p * centroids.dims + d] * centroids.byColumn[d * V + v];
    Nearest best;
    for (size_t p = 0; p < kPoints; ++p) {
        best.index[p] = 0;
        best.distance[p] = distances[p][0][0];
        for (size_t c = 1; c < V * kLanes; ++c) {
            double distance = distances[p][c / kLanes][c % kLanes];
            best.index[p] = distance < best.distance[p] ? c : best.index[p];
            best.distance[p] = std::min(distance, best.distance[p]);
        }
    }
    return best;
}

struct Clusters {
    std::vector<double> sums, counts;
    double squares = 0;
};

/// One pass over the points; their number is a multiple of kPoints.
template <size_t V>
Clusters assign(const Buffer<double> &x, size_t rows, size_t k, size_t dims, const double *rowsOfC) {
    Centroids<V> centroids(k, dims, rowsOfC);
    Clusters all{std::vector<double>(k * dims), std::vector<double>(k)};
#pragma omp parallel
    {
        Clusters own{std::vector<double>(k * dims), std::vector<double>(k)};
#pragma omp for schedule(static)
        for (size_t r = 0; r < rows; r += kPoints) {
            const double *points = &x[r * dims];
            Nearest found = nearest(centroids, points);
            for (size_t p = 0; p < kPoints; ++p) {
                double *sum = &own.sums[found.index[p] * dims];
                for (size_t d = 0; d < dims; ++d)
                    sum[d] += points[p * dims + d];
                own.counts[found.index[p]] += 1;
                own.squares += found.distance[p];
            }
        }
#pragma omp critical
        {
            for (size_t i = 0; i < all.sums.size(); ++i)
                all.sums[i] += own.sums[i];
            for (size_t c = 0; c < k; ++c)
                all.counts[c] += own.counts[c];
            all.squares += own.squares;
        }
    }
    return all;
}

} // namespace

/// Lloyd's algorithm: nearest centroid, sums and counts of each cluster in one pass over the points.
Answer kmeans(const Arguments &arguments) {
    constexpr size_t kVectors = 3;
    size_t rows = arguments.number("rows"), dims = arguments.number("cols"), k = arguments.number("k");
    size_t iterations = arguments.number("iterations");
    if (rows % kPoints != 0 || k > kVectors * kLanes)
        throw std::runtime_error("written for at most 12 clusters and a multiple of 4 points");
    Buffer<double> x = uniform(rows * dims, 0, 1, 5);
    Stopwatch watch;
    std::vector<double> centroids(x.begin(), x.begin() + k * dims);
    for (size_t i = 0; i < iterations; ++i) {
        Clusters found = assign<kVectors>(x, rows, k, dims, centroids.data());
        for (size_t c = 0; c < k; ++c)
            for (size_t d = 0; d < dims; ++d)
                centroids[c * dims + d] = found.sums[c * dims + d] / found.counts[c];
    }
    double seconds = watch.seconds(), sum = 0;
    double squares = assign<kVectors>(x, rows, k, dims, centroids.data()).squares;
    for (double cell : x)
        squares += cell * cell;
    for (double cell : centroids)
        sum += cell;
    return {seconds, {squares / double(rows), sum}};
}

} // namespace peer
