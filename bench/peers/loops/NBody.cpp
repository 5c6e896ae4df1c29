// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "loops/Loops.h"

namespace peer {

/// Leapfrog with all pairs: the inner loop over j is vectorised, nothing of size n x n exists.
Answer nbody(const Arguments &arguments) {
    constexpr double kStep = 0.01, kSoftening = 0.1, kTotalMass = 20;
    size_t n = arguments.number("particles"), steps = arguments.number("steps");
    Buffer<double> positions = uniform(2 * n, -1, 1, 42), velocities = uniform(2 * n, -0.5, 0.5, 43);
    Stopwatch watch;
    double mass = kTotalMass / double(n);
    std::vector<double> x(n), y(n), vx(n), vy(n), ax(n), ay(n);
    for (size_t i = 0; i < n; ++i) {
        x[i] = positions[2 * i], y[i] = positions[2 * i + 1];
        vx[i] = velocities[2 * i], vy[i] = velocities[2 * i + 1];
    }
    auto accelerate = [&] {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < n; ++i) {
            double sumX = 0, sumY = 0, xi = x[i], yi = y[i];
            const double *px = x.data(), *py = y.data();
#pragma omp simd reduction(+ : sumX, sumY)
            for (size_t j = 0; j < n; ++j) {
                double dx = px[j] - xi, dy = py[j] - yi;
                double square = dx * dx + dy * dy + kSoftening * kSoftening;
                double inverseCube = 1 / (square * std::sqrt(square));
                sumX += dx * inverseCube;
                sumY += dy * inverseCube;
            }
            ax[i] = mass * sumX;
            ay[i] = mass * sumY;
        }
    };
    auto kick = [&] {
        for (size_t i = 0; i < n; ++i) {
            vx[i] += ax[i] * kStep / 2;
            vy[i] += ay[i] * kStep / 2;
        }
    };
    accelerate();
    for (size_t step = 0; step < steps; ++step) {
        kick();
        for (size_t i = 0; i < n; ++i) {
            x[i] += vx[i] * kStep;
            y[i] += vy[i] * kStep;
        }
        accelerate();
        kick();
    }
    double seconds = watch.seconds(), energy = 0;
    for (size_t i = 0; i < n; ++i)
        energy += 0.5 * mass * (vx[i] * vx[i] + vy[i] * vy[i]);
    return {seconds, {energy, x[0], y[0]}};
}

} // namespace peer
