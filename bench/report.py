# SPDX-License-Identifier: Apache-2.0
"""The table of `make bench`, and what was promised against what was measured."""

from dataclasses import dataclass

from matches import OURS, UNFUSED

HAND_WRITTEN = 'loops'
NEVER_SLOWER = 1.02  # 'not slower', with the noise of a clock


@dataclass
class Verdict:
    """One promise: a ratio and what it may be."""
    what: str
    ratio: float
    limit: float

    @property
    def kept(self):
        return self.ratio <= self.limit

    def line(self):
        return f'{"ok  " if self.kept else "OVER"} {self.what}: {self.ratio:.2f} (limit {self.limit:.2f})'


def milliseconds(seconds):
    return f'{seconds * 1e3:.1f}' if seconds < 10 else f'{seconds * 1e3:.0f}'


def ratio(match, name):
    return match.median(OURS) / match.median(name)


def best_peer(match):
    return min(match.peers(), key=match.median, default=None)


def verdicts_of(match):
    for limit in match.case.limits:
        peer = best_peer(match) if limit.peer == 'best' else limit.peer
        if OURS in match.seconds and peer in match.seconds:
            name = f'{limit.peer} ({peer})' if limit.peer == 'best' else peer
            yield Verdict(f'{match.case.name}, {match.threads} thread(s), beside {name}', ratio(match, peer), limit.factor)
    if OURS in match.seconds and UNFUSED in match.seconds:
        yield Verdict(f'{match.case.name}, fused beside unfused', ratio(match, UNFUSED), NEVER_SLOWER)


def scaling_verdicts(matches):
    single = {match.case.name: match for match in matches if match.threads == 1 and OURS in match.seconds}
    for match in matches:
        base = single.get(match.case.name)
        if match.threads > 1 and base and OURS in match.seconds:
            yield Verdict(f'{match.case.name}, {match.threads} threads beside 1', match.median(OURS) / base.median(OURS),
                          NEVER_SLOWER)


def all_verdicts(matches):
    return [verdict for match in matches for verdict in verdicts_of(match)] + list(scaling_verdicts(matches))


def table(matches):
    """One line per case and number of threads; milliseconds, medians."""
    names = [OURS, UNFUSED] + sorted({name for match in matches for name in match.peers()},
                                     key=['loops', 'fastmath', 'eigen', 'graphblas', 'numpy', 'scipy', 'numba'].index)
    short = {UNFUSED: '--no-vec', HAND_WRITTEN: 'C++ loop', 'fastmath': '-ffast-math'}
    header = ['case', 'threads', *(short.get(name, name) for name in names), '/ best', '/ C++ loop', '(fastest)', 'limits']
    rows = [header]
    for match in matches:
        if OURS not in match.seconds:
            rows.append([match.case.name, str(match.threads), 'FAILED'])
            continue
        best = best_peer(match)
        hand = HAND_WRITTEN in match.seconds
        verdicts = list(verdicts_of(match))
        over = [v for v in verdicts if not v.kept]
        rows.append([match.case.name, str(match.threads),
                     *(milliseconds(match.median(name)) if name in match.seconds else '-' for name in names),
                     f'{ratio(match, best):.2f}' if best else '-',
                     f'{ratio(match, HAND_WRITTEN):.2f}' if hand else '-',
                     f'{match.fastest(OURS) / match.fastest(HAND_WRITTEN):.2f}' if hand else '-',
                     f'{len(over)} of {len(verdicts)} over' if over else 'ok'])
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(len(header))]
    return '\n'.join('  '.join(cell.ljust(width) if i == 0 else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))) for row in rows)
