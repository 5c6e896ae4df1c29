# SPDX-License-Identifier: Apache-2.0
"""Head and tail of matrices and frames as HTML."""
from __future__ import annotations

from html import escape
from typing import Any, Callable, List, Optional, Sequence, Union

import numpy as np

from .cells import Cells, Table

# Of more rows and columns only those at both ends are shown.
MOST_ROWS, END_ROWS = 10, 5
MOST_COLS, END_COLS = 12, 6
_MOST_CHARACTERS = 48
_LEFT, _RIGHT = 'text-align:left', 'text-align:right'


def cell_text(cell: Any) -> str:
    """A cell as `print` of the language writes it; texts on one line, and cut."""
    if isinstance(cell, str):
        text = cell.replace('\\', '\\\\').replace('\n', '\\n').replace('\t', '\\t').replace('\r', '\\r')
        return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS - 1] + '…'
    if isinstance(cell, (bool, np.bool_)):
        return '1' if cell else '0'
    if isinstance(cell, (float, np.floating)):
        return f'{float(cell):.6g}'
    return str(cell)


def ends(count: int, most: int, at_end: int) -> List[Optional[int]]:
    """The positions that are shown; None stands for those that are not."""
    if count <= most:
        return list(range(count))
    return [*range(at_end), None, *range(count - at_end, count)]


def table(of: Union[Cells, Table], head: Sequence[str] = ()) -> str:
    """Head and tail. `head`: further cells below the labels of columns, one per column."""
    if of.cols == 0 or (of.rows == 0 and not isinstance(of, Table)):
        return ''
    columns = ends(of.cols, MOST_COLS, END_COLS)
    rows = ends(of.rows, MOST_ROWS, END_ROWS)

    def alignment(col: int) -> str:
        column = of.columns[col] if isinstance(of, Table) else of
        return _LEFT if column.is_text else _RIGHT

    def line(first: str, cell: Callable[[int], str], tag: str = 'td') -> str:
        cells = ''.join(f'<{tag}>…</{tag}>' if c is None else f'<{tag} style="{alignment(c)}">{cell(c)}</{tag}>'
                        for c in columns)
        return f'<tr><th>{first}</th>{cells}</tr>'

    if isinstance(of, Table):
        heading = [line('', lambda c: escape(cell_text(of.labels[c])) + '<br><span style="font-weight:normal;opacity:.6">'
                        f'{of.columns[c].type}</span>', 'th')]
        if head:
            heading.append(line('', lambda c: head[c]))
    else:
        heading = [line('', str, 'th')]
    body = [f'<tr><th>⋮</th><td colspan="{len(columns)}" style="{_LEFT};opacity:.6">{_count(of.rows - 2 * END_ROWS)} more rows'
            '</td></tr>' if r is None else line(str(r), lambda c, r=r: escape(cell_text(of.cell(r, c))))  # type: ignore[misc]
            for r in rows]
    return f'<table><thead>{"".join(heading)}</thead><tbody>{"".join(body)}</tbody></table>'


def _count(number: int) -> str:
    return f'{number:,}'.replace(',', ' ')
