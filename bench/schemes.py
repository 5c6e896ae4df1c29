# SPDX-License-Identifier: Apache-2.0
"""The thirteen classical partitioning schemes with every queue layout on a graph whose rows are sorted by length.

All combinations are measured in rounds. The fastest of 39 medians is partly luck, so promises are judged by a final of
the fastest ones and of those that something was promised about, measured anew.
"""

import statistics
from dataclasses import replace

import contestants
from cases import LARGE, SMALL
from matches import progress
from report import Verdict

SCHEMES = ('STATIC', 'SS', 'GSS', 'TSS', 'FAC2', 'TFSS', 'FISS', 'VISS', 'PLS', 'MSTATIC', 'MFSC', 'PSS', 'AUTO')
LAYOUTS = ('CENTRALIZED', 'PERGROUP', 'PERCPU')
DEFAULT_LAYOUT = LAYOUTS[0]
BASE = ('STATIC', DEFAULT_LAYOUT)
LIMITS = {('AUTO', DEFAULT_LAYOUT): 1.05, ('SS', DEFAULT_LAYOUT): 1.3}  # beside the fastest of all
REPEATS = 3  # per process: reading the graph takes longer than the components
FINALISTS, FINAL_ROUNDS = 3, 4  # the fastest so many; rounds of the final for each round before it
T_95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}  # Student's t by sample size


def computing_seconds(daphne, graph, threads, scheme, layout):
    """One process: seconds of each repetition, and the result."""
    script = contestants.BENCH / 'scripts' / 'components-repeated.daph'
    output = contestants.run_process([daphne, f'--num-threads={threads}', f'--partitioning={scheme}',
                                      f'--queue_layout={layout}', script, f'graph="{graph}.mtx"', f'repeats={REPEATS}'],
                                     threads)
    words = [line.split() for line in output.splitlines()]
    return [int(w[1]) / 1e9 for w in words if len(w) == 2], {w[0] for w in words if len(w) == 1}


class Contest:
    """Seconds by (scheme, layout); rounds over all combinations, so that drift of the machine hits all of them."""

    def __init__(self, daphne, threads, quick):
        self.daphne, self.threads = daphne, threads
        self.graph = contestants.graph_files(replace(SMALL if quick else LARGE, order='sorted'))
        self.answers = set()

    def rounds(self, title, combinations, rounds):
        seconds = {key: [] for key in combinations}
        for number in range(1, rounds + 1):
            for scheme, layout in combinations:
                times, answers = computing_seconds(self.daphne, self.graph, self.threads, scheme, layout)
                seconds[scheme, layout] += times
                self.answers |= answers
                if len(self.answers) != 1:
                    raise contestants.RunFailed(f'schemes disagree: {sorted(self.answers)}')
            fastest = min(seconds, key=lambda key: statistics.median(seconds[key]))
            progress(f'  {title}, round {number} of {rounds}: fastest so far {" ".join(fastest)}, '
                     f'{statistics.median(seconds[fastest]) * 1e3:.1f} ms')
        return seconds


def run(daphne, threads, rounds, quick):
    """Seconds by (scheme, layout): of all, and of the final."""
    contest = Contest(daphne, threads, quick)
    seconds = contest.rounds('schemes', [(scheme, layout) for scheme in SCHEMES for layout in LAYOUTS], rounds)
    fastest = sorted(seconds, key=lambda key: statistics.median(seconds[key]))[:FINALISTS]
    finalists = list(dict.fromkeys([BASE, *LIMITS, *fastest]))
    return seconds, contest.rounds('final', finalists, FINAL_ROUNDS * rounds)


def interval(times):
    """Half the width of the 95 % confidence interval of the mean."""
    if len(times) < 2:
        return 0.0
    return T_95.get(len(times), 2.0) * statistics.stdev(times) / len(times)**0.5


def table(seconds):
    """Ordered by time, each beside STATIC with one queue."""
    base = statistics.median(seconds[BASE])
    lines = [f'{"scheme":8} {"layout":12} {"median ms":>10} {"+-95 % ms":>10} {"fastest":>8} {"beside STATIC":>14}']
    for (scheme, layout), times in sorted(seconds.items(), key=lambda item: statistics.median(item[1])):
        median = statistics.median(times)
        lines.append(f'{scheme:8} {layout:12} {median * 1e3:10.1f} {interval(times) * 1e3:10.1f} {min(times) * 1e3:8.1f} '
                     f'{(median / base - 1) * 100:+13.1f}%')
    return '\n'.join(lines)


def verdicts(final):
    median = {key: statistics.median(times) for key, times in final.items()}
    best = min(median.values())
    return [Verdict(f'{" ".join(key)} beside the best scheme', median[key] / best, limit) for key, limit in LIMITS.items()]
