# SPDX-License-Identifier: Apache-2.0
"""Engines: compiled programs run with values. One engine per combination of options and process, shared by all contexts
that ask for it; safe on any number of threads."""
from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
import warnings
import weakref
from ctypes import byref, c_char_p, c_uint32, c_void_p, sizeof
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import library
from .failures import call
from .library import Host, Input
from .runs import Run
from .values import Value, handles


class InputSignature(NamedTuple):
    """What a program is compiled for: a variable that is defined when it begins."""
    name: str
    kind: int
    type: int
    rows: int = -1
    cols: int = -1
    labels: Optional[Tuple[str, ...]] = None
    types: Optional[Tuple[int, ...]] = None


class Engine:
    """An engine with options: the keys of a configuration file, or names of options."""

    def __init__(self, options: Dict[str, Any], explain: Optional[Callable[[str, str], None]] = None,
                 warn: Optional[Callable[[str], None]] = None, log: Optional[Callable[[str], None]] = None) -> None:
        self._lib = library.load()
        handle = c_void_p()
        # Warnings of the compiler are Python's, unless somebody wants them otherwise.
        self._host = Host(sizeof(Host), None, _explainer(explain), _teller(warn or _warn), _teller(log or _show))
        call(self._lib.daphne_engine_new_hosted, json.dumps(options).encode() if options else None, byref(self._host),
             byref(handle))
        self.handle = handle.value or 0
        self._free = weakref.finalize(self, _free, self._lib, self.handle, self._host)
        self._free.atexit = False

    def compile(self, text: str, inputs: Sequence[InputSignature], outputs: Sequence[str]) -> 'Program':
        """The program; the engine keeps it for whoever compiles the same again. Raises Failure."""
        declared = (Input * max(len(inputs), 1))(*[_declared(one) for one in inputs])
        names = (c_char_p * max(len(outputs), 1))(*[name.encode() for name in outputs])
        handle = c_void_p()
        call(self._lib.daphne_compile, self.handle, text.encode('utf-8', 'surrogatepass'), declared, len(inputs), names,
             len(outputs), byref(handle))
        return Program(handle.value or 0, [name.encode() for name in outputs])

    def devices(self) -> Dict[str, Any]:
        """What it runs on."""
        return dict(json.loads(self._lib.daphne_engine_info(self.handle)))

    def trim(self) -> None:
        """Forgets programs, and gives memory back to the system."""
        self._lib.daphne_engine_trim(self.handle)


def _explainer(explain: Optional[Callable[[str, str], None]]) -> Any:
    def heard(user: Any, step: bytes, text: int, length: int) -> None:
        content = ctypes.string_at(text, length).decode('utf-8', 'replace')
        (explain or (lambda _, shown: _show(shown)))(step.decode(), content)

    return library.Explain(heard)


def _teller(tell: Callable[[str], None]) -> Any:
    return library.Tell(lambda user, text, length: tell(ctypes.string_at(text, length).decode('utf-8', 'replace')))


def _warn(text: str) -> None:
    try:
        warnings.warn(text.strip(), stacklevel=2)
    except Warning:  # those who turn warnings into errors: not inside of the engine
        _show(text)


def _show(text: str) -> None:
    sys.stderr.write(text)


def _declared(one: InputSignature) -> Input:
    found = Input(sizeof(Input), one.kind, one.type, one.name.encode(), one.rows, one.cols)
    if one.labels is not None and one.types is not None:
        found.labels = (c_char_p * max(len(one.labels), 1))(*[label.encode() for label in one.labels])
        found.types = (c_uint32 * max(len(one.types), 1))(*one.types)
    return found


def _free(lib: Any, handle: int, host: Any) -> None:
    lib.daphne_engine_free(handle)  # the host must live until here


class Program:
    """A compiled program."""
    __slots__ = ('handle', 'outputs', '_lib')

    def __init__(self, handle: int, outputs: List[bytes]) -> None:
        self._lib = library.load()
        self.handle = handle
        self.outputs = outputs

    def __del__(self) -> None:
        handle, self.handle = getattr(self, 'handle', 0), 0
        if handle:
            self._lib.daphne_program_free(handle)

    def output(self, index: int) -> InputSignature:
        """What the compiler knows of an output."""
        what = Input(size=sizeof(Input))
        self._lib.daphne_program_output(self.handle, index, byref(what))
        labels = types = None
        if what.labels:
            labels = tuple(what.labels[c].decode('utf-8', 'replace') for c in range(what.cols))
            types = tuple(int(what.types[c]) for c in range(what.cols))
        return InputSignature((what.name or b'').decode(), what.kind, what.type, what.rows, what.cols, labels, types)

    def run(self, inputs: Sequence[Value], run: Run) -> Tuple[List[Value], str]:
        """The values of the outputs, and what the run did as JSON. Raises Failure."""
        result = c_void_p()
        call(self._lib.daphne_run, self.handle, handles(inputs), len(inputs), byref(run.options), byref(result))
        try:
            values = [Value(self._lib.daphne_result_value(result, name)) for name in self.outputs]
            return values, self._lib.daphne_result_profile(result).decode()
        finally:
            self._lib.daphne_result_free(result)


_engines: Dict[str, Engine] = {}
_lock = threading.Lock()
# Engines of the process this one was forked from: their threads do not exist here, so nobody may touch them.
_inherited: List[Any] = []
_forked = False


def _after_fork() -> None:
    """A forked process has none of the engine's threads. It computes with engines of its own, of one thread each."""
    global _engines, _lock, _forked
    if library.is_loaded():
        _inherited.append(_engines)
        _forked = True
    _engines, _lock = {}, threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def forget(options: Dict[str, Any]) -> None:
    """The programs of the engine with these options, if there is one."""
    with _lock:
        engine = _engines.get(json.dumps(options, sort_keys=True))
    if engine is not None:
        engine.trim()


def engine_for(options: Dict[str, Any]) -> Engine:
    """The engine of this process with these options."""
    if _forked:
        options = {**options, 'num-threads': 1}
    key = json.dumps(options, sort_keys=True)
    with _lock:
        engine = _engines.get(key)
        if engine is None:
            engine = _engines[key] = Engine(options)
        return engine
