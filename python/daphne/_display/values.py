# SPDX-License-Identifier: Apache-2.0
"""Values of the engine as HTML: what they are, head and tail, and a small plot."""
from __future__ import annotations

from html import escape
from typing import List, Sequence, Union

from .._engine import library
from .._engine.values import Value
from . import plots
from .cells import Cells, SparseCells, Table, cells_of_value, table_of_value
from .tables import MOST_COLS, END_COLS, cell_text, ends, table

# Smaller values are not plotted: their table shows everything.
_LEAST_CELLS, _LEAST_SIDE = 11, 6


def html_of_value(value: Value) -> str:
    """A fragment; empty for numbers and texts, for which plain text is enough."""
    kind = value.describe().kind
    if kind in (library.DENSE, library.CSR):
        return html_of_matrix(cells_of_value(value))
    if kind == library.FRAME:
        return html_of_frame(table_of_value(value))
    if kind == library.LIST:
        parts = [summary(cells_of_value(value.part(i))) for i in range(value.length())]
        items = ''.join(f'<li>…</li>' if i is None else f'<li value="{i}">{escape(parts[i])}</li>'
                        for i in ends(len(parts), 20, 10))
        return _block(f'list of {len(parts)}', f'<ol start="0">{items}</ol>')
    return ''


def html_of_matrix(cells: Cells) -> str:
    """A matrix."""
    return _block(summary(cells), _plot(cells), table(cells))


def html_of_frame(frame: Table) -> str:
    """A frame, with the distribution of every column of numbers."""
    head: List[str] = []
    if frame.rows >= _LEAST_CELLS:
        shown = ends(frame.cols, MOST_COLS, END_COLS)
        head = [plots.bars(frame.columns[c]) if c in shown and not frame.columns[c].is_text else ''
                for c in range(frame.cols)]
    return _block(f'{frame.rows}x{frame.cols} frame', table(frame, head))


def summary(cells: Cells) -> str:
    """One line, as at the prompt."""
    text = f'{cells.rows}x{cells.cols} matrix, {cells.type}'
    if cells.stored is not None:
        share = 100 * cells.stored / max(cells.rows * cells.cols, 1)
        text += f', {share:.1g}% non-zero' if 0 < share < 1 else f', {share:.0f}% non-zero'
    return text


def large_plot(values: Sequence[Value]) -> str:
    """The plot of a matrix, of a column, or of two columns against each other. ValueError if they cannot be plotted."""
    if not 1 <= len(values) <= 2:
        raise ValueError('a plot is of one value, or of two columns')
    shown: List[Cells] = []
    for value in values:
        what = value.describe()
        if what.kind == library.FRAME and what.cols == 1:
            value = value.part(0)
            what = value.describe()
        if what.kind not in (library.DENSE, library.CSR) or what.type == library.STR:
            raise ValueError('only matrices of numbers and columns of frames can be plotted')
        if what.rows == 0 or what.cols == 0:
            raise ValueError(f'there is nothing to plot in a {what.rows}x{what.cols} matrix')
        shown.append(cells_of_value(value))
    if len(shown) == 2:
        x, y = shown
        if x.cols != 1 or y.cols != 1 or x.rows != y.rows:
            raise ValueError(f'two columns of the same length are needed, not {x.rows}x{x.cols} and {y.rows}x{y.cols}')
        drawn = plots.scatter(x, y)
    elif 1 in (shown[0].rows, shown[0].cols):
        drawn = plots.line(shown[0], plots.LARGE)
    else:
        drawn = plots.colours(shown[0], 320)
    if not drawn:
        raise ValueError('no cell is a finite number')
    return _block(', '.join(summary(one) for one in shown), drawn)


def _plot(cells: Cells) -> str:
    if cells.is_text:
        return ''
    if 1 in (cells.rows, cells.cols):
        return plots.line(cells) if cells.rows * cells.cols >= _LEAST_CELLS else ''
    is_large = min(cells.rows, cells.cols) >= _LEAST_SIDE
    return plots.colours(cells) if is_large or isinstance(cells, SparseCells) else ''


def _block(title: str, *parts: Union[str, None]) -> str:
    inside = ''.join(f'<div>{part}</div>' for part in parts if part)
    return f'<div class="daphne-value"><div style="opacity:.7">{escape(title)}</div>{inside}</div>'


__all__ = ['cell_text', 'html_of_frame', 'html_of_matrix', 'html_of_value', 'large_plot', 'summary']
