# SPDX-License-Identifier: Apache-2.0
"""Branches, loops and functions of a context."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, List, Optional, Sequence, Tuple

from .._graph.blocks import Function, call_step
from .._graph.step import FRAME, LIST, MATRIX, SCALAR, Step
from .._graph.tracing import needs_arguments, trace
from ..operator.nodes import handle_of
from ..operator.nodes.cond import Cond
from ..operator.nodes.do_while_loop import DoWhileLoop
from ..operator.nodes.for_loop import ForLoop
from ..operator.nodes.while_loop import WhileLoop

_KINDS = {'Matrix': MATRIX, 'Frame': FRAME, 'Scalar': SCALAR, 'List': LIST}
_RESULT_TYPES = {'Matrix': 'matrix', 'Frame': 'frame', 'Scalar': 'f64', 'List': 'list'}


class ControlFlow:
    """Bodies are Python functions of nodes. They are called once, when the loop or branch is built; other nodes they use are
    captured, other values of Python are constants."""

    def _operand(self, value: Any) -> Any:
        raise NotImplementedError

    def cond(self, input_nodes: Sequence[Any], pred: Callable[..., Any], then_fn: Callable[..., Any],
             else_fn: Optional[Callable[..., Any]] = None) -> Tuple[Any, ...]:
        """The results of `then_fn` if `pred()` is not 0, else of `else_fn`; both take and return as many values as there are
        inputs."""
        return Cond(self, input_nodes, pred, then_fn, else_fn).get_output()

    def for_loop(self, input_nodes: Sequence[Any], callback: Callable[..., Any], start: Any, end: Any, step: Any = None,
                 until: Optional[Callable[..., Any]] = None) -> Tuple[Any, ...]:
        """Runs `callback(*values, i)` for i from start to end, both included; what it returns are the values of the next turn.
        The loop ends early when `until(*values)` is not 0 after a turn."""
        return ForLoop(self, input_nodes, callback, start, end, step, until).get_output()

    def while_loop(self, input_nodes: Sequence[Any], cond: Callable[..., Any],
                   callback: Callable[..., Any]) -> Tuple[Any, ...]:
        """Runs `callback(*values)` while `cond(*values)` is not 0."""
        return WhileLoop(self, input_nodes, cond, callback).get_output()

    def do_while_loop(self, input_nodes: Sequence[Any], cond: Callable[..., Any],
                      callback: Callable[..., Any]) -> Tuple[Any, ...]:
        """Runs `callback(*values)` once, and on while `cond(*values)` is not 0."""
        return DoWhileLoop(self, input_nodes, cond, callback).get_output()

    def function(self, callback: Callable[..., Any]) -> Callable[..., Tuple[Any, ...]]:
        """A function that programs define once, however often it is called. Parameters are matrices unless they are annotated
        with Matrix, Frame, Scalar or List. Calls return a tuple of nodes."""
        parameters = inspect.signature(callback).parameters.values()
        kinds = [_KINDS.get(_name_of(one.annotation), MATRIX) for one in parameters]
        name = getattr(callback, '__name__', 'function')
        kind_of_result: List[str] = []

        def body() -> Any:
            traced = trace(self, f'the function {name}', callback, kinds)
            if not traced.results:
                raise ValueError(f'the function {name} returns nothing')
            kind_of_result[:] = [one.kind if isinstance(one, Step) else SCALAR for one in traced.results]
            return traced

        declared = _declared(callback)
        made = Function(name, body, [_RESULT_TYPES.get(one, one) for one in declared])

        @functools.wraps(callback)
        def call(*arguments: Any) -> Tuple[Any, ...]:
            needs_arguments(callback, len(arguments), f'the function {name}')
            step = call_step(made, [self._operand(one) for one in arguments])
            results = kind_of_result or [_KINDS.get(one, _kind_of_type(one)) for one in declared]
            return tuple(handle_of(Step(kind, 'result', [step], index=i), self) for i, kind in enumerate(results))

        return call

    def jit(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of nodes in plain Python: its `if`, `while` and `for ... in range(...)` become those of the engine where
        their conditions or bounds are nodes. Given arrays instead of nodes, it computes and returns arrays.

        >>> @dc.jit
        ... def root(x):
        ...     guess = x / 2
        ...     while abs(guess * guess - x) > 1e-12:
        ...         guess = (guess + x / guess) / 2
        ...     return guess
        >>> round(root(dc.scalar(2.0)).compute(), 6)
        1.414214
        """
        from ..jit import jit
        return jit(self, function)

    def map(self, function: Callable[..., Any], matrix: Any) -> Any:
        """The matrix with `function` applied to every cell, which comes as a Scalar."""
        body = trace(self, 'the function of map', function, [SCALAR], 1)
        if body.captured():
            raise ValueError('the function of map uses nodes from outside; it sees its cell only')
        made = Function('map', lambda: body, [])
        made.body()

        def write(writer: Any, step: Step) -> str:
            return f'map({writer.operand(step.operands[0])}, {writer.definition(made)})'

        operand = self._operand(matrix)
        return handle_of(Step(MATRIX, 'map', [operand], form=write, shape=operand.shape), self)


def _name_of(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ''
    name = annotation if isinstance(annotation, str) else getattr(annotation, '__name__', '')
    return name.rsplit('.', 1)[-1]


def _declared(callback: Callable[..., Any]) -> List[str]:
    """Results by the return annotation: classes of nodes, or types of DaphneDSL as text."""
    annotation = getattr(callback, '__annotations__', {}).get('return')
    if annotation is None:
        return []
    arguments = getattr(annotation, '__args__', None)
    if arguments and not isinstance(annotation, str):
        return [_name_of(one) for one in arguments]
    text = annotation.strip('\'"') if isinstance(annotation, str) else _name_of(annotation)
    return [text.rsplit('.', 1)[-1] if text.rsplit('.', 1)[-1] in _KINDS else text] if text else []


def _kind_of_type(text: str) -> str:
    for kind in (MATRIX, FRAME, LIST):
        if text.startswith(kind):
            return kind
    return SCALAR
