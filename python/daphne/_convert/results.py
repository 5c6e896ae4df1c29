# SPDX-License-Identifier: Apache-2.0
"""Values of the engine as objects of Python, as the caller of `compute` wants them."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

from .._engine import library
from .._engine.values import Value
from .._graph.step import SCALAR, Step
from .arrays import array_of_value


class Wanted(NamedTuple):
    """What a result should be."""
    transfer: str = 'shared memory'
    as_tensorflow: bool = False
    as_pytorch: bool = False
    shape: Optional[Tuple[int, ...]] = None
    use_index_column: bool = False
    sparse: bool = False
    as_: Optional[str] = None
    copy: bool = False


def converted(value: Value, step: Step, wanted: Wanted) -> Any:
    """The result of a step."""
    what = value.describe()
    if what.kind == library.NUMBER:
        return value.to_number()
    if what.kind == library.TEXT:
        return value.to_text()
    if what.kind == library.FRAME:
        from .frames import pandas_of_value
        return pandas_of_value(value, wanted.use_index_column)
    if what.kind == library.LIST:
        return [array_of_value(value.part(i)) for i in range(value.length())]
    array = array_of_value(value)
    if step.kind == SCALAR and array.size == 1:
        return array.reshape(-1)[0].item()
    if wanted.copy:
        array = array.copy()
    if wanted.shape is not None:
        array = array.reshape(wanted.shape)
    return array
