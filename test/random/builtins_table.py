# SPDX-License-Identifier: Apache-2.0
"""The builtin functions with one result that the oracle knows, lists aside."""

import math
from functools import cmp_to_key

from aggregates import (aggregate, all_of, any_of, count_of, count_type, cumulative, deviation_of, extreme, index_of, mean_of, of_numbers, product_of,
                        same_type, sum_of, total, truth_type, variance_of)
from builtin_rules import (Builtin, binary_rule, fixed, floating, general_matrix, matrix_like, need_matrix,
                           need_not_bool, need_numbers, need_scalar, same)
from elementwise import as_number, binary, map_cells, negate, select, size_of, whole
from values import (CPP_NAMES, Fail, List, Matrix, Scalar, Unspecified, convert, float_type, is_float, most_general, sum_type,
                    rounded, wrap)

MAX_CELLS = 10_000


# Elementwise


def unary_function(function, discontinuous=True):
    """`function` takes a cell and its value type and yields a cell of that type."""
    def run(x):
        need_numbers(x)
        need_not_bool(x)
        if x.inexact and discontinuous:
            raise Unspecified('discontinuous function of an uncertain number')
        return map_cells(x, x.vt, lambda v: function(v, x.vt))
    return Builtin('arg', same, run)


def real_function(function, exact=False, domain=lambda v: True):
    def cell(value, vt):
        if math.isnan(value):
            return value
        if not domain(value):
            raise Fail('outside of the domain')
        try:
            return rounded(function(value), vt)
        except OverflowError:
            return math.inf
        except ValueError as error:
            raise Unspecified('special argument') from error

    def run(x):
        need_numbers(x)
        vt = float_type(x.vt)
        return map_cells(x, vt, lambda v: cell(convert(v, x.vt, vt), vt), inexact=not exact)
    return Builtin('arg', floating, run)


def sign(value, vt):
    if is_float(vt) and (math.isnan(value) or value == 0):
        if value == 0 and math.copysign(1, value) < 0:
            raise Unspecified('sign of -0')
        return value
    return as_number(value > 0, vt) - as_number(value < 0, vt)


def round_half_away(value, vt):
    if not is_float(vt) or not math.isfinite(value) or abs(value) >= 2**52:
        return value
    whole_part = math.floor(abs(value))
    return math.copysign(whole_part + (abs(value) - whole_part >= 0.5), value)


def to_whole(function):
    def cell(value, vt):
        if not is_float(vt) or not math.isfinite(value):
            return value
        return math.copysign(float(function(value)), value)
    return cell


def absolute(value, vt):
    return math.fabs(value) if is_float(vt) else wrap(abs(value), vt)


def is_nan(x):
    need_numbers(x)
    return map_cells(x, x.vt, lambda v: as_number(v != v, x.vt))


def string_function(function):
    def run(x):
        if x.vt != 'str':
            raise Fail('strings are needed')
        return map_cells(x, 'str', function)
    return Builtin('arg', same, run)


def ascii_case(method):
    return lambda text: ''.join(method(c) if c.isascii() else c for c in text)


def binary_function(operator):
    return Builtin('lhs rhs', binary_rule(operator), lambda a, b: binary(operator, a, b))


def outer_function(operator):
    def run(a, b):
        need_matrix(a, b)
        if a.cols != 1 or b.rows != 1:
            raise Fail('outer needs a column and a row')
        left = Matrix(a.vt, a.rows, b.cols, tuple(v for v in a.cells for _ in range(b.cols)), a.inexact)
        right = Matrix(b.vt, a.rows, b.cols, b.cells * a.rows, b.inexact)
        return binary(operator, left, right)

    def rule(types):
        return 'm', binary_rule(operator)(types)[1]
    return Builtin('lhs rhs', rule, run)


# Reorganisation and linear algebra


def transpose(x):
    need_matrix(x)
    return Matrix(x.vt, x.cols, x.rows, tuple(v for column in x.columns() for v in column), x.inexact)


def reshape(x, rows, cols):
    need_matrix(x)
    rows, cols = size_of(rows), size_of(cols)
    if rows * cols != len(x.cells):
        raise Fail('number of cells')
    return Matrix(x.vt, rows, cols, x.cells, x.inexact)


def promoted(x, vt):
    return map_cells(x, vt, lambda v: convert(v, x.vt, vt))


def row_bind(a, b):
    need_matrix(a, b)
    vt = most_general(a.vt, b.vt)
    if a.cols != b.cols:
        raise Fail('numbers of columns')
    if vt == 'str' and a.vt != b.vt:
        raise Unspecified('numbers and strings')
    return Matrix(vt, a.rows + b.rows, a.cols, promoted(a, vt).cells + promoted(b, vt).cells, a.inexact or b.inexact)


def column_bind(a, b):
    need_matrix(a, b)
    if a.rows != b.rows:
        raise Fail('numbers of rows')
    return transpose(row_bind(transpose(a), transpose(b)))


def reverse(x):
    need_matrix(x)
    return select(x, range(x.rows - 1, -1, -1), range(x.cols))


def order(x, *rest):
    need_matrix(x)
    need_scalar(*rest)
    need_numbers(*rest)
    if len(rest) < 3 or len(rest) % 2 == 0:
        raise Fail('arguments of order')
    if x.inexact:
        raise Unspecified('order of uncertain numbers')
    count = len(rest) // 2
    keys = []
    for column, ascending in zip(rest[:count], rest[count:2 * count]):
        position = whole(column)
        if not 0 <= position < x.cols:
            raise (Unspecified if position < 0 else Fail)('column')
        keys.append((position, 1 if ascending.value else -1))

    def compare(a, b):
        for position, direction in keys:
            left, right = x.at(a, position), x.at(b, position)
            if left != left or right != right:
                raise Unspecified('NaN in order')
            if left != right:
                return -direction if left < right else direction
        return a - b

    rows = sorted(range(x.rows), key=cmp_to_key(compare))
    if rest[-1].value:
        return Matrix('size', x.rows, 1, tuple(rows))
    return select(x, rows, range(x.cols))


def triangle(inside):
    def run(x, diagonal, values):
        need_matrix(x)
        need_scalar(diagonal, values)
        need_numbers(x, diagonal, values)
        if x.rows != x.cols:
            raise Fail('not square')
        zero, one = as_number(False, x.vt), as_number(True, x.vt)
        cells = []
        for row in range(x.rows):
            for col in range(x.cols):
                keep = (row == col and diagonal.value) or inside(row, col)
                value = x.at(row, col)
                if value == 0 and not values.value:
                    value = zero
                cells.append(zero if not keep else value if values.value or value == 0 else one)
        return Matrix(x.vt, x.rows, x.cols, tuple(cells), x.inexact)
    return Builtin('arg diag values', matrix_like, run)


def diagonal_vector(x):
    need_matrix(x)
    if x.rows != x.cols:
        raise Fail('not square')
    return Matrix(x.vt, x.rows, 1, tuple(x.at(i, i) for i in range(x.rows)), x.inexact)


def diagonal_matrix(x):
    need_matrix(x)
    need_numbers(x)
    if x.cols != 1:
        raise Fail('not a column')
    zero = as_number(False, x.vt)
    return Matrix(x.vt, x.rows, x.rows, tuple(x.cells[row] if row == col else zero for row in range(x.rows)
                                              for col in range(x.rows)), x.inexact)


def replace(x, pattern, replacement):
    need_matrix(x)
    need_scalar(pattern, replacement)
    vt = most_general(x.vt, pattern.vt, replacement.vt)
    if x.inexact or pattern.inexact or vt == 'str' and {x.vt, pattern.vt, replacement.vt} != {'str'}:
        raise Unspecified('replace')
    sought = convert(pattern.value, pattern.vt, vt)
    other = convert(replacement.value, replacement.vt, vt)
    return map_cells(promoted(x, vt), vt, lambda v: other if v == sought or (v != v and sought != sought) else v)


def product(a, b):
    need_matrix(a, b)
    need_numbers(a, b)
    if a.cols != b.rows:
        raise Fail('inner dimensions')
    vt = most_general(a.vt, b.vt)
    if vt == 'bool':
        raise Unspecified('product of bool matrices')
    left, right = promoted(a, vt), promoted(b, vt)
    columns = right.columns()
    cells, uncertain = [], a.inexact or b.inexact
    for row in range(a.rows):
        for column in columns:
            terms = [binary('*', Scalar(vt, x), Scalar(vt, y)).value for x, y in zip(left.row(row), column)]
            if is_float(vt):
                # A negative zero among the terms may or may not survive; so it does not count.
                terms = [term + 0.0 for term in terms]
            value, inexact = total(terms, vt, uncertain)
            cells.append(value)
            uncertain = uncertain or inexact
    return Matrix(vt, a.rows, b.cols, tuple(cells), uncertain)


def is_symmetric(x):
    need_matrix(x)
    if x.rows != x.cols:
        raise Fail('not square')
    if x.inexact or any(v != v for v in x.cells):
        raise Unspecified('symmetry of uncertain numbers')
    return Scalar('bool', int(transpose(x).cells == x.cells))


# Generation and meta data


def fill(value, rows, cols):
    if not isinstance(value, Scalar):
        raise Fail('fill needs a scalar')
    rows, cols = size_of(rows), size_of(cols)
    if rows * cols > MAX_CELLS:
        raise Unspecified('too large')
    return Matrix(value.vt, rows, cols, (value.value,) * (rows * cols), value.inexact)


def sequence(first, last, step=Scalar('si8', 1)):
    if not all(isinstance(x, Scalar) for x in (first, last, step)):
        raise Fail('seq needs scalars')
    vt = most_general(first.vt, last.vt, step.vt)
    if vt in ('str', 'bool') or first.inexact or last.inexact or step.inexact:
        raise Unspecified('seq')
    if vt not in ('si64', 'f32', 'f64') and (step.value < 0 or last.value < first.value):
        raise Unspecified('seq of unsigned or narrow integers')
    first, last, step = (convert(x.value, x.vt, vt) for x in (first, last, step))
    if any(v != v for v in (first, last, step)) or step == 0:
        raise Fail('seq with increment 0 or NaN')
    if not all(map(math.isfinite, (first, last, step))) or abs(last - first) > 1000 * abs(step):
        raise Unspecified('long seq')
    if (last - first) * step < 0:
        return Matrix(vt, 0, 1, ())
    cells = []
    while (last - first) * step >= 0:
        if not is_float(vt) and wrap(first, vt) != first:
            raise Unspecified('seq beyond its type')
        cells.append(first)
        first = first + step if not is_float(vt) else rounded(first + step, vt)
    if is_float(vt) and 0 < abs(last - first) < 1e-9:
        raise Unspecified('rounding decides on the last value')
    return Matrix(vt, len(cells), 1, tuple(cells))


def shape_function(count):
    def run(x):
        need_matrix(x)
        return Scalar('size', count(x))
    return Builtin('arg', fixed('s', 'size'), run)


def type_text(x):
    if isinstance(x, List):
        return f'List({len(x.elements)}, DenseMatrix, {CPP_NAMES[x.vt]})'
    if isinstance(x, Matrix):
        return f'DenseMatrix({x.rows}x{x.cols}, {CPP_NAMES[x.vt]})'
    return 'const char*' if x.vt == 'str' else CPP_NAMES[x.vt]


BUILTINS = {
    'minus': Builtin('arg', same, negate),
    'abs': unary_function(absolute, discontinuous=False),
    'sign': unary_function(sign),
    'round': unary_function(round_half_away),
    'floor': unary_function(to_whole(math.floor)),
    'ceil': unary_function(to_whole(math.ceil)),
    'isNan': Builtin('arg', same, is_nan),
    'exp': real_function(math.exp),
    'ln': real_function(lambda v: -math.inf if v == 0 else math.log(v), domain=lambda v: v >= 0),
    'sqrt': real_function(math.sqrt, exact=True, domain=lambda v: v >= 0),
    'sin': real_function(math.sin),
    'cos': real_function(math.cos),
    'atan': real_function(math.atan),
    'tanh': real_function(math.tanh),
    'lower': string_function(ascii_case(str.lower)),
    'upper': string_function(ascii_case(str.upper)),
    'pow': binary_function('^'),
    'mod': binary_function('%'),
    'log': binary_function('log'),
    'min': binary_function('min'),
    'fmin': binary_function('fmin'),
    'fmax': binary_function('fmax'),
    'max': binary_function('max'),
    'concat': binary_function('concat'),
    'outerAdd': outer_function('+'),
    'outerSub': outer_function('-'),
    'outerMul': outer_function('*'),
    'outerDiv': outer_function('/'),
    'outerMod': outer_function('%'),
    'outerMin': outer_function('min'),
    'outerMax': outer_function('max'),
    'outerEq': outer_function('=='),
    'outerNeq': outer_function('!='),
    'outerLt': outer_function('<'),
    'outerLe': outer_function('<='),
    'outerGt': outer_function('>'),
    'outerGe': outer_function('>='),
    'outerAnd': outer_function('&&'),
    'outerOr': outer_function('||'),
    'outerXor': outer_function('xor'),
    'sum': aggregate(sum_of, sum_type),
    'prod': aggregate(product_of, sum_type),
    'any': aggregate(any_of, truth_type),
    'all': aggregate(all_of, truth_type),
    'aggMin': aggregate(extreme(lambda a, b: a < b, -1), same_type),
    'aggMax': aggregate(extreme(lambda a, b: a > b, 1), same_type),
    'mean': aggregate(mean_of, float_type),
    'var': aggregate(variance_of, float_type),
    'stddev': aggregate(deviation_of, float_type),
    'nanSum': aggregate(of_numbers(sum_of), sum_type, 'arg axis'),
    'nanCount': aggregate(of_numbers(count_of), count_type, 'arg axis'),
    'nanMin': aggregate(of_numbers(extreme(lambda a, b: a < b, -1), math.nan), same_type, 'arg axis'),
    'nanMax': aggregate(of_numbers(extreme(lambda a, b: a > b, 1), math.nan), same_type, 'arg axis'),
    'nanMean': aggregate(of_numbers(mean_of), float_type, 'arg axis'),
    'idxMin': index_of(lambda a, b: a < b),
    'idxMax': index_of(lambda a, b: a > b),
    'cumSum': cumulative('+', sum_type),
    'cumProd': cumulative('*', sum_type),
    'cumMin': cumulative('min', same_type),
    'cumMax': cumulative('max', same_type),
    'reshape': Builtin('arg numRows numCols', matrix_like, reshape),
    't': Builtin('arg', matrix_like, transpose),
    'transpose': Builtin('arg', matrix_like, transpose),
    'cbind': Builtin('lhs rhs', general_matrix, column_bind),
    'rbind': Builtin('lhs rhs', general_matrix, row_bind),
    'reverse': Builtin('arg', matrix_like, reverse),
    'order': Builtin('arg *', lambda types: ('m', None), order),
    'lowerTri': triangle(lambda row, col: row > col),
    'upperTri': triangle(lambda row, col: row < col),
    'diagVector': Builtin('arg', matrix_like, diagonal_vector),
    'diagMatrix': Builtin('arg', matrix_like, diagonal_matrix),
    'replace': Builtin('arg pattern replacement', general_matrix, replace),
    'syrk': Builtin('arg', matrix_like, lambda x: product(transpose(x), x)),
    'gemv': Builtin('lhs rhs', general_matrix, lambda a, b: product(transpose(a), b)),
    'isSymmetric': Builtin('arg', fixed('s', 'bool'), is_symmetric),
    'fill': Builtin('value numRows numCols', matrix_like, fill),
    'seq': Builtin('from to inc', general_matrix, sequence, 1),
    'nrow': shape_function(lambda x: x.rows),
    'ncol': shape_function(lambda x: x.cols),
    'ncell': shape_function(lambda x: x.rows * x.cols),
    'typeOf': Builtin('arg', fixed('s', 'str'), lambda x: Scalar('str', type_text(x))),
}
