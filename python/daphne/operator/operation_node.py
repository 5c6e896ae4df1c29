# SPDX-License-Identifier: Apache-2.0
"""What all nodes have in common: a step of a graph, and `compute`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Type, TypeVar, Union

from .._graph import step as steps
from .._graph.literals import is_number
from .._graph.step import Step
from ..script_building.dag import DAGNode, OutputType

if TYPE_CHECKING:
    from ..context.daphne_context import DaphneContext

N = TypeVar('N', bound='OperationNode')

_KINDS = {OutputType.MATRIX: steps.MATRIX, OutputType.FRAME: steps.FRAME, OutputType.SCALAR: steps.SCALAR,
          OutputType.LIST: steps.LIST, OutputType.NONE: steps.NONE, OutputType.MULTI_RETURN: steps.MULTI}
_OUTPUT_TYPES = {kind: output for output, kind in _KINDS.items()}


class OperationNode(DAGNode):
    """A step of a computation that has not been done yet. `compute` does it."""
    # ndarray + node is a node.
    __array_priority__ = 1000

    daphne_context: Any
    _step: Step
    last_profile: Optional[Dict[str, Any]] = None

    def __init__(self, daphne_context: 'DaphneContext', operation: str,
                 unnamed_input_nodes: Union[Sequence[Any], None] = None, named_input_nodes: Optional[Dict[str, Any]] = None,
                 output_type: OutputType = OutputType.MATRIX, is_python_local_data: bool = False) -> None:
        self.daphne_context = daphne_context
        self._step = Step(_KINDS[output_type], operation, [self._operand(one) for one in unnamed_input_nodes or ()],
                          {name: self._operand(one) for name, one in (named_input_nodes or {}).items()} or None,
                          _form_of(operation))

    @classmethod
    def _of(cls: Type[N], context: Any, step: Step) -> N:
        """The object for a step that exists."""
        node = cls.__new__(cls)
        node.daphne_context = context
        node._step = step
        return node

    # ---- as a node of the graph

    @property
    def operation(self) -> str:
        """The builtin function or operator."""
        return self._step.operation

    @property
    def unnamed_input_nodes(self) -> List[Any]:
        """Operands by position."""
        return [self._shown(one) for one in self._step.operands]

    @property
    def named_input_nodes(self) -> Dict[str, Any]:
        """Operands by name."""
        return {name: self._shown(one) for name, one in (self._step.named or {}).items()}

    @property
    def output_type(self) -> OutputType:
        """What the node yields."""
        return _OUTPUT_TYPES[self._step.kind]

    @property
    def is_python_local_data(self) -> bool:
        """Whether the node stands for data of this process."""
        return self._step.binding is not None

    @property
    def daphnedsl_name(self) -> str:
        """The variable of the program that computes this node alone."""
        from .._graph.writer import write
        return (write([self._step]).outputs or [''])[0]

    def _shown(self, operand: Any) -> Any:
        from .nodes import handle_of
        if not isinstance(operand, Step):
            return operand
        return handle_of(operand, self.daphne_context)

    # ---- operands

    def _operand(self, value: Any) -> Any:
        """A step, a number, or text in DaphneDSL. Data of other libraries is imported."""
        if isinstance(value, OperationNode):
            return value._step
        if isinstance(value, (str, Step)) or is_number(value):
            return value
        if value is None:
            raise TypeError('None is no operand')
        return self.daphne_context.asarray(value)._step

    # ---- running

    def compute(self, type: str = 'shared memory', verbose: bool = False, **options: Any) -> Any:
        """Does the computation and returns its result."""
        from ..compute import compute_nodes
        return compute_nodes([self], type=type, verbose=verbose, **options)[0]

    def to_dsl(self) -> str:
        """The program in DaphneDSL that computes this node; `x0`, `x1` ... are its data."""
        from .._graph.writer import write
        return write([self._step]).text

    def __bool__(self) -> bool:
        raise TypeError(f'a {type(self).__name__} is not computed yet and has no truth value; use context.cond, '
                        'logical_and, logical_or, or compute()')

    __hash__ = object.__hash__


def _form_of(operation: str) -> Union[str, Callable[..., str], None]:
    if operation in ('+', '-', '*', '/', '%', '^', '@', '==', '!=', '<', '<=', '>', '>=', '&&', '||'):
        return '{0} ' + operation.replace('{', '{{') + ' {1}'
    return None


__all__ = ['OperationNode']
