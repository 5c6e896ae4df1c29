#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes expected/*.txt: what the scripts of examples/ must print, computed by NumPy and by algorithms other than theirs
(union-find, least squares by QR, sums over pairs, sets of neighbours). Run by hand when an example changes; needs NumPy.
"""

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def rand(rows, cols, low, high, seed):
    """The language's seeded dense generator: two 32-bit outputs of the Mersenne Twister per cell."""
    generator = np.random.MT19937()
    generator._legacy_seeding(seed)  # init_genrand, as in the C++ standard; seed() of NumPy hashes first
    raw = generator.random_raw(2 * rows * cols).astype(np.float64).reshape(-1, 2)
    u = np.minimum((raw[:, 0] + raw[:, 1] * 2.0**32) / 2.0**64, np.nextafter(1.0, 0.0))
    return (u * (high - low) + low).reshape(rows, cols)


def show(matrix):
    """A matrix as print shows it."""
    matrix = np.atleast_2d(matrix)
    lines = [f'DenseMatrix({matrix.shape[0]}x{matrix.shape[1]}, double)']
    return lines + [' '.join(f'{cell:g}' for cell in row) for row in matrix]


def neighbours():
    lines = [line for line in (ROOT / 'data' / 'ca-GrQc.mtx').read_text().splitlines() if not line.startswith('%')]
    n = int(lines[0].split()[0])
    around = [set() for _ in range(n)]
    for line in lines[1:]:
        i, j = (int(word) - 1 for word in line.split()[:2])
        around[i].add(j)
        around[j].add(i)
    return around


def component_labels(around):
    """The largest number (from 1) in each vertex's component, by union-find."""
    parent = list(range(len(around)))

    def find(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for v, others in enumerate(around):
        for w in others:
            a, b = find(v), find(w)
            parent[min(a, b)] = max(a, b)
    return np.array([find(v) + 1 for v in range(len(around))])


def propagation_rounds(around, labels):
    """Rounds until every vertex knows its label, and one more to notice: the longest distance to the labelled vertex."""
    distance = {label - 1: 0 for label in labels}
    frontier = list(distance)
    rounds = 0
    while frontier:
        rounds += 1
        reached = {w for v in frontier for w in around[v] if w not in distance}
        distance.update((w, rounds) for w in reached)
        frontier = list(reached)
    return rounds


def components():
    around = neighbours()
    labels = component_labels(around)
    sizes = np.bincount(labels)
    return [f'vertices:          {len(around)}', f'components:        {np.count_nonzero(sizes)}',
            f'largest component: {sizes.max()} vertices', f'iterations:        {propagation_rounds(around, labels)}']


def cc():
    around = neighbours()
    labels = component_labels(around)
    return [f'components: {len(set(labels))}', f'iterations: {propagation_rounds(around, labels)}',
            'labels of the first five vertices:', *show(labels[:5].astype(float))]


def matrix_addition():
    m1, m2 = rand(2000, 2000, 0, 1000, 1)[:4, :4], rand(2000, 2000, 0, 1000, 2)[:4, :4]
    return ['part of random matrix m1', *show(m1), 'part of random matrix m2', *show(m2), 'm3 = m1 + m2', *show(m1 + m2)]


def nbody(n=100, steps=100, dt=0.01, softening=0.1):
    """Forces pair by pair, each counted once for both particles."""
    pos, vel = rand(n, 2, -1, 1, 42), rand(n, 2, -0.5, 0.5, 43)
    mass = 20.0 / n
    vel -= vel.mean(axis=0)

    def acceleration():
        acc = np.zeros((n, 2))
        for i in range(n - 1):
            away = pos[i + 1:] - pos[i]
            pull = mass * away / ((away**2).sum(axis=1) + softening**2)[:, None]**1.5
            acc[i] += pull.sum(axis=0)
            acc[i + 1:] -= pull
        return acc

    acc = acceleration()
    for _ in range(steps):
        vel += acc * dt / 2
        pos += vel * dt
        acc = acceleration()
        vel += acc * dt / 2
    assert abs(mass * vel.sum(axis=0)).max() < 1e-9
    return [f'particles: {n}, steps: {steps}', f'kinetic energy: {0.5 * mass * (vel**2).sum():f}',
            'momentum zero to 1e-9: yes', 'particle 0:', *show(pos[0])]


def pagerank(alpha=0.85, iterations=50):
    """Every vertex hands its rank on, one neighbour at a time."""
    around = neighbours()
    n = len(around)
    p = [1.0 / n] * n
    for _ in range(iterations):
        jump = (1 - alpha + alpha * sum(p[v] for v in range(n) if not around[v])) / n
        received = [0.0] * n
        for v, others in enumerate(around):
            for w in others:
                received[w] += p[v] / len(others)
        p = [alpha * rank + jump for rank in received]
    best = sorted(range(n), key=lambda v: -p[v])[:5]
    return [f'vertices: {n}, total rank: {sum(p):f}', 'the five highest (vertex, rank in thousandths):',
            *show([[v, 1000 * p[v]] for v in best])]


def regression():
    X, truth = rand(10000, 20, 0, 1, 7), rand(20, 1, -5, 5, 8)
    y = X @ truth + rand(10000, 1, -0.1, 0.1, 9)
    tall = np.vstack([X, np.sqrt(1e-6) * np.eye(20)])  # the regularisation as further rows
    beta = np.linalg.lstsq(tall, np.vstack([y, np.zeros((20, 1))]), rcond=None)[0]
    residual = y - X @ beta
    return [f'largest error of a coefficient: {abs(beta - truth).max():f}',
            f'mean squared residual:          {(residual**2).mean():f}', 'first coefficients:', *show(beta[:5].T)]


def linreg_cg():
    """The spectrum is one large eigenvalue and a narrow band, so few steps do. Only their number is taken from the script."""
    return ['iterations:                     8', *regression()]


def kmeans(n=20000, dims=4, k=5, iterations=20):
    corner, noise = rand(k, dims, 0, 10, 3), rand(n, dims, -0.5, 0.5, 4)
    X = corner[np.arange(n) % k] + noise
    C = X[:k].copy()
    for _ in range(iterations):
        nearest = ((X[:, None, :] - C[None, :, :])**2).sum(axis=2).argmin(axis=1)
        C = np.array([X[nearest == c].mean(axis=0) for c in range(k)])
    distance = ((X[:, None, :] - C[None, :, :])**2).sum(axis=2).min(axis=1)
    return [f'points: {n}, clusters: {k}', f'mean squared distance to the centroid: {distance.mean():f}', 'centroids:', *show(C)]


def kmeans_distributed(n=20000, dims=8, k=6, rounds=30):
    corner, noise = rand(k, dims, 0, 4, 3), rand(n, dims, -2, 2, 4)
    X = corner[np.arange(n) % k] + noise
    C, done, moved = X[:k].copy(), 0, np.inf
    while done < rounds and moved > 1e-6:
        nearest = ((X[:, None, :] - C[None, :, :])**2).sum(axis=2).argmin(axis=1)
        before, C = C, np.array([X[nearest == c].mean(axis=0) for c in range(k)])
        moved = abs(C - before).max()
        done += 1
    distance = ((X[:, None, :] - C[None, :, :])**2).sum(axis=2).min(axis=1)
    away = np.sqrt(((C - corner)**2).sum(axis=1))
    return [f'points: {n}, clusters: {k}, rounds: {done}', f'mean squared distance to the centroid: {distance.mean():f}',
            f'mean distance of a centroid from the middle of its cloud: {away.mean():f}']


def sales():
    def table(name):
        lines = (ROOT / 'data' / f'{name}.csv').read_text().splitlines()
        return [dict(zip(lines[0].split(','), line.split(','))) for line in lines[1:]]
    customers = {c['id']: c for c in table('customers')}
    orders = [o for o in table('orders')
              if customers[o['customer']]['region'] != 'west' and '2024-01-01' <= o['day'] <= '2024-09-30']
    segments = sorted({customers[o['customer']]['segment'] for o in orders})
    x = np.array([[customers[o['customer']]['segment'] == s for s in segments]
                  + [float(o['quantity']), float(o['discount'])] for o in orders], dtype=float)
    y = np.array([float(o['amount']) for o in orders])
    beta = np.linalg.lstsq(x, y, rcond=None)[0]
    return ([f'{len(orders)} orders', f'mean squared residual: {np.mean((y - x @ beta) ** 2):f}',
             f'DenseMatrix({len(segments)}x1, std::string)'] + segments + show(beta))


def main():
    pages = {'components': components, 'cc': cc, 'matrix_addition': matrix_addition, 'nbody': nbody,
             'pagerank': pagerank, 'linreg-direct': regression, 'linreg-cg': linreg_cg, 'kmeans': kmeans,
             'kmeans-distributed': kmeans_distributed,
             'sales': sales}
    for name, compute in pages.items():
        (HERE / 'expected' / f'{name}.txt').write_text('\n'.join(compute()) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
