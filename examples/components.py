# SPDX-License-Identifier: Apache-2.0
"""Connected components of an undirected graph by label propagation: examples/components.daph from Python.

    python3 examples/components.py data/ca-GrQc.mtx

The loop is traced once and runs as one program in the engine; only the labels come back, as a NumPy array.
"""

import sys

import numpy as np

try:
    import daphne as dp
except ModuleNotFoundError:  # not installed: the package of this tree
    sys.path.insert(0, f'{sys.path[0]}/../python')
    import daphne as dp

dc = dp.DaphneContext()
G = dc.readMatrix(sys.argv[1]).asType('si32')
ids = dc.from_numpy(np.arange(1, G.nrow().compute() + 1, dtype=np.int32))


def spread(labels, changed):
    """Every vertex takes the largest label among its neighbours and itself."""
    new = (G * labels.t()).aggMax(0).max(labels)
    return new, (new != labels).sum()


labels, _ = dc.while_loop([ids, dc.scalar(1)], lambda labels, changed: changed > 0, spread)
c = labels.compute()
roots, sizes = np.unique(c, return_counts=True)
print(f'vertices:          {c.size}')
print(f'components:        {roots.size}')
print(f'largest component: {sizes.max()} vertices')
