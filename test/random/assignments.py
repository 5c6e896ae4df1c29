# SPDX-License-Identifier: Apache-2.0
"""What the oracle knows of assignments to parts: what is selected, what may be put there, what comes out.

A selection is ('index', rows, columns), ('marks', rows, columns) or ('cells', marks), with the values of what stands in
the brackets (None: left out, a pair: a range).
"""

from elementwise import insert_positions, kept, positions, select
from values import Fail, Matrix, Scalar, Unspecified, convert

INTEGERS = {'si8': ('si32', 'si64', 'f32'), 'ui8': ('ui32', 'ui64', 'si32', 'si64', 'f32'), 'si32': ('si64',),
            'ui32': ('ui64', 'si64'), 'size': ('si64', 'ui64'), 'si64': (), 'ui64': (), 'f32': ()}


def widens(source, target):
    """Whether each value of one type may stand where one of the other is needed."""
    if source == target:
        return True
    if 'str' in (source, target) or target == 'bool':
        return False
    return source == 'bool' or target == 'f64' or target in INTEGERS.get(source, ())


def marked_cells(x, marks):
    """Places of the marked cells, row by row."""
    if not isinstance(marks, Matrix) or (marks.rows, marks.cols) != (x.rows, x.cols):
        raise Fail('marks of another shape')
    if marks.inexact or marks.vt == 'str':
        raise Unspecified('marks')
    return [place for place, mark in enumerate(marks.cells) if mark != 0]


def places(x, selection, for_writing):
    """Positions of rows and columns."""
    kind, rows, cols = selection
    if kind == 'marks':
        return kept(rows, x.rows), kept(cols, x.cols)
    if for_writing:
        for index in (rows, cols):
            if isinstance(index, Matrix) and index.vt != 'bool':
                raise Fail('index matrix on the left')
        return insert_positions(rows, x.rows), insert_positions(cols, x.cols)
    return positions(rows, x.rows), positions(cols, x.cols)


def read(x, selection):
    if not isinstance(x, Matrix):
        raise Fail('a part of a scalar')
    if selection[0] == 'cells':
        found = tuple(x.cells[place] for place in marked_cells(x, selection[1]))
        return Matrix(x.vt, len(found), 1, found, x.inexact)
    return select(x, *places(x, selection, False))


def replaced(x, y, selection):
    """x with y in the selected part."""
    if not isinstance(x, Matrix) or not isinstance(y, (Matrix, Scalar)):
        raise Fail('left indexing needs a matrix')
    if selection == ('index', None, None) and isinstance(y, Matrix):
        return y
    if not widens(y.vt, x.vt):
        raise Fail('the value does not fit into the type')
    if selection[0] == 'cells':
        targets = marked_cells(x, selection[1])
        shape = len(targets), 1
    else:
        rows, cols = places(x, selection, True)
        targets = [row * x.cols + col for row in rows for col in cols]
        shape = len(rows), len(cols)
    if isinstance(y, Matrix) and (y.rows, y.cols) != shape:
        raise Fail('shapes differ')
    cells = list(x.cells)
    for k, place in enumerate(targets):
        cells[place] = convert(y.cells[k] if isinstance(y, Matrix) else y.value, y.vt, x.vt)
    return Matrix(x.vt, x.rows, x.cols, tuple(cells), x.inexact or y.inexact)
