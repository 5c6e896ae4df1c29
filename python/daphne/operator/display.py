# SPDX-License-Identifier: Apache-2.0
"""Nodes in one line. Nothing is computed for it. As HTML: _display/nodes.py."""
from __future__ import annotations

from typing import Any, Dict, List

from .._graph.step import Step


def depth_of(root: Step) -> int:
    """How many steps are behind each other."""
    depths: Dict[Step, int] = {}
    stack: List[Any] = [(root, False)]
    while stack:
        step, is_ready = stack.pop()
        if step in depths:
            continue
        inputs = step.inputs()
        if is_ready:
            depths[step] = 1 + max((depths[one] for one in inputs), default=0)
        else:
            stack.append((step, True))
            stack.extend((one, False) for one in inputs)
    return depths[root]


def line(node: Any) -> str:
    """Kind, shape, value type, operation and depth."""
    step = node._step
    facts = []
    if step.shape != (None, None) and step.kind in ('matrix', 'frame'):
        facts.append(f'{"?" if step.shape[0] is None else step.shape[0]}x{"?" if step.shape[1] is None else step.shape[1]}')
    if step.vtype:
        facts.append(step.vtype)
    facts += [f'operation={step.operation}', f'depth={depth_of(step)}']
    return f'<{type(node).__name__} {", ".join(facts)}>'
