# SPDX-License-Identifier: Apache-2.0
"""A kernel of Jupyter in a process of its own, as a notebook talks to it."""
from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List

from support import needs

needs_jupyter = needs('ipykernel', 'jupyter_client', 'nbclient', 'nbformat')


@dataclass
class Outcome:
    """What a cell led to."""
    reply: Dict[str, Any] = field(default_factory=dict)
    stdout: str = ''
    stderr: str = ''
    results: List[Dict[str, Any]] = field(default_factory=list)  # data by type, of execute_result
    displays: List[Dict[str, Any]] = field(default_factory=list)  # contents of display_data and update_display_data
    errors: List[Dict[str, Any]] = field(default_factory=list)
    streamed: List[str] = field(default_factory=list)  # message by message
    end: float = 0.0

    @property
    def text(self) -> str:
        """The plain text of the result."""
        return self.results[0]['text/plain']

    @property
    def error(self) -> str:
        """The error without colours."""
        import re
        return re.sub(r'\x1b\[[0-9;]*m', '', '\n'.join(self.errors[0]['traceback']))


class KernelSession:
    """Installs the kernel under a prefix of its own and starts it."""

    def __init__(self) -> None:
        from daphne.kernel.install import install
        from jupyter_client import KernelManager
        from jupyter_client.kernelspec import KernelSpecManager
        self.directory = tempfile.TemporaryDirectory()
        install(prefix=self.directory.name)
        data = Path(self.directory.name, 'share', 'jupyter')
        specs = KernelSpecManager(kernel_dirs=[str(data / 'kernels')])
        self.manager = KernelManager(kernel_name='daphne', kernel_spec_manager=specs)
        self.manager.start_kernel(cwd=self.directory.name, env=dict(os.environ))
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.directory.cleanup()

    def start(self, code: str) -> str:
        """Sends a cell; the number of the request."""
        # Kernels drop cells that wait while one fails, unless told otherwise.
        return self.client.execute(code, stop_on_error=False)

    def finish(self, request: str, timeout: float = 120) -> Outcome:
        """Waits until the cell is done."""
        outcome = Outcome()
        while True:
            message = self.client.get_iopub_msg(timeout=timeout)
            if message['parent_header'].get('msg_id') != request:
                continue
            kind, content = message['msg_type'], message['content']
            if kind == 'stream':
                outcome.streamed.append(content['text'])
                if content['name'] == 'stdout':
                    outcome.stdout += content['text']
                else:
                    outcome.stderr += content['text']
            elif kind == 'execute_result':
                outcome.results.append(content['data'])
            elif kind in ('display_data', 'update_display_data'):
                outcome.displays.append({'kind': kind, **content})
            elif kind == 'error':
                outcome.errors.append(content)
            elif kind == 'status' and content['execution_state'] == 'idle':
                break
        outcome.end = time.monotonic()
        while True:
            reply = self.client.get_shell_msg(timeout=timeout)
            if reply['parent_header'].get('msg_id') == request:
                outcome.reply = reply['content']
                return outcome

    def run(self, code: str) -> Outcome:
        """Runs a cell."""
        return self.finish(self.start(code))

    def ask(self, method: str, *arguments: Any, **named: Any) -> Dict[str, Any]:
        """The reply to another request than a cell, such as `complete`."""
        request = getattr(self.client, method)(*arguments, **named)
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply['parent_header'].get('msg_id') == request:
                return reply['content']

