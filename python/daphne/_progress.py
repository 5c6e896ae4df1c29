# SPDX-License-Identifier: Apache-2.0
"""How far work has come: events for a function of the user, or a line on standard error."""
from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, NamedTuple, Optional, Tuple

_AFTER = 1.0  # seconds before a line is shown


class ProgressEvent(NamedTuple):
    """A step of a loop or of a file. `eta` is the seconds that are probably left, None if nobody knows; `imbalance` is None
    where the engine does not measure it."""
    pipeline: str
    done: int
    total: int
    elapsed: float
    eta: Optional[float]
    imbalance: Optional[float] = None


class Listener:
    """Makes events of what the engine says, from whatever thread."""

    def __init__(self, tell: Callable[[ProgressEvent], None], close: Callable[[], None] = lambda: None) -> None:
        self._tell = tell
        self.close = close
        self._begins: Dict[str, Tuple[float, int]] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        begin, first = self._begins.setdefault(what, (now, done))
        elapsed = now - begin
        eta = None
        if total > 0 and done > first:
            eta = elapsed / (done - first) * max(total - done, 0)
        self._tell(ProgressEvent(what, done, total, elapsed, eta))


class _Line:
    """One line that is written again and again."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._begin = time.monotonic()
        self._width = 0

    def show(self, event: ProgressEvent) -> None:
        if time.monotonic() - self._begin < _AFTER:
            return
        text = event.pipeline
        if event.total:
            text += f' {100 * event.done // event.total:3d} %'
        if event.eta is not None:
            text += f', {event.eta:.0f} s left'
        self._stream.write('\r' + text.ljust(self._width))
        self._stream.flush()
        self._width = len(text)

    def close(self) -> None:
        if self._width:
            self._stream.write('\r' + ' ' * self._width + '\r')
            self._stream.flush()


def listener_for(wanted: Any, default: Any) -> Optional[Listener]:
    """Who listens to a run: nobody, a function, or a line; 'auto' is a line where people look at it."""
    if wanted is None:
        wanted = default
    if wanted is None or wanted is False:
        return None
    if callable(wanted):
        return Listener(wanted)
    if wanted is not True and wanted != 'auto':
        raise ValueError(f'progress is True, False, "auto" or a function, not {wanted!r}')
    if wanted == 'auto' and not (hasattr(sys.stderr, 'isatty') and sys.stderr.isatty()):
        return None
    line = _Line(sys.stderr)
    return Listener(line.show, line.close)
