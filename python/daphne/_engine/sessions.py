# SPDX-License-Identifier: Apache-2.0
"""Sessions: variables, functions and views stay from cell to cell, and a cell that fails changes nothing.

Safe on any number of threads: a session does one thing at a time. A cell that was interrupted may still be busy with
something that cannot be stopped; what comes behind it waits.
"""
from __future__ import annotations

import json
import threading
import weakref
from ctypes import byref, c_void_p, create_string_buffer
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from . import library
from .engine import Engine
from .failures import call
from .runs import Run
from .values import Value


# Help while somebody types does not wait longer than this for a cell.
_PATIENCE = 0.3


class Candidate(NamedTuple):
    """A name that may stand at the cursor."""
    text: str
    kind: str  # variable, function, builtin, word, column or file


class Explanation(NamedTuple):
    """What is known of a name. `kind` is variable, function, builtin, or empty if nobody knows it."""
    name: str
    kind: str
    text: str
    source: str = ''
    near: str = ''


class Times(NamedTuple):
    """Seconds that a cell took."""
    compiling: float
    running: float


class Session:
    """A session of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._lib = library.load()
        self.engine = engine
        handle = c_void_p()
        call(self._lib.daphne_session_new, engine.handle, byref(handle))
        self._handle = handle.value
        self._free = weakref.finalize(self, self._lib.daphne_session_free, self._handle)
        self._free.atexit = False
        self._busy = threading.Lock()

    def evaluate(self, text: str, name: str, run: Run, inputs: Mapping[str, Value] = {}) -> Tuple[Optional[Value], Times]:
        """What the last expression yields if its ';' is missing. `name` is what errors call the text. `inputs` are defined
        before; if the text fails they are what they were. Raises Failure."""
        with self._busy:
            before = {one: self._get(one) for one in inputs}
            try:
                for one, value in inputs.items():
                    self._set(one, value)
                return self._evaluate(text, name, run)
            except BaseException:
                for one, old in before.items():
                    self._set(one, old)
                raise

    def _evaluate(self, text: str, name: str, run: Run) -> Tuple[Optional[Value], Times]:
        value, result = c_void_p(), c_void_p()
        call(self._lib.daphne_session_evaluate, self._handle, _bytes(text), _bytes(name), byref(run.options), byref(value),
             byref(result))
        found = Value(value.value) if value.value else None
        profile: Dict[str, float] = json.loads(self._lib.daphne_result_profile(result).decode())
        self._lib.daphne_result_free(result)
        return found, Times(profile['parsingSeconds'] + profile['compilationSeconds'], profile['executionSeconds'])

    def get(self, name: str) -> Optional[Value]:
        """The value of a variable."""
        with self._busy:
            return self._get(name)

    def _get(self, name: str) -> Optional[Value]:
        handle = self._lib.daphne_session_get(self._handle, name.encode())
        return Value(handle) if handle else None

    def _set(self, name: str, value: Optional[Value]) -> None:
        call(self._lib.daphne_session_set, self._handle, name.encode(), None if value is None else value.handle)

    def names(self) -> List[str]:
        """Of all variables."""
        with self._busy:
            return str(self._lib.daphne_session_names(self._handle).decode('utf-8', 'replace')).split()

    def completions(self, text: str, cursor: int) -> Tuple[int, List[Candidate]]:
        """Where the word begins that ends at the cursor, and what may stand there instead. Both count characters."""
        data = text[:cursor].encode('utf-8', 'surrogatepass')
        if not self._busy.acquire(timeout=_PATIENCE):
            return cursor, []
        try:
            found = json.loads(self._lib.daphne_session_completions(self._handle, data, len(data)))
        finally:
            self._busy.release()
        begin = len(data[:found['begin']].decode('utf-8', 'surrogatepass'))
        return begin, [Candidate(one['text'], one['kind']) for one in found['candidates']]

    def explanations(self, text: str, cursor: int) -> List[Explanation]:
        """What is known of the name at the cursor, and of the function whose arguments it is among."""
        at = len(text[:cursor].encode('utf-8', 'surrogatepass'))
        if not self._busy.acquire(timeout=_PATIENCE):
            return []
        try:
            found: List[Dict[str, Any]] = json.loads(
                self._lib.daphne_session_explanations(self._handle, _bytes(text), at))
        finally:
            self._busy.release()
        return [Explanation(one['name'], one['kind'], one['text'], one.get('source', ''), one.get('near', ''))
                for one in found]


def is_incomplete(text: str) -> bool:
    """Whether more lines may complete the text."""
    return bool(library.load().daphne_is_incomplete(_bytes(text)))


def display(value: Value, width: int = 100) -> str:
    """The value as a prompt shows it."""
    show = library.load().daphne_display
    buffer = create_string_buffer(show(value.handle, width, None, 0) + 1)
    show(value.handle, width, buffer, len(buffer))
    return buffer.value.decode('utf-8', 'replace').rstrip('\n')


def _bytes(text: str) -> bytes:
    # A zero byte would end the text, and nobody would see what is behind it.
    return text.replace('\0', '\ufffd').encode('utf-8', 'surrogatepass')
