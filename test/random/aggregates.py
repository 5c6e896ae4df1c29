# SPDX-License-Identifier: Apache-2.0
"""Aggregation builtins of the oracle: over all cells, rows or columns, and down the columns."""

import math

from builtin_rules import Builtin, aggregate_rule, fixed, need_matrix, need_not_bool, need_numbers, same
from elementwise import binary
from values import (Matrix, Scalar, Unspecified, convert, exact_sum, float_type, is_float, limits, rounded, wrap)


def total(values, vt, inexact):
    if not is_float(vt):
        return wrap(sum(values), vt), False
    if values and all(v == 0 and math.copysign(1, v) < 0 for v in values):
        raise Unspecified('sum of -0')
    value, uncertain = exact_sum(values, vt)
    if inexact and abs(value) < 1e-3 * max(map(abs, values), default=0):
        raise Unspecified('cancellation')
    return value, inexact or uncertain


def sum_of(values, vt, inexact, full):
    return total(values, vt, inexact)


def extreme(better, empty):
    """NaN wins, wherever it stands."""
    def run(values, vt, inexact, full):
        if is_float(vt) and any(map(math.isnan, values)):
            return math.nan, inexact
        if not values:
            if not full or vt in ('bool', 'str'):
                raise Unspecified('extreme of nothing')
            return (empty * -math.inf if is_float(vt) else limits(vt)[empty < 0]), False
        best = values[0]
        for value in values[1:]:
            best = value if better(value, best) else best
        return best, inexact
    return run


def mean_of(values, vt, inexact, full):
    if not values:
        return math.nan, False
    value, uncertain = total(values, vt, inexact)
    result = rounded(value / len(values), vt)
    return result, uncertain or (math.isfinite(result) and len(values) & (len(values) - 1) != 0)


def variance_of(values, vt, inexact, full):
    if not values:
        return math.nan, False
    if not all(map(math.isfinite, values)):
        return math.nan, False
    middle = sum(values) / len(values)
    value = sum((v - middle) * (v - middle) for v in values) / len(values)
    if not math.isfinite(rounded(value, vt)):
        raise Unspecified('variance beyond the range')
    if vt == 'f32' and values and value < 1e-3 * max(v * v for v in values):
        if len(set(values)) > 1:
            raise Unspecified('cancellation in the variance')
    return rounded(value, vt), True


def deviation_of(values, vt, inexact, full):
    value, _ = variance_of(values, vt, inexact, full)
    return (value if math.isnan(value) else rounded(math.sqrt(value), vt)), True


def aggregate(function, floats=False, bools=False):
    def run(x, axis=None, _num_groups=None):
        need_matrix(x)
        need_numbers(x)
        if not bools:
            need_not_bool(x)
        vt = float_type(x.vt) if floats else x.vt
        if _num_groups is not None:
            raise Unspecified('grouped aggregation')
        cells = [convert(v, x.vt, vt) for v in x.cells]
        if axis is None:
            value, inexact = function(cells, vt, x.inexact, True)
            return Scalar(vt, value, inexact)
        converted = Matrix(vt, x.rows, x.cols, tuple(cells))
        lines = [converted.row(row) for row in range(x.rows)] if axis.value == 0 else converted.columns()
        results = [function(line, vt, x.inexact, False) for line in lines]
        shape = (x.rows, 1) if axis.value == 0 else (1, x.cols)
        return Matrix(vt, *shape, tuple(v for v, _ in results), any(inexact for _, inexact in results))
    return Builtin('arg axisOrGroups numGroups', aggregate_rule(floats), run, 2)


def index_of(better):
    def position(values):
        if not values:
            raise Unspecified('position in nothing')
        best = 0
        for i, value in enumerate(values):
            if value != value:
                return i  # NaN wins, the first one
            best = i if better(value, values[best]) else best
        return best

    def run(x, axis):
        need_matrix(x)
        need_numbers(x)
        if x.inexact:
            raise Unspecified('comparison of uncertain numbers')
        if axis.value == 0:
            return Matrix('size', x.rows, 1, tuple(position(x.row(row)) for row in range(x.rows)))
        return Matrix('size', 1, x.cols, tuple(position(column) for column in x.columns()))
    return Builtin('arg axis', fixed('m', 'size'), run)


def cumulative(operator):
    def run(x):
        need_matrix(x)
        need_numbers(x)
        need_not_bool(x)
        rows = [x.row(row) for row in range(x.rows)]
        for i in range(1, len(rows)):
            above = Matrix(x.vt, 1, x.cols, rows[i - 1], x.inexact)
            rows[i] = binary(operator, above, Matrix(x.vt, 1, x.cols, rows[i], x.inexact)).cells
        return Matrix(x.vt, x.rows, x.cols, tuple(v for row in rows for v in row), x.inexact)
    return Builtin('arg', same, run)
