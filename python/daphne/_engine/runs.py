# SPDX-License-Identifier: Apache-2.0
"""Runs that can be interrupted, and what a run tells meanwhile.

The engine does not know Python's signals, and Python handles them on its main thread only, between its own
instructions. So what the main thread wants to have computed is computed by a helper thread, while the main thread waits
for a lock, which signals interrupt. Other threads call the engine themselves.
"""
from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from ctypes import sizeof
from typing import Any, Callable, List, Optional, TypeVar

from . import library
from .library import Progress, RunOptions, Write

T = TypeVar('T')
# Functions of scripts recurse as deep as the stack of the thread allows.
_STACK_BYTES = 64 << 20
# Seconds that an interruption waits for the run to end.
_PATIENCE = 0.08
# Seconds between two flushes of what a running program prints.
_FLUSH_INTERVAL = 0.05


class Run:
    """What the engine is given for one run: where output goes, who hears of progress, how it is stopped."""

    def __init__(self, progress: Optional[Callable[[str, int, int], None]] = None) -> None:
        self._lib = library.load()
        self._cancel = self._lib.daphne_cancel_new()
        self._write = Write(self._written)
        self._progress = Progress(self._advanced) if progress else Progress()
        self._listener = progress
        self.failure: Optional[BaseException] = None
        self.timed_out = False
        self._flushed = 0.0
        self.options = RunOptions(sizeof(RunOptions), None, self._write, self._progress, self._cancel, 1)

    def __del__(self) -> None:
        cancel, self._cancel = getattr(self, '_cancel', None), None
        if cancel:
            self._lib.daphne_cancel_free(cancel)

    def cancel(self) -> None:
        """Stops the run, which then fails with the status CANCELLED."""
        self._lib.daphne_cancel_request(self._cancel)

    def _written(self, user: Any, sink: int, text: int, length: int) -> None:
        if self.failure is not None:
            return
        try:
            stream = sys.stdout if sink == library.OUTPUT else sys.stderr
            stream.write(ctypes.string_at(text, length).decode('utf-8', 'replace'))
            # Streams of notebooks keep text back until somebody flushes them.
            if time.monotonic() >= self._flushed + _FLUSH_INTERVAL:
                stream.flush()
                self._flushed = time.monotonic()
        except BaseException as error:  # no exception may pass through the engine
            self.failure = error
            self.cancel()

    def _advanced(self, user: Any, what: bytes, done: int, total: int) -> None:
        if self.failure is not None or self._listener is None:
            return
        try:
            self._listener(what.decode('utf-8', 'replace'), done, total)
        except BaseException as error:
            self.failure = error
            self.cancel()


class _Helper:
    """A thread that does one job after the other."""

    def __init__(self) -> None:
        self._wanted = threading.Lock()
        self._wanted.acquire()
        self._job: Optional[Callable[[], None]] = None
        with _starting:
            before = threading.stack_size(_STACK_BYTES)
            try:
                threading.Thread(target=self._work, name='daphne', daemon=True).start()
            finally:
                threading.stack_size(before)

    def do(self, job: Callable[[], None]) -> None:
        self._job = job
        self._wanted.release()

    def _work(self) -> None:
        while True:
            self._wanted.acquire()
            job, self._job = self._job, None
            if job is not None:
                job()
                del job


_starting = threading.Lock()
_idle: List[_Helper] = []


def _after_fork() -> None:
    """Helpers are threads, which a forked process does not have."""
    global _starting
    _idle.clear()
    _starting = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def _interruptible() -> bool:
    return (threading.current_thread() is threading.main_thread()
            and callable(signal.getsignal(signal.SIGINT)))


def with_interruption(job: Callable[[], T], cancel: Callable[[], None], timeout: Optional[float] = None,
                      on_timeout: Optional[Callable[[], None]] = None) -> T:
    """The result of `job`. `cancel` is called when Python's main thread is interrupted, or `timeout` seconds have passed;
    the job is expected to end soon afterwards, and an interruption waits for that only shortly."""
    if not _interruptible():
        if timeout is None:
            return job()
        timer = threading.Timer(timeout, on_timeout or cancel)
        timer.daemon = True
        timer.start()
        try:
            return job()
        finally:
            timer.cancel()
    outcome: List[Any] = []
    done = threading.Lock()
    done.acquire()

    def work() -> None:
        try:
            outcome.append((True, job()))
        except BaseException as error:
            outcome.append((False, error))
        _idle.append(helper)
        done.release()

    helper = _idle.pop() if _idle else _Helper()
    helper.do(work)
    try:
        if timeout is None:
            done.acquire()
        elif not done.acquire(timeout=timeout):
            (on_timeout or cancel)()
            done.acquire()
    except BaseException:
        cancel()
        # What cannot be stopped at once, such as a call of BLAS, ends on its own thread.
        done.acquire(timeout=_PATIENCE)
        raise
    succeeded, result = outcome.pop()
    if succeeded:
        return result  # type: ignore[no-any-return]
    raise result
