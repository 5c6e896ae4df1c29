# SPDX-License-Identifier: Apache-2.0
"""Steps with several results, which are nodes of their own."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from ..._graph.step import Step
from ...script_building.dag import OutputType
from ..operation_node import OperationNode


class MultiReturn(OperationNode):
    """An operation with several results. It cannot be computed itself; its outputs can."""
    _kinds: Sequence[str]

    def __init__(self, daphne_context: Any, operation: str, output_nodes: Sequence[str],
                 unnamed_input_nodes: Optional[Sequence[Any]] = None, named_input_nodes: Any = None) -> None:
        super().__init__(daphne_context, operation, unnamed_input_nodes, named_input_nodes, OutputType.MULTI_RETURN)
        self._step.results = len(output_nodes)
        self._kinds = list(output_nodes)

    @classmethod
    def _with(cls, context: Any, step: Step, kinds: Sequence[str]) -> 'MultiReturn':
        node = cls._of(context, step)
        node._kinds = list(kinds)
        return node

    def get_output(self) -> Tuple[Any, ...]:
        """The results, in order."""
        from . import handle_of
        return tuple(handle_of(Step(kind, 'result', [self._step], index=i), self.daphne_context)
                     for i, kind in enumerate(self._kinds))

    def compute(self, type: str = 'shared memory', verbose: bool = False, **options: Any) -> Any:
        """Not possible: compute the outputs."""
        raise NotImplementedError(f'{self.operation} has several results; compute those')


__all__ = ['MultiReturn']
