# SPDX-License-Identifier: Apache-2.0
"""Values of the engine as objects of Python, as the caller of `compute` wants them."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple

import numpy as np

from .._engine import library
from .._engine.values import Value
from .._graph.step import SCALAR, Step
from .arrays import array_of_value

FORMS = ('numpy', 'scipy', 'pandas', 'arrow', 'polars', 'torch', 'tensorflow', 'python')


class Wanted(NamedTuple):
    """What a result should be."""
    form: Optional[str] = None  # one of FORMS
    shape: Optional[Tuple[int, ...]] = None
    use_index_column: bool = False
    sparse: bool = False
    copy: bool = False


def converted(value: Value, step: Step, wanted: Wanted) -> Any:
    """The result of a step."""
    what = value.describe()
    if what.kind == library.NUMBER:
        return value.to_number()
    if what.kind == library.TEXT:
        return value.to_text()
    if what.kind == library.LIST:
        return [converted(value.part(i), step, wanted) for i in range(value.length())]
    if wanted.form in ('arrow', 'polars'):
        return _table(value, wanted.form)
    if what.kind == library.FRAME:
        return _frame(value, wanted)
    if step.kind == SCALAR and what.rows * what.cols == 1:
        return array_of_value(value).reshape(-1)[0].item()
    return _matrix(value, what.kind == library.CSR, wanted)


def _table(value: Value, form: str) -> Any:
    from .arrow import Table, frame_value
    table = Table(frame_value(value))
    if form == 'polars':
        import polars
        return polars.DataFrame(table)
    import pyarrow
    return pyarrow.table(table)


def _frame(value: Value, wanted: Wanted) -> Any:
    from .frames import pandas_of_value
    if wanted.form in (None, 'pandas', 'python'):
        frame = pandas_of_value(value, wanted.use_index_column, wanted.copy)
        return frame.to_dict('records') if wanted.form == 'python' else frame
    if wanted.form == 'numpy':
        return pandas_of_value(value).to_numpy()
    raise TypeError(f'a frame cannot become {wanted.form}; convert it with toMatrix first')


def _matrix(value: Value, is_sparse: bool, wanted: Wanted) -> Any:
    if wanted.form == 'scipy' or (wanted.form is None and wanted.sparse):
        from .sparse import sparse_of_array, sparse_of_value
        made = sparse_of_value(value) if is_sparse else sparse_of_array(array_of_value(value))
        return made.copy() if wanted.copy else made
    array = array_of_value(value)
    return in_form(array.copy() if wanted.copy else array, wanted)


def in_form(array: np.ndarray, wanted: Wanted) -> Any:
    """A matrix in the form that is wanted."""
    if wanted.shape is not None:
        array = array.reshape(wanted.shape)
    if wanted.form in (None, 'numpy'):
        return array
    if wanted.form == 'python':
        return array.tolist()
    if wanted.form == 'pandas':
        import pandas as pd
        return pd.DataFrame(array, copy=False)
    return tensor(array, wanted.form)


def tensor(array: np.ndarray, form: str) -> Any:
    """A tensor of PyTorch, over the same memory, or of TensorFlow."""
    if form == 'torch':
        import torch
        if array.dtype in (np.uint32, np.uint64) and not hasattr(torch, str(array.dtype)):
            array = array.astype(np.int64)
        return torch.from_numpy(array if array.flags.writeable else array.copy())
    import tensorflow
    return tensorflow.convert_to_tensor(array)
