#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The graph cases with SciPy: sparse products where there is one, segments of a gathered vector where there is not."""

import numpy as np
import scipy.sparse

import inputs


def components(arguments):
    """The largest label of a row by reduceat, which needs rows without entries to be left out."""
    offsets, columns = inputs.graph(arguments['graph'])
    filled = np.flatnonzero(np.diff(offsets))
    starts = offsets[filled]

    def compute():
        labels = np.arange(1, len(offsets), dtype=np.int32)
        iterations, changed = 0, 1
        while changed:
            following = labels.copy()
            following[filled] = np.maximum(np.maximum.reduceat(labels[columns], starts), labels[filled])
            changed = np.count_nonzero(following != labels)
            labels = following
            iterations += 1
        return labels, iterations

    return compute, lambda value: inputs.summarise_components(*value)


def pagerank(arguments, alpha=0.85):
    offsets, columns = inputs.graph(arguments['graph'])
    n = len(offsets) - 1
    graph = scipy.sparse.csr_matrix((np.ones(len(columns)), columns, offsets.astype(np.int32)), shape=(n, n))

    def compute():
        degree = np.diff(graph.indptr)
        share = 1.0 / np.maximum(degree, 1)
        stuck = (degree == 0).astype(np.float64)
        rank = np.full(n, 1.0 / n)
        for _ in range(int(arguments['iterations'])):
            jump = (alpha * (rank @ stuck) + 1 - alpha) / n
            rank = alpha * (graph @ (rank * share)) + jump
        return rank

    return compute, inputs.summarise_rank


if __name__ == '__main__':
    inputs.main({'components': components, 'pagerank': pagerank})
