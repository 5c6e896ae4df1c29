# SPDX-License-Identifier: Apache-2.0
"""Where graphs begin: data comes in, matrices are generated, files are read."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from .._convert.arrays import binding_of_array, is_transposed, two_dimensional
from .._convert.bindings import VTYPES, Binding
from .._graph import infer
from .._graph.literals import is_number, quoted
from .._graph.step import FRAME, MATRIX, SCALAR, Step
from ..operator.nodes import handle_of
from ..operator.nodes.frame import Frame
from ..operator.nodes.matrix import Matrix
from ..operator.nodes.scalar import Scalar
from ..operator.operation_node import OperationNode

if TYPE_CHECKING:
    import pandas as pd


class DaphneContext:
    """Makes nodes, and holds the options their computations run with."""

    def __init__(self, config: Union[Dict[str, Any], str, None] = None, *, num_threads: Optional[int] = None,
                 args: Optional[Sequence[str]] = None, name: Optional[str] = None) -> None:
        self.config: Dict[str, Any] = dict(config) if isinstance(config, dict) else {}
        if num_threads is not None:
            self.config['num-threads'] = num_threads
        self.name = name
        self._views: Dict[str, Step] = {}

    def _settings(self, config: Optional[Dict[str, Any]], args: Optional[Sequence[str]]) -> Dict[str, Any]:
        return {**self.config, **(config or {})}

    def _register_view(self, name: str, frame: Frame) -> None:
        self._views[name] = frame._step

    # ---- operands

    def _operand(self, value: Any) -> Any:
        if isinstance(value, OperationNode):
            return value._step
        if isinstance(value, (str, Step)) or is_number(value):
            return value
        return self.asarray(value)._step

    def _made(self, kind: str, operation: str, *arguments: Any, vtype: Optional[str] = None,
              shape: infer.Shape = infer.UNKNOWN, form: Optional[str] = None) -> Any:
        return handle_of(Step(kind, operation, [self._operand(one) for one in arguments], form=form, vtype=vtype, shape=shape),
                         self)

    def _bound(self, binding: Binding, kind: str = MATRIX) -> Any:
        """A node for data."""
        return handle_of(Step(kind, 'data', vtype=VTYPES.get(binding.type), shape=(binding.rows, binding.cols),
                              binding=binding), self)

    # ---- data of Python

    def from_numpy(self, mat: np.ndarray, shared_memory: bool = True, verbose: bool = False,
                   return_shape: bool = False) -> Any:
        """The array as a matrix: 1-d becomes a column, more than two dimensions become first x rest. Not copied where the
        cells of a row lie one after another."""
        array = np.asarray(mat)
        flat = two_dimensional(array)
        if is_transposed(flat) and flat.dtype.kind in 'biuf':
            node = self._bound(binding_of_array(flat.T)).t()
        else:
            node = self._bound(binding_of_array(flat))
        return (node, array.shape) if return_shape else node

    def from_python(self, mat: List[Any], shared_memory: bool = True, verbose: bool = False,
                    return_shape: bool = False) -> Any:
        """A list, or nested lists, as a matrix."""
        return self.from_numpy(np.asarray(mat), shared_memory, verbose, return_shape)

    def from_pandas(self, df: 'Union[pd.DataFrame, pd.Series]', shared_memory: bool = True, verbose: bool = False,
                    keepIndex: bool = False) -> Frame:
        """A DataFrame or a Series as a frame; with `keepIndex` the index becomes the first column, "index"."""
        import pandas as pd

        from .._convert.frames import binding_of_pandas
        if isinstance(df, pd.Series):
            df = df.to_frame(name='0' if df.name is None else df.name)
        if not isinstance(df, pd.DataFrame):
            raise TypeError(f'from_pandas takes a DataFrame or a Series, not a {type(df).__name__}')
        if isinstance(df.columns, pd.MultiIndex) or (keepIndex and isinstance(df.index, pd.MultiIndex)):
            raise TypeError('a frame has no index of several levels')
        if keepIndex:
            df = df.reset_index(names='index') if hasattr(pd, 'NA') else df
        return self._bound(binding_of_pandas(df), FRAME)

    def asarray(self, obj: Any) -> Any:
        """Data of any library that is known as a node; nodes as they are."""
        if isinstance(obj, OperationNode):
            return obj
        return self.from_numpy(np.asarray(obj))

    # ---- generation

    def fill(self, arg: Any, rows: Any, cols: Any) -> Matrix:
        """A matrix whose cells are all `arg`."""
        return self._made(MATRIX, 'fill', arg, rows, cols, vtype=infer.type_of(self._operand(arg)), shape=_shape(rows, cols))

    def seq(self, start: Any, end: Any, inc: Any = 1) -> Matrix:
        """A column from start to end, both included."""
        return self._made(MATRIX, 'seq', start, end, inc, shape=(None, 1))

    def rand(self, rows: Any, cols: Any, min: Any = None, max: Any = None, sparsity: Any = None, seed: Any = None) -> Matrix:
        """Random numbers between min and max; `sparsity` is the share of cells that are not 0. Without a seed every
        computation draws others."""
        for name, size in (('rows', rows), ('cols', cols)):
            if isinstance(size, int) and size < 0:
                raise ValueError(f'rand: {name} is {size}')
        low, high = 0.0 if min is None else min, 1.0 if max is None else max
        return self._made(MATRIX, 'rand', rows, cols, low, high, 1.0 if sparsity is None else sparsity,
                          -1 if seed is None else seed,
                          vtype=infer.common_type(infer.type_of(self._operand(low)), infer.type_of(self._operand(high))),
                          shape=_shape(rows, cols))

    def sample(self, range: Any, size: Any, withReplacement: bool, seed: int = -1) -> Matrix:
        """A column of `size` numbers from 0 to below `range`."""
        return self._made(MATRIX, 'sample', range, size, bool(withReplacement), seed, shape=_shape(size, 1))

    def createFrame(self, columns: List[Matrix], labels: Optional[List[str]] = None) -> Frame:
        """A frame of columns."""
        if labels and len(labels) != len(columns):
            raise RuntimeError(f'createFrame: {len(labels)} labels for {len(columns)} columns')
        return self._made(FRAME, 'createFrame', *columns, *(quoted(label) for label in labels or ()), shape=(None, len(columns)))

    def diagMatrix(self, arg: Any) -> Matrix:
        """A square matrix with this column on its diagonal."""
        rows = infer.shape_of(self._operand(arg))[0]
        return self._made(MATRIX, 'diagMatrix', arg, shape=(rows, rows))

    # ---- files

    def readMatrix(self, file: Any) -> Matrix:
        """A matrix from a file."""
        return self._made(MATRIX, 'readMatrix', quoted(str(file)))

    def readFrame(self, file: Any) -> Frame:
        """A frame from a file."""
        return self._made(FRAME, 'readFrame', quoted(str(file)))

    # ---- logic

    def logical_and(self, left: Any, right: Any) -> Scalar:
        """Whether both are true."""
        return self._made(SCALAR, '&&', left, right, form='{0} && {1}')

    def logical_or(self, left: Any, right: Any) -> Scalar:
        """Whether one of them is true."""
        return self._made(SCALAR, '||', left, right, form='{0} || {1}')


def _shape(rows: Any, cols: Any) -> Tuple[Optional[int], Optional[int]]:
    return (rows if isinstance(rows, int) else None, cols if isinstance(cols, int) else None)
