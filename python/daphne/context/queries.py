# SPDX-License-Identifier: Apache-2.0
"""Queries over frames of a context."""
from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Mapping, Optional

import numpy as np

from .._graph.literals import integer, quoted
from .._graph.step import FRAME, MATRIX, Step
from ..operator.nodes import handle_of
from ..operator.nodes.frame import Frame

_NAME = re.compile(r'[A-Za-z_]\w*')
# Strings of SQL, so that what stands in them is neither a name nor a parameter.
_STRING = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_PARAMETER = re.compile(_STRING + r'|:([A-Za-z_]\w*)')


class Queries:
    """A context knows the frames that were registered under a name."""
    _views: Dict[str, Step]

    def _operand(self, value: Any) -> Any:
        raise NotImplementedError

    def _register_view(self, name: str, frame: Frame) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f'a table cannot be called {name!r}: letters, digits and _')
        self._views[name] = frame._step

    def sql(self, query: str, /, *, params: Optional[Mapping[str, Any]] = None, **views: Any) -> Frame:
        """The result of a query over registered frames, and over `views`, frames or data that are seen under these names.
        `:name` in the query is the value of `params['name']`.

        >>> f = dc.from_dict({'k': [1, 1, 2], 'x': [10, 20, 30]})
        >>> dc.sql('SELECT t.k, sum(t.x) AS s FROM t GROUP BY t.k', t=f).compute()
           t.k   s
        0    1  30
        1    2  30
        """
        if not isinstance(query, str):
            raise TypeError(f'a query is a text, not {query!r}')
        text = _with_parameters(query, params or {})
        tables = {**{name: step for name, step in self._views.items() if name not in views},
                  **{name: _frame_step(self._operand(one)) for name, one in views.items()}}
        mentioned = set(_NAME.findall(re.sub(_STRING, ' ', text)))
        for name in views:
            if name not in mentioned:
                raise ValueError(f'the query does not mention the table {name!r}')
        names = [name for name in tables if name in mentioned]

        def write(writer: Any, step: Step) -> str:
            # Registered right before the query: other queries may know other frames under these names.
            for name, frame in zip(names, step.operands):
                writer.line(f'registerView({quoted(name)}, {writer.operand(frame)});', step)
            return f'sql({quoted(text)})'

        return handle_of(Step(FRAME, 'sql', [tables[name] for name in names], form=write), self)  # type: ignore[return-value]


def _frame_step(operand: Any) -> Step:
    if isinstance(operand, Step) and operand.kind == MATRIX:
        return Step(FRAME, 'as.frame', [operand], shape=operand.shape)
    if not isinstance(operand, Step) or operand.kind != FRAME:
        raise TypeError('a table of a query is a frame or a matrix')
    return operand


def _with_parameters(query: str, params: Mapping[str, Any]) -> str:
    used: List[str] = []

    def value(match: 're.Match[str]') -> str:
        name = match.group(1)
        if name is None:
            return match.group(0)
        if name not in params:
            raise ValueError(f'the query has a parameter :{name}, but params has no {name!r}')
        used.append(name)
        return sql_literal(params[name])

    text = _PARAMETER.sub(value, query)
    for name in params:
        if name not in used:
            raise ValueError(f'the query has no parameter :{name}')
    return text


def sql_literal(value: Any) -> str:
    """A value as it is written in a query."""
    if value is None:
        return 'NULL'
    if isinstance(value, str):
        escaped = value.replace('\\', '\\\\').replace("'", "\\'").replace('\n', '\\n').replace('\t', '\\t').replace('\r', '\\r')
        return f"'{escaped}'"
    if isinstance(value, (bool, np.bool_)):
        return '1' if value else '0'
    if isinstance(value, (int, np.integer)):
        return integer(int(value)).strip('()')
    if isinstance(value, (float, np.floating)):
        if not math.isfinite(value):
            raise ValueError(f'{value} cannot be written in a query')
        return np.format_float_positional(float(value), trim='0')
    raise TypeError(f'a parameter of a query is a number or a text, not {value!r}')
