#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Script tests as a benchmark of the defaults: two threads beside one, one beside --no-vec.

Finds the cases of test/script whose execution takes at least --least milliseconds, also when their loops have been compiled
before, runs each of them under the three settings in turn, and prints medians and ratios of the time of execution. Cases
that ask for loops however small (--vec-always) say nothing about the defaults. Differences below 2 ms are not counted: a
process cannot be measured better.
"""

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = {'2 threads': ['--num-threads=2'], '1 thread': ['--num-threads=1'],
            '--no-vec': ['--num-threads=1', '--no-vec']}
COMPARED = [('2 threads', '1 thread'), ('1 thread', '--no-vec')]
FACTOR, NOISE_SECONDS = 1.1, 0.002


def load_runner():
    spec = importlib.util.spec_from_file_location('script_tests', ROOT / 'test' / 'script' / 'run.py')
    runner = importlib.util.module_from_spec(spec)
    sys.modules['script_tests'] = runner  # its dataclasses look themselves up
    spec.loader.exec_module(runner)
    return runner


def execution_seconds(runner, case, daphne, options):
    """None if the case does not end well or prints something else than times."""
    with tempfile.TemporaryDirectory() as directory:
        for name, content in {'script.daph': case.script, **case.files}.items():
            path = Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(runner.expand(content) if isinstance(content, str) else content)
        try:
            done = subprocess.run(runner.command_of(case, daphne, ['--timing', *options]), cwd=directory,
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        except subprocess.TimeoutExpired:
            return None
    lines = done.stderr.decode(errors='replace').strip().splitlines()
    if done.returncode != 0 or not lines:
        return None
    try:
        return json.loads(lines[-1])['execution_seconds']
    except (ValueError, KeyError):
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'))
    parser.add_argument('--least', type=float, default=20, help='milliseconds (default 20)')
    parser.add_argument('--rounds', type=int, default=5)
    choice = parser.parse_args()
    runner = load_runner()
    paths = sorted((ROOT / 'test' / 'script').glob('*.dtest'))
    cases = [c for c in runner.load(paths, '', '') if c.run is None and c.statuses == (0,) and not c.script_on_stdin
             and '--vec-always' not in runner.command_of(c, choice.daphne, [])]

    def is_long(case):
        return (execution_seconds(runner, case, choice.daphne, SETTINGS['1 thread']) or 0) * 1000 >= choice.least
    long = [c for c in cases if is_long(c) and is_long(c)]
    print(f'{len(long)} of {len(cases)} cases take at least {choice.least:g} ms')
    slower = 0
    for case in long:
        times = {name: [] for name in SETTINGS}
        for _ in range(choice.rounds):
            for name, options in SETTINGS.items():
                times[name].append(execution_seconds(runner, case, choice.daphne, options) or float('nan'))
        median = {name: statistics.median(seconds) for name, seconds in times.items()}
        over = [f'{a} beside {b}: {median[a] / median[b]:.2f}' for a, b in COMPARED
                if median[a] > FACTOR * median[b] and median[a] - median[b] > NOISE_SECONDS]
        slower += bool(over)
        print(f'{case.path.name}: {case.name}: ' + ', '.join(f'{n} {s * 1000:.1f} ms' for n, s in median.items())
              + ('  SLOWER ' + '; '.join(over) if over else ''))
    print(f'{slower} of {len(long)} slower than they should be')


if __name__ == '__main__':
    main()
