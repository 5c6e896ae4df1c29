# SPDX-License-Identifier: Apache-2.0
"""Python values as literals of DaphneDSL."""
from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

_EXPONENT = re.compile(r'e\+?(-?)0*(?=\d)')
_ESCAPES = {'\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t', '"': '\\"', '\\': '\\\\'}
_ESCAPE_TABLE = str.maketrans(_ESCAPES)
_SI64_MAX, _UI64_MAX = 2**63 - 1, 2**64 - 1
_WIDTHS = {np.dtype(np.int8): 'si8', np.dtype(np.int32): 'si32', np.dtype(np.uint8): 'ui8', np.dtype(np.uint32): 'ui32'}


def quoted(text: str) -> str:
    """A string literal."""
    if '\0' in text:
        raise ValueError(f'a text in a program must not contain a zero byte: {text!r}')
    return f'"{text.translate(_ESCAPE_TABLE)}"'


def integer(number: int) -> str:
    """An integer: si64 if it fits, else ui64."""
    if number < 0:
        if number < -_SI64_MAX - 1:
            raise OverflowError(f'{number} does not fit into 64 bits')
        return f'({number})'
    if number > _UI64_MAX:
        raise OverflowError(f'{number} does not fit into 64 bits')
    return f'{number}u' if number > _SI64_MAX else str(number)


def floating(number: float, suffix: str = '') -> str:
    """A floating-point number, exactly; the suffix 'f' makes it single precision."""
    if math.isnan(number):
        return f'nan{suffix}'
    if math.isinf(number):
        return f'inf{suffix}' if number > 0 else f'(-inf{suffix})'
    text = repr(float(number)) if not suffix else str(np.float32(number))
    if suffix and 'e' not in text and '.' not in text:
        text += '.0'
    # An exponent has no zeros in front.
    text = _EXPONENT.sub(r'e\1', text) + suffix
    return f'({text})' if text.startswith('-') else text


def literal(value: Any) -> str:
    """How a number of Python or numpy is written; TypeError for everything else."""
    if isinstance(value, (bool, np.bool_)):
        return 'true' if value else 'false'
    if isinstance(value, (int, np.integer)):
        if isinstance(value, np.generic):
            if value.dtype == np.uint64:
                return f'{int(value)}u'
            width = _WIDTHS.get(value.dtype)
            if width:
                return f'as.{width}({integer(int(value))})'
        return integer(int(value))
    if isinstance(value, np.float32):
        return floating(float(value), 'f')
    if isinstance(value, (float, np.floating)):
        return floating(float(value))
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in 'biuf':
        return literal(value[()])
    raise TypeError(f'{type(value).__name__} cannot be part of an expression: {value!r}')


def is_number(value: Any) -> bool:
    """Whether `literal` takes it."""
    return (isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))
            or (isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in 'biuf'))
