# SPDX-License-Identifier: Apache-2.0
"""Loops with a condition."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from ..._graph.blocks import WhileBlock
from ..._graph.tracing import kinds_of, trace
from .multi_return import MultiReturn


class WhileLoop(MultiReturn):
    """A loop whose condition is checked before each turn."""
    _BODY_FIRST = False
    _NAME = 'while_loop'

    def __init__(self, daphne_context: Any, input_nodes: Sequence[Any], cond: Callable[..., Any],
                 callback: Callable[..., Any]) -> None:
        self.daphne_context = daphne_context
        inputs = [daphne_context._operand(one) for one in input_nodes]
        self._kinds = kinds_of(inputs)
        condition = trace(daphne_context, f'the condition of {self._NAME}', cond, self._kinds, 1)
        body = trace(daphne_context, f'the body of {self._NAME}', callback, self._kinds, len(inputs))
        self._step = WhileBlock(inputs, condition, body, self._BODY_FIRST)
