# SPDX-License-Identifier: Apache-2.0
"""numpy's functions for nodes, with numpy's axes, `keepdims` and `ddof`. They are called here (`dp.numpy.sum(X, axis=0)`) or
through numpy itself (`np.sum(X, axis=0)`), and build nodes. A reduction along one axis keeps two dimensions in the engine, as a
row or a column; `compute` returns it with one, as numpy does."""
from __future__ import annotations

import difflib
import math
import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

from . import _ufuncs
from ._graph import infer
from ._graph.literals import is_number
from ._graph.step import MATRIX, SCALAR
from ._options import options
from .operator.nodes.scalar import Scalar
from .operator.operation_node import OperationNode

linalg: Any


def _context_of(*values: Any) -> Any:
    for value in values:
        if isinstance(value, OperationNode):
            return value.daphne_context
        if isinstance(value, (list, tuple)):
            found = _context_of(*value)
            if found is not None:
                return found
    return None


def _node(value: Any, *others: Any) -> Any:
    """The value as a matrix."""
    if isinstance(value, Scalar):
        return value.asType('matrix')
    if isinstance(value, OperationNode):
        return value
    context = _context_of(value, *others)
    if context is None:
        from .context.daphne_context import DaphneContext
        context = DaphneContext()
    node = context.asarray(np.atleast_2d(value) if is_number(value) else value)
    if not isinstance(value, (list, tuple)) and getattr(value, 'ndim', 2) == 1 or _is_flat_list(value):
        node._is_vector = True
    return node


def _is_flat_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(is_number(one) for one in value)


def _vector(node: Any) -> Any:
    """Computed with one dimension."""
    node._is_vector = True
    return node


def _is_vector(node: Any) -> bool:
    return bool(getattr(node, '_is_vector', False))


def _axis(axis: Any, node: Any, name: str) -> Optional[int]:
    """Our axis for numpy's: 0 is down the columns there, along the rows here."""
    if axis is None:
        return None
    if isinstance(axis, (tuple, list)):
        axes = sorted(one % 2 for one in axis)
        if axes == [0, 1]:
            return None
        axis = axis[0] if len(axes) == 1 else axis
    if axis not in (-2, -1, 0, 1):
        raise getattr(np, 'exceptions', np).AxisError(axis, 2)
    if _is_vector(node) and axis in (0, -1):
        return None
    return 1 - axis % 2


def _no(name: str, **given: Any) -> None:
    """Arguments that are accepted in their default only."""
    for argument, value in given.items():
        if value is not None:
            raise TypeError(f'{name} of nodes has no argument {argument!r}')


def _reduced(method: str, a: Any, axis: Any, keepdims: bool) -> Any:
    a = _node(a)
    ours = _axis(axis, a, method)
    result = a._aggregate(method, ours)
    if ours is None:
        return result.asType('matrix') if keepdims else result
    return result if keepdims else _vector(result)


def sum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The sum of all cells, or along an axis."""
    _no('sum', out=out)
    return _reduced('sum', _node(a) if dtype is None else _node(a).astype(dtype), axis, keepdims)


def prod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The product of all cells, or along an axis."""
    _no('prod', out=out)
    return _reduced('prod', _node(a) if dtype is None else _node(a).astype(dtype), axis, keepdims)


def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The mean of all cells, or along an axis."""
    _no('mean', out=out)
    return _reduced('mean', _node(a) if dtype is None else _node(a).astype(dtype), axis, keepdims)


average = mean


def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance; the divisor is the number of cells less `ddof`."""
    _no('var', dtype=dtype, out=out)
    node = _node(a)
    result = _reduced('var', node, axis, keepdims)
    if ddof:
        ours = _axis(axis, node, 'var')
        count = (node.ncell() if ours is None else node.ncol() if ours == 0 else node.nrow()).asType(vtype='f64')
        result = _like(result, result * (count / (count - ddof)))
    return result


def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation; the divisor is the number of cells less `ddof`."""
    spread = var(a, axis, dtype, out, ddof, keepdims)
    return _like(spread, spread.sqrt())


def _like(old: Any, new: Any) -> Any:
    return _vector(new) if _is_vector(old) else new


def min(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The least cell."""
    _no('min', out=out)
    return _reduced('aggMin', a, axis, keepdims)


def max(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The greatest cell."""
    _no('max', out=out)
    return _reduced('aggMax', a, axis, keepdims)


amin, amax = min, max


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The distance of the greatest and the least cell."""
    high = max(a, axis, out, keepdims)
    return _like(high, high - min(a, axis, out, keepdims))


def _position(method: str, a: Any, axis: Any, keepdims: bool) -> Any:
    a = _node(a)
    ours = _axis(axis, a, method)
    if ours is None:
        found = _flattened(a)._aggregate(method, 1).asType('scalar', 'si64')
        return found.asType('matrix') if keepdims else found
    found = a._aggregate(method, ours).asType(vtype='si64')
    return found if keepdims else _vector(found)


def argmin(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The position of the least cell."""
    _no('argmin', out=out)
    return _position('idxMin', a, axis, keepdims)


def argmax(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The position of the greatest cell."""
    _no('argmax', out=out)
    return _position('idxMax', a, axis, keepdims)


def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Whether a cell is not 0."""
    _no('any', out=out)
    return _as_bool(_reduced('any', a, axis, keepdims))


def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Whether no cell is 0."""
    _no('all', out=out)
    return _as_bool(_reduced('all', a, axis, keepdims))


def _as_bool(node: Any) -> Any:
    return _like(node, node.asType(vtype='bool'))


def count_nonzero(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """How many cells are not 0."""
    return _reduced('sum', (_node(a) != 0).asType(vtype='si64'), axis, keepdims)


def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """The median."""
    _no('median', out=out)
    return _reduced('median', a, axis, keepdims)


def quantile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The quantile q, interpolated linearly."""
    a = _node(a)
    ours = _axis(axis, a, 'quantile')
    if not is_number(q) and not isinstance(q, Scalar):
        raise TypeError('quantile of nodes takes one number q')
    if ours is None:
        found = a._call(SCALAR, 'quantile', q, vtype='f64')
        return found.asType('matrix') if keepdims else found
    found = a._call(MATRIX, 'quantile', q, ours, vtype='f64')
    return found if keepdims else _vector(found)


def percentile(a: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The percentile q."""
    return quantile(a, q / 100, axis, keepdims)


def _nan(method: str) -> Callable[..., Any]:
    def function(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        _no(method, dtype=dtype, out=out)
        return _reduced(method, a, axis, keepdims)

    function.__doc__ = f'{method} of the cells that are not nan.'
    return function


nansum, nanmean, nanmedian = _nan('nanSum'), _nan('nanMean'), _nan('nanMedian')
nanmin, nanmax, nanvar, nanstd = _nan('nanMin'), _nan('nanMax'), _nan('nanVar'), _nan('nanStddev')


# ---- running aggregates

def _running(method: str, a: Any, axis: Any) -> Any:
    a = _node(a)
    if axis is None or (_is_vector(a) and axis in (0, -1)):
        return _vector(getattr(_flattened(a), method)())
    return getattr(a.t(), method)().t() if _axis(axis, a, method) == 0 else getattr(a, method)()


def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Sums of the cells up to each."""
    _no('cumsum', dtype=dtype, out=out)
    return _running('cumSum', a, axis)


def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Products of the cells up to each."""
    _no('cumprod', dtype=dtype, out=out)
    return _running('cumProd', a, axis)


# ---- products

def dot(a: Any, b: Any, out: Any = None) -> Any:
    """The product of matrices; of vectors the inner product; with a number, cell by cell."""
    _no('dot', out=out)
    if is_number(a) or is_number(b) or isinstance(a, Scalar) or isinstance(b, Scalar):
        return a * b
    left, right = _node(a, b), _node(b, a)
    if _is_vector(left) and _is_vector(right):
        return (_flattened(left) * _flattened(right)).sum()
    return matmul(left, right)


def matmul(a: Any, b: Any) -> Any:
    """The product of matrices; vectors are rows on the left and columns on the right."""
    left, right = _node(a, b), _node(b, a)
    if _is_vector(left):
        if _is_vector(right):
            return (_flattened(left) * _flattened(right)).sum()
        return _vector(_flattened(left).t() @ right)
    if _is_vector(right):
        return _vector(left @ _flattened(right))
    return left @ right


def outer(a: Any, b: Any, out: Any = None) -> Any:
    """All products of a cell of a and a cell of b."""
    _no('outer', out=out)
    return _flattened(_node(a, b)).outerMul(_flattened(_node(b, a)).t())


def kron(a: Any, b: Any) -> Any:
    """The Kronecker product."""
    return _node(a, b)._call(MATRIX, 'kron', _node(b, a))


def trace(a: Any) -> Any:
    """The sum of the diagonal."""
    return _node(a).diagVector().sum()


# ---- shape

def _flattened(node: Any) -> Any:
    """All cells as a column."""
    size = infer.product(node._step.shape)
    return node if node._step.shape[1] == 1 else node.reshape(node.ncell() if size is None else size, 1)


def ravel(a: Any, order: str = 'C') -> Any:
    """All cells, row by row."""
    if order not in 'CKA':
        raise TypeError('ravel of nodes knows the order C')
    return _vector(_flattened(_node(a))[:, :])


def transpose(a: Any, axes: Any = None) -> Any:
    """Rows become columns."""
    if axes not in (None, (1, 0), (0, 1), [1, 0], [0, 1]):
        raise ValueError(f'a matrix has the axes 0 and 1, not {axes}')
    a = _node(a)
    return a if _is_vector(a) or (axes is not None and tuple(axes) == (0, 1)) else a.t()


def reshape(a: Any, newshape: Any = None, order: str = 'C', shape: Any = None) -> Any:
    """The same cells, row by row, in another shape; one number may be -1."""
    if order != 'C':
        raise TypeError('reshape of nodes knows the order C')
    a = _node(a)
    wanted = newshape if newshape is not None else shape
    sizes = (wanted,) if isinstance(wanted, int) else tuple(wanted)
    if len(sizes) > 2:
        raise ValueError(f'a matrix has two dimensions, not {len(sizes)}')
    rows, cols = (sizes[0], 1) if len(sizes) == 1 else sizes
    if rows == -1:
        rows = a.ncell() if cols == 1 else a.ncell() / cols
    elif cols == -1:
        cols = (a.ncell() / rows)
    result = a.reshape(rows, cols)
    return _vector(result) if len(sizes) == 1 else result


def concatenate(arrays: Sequence[Any], axis: Any = 0, out: Any = None) -> Any:
    """One matrix behind the other: below each other (axis 0) or side by side."""
    _no('concatenate', out=out)
    nodes = [_node(one, arrays) for one in arrays]
    if not nodes:
        raise ValueError('there is nothing to concatenate')
    if axis is None or builtin_all(_is_vector(one) for one in nodes):
        return _vector(_joined([_flattened(one) for one in nodes], 'rbind'))
    return _joined(nodes, 'rbind' if _axis(axis, nodes[0], 'concatenate') == 1 else 'cbind')


def _joined(nodes: List[Any], method: str) -> Any:
    result = nodes[0]
    for one in nodes[1:]:
        result = getattr(result, method)(one)
    return result


def builtin_all(values: Any) -> bool:
    """The all of Python, which is another function here."""
    for value in values:
        if not value:
            return False
    return True


def vstack(tup: Sequence[Any]) -> Any:
    """Matrices below each other; vectors are rows."""
    nodes = [_node(one, tup) for one in tup]
    return _joined([_flattened(one).t() if _is_vector(one) else one for one in nodes], 'rbind')


def hstack(tup: Sequence[Any]) -> Any:
    """Matrices side by side; vectors one behind the other."""
    return concatenate(tup, axis=1)


def column_stack(tup: Sequence[Any]) -> Any:
    """Matrices side by side; vectors are columns."""
    nodes = [_node(one, tup) for one in tup]
    return _joined([_flattened(one) if _is_vector(one) else one for one in nodes], 'cbind')


row_stack = vstack


def tile(A: Any, reps: Any) -> Any:
    """The matrix again and again."""
    a = _node(A)
    down, right = (1, reps) if isinstance(reps, int) else tuple(reps) if len(reps) == 2 else (1, reps[0])
    if down < 1 or right < 1:
        raise ValueError('tile of nodes repeats at least once')
    return _joined([_joined([a] * right, 'cbind')] * down, 'rbind')


def repeat(a: Any, repeats: int, axis: Any = None) -> Any:
    """Every row (axis 0), column (1) or cell (None) several times."""
    a = _node(a)
    if not isinstance(repeats, int):
        raise TypeError('repeat of nodes takes one number')
    if axis is None or _is_vector(a):
        return _vector(_repeated(_flattened(a), repeats))
    return _repeated(a, repeats) if _axis(axis, a, 'repeat') == 1 else _repeated(a.t(), repeats).t()


def _repeated(a: Any, repeats: int) -> Any:
    context = a.daphne_context
    positions = context.seq(0, a.nrow().asType(vtype='si64') - 1, 1) @ context.fill(1, 1, repeats)
    return a[positions.reshape(positions.ncell(), 1), :]


def flip(m: Any, axis: Any = None) -> Any:
    """Rows (axis 0), columns (1) or both in reverse order."""
    m = _node(m)
    if _is_vector(m):
        return _vector(_flattened(m).reverse())
    if axis is None:
        return m.reverse().t().reverse().t()
    return m.reverse() if _axis(axis, m, 'flip') == 1 else m.t().reverse().t()


def flipud(m: Any) -> Any:
    """Rows in reverse order."""
    return flip(m, 0)


def fliplr(m: Any) -> Any:
    """Columns in reverse order."""
    return flip(m, 1)


def diag(v: Any, k: int = 0) -> Any:
    """The diagonal of a matrix, or a matrix with this diagonal."""
    v = _node(v)
    if k:
        raise TypeError('diag of nodes knows the main diagonal')
    if _is_vector(v) or v._step.shape[1] == 1:
        return v.daphne_context.diagMatrix(_flattened(v))
    return _vector(v.diagVector())


diagonal = diag


def tril(m: Any, k: int = 0) -> Any:
    """The lower triangle."""
    if k not in (0, -1):
        raise TypeError('tril of nodes knows k = 0 and -1')
    return _node(m).lowerTri(k == 0, True)


def triu(m: Any, k: int = 0) -> Any:
    """The upper triangle."""
    if k not in (0, 1):
        raise TypeError('triu of nodes knows k = 0 and 1')
    return _node(m).upperTri(k == 0, True)


# ---- choice and order

def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where the condition is not 0, else y; without them the positions of the cells that are not 0."""
    condition = _node(condition, x, y)
    if x is None and y is None:
        return nonzero(condition)
    return _ufuncs.choose(condition, x, y)


def nonzero(a: Any) -> Any:
    """The positions of cells that are not 0: rows and columns."""
    positions = _node(a)._call(MATRIX, 'where').asType(vtype='si64')
    if _is_vector(a) or _node(a)._step.shape[1] == 1:
        return (_vector(positions),)
    return _vector(positions[:, 0]), _vector(positions[:, 1])


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None) -> Any:
    """Cells below a_min become a_min, above a_max a_max."""
    _no('clip', out=out)
    result = _node(a) if not isinstance(a, Scalar) else a
    if a_min is not None:
        result = result.max(a_min)
    if a_max is not None:
        result = result.min(a_max)
    return _like(a, result)


def sort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """Cells in ascending order along an axis."""
    _no('sort', order=order)
    a = _node(a)
    if axis is None or _is_vector(a):
        return _vector(_flattened(a)._call(MATRIX, 'sort', True, 1, vtype=a._step.vtype))
    return a._call(MATRIX, 'sort', True, _axis(axis, a, 'sort'), vtype=a._step.vtype, shape=a._step.shape)


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """The order of the cells of a vector or of a column."""
    _no('argsort', order=order)
    a = _node(a)
    if not _is_vector(a) and a._step.shape[1] != 1:
        raise TypeError('argsort of nodes takes a vector or a matrix of one column; use order for rows')
    found = _flattened(a).order([0], [True], True).asType(vtype='si64')
    return _vector(found) if _is_vector(a) else found


def unique(ar: Any) -> Any:
    """The different cells in ascending order."""
    return _vector(_node(ar)._call(MATRIX, 'unique', vtype=_node(ar)._step.vtype, shape=(None, 1)))


def diff(a: Any, n: int = 1, axis: Any = -1) -> Any:
    """Differences of neighbours."""
    a = _node(a)
    for _ in range(n):
        if _is_vector(a):
            a = _vector(_flattened(a)._call(MATRIX, 'diff'))
        else:
            a = a._call(MATRIX, 'diff') if _axis(axis, a, 'diff') == 1 else a.t()._call(MATRIX, 'diff').t()
    return a


# ---- functions of cells that are no ufuncs

def round(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """The nearest number with so many decimals, halves to the even one."""
    _no('round', out=out)
    if decimals:
        scale = 10.0 ** decimals
        return _like(a, _ufuncs.rint(a * scale) / scale)
    return _like(a, _ufuncs.rint(a))


around = round


def nan_to_num(x: Any, copy: bool = True, nan: float = 0.0) -> Any:
    """nan becomes a number."""
    return _like(x, _node(x).replace(math.nan, nan))


def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    """Whether cells are nearly equal."""
    difference = abs(a - b) if isinstance(a, OperationNode) else abs(_node(a, b) - b)
    return _as_bool(difference <= abs(_node(b, a)) * rtol + atol)


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    """Whether all cells are nearly equal."""
    return all(isclose(a, b, rtol, atol))


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Zeros in the shape of a."""
    return full_like(a, 0, dtype)


def ones_like(a: Any, dtype: Any = None) -> Any:
    """Ones in the shape of a."""
    return full_like(a, 1, dtype)


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A matrix of one value in the shape of a."""
    a = _node(a)
    wanted = dtype if dtype is not None else infer.DTYPES.get(a._step.vtype or 'f64', np.dtype(np.float64))
    value = np.dtype(wanted).type(fill_value)
    return a.daphne_context.fill(value, a.nrow(), a.ncol())


def shape(a: Any) -> Any:
    """Rows and columns; of a vector its length."""
    found = _node(a).shape
    return (found[0] * found[1],) if _is_vector(a) else found


def ndim(a: Any) -> int:
    """2, of a vector 1."""
    return 1 if _is_vector(a) else 2


def size(a: Any, axis: Any = None) -> int:
    """The number of cells, or of those along an axis."""
    found = _node(a).shape
    return int(found[0] * found[1] if axis is None else found[axis])


def cov(m: Any, rowvar: bool = True, ddof: int = 1) -> Any:
    """Covariances of rows, or of columns without `rowvar`."""
    node = _node(m).t() if rowvar else _node(m)
    return node._call(MATRIX, 'cov', 0, ddof)


def corrcoef(x: Any, rowvar: bool = True) -> Any:
    """Correlations of rows, or of columns without `rowvar`."""
    return (_node(x).t() if rowvar else _node(x))._call(MATRIX, 'cor')


class _LinearAlgebra:
    """numpy.linalg for nodes."""

    @staticmethod
    def solve(a: Any, b: Any) -> Any:
        """The x of a @ x = b."""
        left, right = _node(a, b), _node(b, a)
        result = left.solve(_flattened(right) if _is_vector(right) else right)
        return _vector(result) if _is_vector(right) else result

    @staticmethod
    def inv(a: Any) -> Any:
        """The inverse."""
        return _node(a)._call(MATRIX, 'inv')

    @staticmethod
    def pinv(a: Any) -> Any:
        """The pseudo-inverse."""
        return _node(a)._call(MATRIX, 'pinv')

    @staticmethod
    def det(a: Any) -> Any:
        """The determinant."""
        return _node(a)._call(SCALAR, 'det')

    @staticmethod
    def cholesky(a: Any) -> Any:
        """The lower triangular matrix whose product with its transpose is a."""
        return _node(a)._call(MATRIX, 'cholesky')

    @staticmethod
    def qr(a: Any) -> Any:
        """Q and R."""
        return _node(a)._several('qr', 2)

    @staticmethod
    def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
        """U, s and the transposed V, of the smaller size."""
        if full_matrices:
            raise TypeError('svd of nodes is the small one: full_matrices=False')
        u, s, v = _node(a)._several('svd', 3)
        return (u, _vector(s), v.t()) if compute_uv else _vector(s)

    @staticmethod
    def eigh(a: Any) -> Any:
        """Eigenvalues of a symmetric matrix, ascending, and eigenvectors as columns."""
        values, vectors = _node(a)._several('eigen', 2)
        return _vector(values), vectors

    @staticmethod
    def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
        """A norm: of all cells, or of rows or columns (2)."""
        x = _node(x)
        if axis is not None:
            if ord not in (None, 2):
                raise TypeError('norms of rows and columns of nodes have the order 2')
            squares = sum(x * x, axis, keepdims=keepdims)
            return _like(squares, squares.sqrt())
        if ord is None or ord == 'fro':
            return x._call(SCALAR, 'norm')
        return x._call(SCALAR, 'norm', ord)

    @staticmethod
    def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
        """The x that makes the columns of a @ x - b as short as possible."""
        _no('lstsq', rcond=rcond)
        return _node(a, b)._call(MATRIX, 'lstsq', _node(b, a))

    @staticmethod
    def matrix_power(a: Any, n: int) -> Any:
        """a @ a @ ... @ a."""
        a = _node(a)
        if n < 0:
            a, n = _LinearAlgebra.inv(a), -n
        result = None
        while n:
            if n & 1:
                result = a if result is None else result @ a
            a, n = a @ a, n >> 1
        return a.daphne_context.eye(a.nrow(), a.ncol()) if result is None else result


linalg = _LinearAlgebra()


# ---- numpy calls us

def array_function(function: Callable[..., Any], args: Any, kwargs: Dict[str, Any]) -> Any:
    """What `__array_function__` of nodes does."""
    name = getattr(function, '__name__', str(function)).rstrip('_')
    module = getattr(function, '__module__', '')
    own = getattr(linalg, name, None) if module.startswith('numpy.linalg') else globals().get(name)
    if own is None or name.startswith('_') or not callable(own):
        return unknown(function, name, args, kwargs)
    return own(*args, **kwargs)


def unknown(function: Callable[..., Any], name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    """Functions that have no meaning for nodes: computed and given to numpy, if that is wanted."""
    if options.numpy_fallback:
        if name not in _warned:
            _warned.add(name)
            warnings.warn(f'numpy.{name} of a node computes the node and calls numpy', stacklevel=4)
        return function(*_computed(args), **{key: _computed(value) for key, value in kwargs.items()})
    near = difflib.get_close_matches(name, __all__, 3)
    raise TypeError(f'numpy.{name} has no meaning for nodes'
                    + (f'; there are {", ".join(near)}' if near else '')
                    + '; compute() first, or set daphne.options.numpy_fallback')


_warned: set = set()


def _computed(value: Any) -> Any:
    if isinstance(value, OperationNode):
        return value.compute()
    return type(value)(_computed(one) for one in value) if isinstance(value, (list, tuple)) else value


def __getattr__(name: str) -> Any:
    found = _ufuncs.FUNCTIONS.get(name)
    if found is None:
        near = difflib.get_close_matches(name, __all__, 3)
        raise AttributeError(f'daphne.numpy has no {name!r}' + (f'; there are {", ".join(near)}' if near else ''))

    def function(*arguments: Any) -> Any:
        context = _context_of(*arguments)
        if context is None:
            arguments = (_node(arguments[0]), *arguments[1:])
        return found(*arguments)

    function.__name__ = name
    return function


__all__ = sorted([name for name, value in list(globals().items())
                  if callable(value) and not name.startswith('_') and getattr(value, '__module__', '') == __name__
                  and name not in ('array_function', 'unknown', 'builtin_all')] + ['linalg'] + list(_ufuncs.FUNCTIONS))
