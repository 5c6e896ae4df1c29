# SPDX-License-Identifier: Apache-2.0
"""Errors of the engine, taken apart: what failed and where, before anybody knows the node it belongs to."""
from __future__ import annotations

import json
import re
from ctypes import byref, c_void_p
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Type

from .. import errors
from . import library

_SHAPE = re.compile(r'\bgot\b.*\b\d+x\d+\b|\bshapes?\b|\bout of (range|bounds)\b')
_FILE_OPERATIONS = ('read', 'write', 'readMatrix', 'readFrame', 'openFile', 'readCsv')


@dataclass
class Failure(Exception):
    """What the engine said of an error. Turned into a DaphneError by whoever knows the nodes."""
    status: int
    message: str
    hint: str = ''
    rendered: str = ''
    operation: str = ''
    line: Optional[int] = None
    column: Optional[int] = None
    end_column: Optional[int] = None
    file: str = ''
    labels: List[str] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)

    def error_class(self) -> Type[errors.DaphneError]:
        """The class of exceptions for it."""
        if self.status == library.PARSE_ERROR:
            return errors.ParseError
        if self.status == library.CANCELLED:
            return errors.Cancelled
        if self.status == library.INTERNAL_ERROR:
            return errors.InternalError
        if 'out of memory' in self.message or 'not enough memory' in self.message:
            return errors.OutOfMemoryError
        if self.operation.startswith(_FILE_OPERATIONS):
            return errors.IOFormatError
        if _SHAPE.search(self.message):
            return errors.ShapeError
        return errors.TypeInferenceError if self.status == library.COMPILE_ERROR else errors.ExecutionError

    def plain(self) -> errors.DaphneError:
        """The exception where there is no node."""
        return self.error_class()(self.message + (f'\nhint: {self.hint}' if self.hint else ''), message=self.message,
                                  hint=self.hint, dsl_line=self.line, dsl_column=self.column)


def check(status: int, error: c_void_p) -> None:
    """Raises the Failure that a function of the library has reported."""
    if status != library.OK:
        raise taken(status, error)


def taken(status: int, error: c_void_p) -> Failure:
    """The Failure of an error, which is freed."""
    lib = library.load()
    if not error.value:
        return Failure(status, 'out of memory')
    try:
        facts: Dict[str, Any] = json.loads(lib.daphne_error_json(error).decode('utf-8', 'replace'))
        return Failure(status=facts.get('status', status), message=facts.get('message', ''), hint=facts.get('hint', ''),
                       rendered=lib.daphne_error_rendered(error).decode('utf-8', 'replace'),
                       operation=facts.get('operation', ''), line=facts.get('line'), column=facts.get('column'),
                       end_column=facts.get('endColumn'), file=facts.get('file', ''),
                       labels=[label['text'] for label in facts.get('labels', [])],
                       notes=[note['text'] for note in facts.get('notes', [])])
    finally:
        lib.daphne_error_free(error)


def call(function: Any, *arguments: Any) -> None:
    """Calls a function whose last parameter takes an error. Raises the Failure."""
    error = c_void_p()
    status = function(*arguments, byref(error))
    if status != library.OK:
        raise taken(status, error)
