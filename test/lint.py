#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks formatting (clang-format), the include table of the layers, and clang-tidy over all of our C++ files.

With --fix, reformats the files instead. clang-tidy needs build/release/compile_commands.json, which ./build.sh writes.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIRECTORIES = ('src', 'tools', 'test', 'bench')


def cpp_files():
    for directory in DIRECTORIES:
        for pattern in ('*.h', '*.cpp'):
            yield from sorted((ROOT / directory).rglob(pattern))


def check_format(fix):
    mode = ['-i'] if fix else ['--dry-run', '-Werror']
    files = list(cpp_files())
    done = subprocess.run(['clang-format-19', *mode, *map(str, files)], cwd=ROOT)
    return done.returncode == 0


def tidy(path):
    done = subprocess.run(['clang-tidy-19', '--quiet', '-p', 'build/release', str(path)], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout or done.stderr, flush=True)
    return done.returncode == 0


def check_tidy(only):
    database = ROOT / 'build' / 'release' / 'compile_commands.json'
    if not database.is_file():
        print('lint: run ./build.sh first; clang-tidy needs its compile commands', file=sys.stderr)
        return False
    known = {Path(entry['file']) for entry in json.loads(database.read_text())}
    files = [p for p in cpp_files() if p in known and only in str(p.relative_to(ROOT))]
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        return all(list(pool.map(tidy, files)))


def main():
    parser = argparse.ArgumentParser(description='Checks formatting, layers and clang-tidy.')
    parser.add_argument('--fix', action='store_true', help='reformat all files in place, check nothing')
    parser.add_argument('--only', default='', help='clang-tidy only files whose path contains this text')
    choice = parser.parse_args()
    if choice.fix:
        return 0 if check_format(fix=True) else 1
    layers = subprocess.run([sys.executable, str(ROOT / 'test' / 'layers' / 'check_layers.py')], cwd=ROOT)
    results = {'format': check_format(fix=False), 'layers': layers.returncode == 0, 'clang-tidy': check_tidy(choice.only)}
    for name, good in results.items():
        print(f'lint: {name}: {"ok" if good else "FAILED"}')
    return 0 if all(results.values()) else 1


if __name__ == '__main__':
    sys.exit(main())
