#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every scheme, layout and number of threads prints the same, bit for bit.

A script runs once on one thread with default options; its standard output is what every other run must print. Default: the
scripts beside this file; every scheme with every layout, the number of threads changing from run to run, every scheme on
1 and on 8 threads, and single runs with the remaining scheduling options. --all: all combinations with 1 to 8 threads.
Other scripts, with their arguments:

    test/schedules/run.py examples/cc.daph 'f="data/ca-GrQc.mtx"'
"""

import argparse
import itertools
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
THREADS = range(1, 9)
TIMEOUT_SECONDS = 300
PROCESSES = 2
FURTHER = [['--grain-size=1'], ['--grain-size=1000'], ['--phy-batch-size=1'], ['--phy-batch-size=4096'], ['--pin-workers'],
           ['--pre-partition', '--queue_layout=PERCPU'], ['--hyperthreading']]


def option_values(daphne, option):
    """The names an option takes, from the help text: they follow it, indented, one per line."""
    lines = iter(subprocess.run([daphne, '--help'], capture_output=True, text=True, check=True).stdout.splitlines())
    for line in lines:
        if line.lstrip().startswith(option):
            break
    names = []
    for line in lines:
        match = re.match(r'      ([A-Z][A-Z0-9_]*) ', line)
        if match:
            names.append(match[1])
        elif re.match(r'  -', line) or not line.strip():
            break
    return names


def scheme_options(scheme):
    return [f'--partitioning={scheme}'] + (['--part-expr=ceil(R/(3*P))'] if scheme == 'EXPR' else [])


def combinations(daphne, everything):
    """Lists of options, none twice."""
    schemes, layouts = option_values(daphne, '--partitioning'), option_values(daphne, '--queue_layout')
    victims = option_values(daphne, '--victim_selection')
    if not (len(schemes) >= 13 and len(layouts) >= 3 and len(victims) >= 4):
        raise SystemExit(f'--help names {schemes}, {layouts}, {victims}: schemes, layouts or victims are missing')
    if everything:
        chosen = list(itertools.product(schemes, layouts, THREADS))
    else:
        numbers = itertools.cycle(range(2, 9))
        chosen = [(scheme, layout, next(numbers)) for scheme in schemes for layout in layouts]
        turns = itertools.cycle(layouts)
        chosen += [(scheme, next(turns), threads) for scheme in schemes for threads in (THREADS[0], THREADS[-1])]
    for scheme, layout, threads in dict.fromkeys(chosen):
        yield [*scheme_options(scheme), f'--queue_layout={layout}', f'--num-threads={threads}']
    for victim in victims:
        yield ['--partitioning=SS', '--queue_layout=PERCPU', f'--victim_selection={victim}', '--num-threads=3']
    for scheme, options in itertools.product(('STATIC', 'GSS'), FURTHER):
        yield [f'--partitioning={scheme}', '--num-threads=3', *options]
        yield [f'--partitioning={scheme}', '--num-threads=3', '--vec-always', *options]
    yield ['--num-threads=0']


def run(daphne, options, script, arguments):
    """Standard output, or what went wrong as the second value."""
    try:
        done = subprocess.run([daphne, *options, script, *arguments], cwd=ROOT, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return None, f'no end after {TIMEOUT_SECONDS} s'
    if done.returncode != 0 or done.stderr:
        return None, f'status {done.returncode}\n{done.stderr}'
    return done.stdout, ''


def first_difference(got, expected):
    pairs = itertools.zip_longest(got.splitlines(), expected.splitlines(), fillvalue='(nothing)')
    number, (a, b) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return f'line {number} is {a!r}, on one thread {b!r}'


def check(daphne, script, arguments, everything):
    """Numbers of equal and of different runs of one script."""
    expected, problem = run(daphne, ['--num-threads=1'], script, arguments)
    if problem:
        print(f'FAILED {script} on one thread: {problem}')
        return 0, 1

    def compare(options):
        got, trouble = run(daphne, options, script, arguments)
        trouble = trouble or (first_difference(got, expected) if got != expected else '')
        if trouble:
            print(f'FAILED {script} {" ".join(options)}: {trouble}', flush=True)
        return not trouble

    with ThreadPoolExecutor(max_workers=PROCESSES) as pool:
        equal = list(pool.map(compare, combinations(daphne, everything)))
    return sum(equal), len(equal) - sum(equal)


def main():
    parser = argparse.ArgumentParser(description='Every scheme, layout and number of threads prints the same.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary under test')
    parser.add_argument('--all', action='store_true', help='all combinations of scheme, layout and threads')
    parser.add_argument('script', nargs='?', help='a script instead of those beside this file')
    parser.add_argument('arguments', nargs='*', help='arguments of the script')
    choice = parser.parse_args()
    daphne = str(Path(choice.daphne).resolve())
    scripts = [choice.script] if choice.script else [str(path) for path in sorted(HERE.glob('*.daph'))]
    passed = failed = 0
    for script in scripts:
        equal, different = check(daphne, script, choice.arguments, choice.all)
        passed += equal
        failed += different
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
