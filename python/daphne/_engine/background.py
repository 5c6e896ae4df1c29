# SPDX-License-Identifier: Apache-2.0
"""Threads for computations that nobody waits for yet."""
from __future__ import annotations

import concurrent.futures
import os
import threading
from typing import Any, Callable, Optional

_lock = threading.Lock()
_pool: Optional[concurrent.futures.ThreadPoolExecutor] = None
_owner = 0


def submit(job: Callable[[], Any]) -> 'concurrent.futures.Future[Any]':
    """Does the job on another thread."""
    global _pool, _owner
    with _lock:
        if _pool is None or _owner != os.getpid():
            _pool = concurrent.futures.ThreadPoolExecutor(thread_name_prefix='daphne')
            _owner = os.getpid()
        return _pool.submit(job)
