#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the tables of the binary say about builtins.

1. Every builtin has an example, and the example prints exactly what its row promises: under the default options, under
   --no-vec, and under --select-matrix-repr, where headers may say CSRMatrix.
2. The pages in docs/reference are what the binary prints; --update writes them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = {'md': ROOT / 'docs' / 'reference' / 'builtins.md',
         'representations': ROOT / 'docs' / 'reference' / 'representations.md'}
OPTIONS = ([], ['--no-vec'], ['--select-matrix-repr'])
# A seeded rand of low sparsity draws other values as CSR: examples whose output then differs by specification.
OTHER_VALUES_AS_CSR = set()
TIMEOUT_SECONDS = 60


def reference(daphne, form):
    done = subprocess.run([daphne, f'--builtins={form}'], capture_output=True, text=True, timeout=TIMEOUT_SECONDS,
                          check=True)
    return done.stdout


def problem_of(daphne, builtin, options):
    """None if the example prints what its row says."""
    if not builtin['example'] or not builtin['expect']:
        return 'no example or no output in its row'
    with tempfile.TemporaryDirectory(prefix='builtin') as directory:
        try:
            done = subprocess.run([daphne, *options, '-e', builtin['example']], cwd=directory, capture_output=True,
                                  text=True, stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return f'no end after {TIMEOUT_SECONDS} s'
    if done.returncode != 0 or done.stderr:
        return f'status {done.returncode}\n{done.stderr}'
    printed = done.stdout
    if '--select-matrix-repr' in options:
        printed = printed.replace('CSRMatrix(', 'DenseMatrix(')
    return None if printed == builtin['expect'] else f'expected:\n{builtin["expect"]}printed:\n{done.stdout}'


def check_examples(daphne, jobs):
    """Yields one result per example and set of options."""
    runs = [(builtin, options) for builtin in json.loads(reference(daphne, 'json')) for options in OPTIONS
            if not (builtin['name'] in OTHER_VALUES_AS_CSR and '--select-matrix-repr' in options)]
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        for (builtin, options), problem in zip(runs, pool.map(lambda run: problem_of(daphne, *run), runs)):
            yield f'example of {builtin["name"]} {" ".join(options)}', problem


def check_pages(daphne):
    for form, page in PAGES.items():
        fresh = page.is_file() and page.read_text(encoding='utf-8') == reference(daphne, form)
        yield (f'{page.relative_to(ROOT)} is fresh',
               None if fresh else 'it is not what the binary prints; write it with test/builtins/run.py --update')


def main():
    parser = argparse.ArgumentParser(description='Checks the examples and the reference pages of builtins.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary under test')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='runs at the same time')
    parser.add_argument('--update', action='store_true', help='write the reference pages first')
    choice = parser.parse_args()
    daphne = os.path.abspath(choice.daphne)
    if choice.update:
        for form, page in PAGES.items():
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(reference(daphne, form), encoding='utf-8')
    passed = failed = 0
    for results in (check_pages(daphne), check_examples(daphne, choice.jobs)):
        for name, problem in results:
            if problem is None:
                passed += 1
            else:
                failed += 1
                print(f'FAILED {name}\n{problem}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
