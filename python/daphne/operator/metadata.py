# SPDX-License-Identifier: Apache-2.0
"""Shapes, value types and labels of nodes before they are computed: what the graph tells, else what the compiler knows, else
what a computation of nothing but these facts yields."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple
import weakref

from .. import _compute
from .._convert.bindings import VTYPES
from .._engine.engine import InputSignature
from .._graph.step import SCALAR, Step

# What the compiler said of a step.
_known: 'weakref.WeakKeyDictionary[Step, InputSignature]' = weakref.WeakKeyDictionary()


def signature_of(node: Any) -> InputSignature:
    """What the compiler knows."""
    step = node._step
    if step.binding is not None:
        step.binding.value()
        return step.binding.signature('')
    found = _known.get(step)
    if found is None:
        found = _known[step] = _compute.inferred(step, node.daphne_context._settings(None, None))
    return found


def shape_of(node: Any) -> Tuple[int, int]:
    """Rows and columns."""
    rows, cols = node._step.shape
    if rows is None or cols is None:
        found = signature_of(node)
        rows = found.rows if rows is None and found.rows >= 0 else rows
        cols = found.cols if cols is None and found.cols >= 0 else cols
    if rows is None or cols is None:
        counts = [Step(SCALAR, name, [node._step], vtype='size') for name in ('nrow', 'ncol')]
        outcome = _compute.compute(counts, node.daphne_context._settings(None, None))
        rows, cols = (int(value.to_number()) for value in outcome.values)
        node._step.shape = (rows, cols)
    return rows, cols


def vtype_of(node: Any) -> str:
    """The value type of a matrix or scalar."""
    found = signature_of(node)
    if found.type in VTYPES:
        return VTYPES[found.type]
    text = _compute.compute([Step(SCALAR, 'typeOf', [node._step], vtype='str')],
                            node.daphne_context._settings(None, None)).values[0].to_text()
    return next(name for name, word in _WORDS.items() if word in text)


_WORDS: Dict[str, str] = {'f64': 'double', 'f32': 'float', 'ui8': 'uint8_t', 'ui32': 'uint32_t', 'ui64': 'uint64_t',
                          'si8': 'int8_t', 'si32': 'int32_t', 'si64': 'int64_t', 'bool': 'bool', 'str': 'std::string'}


def schema_of(node: Any) -> List[Tuple[str, str]]:
    """Label and value type of every column of a frame."""
    found = signature_of(node)
    if found.labels is None or found.types is None:
        kept = node.daphne_context._bound(_compute.value_as_binding(node), 'frame')
        found = _known[node._step] = signature_of(kept)
    assert found.labels is not None and found.types is not None
    return [(label, VTYPES[kind]) for label, kind in zip(found.labels, found.types)]
