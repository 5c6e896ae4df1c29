#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the documentation: every ```daphne block that is followed by a ```text block is a script and its
exact standard output. A `<!-- args: ... -->` line before the script gives command-line words after the script's name.
Generated pages of docs/reference are checked by test/builtins.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r'(?:<!-- args: (?P<args>.*?) -->\n)?```daphne\n(?P<script>.*?)```\n(?P<between>.*?)'
                     r'```text\n(?P<output>.*?)```', re.S)
TIMEOUT_SECONDS = 60
GENERATED = ('builtins.md', 'representations.md')


def examples(path):
    text = path.read_text(encoding='utf-8')
    for match in EXAMPLE.finditer(text):
        if '```' in match['between']:
            continue  # the text block belongs to something else
        line = text.count('\n', 0, match.start('script')) + 1
        yield line, match['script'], shlex.split(match['args'] or ''), match['output']


def problem_of(daphne, script, arguments, expected):
    """None if the script prints what the page says."""
    with tempfile.TemporaryDirectory(prefix='docs') as directory:
        file = Path(directory, 'example.daph')
        file.write_text(script, encoding='utf-8')
        try:
            done = subprocess.run([daphne, str(file), *arguments], cwd=ROOT, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return f'no end after {TIMEOUT_SECONDS} s'
    if done.returncode != 0 or done.stderr:
        return f'status {done.returncode}\n{done.stderr}'
    return None if done.stdout == expected else f'expected:\n{expected}printed:\n{done.stdout}'


def main():
    parser = argparse.ArgumentParser(description='Runs the examples of the documentation.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary under test')
    choice = parser.parse_args()
    passed = failed = 0
    for path in [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]:
        if path.name in GENERATED:
            continue
        for line, script, arguments, expected in examples(path):
            problem = problem_of(choice.daphne, script, arguments, expected)
            if problem is None:
                passed += 1
            else:
                failed += 1
                print(f'FAILED {path.relative_to(ROOT)}:{line}\n{problem}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
