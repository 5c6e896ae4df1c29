# SPDX-License-Identifier: Apache-2.0
"""A bar that is shown while a cell takes long, and gone when it is done."""
from __future__ import annotations

import threading
import time
import uuid
from html import escape
from typing import Any, Callable, Dict

# Cells that are faster than this show no bar.
DELAY = 1.0
_PERIOD = 0.2

Send = Callable[[str, Dict[str, Any]], None]


class ProgressBar:
    """Listens to a run, on any thread. `send` publishes messages of the kinds display_data and update_display_data."""

    def __init__(self, send: Send, delay: float = DELAY) -> None:
        self._send = send
        self._id = uuid.uuid4().hex
        self._begin = time.monotonic()
        self._next = self._begin + delay
        self._is_shown = False
        self._is_over = False
        self._lock = threading.Lock()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            if self._is_over:
                return
            self._next = now + _PERIOD
            self._publish(_text(what, done, total, now - self._begin), _html(what, done, total, now - self._begin))
        finally:
            self._lock.release()

    def end(self) -> None:
        """The run is over: nothing of the bar stays."""
        with self._lock:
            self._is_over = True
            if self._is_shown:
                self._publish('', '')

    def _publish(self, text: str, html: str) -> None:
        kind = 'update_display_data' if self._is_shown else 'display_data'
        self._is_shown = True
        self._send(kind, {'data': {'text/plain': text, 'text/html': html}, 'metadata': {},
                          'transient': {'display_id': self._id}})


def _text(what: str, done: int, total: int, seconds: float) -> str:
    if total <= 0:
        return f'{what}: {seconds:.0f} s'
    share = done / total
    rest = f', about {seconds / share - seconds:.0f} s more' if 0 < share < 1 else ''
    return f'{what}: {100 * share:.0f}%{rest}'


def _html(what: str, done: int, total: int, seconds: float) -> str:
    value = f' value="{done}" max="{total}"' if total > 0 else ''
    return f'<progress{value} style="width:16em"></progress> {escape(_text(what, done, total, seconds))}'
