# SPDX-License-Identifier: Apache-2.0
"""pandas. Columns of numbers are shared; texts are copied; a column with missing cells travels with its null indicator."""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from .._engine import library
from .._engine.values import Value
from .arrays import array_of_value, binding_of_array, normalised, strings_value, texts
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


def arrays_of_pandas(frame: Any) -> List[Tuple[str, np.ndarray]]:
    """The columns as they would be bound, as arrays."""
    found = []
    for label, column in zip(frame.columns, (frame.iloc[:, c] for c in range(frame.shape[1]))):
        for name, binding in _columns_of(str(label), column):
            found.append((name, binding.source))
    return found


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
        return Binding(library.DENSE, library.STR, len(strings), 1, lambda: strings_value(strings, len(strings), 1),
                       source=cells)
    binding = binding_of_array(cells.reshape(-1, 1))
    binding.source = cells
    return binding


def pandas_of_value(value: Value, use_index_column: bool = False, copy: bool = False) -> Any:
    """A frame as a DataFrame over the columns of the engine. The value is given up: where nobody else has the columns, the
    DataFrame may change them."""
    import pandas as pd
    labels, rows = value.labels(), value.describe().rows
    parts = value.given_up()
    cells = {label: array_of_value(part).reshape(-1) for label, part in zip(labels, parts)}
    if len(cells) < len(labels):  # labels are repeated
        shown, columns = labels, [array_of_value(part).reshape(-1) for part in parts]
    else:
        shown = [label for label in labels if not (label.endswith(INDICATOR) and label[:-len(INDICATOR)] in cells)]
        columns = [cells[label] if label + INDICATOR not in cells else
                   _with_missing(cells[label], cells[label + INDICATOR] == 0) for label in shown]
    frame = pd.DataFrame(dict(enumerate(columns)), copy=copy, index=pd.RangeIndex(rows))
    frame.columns = pd.Index(shown) if shown else pd.Index([], dtype=object)
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
