#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cases as parallel loops compiled by Numba. Every case runs once on a tiny input before the clock starts, so that
compilation is not counted."""

import math

import numba
import numpy as np

import inputs

compiled = numba.njit(parallel=True, fastmath=True, cache=True)


@compiled
def propagate(offsets, columns):
    n = len(offsets) - 1
    labels = np.arange(1, n + 1).astype(np.int32)
    following = np.empty_like(labels)
    iterations, changed = 0, 1
    while changed > 0:
        changed = 0
        for v in numba.prange(n):
            largest = labels[v]
            for k in range(offsets[v], offsets[v + 1]):
                largest = max(largest, labels[columns[k]])
            following[v] = largest
            if largest != labels[v]:
                changed += 1
        labels, following = following, labels
        iterations += 1
    return labels, iterations


def components(arguments):
    offsets, columns = inputs.graph(arguments['graph'])
    propagate(offsets[:2] * 0, columns[:1])
    return lambda: propagate(offsets, columns), lambda value: inputs.summarise_components(*value)


@compiled
def rank_vertices(offsets, columns, iterations, alpha):
    n = len(offsets) - 1
    rank, share, following, inverse = np.full(n, 1.0 / n), np.empty(n), np.empty(n), np.empty(n)
    stuck = 0.0
    for v in numba.prange(n):
        degree = offsets[v + 1] - offsets[v]
        inverse[v] = 1.0 / degree if degree > 0 else 0.0
        share[v] = rank[v] * inverse[v]
        if degree == 0:
            stuck += rank[v]
    for _ in range(iterations):
        jump = (alpha * stuck + 1.0 - alpha) / n
        stuck = 0.0
        for v in numba.prange(n):
            gathered = 0.0
            for k in range(offsets[v], offsets[v + 1]):
                gathered += share[columns[k]]
            rank[v] = alpha * gathered + jump
            following[v] = rank[v] * inverse[v]
            if inverse[v] == 0.0:
                stuck += rank[v]
        share, following = following, share
    return rank


def pagerank(arguments):
    offsets, columns = inputs.graph(arguments['graph'])
    rank_vertices(offsets[:2] * 0, columns[:1], 1, 0.85)
    return lambda: rank_vertices(offsets, columns, int(arguments['iterations']), 0.85), inputs.summarise_rank


@compiled
def sum_cells(x, y, z):
    total = 0.0
    for i in numba.prange(len(x)):
        total += (x[i] * 2.0 + y[i]) / (abs(z[i]) + 1.0)
    return total


def cells_sum(arguments):
    x, y, z = (matrix.ravel() for matrix in inputs.cells(arguments, 3))
    sum_cells(x[:8], y[:8], z[:8])
    return lambda: sum_cells(x, y, z), lambda total: [total]


@compiled
def map_cells(x, y):
    result = np.empty(len(x))
    for i in numba.prange(len(x)):
        result[i] = math.sqrt(math.exp(-(x[i] * x[i])) + y[i])
    return result


def cells_map(arguments):
    x, y = (matrix.ravel() for matrix in inputs.cells(arguments, 2))
    map_cells(x[:8], y[:8])
    return lambda: map_cells(x, y), lambda result: [result[0], result.sum()]


@compiled
def normal_product(x, p, parts):
    """t(X) @ (X @ p) in one pass, one accumulator per part."""
    rows, cols = x.shape
    sums = np.zeros((parts, cols))
    for part in numba.prange(parts):
        own = np.zeros(cols)
        for i in range(rows * part // parts, rows * (part + 1) // parts):
            dot = 0.0
            for j in range(cols):
                dot += x[i, j] * p[j]
            for j in range(cols):
                own[j] += dot * x[i, j]
        sums[part] = own
    return sums.sum(axis=0)


def regression_cg(arguments, regularisation=1e-6):
    x, y = inputs.regression(arguments)
    parts = numba.get_num_threads()
    normal_product(x[:8], np.zeros(x.shape[1]), parts)

    def compute():
        r = -(x.T @ y)
        p, beta, norm = -r, np.zeros(x.shape[1]), r @ r
        for _ in range(int(arguments['iterations'])):
            q = normal_product(x, p, parts) + regularisation * p
            alpha = norm / (p @ q)
            beta += alpha * p
            r += alpha * q
            norm, old = r @ r, norm
            p = norm / old * p - r
        return beta

    return compute, lambda beta: [beta[0], beta.sum()]


@compiled
def cluster(x, k, iterations, parts):
    rows, dims = x.shape
    centroids = x[:k].copy()
    for _ in range(iterations):
        sums, counts = np.zeros((parts, k, dims)), np.zeros((parts, k))
        for part in numba.prange(parts):
            own_sums, own_counts = np.zeros((k, dims)), np.zeros(k)
            for i in range(rows * part // parts, rows * (part + 1) // parts):
                nearest, smallest = 0, np.inf
                for c in range(k):
                    distance = 0.0
                    for d in range(dims):
                        difference = x[i, d] - centroids[c, d]
                        distance += difference * difference
                    if distance < smallest:
                        nearest, smallest = c, distance
                own_counts[nearest] += 1.0
                for d in range(dims):
                    own_sums[nearest, d] += x[i, d]
            sums[part] = own_sums
            counts[part] = own_counts
        totals, sizes = sums.sum(axis=0), counts.sum(axis=0)
        for c in range(k):
            centroids[c] = totals[c] / sizes[c]
    return centroids


def kmeans(arguments):
    x, k, parts = inputs.points(arguments), int(arguments['k']), numba.get_num_threads()
    cluster(x[:k].copy(), k, 1, parts)
    return (lambda: cluster(x, k, int(arguments['iterations']), parts),
            lambda centroids: inputs.summarise_clusters(x, centroids))


@compiled
def accelerate(x, y, mass, softening):
    n = len(x)
    acc = np.empty((n, 2))
    for i in numba.prange(n):
        sum_x, sum_y = 0.0, 0.0
        for j in range(n):
            dx, dy = x[j] - x[i], y[j] - y[i]
            square = dx * dx + dy * dy + softening * softening
            inverse_cube = 1.0 / (square * math.sqrt(square))
            sum_x += dx * inverse_cube
            sum_y += dy * inverse_cube
        acc[i, 0] = mass * sum_x
        acc[i, 1] = mass * sum_y
    return acc


def nbody(arguments, dt=0.01, softening=0.1):
    start, velocity, mass = inputs.particles(arguments)

    def acceleration(pos):
        return accelerate(pos[:, 0].copy(), pos[:, 1].copy(), mass, softening)

    def compute(steps=int(arguments['steps'])):
        pos, vel = start, velocity
        acc = acceleration(pos)
        for _ in range(steps):
            vel = vel + acc * (dt / 2)
            pos = pos + vel * dt
            acc = acceleration(pos)
            vel = vel + acc * (dt / 2)
        return pos, vel

    acceleration(start[:8])
    return compute, lambda state: [0.5 * mass * (state[1]**2).sum(), *state[0][0]]


if __name__ == '__main__':
    inputs.main({'components': components, 'pagerank': pagerank, 'cells-sum': cells_sum, 'cells-map': cells_map,
                 'regression-cg': regression_cg, 'kmeans': kmeans, 'nbody': nbody})
