# SPDX-License-Identifier: Apache-2.0
"""Branches, loops and functions: steps whose body is a graph of its own.

A body is traced once, with parameters that stand for the values of a turn. Nodes from outside that it uses are captured:
they become operands of the step, are computed before it, and are never changed by it. What the body changes are variables of
the loop, which begin with the values of the inputs.
"""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence

from .scopes import Scope
from .step import MULTI, Step
from .writer import captures


class Body:
    """A traced callback: its scope, the steps that stand for its parameters, and its results."""

    def __init__(self, scope: Scope, parameters: Sequence[Step], results: Sequence[Any]) -> None:
        self.scope = scope
        self.parameters = list(parameters)
        self.results = list(results)

    def captured(self) -> List[Step]:
        """Steps from outside."""
        return [one for one in captures(self.scope, self.results) if one not in self.parameters]


class Block(Step):
    """A step with bodies and several results: result i is the variable `<name>_<i>`."""
    __slots__ = ('inputs_', 'bodies')

    def __init__(self, operation: str, inputs: Sequence[Any], bodies: Sequence[Body], extra: Sequence[Any] = ()) -> None:
        outside: List[Any] = list(inputs) + list(extra)
        for body in bodies:
            outside += [one for one in body.captured() if one not in outside]
        super().__init__(MULTI, operation, outside, results=len(inputs))
        self.inputs_ = list(inputs)
        self.bodies = list(bodies)

    def write(self, writer: Any) -> None:
        name = writer.fresh('v')
        writer.name(self, name)
        self.write_block(writer, name, [f'{name}_{i}' for i in range(self.results)])

    def write_block(self, writer: Any, name: str, variables: List[str]) -> None:
        """The statements, which leave the results in the variables."""
        raise NotImplementedError

    def begin(self, writer: Any, variables: List[str]) -> None:
        """The variables get the values of the inputs."""
        for variable, value in zip(variables, self.inputs_):
            writer.line(f'{variable} = {writer.operand(value)};', self)

    def write_body(self, writer: Any, body: Body, names: Sequence[str], indent: str = '    ') -> List[str]:
        """The statements of a body whose parameters are these variables; how its results are written."""
        return writer.body(body.scope, body.parameters, names, body.results, indent)

    def assign(self, writer: Any, variables: List[str], results: List[str]) -> None:
        """All at once: a result may be the old value of another variable."""
        changed = [(v, r) for v, r in zip(variables, results) if v != r]
        if changed:
            writer.line(f'    {", ".join(v for v, _ in changed)} = {", ".join(r for _, r in changed)};', self)


class ForBlock(Block):
    """for (i in start:end:step)"""
    __slots__ = ('bounds', 'until')

    def __init__(self, inputs: Sequence[Any], body: Body, bounds: Sequence[Any], until: Optional[Body] = None) -> None:
        super().__init__('for', inputs, [body] + ([until] if until else []), [one for one in bounds if one is not None])
        self.bounds = list(bounds)
        self.until = until

    def write_block(self, writer: Any, name: str, variables: List[str]) -> None:
        self.begin(writer, variables)
        counter = writer.fresh('i')
        bounds = ':'.join(writer.operand(one) for one in self.bounds if one is not None)
        writer.line(f'for ({counter} in {bounds}) {{', self)
        results = self.write_body(writer, self.bodies[0], [*variables, counter])
        self.assign(writer, variables, results)
        if self.until is not None:
            ends = self.write_body(writer, self.until, variables)
            writer.line(f'    if (as.scalar({ends[0]}) != 0) break;', self)
        writer.line('}', self)


class WhileBlock(Block):
    """while (condition) and do ... while (condition); bodies[0] is the condition."""
    __slots__ = ('body_first',)

    def __init__(self, inputs: Sequence[Any], condition: Body, body: Body, body_first: bool) -> None:
        super().__init__('do' if body_first else 'while', inputs, [condition, body])
        self.body_first = body_first

    def write_block(self, writer: Any, name: str, variables: List[str]) -> None:
        self.begin(writer, variables)
        condition, body = self.bodies
        if self.body_first:
            goes_on = writer.fresh('c')
            writer.line(f'{goes_on} = true;', self)
            writer.line('do {', self)
            self.assign(writer, variables, self.write_body(writer, body, variables))
            value = self.write_body(writer, condition, variables)[0]
            writer.line(f'    {goes_on} = as.scalar<bool>({value});', self)
            writer.line(f'}} while ({goes_on});', self)
        else:
            writer.line('while (true) {', self)
            value = self.write_body(writer, condition, variables)[0]
            writer.line(f'    if (as.scalar({value}) == 0) break;', self)
            self.assign(writer, variables, self.write_body(writer, body, variables))
            writer.line('}', self)


class CondBlock(Block):
    """if (condition) ... else ...; bodies are condition, then and, maybe, else."""
    __slots__ = ()

    def write_block(self, writer: Any, name: str, variables: List[str]) -> None:
        condition = self.write_body(writer, self.bodies[0], [], indent='')[0]
        self.begin(writer, variables)
        writer.line(f'if (as.scalar({condition}) != 0) {{', self)
        for k, body in enumerate(self.bodies[1:]):
            if k:
                writer.line('} else {', self)
            self.assign(writer, variables, self.write_body(writer, body, variables))
        writer.line('}', self)


class Function:
    """A function of DaphneDSL: traced at its first call, defined once per program."""

    def __init__(self, name: str, trace: Callable[[], Body], result_types: Sequence[str]) -> None:
        self.name = name
        self.result_types = list(result_types)
        self._trace = trace
        self._body: Optional[Body] = None
        self._is_being_traced = False
        self.captured: List[Step] = []
        self.calls_itself = False

    def body(self) -> Optional[Body]:
        """The traced function; None while it is being traced, for a function that calls itself."""
        if self._body is None and not self._is_being_traced:
            self._is_being_traced = True
            try:
                self._body = self._trace()
            finally:
                self._is_being_traced = False
            self.captured = self._body.captured()
        elif self._body is None:
            self.calls_itself = True
        return self._body

    def write_definition(self, writer: Any, name: str) -> None:
        """The definition; what is captured are further parameters."""
        body = self.body()
        assert body is not None
        parameters = [*body.parameters, *self.captured]
        names = [f'a{i}' for i in range(len(parameters))]
        results = f' -> {", ".join(self.result_types)}' if self.calls_itself else ''
        writer.line(f'def {name}({", ".join(names)}){results} {{', None)
        values = writer.body(body.scope, parameters, names, body.results)
        writer.line(f'    return {", ".join(values)};', None)
        writer.line('}', None)


def call_step(function: Function, arguments: Sequence[Any]) -> Step:
    """The call of a function; its results are those of the step."""
    body = function.body()
    if body is None and not function.result_types:
        raise ValueError(f'the function {function.name} calls itself: it needs a return annotation, the type of its result in '
                         'DaphneDSL ("si64", "matrix<f64>") or Matrix, Frame or Scalar (f64)')

    def write(writer: Any, self: Step) -> str:
        words = [writer.operand(one) for one in [*arguments, *function.captured]]
        return f'{writer.definition(function)}({", ".join(words)})'

    return Step(MULTI, 'call', [*arguments, *function.captured], form=write,
                results=len(function.result_types) if body is None else len(body.results))
