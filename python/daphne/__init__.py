# SPDX-License-Identifier: Apache-2.0
"""Daphne from Python: matrices and tables that are computed when they are asked for.

    import daphne as dp
    dc = dp.DaphneContext()
    X = dc.from_numpy(array)
    print((X * 2 + 1).sum().compute())
"""
from __future__ import annotations

import importlib
from typing import Any

from ._options import options
from ._progress import ProgressEvent
from .compute import compute
from .context.daphne_context import DaphneContext
from .errors import (Cancelled, DaphneError, ExecutionError, InternalError, IOFormatError, OutOfMemoryError, ParseError,
                     ShapeError, TypeInferenceError)
from .operator.nodes.frame import Frame
from .operator.nodes.list import List
from .operator.nodes.matrix import Matrix
from .operator.nodes.scalar import Scalar
from .operator.operation_node import OperationNode

__version__ = '0.1.0'

__all__ = ['Cancelled', 'DaphneContext', 'DaphneError', 'ExecutionError', 'Frame', 'IOFormatError', 'InternalError', 'List',
           'Matrix', 'OperationNode', 'OutOfMemoryError', 'ParseError', 'ProgressEvent', 'Scalar', 'ShapeError', 'TypeInferenceError',
           'compute', 'numpy', 'options', '__version__']


def __getattr__(name: str) -> Any:
    # Modules that few programs need are loaded when they are asked for.
    if name in ('numpy', 'ml'):
        try:
            return importlib.import_module(f'{__name__}.{name}')
        except ModuleNotFoundError as error:
            if error.name != f'{__name__}.{name}':
                raise
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
