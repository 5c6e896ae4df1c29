# SPDX-License-Identifier: Apache-2.0
"""Loops over a range."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from ..._graph.blocks import ForBlock
from ..._graph.tracing import kinds_of, trace
from .multi_return import MultiReturn


class ForLoop(MultiReturn):
    """A loop over the numbers from start to end, both included."""

    def __init__(self, daphne_context: Any, input_nodes: Sequence[Any], callback: Callable[..., Any], start: Any, end: Any,
                 step: Any = None, until: Optional[Callable[..., Any]] = None) -> None:
        self.daphne_context = daphne_context
        inputs = [daphne_context._operand(one) for one in input_nodes]
        bounds = [None if one is None else daphne_context._operand(one) for one in (start, end, step)]
        kinds = kinds_of(inputs)
        body = trace(daphne_context, 'the body of for_loop', callback, [*kinds, 'scalar'], len(inputs))
        ends = None
        if until is not None:
            ends = trace(daphne_context, 'the condition of for_loop', until, kinds, 1)
        self._step = ForBlock(inputs, body, bounds, ends)
        self._kinds = kinds
