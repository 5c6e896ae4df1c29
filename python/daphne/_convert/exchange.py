# SPDX-License-Identifier: Apache-2.0
"""Variables of Python as values of the engine and back, as magics exchange them. What a context binds without a copy is
shared here, too."""
from __future__ import annotations

import importlib.util
from typing import Any

from .._compute import compute
from .._engine import library
from .._engine.values import Value
from .._graph.step import SCALAR, Step
from .results import Wanted, converted


def value_of_python(obj: Any, name: str) -> Value:
    """The value of an array, a sparse matrix, a data frame, a number, a text, or of a node, which is computed if need be.
    `name` is for messages. TypeError for others."""
    from ..context.daphne_context import DaphneContext
    from ..operator.operation_node import OperationNode
    context = obj.daphne_context if isinstance(obj, OperationNode) else DaphneContext()
    try:
        step = context.asarray(obj)._step
    except TypeError as error:
        raise TypeError(f'{name}: {error}') from None
    if step.binding is not None:
        value: Value = step.binding.value()
        return value
    return compute([step], context._settings(None, None)).values[0]


def python_of_value(value: Value) -> Any:
    """An array, a sparse matrix (where SciPy is installed), a data frame (likewise pandas), a number, a text, or a list."""
    kind = value.describe().kind
    if kind == library.NOTHING:
        return None
    if kind == library.FRAME and importlib.util.find_spec('pandas') is None:
        raise ImportError('frames become pandas.DataFrame, and pandas is not installed: pip install pandas')
    is_sparse = kind == library.CSR and importlib.util.find_spec('scipy') is not None
    return converted(value, Step(SCALAR if kind in (library.NUMBER, library.TEXT) else 'value', 'value'),
                     Wanted(sparse=is_sparse))


__all__ = ['python_of_value', 'value_of_python']
