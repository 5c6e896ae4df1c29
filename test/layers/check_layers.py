#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include in src/ and tools/ against the layer table of ARCHITECTURE.md: a directory may include its own headers and those of
the layers named for it, and nothing below the compiler may include MLIR or LLVM. Prints each offending line."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'\| (?:`(\w+)` \| ([^|]*) \||\| \| \*above this line no MLIR)')


def layer_table():
    """The table of ARCHITECTURE.md: of each layer those it sees, and the layers that may use MLIR and LLVM."""
    allowed, compiler, below_line = {}, set(), False
    text = (ROOT / 'ARCHITECTURE.md').read_text(encoding='utf-8')
    section = text.split('\n## Layers\n')[1].split('\n## ')[0]
    for line in section.splitlines():
        match = ROW.match(line)
        if not match:
            continue
        if not match[1]:
            below_line = True
            continue
        names = set(re.findall(r'\w+', match[2]))
        allowed[match[1]] = set(allowed) if 'all' in names else names | ({'base'} if match[1] != 'base' else set())
        if below_line:
            compiler.add(match[1])
    for layer, seen in allowed.items():
        if unknown := seen - set(allowed):
            sys.exit(f"ARCHITECTURE.md: '{layer}' sees {', '.join(sorted(unknown))}, which is no layer")
    return allowed, compiler


ALLOWED, COMPILER_LAYERS = layer_table()
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def offence(layer, quote, target):
    """Why this include is not allowed in the layer, or None."""
    top = target.split('/')[0]
    if top.startswith(('mlir', 'llvm')) and '/' in target:
        return None if layer in COMPILER_LAYERS else 'no MLIR or LLVM below the compiler'
    if quote == '"' and '/' in target and top != layer and top not in ALLOWED[layer]:
        return f"'{layer}' may include only: {' '.join(sorted(ALLOWED[layer])) or 'nothing of ours'}"
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
