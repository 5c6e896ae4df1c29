# SPDX-License-Identifier: Apache-2.0
"""Where in the user's program a node was made."""
from __future__ import annotations

import itertools
import linecache
import os
import sys
from typing import Any, NamedTuple, Optional

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

# This package, and what numpy puts between a call of the user and us.
_INTERNAL = (_PACKAGE, '<__array_function__ internals>')


class Place(NamedTuple):
    """A place in a program; what belongs to it is looked up when it is asked for."""
    code: Any
    instruction: int
    line: int

    @property
    def file(self) -> str:
        """The file, as Python names it."""
        return str(self.code.co_filename)

    def source(self) -> str:
        """The line of the program, '' if it cannot be read."""
        return linecache.getline(self.file, self.line).rstrip('\n')

    def columns(self) -> Optional[range]:
        """The columns of the call or operator on that line, if this version of Python keeps them and it ends there."""
        if not hasattr(self.code, 'co_positions'):
            return None
        found = next(itertools.islice(self.code.co_positions(), self.instruction // 2, None), None)
        if not found or found[0] != found[1] or found[2] is None or found[0] != self.line:
            return None
        # Columns are counted in bytes of UTF-8.
        text = self.source().encode()
        begin, end = len(text[:found[2]].decode('utf-8', 'replace')), len(text[:found[3]].decode('utf-8', 'replace'))
        return range(begin, max(end, begin + 1))


def place_of_caller() -> Optional[Place]:
    """The innermost place outside of this package."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_INTERNAL):
            return Place(frame.f_code, frame.f_lasti, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return None
