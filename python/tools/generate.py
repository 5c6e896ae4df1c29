#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes daphne/operator/nodes/builtins.py: the methods that are calls of builtin functions, from the engine's own table
of them. `generate.py` writes the file, `generate.py --check` fails if it is not up to date."""
import argparse
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

from typing import TYPE_CHECKING, Any, Optional

from ..arithmetic import Arithmetic
from ..operation_node import OperationNode

if TYPE_CHECKING:
    from .matrix import Matrix

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
    return f'    def {name}({signature}) -> {result}:\n{docstring(doc)}        {body}\n'


def sources(table):
    by_section = sections(table)
    out = [HEADER]
    out.append('\nclass Elementwise(Arithmetic):\n    """Functions of cells: of a matrix one by one, of a scalar."""\n\n')
    out.append('\n'.join(
        [method(row['name'], [], 'Any', row['doc'], f"return self._function('{row['name']}')")
         for row in by_section['Elementwise functions'] if row['name'] != 'minus'] +
        [method(row['name'], ['other: Any'], 'Any', row['doc'], f"return self._function_of_two('{row['name']}', other)")
         for row in by_section['Elementwise functions of two arguments'] if row['name'] != 'concat']))
    out.append('\n\nclass AllPairs(OperationNode):\n    """Functions of all pairs of a column and a row."""\n\n')
    out.append('\n'.join(method(row['name'], ['other: Any'], "'Matrix'", row['doc'], f"return self._outer('{row['name']}', other)")
                         for row in by_section['All pairs']))
    out.append('\n\nclass Aggregates(OperationNode):\n'
               '    """Aggregates of all cells (axis None), of every row (0) or of every column (1)."""\n\n')
    needs_axis = {'idxMin', 'idxMax', 'nanIdxMin', 'nanIdxMax'}
    out.append('\n'.join(
        method(row['name'], ['axis: int' if row['name'] in needs_axis else 'axis: Optional[int] = None'],
               "'Matrix'" if row['name'] in needs_axis else 'Any', row['doc'], f"return self._aggregate('{row['name']}', axis)")
        for row in by_section['Aggregates'] if row['name'] != 'count'))  # count(groupIds) is Matrix.count
    out.append('\n\nclass RunningAggregates(OperationNode):\n    """Aggregates of the cells above, column by column."""\n\n')
    out.append('\n'.join(method(row['name'], [], "'Matrix'", row['doc'], f"return self._running('{row['name']}')")
                         for row in by_section['Running aggregates']))
    return ''.join(out)


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
