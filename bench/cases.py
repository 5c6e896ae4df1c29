# SPDX-License-Identifier: Apache-2.0
"""The cases of `make bench`: sizes, peers, limits, and the work each one does (for the roofline).

A case is a script in scripts/ that prints its results and marks the computing part with now(); peers take the same
arguments and compute the same from the same inputs.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Graph:
    """Arguments of graphs/PowerLaw.cpp."""
    rows: int
    entries: int
    deviation: int
    longest: int
    order: str = 'shuffled'

    @property
    def file(self):
        return f'graph-{self.rows}-{self.entries}-{self.order}'


@dataclass(frozen=True)
class Limit:
    """Ours takes at most `factor` times the time of a peer; 'best' is the fastest one."""
    peer: str
    factor: float


@dataclass(frozen=True)
class Work:
    """What has to be done at least: bytes from memory and floating-point operations."""
    bytes: float
    flops: float


@dataclass(frozen=True)
class Case:
    name: str
    algorithm: str  # the script and the name peers know
    title: str
    full: dict
    quick: dict
    peers: tuple
    limits: tuple
    work: object = field(compare=False)  # function of arguments and results


# Pages of an encyclopedia and their links, by the moments of their rows; and a smaller graph of purchases.
LARGE = Graph(1_634_989, 19_753_078, 31, 5_000)
MEDIUM = Graph(403_394, 3_387_388, 15, 2_750)
SMALL = Graph(32_700, 395_062, 31, 5_000)

GRAPH_PEERS = ('loops', 'eigen', 'graphblas', 'scipy', 'numba')
DENSE_PEERS = ('loops', 'fastmath', 'eigen', 'numpy', 'numba')


def graph_work(bytes_per_row):
    """Columns of 4 bytes once per iteration; the gathered vector counts once, as if the cache held it."""
    def work(arguments, iterations):
        graph = arguments['graph']
        return Work(iterations * (4 * graph.entries + bytes_per_row * graph.rows), iterations * graph.entries)
    return work


def components_work(arguments, results):
    return graph_work(8 + 3 * 4)(arguments, results[1])


def pagerank_work(arguments, results):
    return graph_work(8 + 5 * 8)(arguments, arguments['iterations'])


def cells(arguments):
    return arguments['rows'] * arguments['cols']


CASES = [
    Case('components', 'components', 'connected components to convergence',
         {'graph': LARGE}, {'graph': SMALL}, GRAPH_PEERS,
         (Limit('loops', 1.25), *(Limit(peer, 1.0) for peer in GRAPH_PEERS[1:])), components_work),
    Case('pagerank', 'pagerank', 'PageRank, 50 iterations',
         {'graph': LARGE, 'iterations': 50}, {'graph': SMALL, 'iterations': 50}, GRAPH_PEERS,
         (Limit('loops', 1.25), *(Limit(peer, 1.0) for peer in GRAPH_PEERS[1:])), pagerank_work),
    Case('components-medium', 'components', 'connected components, 3.4 million entries',
         {'graph': MEDIUM}, {'graph': SMALL}, GRAPH_PEERS,
         (Limit('loops', 1.25), *(Limit(peer, 1.0) for peer in GRAPH_PEERS[1:])), components_work),
    Case('cells-sum', 'cells-sum', 'sum((X*2+Y)/(abs(Z)+1)), 50 million cells',
         {'rows': 50_000, 'cols': 1_000}, {'rows': 1_000, 'cols': 1_000}, DENSE_PEERS,
         (Limit('loops', 1.15), Limit('numpy', 1 / 3)),
         lambda a, r: Work(24 * cells(a), 6 * cells(a))),
    Case('cells-map', 'cells-map', 'sqrt(exp(-(X^2))+Y), 50 million cells',
         {'rows': 50_000, 'cols': 1_000}, {'rows': 1_000, 'cols': 1_000}, DENSE_PEERS,
         (Limit('loops', 1.15), Limit('numpy', 1 / 3)),
         lambda a, r: Work(24 * cells(a), 20 * cells(a))),  # an exponential is about 16 operations
    Case('regression-direct', 'regression-direct', 'linear regression, normal equations, 1 million x 100',
         {'rows': 1_000_000, 'cols': 100}, {'rows': 20_000, 'cols': 100}, ('loops', 'eigen', 'numpy'),
         (Limit('best', 1.2),),
         lambda a, r: Work(8 * cells(a), cells(a) * (a['cols'] + 3))),
    Case('regression-cg', 'regression-cg', 'linear regression, conjugate gradients, 1 million x 100, 10 iterations',
         {'rows': 1_000_000, 'cols': 100, 'iterations': 10}, {'rows': 20_000, 'cols': 100, 'iterations': 10},
         DENSE_PEERS, (Limit('best', 1.2),),
         lambda a, r: Work(8 * cells(a) * (a['iterations'] + 1), 4 * cells(a) * a['iterations'] + 2 * cells(a))),
    Case('kmeans', 'kmeans', 'k-means, 1 million x 20, k = 10, 10 iterations',
         {'rows': 1_000_000, 'cols': 20, 'k': 10, 'iterations': 10},
         {'rows': 20_000, 'cols': 20, 'k': 10, 'iterations': 10}, DENSE_PEERS, (Limit('best', 1.2),),
         lambda a, r: Work(8 * cells(a) * a['iterations'], a['iterations'] * cells(a) * (2 * a['k'] + 1))),
    Case('nbody', 'nbody', 'n-body, 5 000 particles, 3 steps',
         {'particles': 5_000, 'steps': 3}, {'particles': 700, 'steps': 3}, DENSE_PEERS, (Limit('loops', 1.5),),
         lambda a, r: Work((a['steps'] + 1) * a['particles'] * 48, (a['steps'] + 1) * a['particles']**2 * 14)),
]
