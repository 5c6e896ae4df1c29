// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>
#include <omp.h>

#include "loops/Loops.h"

namespace peer {

namespace {

constexpr double kRegularisation = 1e-6;
constexpr int64_t kBlock = 256; // rows that stay in the cache between the product with p and the one with its result

struct Problem {
    int64_t rows, cols;
    Buffer<double> x, y;
};

Problem makeProblem(const Arguments &arguments) {
    size_t rows = arguments.number("rows"), cols = arguments.number("cols");
    Problem p{int64_t(rows), int64_t(cols), uniform(rows * cols, 0, 1, 7), uniform(rows, -0.1, 0.1, 9)};
    Buffer<double> truth = uniform(cols, -5, 5, 8);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, int(rows), int(cols), 1, p.x.data(), int(cols), truth.data(), 1, 1,
                p.y.data(), 1);
    return p;
}

std::vector<double> summary(const std::vector<double> &beta) {
    double sum = 0;
    for (double b : beta)
        sum += b;
    return {beta[0], sum};
}

/// Runs body(first row, number of rows, accumulator of the worker) over blocks of rows; returns the sum of
/// accumulators.
template <typename Body> std::vector<double> overBlocks(int64_t rows, size_t width, Body body) {
    std::vector<double> total(width);
#pragma omp parallel
    {
        std::vector<double> own(width);
#pragma omp for schedule(static)
        for (int64_t first = 0; first < rows; first += kBlock)
            body(first, std::min(kBlock, rows - first), own);
#pragma omp critical
        for (size_t i = 0; i < width; ++i)
            total[i] += own[i];
    }
    return total;
}

} // namespace

/// t(X) @ X and t(X) @ y in one pass over X, then a small system.
Answer regressionDirect(const Arguments &arguments) {
    Problem p = makeProblem(arguments);
    Stopwatch watch;
    auto m = size_t(p.cols);
    std::vector<double> both = overBlocks(p.rows, m * m + m, [&](int64_t first, int64_t count, auto &own) {
        const double *x = &p.x[first * p.cols];
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, int(m), int(count), 1, x, int(m), 1, own.data(), int(m));
        cblas_dgemv(CblasRowMajor, CblasTrans, int(count), int(m), 1, x, int(m), &p.y[first], 1, 1, &own[m * m], 1);
    });
    std::vector<double> a(both.begin(), both.begin() + int64_t(m * m)), b(both.begin() + int64_t(m * m), both.end());
    for (size_t i = 0; i < m; ++i) {
        a[i * m + i] += kRegularisation;
        for (size_t j = i + 1; j < m; ++j)
            a[i * m + j] = a[j * m + i];
    }
    solveSmall(a, b);
    return {watch.seconds(), summary(b)};
}

/// Conjugate gradients; t(X) @ (X @ p) in one pass.
Answer regressionCg(const Arguments &arguments) {
    Problem problem = makeProblem(arguments);
    size_t iterations = arguments.number("iterations");
    Stopwatch watch;
    int64_t m = problem.cols;
    auto rowTimes = [&](const double *row, const double *v) {
        double dot = 0;
#pragma omp simd reduction(+ : dot)
        for (int64_t j = 0; j < m; ++j)
            dot += row[j] * v[j];
        return dot;
    };
    auto addRow = [&](const double *row, double factor, double *into) {
#pragma omp simd
        for (int64_t j = 0; j < m; ++j)
            into[j] += factor * row[j];
    };
    std::vector<double> r = overBlocks(problem.rows, size_t(m), [&](int64_t first, int64_t count, auto &own) {
        for (int64_t i = first; i < first + count; ++i)
            addRow(&problem.x[i * m], -problem.y[i], own.data());
    });
    std::vector<double> beta(r.size()), p(r.size());
    double norm = 0;
    for (size_t j = 0; j < r.size(); ++j) {
        p[j] = -r[j];
        norm += r[j] * r[j];
    }
    for (size_t step = 0; step < iterations; ++step) {
        std::vector<double> q = overBlocks(problem.rows, size_t(m), [&](int64_t first, int64_t count, auto &own) {
            for (int64_t i = first; i < first + count; ++i) {
                const double *row = &problem.x[i * m];
                addRow(row, rowTimes(row, p.data()), own.data());
            }
        });
        double curvature = 0;
        for (size_t j = 0; j < q.size(); ++j) {
            q[j] += kRegularisation * p[j];
            curvature += p[j] * q[j];
        }
        double alpha = norm / curvature, oldNorm = norm;
        norm = 0;
        for (size_t j = 0; j < q.size(); ++j) {
            beta[j] += alpha * p[j];
            r[j] += alpha * q[j];
            norm += r[j] * r[j];
        }
        for (size_t j = 0; j < q.size(); ++j)
            p[j] = norm / oldNorm * p[j] - r[j];
    }
    return {watch.seconds(), summary(beta)};
}

} // namespace peer
