# SPDX-License-Identifier: Apache-2.0
"""Nodes of the package as HTML: what is known of them without computing. Rows are shown of data only, because they are there
already."""
from __future__ import annotations

from html import escape
from typing import Any

from .._compute import described
from .._convert.bindings import VTYPES
from .._engine import library
from .._graph.step import Step


def html_of_step(step: Step) -> str:
    """A fragment: kind, shape and type, then the operation, or the first rows of data."""
    binding = step.binding
    if binding is None:
        return _line(described(step), f'{step.operation}, computed by compute()')
    return _line(described(step), 'data') + _rows(binding)


def _rows(binding: Any) -> str:
    # Nothing of this computes; values of the engine are made of the data where that is not done yet.
    from .cells import DenseCells
    from .values import html_of_frame, html_of_matrix, html_of_value
    from .cells import table_of_value
    array = binding.source
    if binding.kind == library.DENSE and array is not None and getattr(array, 'ndim', 0) == 2 and array.dtype.kind in 'biuf':
        return html_of_matrix(DenseCells(array, VTYPES[binding.type]))
    value = binding.value()
    return html_of_frame(table_of_value(value)) if binding.kind == library.FRAME else html_of_value(value)


def _line(what: str, how: str) -> str:
    return f'<div class="daphne-node"><b>{escape(what)}</b> <span style="opacity:.7">{escape(how)}</span></div>'
