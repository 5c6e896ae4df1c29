// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "loops/Loops.h"

namespace peer {

namespace {

/// Centroids by column, padded to whole vectors; padding is infinitely far away.
struct Centroids {
    static constexpr size_t kVector = 4;
    size_t k, dims, padded;
    std::vector<double> byColumn, squares;

    Centroids(size_t k, size_t dims, const double *rows)
        : k(k), dims(dims), padded((k + kVector - 1) / kVector * kVector), byColumn(dims * padded),
          squares(padded, std::numeric_limits<double>::max()) {
        for (size_t c = 0; c < k; ++c) {
            squares[c] = 0;
            for (size_t d = 0; d < dims; ++d) {
                byColumn[d * padded + c] = rows[c * dims + d];
                squares[c] += rows[c * dims + d] * rows[c * dims + d];
            }
        }
    }
};

struct Nearest {
    size_t index;
    double distance; // without the square of the point itself
};

Nearest nearest(const Centroids &centroids, const double *point, double *distances) {
    size_t padded = centroids.padded;
    for (size_t c = 0; c < padded; ++c)
        distances[c] = centroids.squares[c];
    for (size_t d = 0; d < centroids.dims; ++d) {
        double factor = -2 * point[d];
        const double *column = &centroids.byColumn[d * padded];
#pragma omp simd
        for (size_t c = 0; c < padded; ++c)
            distances[c] += factor * column[c];
    }
    Nearest best{0, distances[0]};
    for (size_t c = 1; c < centroids.k; ++c)
        if (distances[c] < best.distance)
            best = {c, distances[c]};
    return best;
}

} // namespace

/// Lloyd's algorithm: nearest centroid, sums and counts of each cluster in one pass over the points.
Answer kmeans(const Arguments &arguments) {
    size_t rows = arguments.number("rows"), dims = arguments.number("cols"), k = arguments.number("k");
    size_t iterations = arguments.number("iterations");
    Buffer<double> x = uniform(rows * dims, 0, 1, 5);
    Stopwatch watch;
    std::vector<double> centroidRows(x.begin(), x.begin() + k * dims);
    for (size_t i = 0; i < iterations; ++i) {
        Centroids centroids(k, dims, centroidRows.data());
        std::vector<double> sums(k * dims), counts(k);
#pragma omp parallel
        {
            std::vector<double> ownSums(k * dims), ownCounts(k), distances(centroids.padded);
#pragma omp for schedule(static)
            for (size_t r = 0; r < rows; ++r) {
                const double *point = &x[r * dims];
                size_t c = nearest(centroids, point, distances.data()).index;
                ++ownCounts[c];
                for (size_t d = 0; d < dims; ++d)
                    ownSums[c * dims + d] += point[d];
            }
#pragma omp critical
            {
                for (size_t j = 0; j < sums.size(); ++j)
                    sums[j] += ownSums[j];
                for (size_t c = 0; c < k; ++c)
                    counts[c] += ownCounts[c];
            }
        }
        for (size_t c = 0; c < k; ++c)
            for (size_t d = 0; d < dims; ++d)
                centroidRows[c * dims + d] = sums[c * dims + d] / counts[c];
    }
    double seconds = watch.seconds(), squares = 0, sum = 0;
    Centroids centroids(k, dims, centroidRows.data());
    std::vector<double> distances(centroids.padded);
    for (size_t r = 0; r < rows; ++r)
        squares += nearest(centroids, &x[r * dims], distances.data()).distance;
    for (double cell : x)
        squares += cell * cell;
    for (double cell : centroidRows)
        sum += cell;
    return {seconds, {squares / double(rows), sum}};
}

} // namespace peer
