# SPDX-License-Identifier: Apache-2.0
"""Groups of rows of a frame, and what is computed of each."""
from __future__ import annotations

from typing import TYPE_CHECKING, List, Mapping, Sequence, Union

if TYPE_CHECKING:
    from .nodes.frame import Frame

# pandas' names for functions of SQL.
_FUNCTIONS = {'sum': 'sum', 'min': 'min', 'max': 'max', 'mean': 'avg', 'avg': 'avg', 'count': 'count', 'size': 'count',
              'std': 'stddev', 'stddev': 'stddev', 'var': 'variance', 'variance': 'variance'}


class Groups:
    """Rows with equal keys; the result has a row per group, keys first, in ascending order of the keys."""

    def __init__(self, frame: 'Frame', keys: Sequence[str]) -> None:
        self._frame = frame
        self._keys = list(keys)

    def agg(self, functions: Mapping[str, Union[str, Sequence[str]]]) -> 'Frame':
        """`{"x": "sum", "y": ["min", "max"]}`: one function of a column keeps its label, several are y_min, y_max. There are
        sum, min, max, mean, count, std and var; std and var are those of the population."""
        columns = self._frame.columns
        items: List[str] = []
        labels: List[str] = list(self._keys)
        for label in [*self._keys, *functions]:
            if label not in columns:
                raise KeyError(f'there is no column {label!r}; columns are {", ".join(columns)}')
        # Names of any characters are no names in SQL; positions are.
        renamed = self._frame.setColLabels([f'c{i}' for i in range(len(columns))])
        for label, wanted in functions.items():
            names = [wanted] if isinstance(wanted, str) else list(wanted)
            for name in names:
                if name not in _FUNCTIONS:
                    raise ValueError(f'{name!r} is none of {", ".join(_FUNCTIONS)}')
                items.append(f'{_FUNCTIONS[name]}(g.c{columns.index(label)}) AS a{len(items)}')
                labels.append(label if isinstance(wanted, str) else f'{label}_{name}')
        keys = [f'g.c{columns.index(label)}' for label in self._keys]
        query = f'SELECT {", ".join([*keys, *items])} FROM g GROUP BY {", ".join(keys)} ORDER BY {", ".join(keys)}'
        return renamed.daphne_context.sql(query, g=renamed).setColLabels(labels)

    def _all(self, name: str) -> 'Frame':
        return self.agg({label: name for label in self._frame.columns if label not in self._keys})

    def sum(self) -> 'Frame':
        """The sums of all other columns."""
        return self._all('sum')

    def mean(self) -> 'Frame':
        """The means of all other columns."""
        return self._all('mean')

    def min(self) -> 'Frame':
        """The least cells of all other columns."""
        return self._all('min')

    def max(self) -> 'Frame':
        """The greatest cells of all other columns."""
        return self._all('max')

    def count(self) -> 'Frame':
        """The number of rows, as column "count"."""
        first = self._keys[0]
        return self.agg({first: ['count']}).rename({f'{first}_count': 'count'})


__all__ = ['Groups']
