#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs hostile scripts through the daphne binary: random bytes, mutated scripts of test/script and hand-picked cases.

Every run must end in time with status 0, 1, 2 or 3, never by a signal or with status 70 (internal error), and standard
error must be empty exactly if the status is 0 (scripts that print to standard error aside). The same seed gives the same
inputs. Each run has a working directory of its own; scripts that could reach files outside of it are not run.

A mutated script may have become an endless loop. So a script that runs out of time passes if it was compiled in time and
has a loop, a function that may recurse, or a number large enough for long work.
"""

import argparse
import importlib.util
import os
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from mutate import Seed, mutate, random_bytes
from special import special_cases

HERE = Path(__file__).resolve().parent
GIGABYTE = 1 << 30
INTERNAL_ERROR_STATUS = 70
COMPILED_HEADER = b'; ModuleID'
SANITIZER_REPORT = re.compile(rb'\w+Sanitizer\b|: runtime error: ')
# LLVM's libraries are not instrumented and poison their own arenas.
ENVIRONMENT = {'ASAN_OPTIONS': 'allow_user_poisoning=0:detect_leaks=0', **os.environ}
MAY_RUN_LONG = re.compile(rb'\b(while|for|do|def|import)\b|\d{4}|\de\d')
PRINTS_TO_STDERR = re.compile(rb'print\s*\([^;]*,[^;]*,|\berr\b|\bto_stderr\b', re.S)
NEVER_THE_SAME = re.compile(rb'\b(now|rand|sample)\b')
OUTSIDE_PATH = re.compile(rb'"\s*[/~]|\.\.|/dev/')


@dataclass
class Job:
    name: str
    seed: Seed
    statuses: tuple = (0, 1, 2, 3)
    says: bytes = b''
    prints: bytes | None = None
    kind: str = 'file'
    timeout_seconds: float = 10
    may_run_long: bool = False
    memory_gb: int | None = None  # None: as for all


@dataclass
class Outcome:
    job: Job
    problems: list = field(default_factory=list)
    ran_long: bool = False
    status: int | None = None
    stderr: bytes = b''


class Runner:
    def __init__(self, daphne, memory_gb=8, timeout_factor=1, keep='', compare=()):
        self.daphne = os.path.abspath(daphne)
        self.compare = compare
        self.memory_gb = memory_gb
        self.timeout_factor = timeout_factor
        self.keep = keep

    def limit(self, job):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        memory = (self.memory_gb if job.memory_gb is None else job.memory_gb) * GIGABYTE
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    def command(self, job, options):
        prefix = []
        if job.kind == 'unreadable' and os.geteuid() == 0:
            # Root may read every file; without that capability the mode of the file counts again.
            prefix = ['setpriv', '--bounding-set=-all', '--reuid=65534', '--clear-groups']
        return [*prefix, self.daphne, *options, '-' if job.kind == 'stdin' else 'script.daph', *job.seed.script_args]

    def start(self, job, directory, options=()):
        stdin = {'input': job.seed.script} if job.kind == 'stdin' else {'stdin': subprocess.DEVNULL}
        return subprocess.run(self.command(job, options), cwd=directory, capture_output=True, env=ENVIRONMENT,
                              preexec_fn=lambda: self.limit(job),
                              timeout=job.timeout_seconds * self.timeout_factor, **stdin)

    def run(self, job):
        outcome = Outcome(job)
        with tempfile.TemporaryDirectory(prefix='dfuzz') as directory:
            write_files(job, directory)
            try:
                done = self.start(job, directory)
                outcome.status, outcome.stderr = done.returncode, done.stderr
                outcome.problems = list(check(job, done))
                if self.compare and not outcome.problems:
                    outcome.problems = list(self.differences(job, done, directory))
            except subprocess.TimeoutExpired:
                outcome.ran_long = job.may_run_long and self.compiles_in_time(job, directory)
                if not outcome.ran_long:
                    outcome.problems = ['no end']
        if outcome.problems and self.keep:
            self.save(outcome)
        return outcome

    def differences(self, job, done, directory):
        """Options never change what a script prints. A failure may be found earlier or later."""
        other = self.start(job, directory, self.compare)
        yield from check(job, other)
        if (done.returncode == 0) != (other.returncode == 0):
            yield f'status {done.returncode}, but {other.returncode} with {" ".join(self.compare)}'
        elif done.returncode == 0 and done.stdout != other.stdout and not NEVER_THE_SAME.search(job.seed.script):
            yield f'{done.stdout[:200]!r}, but {other.stdout[:200]!r} with {" ".join(self.compare)}'

    def compiles_in_time(self, job, directory):
        """The LLVM code is shown when compilation is done."""
        try:
            shown = self.start(job, directory, ['--explain', 'llvm']).stderr
        except subprocess.TimeoutExpired as late:
            shown = late.stderr or b''
        return COMPILED_HEADER in shown

    def save(self, outcome):
        os.makedirs(self.keep, exist_ok=True)
        name = re.sub(r'\W+', '-', outcome.job.name)[:60]
        Path(self.keep, f'{name}.daph').write_bytes(outcome.job.seed.script)
        Path(self.keep, f'{name}.stderr').write_bytes(outcome.stderr)


def write_files(job, directory):
    script = Path(directory, 'script.daph')
    for name, content in job.seed.files.items():
        target = Path(directory, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    if job.kind == 'directory':
        script.mkdir()
    elif job.kind in ('file', 'unreadable'):
        script.write_bytes(job.seed.script)
    if job.kind == 'unreadable':
        script.chmod(0)
        os.chmod(directory, 0o755)


def check(job, done):
    if done.returncode < 0:
        yield f'died of signal {-done.returncode}'
    elif done.returncode == INTERNAL_ERROR_STATUS:
        yield 'internal error (status 70)'
    elif done.returncode not in job.statuses:
        yield f'status {done.returncode}, expected {" or ".join(map(str, job.statuses))}'
    if SANITIZER_REPORT.search(done.stderr):
        yield 'sanitizer report'
    if done.returncode == 0 and done.stderr and not PRINTS_TO_STDERR.search(job.seed.script):
        yield 'status 0, but something on standard error'
    if done.returncode != 0 and b'error' not in done.stderr:
        yield "standard error does not say 'error'"
    if done.returncode != 0 and len(done.stderr) > 100_000:
        yield f'{len(done.stderr)} bytes on standard error'
    if job.says not in done.stderr:
        yield f'standard error does not contain {job.says.decode()!r}'
    if job.prints is not None and done.stdout != job.prints:
        yield f'standard output is {done.stdout[:100]!r}, expected {job.prints!r}'


def valid_scripts():
    """The scripts of test/script that run without options, with their files."""
    spec = importlib.util.spec_from_file_location('script_tests', HERE.parent / 'script' / 'run.py')
    tests = importlib.util.module_from_spec(spec)
    sys.modules['script_tests'] = tests
    spec.loader.exec_module(tests)
    for path in sorted((HERE.parent / 'script').glob('*.dtest')):
        for case in tests.Reader(path).cases():
            script = tests.expand(case.script)
            if case.run is None and not case.args and len(script) < 5000 and not OUTSIDE_PATH.search(script):
                yield Seed(f'{path.stem}-{case.line}', script, case.files, case.script_args)


def random_jobs(count, seed):
    random = Random(seed)
    for i in range(count):
        yield Job(f'random {seed}-{i}', Seed('', random_bytes(random)), may_run_long=True)


def mutated_jobs(count, seed):
    random = Random(seed)
    seeds = list(valid_scripts())
    made = 0
    while made < count:
        mutant = mutate(random, seeds)
        if OUTSIDE_PATH.search(mutant.script):
            continue
        yield Job(f'mutant {seed}-{made} of {mutant.name}', mutant, may_run_long=bool(MAY_RUN_LONG.search(mutant.script)))
        made += 1


def special_jobs(memory_limited, slow):
    for case in special_cases(slow):
        if case.memory_gb and not memory_limited:
            continue
        yield Job(f'special {case.name}', Seed('', case.script), case.statuses, case.says.encode(),
                  None if case.prints is None else case.prints.encode(), case.kind, case.timeout_seconds,
                  memory_gb=case.memory_gb)


def show(outcome):
    print(f'FAILED {outcome.job.name}: {"; ".join(outcome.problems)}')
    script = outcome.job.seed.script
    print(f'  script: {script[:300]!r}' + (f'... ({len(script)} bytes)' if len(script) > 300 else ''))
    if outcome.stderr:
        print(f'  stderr: {outcome.stderr[:600].decode(errors="replace")!r}', flush=True)


def main():
    parser = argparse.ArgumentParser(description='Runs hostile scripts.')
    parser.add_argument('--daphne', default=str(HERE.parents[1] / 'bin' / 'daphne'), help='the binary under test')
    parser.add_argument('--count', type=int, default=500, help='number of mutated scripts')
    parser.add_argument('--random', type=int, default=100, help='number of random byte strings')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--no-special', action='store_true', help='leave out the hand-picked cases')
    parser.add_argument('--slow', action='store_true', help='the full size of scripts that take long to compile')
    parser.add_argument('--filter', default='', help='only runs whose name contains this text')
    parser.add_argument('--memory-gb', type=int, default=8, help='address space of a run; 0: no limit (sanitizers need it)')
    parser.add_argument('--timeout-factor', type=float, default=1, help='for slow builds')
    parser.add_argument('--jobs', type=int, default=min(2, os.cpu_count() or 1), help='runs at a time')
    parser.add_argument('--compare', default='', help='further options; the output with and without them must be equal')
    parser.add_argument('--keep', default='', help='directory for the scripts that failed')
    choice = parser.parse_args()
    runner = Runner(choice.daphne, choice.memory_gb, choice.timeout_factor, choice.keep,
                    shlex.split(choice.compare))
    if not os.access(runner.daphne, os.X_OK):
        print(f'error: {runner.daphne} is not an executable file', file=sys.stderr)
        return 1
    jobs = [*random_jobs(choice.random, choice.seed), *mutated_jobs(choice.count, choice.seed)]
    if not choice.no_special:
        jobs += special_jobs(choice.memory_gb > 0, choice.slow)
    jobs = [job for job in jobs if choice.filter in job.name]
    failed, ran_long, statuses = 0, 0, {}
    with ThreadPoolExecutor(max_workers=choice.jobs) as pool:
        for outcome in pool.map(runner.run, jobs):
            ran_long += outcome.ran_long
            statuses[outcome.status] = statuses.get(outcome.status, 0) + 1
            if outcome.problems:
                failed += 1
                show(outcome)
    counts = ', '.join(f'{count} with status {status}' for status, count in statuses.items() if status is not None)
    print(f'{len(jobs)} runs: {counts}; {ran_long} endless')
    print(f'{len(jobs) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
