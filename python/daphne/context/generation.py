# SPDX-License-Identifier: Apache-2.0
"""Matrices and frames that a context makes."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

from .._graph import infer
from .._graph.literals import quoted
from .._graph.step import FRAME, MATRIX, Step
from ..operator.nodes import handle_of
from ..operator.nodes.frame import Frame
from ..operator.nodes.matrix import Matrix


class Generation:
    """Numbers may be nodes everywhere."""

    def _operand(self, value: Any) -> Any:
        raise NotImplementedError

    def _made(self, kind: str, operation: str, *arguments: Any, vtype: Optional[str] = None,
              shape: infer.Shape = infer.UNKNOWN, form: Optional[str] = None) -> Any:
        return handle_of(Step(kind, operation, [self._operand(one) for one in arguments], form=form, vtype=vtype, shape=shape),
                         self)

    def fill(self, arg: Any, rows: Any, cols: Any) -> Matrix:
        """A matrix whose cells are all `arg`.

        >>> dc.fill(7, 1, 3).compute()
        array([[7, 7, 7]])
        """
        value = quoted(arg) if isinstance(arg, str) else arg
        return self._made(MATRIX, 'fill', value, rows, cols,
                          vtype='str' if isinstance(arg, str) else infer.type_of(self._operand(arg)),
                          shape=_shape('fill', rows, cols))

    def seq(self, start: Any, end: Any, inc: Any = 1) -> Matrix:
        """A column from start to end, both included.

        >>> dc.seq(1, 3).t().compute()
        array([[1, 2, 3]])
        """
        return self._made(MATRIX, 'seq', start, end, inc,
                          vtype=infer.arithmetic_type(*(infer.type_of(self._operand(one)) for one in (start, end, inc))),
                          shape=(None, 1))

    def rand(self, rows: Any, cols: Any, min: Any = None, max: Any = None, sparsity: Any = None, seed: Any = None) -> Matrix:
        """Random numbers between min (0.0) and max (1.0); `sparsity` (1.0) is the share of cells that are not 0. Without a
        seed every computation draws others."""
        low, high = 0.0 if min is None else min, 1.0 if max is None else max
        return self._made(MATRIX, 'rand', rows, cols, low, high, 1.0 if sparsity is None else sparsity,
                          -1 if seed is None else seed,
                          vtype=infer.common_type(infer.type_of(self._operand(low)), infer.type_of(self._operand(high))),
                          shape=_shape('rand', rows, cols))

    def sample(self, range: Any, size: Any, withReplacement: bool, seed: int = -1) -> Matrix:
        """A column of `size` numbers from 0 to below `range`."""
        return self._made(MATRIX, 'sample', range, size, bool(withReplacement), seed,
                          vtype=infer.type_of(self._operand(range)), shape=_shape('sample', size, 1))

    def createFrame(self, columns: List[Matrix], labels: Optional[List[str]] = None) -> Frame:
        """A frame of columns; without labels they are col_0, col_1 ..."""
        if labels and len(labels) != len(columns):
            raise RuntimeError(f'createFrame: {len(labels)} labels for {len(columns)} columns')
        return self._made(FRAME, 'createFrame', *columns, *(quoted(label) for label in labels or ()),
                          shape=(None, len(columns)))

    def diagMatrix(self, arg: Any) -> Matrix:
        """A square matrix with this column on its diagonal."""
        step = self._operand(arg)
        return self._made(MATRIX, 'diagMatrix', step, vtype=step.vtype, shape=(step.shape[0], step.shape[0]))

    # ---- as numpy has them

    def zeros(self, rows: Any, cols: Any = 1) -> Matrix:
        """Zeros of type f64."""
        return self.fill(0.0, rows, cols)

    def ones(self, rows: Any, cols: Any = 1) -> Matrix:
        """Ones of type f64."""
        return self.fill(1.0, rows, cols)

    def full(self, rows: Any, cols: Any, value: Any) -> Matrix:
        """A matrix whose cells are all `value`."""
        return self.fill(value, rows, cols)

    def eye(self, rows: Any, cols: Any = None) -> Matrix:
        """Ones on the diagonal."""
        cols = rows if cols is None else cols
        return self._made(MATRIX, 'eye', rows, cols, vtype='f64', shape=_shape('eye', rows, cols))

    def linspace(self, start: Any, stop: Any, num: int = 50) -> Matrix:
        """A column of `num` numbers from start to stop, both included, at equal distances.

        >>> dc.linspace(0, 1, 3).compute().ravel()
        array([0. , 0.5, 1. ])
        """
        if num < 0:
            raise ValueError(f'linspace: num is {num}')
        if num < 2:
            return self.fill(start * 1.0, num, 1)
        steps = self.arange(num)
        return steps * ((stop - start) / (num - 1.0)) + start * 1.0

    def arange(self, start: Any, stop: Any = None, step: Any = 1) -> Matrix:
        """A column from start (0) up to, not including, stop.

        >>> dc.arange(3).compute().ravel()
        array([0, 1, 2])
        """
        if stop is None:
            start, stop = 0, start
        numbers = [one for one in (start, stop, step) if isinstance(one, (int, float))]
        if len(numbers) == 3:
            import numpy as np
            if step == 0:
                raise ValueError('arange: the step is 0')
            length = max(0, int(np.ceil((stop - start) / step)))
            if length == 0:
                return self.fill(start * 1, 0, 1)
            positions = self._made(MATRIX, 'seq', 0, length - 1, 1, vtype='si64', shape=(length, 1))
            return positions if (start, step) == (0, 1) else positions * step + start
        raise TypeError('arange takes numbers; seq takes nodes')

    def randn(self, rows: Any, cols: Any, mean: Any = 0.0, stddev: Any = 1.0, seed: int = -1) -> Matrix:
        """Normally distributed random numbers."""
        return self._made(MATRIX, 'randn', rows, cols, mean, stddev, seed, vtype='f64', shape=_shape('randn', rows, cols))

    def permutation(self, n: Any, seed: int = -1) -> Matrix:
        """The numbers from 0 to below n in random order, as a column."""
        return self.sample(n, n, False, seed)


def _shape(what: str, rows: Any, cols: Any) -> Tuple[Optional[int], Optional[int]]:
    for name, size in (('rows', rows), ('cols', cols)):
        if isinstance(size, int) and size < 0:
            raise ValueError(f'{what}: the number of {name} is {size}')
    return (rows if isinstance(rows, int) else None, cols if isinstance(cols, int) else None)
