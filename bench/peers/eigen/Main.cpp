// SPDX-License-Identifier: Apache-2.0
/// The cases as expressions of Eigen. Eigen runs dense and row-major sparse products on several threads; cellwise
/// expressions are given to it in one block of cells per thread.
#include <cmath>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <omp.h>

#include "Peer.h"

namespace {

using Eigen::VectorXd;
using peer::Answer;
using peer::Arguments;
using peer::Buffer;
using peer::Graph;
using peer::Stopwatch;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Cells = Eigen::Map<Eigen::ArrayXd>;

template <typename T> using Sparse = Eigen::SparseMatrix<T, Eigen::RowMajor, int32_t>;

template <typename T> Sparse<T> makeSparse(const Graph &g) {
    auto n = static_cast<Eigen::Index>(g.numRows);
    Sparse<T> m(n, n);
    m.resizeNonZeros(static_cast<Eigen::Index>(g.columns.size()));
    std::copy(g.offsets.begin(), g.offsets.end(), m.outerIndexPtr());
    std::copy(g.columns.begin(), g.columns.end(), m.innerIndexPtr());
    std::fill_n(m.valuePtr(), g.columns.size(), T{1});
    return m;
}

Answer components(const Arguments &arguments) {
    auto g = makeSparse<int32_t>(peer::readGraph(arguments.text("graph")));
    Stopwatch watch;
    Eigen::VectorXi labels = Eigen::VectorXi::LinSpaced(g.rows(), 1, static_cast<int>(g.rows())), next(g.rows());
    int64_t changed = 1, iterations = 0;
    for (; changed > 0; ++iterations) {
#pragma omp parallel for schedule(dynamic, 2048)
        for (Eigen::Index v = 0; v < g.rows(); ++v) {
            int largest = labels[v];
            for (Sparse<int32_t>::InnerIterator entry(g, v); entry; ++entry)
                largest = std::max(largest, entry.value() * labels[entry.col()]);
            next[v] = largest;
        }
        changed = (next.array() != labels.array()).count();
        labels.swap(next);
    }
    double seconds = watch.seconds();
    int64_t components = 0;
    for (Eigen::Index v = 0; v < g.rows(); ++v)
        components += labels[v] == v + 1;
    return {seconds, {double(components), double(iterations), labels.cast<double>().sum()}};
}

Answer pagerank(const Arguments &arguments) {
    constexpr double kAlpha = 0.85;
    auto g = makeSparse<double>(peer::readGraph(arguments.text("graph")));
    size_t iterations = arguments.number("iterations");
    Stopwatch watch;
    auto n = double(g.rows());
    VectorXd degree = g * VectorXd::Ones(g.rows());
    VectorXd inverse = degree.cwiseMax(1).cwiseInverse(), rank = VectorXd::Constant(g.rows(), 1 / n);
    VectorXd stuck = (degree.array() == 0).cast<double>(), share;
    for (size_t i = 0; i < iterations; ++i) {
        double jump = (kAlpha * rank.dot(stuck) + 1 - kAlpha) / n;
        share = rank.cwiseProduct(inverse);
        rank.noalias() = g * share;
        rank = (kAlpha * rank.array() + jump).matrix();
    }
    return {watch.seconds(), {rank.sum(), rank.maxCoeff() * n, rank[0] * n}};
}

/// body(first cell, number of cells) for one block per thread; returns the sum of results.
template <typename Body> double overThreads(Eigen::Index cells, Body body) {
    double total = 0;
#pragma omp parallel reduction(+ : total)
    {
        Eigen::Index threads = omp_get_num_threads(), thread = omp_get_thread_num();
        Eigen::Index first = cells * thread / threads, last = cells * (thread + 1) / threads;
        total += body(first, last - first);
    }
    return total;
}

Answer cellsSum(const Arguments &arguments) {
    auto cells = static_cast<Eigen::Index>(arguments.number("rows") * arguments.number("cols"));
    Buffer<double> first = peer::uniform(cells, 0, 1, 1), second = peer::uniform(cells, 0, 1, 2);
    Buffer<double> third = peer::uniform(cells, -1, 1, 3);
    Cells x(first.data(), cells), y(second.data(), cells), z(third.data(), cells);
    double sum = 0;
    double seconds = peer::steadySeconds([&] {
        sum = overThreads(cells, [&](Eigen::Index begin, Eigen::Index count) {
            auto part = [&](const Cells &m) { return m.segment(begin, count); };
            return ((part(x) * 2 + part(y)) / (part(z).abs() + 1)).sum();
        });
    });
    return {seconds, {sum}};
}

Answer cellsMap(const Arguments &arguments) {
    auto cells = static_cast<Eigen::Index>(arguments.number("rows") * arguments.number("cols"));
    Buffer<double> first = peer::uniform(cells, 0, 1, 1), second = peer::uniform(cells, 0, 1, 2);
    Cells x(first.data(), cells), y(second.data(), cells);
    Buffer<double> memory(cells);
    Cells result(memory.data(), cells);
    double seconds = peer::steadySeconds([&] {
        overThreads(cells, [&](Eigen::Index begin, Eigen::Index count) {
            result.segment(begin, count) = ((-x.segment(begin, count).square()).exp() + y.segment(begin, count)).sqrt();
            return 0.0;
        });
    });
    return {seconds, {result[0], result.sum()}};
}

struct Problem {
    Buffer<double> cells;
    Eigen::Map<Matrix> x;
    VectorXd y;
    explicit Problem(const Arguments &arguments)
        : cells(peer::uniform(arguments.number("rows") * arguments.number("cols"), 0, 1, 7)),
          x(cells.data(), Eigen::Index(arguments.number("rows")), Eigen::Index(arguments.number("cols"))) {
        Buffer<double> truth = peer::uniform(x.cols(), -5, 5, 8), noise = peer::uniform(x.rows(), -0.1, 0.1, 9);
        y = x * Eigen::Map<VectorXd>(truth.data(), x.cols()) + Eigen::Map<VectorXd>(noise.data(), x.rows());
    }
};

constexpr double kRegularisation = 1e-6;

Answer regressionDirect(const Arguments &arguments) {
    Problem p(arguments);
    Stopwatch watch;
    Matrix a = Matrix::Zero(p.x.cols(), p.x.cols());
    if (Eigen::nbThreads() > 1)
        a.noalias() = p.x.transpose() * p.x; // on all threads, which the update of one triangle is not
    else
        a.selfadjointView<Eigen::Lower>().rankUpdate(p.x.transpose());
    a.diagonal().array() += kRegularisation;
    VectorXd beta = a.selfadjointView<Eigen::Lower>().ldlt().solve(p.x.transpose() * p.y);
    return {watch.seconds(), {beta[0], beta.sum()}};
}

Answer regressionCg(const Arguments &arguments) {
    Problem problem(arguments);
    size_t iterations = arguments.number("iterations");
    Stopwatch watch;
    VectorXd r = -(problem.x.transpose() * problem.y), p = -r, beta = VectorXd::Zero(r.size());
    double norm = r.squaredNorm();
    for (size_t i = 0; i < iterations; ++i) {
        VectorXd product = problem.x * p;
        VectorXd q = problem.x.transpose() * product + kRegularisation * p;
        double alpha = norm / p.dot(q), oldNorm = norm;
        beta += alpha * p;
        r += alpha * q;
        norm = r.squaredNorm();
        p = norm / oldNorm * p - r;
    }
    return {watch.seconds(), {beta[0], beta.sum()}};
}

Answer kmeans(const Arguments &arguments) {
    auto rows = Eigen::Index(arguments.number("rows")), dims = Eigen::Index(arguments.number("cols"));
    auto k = Eigen::Index(arguments.number("k"));
    size_t iterations = arguments.number("iterations");
    Buffer<double> memory = peer::uniform(size_t(rows * dims), 0, 1, 5);
    Eigen::Map<Matrix> x(memory.data(), rows, dims);
    Stopwatch watch;
    Matrix centroids = x.topRows(k), distances;
    auto measure = [&] {
        distances.noalias() = x * (-2 * centroids.transpose());
        distances.rowwise() += centroids.rowwise().squaredNorm().transpose();
    };
    for (size_t i = 0; i < iterations; ++i) {
        measure();
        Matrix sums = Matrix::Zero(k, dims);
        VectorXd counts = VectorXd::Zero(k);
        for (Eigen::Index row = 0; row < rows; ++row) {
            Eigen::Index nearest;
            distances.row(row).minCoeff(&nearest);
            sums.row(nearest) += x.row(row);
            ++counts[nearest];
        }
        centroids = sums.array().colwise() / counts.array();
    }
    double seconds = watch.seconds();
    measure();
    double squares = x.squaredNorm() + distances.rowwise().minCoeff().sum();
    return {seconds, {squares / double(rows), centroids.sum()}};
}

Answer nbody(const Arguments &arguments) {
    constexpr double kStep = 0.01, kSoftening = 0.1, kTotalMass = 20;
    auto n = Eigen::Index(arguments.number("particles"));
    size_t steps = arguments.number("steps");
    Buffer<double> positions = peer::uniform(size_t(2 * n), -1, 1, 42);
    Buffer<double> velocities = peer::uniform(size_t(2 * n), -0.5, 0.5, 43);
    Stopwatch watch;
    Eigen::ArrayX2d pos = Eigen::Map<Matrix>(positions.data(), n, 2), vel = Eigen::Map<Matrix>(velocities.data(), n, 2);
    Eigen::ArrayX2d acc(n, 2);
    double mass = kTotalMass / double(n);
    auto accelerate = [&] {
#pragma omp parallel for schedule(static)
        for (Eigen::Index i = 0; i < n; ++i) {
            Eigen::ArrayXd dx = pos.col(0) - pos(i, 0), dy = pos.col(1) - pos(i, 1);
            Eigen::ArrayXd square = dx.square() + dy.square() + kSoftening * kSoftening;
            Eigen::ArrayXd inverseCube = (square * square.sqrt()).inverse();
            acc(i, 0) = mass * (dx * inverseCube).sum();
            acc(i, 1) = mass * (dy * inverseCube).sum();
        }
    };
    accelerate();
    for (size_t step = 0; step < steps; ++step) {
        vel += acc * (kStep / 2);
        pos += vel * kStep;
        accelerate();
        vel += acc * (kStep / 2);
    }
    return {watch.seconds(), {0.5 * mass * vel.square().sum(), pos(0, 0), pos(0, 1)}};
}

} // namespace

int main(int argc, char **argv) {
    return peer::runCase(argc, argv,
                         {{"components", components},
                          {"pagerank", pagerank},
                          {"cells-sum", cellsSum},
                          {"cells-map", cellsMap},
                          {"regression-direct", regressionDirect},
                          {"regression-cg", regressionCg},
                          {"kmeans", kmeans},
                          {"nbody", nbody}});
}
