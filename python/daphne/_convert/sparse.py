# SPDX-License-Identifier: Apache-2.0
"""SciPy's sparse matrices and arrays. Compressed rows share their columns and cells; offsets are copied where SciPy keeps
them in 32 bits."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from .._engine import library
from .._engine.values import Value
from .arrays import _SAME, arrays_of_csr, normalised
from .bindings import Binding


def is_sparse(obj: Any) -> bool:
    """Whether it is one of SciPy's, without importing SciPy."""
    return type(obj).__module__.startswith('scipy.sparse') and hasattr(obj, 'tocsr')


def binding_of_sparse(matrix: Any, copy: bool = False) -> Tuple[Binding, bool]:
    """The matrix as compressed rows, and whether that is the transposed one."""
    is_transposed = matrix.format == 'csc'
    csr = matrix.T if is_transposed else matrix
    if csr.format != 'csr':
        csr = csr.tocsr()
    if copy:
        csr = csr.copy()
    cells = normalised(csr.data, 'a sparse matrix')
    if cells.dtype.kind not in 'biuf':
        raise TypeError(f'a sparse matrix has the dtype {cells.dtype}; cells must be numbers')
    columns, offsets = csr.indices, csr.indptr
    if columns.dtype.itemsize == 8 and csr.shape[1] <= 2**32:
        # Column numbers have 32 bits in the engine, while they fit.
        if columns.size and (columns.min() < 0 or columns.max() >= csr.shape[1]):
            raise ValueError('a sparse matrix has a cell outside of its columns')
        columns = columns.astype(np.int32 if csr.shape[1] < 2**31 else np.uint32)
    cells, columns, offsets = (np.ascontiguousarray(one) for one in (cells, columns, offsets))
    type = _SAME[cells.dtype.name]
    rows, cols = csr.shape

    def make() -> Value:
        return Value.csr((cells, columns, offsets), type, offsets.itemsize * 8, columns.itemsize * 8, offsets.ctypes.data,
                         columns.ctypes.data, cells.ctypes.data, rows, cols)

    return Binding(library.CSR, type, rows, cols, make, source=matrix), is_transposed


def sparse_of_value(value: Value) -> Any:
    """A sparse matrix of the engine as SciPy's csr_array over its memory."""
    import scipy.sparse
    what = value.describe()
    offsets, columns, cells = arrays_of_csr(value)
    if columns.dtype == np.int32 and offsets[-1] < 2**31:
        offsets = offsets.astype(np.int32)  # SciPy wants both of one type; these are the smaller ones
    made = getattr(scipy.sparse, 'csr_array', scipy.sparse.csr_matrix)
    return made((cells, columns, offsets), shape=(what.rows, what.cols), copy=False)


def sparse_of_array(array: np.ndarray) -> Any:
    """A dense result as SciPy's csr_array."""
    import scipy.sparse
    return getattr(scipy.sparse, 'csr_array', scipy.sparse.csr_matrix)(array)
