# SPDX-License-Identifier: Apache-2.0
"""Builtin functions of the oracle on lists, those with several results, and contingency tables.

Their result types are not visible before a script runs, apart from the number of results.
"""

from builtin_rules import UNKNOWN, Builtin, fixed, need_matrix, need_scalar
from elementwise import as_number, whole
from values import Fail, List, Matrix, Scalar, Unspecified

ONE = Scalar('f64', 1.0)


def need_list(x):
    if not isinstance(x, List):
        raise Fail('a list is needed')


def create_list(*elements):
    need_matrix(*elements)
    if len({element.vt for element in elements}) != 1:
        raise Fail('elements of different types')
    return List(elements[0].vt, elements)


def append(items, element):
    need_list(items)
    need_matrix(element)
    if items.vt != element.vt:
        raise Fail('element of another type')
    return List(items.vt, (*items.elements, element))


def remove(items, position):
    need_list(items)
    index = whole(position)
    if not 0 <= index < len(items.elements):
        raise Fail('position in a list')
    rest = items.elements[:index] + items.elements[index + 1:]
    return List(items.vt, rest), items.elements[index]


def length(items):
    need_list(items)
    return Scalar('size', len(items.elements))


def recode(x, ordered):
    need_matrix(x)
    need_scalar(ordered)
    if x.cols != 1:
        raise Fail('not one column')
    if x.inexact or ordered.vt == 'str' or any(v != v for v in x.cells):
        raise Unspecified('recode')
    values = sorted(set(x.cells)) if ordered.value else list(dict.fromkeys(x.cells))
    codes = {value: code for code, value in enumerate(values)}
    if x.vt in ('f32', 'f64') and 0.0 in codes:
        raise Unspecified('both zeros')
    return (Matrix('si64', x.rows, 1, tuple(codes[v] for v in x.cells)),
            Matrix(x.vt, len(values), 1, tuple(values)))


def contingency(rows, cols, *rest):
    """Four arguments are the shape, without a weight."""
    need_matrix(rows, cols)
    need_scalar(*rest)
    weight = ONE if len(rest) in (0, 2) else rest[0]
    sizes = [whole(x) for x in rest[-2:]] if len(rest) >= 2 else [-1, -1]
    if rows.vt == 'str' or cols.vt == 'str' or weight.vt in ('str', 'bool') or weight.inexact:
        raise Unspecified('table of strings')
    if rows.cols != 1 or cols.cols != 1 or rows.rows != cols.rows:
        raise Fail('coordinates are two columns of equal length')
    pairs = [tuple(whole(Scalar(x.vt, v, x.inexact)) for x, v in ((rows, a), (cols, b)))
             for a, b in zip(rows.cells, cols.cells)]
    if any(row < 0 or col < 0 for row, col in pairs):
        raise Fail('negative coordinate')
    if not pairs and -1 in sizes:
        raise Unspecified('table of nothing')
    num_rows, num_cols = (size if size >= 0 else 1 + max(pair[i] for pair in pairs) for i, size in enumerate(sizes))
    if num_rows * num_cols > 1000:
        raise Unspecified('too large')
    cells = [as_number(False, weight.vt)] * (num_rows * num_cols)
    for row, col in pairs:
        if row < num_rows and col < num_cols:
            cells[row * num_cols + col] += weight.value
    if weight.vt not in ('f64', 'si64'):
        raise Unspecified('sums of narrow weights')
    return Matrix(weight.vt, num_rows, num_cols, tuple(cells))


UNKNOWN_RESULT = fixed(*UNKNOWN)
LIST_BUILTINS = {
    'createList': Builtin('*', UNKNOWN_RESULT, create_list),
    'append': Builtin('list elem', UNKNOWN_RESULT, append),
    'length': Builtin('list', fixed('s', 'size'), length),
    'ctable': Builtin('lhs rhs weight resNumRows resNumCols', UNKNOWN_RESULT, contingency, 3),
}
MULTIPLE_RESULTS = {
    'remove': Builtin('list idx', UNKNOWN_RESULT, remove),
    'recode': Builtin('arg orderPreserving', UNKNOWN_RESULT, recode),
}
