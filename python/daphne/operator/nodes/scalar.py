# SPDX-License-Identifier: Apache-2.0
"""Numbers and texts that are not computed yet."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from ..._graph.step import NONE, Step
from ..._options import options
from ...script_building.dag import OutputType
from .builtins import TextFunctions
from .matrix import Functions, cast


class Scalar(Functions, TextFunctions):
    """One value. With a matrix it makes a matrix."""

    def __init__(self, daphne_context: Any, operation: str, unnamed_input_nodes: Optional[Sequence[Any]] = None,
                 named_input_nodes: Any = None) -> None:
        super().__init__(daphne_context, operation, unnamed_input_nodes, named_input_nodes, OutputType.SCALAR)

    def print(self) -> Any:
        """A node that prints the value when it is computed."""
        return self._made(Step(NONE, 'print', [self._step]))

    def asType(self, dtype: Optional[str] = None, vtype: Optional[str] = None) -> Any:
        """Another kind ("matrix", "frame", "scalar"), another value type ("f64", "si64" ...), or both."""
        return cast(self, dtype, vtype)

    def toStr(self, digits: Any = None) -> Any:
        """The text of the value."""
        return self._further('toStr', ['scalar'], () if digits is None else (digits,))

    def __bool__(self) -> bool:
        return bool(self.compute()) if options.eager_scalars else super().__bool__()

    def __float__(self) -> float:
        return float(self._eager('float'))

    def __int__(self) -> int:
        return int(self._eager('int'))

    def __index__(self) -> int:
        value = self._eager('an index')
        if not isinstance(value, int):
            raise TypeError(f'{value!r} is no integer')
        return value

    def _eager(self, what: str) -> Any:
        if not options.eager_scalars:
            raise TypeError(f'a Scalar is not computed yet and is no {what}; use compute(), or set '
                            'daphne.options.eager_scalars')
        return self.compute()
