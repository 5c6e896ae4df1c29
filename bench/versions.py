#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two versions of the daphne binary beside each other: start-up and the cases of cases.py, in turns, one run each per
round. Prints medians and their ratio, new / old; smaller is better for the new one.

    bench/versions.py OLD NEW [--filter components] [--rounds 7] [--quick]
"""

import argparse
import statistics
import sys
from pathlib import Path

import cases
import contestants
import startup
from matches import progress


def startup_cases(old, new):
    """Name, and a function of a binary that runs it once and returns seconds."""
    for (name, command, script, _), (_, other, _, _) in zip(startup.benchmarks(old), startup.benchmarks(new)):
        commands = {old: command, new: other}
        if command[0] == old:
            yield f'start-up: {name}', lambda daphne, c=commands, s=script: startup.measure(c[daphne], s, 1)[0][0]


def algorithm_cases(quick):
    for case in cases.CASES:
        arguments = case.quick if quick else case.full
        for threads in (1, 2):
            yield (f'{case.name}, {threads} thread{"s" if threads > 1 else ""}',
                   lambda daphne, c=case, a=arguments, t=threads: contestants.run_daphne(daphne, c, a, t).seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('old', type=lambda text: str(Path(text).resolve()))
    parser.add_argument('new', type=lambda text: str(Path(text).resolve()))
    parser.add_argument('--filter', default='', help='only cases with this text in their name')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--quick', action='store_true', help='small sizes')
    choice = parser.parse_args()
    worst = 0
    for name, run in [*startup_cases(choice.old, choice.new), *algorithm_cases(choice.quick)]:
        if choice.filter not in name:
            continue
        seconds = {choice.old: [], choice.new: []}
        for number in range(choice.rounds):
            # Whoever comes second may find a warmer machine: they take turns.
            for daphne in (choice.old, choice.new) if number % 2 else (choice.new, choice.old):
                seconds[daphne].append(run(daphne))
        medians = {daphne: statistics.median(times) for daphne, times in seconds.items()}
        ratio = medians[choice.new] / medians[choice.old]
        fastest = min(seconds[choice.new]) / min(seconds[choice.old])
        worst = max(worst, ratio)
        progress(f'{name}: old {medians[choice.old]:.4g} s, new {medians[choice.new]:.4g} s, ratio {ratio:.3f}'
                 f' (of the fastest {fastest:.3f})')
    print(f'largest ratio: {worst:.3f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
