# SPDX-License-Identifier: Apache-2.0
"""What all nodes have in common: a step of a graph, and `compute`."""
from __future__ import annotations

import concurrent.futures
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Type, TypeVar, Union

from .._graph import step as steps
from .._graph.literals import is_number, quoted
from .._graph.scopes import current_scope
from .._graph.step import Step
from ..script_building.dag import DAGNode, OutputType

if TYPE_CHECKING:
    import numpy as np

    from ..explain import Explanation
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
    _scope: Any = None  # the body in which this object was made
    _is_vector = False  # computed with one dimension
    last_profile: Optional[Dict[str, Any]] = None

    def __init__(self, daphne_context: 'DaphneContext', operation: str,
                 unnamed_input_nodes: Union[Sequence[Any], None] = None, named_input_nodes: Optional[Dict[str, Any]] = None,
                 output_type: OutputType = OutputType.MATRIX, is_python_local_data: bool = False) -> None:
        self.daphne_context = daphne_context
        self._scope = current_scope()
        self._step = Step(_KINDS[output_type], operation, [self._operand(one) for one in unnamed_input_nodes or ()],
                          {name: self._operand(one) for name, one in (named_input_nodes or {}).items()} or None,
                          _form_of(operation))

    @classmethod
    def _of(cls: Type[N], context: Any, step: Step) -> N:
        """The object for a step that exists."""
        node = cls.__new__(cls)
        node.daphne_context = context
        node._step = step
        node._scope = current_scope()
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
    def consumer_list(self) -> List[Any]:
        """Empty: who uses a node keeps the step it was made from, so nobody has to be told when the node changes."""
        return []

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

    def _further(self, name: str, kinds: Sequence[str], arguments: Sequence[Any],
                 named: Optional[Dict[str, Any]] = None) -> Any:
        """A builtin function of this node; texts are passed as texts, None is left out."""
        from .nodes import handle_of
        operands = [self._step, *(quoted(one) if isinstance(one, str) else self._operand(one) for one in arguments)]
        given = {key: quoted(one) if isinstance(one, str) else self._operand(one)
                 for key, one in (named or {}).items() if one is not None}
        found = [self._step.kind if kind == 'same' else kind for kind in kinds]
        if len(found) == 1:
            return handle_of(Step(found[0], name, operands, given or None), self.daphne_context)
        step = Step(steps.MULTI, name, operands, given or None, results=len(found))
        return tuple(handle_of(Step(kind, 'result', [step], index=i), self.daphne_context) for i, kind in enumerate(found))

    # ---- running

    def compute(self, type: str = 'shared memory', verbose: bool = False, **options: Any) -> Any:
        """Does the computation and returns its result."""
        from ..compute import compute_nodes
        return compute_nodes([self], type=type, verbose=verbose, **options)[0]

    def compute_async(self, **options: Any) -> 'concurrent.futures.Future[Any]':
        """Begins the computation on a thread of its own; the result comes with the Future."""
        from .._engine.background import submit
        return submit(lambda: self.compute(**options))

    def __await__(self) -> Any:
        import asyncio
        return asyncio.wrap_future(self.compute_async()).__await__()

    def persist(self, **options: Any) -> Any:
        """A node for the result, which is computed now and stays in the engine."""
        from ..compute import persisted
        return persisted([self], **options)[0]

    def explain(self, level: str = 'plan', analyze: bool = False) -> 'Explanation':
        """The program at a level: "dsl", "ir", "plan" or "llvm", or any step of the compiler. With `analyze` it is also run, and
        its fused loops are shown with what they took."""
        from ..explain import explain
        return explain(self, level, analyze)

    def visualize(self, path: Optional[str] = None) -> str:
        """The graph in the language of Graphviz; written into a file, if one is named."""
        from ..explain import graph
        text = graph(self._step)
        if path is not None:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        return text

    def __repr__(self) -> str:
        from .display import line
        return line(self)

    def _repr_html_(self) -> str:
        from .._display.nodes import html_of_node
        return html_of_node(self)

    # ---- as numpy sees it

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        import numpy
        array = numpy.asarray(self.compute(as_='numpy'))
        if dtype is not None and array.dtype != dtype:
            array = array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .. import _ufuncs
        return _ufuncs.array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .. import numpy as functions
        return functions.array_function(function, args, kwargs)

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
