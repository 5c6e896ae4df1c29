#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dense cases with NumPy, written as one writes NumPy. Products run on the threads of its BLAS."""

import numpy as np

import inputs

REGULARISATION = 1e-6


def cells_sum(arguments):
    x, y, z = inputs.cells(arguments, 3)
    return lambda: ((x * 2 + y) / (np.abs(z) + 1)).sum(), lambda total: [total]


def cells_map(arguments):
    x, y = inputs.cells(arguments, 2)
    return lambda: np.sqrt(np.exp(-x**2) + y), lambda result: [result[0, 0], result.sum()]


def regression_direct(arguments):
    x, y = inputs.regression(arguments)
    compute = lambda: np.linalg.solve(x.T @ x + REGULARISATION * np.eye(x.shape[1]), x.T @ y)
    return compute, lambda beta: [beta[0], beta.sum()]


def regression_cg(arguments):
    x, y = inputs.regression(arguments)

    def compute():
        r = -(x.T @ y)
        p, beta, norm = -r, np.zeros(x.shape[1]), r @ r
        for _ in range(int(arguments['iterations'])):
            q = x.T @ (x @ p) + REGULARISATION * p
            alpha = norm / (p @ q)
            beta += alpha * p
            r += alpha * q
            norm, old = r @ r, norm
            p = norm / old * p - r
        return beta

    return compute, lambda beta: [beta[0], beta.sum()]


def kmeans(arguments):
    x, k = inputs.points(arguments), int(arguments['k'])

    def compute():
        centroids = x[:k].copy()
        for _ in range(int(arguments['iterations'])):
            distances = (centroids**2).sum(axis=1) - 2 * (x @ centroids.T)
            nearest = distances.argmin(axis=1)
            counts = np.bincount(nearest, minlength=k)
            for d in range(x.shape[1]):
                centroids[:, d] = np.bincount(nearest, weights=x[:, d], minlength=k) / counts
        return centroids

    return compute, lambda centroids: inputs.summarise_clusters(x, centroids)


def nbody(arguments, dt=0.01, softening=0.1):
    start, velocity, mass = inputs.particles(arguments)
    masses = np.full(len(start), mass)

    def acceleration(pos):
        dx = pos[:, 0] - pos[:, :1]
        dy = pos[:, 1] - pos[:, 1:]
        inverse_cube = (dx**2 + dy**2 + softening**2)**-1.5
        return np.stack([(dx * inverse_cube) @ masses, (dy * inverse_cube) @ masses], axis=1)

    def compute():
        pos, vel = start, velocity
        acc = acceleration(pos)
        for _ in range(int(arguments['steps'])):
            vel = vel + acc * (dt / 2)
            pos = pos + vel * dt
            acc = acceleration(pos)
            vel = vel + acc * (dt / 2)
        return pos, vel

    return compute, lambda state: [0.5 * mass * (state[1]**2).sum(), *state[0][0]]


if __name__ == '__main__':
    inputs.main({'cells-sum': cells_sum, 'cells-map': cells_map, 'regression-direct': regression_direct,
                 'regression-cg': regression_cg, 'kmeans': kmeans, 'nbody': nbody})
