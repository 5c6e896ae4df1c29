#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A misspelled name of an operation does not compile.

Compiles small files against src/ and the names that the build has printed (build/<preset>/generated/OpNames.inc): those with
names that exist must compile, those with others must not, and because of the name. Closes with 'N passed, N failed'.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# Statement, and whether it compiles. Names that do not exist are near those that do.
CASES = [
    ('OpName name = "ewMul";', True),
    ('OpName name = "ewMull";', False),
    ('OpName name = "";', False),
    ('bool b = row.mnemonic == "ewPow";', True),
    ('bool b = row.mnemonic == "ewPwo";', False),
    ('bool b = row.mnemonic != "cast";', True),
    ('bool b = row.mnemonic != "casts";', False),
    ('bool b = isNamed(text, "adapt");', True),
    ('bool b = isNamed(text, "adopt");', False),
    ('bool b = isOneOf(text, {"ewAdd", "ewSub"});', True),
    ('bool b = isOneOf(text, {"ewAdd", "ewSubb"});', False),
    ('bool b = OpName("map") == "map";', True),
    ('bool b = OpName("map") == "Map";', False),
    ('OpName name = text;', False),
    ('table.add<&kernel>("fill");', True),
    ('table.add<&kernel>("fil");', False),
    ('table.addSparse<&kernel>("sumAll");', True),
    ('table.addSparse<&kernel>("sumall");', False),
]
FRAME = '''#include "kernels/KernelTable.h"
using namespace daphne;
using namespace daphne::ops;
Value kernel(KernelCall &, const Dense &);
void test(const OpInfo &row, std::string_view text, KernelTable &table) {{ {} }}
'''


def compiles(compiler, generated, statement):
    command = [compiler, '-std=c++20', '-fsyntax-only', '-w', '-I', str(ROOT / 'src'), '-I', str(generated), '-x', 'c++', '-']
    done = subprocess.run(command, input=FRAME.format(statement), capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--build', type=Path, default=ROOT / 'build' / 'release')
    parser.add_argument('--compiler', default=os.environ.get('CXX', 'c++'))
    args = parser.parse_args()
    generated = args.build / 'generated'
    passed = failed = 0
    for statement, expected in CASES:
        actual, messages = compiles(args.compiler, generated, statement)
        about_names = 'OpName' in messages
        if actual == expected and (actual or about_names):
            passed += 1
            continue
        failed += 1
        print(f'{statement}: {"compiles" if actual else "does not compile"}\n{messages[:600]}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
