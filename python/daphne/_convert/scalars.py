# SPDX-License-Identifier: Apache-2.0
"""Numbers and texts as data."""
from __future__ import annotations

from typing import Any

import numpy as np

from .._engine import library
from .._engine.values import Value
from .._graph import infer
from .bindings import Binding

_TYPES = {'bool': library.BOOL, 'si8': library.SI8, 'ui8': library.UI8, 'si32': library.SI32, 'ui32': library.UI32,
          'si64': library.SI64, 'ui64': library.UI64, 'f32': library.F32, 'f64': library.F64}


def binding_of_scalar(value: Any) -> Binding:
    """A number of Python or numpy, or a text."""
    if isinstance(value, str):
        return Binding(library.TEXT, library.STR, -1, -1, lambda: Value.text(value))
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (np.int16, np.uint16)):
        value = np.int32(value)
    if isinstance(value, np.float16):
        value = np.float32(value)
    vtype = infer.type_of(value)
    if vtype is None or (isinstance(value, int) and not -2**63 <= value < 2**64):
        raise TypeError(f'{value!r} is neither a number of at most 64 bits nor a text')
    number = _TYPES[vtype]
    return Binding(library.NUMBER, number, -1, -1, lambda: Value.number(number, value))
