# SPDX-License-Identifier: Apache-2.0
"""The thirteen classical partitioning schemes with every queue layout on a graph whose rows are sorted by length."""

import statistics
from dataclasses import replace

import contestants
from cases import CASES, LARGE, SMALL
from matches import progress
from report import Verdict

SCHEMES = ('STATIC', 'SS', 'GSS', 'TSS', 'FAC2', 'TFSS', 'FISS', 'VISS', 'PLS', 'MSTATIC', 'MFSC', 'PSS', 'AUTO')
LAYOUTS = ('CENTRALIZED', 'PERGROUP', 'PERCPU')
BASE = ('STATIC', 'CENTRALIZED')
T_95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26}  # Student's t by sample size


def run(daphne, threads, rounds, quick):
    """Seconds by (scheme, layout); rounds over all combinations, so that drift of the machine hits all of them."""
    case = next(case for case in CASES if case.name == 'components')
    arguments = {'graph': replace(SMALL if quick else LARGE, order='sorted')}
    contestants.graph_files(arguments['graph'])
    seconds, answers = {}, set()
    for number in range(1, rounds + 1):
        for scheme in SCHEMES:
            for layout in LAYOUTS:
                options = [f'--partitioning={scheme}', f'--queue_layout={layout}']
                answer = contestants.run_daphne(daphne, case, arguments, threads, options)
                seconds.setdefault((scheme, layout), []).append(answer.seconds)
                answers.add(tuple(answer.result))
            progress(f'  schemes, round {number} of {rounds}: {scheme}, seconds: '
                     + ', '.join(f'{seconds[key][-1]:.4g}' for key in seconds if key[0] == scheme))
    if len(answers) != 1:
        raise contestants.RunFailed(f'schemes disagree: {sorted(answers)}')
    return seconds


def interval(times):
    """Half the width of the 95 % confidence interval of the mean."""
    if len(times) < 2:
        return 0.0
    return T_95.get(len(times), 2.0) * statistics.stdev(times) / len(times)**0.5


def table(seconds):
    """Ordered by time, each beside STATIC with one queue."""
    base = statistics.median(seconds[BASE])
    lines = [f'{"scheme":8} {"layout":12} {"median ms":>10} {"+-95 % ms":>10} {"beside STATIC":>14}']
    for (scheme, layout), times in sorted(seconds.items(), key=lambda item: statistics.median(item[1])):
        median = statistics.median(times)
        lines.append(f'{scheme:8} {layout:12} {median * 1e3:10.1f} {interval(times) * 1e3:10.1f} '
                     f'{(median / base - 1) * 100:+13.1f}%')
    return '\n'.join(lines)


def verdicts(seconds):
    median = {key: statistics.median(times) for key, times in seconds.items()}
    best = min(median.values())
    return [Verdict('AUTO beside the best scheme', min(t for (s, _), t in median.items() if s == 'AUTO') / best, 1.05),
            Verdict('SS beside the best scheme', min(t for (s, _), t in median.items() if s == 'SS') / best, 1.3)]
