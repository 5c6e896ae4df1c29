#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs through the daphne binary and compares with the oracle.

Every program runs under the default options and under each of OPTION_SETS. Status and standard output must be what the
oracle says (the sign of a NaN and the representation in headers aside), standard error is empty exactly if the status is
0. A program that differs is shrunk and shown as a case for a .dtest file. The same seed gives the same programs.

--library runs them in processes that have loaded libdaphne.so instead, which is several times faster; what differs
there, or ends the process, is run again by the binary as well.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from generate import generate
from library import Library
from oracle import run_script
from shrink import shrink

ROOT = Path(__file__).resolve().parent.parent.parent
OPTION_SETS = ((), ('--no-phy-op-selection',), ('--no-ipa-const-propa',), ('--no-obj-ref-mgnt',),
               ('--select-matrix-repr',), ('--no-vec',), ('--vec-always',), ('--vec-always', '--no-jit'))
DEFAULT_SEED = 20240607
TIMEOUT_SECONDS = 30
BATCH = 200  # programs whose results are waited for together
NEGATIVE_NAN = re.compile(r'-nan\b')


@dataclass(frozen=True)
class Result:
    status: object  # exit status, or 'time-out'
    stdout: str
    stderr: str

    def fits(self, outcome):
        if bool(self.stderr) != (self.status != 0):
            return False
        expected = NEGATIVE_NAN.sub('nan', outcome.output)
        return type(outcome)(outcome.kind, outcome.statuses, expected).accepts(self.status, self.stdout)


class Daphne:
    def __init__(self, binary):
        self.binary = Path(binary).resolve()

    def run(self, text, options):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / 'script.daph').write_text(text, encoding='utf-8')
            try:
                done = subprocess.run([self.binary, *options, 'script.daph'], cwd=directory, capture_output=True,
                                      timeout=TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                return Result('time-out', '', 'time-out')
        return comparable(done.returncode, done.stdout.decode('utf-8', 'replace'), done.stderr.decode('utf-8', 'replace'))


class InProcess:
    """Like Daphne, by the engine as a library."""

    def __init__(self, path):
        self.library = Library(Path(path).resolve(), TIMEOUT_SECONDS)

    def run(self, text, options):
        return comparable(*self.library.run(text, options))


def comparable(status, stdout, stderr):
    return Result(status, NEGATIVE_NAN.sub('nan', stdout.replace('CSRMatrix(', 'DenseMatrix(')), stderr)


def case_text(name, text, options, outcome):
    """A case for a .dtest file with the result the oracle expects."""
    lines = [f'case {name}']
    if options:
        lines.append(f'args: {" ".join(options)}')
    lines += [text.rstrip('\n'), '----']
    if outcome.output:
        lines.append(outcome.output.removesuffix('\n'))
    if outcome.kind != 'ok':
        lines.append(f'error {",".join(map(str, outcome.statuses))}')
    return '\n'.join([*lines, '====']) + '\n'


class Tester:
    def __init__(self, daphne, shrinks):
        self.daphne = daphne
        self.shrinks = shrinks

    def test(self, seed):
        """None, or a report of the first difference."""
        text, outcome = generate(seed)
        for options in OPTION_SETS:
            result = self.daphne.run(text, options)
            if not result.fits(outcome):
                return self.report(seed, text, options, outcome, result)
        return None

    def report(self, seed, text, options, outcome, result):
        kind = outcome.kind, result.status

        def still_differs(candidate):
            expected = run_script(candidate)
            if expected.kind != kind[0]:
                return False
            actual = self.daphne.run(candidate, options)
            return actual.status == kind[1] and not actual.fits(expected)

        if self.shrinks:
            smaller = shrink(text, still_differs)
            if smaller != text:
                text, outcome, result = smaller, run_script(smaller), self.daphne.run(smaller, options)
        return '\n'.join([f'seed {seed}: expected {outcome.kind} {outcome.statuses} {outcome.reason}',
                          case_text(f'random program {seed}', text, options, outcome),
                          f'actual status {result.status}, standard output:', result.stdout,
                          'standard error:', result.stderr])


tester = None  # of this process


def begin(binary, library, shrinks):
    global tester
    tester = Tester(InProcess(library) if library else Daphne(binary), shrinks)


def test(seed):
    return tester.test(seed)


def reports_of(seeds, choice):
    """Of every program a report or None, in order. A batch that ends its process is run again by the binary."""
    how = choice.daphne, choice.library, not choice.no_shrink
    for first in range(0, len(seeds), BATCH):
        batch = seeds[first:first + BATCH]
        try:
            with ProcessPoolExecutor(choice.jobs, initializer=begin, initargs=how) as pool:
                yield from list(pool.map(test, batch))
        except BrokenProcessPool:
            if not choice.library:
                raise
            with ProcessPoolExecutor(choice.jobs, initializer=begin, initargs=(choice.daphne, None, how[2])) as pool:
                found = list(pool.map(test, batch))
            yield from found
            if not any(found):
                yield f'one of the programs {batch[0]} to {batch[-1]} ended the process of the library'


def main():
    parser = argparse.ArgumentParser(description='Compares random programs with the oracle.')
    parser.add_argument('--count', type=int, default=150, help='number of programs')
    parser.add_argument('--seed', type=int, default=DEFAULT_SEED, help='the first program; the others follow')
    parser.add_argument('--daphne', default=ROOT / 'bin' / 'daphne', help='the binary to test')
    parser.add_argument('--library', help='libdaphne.so: run the programs in this process')
    parser.add_argument('--jobs', type=int, default=2, help='programs at a time')
    parser.add_argument('--no-shrink', action='store_true', help='show differing programs as generated')
    choice = parser.parse_args()
    num_failed = 0
    for report in reports_of(range(choice.seed, choice.seed + choice.count), choice):
        if report:
            num_failed += 1
            print(report, flush=True)
    print(f'{choice.count - num_failed} passed, {num_failed} failed')
    return 1 if num_failed else 0


if __name__ == '__main__':
    sys.exit(main())
