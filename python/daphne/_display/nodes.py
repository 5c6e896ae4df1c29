# SPDX-License-Identifier: Apache-2.0
"""Nodes of the package as HTML: their line, and of data, which is there already, the first rows. Nothing is computed."""
from __future__ import annotations

from html import escape
from typing import Any

from .._convert.bindings import VTYPES, Binding
from .._engine import library
from ..operator.display import line


def html_of_node(node: Any) -> str:
    """A fragment."""
    binding = node._step.binding
    return f'<code>{escape(line(node))}</code>' + ('' if binding is None else html_of_binding(binding))


def html_of_binding(binding: Binding) -> str:
    """Head and tail of data. Arrays are shown as they are; other data becomes a value of the engine, if it is none yet."""
    from .cells import DenseCells
    from .values import html_of_matrix, html_of_value
    array = binding.source
    is_array = binding.kind == library.DENSE and getattr(array, 'ndim', 0) == 2 and array.dtype.kind in 'biuf'
    if is_array and array.shape == (binding.rows, binding.cols):
        return html_of_matrix(DenseCells(array, VTYPES[binding.type]))
    return html_of_value(binding.value())
