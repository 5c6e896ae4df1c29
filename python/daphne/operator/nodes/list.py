# SPDX-License-Identifier: Apache-2.0
"""Lists of matrices that are not computed yet."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from ..._graph.step import LIST, MATRIX, MULTI, SCALAR, Step
from ...script_building.dag import OutputType
from ..operation_node import OperationNode


class List(OperationNode):
    """A sequence of matrices of one value type."""

    def __init__(self, daphne_context: Any, operation: str, unnamed_input_nodes: Optional[Sequence[Any]] = None,
                 named_input_nodes: Any = None) -> None:
        super().__init__(daphne_context, operation, unnamed_input_nodes, named_input_nodes, OutputType.LIST)

    def append(self, matrix: Any) -> 'List':
        """A longer list."""
        return self._made(Step(LIST, 'append', [self._step, self._operand(matrix)]))

    def remove(self, index: Any) -> Tuple['List', Any]:
        """The list without an element, and that element."""
        both = Step(MULTI, 'remove', [self._step, self._operand(index)], results=2)
        return self._made(Step(LIST, 'result', [both], index=0)), self._made(Step(MATRIX, 'result', [both], index=1))

    def length(self) -> Any:
        """The number of elements."""
        return self._made(Step(SCALAR, 'length', [self._step], vtype='size'))

    def _made(self, step: Step) -> Any:
        from . import handle_of
        return handle_of(step, self.daphne_context)
