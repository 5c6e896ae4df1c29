#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cmake/startup-order.txt: the functions that hello world calls. The linker puts them side by side, so that a
start touches fewer pages of the program. Functions that are not there any more, or are called otherwise by another
compiler, do no harm; run this again after larger changes of what happens at start-up. Needs valgrind."""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r"^c?fn=\(\d+\) (.*?)(?:'\d+)?$", re.MULTILINE)
LONGEST = 160  # names of instances of templates: few, and most of the file


def called(daphne):
    with tempfile.TemporaryDirectory(prefix='order') as directory:
        out = Path(directory, 'out')
        subprocess.run(['valgrind', '--quiet', '--tool=callgrind', f'--callgrind-out-file={out}', '--demangle=no', daphne,
                        '-e', 'print("hello");'], check=True, stdout=subprocess.DEVNULL)
        return list(dict.fromkeys(NAME.findall(out.read_text(encoding='utf-8', errors='replace'))))


def main():
    parser = argparse.ArgumentParser(description='Writes the order of functions for the linker.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'))
    choice = parser.parse_args()
    symbols = subprocess.run(['nm', choice.daphne], check=True, capture_output=True, text=True).stdout
    ours = {line.split()[-1] for line in symbols.splitlines()}
    names = sorted(name for name in called(choice.daphne) if name in ours and len(name) <= LONGEST)
    path = ROOT / 'cmake' / 'startup-order.txt'
    path.write_text(''.join(f'{name}\n' for name in names), encoding='utf-8')
    print(f'{path.relative_to(ROOT)}: {len(names)} functions')


if __name__ == '__main__':
    main()
