# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations of the oracle with their type rules, broadcasting, casts, indexing and filtering."""

import math

from values import (ARITHMETIC, COMPARISON, LOGICAL, Fail, List, Matrix, Scalar, Unspecified, convert, float_type,
                    is_exact_power, is_float, lost_digits, most_general, rounded, wrap)


def result_value_type(operator, a, b):
    """Value type of a binary operation; None: the language does not say."""
    general = most_general(a, b)
    if operator == 'concat' or (operator == '+' and general == 'str'):
        return 'str'
    if operator == 'log':
        return None if general == 'str' else float_type(general)
    if operator in ARITHMETIC:
        if general == 'bool':
            return None if operator in ('min', 'max', 'fmin', 'fmax') else 'si64'
        return None if general == 'str' else general
    if operator in COMPARISON:
        if general == 'str':
            return 'si64' if a == b else None
        return general
    if general == 'str':
        return None
    return 'ui64' if is_float(general) else general


def binary_cells(operator, a_type, b_type, inexact):
    """Result type and the function of two cells."""
    result = result_value_type(operator, a_type, b_type)
    if result is None:
        raise Unspecified(f'{operator} on {a_type} and {b_type}')
    if result == 'str':
        return result, lambda a, b: convert(a, a_type, 'str') + convert(b, b_type, 'str')
    if operator in LOGICAL:
        if inexact:
            raise Unspecified('truth of an uncertain number')
        return result, lambda a, b: int(LOGICAL[operator](a, b))
    general = most_general(a_type, b_type)
    if operator in COMPARISON:
        if inexact:
            raise Unspecified('comparison of uncertain numbers')
        compared = 'str' if a_type == 'str' else general
        return result, lambda a, b: as_number(
            COMPARISON[operator](convert(a, a_type, compared), convert(b, b_type, compared)), result)
    if operator == 'log':
        return result, lambda a, b: logarithm(convert(a, a_type, 'f64'), convert(b, b_type, 'f64'), result)
    if inexact and operator == '%':
        raise Unspecified('modulo of an uncertain number')

    def arithmetic(a, b):
        if operator == '^' and b < 0 and not is_float(result):
            raise Fail('integer to a negative power')
        a, b = convert(a, a_type, result), convert(b, b_type, result)
        value = ARITHMETIC[operator](a, b, result)
        if inexact and is_float(result) and lost_digits(operator, a, b, value):
            raise Unspecified('cancellation')
        return value

    return result, arithmetic


def as_number(truth, vt):
    return float(truth) if is_float(vt) else int(truth)


def logarithm(a, base, vt):
    if a < 0 or base < 0:
        raise Fail('logarithm of a negative number')
    if a == 0 or base in (0, 1) or not (math.isfinite(a) and math.isfinite(base)):
        raise Unspecified('special logarithm')
    return rounded(math.log(a) / math.log(base), vt)


def becomes_inexact(operator, triples, result):
    if operator == 'log':
        return True
    return operator == '^' and is_float(result) and not all(
        is_exact_power(float(a), float(b), value) for a, b, value in triples)


def common_shape(a, b):
    """Shape of a broadcast operation; the smaller operand is a row, a column or a cell of the larger one."""
    for large, small in ((a, b), (b, a)):
        if small.rows in (1, large.rows) and small.cols in (1, large.cols):
            return large.rows, large.cols
    raise Fail(f'shapes {a.rows}x{a.cols} and {b.rows}x{b.cols}')


def spread(x, rows, cols):
    """Cells of an operand repeated to the shape."""
    if isinstance(x, Scalar):
        return [x.value] * (rows * cols)
    if (x.rows, x.cols) == (rows, cols):
        return list(x.cells)
    return [x.at(row if x.rows > 1 else 0, col if x.cols > 1 else 0) for row in range(rows) for col in range(cols)]


def binary(operator, a, b):
    inexact = (a.inexact and is_float(a.vt)) or (b.inexact and is_float(b.vt))
    result, function = binary_cells(operator, a.vt, b.vt, inexact)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        value = function(a.value, b.value)
        uncertain = inexact or becomes_inexact(operator, [(a.value, b.value, value)], result)
        return Scalar(result, value, uncertain and is_float(result))
    if isinstance(a, Matrix) and isinstance(b, Matrix):
        rows, cols = common_shape(a, b)
    else:
        shaped = a if isinstance(a, Matrix) else b
        rows, cols = shaped.rows, shaped.cols
    left, right = spread(a, rows, cols), spread(b, rows, cols)
    cells = tuple(map(function, left, right))
    uncertain = inexact or becomes_inexact(operator, zip(left, right, cells), result)
    return Matrix(result, rows, cols, cells, uncertain and is_float(result))


def map_cells(x, vt, function, inexact=False):
    """A function of every cell; the result is inexact if told so or if the argument is."""
    uncertain = (x.inexact or inexact) and is_float(vt)
    if isinstance(x, Scalar):
        return Scalar(vt, function(x.value), uncertain)
    return Matrix(vt, x.rows, x.cols, tuple(map(function, x.cells)), uncertain)


def negate(x):
    if x.vt == 'str':
        raise Unspecified('minus on str')
    if x.vt == 'bool':
        return map_cells(x, 'si64', lambda v: -v)
    return map_cells(x, x.vt, (lambda v: -v) if is_float(x.vt) else lambda v: wrap(-v, x.vt))


def logical_not(x):
    if x.vt == 'str' or x.inexact:
        raise Unspecified('not')
    return map_cells(x, x.vt, lambda v: as_number(v == 0, x.vt))


def cast(x, kind, vt):
    vt = vt or x.vt
    if x.inexact and not is_float(vt):
        raise Unspecified('conversion of an uncertain number')
    if kind == 's' and isinstance(x, Matrix):
        if (x.rows, x.cols) != (1, 1):
            raise Fail('not 1x1')
        x = Scalar(x.vt, x.cells[0], x.inexact)
    if kind == 'm' and isinstance(x, Scalar):
        x = Matrix(x.vt, 1, 1, (x.value,), x.inexact)
    return map_cells(x, vt, lambda v: convert(v, x.vt, vt))


def truth(x):
    """A condition."""
    if isinstance(x, List):
        raise Fail('a list as a condition')
    if x.vt == 'str':
        raise Unspecified('string as a condition')
    if x.inexact:
        raise Unspecified('truth of an uncertain number')
    if isinstance(x, Matrix):
        if (x.rows, x.cols) != (1, 1):
            raise Fail('a condition is one value')
        return x.cells[0] != 0
    return x.value != 0


def conditional(condition, then, otherwise):
    if isinstance(condition, Matrix):
        return conditional_cells(condition, then, otherwise)
    if then.type != otherwise.type:
        raise Fail('branches of different types')
    return then if truth(condition) else otherwise


def conditional_cells(condition, then, otherwise):
    if condition.vt == 'str' or condition.inexact:
        raise Unspecified('condition')
    shape = condition.rows, condition.cols
    for branch in (then, otherwise):
        if isinstance(branch, Matrix) and (branch.rows, branch.cols) != shape:
            raise Fail('shape of a branch')
    if then.vt != otherwise.vt:
        raise Fail('branches of different value types')
    cells = tuple(a if c != 0 else b for c, a, b in
                  zip(condition.cells, spread(then, *shape), spread(otherwise, *shape)))
    return Matrix(then.vt, *shape, cells, then.inexact or otherwise.inexact)


# Positions and ranges


def whole(x):
    """A scalar number, truncated."""
    if not isinstance(x, Scalar) or x.vt == 'str':
        raise Fail('not a number')
    if x.inexact:
        raise Unspecified('uncertain position')
    if math.isnan(x.value):
        raise Fail('nan as a position')
    if is_float(x.vt) and not abs(x.value) < 2**63 or not is_float(x.vt) and x.value >= 2**63:
        raise Unspecified('position beyond si64')
    return int(x.value)


def position_of(x):
    """A position, a bound or a size: without a fraction."""
    value = whole(x)
    if value != x.value:
        raise Fail('a position with a fraction')
    return value


def size_of(x):
    value = position_of(x)
    if value < 0:
        raise Fail('negative size')
    return value


def normalise(low, high, count):
    if low < 0:
        low += count
        if high <= 0:
            high += count
    elif high < 0:
        high += count
    if not (0 <= low < count and 0 <= high <= count and low <= high):
        raise Fail('out of range')
    return low, high


def positions(index, count):
    """Positions selected by an index: None, a Scalar, a Matrix, or a pair of bounds."""
    if index is None:
        return list(range(count))
    if isinstance(index, tuple):
        low = position_of(index[0]) if index[0] is not None else 0
        high = position_of(index[1]) if index[1] is not None else count
        return list(range(*normalise(low, high, count)))
    if isinstance(index, Matrix):
        if index.vt == 'bool':
            return kept(index, count)
        if index.cols != 1:
            raise Fail('index matrix with several columns')
        return [normalise(p, p + 1, count)[0]
                for p in (position_of(Scalar(index.vt, v, index.inexact)) for v in index.cells)]
    position = position_of(index)
    return [normalise(position, position + 1, count)[0]]


def select(x, rows, cols):
    return Matrix(x.vt, len(rows), len(cols), tuple(x.at(row, col) for row in rows for col in cols), x.inexact)


def extract(x, row_index, col_index):
    if not isinstance(x, Matrix):
        raise Fail('indexing of a scalar')
    return select(x, positions(row_index, x.rows), positions(col_index, x.cols))


def kept(bits, count):
    if bits is None:
        return list(range(count))
    if not isinstance(bits, Matrix) or bits.cols != 1 or bits.rows != count:
        raise Fail('bits of another length')
    if bits.inexact or bits.vt == 'str':
        raise Unspecified('bits')
    return [position for position, bit in enumerate(bits.cells) if bit != 0]


def filtered(x, row_bits, col_bits):
    if not isinstance(x, Matrix):
        raise Fail('filter of a scalar')
    return select(x, kept(row_bits, x.rows), kept(col_bits, x.cols))


def insert_positions(index, count):
    if count == 0 and isinstance(index, tuple) and [position_of(bound) for bound in index if bound is not None] == [0, 0]:
        return []
    return positions(index, count)
