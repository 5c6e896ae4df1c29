# SPDX-License-Identifier: Apache-2.0
"""Aggregation builtins of the oracle: over all cells, rows or columns, and down the columns."""

import math
from fractions import Fraction

from builtin_rules import Builtin, aggregate_rule, fixed, need_matrix, need_numbers
from elementwise import binary
from values import (Matrix, Scalar, Unspecified, convert, exact_sum, is_float, limits, rounded, sum_type, wrap)


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
    value, uncertain = total(values, 'f64' if vt == 'f32' else vt, inexact)
    return rounded(value, vt), uncertain


def product_of(values, vt, inexact, full):
    if not is_float(vt):
        return wrap(math.prod(values), vt), False
    value = 1.0
    for factor in values:
        value *= factor
    exact = math.isfinite(value) and math.prod(map(Fraction, values)) == Fraction(value)
    return rounded(value, vt), inexact or not exact


def any_of(values, vt, inexact, full):
    if inexact:
        raise Unspecified('truth of an uncertain number')
    return int(any(v != 0 for v in values)), False


def all_of(values, vt, inexact, full):
    if inexact:
        raise Unspecified('truth of an uncertain number')
    return int(all(v != 0 for v in values)), False


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
    value, uncertain = total(values, 'f64', inexact)
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
    return rounded(value, vt), True


def deviation_of(values, vt, inexact, full):
    value, _ = variance_of(values, vt, inexact, full)
    return (value if math.isnan(value) else rounded(math.sqrt(value), vt)), True


def count_of(values, vt, inexact, full):
    return len(values), False


def of_numbers(function, nothing=None):
    """NaN is no cell; without cells the result is `nothing`, or what the function gives."""
    def run(values, vt, inexact, full):
        numbers = [v for v in values if v == v]
        if not numbers and nothing is not None and is_float(vt):
            return nothing, False
        return function(numbers, vt, inexact, full)
    return run


def count_type(vt):
    return 'si64'


def truth_type(vt):
    return 'bool'


def same_type(vt):
    return vt


def aggregate(function, result_type, params='arg axisOrGroups numGroups'):
    """Cells become numbers of the type of the result first; truth values and counts are those of the cells."""
    def run(x, axis=None, _num_groups=None):
        need_matrix(x)
        need_numbers(x)
        vt = result_type(x.vt)
        if _num_groups is not None:
            raise Unspecified('grouped aggregation')
        cells = [v if function is any_of or function is all_of or result_type is count_type else convert(v, x.vt, vt) for v in x.cells]
        if axis is None:
            value, inexact = function(cells, vt, x.inexact, True)
            return Scalar(vt, value, inexact)
        converted = Matrix(vt, x.rows, x.cols, tuple(cells))
        lines = [converted.row(row) for row in range(x.rows)] if axis.value == 0 else converted.columns()
        results = [function(line, vt, x.inexact, False) for line in lines]
        shape = (x.rows, 1) if axis.value == 0 else (1, x.cols)
        return Matrix(vt, *shape, tuple(v for v, _ in results), any(inexact for _, inexact in results))
    return Builtin(params, aggregate_rule(result_type), run, len(params.split()) - 1)


def index_of(better):
    def position(values):
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


def cumulative(operator, result_type):
    def rule(types):
        kind, vt = types[0]
        return kind, result_type(vt) if vt and vt != 'str' else vt

    def run(x):
        need_matrix(x)
        need_numbers(x)
        vt = result_type(x.vt)
        wide = 'f64' if vt == 'f32' and result_type is sum_type else vt
        rows = [tuple(convert(v, x.vt, wide) for v in x.row(row)) for row in range(x.rows)]
        for i in range(1, len(rows)):
            above = Matrix(wide, 1, x.cols, rows[i - 1], x.inexact)
            rows[i] = binary(operator, above, Matrix(wide, 1, x.cols, rows[i], x.inexact)).cells
        return Matrix(vt, x.rows, x.cols, tuple(convert(v, wide, vt) for row in rows for v in row), x.inexact)
    return Builtin('arg', rule, run)
