# SPDX-License-Identifier: Apache-2.0
"""Cells of values, one by one and as columns of numbers, whatever holds them: arrays, sparse matrices, texts, frames."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from .._convert.arrays import arrays_of_csr
from .._convert.bindings import VTYPES
from .._engine import library
from .._engine.values import Value


class Cells:
    """A matrix. `type` is the name of its value type; `stored` the number of cells that are stored, of sparse ones."""

    def __init__(self, rows: int, cols: int, type: str) -> None:
        self.rows = rows
        self.cols = cols
        self.type = type
        self.stored: Optional[int] = None

    @property
    def is_text(self) -> bool:
        """Whether cells are texts."""
        return self.type == 'str'

    def cell(self, row: int, col: int) -> Any:
        """One cell: a number or a text."""
        raise NotImplementedError

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Cells of numbers at all pairs of these positions, which ascend, as f64."""
        raise NotImplementedError


class DenseCells(Cells):
    """Over an array of numbers or objects."""

    def __init__(self, array: np.ndarray, type: str) -> None:
        super().__init__(array.shape[0], array.shape[1], type)
        self.array = array

    def cell(self, row: int, col: int) -> Any:
        return self.array[row, col]

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return np.asarray(self.array[np.ix_(rows, cols)], dtype=np.float64)


class TextCells(Cells):
    """Over a matrix of strings of the engine."""

    def __init__(self, value: Value, rows: int, cols: int) -> None:
        super().__init__(rows, cols, 'str')
        self.value = value

    def cell(self, row: int, col: int) -> Any:
        return self.value.to_text(row, col)


class SparseCells(Cells):
    """Over the parts of a sparse matrix."""

    def __init__(self, rows: int, cols: int, type: str, offsets: np.ndarray, columns: np.ndarray, cells: np.ndarray) -> None:
        super().__init__(rows, cols, type)
        self.offsets, self.columns, self.cells = offsets, columns, cells
        self.stored = int(offsets[-1]) if len(offsets) else 0

    def cell(self, row: int, col: int) -> Any:
        begin, end = int(self.offsets[row]), int(self.offsets[row + 1])
        at = begin + int(np.searchsorted(self.columns[begin:end], col))
        return self.cells[at] if at < end and self.columns[at] == col else self.cells.dtype.type(0)

    def block(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        counts = self.offsets[rows + 1] - self.offsets[rows]
        before = np.cumsum(counts) - counts
        stored = np.repeat(self.offsets[rows] - before, counts) + np.arange(int(counts.sum()))
        columns = self.columns[stored]
        to = np.searchsorted(cols, columns)
        there = to < len(cols)
        there[there] = cols[to[there]] == columns[there]
        block = np.zeros((len(rows), len(cols)))
        block[np.repeat(np.arange(len(rows)), counts)[there], to[there]] = self.cells[stored[there]]
        return block

    def counts(self, height: int, width: int, most: int) -> Tuple[np.ndarray, bool]:
        """How many cells are stored in each part of a grid; of some only, if there are more than `most`."""
        stored = self.stored or 0
        step = max(1, -(-stored // most))
        at = np.arange(0, stored, step)
        rows = np.searchsorted(self.offsets, at, side='right') - 1
        flat = rows * height // max(self.rows, 1) * width + np.asarray(self.columns[at], np.int64) * width // max(self.cols, 1)
        return np.bincount(flat, minlength=height * width).reshape(height, width).astype(np.float64), step > 1


class Table:
    """Columns with labels: what a frame consists of."""

    def __init__(self, labels: Sequence[str], columns: List[Cells], rows: int) -> None:
        self.labels = list(labels)
        self.columns = columns
        self.rows = rows
        self.cols = len(columns)

    def cell(self, row: int, col: int) -> Any:
        """One cell: a number or a text."""
        return self.columns[col].cell(row, 0)


def cells_of_value(value: Value) -> Cells:
    """The cells of a matrix of the engine, which are not copied."""
    what = value.describe()
    type = VTYPES.get(what.type, '')
    if what.type == library.STR:
        return TextCells(value, what.rows, what.cols)
    if what.kind == library.CSR:
        return SparseCells(what.rows, what.cols, type, *arrays_of_csr(value))
    return DenseCells(np.asarray(value.dense_memory()), type)


def table_of_value(value: Value) -> Table:
    """A frame of the engine."""
    labels = value.labels()
    return Table(labels, [cells_of_value(value.part(c)) for c in range(len(labels))], value.describe().rows)
