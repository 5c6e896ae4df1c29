# SPDX-License-Identifier: Apache-2.0
"""Data of Python and of other libraries as nodes of a context."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Sequence, Union

import numpy as np

from .._convert.arrays import binding_of_array, is_transposed, normalised, two_dimensional
from .._convert.arrow import binding_of_arrow, speaks_arrow
from .._convert.bindings import VTYPES, Binding
from .._convert.sparse import binding_of_sparse, is_sparse
from .._graph.literals import is_number
from .._graph.step import FRAME, LIST, MATRIX, SCALAR, Step
from ..operator.nodes import handle_of
from ..operator.nodes.frame import Frame
from ..operator.nodes.matrix import Matrix
from ..operator.operation_node import OperationNode

if TYPE_CHECKING:
    import pandas as pd

    from ..operator.nodes.list import List as ListNode
    from ..operator.nodes.scalar import Scalar


class DataImport:
    """Data is bound, not copied, where its layout allows. Who changes it later changes what later computations see."""

    def _bound(self, binding: Binding, kind: str = MATRIX) -> Any:
        """A node for data."""
        shape = tuple(None if size < 0 else size for size in (binding.rows, binding.cols))
        return handle_of(Step(kind, 'data', vtype=VTYPES.get(binding.type), shape=shape, binding=binding), self)  # type: ignore

    def _matrix_of(self, mat: Any, shared_memory: bool, verbose: bool, return_shape: bool) -> Any:
        array = np.asanyarray(mat)
        if isinstance(array, np.ma.MaskedArray):
            normalised(array)  # refuses masked cells
        array = np.asarray(array)
        flat = two_dimensional(array)
        if not shared_memory:
            from .._convert.files import matrix_file
            node: Any = matrix_file(self, flat, verbose)
        elif flat.dtype.kind in 'biuf' and is_transposed(flat):
            node = self._bound(binding_of_array(flat.T)).t()
        else:
            node = self._bound(binding_of_array(flat))
        return (node, tuple(array.shape)) if return_shape else node

    def from_numpy(self, mat: np.ndarray, shared_memory: bool = True, verbose: bool = False,
                   return_shape: bool = False) -> Any:
        """The array as a matrix: 1-d becomes a column, more than two dimensions become first x rest; with `return_shape`
        also the shape it had. Without `shared_memory` it goes through a file.

        >>> dc.from_numpy(np.array([[1.0, 2.0], [3.0, 4.0]])).sum().compute()
        10.0
        """
        return self._matrix_of(mat, shared_memory, verbose, return_shape)

    def from_python(self, mat: List[Any], shared_memory: bool = True, verbose: bool = False,
                    return_shape: bool = False) -> Any:
        """A list, or nested lists, as a matrix.

        >>> dc.from_python([[1, 2], [3, 4]]).t().compute()
        array([[1, 3],
               [2, 4]])
        """
        return self._matrix_of(np.asarray(mat), shared_memory, verbose, return_shape)

    def from_pandas(self, df: 'Union[pd.DataFrame, pd.Series]', shared_memory: bool = True, verbose: bool = False,
                    keepIndex: bool = False) -> Frame:
        """A DataFrame or a Series as a frame; with `keepIndex` the index becomes the first column, "index". Categories
        become their codes. A column with missing cells has its null indicator beside it."""
        import pandas as pd

        from .._convert.frames import binding_of_pandas
        if isinstance(df, pd.Series):
            df = df.to_frame(name='0' if df.name is None else df.name)
        if not isinstance(df, pd.DataFrame):
            raise TypeError(f'from_pandas takes a DataFrame or a Series, not a {type(df).__name__}')
        if isinstance(df.columns, pd.MultiIndex) or isinstance(df.index, pd.MultiIndex):
            raise TypeError('a frame has no index of several levels')
        if keepIndex:
            index = df.index.to_frame(index=False)
            index.columns = ['index']
            df = pd.concat([index, df.reset_index(drop=True)], axis=1)
        if not shared_memory:
            from .._convert.files import frame_file
            return frame_file(self, df, verbose)
        return self._bound(binding_of_pandas(df), FRAME)

    def from_tensorflow(self, tensor: Any, shared_memory: bool = True, verbose: bool = False,
                        return_shape: bool = False) -> Any:
        """A tensor of TensorFlow as a matrix."""
        return self._matrix_of(np.asarray(tensor), shared_memory, verbose, return_shape)

    def from_pytorch(self, tensor: Any, shared_memory: bool = True, verbose: bool = False,
                     return_shape: bool = False) -> Any:
        """A tensor of PyTorch as a matrix, over the same memory; one on a device is copied."""
        return self._matrix_of(tensor.detach().cpu().numpy(), shared_memory, verbose, return_shape)

    def from_scipy(self, mat: Any, *, copy: bool = False) -> Matrix:
        """A sparse matrix of SciPy: compressed rows or columns share their cells, other formats are converted."""
        if not is_sparse(mat):
            raise TypeError(f'from_scipy takes a sparse matrix, not a {type(mat).__name__}')
        binding, is_columns = binding_of_sparse(mat, copy)
        node = self._bound(binding)
        return node.t() if is_columns else node

    def from_arrow(self, obj: Any) -> Frame:
        """A table of any library that offers `__arrow_c_stream__` or `__arrow_c_array__`."""
        return self._bound(binding_of_arrow(obj), FRAME)

    def from_dlpack(self, obj: Any) -> Matrix:
        """A tensor of any library that offers `__dlpack__`, over the same memory."""
        return self._matrix_of(np.from_dlpack(obj), True, False, False)

    def from_polars(self, df: Any) -> Frame:
        """A DataFrame of polars."""
        return self.from_arrow(df)

    def from_dict(self, mapping: Mapping[str, Any]) -> Frame:
        """Columns by label: lists, arrays, or nodes that are columns.

        >>> dc.from_dict({'a': [1, 2], 'b': ['x', 'y']}).compute()
           a  b
        0  1  x
        1  2  y
        """
        if any(isinstance(one, OperationNode) for one in mapping.values()):
            columns_ = [self.asarray(one) for one in mapping.values()]
            return self.createFrame(columns_, [str(one) for one in mapping])  # type: ignore[attr-defined, no-any-return]
        from .._convert.frames import binding_of_columns
        columns = {str(label): np.asarray(cells) for label, cells in mapping.items()}
        lengths = {cells.shape[0] if cells.ndim else 1 for cells in columns.values()}
        if len(lengths) > 1:
            raise ValueError(f'the columns have different lengths: {sorted(lengths)}')
        bindings = [binding_of_array(normalised(cells.reshape(-1, 1), f'column {label!r}'))
                    for label, cells in columns.items()]
        return self._bound(binding_of_columns(list(columns), bindings, next(iter(lengths), 0)), FRAME)

    def from_records(self, rows: Iterable[Sequence[Any]], labels: Sequence[str]) -> Frame:
        """Rows, and the labels of their columns."""
        all_rows = [tuple(row) for row in rows]
        for number, row in enumerate(all_rows):
            if len(row) != len(labels):
                raise ValueError(f'row {number} has {len(row)} cells for {len(labels)} labels')
        return self.from_dict({label: [row[c] for row in all_rows] for c, label in enumerate(labels)})

    def array(self, obj: Any) -> Any:
        """The same as asarray."""
        return self.asarray(obj)

    def asarray(self, obj: Any) -> Any:
        """Data of any library that is known as a node; nodes stay as they are."""
        if isinstance(obj, OperationNode):
            return obj
        if is_number(obj) or isinstance(obj, str):
            return self.scalar(obj)
        if is_sparse(obj):
            return self.from_scipy(obj)
        module = type(obj).__module__.split('.')[0]
        if module == 'pandas':
            return self.from_pandas(obj)
        if module == 'torch':
            return self.from_pytorch(obj)
        if not isinstance(obj, np.ndarray) and speaks_arrow(obj):
            return self.from_arrow(obj)
        array = np.asanyarray(obj)
        if array.dtype.kind == 'O' and not isinstance(obj, np.ndarray) and not _is_list_of_texts(array):
            raise TypeError(f'a {type(obj).__name__} cannot become a matrix: {obj!r}'[:300])
        return self.from_numpy(array)

    def scalar(self, value: Any) -> 'Scalar':
        """A number or text as data: other values need no new compilation.

        >>> (dc.scalar(2) + 3).compute()
        5
        """
        from .._convert.scalars import binding_of_scalar
        if isinstance(value, OperationNode):
            return value.asType('scalar')  # type: ignore[attr-defined]
        return self._bound(binding_of_scalar(value), SCALAR)

    def list(self, *matrices: Any) -> 'ListNode':
        """A list of matrices of one value type."""
        return handle_of(Step(LIST, 'createList', [self.asarray(one)._step for one in matrices]), self)  # type: ignore


def _is_list_of_texts(array: np.ndarray) -> bool:
    return bool(array.size) and all(isinstance(one, str) for one in array.ravel())


