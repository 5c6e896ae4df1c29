# SPDX-License-Identifier: Apache-2.0
"""DaphneDSL in cells of Python notebooks: `%load_ext daphne.magics`.

    %%daphne -i X,y -o w
    w = solve(t(X) @ X, t(X) @ y);

Variables of DaphneDSL live from cell to cell, beside those of Python. `-i` gives the program variables of Python, `-o` brings
variables of the program to Python; arrays, sparse matrices and columns of numbers are shared, not copied. The last
expression without ';' is shown. `%daphne` takes one line and returns the value: `s = %daphne -i X sum(X)`.
"""
from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

try:
    from IPython.core.error import UsageError
    from IPython.core.magic import Magics, line_cell_magic, magics_class
    from IPython.display import display as show
except ImportError:
    raise ImportError('daphne.magics needs IPython, which is not installed: pip install ipython') from None

from ._convert.exchange import python_of_value, value_of_python
from ._display.values import html_of_value
from ._engine.engine import engine_for
from ._engine.failures import Failure
from ._engine.runs import Run, with_interruption
from ._engine.sessions import Session, display
from ._engine.values import Value
from .kernel.errors import traceback_of

_OPTION = re.compile(r'\s*(-i|--input|-o|--output|--reset)(?:\s+|\Z)')
_NAMES = re.compile(r'([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)(?:\s+|\Z)')


class Wanted(NamedTuple):
    """What a line asks for."""
    inputs: List[str]
    outputs: List[str]
    is_new: bool
    text: str


def parsed(line: str) -> Wanted:
    """Options, then text. UsageError."""
    names: Dict[str, List[str]] = {'i': [], 'o': []}
    is_new = False
    while True:
        option = _OPTION.match(line)
        if not option:
            break
        line = line[option.end():]
        if option.group(1) == '--reset':
            is_new = True
            continue
        found = _NAMES.match(line)
        if not found:
            raise UsageError(f'{option.group(1)} is followed by names, as in {option.group(1)} X,y')
        names[option.group(1).lstrip('-')[0]] += [name.strip() for name in found.group(1).split(',')]
        line = line[found.end():]
    if re.match(r'\s*--[A-Za-z]', line):
        raise UsageError(f'there is no option {line.split()[0]}; options are -i, -o and --reset')
    return Wanted(names['i'], names['o'], is_new, line)


class Shown:
    """A value as notebooks show it."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def __repr__(self) -> str:
        return display(self._value)

    def _repr_html_(self) -> Optional[str]:
        return html_of_value(self._value) or None


@magics_class
class DaphneMagics(Magics):
    """%daphne and %%daphne."""

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self._session: Optional[Session] = None

    @line_cell_magic  # type: ignore[untyped-decorator, unused-ignore]
    def daphne(self, line: str, cell: Optional[str] = None) -> Any:
        """%%daphne [-i X,y] [-o w] [--reset]: runs the cell as DaphneDSL; %daphne [...] TEXT: a line, and returns the value
        of its last expression.

        -i, --input   variables of Python that the program may use
        -o, --output  variables of the program that Python gets
        --reset       forgets what earlier cells have defined, if this one succeeds
        """
        wanted = parsed(line)
        if cell is not None and wanted.text.strip():
            raise UsageError(f'what is behind the options belongs into the cell: {wanted.text.strip()}')
        try:
            value = self._run(wanted, wanted.text if cell is None else cell)
        except Failure as failure:
            raise _shown_shortly(failure) from None
        if value is None:
            return None
        if cell is None:
            return python_of_value(value)
        show(Shown(value))
        return None

    def _run(self, wanted: Wanted, text: str) -> Optional[Value]:
        session = self._session
        if session is None or wanted.is_new:
            session = Session(engine_for({}))
        inputs = self._inputs(wanted.inputs)
        run = Run()
        found, _ = with_interruption(lambda: session.evaluate(text, 'cell', run, inputs), run.cancel)
        if run.failure is not None:
            raise run.failure
        self._session = session
        self._python().push(self._outputs(session, wanted.outputs))
        return found

    def _inputs(self, names: List[str]) -> Dict[str, Value]:
        variables = self._python().user_ns
        missing = [name for name in names if name not in variables]
        if missing:
            raise UsageError(f'Python has no variable {missing[0]}')
        return {name: value_of_python(variables[name], name) for name in names}

    def _python(self) -> Any:
        return self.shell

    @staticmethod
    def _outputs(session: Session, names: List[str]) -> Dict[str, Any]:
        outputs = {}
        for name in names:
            value = session.get(name)
            if value is None:
                raise UsageError(f'the program has no variable {name}')
            outputs[name] = python_of_value(value)
        return outputs


def _shown_shortly(failure: Failure) -> Exception:
    """An exception of which notebooks show what the engine says, and not where this module was called."""
    error = failure.plain()
    error._render_traceback_ = lambda *ignored: traceback_of(failure)  # type: ignore[attr-defined]
    return error


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext daphne.magics`"""
    ipython.register_magics(DaphneMagics)
