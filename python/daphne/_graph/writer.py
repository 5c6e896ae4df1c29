# SPDX-License-Identifier: Apache-2.0
"""Writes a graph of steps as a program in DaphneDSL.

Every step becomes one statement `v7 = ...;` on a line of its own, in the order of a walk from the outputs to the data.
Names are numbers in that order, so equal graphs have equal programs, and the engine compiles them once. Data is not part of
the text: it is a named input.
"""
from __future__ import annotations

from collections import ChainMap
from typing import Any, Dict, Iterable, List, MutableMapping, Optional, Sequence, Set, Tuple

from . import purity
from .scopes import Scope
from .step import NONE, Step, operand_text


class Script:
    """A program: its text, the step of each line, and the data of its inputs."""

    def __init__(self, lines: List[str], steps: List[Optional[Step]], bindings: List[Tuple[str, Any]],
                 outputs: List[str]) -> None:
        self.text = '\n'.join(lines) + '\n'
        self.steps = steps
        self.bindings = bindings
        self.outputs = outputs

    def step_of_line(self, line: Optional[int]) -> Optional[Step]:
        """Whose statement it is; None if nobody's. Lines count from 1."""
        return self.steps[line - 1] if line is not None and 1 <= line <= len(self.steps) else None


class Block:
    """Lines, and the step of each."""

    def __init__(self) -> None:
        self.lines: List[str] = []
        self.steps: List[Optional[Step]] = []


class Writer:
    """Makes the lines of a program."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self.bindings: List[Tuple[str, Any]] = []
        self._definitions = Block()
        self._block = Block()
        self._names: MutableMapping[Step, str] = {}
        self._bound: Dict[int, str] = {}
        self._defined: Dict[int, str] = {}
        self._counts: Dict[str, int] = {}
        self._modules: Dict[str, str] = {}
        self._reserved = set(reserved)
        self._indent = ''
        self._scope: Optional[Scope] = None

    def fresh(self, prefix: str) -> str:
        """A name nobody has."""
        while True:
            number = self._counts.get(prefix, 0)
            self._counts[prefix] = number + 1
            name = f'{prefix}{number}'
            if not self._reserved or not any(one == name or one.startswith(name + '_') for one in self._reserved):
                return name

    def module(self, path: str) -> str:
        """The name of a script that is imported."""
        name = self._modules.get(path)
        if name is None:
            name = self._modules[path] = self.fresh('m')
            self._definitions.lines.append(f'import "{path}" as "{name}";')  # paths have no escapes
            self._definitions.steps.append(None)
        return name

    def line(self, text: str, step: Optional[Step]) -> None:
        """Appends a line."""
        self._block.lines.append(self._indent + text)
        self._block.steps.append(step)

    def name(self, step: Step, name: str) -> None:
        """From now on the step is this variable."""
        self._names[step] = name

    def name_of(self, step: Step) -> str:
        """The variable of a step that was written."""
        return self._names[step]

    def bind(self, binding: Any) -> str:
        """The input for data."""
        name = self._bound.get(id(binding))
        if name is None:
            name = self._bound[id(binding)] = self.fresh('x')
            self.bindings.append((name, binding))
        return name

    def operand(self, value: Any) -> str:
        """How an operand is written."""
        return self._names[value] if isinstance(value, Step) else operand_text(value)

    def write(self, steps: Sequence[Any]) -> None:
        """Writes these steps and what they need; what is no step is passed over."""
        for step in steps:
            if isinstance(step, Step):
                self._write(step)

    def body(self, scope: Scope, parameters: Sequence[Step], names: Sequence[str], results: Sequence[Any],
             indent: str = '    ') -> List[str]:
        """Writes what a body computes when its parameters are these variables; returns how its results are written."""
        outer = self._scope, self._indent, self._names
        self._scope, self._indent = scope, self._indent + indent
        # What is written in here has a name in here only.
        self._names = ChainMap({}, *(outer[2].maps if isinstance(outer[2], ChainMap) else [outer[2]]))
        try:
            for parameter, name in zip(parameters, names):
                self._names[parameter] = name
            self.write(scope.effects)
            self.write(results)
            return [self.operand(one) for one in results]
        finally:
            self._scope, self._indent, self._names = outer

    def definition(self, function: Any) -> str:
        """The name of a function, whose definition comes before everything else."""
        name = self._defined.get(id(function))
        if name is None:
            name = self._defined[id(function)] = self.fresh('f')
            outer = self._block, self._names, self._scope, self._indent
            self._block, self._names, self._scope, self._indent = Block(), {}, None, ''
            try:
                function.write_definition(self, name)
                self._definitions.lines += self._block.lines
                self._definitions.steps += self._block.steps
            finally:
                self._block, self._names, self._scope, self._indent = outer
        return name

    def finish(self, outputs: Sequence[Step]) -> Script:
        """The program."""
        return Script(self._definitions.lines + self._block.lines, self._definitions.steps + self._block.steps, self.bindings,
                      [self._names[step] for step in outputs])

    def _write(self, root: Step) -> None:
        """Depth first, without recursion: graphs may be deeper than Python's stack."""
        stack: List[Tuple[Step, bool]] = [(root, False)]
        names = self._names
        while stack:
            step, is_ready = stack.pop()
            if step in names:
                continue
            data = purity.kept(step)
            if data is not None:
                self.name(step, self.bind(data))
                continue
            if is_ready:
                if step.scope is not None and (self._scope is None or not self._scope.is_inside(step.scope)):
                    raise ValueError(_leaked(step))
                step.write(self)
                continue
            stack.append((step, True))
            for operand in reversed(step.inputs()):
                if operand not in names:
                    stack.append((operand, False))


def _leaked(step: Step) -> str:
    what = step.scope.what if step.scope is not None else 'a body'
    made = f' (it was made at {step.place.file}:{step.place.line})' if step.place else ''
    return f'a value from inside of {what} is used outside of it; return it instead{made}'


def captures(scope: Scope, results: Sequence[Any]) -> List[Step]:
    """The steps from outside that a body uses, each once, in order of their first use."""
    found: List[Step] = []
    seen: Set[Step] = set()
    stack = [one for one in reversed([*scope.effects, *results]) if isinstance(one, Step)]
    while stack:
        step = stack.pop()
        if step in seen:
            continue
        seen.add(step)
        if step.scope is None or not step.scope.is_inside(scope):
            found.append(step)
        else:
            stack.extend(reversed(step.inputs()))
    return found


def write(steps: Sequence[Step]) -> Script:
    """The program that computes these steps; its outputs are those that have a value, in order."""
    from ..context.scripts import reserved_names
    writer = Writer(reserved_names(steps))
    writer.write(steps)
    return writer.finish([step for step in steps if step.kind != NONE])
