# SPDX-License-Identifier: Apache-2.0
"""Methods that are calls of builtin functions. Written by python/tools/generate.py from the engine's table of them; do not
edit."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ..arithmetic import Arithmetic
from ..operation_node import OperationNode

if TYPE_CHECKING:
    from .matrix import Matrix


class Elementwise(Arithmetic):
    """Functions of cells: of a matrix one by one, of a scalar."""

    def abs(self) -> Any:
        """Absolute value of every cell."""
        return self._function('abs')

    def acos(self) -> Any:
        """Inverse cosine; an error for cells outside [-1, 1]."""
        return self._function('acos')

    def acosh(self) -> Any:
        """Inverse hyperbolic cosine; an error below 1."""
        return self._function('acosh')

    def asin(self) -> Any:
        """Inverse sine; an error for cells outside [-1, 1]."""
        return self._function('asin')

    def asinh(self) -> Any:
        """Inverse hyperbolic sine."""
        return self._function('asinh')

    def atan(self) -> Any:
        """Inverse tangent."""
        return self._function('atan')

    def atanh(self) -> Any:
        """Inverse hyperbolic tangent; an error outside [-1, 1]."""
        return self._function('atanh')

    def ceil(self) -> Any:
        """Smallest integer not below the cell; keeps the value type."""
        return self._function('ceil')

    def cos(self) -> Any:
        """Cosine; cells are radians."""
        return self._function('cos')

    def cosh(self) -> Any:
        """Hyperbolic cosine."""
        return self._function('cosh')

    def exp(self) -> Any:
        """Natural exponential of every cell."""
        return self._function('exp')

    def floor(self) -> Any:
        """Largest integer not above the cell; keeps the value type."""
        return self._function('floor')

    def isNan(self) -> Any:
        """1 where the cell is NaN, else 0, in the value type of the argument."""
        return self._function('isNan')

    def ln(self) -> Any:
        """Natural logarithm; -inf for 0, an error for negative cells."""
        return self._function('ln')

    def round(self) -> Any:
        """Nearest integer, halves away from zero; keeps the value type."""
        return self._function('round')

    def sign(self) -> Any:
        """-1, 0 or 1 for negative, zero and positive cells; NaN stays NaN."""
        return self._function('sign')

    def sin(self) -> Any:
        """Sine; cells are radians."""
        return self._function('sin')

    def sinh(self) -> Any:
        """Hyperbolic sine."""
        return self._function('sinh')

    def sqrt(self) -> Any:
        """Square root; an error for negative cells."""
        return self._function('sqrt')

    def tan(self) -> Any:
        """Tangent; cells are radians."""
        return self._function('tan')

    def tanh(self) -> Any:
        """Hyperbolic tangent."""
        return self._function('tanh')

    def fmax(self, other: Any) -> Any:
        """Like max, but the other one where one of lhs and rhs is nan; nan where both are."""
        return self._function_of_two('fmax', other)

    def fmin(self, other: Any) -> Any:
        """Like min, but the other one where one of lhs and rhs is nan; nan where both are."""
        return self._function_of_two('fmin', other)

    def log(self, other: Any) -> Any:
        """Logarithm of lhs to base rhs."""
        return self._function_of_two('log', other)

    def max(self, other: Any) -> Any:
        """rhs where it is larger than lhs, else lhs; nan where one of them is nan."""
        return self._function_of_two('max', other)

    def min(self, other: Any) -> Any:
        """rhs where it is smaller than lhs, else lhs; nan where one of them is nan."""
        return self._function_of_two('min', other)

    def mod(self, other: Any) -> Any:
        """Remainder with the sign of lhs, like '%'."""
        return self._function_of_two('mod', other)

    def pow(self, other: Any) -> Any:
        """lhs to the power rhs, like '^'. Powers of integers are integers, exact or wrapped like products; their
        exponents must not be negative."""
        return self._function_of_two('pow', other)


class AllPairs(OperationNode):
    """Functions of all pairs of a column and a row."""

    def outerAdd(self, other: Any) -> 'Matrix':
        """lhs[i] + rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerAdd', other)

    def outerAnd(self, other: Any) -> 'Matrix':
        """lhs[i] && rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerAnd', other)

    def outerConcat(self, other: Any) -> 'Matrix':
        """All pairs of strings joined, a column and a row."""
        return self._outer('outerConcat', other)

    def outerDiv(self, other: Any) -> 'Matrix':
        """lhs[i] / rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerDiv', other)

    def outerEq(self, other: Any) -> 'Matrix':
        """lhs[i] == rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerEq', other)

    def outerGe(self, other: Any) -> 'Matrix':
        """lhs[i] >= rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerGe', other)

    def outerGt(self, other: Any) -> 'Matrix':
        """lhs[i] > rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerGt', other)

    def outerLe(self, other: Any) -> 'Matrix':
        """lhs[i] <= rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerLe', other)

    def outerLog(self, other: Any) -> 'Matrix':
        """log(lhs[i], rhs[j]) for a column lhs and a row rhs."""
        return self._outer('outerLog', other)

    def outerLt(self, other: Any) -> 'Matrix':
        """lhs[i] < rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerLt', other)

    def outerMax(self, other: Any) -> 'Matrix':
        """max(lhs[i], rhs[j]) for a column lhs and a row rhs."""
        return self._outer('outerMax', other)

    def outerMin(self, other: Any) -> 'Matrix':
        """min(lhs[i], rhs[j]) for a column lhs and a row rhs."""
        return self._outer('outerMin', other)

    def outerMod(self, other: Any) -> 'Matrix':
        """lhs[i] % rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerMod', other)

    def outerMul(self, other: Any) -> 'Matrix':
        """lhs[i] * rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerMul', other)

    def outerNeq(self, other: Any) -> 'Matrix':
        """lhs[i] != rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerNeq', other)

    def outerOr(self, other: Any) -> 'Matrix':
        """lhs[i] || rhs[j] as 0/1 for a column lhs and a row rhs."""
        return self._outer('outerOr', other)

    def outerPow(self, other: Any) -> 'Matrix':
        """lhs[i] ^ rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerPow', other)

    def outerSub(self, other: Any) -> 'Matrix':
        """lhs[i] - rhs[j] for a column lhs and a row rhs."""
        return self._outer('outerSub', other)

    def outerXor(self, other: Any) -> 'Matrix':
        """1 where exactly one of lhs[i] and rhs[j] is not 0."""
        return self._outer('outerXor', other)


class Aggregates(OperationNode):
    """Aggregates of all cells (axis None), of every row (0) or of every column (1)."""

    def aggMax(self, axis: Optional[int] = None) -> Any:
        """Largest of all cells, per row (axis 0), per column (axis 1) or per group as sum. Strings, compared byte by
        byte, have no groups."""
        return self._aggregate('aggMax', axis)

    def aggMin(self, axis: Optional[int] = None) -> Any:
        """Smallest of all cells, per row (axis 0), per column (axis 1) or per group as sum. Strings, compared byte by
        byte, have no groups."""
        return self._aggregate('aggMin', axis)

    def all(self, axis: Optional[int] = None) -> Any:
        """Whether no cell is 0, of all, per row (axis 0) or per column (axis 1); true for no cells."""
        return self._aggregate('all', axis)

    def any(self, axis: Optional[int] = None) -> Any:
        """Whether some cell is not 0, of all, per row (axis 0) or per column (axis 1); false for no cells."""
        return self._aggregate('any', axis)

    def idxMax(self, axis: int) -> 'Matrix':
        """Position of the largest cell of each row (axis 0) or column (axis 1), the first one on ties; that of the
        first nan if there is one, 0 if there are no cells."""
        return self._aggregate('idxMax', axis)

    def idxMin(self, axis: int) -> 'Matrix':
        """Position of the smallest cell of each row (axis 0) or column (axis 1), the first one on ties; that of the
        first nan if there is one, 0 if there are no cells."""
        return self._aggregate('idxMin', axis)

    def mean(self, axis: Optional[int] = None) -> Any:
        """Arithmetic mean of all cells, per row (axis 0), per column (axis 1) or per group as sum; nan for no cells."""
        return self._aggregate('mean', axis)

    def median(self, axis: Optional[int] = None) -> Any:
        """Median of all cells, per row (axis 0) or per column (axis 1): the mean of the two middle ones of an even
        number of cells; nan if a cell is nan or there are none."""
        return self._aggregate('median', axis)

    def nanCount(self, axis: Optional[int] = None) -> Any:
        """Number of the cells that are not nan, of all, per row (axis 0) or per column (axis 1)."""
        return self._aggregate('nanCount', axis)

    def nanIdxMax(self, axis: int) -> 'Matrix':
        """Position of the largest cell that is not nan, the first one on ties: of each row (axis 0), of each column
        (axis 1), or of all cells, counted row by row. Only nan is an error; no cells: 0."""
        return self._aggregate('nanIdxMax', axis)

    def nanIdxMin(self, axis: int) -> 'Matrix':
        """Position of the smallest cell that is not nan, the first one on ties: of each row (axis 0), of each column
        (axis 1), or of all cells, counted row by row. Only nan is an error; no cells: 0."""
        return self._aggregate('nanIdxMin', axis)

    def nanMax(self, axis: Optional[int] = None) -> Any:
        """Largest of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are
        none."""
        return self._aggregate('nanMax', axis)

    def nanMean(self, axis: Optional[int] = None) -> Any:
        """Arithmetic mean of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there
        are none."""
        return self._aggregate('nanMean', axis)

    def nanMedian(self, axis: Optional[int] = None) -> Any:
        """Median of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are
        none."""
        return self._aggregate('nanMedian', axis)

    def nanMin(self, axis: Optional[int] = None) -> Any:
        """Smallest of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if there are
        none."""
        return self._aggregate('nanMin', axis)

    def nanStddev(self, axis: Optional[int] = None) -> Any:
        """Population standard deviation of the cells that are not nan, of all, per row (axis 0) or per column (axis
        1); nan if there are none."""
        return self._aggregate('nanStddev', axis)

    def nanSum(self, axis: Optional[int] = None) -> Any:
        """Sum of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); 0 if there are none."""
        return self._aggregate('nanSum', axis)

    def nanVar(self, axis: Optional[int] = None) -> Any:
        """Population variance of the cells that are not nan, of all, per row (axis 0) or per column (axis 1); nan if
        there are none."""
        return self._aggregate('nanVar', axis)

    def prod(self, axis: Optional[int] = None) -> Any:
        """Product of all cells, per row (axis 0) or per column (axis 1); 1 for no cells. Types are those of sum;
        integers wrap."""
        return self._aggregate('prod', axis)

    def stddev(self, axis: Optional[int] = None) -> Any:
        """Population standard deviation of all cells, per row (axis 0), per column (axis 1) or per group as sum."""
        return self._aggregate('stddev', axis)

    def sum(self, axis: Optional[int] = None) -> Any:
        """Sum of all cells, per row (axis 0), per column (axis 1), or per group: the cells of a column whose group id,
        in a column of the same length, is 0, 1, ..., numGroups - 1. Integers of less than 64 bits and truth values
        are added up in si64, f32 in f64."""
        return self._aggregate('sum', axis)

    def var(self, axis: Optional[int] = None) -> Any:
        """Population variance of all cells, per row (axis 0), per column (axis 1) or per group as sum."""
        return self._aggregate('var', axis)


class RunningAggregates(OperationNode):
    """Aggregates of the cells above, column by column."""

    def cumMax(self) -> 'Matrix':
        """Running maxima down each column."""
        return self._running('cumMax')

    def cumMin(self) -> 'Matrix':
        """Running minima down each column."""
        return self._running('cumMin')

    def cumProd(self) -> 'Matrix':
        """Running products down each column, of the types of sum."""
        return self._running('cumProd')

    def cumSum(self) -> 'Matrix':
        """Running sums down each column, of the types of sum."""
        return self._running('cumSum')
