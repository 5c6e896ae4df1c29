# SPDX-License-Identifier: Apache-2.0
"""pandas. Columns of numbers are shared; texts are copied; a column with missing cells travels with its null indicator."""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from .._engine import library
from .._engine.values import Value
from .arrays import array_of_value, binding_of_array, normalised, texts
from .bindings import Binding

INDICATOR = ' IS NOT NULL'


def binding_of_pandas(frame: Any) -> Binding:
    """A DataFrame, whose labels become text."""
    labels: List[str] = []
    columns: List[Binding] = []
    for position, label in enumerate(frame.columns):
        for name, column in _columns_of(str(label), frame.iloc[:, position]):
            labels.append(name)
            columns.append(column)
    return binding_of_columns(labels, columns, len(frame))


def binding_of_columns(labels: List[str], columns: List[Binding], rows: int) -> Binding:
    """A frame of columns."""
    repeated = {label for label in labels if labels.count(label) > 1} if len(set(labels)) < len(labels) else set()
    if repeated:
        raise ValueError(f'several columns have the label {sorted(repeated)[0]!r}')

    def make() -> Value:
        return Value.frame(labels, [column.value() for column in columns])

    return Binding(library.FRAME, library.ANY, rows, len(columns), make, labels=tuple(labels),
                   types=tuple(column.type for column in columns))


def _columns_of(label: str, series: Any) -> List[Tuple[str, Binding]]:
    import pandas as pd
    dtype = series.dtype
    what = f'column {label!r}'
    if isinstance(dtype, pd.CategoricalDtype):
        return [(label, _column(series.cat.codes.to_numpy(), what))]
    if isinstance(dtype, pd.SparseDtype):
        return _columns_of(label, series.sparse.to_dense())
    if isinstance(dtype, np.dtype) and dtype.kind in 'biufmM':
        return [(label, _column(series.to_numpy(), what))]
    missing = series.isna().to_numpy()
    if isinstance(dtype, np.dtype) and dtype.kind == 'O' or isinstance(dtype, pd.StringDtype):
        kinds = {type(cell) for cell in series[~missing]}
        if kinds <= {bool, np.bool_} and kinds:
            return _with_indicator(label, series.where(~missing, False).to_numpy(dtype=bool), missing, what)
        cells = series.to_numpy(dtype=object, copy=True)
        cells[missing] = ''
        return _with_indicator(label, cells, missing, what)
    # Extension types of numbers: Int64, boolean, Float32, those of Arrow.
    kind = getattr(dtype, 'numpy_dtype', None)
    if kind is None or np.dtype(kind).kind not in 'biuf':
        raise TypeError(f'{what} has the dtype {dtype}, which has no value type in Daphne')
    return _with_indicator(label, series.to_numpy(dtype=kind, na_value=np.dtype(kind).type(0)), missing, what)


def _with_indicator(label: str, cells: np.ndarray, missing: np.ndarray, what: str) -> List[Tuple[str, Binding]]:
    column = (label, _column(cells, what))
    return [column, (label + INDICATOR, _column(~missing, what))] if missing.any() else [column]


def _column(cells: np.ndarray, what: str) -> Binding:
    cells = normalised(cells, what)
    if cells.dtype.kind in 'OSU':
        strings = texts(cells, what)
        return Binding(library.DENSE, library.STR, len(strings), 1, lambda: Value.strings(strings, len(strings), 1))
    return binding_of_array(cells.reshape(-1, 1))


def pandas_of_value(value: Value, use_index_column: bool = False) -> Any:
    """A frame as a DataFrame over the columns of the engine."""
    import pandas as pd
    labels = value.labels()
    cells = {label: array_of_value(value.part(c)).reshape(-1) for c, label in enumerate(labels)}
    shown = [label for label in labels if not (label.endswith(INDICATOR) and label[:-len(INDICATOR)] in cells)]
    data = {}
    for position, label in enumerate(shown):
        column = cells[label]
        there = cells.get(label + INDICATOR)
        data[position] = column if there is None else _with_missing(column, there == 0)
    rows = value.describe().rows
    frame = pd.DataFrame(data, copy=False, index=pd.RangeIndex(rows))
    frame.columns = pd.Index(shown, dtype=object)
    if use_index_column and 'index' in shown:
        frame = frame.set_index('index', drop=True)
    return frame


def _with_missing(column: np.ndarray, missing: np.ndarray) -> Any:
    import pandas as pd
    if column.dtype.kind == 'f':
        column = column.copy()
        column[missing] = np.nan
        return column
    if column.dtype.kind == 'O':
        column = column.copy()
        column[missing] = None
        return column
    if column.dtype.kind == 'b':
        return pd.arrays.BooleanArray(column, missing)
    return pd.arrays.IntegerArray(column, missing)
