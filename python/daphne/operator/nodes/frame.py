# SPDX-License-Identifier: Apache-2.0
"""Frames that are not computed yet."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Sequence

from ..._graph import infer
from ..._graph.literals import quoted
from ..._graph.step import FRAME, MATRIX, NONE, SCALAR, Step
from ...script_building.dag import OutputType
from ..indexing import index_step, insert_step
from ..arithmetic import Arithmetic
from .matrix import order_arguments

if TYPE_CHECKING:
    from .matrix import Matrix
    from .scalar import Scalar


class Frame(Arithmetic):
    """A table: every column has a label and a value type."""

    def __init__(self, daphne_context: Any, operation: str, unnamed_input_nodes: Optional[Sequence[Any]] = None,
                 named_input_nodes: Any = None) -> None:
        super().__init__(daphne_context, operation, unnamed_input_nodes, named_input_nodes, OutputType.FRAME)

    def _call(self, kind: str, name: str, *arguments: Any, vtype: Optional[str] = None,
              shape: infer.Shape = infer.UNKNOWN, form: Optional[str] = None) -> Any:
        operands = [self._step, *(self._operand(one) for one in arguments)]
        return self._made(Step(kind, name, operands, form=form, vtype=vtype, shape=shape))

    def nrow(self) -> 'Scalar':
        """The number of rows."""
        return self._call(SCALAR, 'nrow', vtype='size')

    def ncol(self) -> 'Scalar':
        """The number of columns."""
        return self._call(SCALAR, 'ncol', vtype='size')

    def ncell(self) -> 'Scalar':
        """The number of cells."""
        return self._call(SCALAR, 'ncell', vtype='size')

    def rbind(self, other: Any) -> 'Frame':
        """The rows of both frames."""
        return self._call(FRAME, 'rbind', other, shape=(None, self._step.shape[1]))

    def cbind(self, other: Any) -> 'Frame':
        """The columns of both frames."""
        return self._call(FRAME, 'cbind', other, shape=(self._step.shape[0], None))

    def cartesian(self, other: Any) -> 'Frame':
        """Every row of this frame with every row of the other."""
        return self._call(FRAME, 'cartesian', other)

    def innerJoin(self, right_frame: Any, left_on: str, right_on: str) -> 'Frame':
        """Pairs of rows with equal keys."""
        return self._call(FRAME, 'innerJoin', right_frame, quoted(left_on), quoted(right_on))

    def setColLabels(self, labels: Sequence[str]) -> 'Frame':
        """The frame with other labels, one per column."""
        labels = [labels] if isinstance(labels, str) else list(labels)
        cols = self._step.shape[1]
        if cols is not None and cols != len(labels):
            raise RuntimeError(f'setColLabels: {len(labels)} labels for {cols} columns')
        return self._call(FRAME, 'setColLabels', *(quoted(label) for label in labels), shape=self._step.shape)

    def setColLabelsPrefix(self, prefix: str) -> 'Frame':
        """Labels become prefix.label."""
        return self._call(FRAME, 'setColLabelsPrefix', quoted(prefix), shape=self._step.shape)

    def registerView(self, table_name: str) -> Any:
        """From now on queries of the context know the frame under this name."""
        self.daphne_context._register_view(table_name, self)
        return self._made(Step(NONE, 'registerView', [quoted(table_name), self._step]))

    def toMatrix(self, value_type: str = 'f64') -> 'Matrix':
        """All cells, converted to one value type."""
        return self._made(Step(MATRIX, f'as.matrix<{value_type}>', [self._step], vtype=value_type, shape=self._step.shape))

    def order(self, colIdxs: List[int], ascs: List[bool], returnIndexes: bool) -> Any:
        """Rows sorted by columns, the first one first; with `returnIndexes` a matrix with the positions of the rows."""
        arguments = order_arguments(colIdxs, ascs, returnIndexes)
        if returnIndexes:
            return self._call(MATRIX, 'order', *arguments, vtype='size', shape=(self._step.shape[0], 1))
        return self._call(FRAME, 'order', *arguments, shape=self._step.shape)

    def print(self) -> Any:
        """A node that prints the frame when it is computed."""
        return self._call(NONE, 'print')

    def write(self, file: Any) -> Any:
        """A node that writes a file when it is computed; its extension is the format."""
        return self._call(NONE, 'writeFrame', quoted(str(file)))

    def __getitem__(self, index: Any) -> Any:
        return self._made(index_step(self, index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._step = insert_step(self, index, value)
