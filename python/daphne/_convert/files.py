# SPDX-License-Identifier: Apache-2.0
"""Data through files: CSV with its metadata, in a private directory of the process. A file lives as long as the node or
the call it was written for."""
from __future__ import annotations

import atexit
import csv
import itertools
import json
import os
import shutil
import tempfile
import threading
import time
import weakref
from typing import Any, List, Optional

import numpy as np

from .._graph import infer
from .._graph.literals import quoted
from .._graph.step import FRAME, MATRIX, Step
from .arrays import normalised

_lock = threading.Lock()
_directory: Optional[str] = None
_owner = 0
_numbers = itertools.count(1)


def private_file() -> str:
    """A name for a file nobody else uses."""
    global _directory, _owner
    with _lock:
        if _directory is None or _owner != os.getpid():
            _directory, _owner = tempfile.mkdtemp(prefix='daphne-', dir=os.environ.get('DAPHNE_TMPDIR')), os.getpid()
            atexit.register(_remove_directory, _directory, _owner)
        return os.path.join(_directory, f'{next(_numbers)}.csv')


def _remove_directory(directory: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(directory, ignore_errors=True)


def remove(path: str) -> None:
    """The file and its metadata."""
    for name in (path, path + '.meta'):
        try:
            os.remove(name)
        except FileNotFoundError:
            pass


def matrix_file(context: Any, array: np.ndarray, verbose: bool) -> Any:
    """A node that reads the array from a file."""
    begin = time.perf_counter()
    array = normalised(array)
    path = private_file()
    is_text = array.dtype.kind in 'OSU'
    vtype = 'str' if is_text else infer.VTYPES[array.dtype]
    with open(path, 'w', encoding='utf-8', newline='') as file:
        _write_cells(file, [array[:, c] for c in range(array.shape[1])])
    _write_metadata(path, {'numRows': array.shape[0], 'numCols': array.shape[1], 'valueType': vtype})
    return _node(context, MATRIX, 'readMatrix', path, vtype, array.shape, verbose, begin)


def frame_file(context: Any, frame: Any, verbose: bool) -> Any:
    """A node that reads the DataFrame from a file."""
    from .frames import arrays_of_pandas
    begin = time.perf_counter()
    path = private_file()
    columns = arrays_of_pandas(frame)
    with open(path, 'w', encoding='utf-8', newline='') as file:
        _write_cells(file, [cells for _, cells in columns])
    schema = [{'label': label, 'valueType': 'str' if cells.dtype.kind in 'OSU' else infer.VTYPES[cells.dtype]}
              for label, cells in columns]
    _write_metadata(path, {'numRows': len(frame), 'numCols': len(columns), 'schema': schema})
    return _node(context, FRAME, 'readFrame', path, None, (len(frame), len(columns)), verbose, begin)


def _node(context: Any, kind: str, operation: str, path: str, vtype: Optional[str], shape: Any, verbose: bool,
          begin: float) -> Any:
    from ..operator.nodes import handle_of
    step = Step(kind, operation, [quoted(path)], vtype=vtype, shape=tuple(shape))
    weakref.finalize(step, remove, path)
    if verbose:
        print(f'writing {path}: {time.perf_counter() - begin:.6f} s')
    return handle_of(step, context)


def _write_metadata(path: str, metadata: Any) -> None:
    with open(path + '.meta', 'w', encoding='utf-8') as file:
        json.dump(metadata, file)


def _write_cells(file: Any, columns: List[np.ndarray]) -> None:
    """Numbers as they are read back exactly, texts in quotes."""
    texts = [[_field(cell) for cell in column.tolist()] for column in columns]
    for row in zip(*texts):
        file.write(','.join(row) + '\n')


def _field(cell: Any) -> str:
    if isinstance(cell, bytes):
        cell = cell.decode()
    if isinstance(cell, str):
        return '"' + cell.replace('"', '""') + '"'
    if isinstance(cell, bool):
        return '1' if cell else '0'
    return format(cell, '.18g') if isinstance(cell, float) else str(cell)


def read_matrix(path: str) -> np.ndarray:
    """The matrix that the engine has written."""
    metadata = _metadata(path)
    dtype = infer.DTYPES[metadata['valueType']]
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.reader(file))
    shape = (metadata['numRows'], metadata['numCols'])
    return _column([cell for row in rows for cell in row], dtype).reshape(shape)


def read_frame(path: str) -> Any:
    """The frame that the engine has written, as a DataFrame."""
    import pandas as pd
    metadata = _metadata(path)
    with open(path, encoding='utf-8', newline='') as file:
        rows = list(csv.reader(file))
    columns = list(zip(*rows)) if rows else [() for _ in metadata['schema']]
    frame = pd.DataFrame({c: _column(list(cells), infer.DTYPES[one['valueType']])
                          for c, (cells, one) in enumerate(zip(columns, metadata['schema']))},
                         index=pd.RangeIndex(metadata['numRows']))
    frame.columns = pd.Index([one['label'] for one in metadata['schema']])
    return frame


def _metadata(path: str) -> Any:
    with open(path + '.meta', encoding='utf-8') as file:
        return json.load(file)


def _column(cells: List[str], dtype: np.dtype) -> np.ndarray:
    if dtype.kind == 'O':
        return np.array(cells, dtype=object)
    if dtype.kind == 'b':
        return np.array([cell not in ('0', 'false') for cell in cells], dtype=dtype)
    convert = float if dtype.kind == 'f' else int
    return np.array([convert(cell) for cell in cells], dtype=dtype)
