# SPDX-License-Identifier: Apache-2.0
"""What the Python peers share: inputs equal to those of the scripts, and the form of call and answer (see Peer.h).

A peer is a module with a dictionary of cases; a case takes the arguments and returns a function without arguments to be
timed, and a function that turns its value into the numbers to compare.
"""

import json
import math
import sys
import time

import numpy as np

RAW_PER_CALL = 1 << 22  # bounds the memory for raw random numbers


def uniform(rows, cols, low, high, seed):
    """What rand(rows, cols, low, high, 1.0, seed) of the language gives."""
    generator = np.random.MT19937()
    generator._legacy_seeding(seed)  # as in the C++ standard
    cells = np.empty(rows * cols)
    for first in range(0, len(cells), RAW_PER_CALL):
        count = min(RAW_PER_CALL, len(cells) - first)
        raw = generator.random_raw(2 * count).astype(np.float64)
        u = (raw[0::2] + raw[1::2] * 2.0**32) / 2.0**64
        cells[first:first + count] = u * (high - low) + low
    return cells.reshape(rows, cols)


def graph(path):
    """Row offsets (64 bits) and columns (32 bits) of a file of graphs/PowerLaw.cpp."""
    with open(path, 'rb') as file:
        rows, entries = np.fromfile(file, np.uint64, 2)
        offsets = np.fromfile(file, np.int64, int(rows) + 1)
        columns = np.fromfile(file, np.int32, int(entries))
    return offsets, columns


def cells(arguments, count):
    """The first `count` of three matrices."""
    rows, cols = int(arguments['rows']), int(arguments['cols'])
    return [uniform(rows, cols, low, 1, seed) for low, seed in ((0, 1), (0, 2), (-1, 3))[:count]]


def regression(arguments):
    rows, cols = int(arguments['rows']), int(arguments['cols'])
    x = uniform(rows, cols, 0, 1, 7)
    return x, (x @ uniform(cols, 1, -5, 5, 8) + uniform(rows, 1, -0.1, 0.1, 9)).ravel()


def points(arguments):
    return uniform(int(arguments['rows']), int(arguments['cols']), 0, 1, 5)


def particles(arguments):
    n = int(arguments['particles'])
    return uniform(n, 2, -1, 1, 42), uniform(n, 2, -0.5, 0.5, 43), 20.0 / n


def summarise_components(labels, iterations):
    return [np.count_nonzero(labels == np.arange(1, len(labels) + 1)), iterations, labels.sum(dtype=np.int64)]


def summarise_rank(rank):
    return [rank.sum(), rank.max() * len(rank), rank[0] * len(rank)]


def summarise_clusters(x, centroids):
    squares = (centroids**2).sum(axis=1) - 2 * (x @ centroids.T)
    return [((x**2).sum() + squares.min(axis=1).sum()) / len(x), centroids.sum()]


def main(cases):
    """Runs the case of the command line: `name key=value...`."""
    name, arguments = sys.argv[1], dict(word.split('=', 1) for word in sys.argv[2:])
    compute, summarise = cases[name](arguments)
    seconds = math.inf
    for _ in range(4 if name.startswith('cells') else 1):  # as peer::steadySeconds does
        value = None
        start = time.perf_counter()
        value = compute()
        seconds = min(seconds, time.perf_counter() - start)
    print(json.dumps({'seconds': seconds, 'result': [float(number) for number in summarise(value)]}))
