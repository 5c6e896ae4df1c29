# SPDX-License-Identifier: Apache-2.0
"""Ours and the peers in turn, in rounds, so that all of them see the same state of the machine; answers compared."""

import math
import statistics
import sys
from dataclasses import dataclass, field

import contestants

OURS, UNFUSED = 'daphne', 'daphne --no-vec'
TOLERANCE = 2e-5  # scripts print six digits


def progress(text):
    print(text, file=sys.stderr, flush=True)


@dataclass
class Match:
    """All runs of a case with one number of threads."""
    case: object
    arguments: dict
    threads: int
    seconds: dict = field(default_factory=dict)  # contestant: list of times
    results: dict = field(default_factory=dict)  # contestant: its numbers
    failures: dict = field(default_factory=dict)

    def median(self, name):
        return statistics.median(self.seconds[name])

    def fastest(self, name):
        return min(self.seconds[name])

    def peers(self):
        return [name for name in self.seconds if name not in (OURS, UNFUSED)]

    def differences(self):
        """Names of contestants whose numbers differ from those of the first one that has any."""
        answers = list(self.results.items())
        return [name for name, numbers in answers if not same(numbers, answers[0][1])]

    def as_json(self):
        return {'case': self.case.name, 'title': self.case.title, 'threads': self.threads,
                'arguments': {key: getattr(value, 'file', value) for key, value in self.arguments.items()},
                'seconds': self.seconds, 'medians': {name: self.median(name) for name in self.seconds},
                'results': self.results, 'failures': self.failures}


def same(numbers, expected):
    return len(numbers) == len(expected) and all(
        math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-12) for a, b in zip(numbers, expected))


def run_one(daphne, name, match):
    if name == OURS:
        return contestants.run_daphne(daphne, match.case, match.arguments, match.threads)
    if name == UNFUSED:
        return contestants.run_daphne(daphne, match.case, match.arguments, match.threads, ['--no-vec'])
    return contestants.run_peer(name, match.case, match.arguments, match.threads)


def play(daphne, case, arguments, threads, rounds, peers):
    """The unfused kernels run on one thread and are measured there only."""
    match = Match(case, arguments, threads)
    for value in arguments.values():
        if isinstance(value, contestants.Graph):
            contestants.graph_files(value)
    names = [OURS, *([UNFUSED] if threads == 1 else []), *(peer for peer in case.peers if peer in peers)]
    for number in range(1, rounds + 1):
        shown = []
        for name in names:
            if name in match.failures:
                continue
            try:
                answer = run_one(daphne, name, match)
            except contestants.RunFailed as failure:
                match.failures[name] = str(failure)
                progress(f'  {case.name}: {name} failed: {failure}')
                continue
            match.seconds.setdefault(name, []).append(answer.seconds)
            match.results[name] = answer.result
            shown.append(f'{name} {answer.seconds:.4g}')
        progress(f'  {case.name}, {threads} thread{"s" if threads > 1 else ""}, round {number} of {rounds}, seconds: '
                 + ', '.join(shown))
    return match
