#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/install-arrow.sh in a tree of its own, with a stand-in for Python whose pip does what the case needs. Closes with
'N passed, N failed'."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# `pip install ... --target DIRECTORY ...` of a package with one file; every call is noted.
WORKS = '''#!/bin/sh
[ "$3" = --version ] && exit 0
echo "$@" >>"$CALLS"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/pyarrow" && echo library >"$2/pyarrow/libarrow.so.1"
'''
NO_NETWORK = '''#!/bin/sh
[ "$3" = --version ] && exit 0
while [ "$1" != --target ]; do shift; done
mkdir -p "$2/half"
echo "WARNING: Retrying ... Failed to establish a new connection"
exit 1
'''
OTHER_CONTENT = '''#!/bin/sh
[ "$3" = --version ] && exit 0
echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
exit 1
'''
NO_PIP = '''#!/bin/sh
exit 1
'''


class Tree:
    def __init__(self, directory):
        self.directory = Path(directory)
        shutil.copytree(ROOT / 'cmake', self.directory / 'cmake')
        self.calls = self.directory / 'calls'
        self.arrow = self.directory / 'build' / 'arrow'

    def install(self, python):
        stand_in = self.directory / 'python'
        stand_in.write_text(python)
        stand_in.chmod(0o755)
        env = dict(os.environ, DAPHNE_SYSTEM_PYTHON=str(stand_in), CALLS=str(self.calls))
        return subprocess.run([self.directory / 'cmake' / 'install-arrow.sh'], env=env, cwd='/', capture_output=True, text=True)

    def left_behind(self):
        return sorted(p.name for p in (self.directory / 'build').glob('arrow.*') if p.name != 'arrow.log')


def is_installed_once(tree):
    for _ in range(3):
        done = tree.install(WORKS)
        assert done.returncode == 0 and (tree.arrow / 'pyarrow' / 'libarrow.so.1').exists(), done
    call, = tree.calls.read_text().splitlines()
    assert '--require-hashes' in call and '--no-deps' in call, call
    assert done.stdout == 'arrow: installed\n' and not tree.left_behind(), (done.stdout, tree.left_behind())


def another_list_is_installed_anew(tree):
    tree.install(WORKS)
    old = tree.arrow / 'pyarrow' / 'old'
    old.touch()
    with open(tree.directory / 'cmake' / 'arrow.txt', 'a') as f:
        f.write('# another\n')
    assert tree.install(WORKS).returncode == 0
    assert len(tree.calls.read_text().splitlines()) == 2 and not old.exists()


def without_a_network_one_line_says_so(tree):
    done = tree.install(NO_NETWORK)
    assert done.returncode == 0 and not done.stderr, done
    line = done.stdout.splitlines()[-1]
    assert 'could not be fetched' in line and 'without .parquet' in line, done.stdout
    assert not tree.arrow.exists() and not tree.left_behind()
    # The next time it is tried again; what was there stays if that fails.
    assert tree.install(WORKS).returncode == 0 and tree.arrow.exists()
    (tree.directory / 'cmake' / 'arrow.txt').write_text('pyarrow==99\n')
    done = tree.install(NO_NETWORK)
    assert done.returncode == 0 and 'keeping the one' in done.stdout and (tree.arrow / 'pyarrow').exists(), done


def another_content_is_an_error(tree):
    done = tree.install(OTHER_CONTENT)
    assert done.returncode == 1 and 'not the one that cmake/arrow.txt names' in done.stderr, done
    assert not tree.arrow.exists() and not tree.left_behind()


def without_pip_one_line_says_so(tree):
    done = tree.install(NO_PIP)
    assert done.returncode == 0 and done.stdout.count('\n') == 1 and 'has no pip' in done.stdout, done


def the_list_names_one_version_with_hashes(tree):
    lines = [line for line in (tree.directory / 'cmake' / 'arrow.txt').read_text().splitlines() if not line.startswith('#')]
    assert lines[0].startswith('pyarrow==') and all('--hash=sha256:' in line for line in lines[1:]) and len(lines) > 1, lines


CASES = [is_installed_once, another_list_is_installed_anew, without_a_network_one_line_says_so, another_content_is_an_error,
         without_pip_one_line_says_so, the_list_names_one_version_with_hashes]


def main():
    passed = failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory(prefix='dsetup') as directory:
            try:
                case(Tree(directory))
                passed += 1
            except AssertionError as problem:
                failed += 1
                print(f'{case.__name__}: {problem}')
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
