# SPDX-License-Identifier: Apache-2.0
"""Data that a graph refers to: what a program is compiled for, and the value it runs with."""
from __future__ import annotations

import threading
from typing import Any, Callable, Optional, Tuple

from .._engine import library
from .._engine.engine import InputSignature
from .._engine.values import Value

# Names of value types in DaphneDSL, by daphne_type.
VTYPES = {library.BOOL: 'bool', library.SI8: 'si8', library.UI8: 'ui8', library.SI32: 'si32', library.UI32: 'ui32',
          library.SIZE: 'size', library.SI64: 'si64', library.UI64: 'ui64', library.F32: 'f32', library.F64: 'f64',
          library.STR: 'str'}


class Binding:
    """Data with what is known of it. The value of the engine is made when it is first needed, and kept."""
    __slots__ = ('kind', 'type', 'rows', 'cols', 'labels', 'types', 'source', '_make', '_value', '_lock', '__weakref__')

    def __init__(self, kind: int, type: int, rows: int, cols: int, make: Optional[Callable[[], Value]] = None,
                 value: Optional[Value] = None, labels: Optional[Tuple[str, ...]] = None,
                 types: Optional[Tuple[int, ...]] = None, source: Any = None) -> None:
        self.kind = kind
        self.type = type
        self.rows = rows
        self.cols = cols
        self.labels = labels
        self.types = types
        self.source = source  # the object of Python, if results may refer to it
        self._make = make
        self._value = value
        self._lock = threading.Lock()

    def value(self) -> Value:
        """The value; raises Failure."""
        if self._value is None:
            with self._lock:
                if self._value is None:
                    assert self._make is not None
                    self._value = self._make()
                    self._make = None
                    self._look()
        return self._value

    def _look(self) -> None:
        """Facts that come with the value."""
        assert self._value is not None
        if self.kind == library.FRAME and self.labels is None:
            what = self._value.describe()
            self.labels = tuple(self._value.labels())
            self.types = tuple(self._value.part(c).describe().type for c in range(len(self.labels)))
            self.rows, self.cols = what.rows, what.cols

    def signature(self, name: str) -> InputSignature:
        """As the input of a program."""
        return InputSignature(name, self.kind, self.type, self.rows, self.cols, self.labels, self.types)


def binding_of_value(value: Value) -> Binding:
    """A value of the engine as data."""
    what = value.describe()
    if what.kind == library.FRAME:
        binding = Binding(what.kind, library.ANY, what.rows, what.cols, value=value)
        binding._look()
        return binding
    return Binding(what.kind, what.type, what.rows, what.cols, value=value)
