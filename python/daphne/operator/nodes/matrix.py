# SPDX-License-Identifier: Apache-2.0
"""Matrices that are not computed yet."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from ..._graph import infer
from ..._graph.literals import quoted
from ..._graph.step import FRAME, MATRIX, MULTI, NONE, SCALAR, Step
from ...script_building.dag import OutputType
from ..indexing import check_scope, index_step, insert_step
from ..metadata import shape_of, vtype_of
from .builtins import Aggregates, AllPairs, Elementwise, FurtherFunctions, RunningAggregates, TextFunctions

if TYPE_CHECKING:
    from .frame import Frame
    from .scalar import Scalar

_FLOAT_FUNCTIONS = {'exp', 'ln', 'sqrt', 'sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh',
                    'acosh', 'atanh', 'log'}
_FLOAT_AGGREGATES = {'mean', 'var', 'stddev', 'median', 'nanMean', 'nanVar', 'nanStddev', 'nanMedian'}
_TYPES = ('f64', 'f32', 'si64', 'si32', 'si8', 'ui64', 'ui32', 'ui8', 'str', 'bool')


class Functions(Elementwise):
    """How functions of cells become steps."""

    def _function(self, name: str) -> Any:
        vtype = self._step.vtype
        if name in _FLOAT_FUNCTIONS:
            vtype = infer.float_type(vtype)
        elif name == 'isNan':
            vtype = vtype
        return self._map(name, vtype)

    def _function_of_two(self, name: str, other: Any) -> Any:
        made = self._cells(name, self, other)
        if made is NotImplemented:
            raise TypeError(f'{name} takes a number or a node, not a {type(other).__name__}')
        if name in _FLOAT_FUNCTIONS:
            made._step.vtype = infer.float_type(made._step.vtype)
        return made


class Matrix(Functions, AllPairs, Aggregates, RunningAggregates, FurtherFunctions, TextFunctions):
    """A matrix of one value type. Axis 0 of its aggregates gives one value per row, axis 1 one per column."""

    def __init__(self, daphne_context: Any, operation: str, unnamed_input_nodes: Optional[Sequence[Any]] = None,
                 named_input_nodes: Any = None) -> None:
        super().__init__(daphne_context, operation, unnamed_input_nodes, named_input_nodes, OutputType.MATRIX)

    # ---- how steps are made

    def _call(self, kind: str, name: str, *arguments: Any, vtype: Optional[str] = None,
              shape: infer.Shape = infer.UNKNOWN, form: Optional[str] = None) -> Any:
        """A builtin function of this matrix and of nodes, numbers or text in DaphneDSL."""
        operands = [self._step, *(self._operand(one) for one in arguments)]
        return self._made(Step(kind, name, operands, form=form, vtype=vtype, shape=shape))

    def _several(self, name: str, results: int, *arguments: Any) -> Tuple[Any, ...]:
        """A builtin function with several results."""
        step = Step(MULTI, name, [self._step, *(self._operand(one) for one in arguments)], results=results)
        return tuple(self._made(Step(MATRIX, 'result', [step], index=i)) for i in range(results))

    def _outer(self, name: str, other: Any) -> 'Matrix':
        right = self._operand(other)
        return self._call(MATRIX, name, right, shape=(self._step.shape[0], infer.shape_of(right)[1]))

    def _aggregate(self, name: str, axis: Optional[int]) -> Any:
        if axis not in (None, 0, 1):
            raise ValueError(f'{name}: the axis is None, 0 (per row) or 1 (per column), not {axis!r}')
        vtype: Optional[str] = self._step.vtype
        if name in _FLOAT_AGGREGATES:
            vtype = infer.float_type(vtype)
        elif name in ('sum', 'prod', 'nanSum'):
            vtype = infer.sum_type(vtype)
        elif name in ('all', 'any'):
            vtype = None
        elif name.lower().endswith(('idxmin', 'idxmax', 'count')):
            vtype = 'size'
        if axis is None:
            if name in ('idxMin', 'idxMax'):
                raise RuntimeError(f'{name} needs an axis: 0 (per row) or 1 (per column)')
            return self._call(SCALAR, name, vtype=vtype)
        rows, cols = self._step.shape
        return self._call(MATRIX, name, axis, vtype=vtype, shape=(rows, 1) if axis == 0 else (1, cols))

    def _running(self, name: str) -> 'Matrix':
        vtype = self._step.vtype
        return self._call(MATRIX, name, vtype=vtype if name in ('cumMin', 'cumMax') else infer.sum_type(vtype),
                          shape=self._step.shape)

    # ---- product

    def __matmul__(self, other: Any) -> Any:
        return self._product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return self._product(other, self)

    def _product(self, left: Any, right: Any) -> Any:
        a, b = self._operand(left), self._operand(right)
        if not isinstance(a, Step) or not isinstance(b, Step):
            return NotImplemented
        return self._made(Step(MATRIX, '@', [a, b], form='{0} @ {1}', vtype=infer.arithmetic_type(a.vtype, b.vtype),
                               shape=(a.shape[0], b.shape[1])))

    # ---- shape

    def nrow(self) -> 'Scalar':
        """The number of rows."""
        return self._call(SCALAR, 'nrow', vtype='size')

    def ncol(self) -> 'Scalar':
        """The number of columns."""
        return self._call(SCALAR, 'ncol', vtype='size')

    def ncell(self) -> 'Scalar':
        """The number of cells."""
        return self._call(SCALAR, 'ncell', vtype='size')

    # ---- reorganisation

    def t(self) -> 'Matrix':
        """The transposed matrix."""
        rows, cols = self._step.shape
        return self._call(MATRIX, 't', vtype=self._step.vtype, shape=(cols, rows))

    def reshape(self, numRows: Any, numCols: Any) -> 'Matrix':
        """The same cells, row by row, in another shape."""
        return self._call(MATRIX, 'reshape', numRows, numCols, vtype=self._step.vtype, shape=(_known(numRows), _known(numCols)))

    def cbind(self, other: Any) -> 'Matrix':
        """The columns of both, those of the other matrix behind."""
        right = self._operand(other)
        cols, more = self._step.shape[1], infer.shape_of(right)[1]
        return self._call(MATRIX, 'cbind', right, vtype=infer.common_type(self._step.vtype, infer.type_of(right)),
                          shape=(self._step.shape[0], None if cols is None or more is None else cols + more))

    def rbind(self, other: Any) -> 'Matrix':
        """The rows of both, those of the other matrix behind."""
        right = self._operand(other)
        rows, more = self._step.shape[0], infer.shape_of(right)[0]
        return self._call(MATRIX, 'rbind', right, vtype=infer.common_type(self._step.vtype, infer.type_of(right)),
                          shape=(None if rows is None or more is None else rows + more, self._step.shape[1]))

    def reverse(self) -> 'Matrix':
        """The rows in reverse order."""
        return self._call(MATRIX, 'reverse', vtype=self._step.vtype, shape=self._step.shape)

    def lowerTri(self, diag: bool, values: bool) -> 'Matrix':
        """The cells below the diagonal, and on it if `diag`; their values or, without `values`, 1."""
        return self._call(MATRIX, 'lowerTri', bool(diag), bool(values), vtype=self._step.vtype, shape=self._step.shape)

    def upperTri(self, diag: bool, values: bool) -> 'Matrix':
        """The cells above the diagonal, and on it if `diag`; their values or, without `values`, 1."""
        return self._call(MATRIX, 'upperTri', bool(diag), bool(values), vtype=self._step.vtype, shape=self._step.shape)

    def replace(self, pattern: Any, replacement: Any) -> 'Matrix':
        """Cells that are `pattern` become `replacement`."""
        return self._call(MATRIX, 'replace', _text_or(pattern), _text_or(replacement), vtype=self._step.vtype,
                          shape=self._step.shape)

    def order(self, colIdxs: List[int], ascs: List[bool], returnIndexes: bool) -> 'Matrix':
        """Rows sorted by columns, the first one first; with `returnIndexes` the positions of the rows."""
        arguments = order_arguments(colIdxs, ascs, returnIndexes)
        rows, cols = self._step.shape
        return self._call(MATRIX, 'order', *arguments, vtype='size' if returnIndexes else self._step.vtype,
                          shape=(rows, 1 if returnIndexes else cols))

    def diagVector(self) -> 'Matrix':
        """The diagonal as a column."""
        return self._call(MATRIX, 'diagVector', vtype=self._step.vtype, shape=(self._step.shape[0], 1))

    def solve(self, other: Any) -> 'Matrix':
        """The x of self @ x = other."""
        right = self._operand(other)
        return self._call(MATRIX, 'solve', right, vtype=infer.float_type(self._step.vtype),
                          shape=(self._step.shape[0], infer.shape_of(right)[1]))

    # ---- preprocessing

    def oneHot(self, info: Any) -> 'Matrix':
        """Columns of numbers as columns of zeros and ones; `info` has the number of categories per column, -1: as it is."""
        return self._call(MATRIX, 'oneHot', info, shape=(self._step.shape[0], None))

    def bin(self, numBins: Any, Min: Any = None, Max: Any = None) -> 'Matrix':
        """The number of the bin of every cell, with bins of equal width from Min to Max: both or none are given."""
        if (Min is None) != (Max is None):
            raise ValueError('bin: both Min and Max, or none of them')
        limits = () if Min is None else (Min, Max)
        return self._call(MATRIX, 'bin', numBins, *limits, vtype=self._step.vtype, shape=self._step.shape)

    # ---- conversion and choice

    def asType(self, dtype: Optional[str] = None, vtype: Optional[str] = None) -> Any:
        """Another kind ("matrix", "frame", "scalar"), another value type ("f64", "si64" ...), or both; `asType("f64")` is
        `asType(vtype="f64")`."""
        return cast(self, dtype, vtype)

    def ifElse(self, thenVal: Any, elseVal: Any) -> 'Matrix':
        """Cell by cell: of `thenVal` where this matrix is not 0, else of `elseVal`."""
        then, otherwise = self._operand(thenVal), self._operand(elseVal)
        return self._call(MATRIX, '?:', then, otherwise, form='{0} ? {1} : {2}',
                          vtype=infer.common_type(infer.type_of(then), infer.type_of(otherwise)), shape=self._step.shape)

    # ---- output

    def print(self) -> Any:
        """A node that prints the matrix when it is computed."""
        return self._call(NONE, 'print')

    def write(self, file: Any) -> Any:
        """A node that writes a file when it is computed; its extension is the format."""
        return self._call(NONE, 'writeMatrix', quoted(str(file)))

    # ---- as numpy has it

    @property
    def T(self) -> 'Matrix':
        """The transposed matrix."""
        return self.t()

    @property
    def shape(self) -> Tuple[int, int]:
        """Rows and columns. Where the graph does not tell, the compiler is asked, and if it cannot know, the number of rows and
        columns is computed."""
        rows, cols = shape_of(self)
        return rows, cols

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    @property
    def size(self) -> int:
        """The number of cells."""
        rows, cols = self.shape
        return rows * cols

    @property
    def dtype(self) -> Any:
        """The numpy type of the cells."""
        vtype = self._step.vtype or vtype_of(self)
        return infer.DTYPES[vtype]

    @property
    def nnz(self) -> int:
        """The number of cells that are not 0; computes."""
        return int((self != 0).asType(vtype='si64').sum().compute())

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        raise TypeError('a Matrix is not computed yet and cannot be iterated over; use compute(), or for_loop')

    def astype(self, dtype: Any) -> 'Matrix':
        """Cells of another type: of numpy, or a value type."""
        name = dtype if isinstance(dtype, str) and dtype in _TYPES else infer.VTYPES.get(_numpy_type(dtype))
        if name is None:
            raise TypeError(f'there is no value type for {dtype!r}')
        return self.asType(vtype=name)

    def dot(self, other: Any) -> Any:
        """The product."""
        return self @ other

    def matmul(self, other: Any) -> Any:
        """The product."""
        return self @ other

    def item(self) -> Any:
        """The only cell as a number of Python; computes."""
        found = self.compute(as_='numpy')
        if found.size != 1:
            raise ValueError(f'a matrix of shape {found.shape} has not one cell')
        return found.reshape(-1)[0].item() if found.dtype != object else found[0, 0]

    def argmin(self, axis: Optional[int] = None) -> Any:
        """The position of the least cell, row by row, or with numpy's axes."""
        from ... import numpy as functions
        return functions.argmin(self, axis)

    def argmax(self, axis: Optional[int] = None) -> Any:
        """The position of the greatest cell, row by row, or with numpy's axes."""
        from ... import numpy as functions
        return functions.argmax(self, axis)

    def trace(self) -> 'Scalar':
        """The sum of the diagonal."""
        return self.diagVector().sum()

    def copy(self) -> 'Matrix':
        """The same matrix as another object: assignments to its parts do not change this one."""
        return self._made(self._step)

    def to_frame(self, labels: Optional[Sequence[str]] = None) -> 'Frame':
        """A frame of the columns."""
        frame = self.asType('frame')
        return frame if labels is None else frame.setColLabels(labels)

    def count(self, groups: Any, number: Any) -> 'Matrix':
        """How many cells of this column are in each of so many groups; `groups` has the number of the group of each."""
        return self._further('count', ['matrix'], (groups, number))

    def map(self, function: Any) -> 'Matrix':
        """Every cell by a function of a Scalar."""
        return self.daphne_context.map(function, self)

    def tocsr(self) -> Any:
        """The result as a sparse matrix of SciPy; computes."""
        return self.compute(as_='scipy')

    def todense(self) -> Any:
        """The result as an array; computes."""
        return self.compute(as_='numpy', sparse=False)

    def toStr(self, digits: Any = None) -> 'Matrix':
        """The texts of the cells."""
        return self._further('toStr', ['matrix'], () if digits is None else (digits,))

    def __dlpack__(self, **options: Any) -> Any:
        return self.compute(as_='numpy').__dlpack__(**options)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (1, 0)

    # ---- indexing

    def __getitem__(self, index: Any) -> 'Matrix':
        return self._made(index_step(self, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        check_scope(self)
        self._step = insert_step(self, index, value)

    def compute(self, type: str = 'shared memory', verbose: bool = False, asTensorFlow: bool = False,
                asPyTorch: bool = False, shape: Optional[Sequence[int]] = None, useIndexColumn: bool = False,
                **options: Any) -> Any:
        """Does the computation and returns an array, or a tensor."""
        return super().compute(type, verbose, asTensorFlow=asTensorFlow, asPyTorch=asPyTorch, shape=shape,
                               useIndexColumn=useIndexColumn, **options)


def cast(node: Any, dtype: Optional[str], vtype: Optional[str]) -> Any:
    """A conversion; see Matrix.asType."""
    if dtype is None and vtype is None:
        raise RuntimeError('asType needs dtype, vtype, or both')
    if vtype is None and dtype in _TYPES:  # NumPy users name the type of the cells first
        dtype, vtype = None, dtype
    if dtype not in (None, 'matrix', 'frame', 'scalar'):
        raise ValueError(f'asType: dtype is "matrix", "frame" or "scalar", not {dtype!r}')
    if vtype is not None and vtype not in _TYPES:
        raise ValueError(f'asType: vtype is one of {", ".join(_TYPES)}, not {vtype!r}')
    step = node._step
    kind = {None: step.kind, 'matrix': MATRIX, 'frame': FRAME, 'scalar': SCALAR}[dtype]
    target = f'{dtype}<{vtype}>' if dtype and vtype else dtype or vtype
    return node._made(Step(kind, f'as.{target}', [step], vtype=vtype or step.vtype,
                           shape=step.shape if kind != SCALAR and step.kind != SCALAR else
                           ((1, 1) if kind != SCALAR else infer.UNKNOWN)))


def order_arguments(columns: Sequence[int], ascending: Sequence[bool], indexes: bool) -> List[Any]:
    """Checked arguments of order."""
    if len(columns) != len(ascending):
        raise RuntimeError(f'order: {len(columns)} columns, but {len(ascending)} directions')
    return [*columns, *(bool(one) for one in ascending), bool(indexes)]


def _numpy_type(dtype: Any) -> Any:
    import numpy
    return numpy.dtype(dtype)


def _known(size: Any) -> Optional[int]:
    return int(size) if isinstance(size, int) and size >= 0 else None


def _text_or(value: Any) -> Any:
    return quoted(value) if isinstance(value, str) else value



__all__ = ['Matrix', 'Functions', 'cast', 'order_arguments']
