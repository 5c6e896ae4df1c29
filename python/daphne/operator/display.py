# SPDX-License-Identifier: Apache-2.0
"""Nodes as people see them. Nothing is computed for it."""
from __future__ import annotations

import html as escape
from typing import Any, Dict, List

from .._engine import library
from .._graph.step import Step

_MOST_ROWS, _MOST_COLUMNS = 5, 10


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


def html(node: Any) -> str:
    """The same, and the first rows of data that is there."""
    text = f'<code>{escape.escape(line(node))}</code>'
    binding = node._step.binding
    if binding is None or binding.kind not in (library.DENSE, library.FRAME, library.CSR):
        return text
    value = binding.value()
    what = value.describe()
    if what.kind == library.CSR:
        return text + _sparse(value, what)
    return text + _table(value, what)


def _table(value: Any, what: Any) -> str:
    from .._convert.arrays import array_of_value
    if what.kind == library.FRAME:
        labels = value.labels()[:_MOST_COLUMNS]
        columns = [array_of_value(value.part(c))[:_MOST_ROWS, 0] for c in range(len(labels))]
    else:
        array = array_of_value(value)[:_MOST_ROWS, :_MOST_COLUMNS]
        labels = [str(c) for c in range(array.shape[1])]
        columns = [array[:, c] for c in range(array.shape[1])]
    more = '<th>…</th>' if what.cols > _MOST_COLUMNS else ''
    head = ''.join(f'<th>{escape.escape(label)}</th>' for label in labels) + more
    rows = ''.join('<tr>' + ''.join(f'<td>{escape.escape(_cell(column[r]))}</td>' for column in columns) + '</tr>'
                   for r in range(min(what.rows, _MOST_ROWS)))
    rest = f'<p>{what.rows} rows, {what.cols} columns</p>'
    return f'<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}'


def _cell(cell: Any) -> str:
    return f'{cell:.6g}' if hasattr(cell, 'dtype') and cell.dtype.kind == 'f' else str(cell)


def _sparse(value: Any, what: Any) -> str:
    """Shape, stored cells, density, and where the cells are as a small picture."""
    import numpy as np

    from .._convert.arrays import arrays_of_csr
    offsets, columns, _ = arrays_of_csr(value)
    stored = int(offsets[-1])
    side = 40
    picture = np.zeros((side, side), dtype=bool)
    if stored:
        # A sample is enough for a thumbnail.
        chosen = np.arange(0, stored, max(1, stored // 100000))
        rows = np.searchsorted(offsets, chosen, side='right') - 1
        picture[rows * side // what.rows, columns[chosen].astype(np.int64) * side // what.cols] = True
    squares = ''.join(f'<rect x="{c}" y="{r}" width="1" height="1"/>' for r, c in zip(*np.nonzero(picture)))
    density = stored / (what.rows * what.cols) if what.rows and what.cols else 0.0
    return (f'<p>{what.rows} x {what.cols}, {stored} stored cells, density {density:.3g}</p>'
            f'<svg viewBox="0 0 {side} {side}" width="120" height="120" style="border:1px solid #888">{squares}</svg>')
