# SPDX-License-Identifier: Apache-2.0
"""Frames that are not computed yet."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ..._graph import infer
from ..._graph.literals import quoted
from ..._graph.step import FRAME, MATRIX, MULTI, NONE, SCALAR, Step
from ...script_building.dag import OutputType
from ..arithmetic import Arithmetic
from ..indexing import check_scope, index_step, insert_step
from ..metadata import schema_of, shape_of
from .matrix import cast, order_arguments

if TYPE_CHECKING:
    from ..groups import Groups
    from .matrix import Matrix
    from .scalar import Scalar

Labels = Union[str, Sequence[str]]


class Frame(Arithmetic):
    """A table: every column has a label and a value type. `F["a"]` and `F.a` are a column as a matrix, `F[["a", "b"]]` is a
    frame."""

    def __init__(self, daphne_context: Any, operation: str, unnamed_input_nodes: Optional[Sequence[Any]] = None,
                 named_input_nodes: Any = None) -> None:
        super().__init__(daphne_context, operation, unnamed_input_nodes, named_input_nodes, OutputType.FRAME)

    def _call(self, kind: str, name: str, *arguments: Any, vtype: Optional[str] = None,
              shape: infer.Shape = infer.UNKNOWN, form: Optional[str] = None) -> Any:
        operands = [self._step, *(self._operand(one) for one in arguments)]
        return self._made(Step(kind, name, operands, form=form, vtype=vtype, shape=shape))

    # ---- shape and labels

    def nrow(self) -> 'Scalar':
        """The number of rows."""
        return self._call(SCALAR, 'nrow', vtype='size')

    def ncol(self) -> 'Scalar':
        """The number of columns."""
        return self._call(SCALAR, 'ncol', vtype='size')

    def ncell(self) -> 'Scalar':
        """The number of cells."""
        return self._call(SCALAR, 'ncell', vtype='size')

    @property
    def shape(self) -> Tuple[int, int]:
        """Rows and columns."""
        return shape_of(self)

    @property
    def columns(self) -> List[str]:
        """The labels."""
        return [label for label, _ in schema_of(self)]

    @property
    def dtypes(self) -> Dict[str, Any]:
        """The numpy type of every column."""
        return {label: infer.DTYPES[vtype] for label, vtype in schema_of(self)}

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        return iter(self.columns)

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

    def rename(self, columns: Mapping[str, str]) -> 'Frame':
        """Other labels for some columns."""
        labels = self.columns
        for label in columns:
            _check_label(label, labels)
        return self.setColLabels([columns.get(label, label) for label in labels])

    # ---- parts

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._column(index)
        if isinstance(index, (list, tuple)) and index and all(isinstance(one, str) for one in index):
            return self.select(*index)
        return self._made(index_step(self, index))

    def _column(self, label: str) -> 'Matrix':
        one = self._call(FRAME, '[]', form=f'{{0}}[, {_in_form(quoted(label))}]')
        return self._made(Step(MATRIX, 'as.matrix', [one._step], shape=(self._step.shape[0], 1)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith('_') or '_step' not in self.__dict__:
            raise AttributeError(name)
        labels = self.columns
        if name not in labels:
            raise AttributeError(f'a frame has no attribute and no column {name!r}; columns are {", ".join(labels)}')
        return self._column(name)

    def __setitem__(self, index: Any, value: Any) -> None:
        check_scope(self)
        if isinstance(index, str):
            new = self._operand(value)
            rows, cols = self._step.shape

            def write(writer: Any, step: Step) -> str:
                name = writer.fresh('v')
                writer.line(f'{name} = {writer.operand(step.operands[0])};', step)
                writer.line(f'{name}[, {quoted(index)}] = {writer.operand(step.operands[1])};', step)
                return name

            if not isinstance(new, Step) or new.kind == SCALAR:
                new = Step(MATRIX, 'fill', [new, Step(SCALAR, 'nrow', [self._step], vtype='size'), 1])
            self._step = Step(FRAME, '[]=', [self._step, new], form=write, shape=(rows, None))
        else:
            self._step = insert_step(self, index, value)

    def select(self, *labels: str) -> 'Frame':
        """Some columns, in this order."""
        if not labels:
            raise ValueError('select needs labels')
        parts = [Step(FRAME, '[]', [self._step], form=f'{{0}}[, {_in_form(quoted(label))}]') for label in labels]
        whole = parts[0]
        for part in parts[1:]:
            whole = Step(FRAME, 'cbind', [whole, part])
        whole.shape = (self._step.shape[0], len(labels))
        return self._made(whole)

    def drop(self, columns: Labels) -> 'Frame':
        """All other columns."""
        dropped = [columns] if isinstance(columns, str) else list(columns)
        labels = self.columns
        for label in dropped:
            _check_label(label, labels)
        return self.select(*(label for label in labels if label not in dropped))

    def filter(self, condition: Any) -> 'Frame':
        """The rows for which the condition is not 0: a matrix of one column, or an expression of SQL over the labels."""
        if isinstance(condition, str):
            labels = self.columns
            return self.sql(f'SELECT * FROM self WHERE {condition}').setColLabels(labels)
        return self._call(FRAME, '[[]]', condition, form='{0}[[{1}, ]]', shape=(None, self._step.shape[1]))

    def head(self, n: Any = 5) -> 'Frame':
        """The first rows."""
        return self._call(FRAME, 'head', n, shape=(None, self._step.shape[1]))

    def tail(self, n: Any = 5) -> 'Frame':
        """The last rows."""
        return self._call(FRAME, 'tail', n, shape=(None, self._step.shape[1]))

    def unique(self) -> 'Frame':
        """The different rows, in the order in which they first appear."""
        return self._call(FRAME, 'unique', shape=(None, self._step.shape[1]))

    # ---- putting together

    def rbind(self, other: Any) -> 'Frame':
        """The rows of both frames."""
        return self._call(FRAME, 'rbind', other, shape=(None, self._step.shape[1]))

    def cbind(self, other: Any) -> 'Frame':
        """The columns of both frames."""
        return self._call(FRAME, 'cbind', other, shape=(self._step.shape[0], None))

    def cartesian(self, other: Any) -> 'Frame':
        """Every row of this frame with every row of the other."""
        return self._call(FRAME, 'cartesian', other)

    def union(self, other: Any) -> 'Frame':
        """The different rows of both frames."""
        return self._call(FRAME, 'merge', other, shape=(None, self._step.shape[1]))

    def intersect(self, other: Any) -> 'Frame':
        """The different rows that are in both frames."""
        return self._call(FRAME, 'intersect', other, shape=(None, self._step.shape[1]))

    def except_(self, other: Any) -> 'Frame':
        """The different rows that are not in the other frame."""
        return self._call(FRAME, 'except', other, shape=(None, self._step.shape[1]))

    # ---- joins

    def innerJoin(self, right_frame: Any, left_on: str, right_on: str) -> 'Frame':
        """Pairs of rows with equal keys."""
        return self._call(FRAME, 'innerJoin', right_frame, quoted(left_on), quoted(right_on))

    def leftOuterJoin(self, right_frame: Any, left_on: Labels, right_on: Labels) -> 'Frame':
        """Pairs of rows with equal keys; a row without a partner stands beside 0, NaN or ""."""
        return self._call(FRAME, 'leftOuterJoin', right_frame, *_keys(left_on, right_on))

    def fullOuterJoin(self, right_frame: Any, left_on: Labels, right_on: Labels) -> 'Frame':
        """As leftOuterJoin, and rows of the right frame without a partner."""
        return self._call(FRAME, 'fullOuterJoin', right_frame, *_keys(left_on, right_on))

    def antiJoin(self, right_frame: Any, left_on: Labels, right_on: Labels) -> 'Frame':
        """The rows without a partner."""
        return self._call(FRAME, 'antiJoin', right_frame, *_keys(left_on, right_on), shape=(None, self._step.shape[1]))

    def semiJoin(self, right_frame: Any, left_on: str, right_on: str) -> Tuple['Frame', 'Matrix']:
        """The keys that have a partner, and the positions of their rows."""
        step = Step(MULTI, 'semiJoin', [self._step, self._operand(right_frame), quoted(left_on), quoted(right_on)], results=2)
        return self._both(step)

    def groupJoin(self, right_frame: Any, left_on: str, right_on: str, agg: str) -> Tuple['Frame', 'Matrix']:
        """For every key with a partner the sum of a column of the right frame, and the positions of these keys."""
        step = Step(MULTI, 'groupJoin', [self._step, self._operand(right_frame), quoted(left_on), quoted(right_on), quoted(agg)],
                    results=2)
        return self._both(step)

    def _both(self, step: Step) -> Any:
        return (self._made(Step(FRAME, 'result', [step], index=0)), self._made(Step(MATRIX, 'result', [step], index=1)))

    def join(self, right: 'Frame', on: Labels, how: str = 'inner', right_on: Optional[Labels] = None) -> Any:
        """Pairs of rows with equal keys: how is "inner", "left", "full", "semi" or "anti". "semi" yields whole rows."""
        left_on, right_on = on, on if right_on is None else right_on
        if how == 'inner':
            lefts, rights = _labels(left_on), _labels(right_on)
            _same_number(lefts, rights)
            if len(lefts) == 1:
                return self.innerJoin(right, lefts[0], rights[0])
            conditions = [word for pair in zip(lefts, rights) for word in (quoted(pair[0]), '"="', quoted(pair[1]))]
            return self._call(FRAME, 'thetaJoin', right, *conditions)
        if how == 'semi':
            keys = _labels(left_on)
            if len(keys) != 1:
                raise ValueError('a semi join has one key')
            positions = self.semiJoin(right, keys[0], _labels(right_on)[0])[1]
            return self[positions, :]
        methods = {'left': self.leftOuterJoin, 'full': self.fullOuterJoin, 'outer': self.fullOuterJoin, 'anti': self.antiJoin}
        if how not in methods:
            raise ValueError(f'how is one of inner, left, full, semi and anti, not {how!r}')
        return methods[how](right, left_on, right_on)

    # ---- groups and order

    def groupSum(self, by: Labels, col: str) -> 'Frame':
        """One row for every combination of keys, with the sum of a column."""
        return self._call(FRAME, 'groupSum', *(quoted(one) for one in _labels(by)), quoted(col))

    def groupby(self, by: Labels) -> 'Groups':
        """Groups of rows with equal keys: `groupby("k").agg({"x": "sum"})`."""
        from ..groups import Groups
        return Groups(self, _labels(by))

    def order(self, colIdxs: List[int], ascs: List[bool], returnIndexes: bool) -> Any:
        """Rows sorted by columns, the first one first; with `returnIndexes` a matrix with the positions of the rows."""
        arguments = order_arguments(colIdxs, ascs, returnIndexes)
        if returnIndexes:
            return self._call(MATRIX, 'order', *arguments, vtype='size', shape=(self._step.shape[0], 1))
        return self._call(FRAME, 'order', *arguments, shape=self._step.shape)

    def sort_values(self, by: Labels, ascending: Union[bool, Sequence[bool]] = True) -> 'Frame':
        """Rows sorted by columns with these labels."""
        keys, labels = _labels(by), self.columns
        for label in keys:
            _check_label(label, labels)
        directions = [ascending] * len(keys) if isinstance(ascending, bool) else list(ascending)
        return self.order([labels.index(label) for label in keys], directions, False)

    def describe(self) -> 'Frame':
        """A row per column: its label, number of cells, mean, standard deviation, minimum, quartiles and maximum."""
        return self._call(FRAME, 'describe')

    # ---- queries

    def registerView(self, table_name: str) -> Any:
        """From now on queries of the context know the frame under this name."""
        self.daphne_context._register_view(table_name, self)
        return self._made(Step(NONE, 'registerView', [quoted(table_name), self._step]))

    def sql(self, query: str, params: Optional[Mapping[str, Any]] = None, **views: Any) -> 'Frame':
        """The result of a query that knows this frame as `self`."""
        return self.daphne_context.sql(query, params=params, **{'self': self, **views})

    # ---- conversion and output

    def toMatrix(self, value_type: str = 'f64') -> 'Matrix':
        """All cells, converted to one value type."""
        return cast(self, 'matrix', value_type)

    def asType(self, dtype: Optional[str] = None, vtype: Optional[str] = None) -> Any:
        """Another kind ("matrix", "frame", "scalar"), another value type ("f64", "si64" ...), or both."""
        return cast(self, dtype, vtype)

    def print(self) -> Any:
        """A node that prints the frame when it is computed."""
        return self._call(NONE, 'print')

    def write(self, file: Any) -> Any:
        """A node that writes a file when it is computed; its extension is the format."""
        return self._call(NONE, 'writeFrame', quoted(str(file)))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        from ..._compute import value_of
        from ..._convert.arrow import capsule_of_value
        return capsule_of_value(value_of(self))

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        return self.compute().__dataframe__(nan_as_null, allow_copy)

    def compute(self, type: str = 'shared memory', verbose: bool = False, useIndexColumn: bool = False,
                **options: Any) -> Any:
        """Does the computation and returns a DataFrame."""
        return super().compute(type, verbose, useIndexColumn=useIndexColumn, **options)


def _in_form(text: str) -> str:
    return text.replace('{', '{{').replace('}', '}}')


def _labels(given: Labels) -> List[str]:
    return [given] if isinstance(given, str) else list(given)


def _same_number(left: Sequence[str], right: Sequence[str]) -> None:
    if len(left) != len(right):
        raise ValueError(f'{len(left)} keys on the left, {len(right)} on the right')


def _keys(left_on: Labels, right_on: Labels) -> List[str]:
    left, right = _labels(left_on), _labels(right_on)
    _same_number(left, right)
    return [quoted(one) for one in [*left, *right]]


def _check_label(label: str, labels: Sequence[str]) -> None:
    if label not in labels:
        raise KeyError(f'there is no column {label!r}; columns are {", ".join(labels)}')
