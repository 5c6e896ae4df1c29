#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every test suite and closes with the line 'N passed, N failed' over all of them.

Suites: the layer table, what only the owner of a process may do, names of operations that must not compile, unit tests
(CTest), IR tests, the library (many threads, memory, an installed prefix), the Python package, examples of the documentation, the prompt, the scripts of
examples/, examples and reference pages of builtins, script tests under the default options and under each file of
test/script/configs, random
queries and those of warehouse benchmarks against SQLite, random programs against an oracle, hostile scripts, damaged files,
peak memory, files of other programs, equal results under every schedule, the distributed engine (processes, faults,
strangers, some script tests). A suite is any command; its own last line 'N passed, N failed' is its result. A suite that
ends with another status than that line says, or without one, counts as one more failure: nothing is lost silently.

With --preset tsan the suites are the unit tests of layers with threads, and the programs on many threads of the library.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

TEST = Path(__file__).resolve().parent
ROOT = TEST.parent
SUMMARY = re.compile(r'^(\d+) passed, (\d+) failed\b')
GTEST_RESULT = re.compile(r'\[  (PASSED|FAILED)  \] (\d+) tests?[.,]')
CTEST_NOISE = re.compile(r'\[ RUN |\[ +OK |\[-+\]|\[=+\]|Test command|Working Directory|Test timeout|Running main|Test project'
                         r'|Internal ctest|UpdateCTest|Constructing|Done constructing|Updating test|Added \d|Checking test'
                         r'|Output from these|Use "--rerun| +Start \d|test \d+$')
# The script tests that are run by several machines as well; `make distributed-scripts` runs all of them.
DISTRIBUTED_FILES = [TEST / 'script' / f'{name}.dtest' for name in
                     ('broadcasting', 'builtins-aggregation', 'vectorized', 'representation', 'idioms', 'errors-status-3')]
CTEST_SUMMARY = re.compile(r'(\d+) tests failed out of (\d+)')
# What sanitizers are told. LLVM's libraries are not instrumented and poison their own arenas; tests ask for more memory
# than there is. What foreign libraries do is listed, with reasons, in test/sanitizers/.
SANITIZER_OPTIONS = {
    'asan': {'ASAN_OPTIONS': 'allow_user_poisoning=0:allocator_may_return_null=1:detect_leaks=1',
             'UBSAN_OPTIONS': 'print_stacktrace=1',
             'LSAN_OPTIONS': f'print_suppressions=0:suppressions={TEST}/sanitizers/leaks.txt'},
    'tsan': {'TSAN_OPTIONS': f'print_suppressions=0:allocator_may_return_null=1:suppressions={TEST}/sanitizers/races.txt'},
}

# The unit tests that the thread sanitizer is for.
WITH_THREADS = '^(sched|exec|codegen|dist|library)$'


@dataclass
class Result:
    passed: int
    failed: int


def prepare_sanitizers(preset):
    """Sets what all programs of this run inherit. What the user has set in the environment comes last and counts."""
    for name, options in SANITIZER_OPTIONS.get(preset, {}).items():
        os.environ[name] = ':'.join(filter(None, [options, os.environ.get(name)]))
    if preset in SANITIZER_OPTIONS:
        # Where a system spreads addresses widely, they lie where the sanitizers of older compilers expect none.
        addr_no_randomize = 0x0040000
        ctypes.CDLL(None).personality(addr_no_randomize)


def run(command):
    """Status and output lines; the output is shown while it comes."""
    lines = []
    with subprocess.Popen([str(word) for word in command], cwd=ROOT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace') as process:
        for line in process.stdout:
            lines.append(line.rstrip('\n'))
            if not SUMMARY.match(line):
                print(f'  {lines[-1]}', flush=True)
    return process.returncode, lines


def run_summarised(command):
    """A runner that closes with its own 'N passed, N failed'."""
    status, lines = run(command)
    match = next((m for m in map(SUMMARY.match, reversed(lines)) if m), None)
    if not match:
        print(f"  no line 'N passed, N failed' (status {status})")
        return Result(0, 1)
    result = Result(int(match[1]), int(match[2]))
    if status != 0 and result.failed == 0:
        print(f'  status {status} although nothing failed')
        result.failed = 1
    return result


def run_ctest(build, names='.'):
    """Counts test cases, not binaries; a binary that dies without a result counts as one failure."""
    command = ['ctest', '--test-dir', build, '--verbose', '--no-tests=error', '--tests-regex', names]
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True, errors='replace')
    counts = {'PASSED': 0, 'FAILED': 0}
    for kind, number in GTEST_RESULT.findall(done.stdout):
        counts[kind] += int(number)
    result = Result(counts['PASSED'], counts['FAILED'])
    summary = CTEST_SUMMARY.search(done.stdout)
    failed_binaries = int(summary[1]) if summary else 1
    reported = len(re.findall(r'\[  FAILED  \] \d+ tests?,', done.stdout))
    result.failed += max(0, failed_binaries - reported)
    if result.failed or done.returncode != 0:
        show_failures(done.stdout + done.stderr)
        result.failed = max(result.failed, 1)
    return result


def show_failures(output):
    """The output without the lines of cases that passed."""
    for line in output.splitlines():
        text = re.sub(r'^\d+: ', '', line)
        if text.strip() and not CTEST_NOISE.match(text):
            print(f'  {text}')


def suites(preset):
    """Name and function of each suite, the quick ones first."""
    build = ROOT / 'build' / preset
    daphne = (ROOT if preset == 'release' else build) / 'bin' / 'daphne'
    python = sys.executable
    library = [python, TEST / 'library' / 'run.py', '--preset', preset]
    if preset == 'tsan':
        yield 'unit', lambda: run_ctest(build, WITH_THREADS)
        yield 'library', lambda: run_summarised([*library, '--only', 'programs'])
        return
    layers = TEST / 'layers' / 'check_layers.py'
    script = TEST / 'script' / 'run.py'
    lit = TEST / 'lit' / 'run.py'
    yield 'layers', lambda: run_summarised([python, layers])
    yield 'policy', lambda: run_summarised([python, TEST / 'layers' / 'check_policy.py'])
    yield 'set-up', lambda: run_summarised([python, TEST / 'setup' / 'run.py'])
    yield 'names', lambda: run_summarised([python, TEST / 'layers' / 'check_op_names.py', '--build', build])
    yield 'unit', lambda: run_ctest(build)
    if lit.is_file():
        yield 'lit', lambda: run_summarised([python, lit, '--bin', daphne.parent])
    yield 'library', lambda: run_summarised([*library, *(['--only', 'programs'] if preset == 'asan' else [])])
    if preset == 'release':
        yield 'python', lambda: run_summarised([python, TEST / 'python' / 'run.py'])
    yield 'docs', lambda: run_summarised([python, TEST / 'docs' / 'run.py', '--daphne', daphne])
    yield 'prompt', lambda: run_summarised([python, TEST / 'prompt' / 'run.py', '--daphne', daphne])
    yield 'examples', lambda: run_summarised([python, TEST / 'examples' / 'run.py', '--daphne', daphne])
    yield 'builtins', lambda: run_summarised([python, TEST / 'builtins' / 'run.py', '--daphne', daphne])
    yield 'script', lambda: run_summarised([python, script, '--daphne', daphne])
    yield 'sql', lambda: run_summarised([python, TEST / 'sql' / 'run.py', '--daphne', daphne])
    yield 'sql columnar', lambda: run_summarised([python, TEST / 'sql' / 'run.py', '--daphne', daphne, '--queries', '500',
                                                  '--options=--columnar --optimistic-splitting'])
    yield 'warehouse', lambda: run_summarised([python, TEST / 'sql' / 'warehouse' / 'run.py', '--daphne', daphne])
    yield 'distributed', lambda: run_summarised([python, TEST / 'dist' / 'run.py', '--daphne', daphne])
    yield ('distributed scripts', lambda: run_summarised(
        [python, script, '--daphne', daphne, '--config', 'distributed/threads', *DISTRIBUTED_FILES]))
    yield 'random', lambda: run_summarised([python, TEST / 'random' / 'run.py', '--daphne', daphne])
    # Sanitizers reserve terabytes of address space and are slow.
    fuzz_options = ['--memory-gb', '0', '--timeout-factor', '10'] if preset == 'asan' else []
    yield 'fuzz', lambda: run_summarised([python, TEST / 'fuzz' / 'run.py', '--daphne', daphne, *fuzz_options])
    yield 'files', lambda: run_summarised([build / 'test' / 'fuzz_files', '--runs', '500', '--save', build / 'fuzz-failure',
                                           TEST / 'fuzz' / 'files'])
    yield 'files of libraries', lambda: run_summarised([python, TEST / 'fuzz' / 'libraries.py', '--daphne', daphne, '--runs', '25',
                                                        *(['--memory-gb', '0'] if fuzz_options else [])])
    yield 'wire', lambda: run_summarised([build / 'test' / 'fuzz_wire', '--runs', '3000', '--save', build / 'fuzz-failure',
                                          build / 'test' / 'wire'])
    if not fuzz_options:
        yield 'memory', lambda: run_summarised([python, TEST / 'memory' / 'run.py', '--daphne', daphne])
    yield 'interop', lambda: run_summarised([python, TEST / 'interop' / 'run.py', '--daphne', daphne])
    yield 'schedules', lambda: run_summarised([python, TEST / 'schedules' / 'run.py', '--daphne', daphne])
    for config in sorted((TEST / 'script' / 'configs').glob('*.txt')):
        yield (f'script, configuration {config.stem}',
               lambda name=config.stem: run_summarised([python, script, '--daphne', daphne, '--config', name]))


def main():
    parser = argparse.ArgumentParser(description='Runs every test suite.')
    parser.add_argument('--preset', default='release', help='the build to test: release, dev, asan, tsan')
    parser.add_argument('--only', default='', help='only suites whose name starts with this text')
    choice = parser.parse_args()
    prepare_sanitizers(choice.preset)
    total, summaries = Result(0, 0), []
    for name, run_suite in suites(choice.preset):
        if not name.startswith(choice.only):
            continue
        print(f'== {name}', flush=True)
        start = time.monotonic()
        result = run_suite()
        summaries.append(f'{name}: {result.passed} passed, {result.failed} failed ({time.monotonic() - start:.1f} s)')
        print(f'  {summaries[-1]}', flush=True)
        total.passed += result.passed
        total.failed += result.failed
    print('== summary')
    for line in summaries:
        print(f'  {line}')
    print(f'{total.passed} passed, {total.failed} failed')
    return 1 if total.failed or not summaries else 0


if __name__ == '__main__':
    sys.exit(main())
