# SPDX-License-Identifier: Apache-2.0
"""Files as nodes of a context; they are read when a computation needs them."""
from __future__ import annotations

import os
from typing import Any, Dict, Optional, Union

from .._graph.literals import quoted
from .._graph.step import FRAME, MATRIX, Step
from ..operator.nodes import handle_of
from ..operator.nodes.frame import Frame
from ..operator.nodes.matrix import Matrix

Path = Union[str, 'os.PathLike[str]']
_FRAMES = ('.parquet', '.arrow', '.feather', '.ipc')


class Files:
    """The extension of a file is its format; `.gz` and `.zst` may follow. What its metadata file does not say is found in the
    data."""

    def readMatrix(self, file: Path, *, dtype: Optional[str] = None, delimiter: Optional[str] = None,
                   header: Optional[bool] = None, quote: Optional[str] = None, nulls: Optional[str] = None,
                   lenient: Optional[bool] = None) -> Matrix:
        """A matrix from a file. `dtype` is the value type its cells are converted to."""
        node: Any = handle_of(Step(MATRIX, 'readMatrix', [quoted(os.fspath(file))],
                                   _keywords(delimiter, header, quote, nulls, lenient)), self)
        return node if dtype is None else node.asType(vtype=dtype)

    def readFrame(self, file: Path, *, delimiter: Optional[str] = None, header: Optional[bool] = None,
                  quote: Optional[str] = None, nulls: Optional[str] = None, lenient: Optional[bool] = None,
                  columns: Any = None) -> Frame:
        """A frame from a file. `columns` are labels of those that are wanted."""
        node: Any = handle_of(Step(FRAME, 'readFrame', [quoted(os.fspath(file))],
                                   _keywords(delimiter, header, quote, nulls, lenient)), self)
        return node if columns is None else node[list(columns)]

    def read(self, file: Path, **options: Any) -> Any:
        """A frame if the file is a table by its format or its metadata, else a matrix."""
        name = os.fspath(file)
        for ending in ('.gz', '.zst'):
            if name.endswith(ending):
                name = name[:-len(ending)]
        if name.endswith(_FRAMES) or (name.endswith('.csv') and _has_schema(os.fspath(file))):
            return self.readFrame(file, **options)
        return self.readMatrix(file, **options)


def _has_schema(name: str) -> bool:
    import json
    try:
        with open(name + '.meta', encoding='utf-8') as file:
            return 'schema' in json.load(file)
    except (OSError, ValueError):
        return False


def _keywords(delimiter: Optional[str], header: Optional[bool], quote: Optional[str], nulls: Optional[str],
              lenient: Optional[bool]) -> Optional[Dict[str, Any]]:
    named: Dict[str, Any] = {}
    for name, value in (('header', header), ('delimiter', delimiter), ('quote', quote), ('nulls', nulls), ('lenient', lenient)):
        if value is not None:
            named[name] = quoted(value) if isinstance(value, str) else bool(value)
    return named or None
