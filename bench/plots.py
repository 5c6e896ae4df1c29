# SPDX-License-Identifier: Apache-2.0
"""Pictures of the results: schemes, thread scaling, roofline."""

import statistics

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt  # noqa: E402

from matches import OURS  # noqa: E402
from report import HAND_WRITTEN  # noqa: E402
from schemes import BASE, interval  # noqa: E402

COLOURS = {'CENTRALIZED': '#4477aa', 'PERGROUP': '#66ccee', 'PERCPU': '#228833'}


def save(figure, path):
    figure.savefig(path, dpi=150, bbox_inches='tight')
    plt.close(figure)
    return path


def scheme_bars(seconds, threads, path):
    """Bars ordered by time, the difference from STATIC above each, a line at STATIC."""
    ordered = sorted(seconds.items(), key=lambda item: statistics.median(item[1]))
    medians = [statistics.median(times) for _, times in ordered]
    base = statistics.median(seconds[BASE])
    figure, axes = plt.subplots(figsize=(14, 5))
    widths = [interval(times) for _, times in ordered]
    top = max(1.15 * max(medians), min(1.15 * max(map(sum, zip(medians, widths))), 2 * max(medians)))
    axes.set_ylim(0, top)
    axes.bar(range(len(ordered)), medians, yerr=[list(map(min, widths, medians)), widths], capsize=2,
             color=[COLOURS.get(layout, '#bbbbbb') for (_, layout), _ in ordered], error_kw={'linewidth': 0.8})
    axes.axhline(base, color='#aa3377', linewidth=1, linestyle='--')
    axes.text(len(ordered) - 0.5, base, ' STATIC', color='#aa3377', va='center')
    for i, (median, width) in enumerate(zip(medians, widths)):
        axes.text(i, min(median + width, 0.95 * top), f'{(median / base - 1) * 100:+.0f}%', ha='center', va='bottom',
                  fontsize=7)
    axes.set_xticks(range(len(ordered)), [scheme for (scheme, _), _ in ordered], rotation=90)
    axes.set_ylabel('seconds, median and 95 % interval')
    axes.set_title(f'connected components, rows sorted by length, {threads} thread(s)')
    axes.legend(handles=[plt.Rectangle((0, 0), 1, 1, color=colour) for colour in COLOURS.values()],
                labels=list(COLOURS), title='queues', loc='upper left')
    return save(figure, path)


def thread_scaling(matches, path):
    """Speed-up over one thread: ours and the hand-written loop."""
    counts = sorted({match.threads for match in matches})
    names = list(dict.fromkeys(match.case.name for match in matches))
    by_key = {(match.case.name, match.threads): match for match in matches}
    columns = 3
    rows = -(-len(names) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(4 * columns, 3 * rows), squeeze=False)
    for axes, name in zip(grid.flat, names):
        axes.plot(counts, [count / counts[0] for count in counts], color='#bbbbbb', linewidth=1, label='ideal')
        for contestant, label, marker in ((OURS, OURS, 'o'), (HAND_WRITTEN, 'C++ loop', 's')):
            found = [by_key[name, count] for count in counts if contestant in by_key[name, count].seconds]
            if found:
                axes.plot([match.threads for match in found],
                          [found[0].median(contestant) / match.median(contestant) for match in found], marker=marker,
                          label=label)
        axes.set_title(name)
        axes.set_ylim(bottom=0)
        axes.set_xticks(counts)
        axes.set_xlabel('threads')
        axes.set_ylabel('speed-up')
    for axes in grid.flat[len(names):]:
        axes.set_visible(False)
    grid.flat[0].legend()
    figure.tight_layout()
    return save(figure, path)


def roofline(matches, machine, path):
    """Operations per second over operations per byte, under the bandwidth and the peak measured on this machine."""
    figure, axes = plt.subplots(figsize=(9, 6))
    intensities = [2.0**i for i in range(-4, 11)]
    for (threads, limits), style in zip(sorted(machine.items()), ('--', '-', ':', '-.')):
        axes.plot(intensities, [min(x * limits['read'], limits['gflops']) for x in intensities], style, color='#888888',
                  label=f'{limits["read"]:.1f} GB/s, {limits["gflops"]:.0f} GFLOP/s ({threads} thread(s))')
    most = max(machine)
    colours = plt.rcParams['axes.prop_cycle'].by_key()['color']
    shown = [match for match in matches if match.threads == most and OURS in match.seconds]
    for match, colour in zip(shown, colours * 2):
        work = match.case.work(match.arguments, match.results[OURS])
        x = min(work.flops / work.bytes, intensities[-1])
        for name, marker in ((OURS, 'o'), (HAND_WRITTEN, 'x')):
            if name in match.seconds:
                axes.plot(x, work.flops / match.median(name) / 1e9, marker, color=colour,
                          label=match.case.name if name == OURS else None)
    axes.set_xscale('log', base=2)
    axes.set_yscale('log', base=10)
    axes.set_xlabel('operations per byte')
    axes.set_ylabel('GFLOP/s')
    axes.set_title(f'o daphne, x C++ loop; {most} thread(s)')
    axes.legend(fontsize=8, loc='center left', bbox_to_anchor=(1, 0.5))
    return save(figure, path)
