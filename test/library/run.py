#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engine as a library: many programs on many threads of one process, memory over many cycles, and programs that are
compiled against an installed prefix. Closes with 'N passed, N failed'."""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TEST = Path(__file__).resolve().parents[1]
ROOT = TEST.parent
SUMMARY = re.compile(r'^(\d+) passed, (\d+) failed$', re.M)
# What depends on the process, on time or on a file beside the script is not for many threads at once.
UNSUITABLE = re.compile(r'\b(now|read|write|readMatrix|readFrame|readCsv|openFile|import|system|sleep|startProfiling)\b|\$')


def script_tests():
    """Reader of the script tests."""
    spec = importlib.util.spec_from_file_location('script_tests', TEST / 'script' / 'run.py')
    module = importlib.util.module_from_spec(spec)
    sys.modules['script_tests'] = module
    spec.loader.exec_module(module)
    return module


def write_scripts(directory, number):
    """Scripts of the script tests that need nothing but their text; as many of every file as come to the number."""
    reader = script_tests().Reader
    by_file = []
    for path in sorted((TEST / 'script').glob('*.dtest')):
        cases = [c for c in reader(path).cases() if not (c.args or c.script_args or c.run or c.script_on_stdin or c.env or c.files)]
        texts = [c.script for c in cases]
        by_file.append([t for t in texts if not UNSUITABLE.search(t if isinstance(t, str) else t.decode(errors='replace'))])
    expand = script_tests().expand
    written = 0
    for k in range(max(map(len, by_file))):
        for texts in by_file:
            if k < len(texts) and written < number:
                text = texts[k]
                (directory / f'{written:04}.daph').write_bytes(expand(text) if isinstance(text, str) else text)
                written += 1
    return written


def run_counted(command):
    """A program that closes with its own counts."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors='replace', timeout=3000)
    match = SUMMARY.search(done.stdout)
    if done.stdout.strip():
        print('\n'.join('  ' + line for line in done.stdout.strip().splitlines()[-40:] if not SUMMARY.match(line)))
    if done.stderr:
        print(done.stderr[-4000:])
    if not match:
        print(f'  {command[0]}: status {done.returncode}, no counts')
        return 0, 1
    return int(match[1]), int(match[2]) + (1 if done.returncode and not int(match[2]) else 0)


def check_equal(what, found, expected):
    if found == expected:
        return 1, 0
    print(f'  {what}: expected\n{expected}\ngot\n{found}')
    return 0, 1


FIT = 'y = 3.5 + 1.4 x\n'
SHARED = ['10', '20', '30', '40', 'error: ', '14']


def check_arrow(prefix, libdir, moved):
    """A copy of the installed tree somewhere else reads Parquet files with its own Arrow C++; without it one error says what is
    missing."""
    shutil.copytree(prefix, moved, symlinks=True)
    module, own = moved / libdir / 'libdaphne_arrow.so', moved / libdir / 'daphne'
    code = 'write(fill(1.5, 2, 3), "x.parquet"); print(sum(readMatrix("x.parquet")));'
    command = [moved / 'bin' / 'daphne', '-e', code]
    if not module.exists():
        done = subprocess.run(command, cwd=moved, capture_output=True, text=True)
        found = done.returncode, done.stderr.count('error'), 'built without Arrow C++' in done.stderr
        return check_equal('Parquet in a build without Arrow C++', found, (3, 1, True))
    counts = []
    dynamic = subprocess.run(['readelf', '-dW', module], check=True, capture_output=True, text=True).stdout
    counts.append(check_equal('paths of the build tree in the installed module', str(ROOT) in dynamic, False))
    done = subprocess.run(command, cwd=moved, capture_output=True, text=True)
    counts.append(check_equal('Parquet in a tree that was moved', (done.stdout, done.stderr), ('9\n', '')))
    if own.exists():  # not where Arrow C++ is that of the system
        needed = sorted(p.name for p in own.iterdir())
        counts.append(check_equal('copies of Arrow C++', [name.split('.')[0] for name in needed], ['libarrow', 'libparquet']))
        shutil.rmtree(own)
        done = subprocess.run(command, cwd=moved, capture_output=True, text=True)
        found = done.returncode, done.stderr.count('error:'), any(name in done.stderr for name in needed)
        counts.append(check_equal('Parquet without the copies', found, (3, 1, True)))
    return [sum(c) for c in zip(*counts)]


def check_installed(build, scratch):
    """The examples against an installed prefix, by pkg-config and by a CMake package, and what the library shows."""
    counts = []
    prefix = scratch / 'prefix'
    subprocess.run(['cmake', '--install', build, '--prefix', prefix], check=True, capture_output=True)
    libdir = next(prefix.rglob('libdaphne.so')).parent
    env = dict(os.environ, PKG_CONFIG_PATH=str(libdir / 'pkgconfig'), LD_LIBRARY_PATH=str(libdir))
    flags = subprocess.run(['pkg-config', '--cflags', '--libs', 'daphne'], env=env, check=True, capture_output=True,
                           text=True).stdout.split()
    examples = ROOT / 'examples' / 'embed'

    def output_of(command, program):
        subprocess.run([str(word) for word in command], check=True, env=env)
        return subprocess.run([program], env=env, check=True, capture_output=True, text=True, timeout=300).stdout
    text = output_of(['cc', '-Wall', '-Wextra', '-Werror', '-std=c11', examples / 'fit.c', *flags, '-o', scratch / 'fit'], scratch / 'fit')
    counts.append(check_equal('fit.c', text, FIT))
    text = output_of(['c++', '-Wall', '-Wextra', '-Werror', '-std=c++17', examples / 'shared_program.cpp', *flags, '-pthread', '-o',
                      scratch / 'shared'], scratch / 'shared')
    lines = text.splitlines()
    found = [lines[i] if i < 4 else 'error: ' if i == 4 and lines[4].startswith('error: ') else lines[-1]
             for i in range(min(6, len(lines)))]
    counts.append(check_equal('shared_program.cpp', found, SHARED))

    project = scratch / 'project'
    project.mkdir()
    shutil.copy(examples / 'fit.c', project)
    (project / 'CMakeLists.txt').write_text('cmake_minimum_required(VERSION 3.22)\nproject(p C)\nfind_package(daphne REQUIRED)\n'
                                            'add_executable(fit fit.c)\ntarget_link_libraries(fit daphne::daphne)\n')
    subprocess.run(['cmake', '-S', project, '-B', project / 'build', f'-DCMAKE_PREFIX_PATH={prefix}'], check=True,
                   capture_output=True)
    text = output_of(['cmake', '--build', project / 'build'], project / 'build' / 'fit')
    counts.append(check_equal('find_package(daphne)', text, FIT))

    # The installed program finds its libraries, too.
    text = subprocess.run([prefix / 'bin' / 'daphne', '-e', 'print(1);'], check=True, capture_output=True, text=True).stdout
    counts.append(check_equal('the installed command line', text, '1\n'))
    counts.append(check_arrow(prefix, libdir.relative_to(prefix), scratch / 'moved'))
    symbols = subprocess.run(['nm', '-D', '--defined-only', libdir / 'libdaphne.so'], check=True, capture_output=True,
                             text=True).stdout
    others = [line for line in symbols.splitlines() if not re.search(r' (daphne_\w+(@@?DAPHNE_1)?|DAPHNE_1)$', line)]
    counts.append(check_equal('visible symbols besides those of daphne.h', others, []))
    declared = set(re.findall(r'\b(daphne_\w+)\(', (ROOT / 'include' / 'daphne' / 'daphne.h').read_text()))
    missing = sorted(name for name in declared if f' {name}@' not in symbols and f' {name}\n' not in symbols)
    counts.append(check_equal('functions that are declared and missing', missing, []))
    soname = subprocess.run(['objdump', '-p', libdir / 'libdaphne.so'], check=True, capture_output=True, text=True).stdout
    counts.append(check_equal('soname', re.search(r'SONAME +(\S+)', soname)[1], 'libdaphne.so.1'))
    return [sum(c) for c in zip(*counts)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--preset', default='release')
    parser.add_argument('--only', choices=['programs', 'soak', 'installed'])
    parser.add_argument('--programs', type=int, default=50, help='of each of eight threads')
    parser.add_argument('--compilations', type=int, default=600)
    parser.add_argument('--runs', type=int, default=4000)
    options = parser.parse_args()
    build = ROOT / 'build' / options.preset
    total = [0, 0]

    def add(title, counts):
        print(f'{title}: {counts[0]} passed, {counts[1]} failed')
        total[0] += counts[0]
        total[1] += counts[1]
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        if options.only in (None, 'programs'):
            scripts = scratch / 'scripts'
            scripts.mkdir()
            write_scripts(scripts, 8 * options.programs)
            add('many programs on eight threads',
                run_counted([build / 'test' / 'many_programs', scripts, 8, options.programs]))
        if options.only in (None, 'soak'):
            add('memory', run_counted([build / 'test' / 'soak', options.compilations, options.runs]))
        if options.only in (None, 'installed'):
            add('an installed prefix', check_installed(build, scratch))
    print(f'{total[0]} passed, {total[1]} failed')
    return 1 if total[1] else 0


if __name__ == '__main__':
    sys.exit(main())
