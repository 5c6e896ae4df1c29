# SPDX-License-Identifier: Apache-2.0
"""A bar that is shown while a cell takes long, and gone when it is done."""
from __future__ import annotations

import threading
import time
import uuid
from html import escape
from typing import Any, Callable, Dict, NamedTuple, Optional

# Cells that are faster than this show no bar.
DELAY = 1.0
_PERIOD = 0.25
# What was heard longer ago belongs to work that is over.
_FRESH = 1.0

Send = Callable[[str, Dict[str, Any]], None]


class _Heard(NamedTuple):
    what: str
    done: int
    total: int
    at: float


class ProgressBar:
    """Listens to a run, on any thread, and shows it from a thread of its own. `send` publishes messages of the kinds
    display_data and update_display_data. A context manager: behind it nothing of the bar is left."""

    def __init__(self, send: Send, delay: float = DELAY) -> None:
        self._send = send
        self._delay = delay
        self._id = uuid.uuid4().hex
        self._begin = time.monotonic()
        self._heard: Optional[_Heard] = None
        self._is_shown = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, name='daphne-progress', daemon=True)

    def __enter__(self) -> 'ProgressBar':
        self._thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._over.set()
        self._thread.join()
        if self._is_shown:
            self._publish('', '')

    def __call__(self, what: str, done: int, total: int) -> None:
        self._heard = _Heard(what, done, total, time.monotonic())

    def _show(self) -> None:
        if self._over.wait(self._delay):
            return
        while True:
            heard, now = self._heard, time.monotonic()
            if heard is not None and now - heard.at > _FRESH:
                heard = None
            self._publish(text_of(heard, now - self._begin), html_of(heard, now - self._begin))
            if self._over.wait(_PERIOD):
                return

    def _publish(self, text: str, html: str) -> None:
        kind = 'update_display_data' if self._is_shown else 'display_data'
        self._is_shown = True
        self._send(kind, {'data': {'text/plain': text, 'text/html': html}, 'metadata': {},
                          'transient': {'display_id': self._id}})


def text_of(heard: Optional[_Heard], seconds: float) -> str:
    """In words: the work that goes on, how far it is, and for how long the cell has run."""
    if heard is None:
        return f'running, {seconds:.0f} s'
    share = f' {100 * heard.done / heard.total:.0f}%' if heard.total > 0 else ''
    return f'{heard.what}{share}, {seconds:.0f} s'


def html_of(heard: Optional[_Heard], seconds: float) -> str:
    """The same with a bar."""
    value = f' value="{heard.done}" max="{heard.total}"' if heard is not None and heard.total > 0 else ''
    return f'<progress{value} style="width:16em"></progress> {escape(text_of(heard, seconds))}'
