#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include in src/ and tools/ against the layer table: a directory may include its own headers and those of
the layers named for it, and nothing below the compiler may include MLIR or LLVM. Prints each offending line."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILER_LAYERS = {'ir', 'irgen', 'transforms', 'codegen', 'driver', 'tools'}
ALLOWED = {
    'base': '',
    'sched': 'base',
    'data': 'base',
    'ops': 'base',
    'lang': 'base ops',
    'io': 'base sched data',
    'kernels': 'base sched data ops io',
    'exec': 'base sched data ops kernels',
    'dist': 'base sched data io kernels exec',
    'ir': 'base ops',
    'irgen': 'base ops lang ir io kernels data',
    'transforms': 'base ir ops kernels data',
    'codegen': 'base ir ops kernels data exec',
    'driver': 'base sched data ops lang io kernels exec dist ir irgen transforms codegen',
    'tools': 'base sched data ops lang io kernels exec dist ir irgen transforms codegen driver',
}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def offence(layer, quote, target):
    """Why this include is not allowed in the layer, or None."""
    top = target.split('/')[0]
    if top.startswith(('mlir', 'llvm')) and '/' in target:
        return None if layer in COMPILER_LAYERS else 'no MLIR or LLVM below the compiler'
    if quote == '"' and '/' in target and top != layer and top not in ALLOWED[layer].split():
        return f"'{layer}' may include only: {ALLOWED[layer] or 'nothing of ours'}"
    return None


def sources():
    for path in sorted((ROOT / 'src').rglob('*')):
        if path.suffix in ('.h', '.cpp', '.inc', '.td') and path.parent != ROOT / 'src':
            yield path.relative_to(ROOT / 'src').parts[0], path
    for path in sorted((ROOT / 'tools').rglob('*.[hc]*')):
        yield 'tools', path


def main():
    passed = failed = 0
    for layer, path in sources():
        offenders = [] if layer in ALLOWED else [(1, f"the directory '{layer}' is not in the layer table")]
        for number, line in enumerate(path.read_text(encoding='utf-8', errors='replace').splitlines(), 1):
            match = INCLUDE.match(line)
            why = offence(layer, match[1], match[2]) if match and layer in ALLOWED else None
            if why:
                offenders.append((number, f'{line.strip()}: {why}'))
        for number, text in offenders:
            print(f'{path.relative_to(ROOT)}:{number}: {text}')
        passed, failed = passed + (not offenders), failed + bool(offenders)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
