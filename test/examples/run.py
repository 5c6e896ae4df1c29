#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts of examples/ and compares what they print with expected/*.txt, which oracle.py computes without Daphne.

Words must be equal; numbers may differ in the last digits that are printed (sums are taken in another order).
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIMEOUT_SECONDS = 120
RELATIVE, ABSOLUTE = 2e-5, 2e-6  # two units of the sixth significant digit, of the sixth decimal

ARGUMENTS = {
    'cc': ['f="data/ca-GrQc.mtx"'],
    'components': ['graph="data/ca-GrQc.mtx"'],
    'kmeans-distributed': ['points=20000', 'dims=8', 'k=6', 'rounds=30'],
    'nbody': ['nb_particles=100'],
    'pagerank': ['graph="data/ca-GrQc.mtx"'],
    'sales': ['out="build/sales-model.csv"'],
}
PYTHON_ARGUMENTS = {'components': ['data/ca-GrQc.mtx']}


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


def same_word(got, expected):
    if got == expected:
        return True
    a, b = number(got), number(expected)
    return a is not None and b is not None and abs(a - b) <= max(RELATIVE * abs(b), ABSOLUTE)


def same_line(got, expected):
    words, wanted = got.split(), expected.split()
    return len(words) == len(wanted) and all(map(same_word, words, wanted))


def script_command(daphne, name, options):
    return [daphne, *options, f'examples/{name}.daph', *ARGUMENTS.get(name, [])]


def problem_of(command, page):
    """'' if the command prints what it should."""
    if not page.is_file():
        return f'{page.relative_to(ROOT)} is missing: oracle.py has no rule for this example'
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f'no end after {TIMEOUT_SECONDS} s'
    if done.returncode != 0 or done.stderr:
        return f'status {done.returncode}\n{done.stderr}'
    got, expected = done.stdout.splitlines(), page.read_text(encoding='utf-8').splitlines()
    if len(got) == len(expected) and all(map(same_line, got, expected)):
        return ''
    return f'expected:\n{page.read_text(encoding="utf-8")}printed:\n{done.stdout}'


def main():
    parser = argparse.ArgumentParser(description='Runs the scripts of examples/.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary under test')
    parser.add_argument('--filter', default='', help='only examples with this text in their name')
    parser.add_argument('options', nargs='*', help="options for daphne, after '--'")
    choice = parser.parse_args()
    daphne = Path(choice.daphne).resolve()
    runs = [(script, script_command(str(daphne), script.stem, choice.options), HERE / 'expected' / f'{script.stem}.txt')
            for script in sorted((ROOT / 'examples').glob('*.daph'))]
    # The package loads the library beside the program of this tree; a library with a sanitizer needs a Python that has one.
    if daphne == (ROOT / 'bin' / 'daphne').resolve() and not choice.options:
        runs += [(script, [sys.executable, script, *PYTHON_ARGUMENTS.get(script.stem, [])],
                  HERE / 'expected' / f'{script.name}.txt') for script in sorted((ROOT / 'examples').glob('*.py'))]
    passed = failed = 0
    for script, command, page in runs:
        if choice.filter not in script.stem:
            continue
        problem = problem_of(command, page)
        if problem:
            failed += 1
            print(f'FAILED examples/{script.name}: {problem}')
        else:
            passed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
