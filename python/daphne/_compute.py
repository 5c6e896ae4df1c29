# SPDX-License-Identifier: Apache-2.0
"""Computes steps: writes the program, has it compiled and run with the data it needs, and says which line of Python an
error belongs to."""
from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from . import errors
from ._convert.bindings import binding_of_value
from ._engine import library
from ._engine.engine import InputSignature, engine_for
from ._engine.failures import Failure
from ._engine.runs import Run, with_interruption
from ._engine.values import Value
from ._graph import purity
from ._graph.step import FRAME, MATRIX, NONE, SCALAR, Step
from ._graph.writer import Script, write
from ._options import options

_KINDS = {MATRIX: 'Matrix', FRAME: 'Frame', SCALAR: 'Scalar'}


class Outcome(NamedTuple):
    """What a run yields."""
    values: List[Value]  # of the steps that have one, in order
    profile: str  # JSON
    seconds: Dict[str, float]


def compute(steps: Sequence[Step], settings: Dict[str, Any], *, timeout: Optional[float] = None,
            progress: Optional[Callable[[str, int, int], None]] = None) -> Outcome:
    """Runs one program for all of them. Raises DaphneError."""
    begin = time.perf_counter()
    script = write(steps)
    run = Run(progress)
    seconds = {'writing': time.perf_counter() - begin}

    def job() -> Any:
        start = time.perf_counter()
        engine = engine_for(settings)
        values = [binding.value() for _, binding in script.bindings]
        seconds['binding'] = time.perf_counter() - start
        start = time.perf_counter()
        program = engine.compile(script.text, [binding.signature(name) for name, binding in script.bindings], script.outputs)
        seconds['compiling'] = time.perf_counter() - start
        start = time.perf_counter()
        result = program.run(values, run)
        seconds['running'] = time.perf_counter() - start
        return result

    def stop() -> None:
        run.timed_out = True
        run.cancel()

    try:
        found, profile = with_interruption(job, run.cancel, timeout, stop)
    except Failure as failure:
        if run.failure is not None:
            raise run.failure from None
        if run.timed_out:
            raise errors.Cancelled(f'the run took longer than {timeout} s and was cancelled',
                                   message='cancelled') from None
        raise located(failure, script) from None
    if run.failure is not None:
        raise run.failure
    if options.cache:
        for step, value in zip([one for one in steps if one.kind != NONE], found):
            purity.keep(step, binding_of_value(value.shared()))
    return Outcome(found, profile, seconds)


def inferred(step: Step, settings: Dict[str, Any]) -> InputSignature:
    """What the compiler knows of a step that has a value."""
    script = write([step])
    try:
        engine = engine_for(settings)
        for _, binding in script.bindings:
            binding.value()
        program = engine.compile(script.text, [binding.signature(name) for name, binding in script.bindings], script.outputs)
        return program.output(0)
    except Failure as failure:
        raise located(failure, script) from None


def value_as_binding(node: Any) -> Any:
    """The value of a node as data."""
    return binding_of_value(value_of(node))


def value_of(node: Any) -> Value:
    """The value of a node."""
    return compute([node._step], node.daphne_context._settings(None, None)).values[0]


def located(failure: Failure, script: Script) -> errors.DaphneError:
    """The exception of a failure, with the line of Python that made the failing step."""
    if failure.line is None and failure.status == library.PARSE_ERROR:
        return failure.plain()  # an option
    step = script.step_of_line(failure.line) if failure.file in ('', 'program') else None
    lines = [f'Error in DaphneDSL script: {failure.message}']
    place = step.place if step is not None else None
    if place is not None:
        lines.append(f'  --> {place.file}:{place.line}')
        source = place.source()
        if source:
            columns = place.columns()
            first = len(source) - len(source.lstrip())
            if columns is None:
                columns = range(first, len(source))
            lines += ['   |', f'   | {source}', f'   | {" " * columns.start}{"^" * len(columns)}']
    excerpt = None
    if failure.line is not None and failure.file in ('', 'program'):
        excerpt = script.text.splitlines()[failure.line - 1].strip() if failure.line <= len(script.steps) else None
    if step is not None:
        operands = [described(one) for one in step.operands if isinstance(one, Step)]
        if operands:
            lines.append(f'operands of {step.operation}: {", ".join(operands)}')
    lines += [f'note: {note}' for note in failure.notes]
    if failure.hint:
        lines.append(f'hint: {failure.hint}')
    handle = None
    if step is not None:
        from .operator.nodes import handle_of
        handle = handle_of(step)
    return failure.error_class()('\n'.join(lines), message=failure.message, hint=failure.hint, dsl_line=failure.line,
                                 dsl_column=failure.column, dsl_excerpt=excerpt,
                                 python_file=place.file if place else None, python_line=place.line if place else None,
                                 node=handle)


def described(step: Step) -> str:
    """Kind, shape and type of a step, as far as they are known."""
    rows, cols = step.shape
    facts = []
    if step.kind in (MATRIX, FRAME) and (rows is not None or cols is not None):
        facts.append(f'{"?" if rows is None else rows}x{"?" if cols is None else cols}')
    if step.vtype:
        facts.append(step.vtype)
    return _KINDS.get(step.kind, step.kind) + (f'({", ".join(facts)})' if facts else '')
