# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays. Arrays whose rows have no gaps inside are bound and returned without a copy."""
from __future__ import annotations

from typing import List, Tuple

import numpy as np

from .._engine import library
from .._engine.values import TYPE_STRINGS, Value
from .._options import options
from .bindings import Binding

# Cells as they are.
_SAME = {'bool': library.BOOL, 'int8': library.SI8, 'uint8': library.UI8, 'int32': library.SI32, 'uint32': library.UI32,
         'int64': library.SI64, 'uint64': library.UI64, 'float32': library.F32, 'float64': library.F64}
# Cells that are widened.
_WIDER = {'int16': np.dtype(np.int32), 'uint16': np.dtype(np.uint32), 'float16': np.dtype(np.float32)}


def normalised(array: np.ndarray, what: str = 'an array') -> np.ndarray:
    """The array with cells of a type that the engine has and in the byte order of this machine; itself if it is so
    already. TypeError for others."""
    dtype = array.dtype
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        raise TypeError(f'{what} has masked cells; fill them first (filled)')
    if dtype.name in _SAME and dtype.isnative:
        return array
    if dtype.kind in 'biuf' and not dtype.isnative:
        return normalised(array.astype(dtype.newbyteorder('=')), what)
    if dtype.name in _WIDER:
        return array.astype(_WIDER[dtype.name])
    if dtype.kind in 'iu' and dtype.itemsize in (1, 4, 8):  # long long beside long
        return array.view(np.dtype(f'{dtype.kind}{dtype.itemsize}'))
    if dtype.kind in 'mM':
        if options.datetime_as_int:
            return array.astype(dtype.str[:3] + '[ns]').view(np.int64)
        raise TypeError(f'{what} has the dtype {dtype}; set daphne.options.datetime_as_int to import dates and times as '
                        'nanoseconds')
    if dtype.kind == 'O':
        return array
    if dtype.kind in 'SU':
        return array
    raise TypeError(f'{what} has the dtype {dtype}, which has no value type in Daphne')


def two_dimensional(array: np.ndarray) -> np.ndarray:
    """0-d becomes 1 x 1, 1-d a column, more dimensions first x rest."""
    if array.ndim == 2:
        return array
    if array.ndim == 0:
        return array.reshape(1, 1)
    if array.ndim == 1:
        return array.reshape(-1, 1)
    return array.reshape(array.shape[0], int(np.prod(array.shape[1:])))


def texts(array: np.ndarray, what: str = 'an array') -> List[str]:
    """The cells of an array of texts, row by row."""
    if array.dtype.kind == 'S':
        return [cell.decode('utf-8') for cell in array.ravel().tolist()]
    cells = array.ravel().tolist()
    for cell in cells:
        if not isinstance(cell, str):
            if isinstance(cell, bytes):
                return [one.decode('utf-8') if isinstance(one, bytes) else one for one in cells]
            raise TypeError(f'{what} has the dtype {array.dtype} and holds a {type(cell).__name__}; cells must be numbers '
                            'or texts')
    return cells


def is_transposed(array: np.ndarray) -> bool:
    """Whether the transposed array is the one whose rows have no gaps inside."""
    return (array.ndim == 2 and array.size > 0 and array.shape[0] > 1 and array.shape[1] > 1
            and not _has_rows(array) and _has_rows(array.T))


def _has_rows(array: np.ndarray) -> bool:
    rows, cols = array.shape
    cell = array.itemsize
    return ((cols <= 1 or array.strides[1] == cell) and
            (rows <= 1 or (array.strides[0] >= cols * cell and array.strides[0] % cell == 0)))


def binding_of_array(array: np.ndarray) -> Binding:
    """A two-dimensional array of numbers or texts. What cannot be bound as it is, is copied here and now."""
    array = normalised(array)
    rows, cols = array.shape
    if array.dtype.kind in 'OSU':
        cells = texts(array)
        return Binding(library.DENSE, library.STR, rows, cols, lambda: strings_value(cells, rows, cols))
    if array.size == 0:
        array = np.empty((rows, cols), dtype=array.dtype)  # strides of nothing may be anything
    elif not _has_rows(array):
        array = np.ascontiguousarray(array)
    type = _SAME[array.dtype.name]
    row_bytes = array.strides[0] if rows > 1 else cols * array.itemsize
    address = array.__array_interface__['data'][0]
    return Binding(library.DENSE, type, rows, cols, lambda: Value.dense(array, address, type, rows, cols, row_bytes),
                   source=array)


def array_of_value(value: Value) -> np.ndarray:
    """A matrix as an array over the cells of the engine; sparse ones become dense, strings become objects."""
    what = value.describe()
    if what.type == library.STR:
        return array_of_texts(value, what.rows, what.cols)
    if what.kind == library.DENSE:
        if what.rows == 0 or what.cols == 0:
            return np.empty((what.rows, what.cols), dtype=TYPE_STRINGS[what.type])
        return np.asarray(value.dense_memory())
    offsets, columns, cells = arrays_of_csr(value)
    dense = np.zeros((what.rows, what.cols), dtype=cells.dtype)
    dense[np.repeat(np.arange(what.rows), np.diff(offsets)), columns] = cells
    return dense


def strings_value(cells: List[str], rows: int, cols: int) -> Value:
    """Texts, row by row, as a matrix."""
    whole = ''.join(cells)
    lengths = np.fromiter(map(len, cells), dtype=np.int64, count=len(cells))
    data = whole.encode('utf-8', 'surrogatepass')
    if len(data) != len(whole):  # characters of several bytes
        parts = [cell.encode('utf-8', 'surrogatepass') for cell in cells]
        lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts))
    offsets = np.zeros(len(cells) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return Value.packed_strings(data, offsets, rows, cols)


def texts_of_value(value: Value, cells: int) -> List[str]:
    """All cells of a matrix of strings, row by row."""
    data, memory = value.packed(cells)
    offsets = np.asarray(memory).tolist()
    if data.isascii():
        whole = data.decode('ascii')
        return [whole[begin:end] for begin, end in zip(offsets, offsets[1:])]
    return [data[begin:end].decode('utf-8', 'replace') for begin, end in zip(offsets, offsets[1:])]


def array_of_texts(value: Value, rows: int, cols: int) -> np.ndarray:
    """A matrix of strings as an array of objects; equal cells are the same object."""
    memory, distinct = value.codes()
    codes = np.asarray(memory)
    texts_ = np.array(texts_of_value(distinct, distinct.describe().rows) + [''], dtype=object)
    return texts_[codes] if rows * cols else np.empty((rows, cols), dtype=object)


def arrays_of_csr(value: Value) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets of rows, columns and cells of a sparse matrix, over the memory of the engine."""
    view = value.csr_view()
    offsets = np.asarray(value.memory(view.offsets, view.rows + 1, '<i8'))
    stored = int(offsets[-1])
    if stored == 0:
        return offsets, np.empty(0, dtype=np.int32), np.empty(0, dtype=TYPE_STRINGS[view.type])
    columns = np.asarray(value.memory(view.columns or 0, stored, '<i8' if view.column_bits == 64 else '<i4'))
    typestr = TYPE_STRINGS[view.type]
    if view.values:
        cells = np.asarray(value.memory(view.values, stored, typestr))
    else:
        cells = np.ones(stored, dtype=typestr)
    return offsets, columns, cells
