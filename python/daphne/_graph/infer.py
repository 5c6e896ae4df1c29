# SPDX-License-Identifier: Apache-2.0
"""What is known of results before anything runs: value types and shapes, as far as operands tell. The engine decides;
this is for `shape`, `dtype` and texts, and never an error."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .step import UNKNOWN, SCALAR, Shape, Step

# From the least general to the most general type.
ORDER = ('bool', 'si8', 'ui8', 'si32', 'ui32', 'size', 'si64', 'ui64', 'f32', 'f64')
_RANK = {name: rank for rank, name in enumerate(ORDER)}
DTYPES = {'bool': np.dtype(np.bool_), 'si8': np.dtype(np.int8), 'ui8': np.dtype(np.uint8), 'si32': np.dtype(np.int32),
          'ui32': np.dtype(np.uint32), 'size': np.dtype(np.uint64), 'si64': np.dtype(np.int64), 'ui64': np.dtype(np.uint64),
          'f32': np.dtype(np.float32), 'f64': np.dtype(np.float64), 'str': np.dtype(object)}
VTYPES = {dtype: name for name, dtype in DTYPES.items() if name not in ('size', 'str')}


def type_of(operand: Any) -> Optional[str]:
    """The value type of a step or of a number."""
    if isinstance(operand, Step):
        return operand.vtype
    if isinstance(operand, (bool, np.bool_)):
        return 'bool'
    if isinstance(operand, np.generic) and operand.dtype in VTYPES:
        return VTYPES[operand.dtype]
    if isinstance(operand, int):
        return 'si64' if operand < 2**63 else 'ui64'
    return 'f64' if isinstance(operand, float) else None


def shape_of(operand: Any) -> Shape:
    """The shape of a step; a scalar and a number are (1, 1) to broadcasting."""
    if isinstance(operand, Step):
        return (1, 1) if operand.kind == SCALAR else operand.shape
    return (1, 1)


def common_type(*types: Optional[str]) -> Optional[str]:
    """The most general type; None if one is not known, or is no number."""
    if any(one not in _RANK for one in types):
        return None
    return max((one for one in types if one is not None), key=_RANK.__getitem__)


def arithmetic_type(*types: Optional[str]) -> Optional[str]:
    """Of + - * / ^ %: two truth values become si64."""
    common = common_type(*types)
    return 'si64' if common == 'bool' else common


def logic_type(*types: Optional[str]) -> Optional[str]:
    """Of && and ||."""
    common = common_type(*types)
    return 'ui64' if common in ('f32', 'f64') else common


def sum_type(one: Optional[str]) -> Optional[str]:
    """Of sums: narrow integers are added up in si64."""
    return 'si64' if one in ('bool', 'si8', 'ui8', 'si32', 'ui32') else one


def float_type(one: Optional[str]) -> Optional[str]:
    """Of means, roots and the like."""
    if one is None or one == 'str':
        return None
    return 'f32' if one == 'f32' else 'f64'


def broadcast(left: Shape, right: Shape) -> Shape:
    """Of cell by cell operations; what does not fit is not known."""
    return _side(left[0], right[0]), _side(left[1], right[1])


def _side(left: Optional[int], right: Optional[int]) -> Optional[int]:
    if left == right or right == 1:
        return left
    if left == 1:
        return right
    if left is None or right is None:
        return right if left is None else left
    return None


def product(shape: Shape) -> Optional[int]:
    """The number of cells."""
    return None if shape[0] is None or shape[1] is None else shape[0] * shape[1]


__all__ = ['Shape', 'UNKNOWN', 'ORDER', 'DTYPES', 'VTYPES', 'type_of', 'shape_of', 'common_type', 'arithmetic_type', 'logic_type',
           'sum_type', 'float_type', 'broadcast', 'product']
