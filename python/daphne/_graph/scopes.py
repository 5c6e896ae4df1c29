# SPDX-License-Identifier: Apache-2.0
"""Bodies of loops, branches and functions while Python code builds them.

A body is traced: the callback is called once with nodes that stand for its parameters. Every node knows the scope it was
made in, so what a body computes anew in each turn differs from what it takes from outside.
"""
from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, List, Optional


class Scope:
    """A body that is being traced, or was."""
    __slots__ = ('parent', 'depth', 'effects', 'what')

    def __init__(self, parent: Optional['Scope'], what: str) -> None:
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.effects: List[Any] = []  # nodes without a value, in order: they happen in every turn
        self.what = what

    def is_inside(self, other: Optional['Scope']) -> bool:
        """Whether this is `other`, or a part of it; None is the program."""
        if other is None:
            return True
        scope: Optional[Scope] = self
        while scope is not None and scope.depth > other.depth:
            scope = scope.parent
        return scope is other


class _Current(threading.local):
    scope: Optional[Scope] = None


_current = _Current()


def current_scope() -> Optional[Scope]:
    """Of this thread; None outside of all bodies."""
    return _current.scope


@contextlib.contextmanager
def tracing(what: str) -> Iterator[Scope]:
    """What is made in here belongs to a new scope."""
    scope = Scope(_current.scope, what)
    _current.scope = scope
    try:
        yield scope
    finally:
        _current.scope = scope.parent
