# SPDX-License-Identifier: Apache-2.0
"""`compute`: several nodes as one program, and results as objects of Python."""
from __future__ import annotations

import json
import time
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from . import _compute
from ._convert.bindings import binding_of_value
from ._convert.files import private_file, read_frame, read_matrix, remove
from ._convert.results import FORMS, Wanted, converted, in_form
from ._graph.literals import quoted
from ._graph.step import FRAME, MATRIX, MULTI, NONE, Step
from ._options import options as defaults
from ._progress import listener_for
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
    for node in nodes:
        if not isinstance(node, OperationNode):
            raise TypeError(f'compute takes nodes, not {node!r}')
        if node._step.kind == MULTI:
            raise NotImplementedError(f'{node.operation} has several results; compute those')
    if not nodes:
        return []
    context = nodes[0].daphne_context
    wanted = Wanted(_form(as_, asTensorFlow, asPyTorch), tuple(shape) if shape is not None else None, useIndexColumn,
                    _is_sparse(sparse, context), copy)
    steps = [node._step for node in nodes]
    files: Dict[int, str] = {}
    if type == 'files':
        steps, files = _through_files(steps)
    settings = context._settings(config, args)
    listener = listener_for(progress, defaults.progress)
    try:
        outcome = _compute.compute(steps, settings, timeout=timeout, progress=listener)
        start = time.perf_counter()
        values = iter(outcome.values)
        results = [_from_file(files[i], node._step, wanted) if i in files else
                   None if step.kind == NONE else converted(next(values), step, wanted)
                   for i, (node, step) in enumerate(zip(nodes, steps))]
        results = [one.reshape(-1) if node._is_vector and isinstance(one, np.ndarray) and shape is None else one
                   for node, one in zip(nodes, results)]
    finally:
        if listener is not None:
            listener.close()
        for path in files.values():
            remove(path)
    seconds = {**outcome.seconds, 'converting': time.perf_counter() - start, 'whole': time.perf_counter() - begin}
    if profile:
        for node in nodes:
            node.last_profile = {**json.loads(outcome.profile), 'python': seconds}
    if verbose:
        print('\n'.join(f'{name}: {one:.6f} s' for name, one in seconds.items()))
    return results


def persisted(nodes: Sequence[Any], config: Optional[Dict[str, Any]] = None, args: Optional[Sequence[str]] = None,
              timeout: Optional[float] = None) -> List[Any]:
    """Nodes for the results, which stay in the engine."""
    context = nodes[0].daphne_context
    for node in nodes:
        if node._step.kind in (MULTI, NONE):
            raise TypeError(f'{node.operation} has no value that could stay in the engine')
    outcome = _compute.compute([node._step for node in nodes], context._settings(config, args), timeout=timeout)
    kept = []
    for node, value in zip(nodes, outcome.values):
        one = context._bound(binding_of_value(value), node._step.kind)
        one._is_vector = node._is_vector
        kept.append(one)
    return kept


def _through_files(steps: Sequence[Step]) -> Any:
    """Matrices and frames are written; the file of each."""
    files: Dict[int, str] = {}
    written: List[Step] = []
    for i, step in enumerate(steps):
        if step.kind in (MATRIX, FRAME):
            files[i] = private_file()
            step = Step(NONE, 'write', [step, quoted(files[i])])
        written.append(step)
    return written, files


def _from_file(path: str, step: Step, wanted: Wanted) -> Any:
    if step.kind == FRAME:
        frame = read_frame(path)
        return frame.set_index('index') if wanted.use_index_column and 'index' in frame else frame
    return in_form(read_matrix(path), wanted)


def _form(as_: Optional[str], as_tensorflow: bool, as_pytorch: bool) -> Optional[str]:
    if as_tensorflow and as_pytorch:
        raise ValueError('asTensorFlow and asPyTorch exclude each other')
    if as_ is not None and as_ not in FORMS:
        raise ValueError(f'as_ is one of {", ".join(FORMS)}, not {as_!r}')
    return 'tensorflow' if as_tensorflow else 'torch' if as_pytorch else as_


def _is_sparse(sparse: Any, context: Any) -> bool:
    if sparse == 'auto':
        return bool(getattr(context, 'sparse_results', None) or defaults.sparse_results)
    if not isinstance(sparse, bool):
        raise ValueError(f'sparse is True, False or "auto", not {sparse!r}')
    return sparse
