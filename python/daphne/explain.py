# SPDX-License-Identifier: Apache-2.0
"""What the compiler makes of a graph, as text."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

from . import errors
from ._compute import located
from ._engine.engine import Engine
from ._engine.failures import Failure
from ._engine.runs import Run
from ._graph.step import NONE, Step
from ._graph.writer import write

# Short names for steps of the compiler.
_LEVELS = {'ir': 'parsing', 'plan': 'vectorized', 'llvm': 'llvm'}


class Explanation:
    """Texts of the compiler: `levels` has (step, text) in the order in which they were made."""

    def __init__(self, levels: List[Tuple[str, str]], warnings: str, log: str) -> None:
        self.levels = levels
        self.warnings = warnings
        self.log = log

    def __str__(self) -> str:
        parts = [text.rstrip('\n') for _, text in self.levels]
        return '\n'.join([one for one in [*parts, self.log.rstrip('\n'), self.warnings.rstrip('\n')] if one])

    def __repr__(self) -> str:
        return str(self)

    def __contains__(self, text: str) -> bool:
        return text in str(self)


def explain(node: Any, level: str, analyze: bool) -> Explanation:
    """See OperationNode.explain."""
    script = write([node._step])
    if level == 'dsl':
        return Explanation([('dsl', script.text)], '', '')
    levels: List[Tuple[str, str]] = []
    warnings: List[str] = []
    log: List[str] = []
    settings: Dict[str, Any] = dict(node.daphne_context._settings(None, None))
    settings['explain'] = [_LEVELS.get(level, level)] + (['loops'] if analyze else [])
    if analyze:
        settings['statistics'] = True
    try:
        engine = Engine(settings, lambda step, text: levels.append((step, text)), warnings.append, log.append)
        values = [binding.value() for _, binding in script.bindings]
        program = engine.compile(script.text, [binding.signature(name) for name, binding in script.bindings], script.outputs)
        if analyze:
            program.run(values, Run())
    except Failure as failure:
        if failure.line is None:
            raise errors.ParseError(failure.message + (f'; {failure.hint}' if failure.hint else '')) from None
        raise located(failure, script) from None
    return Explanation(levels, ''.join(warnings), ''.join(log))


def graph(root: Step) -> str:
    """The graph in the language of Graphviz."""
    lines = ['digraph daphne {', '  rankdir=BT;', '  node [shape=box, fontname="sans-serif"];']
    numbers: Dict[Step, int] = {}
    stack = [root]
    edges: List[str] = []
    while stack:
        step = stack.pop()
        if step in numbers:
            continue
        numbers[step] = len(numbers)
        stack.extend(step.inputs())
    for step, number in numbers.items():
        shape = '' if step.shape == (None, None) or step.kind == NONE else \
            f'\\n{"?" if step.shape[0] is None else step.shape[0]}x{"?" if step.shape[1] is None else step.shape[1]}'
        text = step.operation.replace('\\', '\\\\').replace('"', '\\"')
        style = ', style=filled' if step.binding is not None else ''
        lines.append(f'  n{number} [label="{text}{shape}"{style}];')
        edges.extend(f'  n{numbers[one]} -> n{number};' for one in step.inputs())
    return '\n'.join([*lines, *edges, '}']) + '\n'
