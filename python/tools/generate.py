#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes daphne/operator/nodes/builtins.py: the methods that are calls of builtin functions, from the engine's own table
of them. `generate.py` writes the file, `generate.py --check` fails if it is not up to date."""
import argparse
import keyword
import json
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = ROOT / 'python' / 'daphne' / 'operator' / 'nodes' / 'builtins.py'

HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""Methods that are calls of builtin functions. Written by python/tools/generate.py from the engine's table of them; do not
edit."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple, TypeVar

from ..arithmetic import Arithmetic
from ..operation_node import OperationNode

if TYPE_CHECKING:
    from .matrix import Matrix

E = TypeVar('E', bound='Elementwise')


class Built(OperationNode):
    """How these methods become steps."""

    def _function(self, name: str) -> Any:
        raise NotImplementedError

    def _function_of_two(self, name: str, other: Any) -> Any:
        raise NotImplementedError

    def _outer(self, name: str, other: Any) -> 'Matrix':
        raise NotImplementedError

    def _aggregate(self, name: str, axis: Optional[int]) -> Any:
        raise NotImplementedError

    def _running(self, name: str) -> 'Matrix':
        raise NotImplementedError

'''


def sections(table):
    found = {}
    for row in table:
        found.setdefault(row['section'], []).append(row)
    return found


def docstring(text, indent=8):
    lines = textwrap.wrap(text, 120 - indent - 4) or ['']
    pad = ' ' * indent
    if len(lines) == 1:
        return f'{pad}"""{escaped(lines[0])}"""\n'
    body = '\n'.join(pad + line if line else '' for line in map(escaped, lines[1:]))
    return f'{pad}"""{escaped(lines[0])}\n{body}"""\n'


def escaped(text):
    return text.replace('\\', '\\\\').replace('"""', "'''")


def method(name, arguments, result, doc, body):
    signature = ', '.join(['self', *arguments])
    return (wrapped(f'    def {name}(', f'{signature}) -> {result}:') + docstring(doc)
            + wrapped(f'        {body[:body.index("(") + 1]}', body[body.index('(') + 1:]))


def wrapped(begin, rest):
    """A line, or several of at most 120 characters that continue below the bracket."""
    lines, line = [], begin
    for part in rest.replace(', ', ',\0').split('\0'):
        part = part + ' ' if part.endswith(',') else part
        if len(line) + len(part.rstrip()) > 120:
            lines.append(line.rstrip())
            line = ' ' * len(begin)
        line += part
    return '\n'.join([*lines, line]) + '\n'


def sources(table):
    by_section = sections(table)
    out = [HEADER]
    out.append('\nclass Elementwise(Arithmetic, Built):\n    """Functions of cells: of a matrix one by one, of a scalar."""\n\n')
    out.append('\n'.join(
        [method(row['name'], [], 'E', row['doc'], f"return self._function('{row['name']}')").replace('(self)', '(self: E)')
         for row in by_section['Elementwise functions'] if row['name'] != 'minus'] +
        [method(row['name'], ['other: Any'], 'Any', row['doc'], f"return self._function_of_two('{row['name']}', other)")
         for row in by_section['Elementwise functions of two arguments'] if row['name'] != 'concat']))
    out.append('\n\nclass AllPairs(Built):\n    """Functions of all pairs of a column and a row."""\n\n')
    out.append('\n'.join(method(row['name'], ['other: Any'], "'Matrix'", row['doc'], f"return self._outer('{row['name']}', other)")
                         for row in by_section['All pairs']))
    out.append('\n\nclass Aggregates(Built):\n'
               '    """Aggregates of all cells (axis None), of every row (0) or of every column (1)."""\n\n')
    needs_axis = {'idxMin', 'idxMax', 'nanIdxMin', 'nanIdxMax'}
    out.append('\n'.join(
        method(row['name'], ['axis: int' if row['name'] in needs_axis else 'axis: Optional[int] = None'],
               "'Matrix'" if row['name'] in needs_axis else 'Any', row['doc'], f"return self._aggregate('{row['name']}', axis)")
        for row in by_section['Aggregates'] if row['name'] != 'count'))  # count(groupIds) is Matrix.count
    out.append('\n\nclass RunningAggregates(Built):\n    """Aggregates of the cells above, column by column."""\n\n')
    out.append('\n'.join(method(row['name'], [], "'Matrix'", row['doc'], f"return self._running('{row['name']}')")
                         for row in by_section['Running aggregates']))
    matrices, texts = further(table)
    out.append('\n\nclass FurtherFunctions(OperationNode):\n    """Further functions of a matrix."""\n\n')
    out.append('\n'.join(matrices))
    out.append('\n\nclass TextFunctions(OperationNode):\n    """Functions of texts: of every cell of a matrix, of a scalar."""\n\n')
    out.append('\n'.join(texts))
    return ''.join(out)


# What further functions yield, if that is no matrix.
SCALARS = {'det', 'norm', 'isSymmetric', 'sparsity', 'typeOf', 'join'}
FRAMES = {'describe', 'summary'}
# Methods that are written by hand, or that have no first operand that is a matrix.
BY_HAND = {'bin', 'cbind', 'createFrame', 'createList', 'diagMatrix', 'diagVector', 'length', 'lowerTri', 'ncell', 'ncol', 'nrow',
           'oneHot', 'order', 'rbind', 'replace', 'reshape', 'reverse', 'solve', 't', 'upperTri', 'write', 'writeFrame',
           'writeMatrix', 'toStr', 'batch_norm2d_backward', 'where'}
MATRICES_OF_TEXTS = {'chars', 'split', 'regexSplit'}
HAND_SECTIONS = {'Elementwise functions', 'Elementwise functions of two arguments', 'All pairs', 'Running aggregates',
                 'Aggregates', 'Relational', 'Output', 'Open files', 'Lists'}


def call_of(row, kinds):
    """A method with the parameters of the function behind the first one."""
    arguments, positional, named, rest = [], [], [], ''
    parameters = row['parameters'][1:]
    for position, one in enumerate(parameters):
        word = one['name'] + '_' if keyword.iskeyword(one['name']) else one['name']
        if row['variadic'] and position == len(parameters) - 1:
            arguments.append(f'*{word}: Any')
            rest = f', *{word}'
        elif one['optional']:
            arguments.append(f'{word}: Any = None')
            named.append(f"'{one['name']}': {word}")
        else:
            arguments.append(f'{word}: Any')
            positional.append(word)
    words = ''.join(f', {word}' for word in positional) + rest
    names = f", {{{', '.join(named)}}}" if named else ''
    body = f"return self._further('{row['name']}', {kinds!r}, ({words[2:]}{',' if words.count(',') == 1 else ''}){names})"
    result = 'Any' if len(kinds) == 1 else 'Tuple[Any, ...]'
    return method(row['name'], arguments, result, row['doc'], body)


def further(table):
    """Functions whose first parameter is a matrix, and those of texts."""
    matrices, texts = [], []
    for row in table:
        takes = row['parameters'][0].get('takes', '') if row['parameters'] else ''
        if row['name'] in MATRICES_OF_TEXTS:
            texts.append(call_of(row, ['matrix']))
        elif takes.startswith('matrix of text') and row['name'] != 'format' and row['section'] not in HAND_SECTIONS:
            kind = 'scalar' if row['name'] in SCALARS else 'same'
            texts.append(call_of(row, [kind]))
        elif (takes.startswith('matrix') and row['results'] and row['name'] not in BY_HAND
              and row['section'] not in HAND_SECTIONS):
            kind = 'scalar' if row['name'] in SCALARS else 'frame' if row['name'] in FRAMES else 'matrix'
            matrices.append(call_of(row, [kind] * row['results']))
    return matrices, texts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'))
    parser.add_argument('--check', action='store_true', help='do not write')
    choice = parser.parse_args()
    table = json.loads(subprocess.run([choice.daphne, '--builtins=json'], check=True, stdout=subprocess.PIPE).stdout)
    text = sources(table)
    if choice.check:
        if TARGET.read_text() != text:
            sys.exit(f'{TARGET} is not what python/tools/generate.py writes')
        return
    TARGET.write_text(text)


if __name__ == '__main__':
    main()
