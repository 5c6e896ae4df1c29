# SPDX-License-Identifier: Apache-2.0
"""What is in a cell: DaphneDSL, commands (lines that begin with ':'), or a question (`?name`)."""
from __future__ import annotations

import re
from typing import List, NamedTuple, Optional

from .._engine.sessions import is_incomplete

COMMANDS = {
    ':plot': 'plots a matrix, a column, or two columns against each other: :plot x, y',
    ':reset': 'forgets all variables, functions and views, before the cell runs',
    ':show': 'shows the values of expressions: :show X, sum(X)',
    ':time': ':time on and :time off: how long each cell takes',
    ':vars': 'all variables with shape and type',
}
_COMMAND = re.compile(r':[a-z]+\b')
_QUESTION = re.compile(r'\s*(?:(\?\??)\s*(\w+)|(\w+)\s*(\?\??)|help\s*\(\s*"?(\w+)"?\s*\)\s*;?)\s*\Z')


class Command(NamedTuple):
    """A command, and where its argument is in the cell."""
    name: str
    argument: str
    line: int  # from 0
    column: int  # of the argument


class Question(NamedTuple):
    """`?name`, or `??name` for the source as well."""
    name: str
    detail: int


class Cell(NamedTuple):
    """Commands stay out of `code`, as empty lines, so that everything else is where it was."""
    code: str
    commands: List[Command]


def question_in(text: str) -> Optional[Question]:
    """The question, if the cell is one."""
    match = _QUESTION.match(text)
    if not match:
        return None
    before, first, second, behind, third = match.groups()
    return Question(first or second or third, len(before or behind or '?') - 1)


def taken_apart(text: str) -> Cell:
    """A line that begins with ':' is a command, unless it goes on with what stands before it, as in `c ? a\\n: b`."""
    code: List[str] = []
    commands: List[Command] = []
    for number, line in enumerate(text.split('\n')):
        match = _COMMAND.match(line)
        if match and not is_incomplete('\n'.join(code)):
            argument = line[match.end():]
            begin = match.end() + len(argument) - len(argument.lstrip())
            commands.append(Command(match.group(), argument.strip(), number, begin))
            code.append('')
        else:
            code.append(line)
    return Cell('\n'.join(code), commands)


def is_code_incomplete(text: str) -> bool:
    """Whether more lines may complete the cell."""
    return question_in(text) is None and is_incomplete(taken_apart(text).code)


def indent_after(text: str) -> str:
    """For the next line of an incomplete cell."""
    last = text.split('\n')[-1]
    blanks = last[:len(last) - len(last.lstrip())]
    return blanks + ('    ' if last.rstrip().endswith(('{', '(', '[')) else '')


def expressions_in(command: Command) -> List[Command]:
    """The argument, cut at the commas that are not inside of brackets or texts."""
    parts: List[Command] = []
    depth, begin, quoted, escaped = 0, 0, False, False
    text = command.argument
    for at, char in enumerate(text + ','):
        if quoted:
            quoted, escaped = (char != '"' or escaped), (char == '\\' and not escaped)
            continue
        quoted = char == '"'
        depth += (char in '([{') - (char in ')]}')
        if char == ',' and depth <= 0:
            part = text[begin:at]
            if part.strip():
                blanks = len(part) - len(part.lstrip())
                parts.append(command._replace(argument=part.strip(), column=command.column + begin + blanks))
            begin = at + 1
    return parts
