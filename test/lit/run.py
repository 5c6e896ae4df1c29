#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the IR tests: the .mlir files beside this script. Their sections, divided by lines `// -----`, are the cases.

A line `// RUN:` is a pipeline of the commands daphne-opt, FileCheck and not (the next command must fail); %s is a file
with the section and a redirection 2>&1 joins the streams. Sections without such lines use those of the first one. The
last line is 'N passed, N failed'.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FILECHECK = ['/usr/lib/llvm-19/bin/FileCheck', 'FileCheck-19', 'FileCheck']
TIMEOUT_S = 60


def find_filecheck():
    for candidate in FILECHECK:
        try:
            subprocess.run([candidate, '--version'], capture_output=True, check=True)
            return candidate
        except (OSError, subprocess.CalledProcessError):
            continue
    sys.exit('error: FileCheck of LLVM 19 not found')


def sections(text):
    """Parts of a test file, each behind as many empty lines as it needs to keep its line numbers."""
    start = 0
    for part in text.split('// -----\n'):
        yield '\n' * start + part
        start += part.count('\n') + 1


def run_lines(text):
    """RUN lines; one that ends in a backslash continues on the next."""
    lines, pending = [], ''
    for line in text.splitlines():
        _, found, text = line.partition('// RUN:')
        if not found:
            continue
        pending += text.strip()
        if pending.endswith('\\'):
            pending = pending[:-1] + ' '
            continue
        lines.append(pending)
        pending = ''
    return lines


def run_pipeline(line, path, tools):
    """Error text, empty if every command did what was expected."""
    data = b''
    for stage in line.split('|'):
        words = [str(path) if w == '%s' else w for w in shlex.split(stage)]
        join = '2>&1' in words
        words = [w for w in words if w != '2>&1']
        must_fail = words[0] == 'not'
        words = words[1:] if must_fail else words
        if words[0] not in tools:
            return f'unknown command {words[0]}'
        try:
            done = subprocess.run([tools[words[0]], *words[1:]], input=data, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT if join else subprocess.PIPE, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f'{stage.strip()}: no end after {TIMEOUT_S} s'
        crashed = done.returncode < 0 or done.returncode > 100
        if crashed or (done.returncode != 0) != must_fail:
            shown = (done.stdout if join else done.stderr) or b''
            return f'{stage.strip()}: status {done.returncode}\n{shown.decode(errors="replace")}'
        data = done.stdout
    return ''


def run_section(text, lines, tools):
    if not lines:
        return 'no RUN line'
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / 'section.mlir'
        path.write_text(text)
        return next(filter(None, (run_pipeline(line, path, tools) for line in lines)), '')


def main():
    parser = argparse.ArgumentParser(description='Runs the IR tests.')
    parser.add_argument('--bin', type=Path, default=ROOT / 'bin', help='directory with daphne-opt')
    parser.add_argument('files', nargs='*', type=Path, help='test files; all if none is named')
    choice = parser.parse_args()
    tools = {'daphne-opt': str(choice.bin / 'daphne-opt'), 'FileCheck': find_filecheck()}
    passed = failed = 0
    for path in choice.files or sorted(HERE.rglob('*.mlir')):
        inherited = []
        for text in sections(path.read_text()):
            inherited = inherited or run_lines(text)
            error = run_section(text, run_lines(text) or inherited, tools)
            if error:
                failed += 1
                print(f'FAILED {path.name}:{len(text) - len(text.lstrip(chr(10))) + 1}: {error}')
            else:
                passed += 1
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
