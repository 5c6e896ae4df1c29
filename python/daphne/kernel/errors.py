# SPDX-License-Identifier: Apache-2.0
"""Errors as a notebook shows them: message, place in the cell, source line and caret, hint."""
from __future__ import annotations

import re
from typing import Any, Dict, List

from .._engine.failures import Failure

_RED, _BLUE, _END = '\x1b[1;31m', '\x1b[1;34m', '\x1b[0m'


def traceback_of(failure: Failure) -> List[str]:
    """The lines of the error, coloured for a terminal."""
    lines = (failure.rendered or f'error: {failure.message}').rstrip('\n').split('\n')
    return [_coloured(line) for line in lines]


def content_of(failure: Failure) -> Dict[str, Any]:
    """What an error message of Jupyter and the reply to the cell hold."""
    return {'ename': failure.error_class().__name__, 'evalue': failure.message, 'traceback': traceback_of(failure)}


def interrupted() -> Dict[str, Any]:
    """The same of a cell that was stopped."""
    text = 'interrupted; variables are as they were before this cell'
    return {'ename': 'Interrupted', 'evalue': text, 'traceback': [_RED + text + _END]}


def _coloured(line: str) -> str:
    if line.startswith('error'):
        return re.sub(r'^error[^:]*:', lambda match: _RED + match.group() + _END, line)
    if re.match(r'\s*-->', line):
        return _BLUE + line + _END
    return re.sub(r'^(\s*\d*\s*\|)', lambda match: _BLUE + match.group() + _END, line)
