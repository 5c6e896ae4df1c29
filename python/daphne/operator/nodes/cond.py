# SPDX-License-Identifier: Apache-2.0
"""Branches."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from ..._graph.blocks import CondBlock
from ..._graph.step import Step
from ..._graph.tracing import kinds_of, trace
from .multi_return import MultiReturn


class Cond(MultiReturn):
    """One of two bodies; without a second one the inputs stay as they are."""

    def __init__(self, daphne_context: Any, input_nodes: Sequence[Any], pred: Callable[..., Any], then_fn: Callable[..., Any],
                 else_fn: Optional[Callable[..., Any]] = None) -> None:
        self.daphne_context = daphne_context
        inputs = [daphne_context._operand(one) for one in input_nodes]
        kinds = kinds_of(inputs)
        types = [one.vtype if isinstance(one, Step) else None for one in inputs]
        bodies = [trace(daphne_context, 'the condition of cond', pred, [], 1),
                  trace(daphne_context, 'the first branch of cond', then_fn, kinds, len(inputs), types)]
        if else_fn is not None:
            bodies.append(trace(daphne_context, 'the second branch of cond', else_fn, kinds, len(inputs), types))
        self._step = CondBlock('cond', inputs, bodies)
        # A branch may turn a matrix into a scalar, if the other does as well.
        self._kinds = kinds_of(bodies[1].results) if else_fn is not None else kinds
