# SPDX-License-Identifier: Apache-2.0
"""What is raised when the engine refuses or fails. Wrong arguments of Python calls are TypeError and ValueError."""
from __future__ import annotations

from typing import Any, Optional

__all__ = ['DaphneError', 'ParseError', 'TypeInferenceError', 'ShapeError', 'ExecutionError', 'IOFormatError',
           'OutOfMemoryError', 'Cancelled', 'InternalError']


class DaphneError(RuntimeError):
    """The engine could not do what it was asked for.

    `message` and `hint` are the engine's words. `python_file` and `python_line` say where the failing `node` was created;
    `dsl_line`, `dsl_column` and `dsl_excerpt` say where it is in the program that the engine was given. What is not known
    is None.
    """

    def __init__(self, text: str, *, message: Optional[str] = None, hint: str = '', dsl_line: Optional[int] = None,
                 dsl_column: Optional[int] = None, dsl_excerpt: Optional[str] = None, python_file: Optional[str] = None,
                 python_line: Optional[int] = None, node: Any = None) -> None:
        super().__init__(text)
        self.message = text if message is None else message
        self.hint = hint
        self.dsl_line = dsl_line
        self.dsl_column = dsl_column
        self.dsl_excerpt = dsl_excerpt
        self.python_file = python_file
        self.python_line = python_line
        self.node = node


class ParseError(DaphneError):
    """Text in DaphneDSL, an argument or an option is wrong."""


class TypeInferenceError(DaphneError):
    """The compiler found operands of the wrong kind or type."""


class ShapeError(DaphneError):
    """Shapes do not fit, or a position is outside."""


class ExecutionError(DaphneError):
    """An operation failed while the program ran."""


class IOFormatError(ExecutionError):
    """A file cannot be read or written, or is not what it should be."""


class OutOfMemoryError(ExecutionError, MemoryError):
    """There is not enough memory."""


class Cancelled(DaphneError):
    """The run was cancelled, or took longer than its timeout."""


class InternalError(DaphneError):
    """A bug of Daphne."""
