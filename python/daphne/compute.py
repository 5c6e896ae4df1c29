# SPDX-License-Identifier: Apache-2.0
"""`compute`: several nodes as one program, and results as objects of Python."""
from __future__ import annotations

import time
from typing import Any, Dict, List, Optional, Sequence

from . import _compute
from ._convert.results import Wanted, converted
from ._graph.step import MULTI, NONE
from ._options import options as defaults
from .operator.operation_node import OperationNode

_TRANSFERS = ('shared memory', 'files')


def compute(*nodes: OperationNode, **options: Any) -> tuple:
    """The results of several nodes, computed by one program: what they share is computed once."""
    return tuple(compute_nodes(nodes, **options))


def compute_nodes(nodes: Sequence[Any], type: str = 'shared memory', verbose: bool = False, asTensorFlow: bool = False,
                  asPyTorch: bool = False, shape: Optional[Sequence[int]] = None, useIndexColumn: bool = False,
                  config: Optional[Dict[str, Any]] = None, args: Optional[Sequence[str]] = None, profile: bool = False,
                  progress: Any = None, sparse: Any = 'auto', as_: Optional[str] = None, copy: bool = False,
                  timeout: Optional[float] = None) -> List[Any]:
    """One result per node."""
    begin = time.perf_counter()
    if type not in _TRANSFERS:
        raise ValueError(f'type is "shared memory" or "files", not {type!r}')
    if asTensorFlow and asPyTorch:
        raise ValueError('asTensorFlow and asPyTorch exclude each other')
    for node in nodes:
        if not isinstance(node, OperationNode):
            raise TypeError(f'compute takes nodes, not {node!r}')
        if node._step.kind == MULTI:
            raise NotImplementedError(f'{node.operation} has several results; compute those')
    if not nodes:
        return []
    context = nodes[0].daphne_context
    wanted = Wanted(type, asTensorFlow, asPyTorch, tuple(shape) if shape is not None else None, useIndexColumn,
                    _is_sparse(sparse, context), as_, copy)
    steps = [node._step for node in nodes]
    outcome = _compute.compute(steps, context._settings(config, args), timeout=timeout)
    values = iter(outcome.values)
    start = time.perf_counter()
    results = [None if step.kind == NONE else converted(next(values), step, wanted) for step in steps]
    if verbose:
        seconds = {**outcome.seconds, 'converting': time.perf_counter() - start, 'whole': time.perf_counter() - begin}
        print('\n'.join(f'{name}: {time_:.6f} s' for name, time_ in seconds.items()))
    return results


def _is_sparse(sparse: Any, context: Any) -> bool:
    if sparse == 'auto':
        return bool(getattr(context, 'sparse_results', None) or defaults.sparse_results)
    if not isinstance(sparse, bool):
        raise ValueError(f'sparse is True, False or "auto", not {sparse!r}')
    return sparse
