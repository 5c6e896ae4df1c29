# SPDX-License-Identifier: Apache-2.0
"""The kernel: answers the requests of Jupyter with a session of the engine in this process.

A cell is one program. Its variables, functions and views stay for the next ones; if it fails or is interrupted, nothing has
changed. What it prints appears while it runs.
"""
from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Tuple

from ipykernel.kernelbase import Kernel

from .. import __version__
from .._display.values import html_of_value, large_plot
from .._engine.engine import engine_for
from .._engine.failures import Failure
from .._engine.runs import Run, with_interruption
from .._engine.sessions import Session, Times, display
from .._engine.values import Value
from . import cells, errors
from .progress import ProgressBar

_KIND_NAMES = {'builtin': 'function', 'word': 'keyword', 'column': 'property', 'file': 'path', 'variable': 'instance'}


class DaphneKernel(Kernel):
    """A kernel for DaphneDSL."""
    implementation = 'daphne'
    implementation_version = __version__
    banner = f'Daphne {__version__}. ?name explains a name; :vars lists variables.'
    language_info = {'name': 'daphnedsl', 'version': __version__, 'mimetype': 'text/x-daphnedsl', 'file_extension': '.daph',
                     'codemirror_mode': 'daphnedsl', 'pygments_lexer': 'c'}
    # A session does one thing at a time.
    _supports_kernel_subshells = False

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._engine = engine_for({})
        self._session = Session(self._engine)
        self._is_timing = False

    def set_parent(self, ident: Any, parent: Any, channel: str = 'shell') -> None:
        """Output belongs to the cell that is running."""
        super().set_parent(ident, parent, channel)
        for stream in (sys.stdout, sys.stderr):
            if channel == 'shell' and hasattr(stream, 'set_parent'):
                stream.set_parent(parent)

    # ---- cells

    async def do_execute(self, code: str, silent: bool, store_history: bool = True,
                         user_expressions: Optional[Dict[str, Any]] = None, allow_stdin: bool = False,
                         **further: Any) -> Dict[str, Any]:
        """Runs a cell."""
        payload: List[Dict[str, Any]] = []
        try:
            question = cells.question_in(code)
            if question is not None:
                payload = [self._explained(question)]
            else:
                self._run_cell(code, silent)
        except Failure as failure:
            return self._failed(errors.content_of(failure), silent)
        except KeyboardInterrupt:
            return self._failed(errors.interrupted(), silent)
        return {'status': 'ok', 'execution_count': self.execution_count, 'payload': payload, 'user_expressions': {}}

    def _failed(self, content: Dict[str, Any], silent: bool) -> Dict[str, Any]:
        _flush()
        if not silent:
            self.send_response(self.iopub_socket, 'error', content)
        return {'status': 'error', 'execution_count': self.execution_count, **content}

    def _run_cell(self, text: str, silent: bool) -> None:
        cell = cells.taken_apart(text)
        for command in cell.commands:
            self._check(command)
        before = self._session
        if any(command.name == ':reset' for command in cell.commands):
            self._session = Session(self._engine)
        try:
            value, times = self._evaluate(cell.code)
        except BaseException:
            self._session = before
            raise
        _flush()
        if value is not None and not silent:
            self.send_response(self.iopub_socket, 'execute_result',
                               {'execution_count': self.execution_count, 'data': _data_of(value), 'metadata': {}})
        for command in cell.commands:
            if command.name == ':vars':
                print(self._variables())
            elif command.name == ':show':
                for value in self._values(command):
                    self._show(_data_of(value))
            elif command.name == ':plot':
                self._plot(command)
            elif command.name == ':time':
                self._is_timing = command.argument == 'on'
        if self._is_timing:
            whole = times.compiling + times.running
            print(f'time: {1e3 * whole:.1f} ms ({1e3 * times.compiling:.1f} ms compiling)')
        _flush()

    def _evaluate(self, text: str) -> Tuple[Optional[Value], Times]:
        parent = self.get_parent('shell')  # other threads tell of progress, and know no parent
        session: Any = self.session

        def send(kind: str, content: Dict[str, Any]) -> None:
            session.send(self.iopub_socket, kind, content, parent=parent)

        with ProgressBar(send) as bar:
            run = Run(bar)
            evaluate, name = self._session.evaluate, f'cell {self.execution_count}'
            return with_interruption(lambda: evaluate(text, name, run), run.cancel)

    def _show(self, data: Dict[str, str]) -> None:
        _flush()
        self.send_response(self.iopub_socket, 'display_data', {'data': data, 'metadata': {}})

    # ---- commands

    def _check(self, command: cells.Command) -> None:
        if command.name not in cells.COMMANDS:
            raise _mistake(f'there is no command {command.name}', 'commands are ' + ', '.join(cells.COMMANDS), command)
        if command.name == ':time' and command.argument not in ('on', 'off'):
            raise _mistake(f":time is followed by on or off, not by '{command.argument}'", '', command)
        if command.name in (':vars', ':reset') and command.argument:
            raise _mistake(f'{command.name} takes nothing', '', command)
        if command.name in (':show', ':plot') and not command.argument:
            raise _mistake(f'{command.name} needs an expression', cells.COMMANDS[command.name], command)

    def _values(self, command: cells.Command) -> List[Value]:
        found = []
        for part in cells.expressions_in(command):
            value, _ = self._evaluate('\n' * part.line + ' ' * part.column + part.argument)
            if value is None:
                raise _mistake(f"'{part.argument}' has no value", '', part)
            found.append(value)
        return found

    def _plot(self, command: cells.Command) -> None:
        values = self._values(command)
        try:
            html = large_plot(values)
        except ValueError as error:
            raise _mistake(str(error), '', command) from None
        self._show({'text/plain': '\n'.join(display(value).split('\n')[0] for value in values), 'text/html': html})

    def _variables(self) -> str:
        names = self._session.names()
        wide = max(map(len, names), default=0) + 2
        lines = [name.ljust(wide) + self._summary(name) for name in names]
        return '\n'.join(lines) if lines else 'there are no variables'

    def _summary(self, name: str) -> str:
        value = self._session.get(name)
        return '' if value is None else display(value).split('\n')[0]

    # ---- while a cell is written

    async def do_complete(self, code: str, cursor_pos: int) -> Dict[str, Any]:
        """What may stand at the cursor."""
        line = code[:cursor_pos].split('\n')[-1]
        if line.startswith(':') and ' ' not in line:
            begin = cursor_pos - len(line)
            found = [(name, 'keyword') for name in sorted(cells.COMMANDS) if name.startswith(line)]
        else:
            begin, candidates = self._session.completions(code, cursor_pos)
            found = [(one.text, _KIND_NAMES.get(one.kind, one.kind)) for one in candidates]
        kinds = [{'start': begin, 'end': cursor_pos, 'text': text, 'type': kind} for text, kind in found]
        return {'status': 'ok', 'matches': [text for text, _ in found], 'cursor_start': begin, 'cursor_end': cursor_pos,
                'metadata': {'_jupyter_types_experimental': kinds}}

    async def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> Dict[str, Any]:
        """What is known of the name at the cursor, and of the function around it."""
        text = self._explanation(code, cursor_pos, detail_level)
        return {'status': 'ok', 'found': bool(text), 'data': {'text/plain': text} if text else {}, 'metadata': {}}

    def _explanation(self, code: str, cursor: int, detail: int) -> str:
        parts = []
        for one in self._session.explanations(code, cursor):
            if one.kind == 'variable':
                value = self._session.get(one.name)
                parts.append(f'{one.name} = {display(value)}' if value is not None else one.text)
            elif one.kind:
                parts.append((one.source if detail > 0 and one.source else one.text).rstrip('\n'))
        return '\n\n'.join(parts)

    def _explained(self, question: cells.Question) -> Dict[str, Any]:
        text = self._explanation(question.name, len(question.name), question.detail)
        if not text:
            near = next((one.near for one in self._session.explanations(question.name, len(question.name))), '')
            raise Failure(1, f'there is no {question.name}', f'did you mean {near}?' if near else '',
                          f'error: there is no {question.name}' + (f'\n  = hint: did you mean {near}?' if near else ''))
        return {'source': 'page', 'data': {'text/plain': text}, 'start': 0}

    async def do_is_complete(self, code: str) -> Dict[str, Any]:
        """Whether Enter runs what a console was given."""
        if cells.is_code_incomplete(code):
            return {'status': 'incomplete', 'indent': cells.indent_after(code)}
        return {'status': 'complete'}

    async def do_shutdown(self, restart: bool) -> Dict[str, Any]:
        """Forgets everything."""
        self._session = Session(self._engine)
        return {'status': 'ok', 'restart': restart}


def _data_of(value: Value) -> Dict[str, str]:
    html = html_of_value(value)
    return {'text/plain': display(value), **({'text/html': html} if html else {})}


def _mistake(message: str, hint: str, command: cells.Command) -> Failure:
    """An error of the kernel that looks like those of the engine."""
    source = f'{command.name} {command.argument}'
    lines = [f'error: {message}', f' --> line {command.line + 1} of the cell', f'{command.line + 1} | {source}']
    if hint:
        lines.append(f'  = hint: {hint}')
    return Failure(1, message, hint, '\n'.join(lines), line=command.line + 1)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
