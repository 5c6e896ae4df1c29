#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what sched_balance wrote: makespan over the ideal per scheme, measured and simulated, and over the workers.

usage: plot.py balance.csv balance.png
"""

import csv
import sys

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt

LAYOUTS = ['CENTRALIZED', 'PERGROUP', 'PERCPU']


def in_order(values):
    return list(dict.fromkeys(values))


def draw_two_threads(axes, rows, order):
    """Bars: best measured runs; crosses: the simulator."""
    rows = [r for r in rows if r['order'] == order]
    groups = in_order((r['scheme'], r['by']) for r in rows)
    width = 0.8 / len(LAYOUTS)
    for i, layout in enumerate(LAYOUTS):
        mine = [r for r in rows if r['layout'] == layout]
        x = [groups.index((r['scheme'], r['by'])) + (i - 1) * width for r in mine]
        axes.bar(x, [float(r['best']) for r in mine], width, label=layout)
        axes.plot(x, [float(r['simulated']) for r in mine], 'kx', markersize=4, label='simulated' if i == 0 else None)
    axes.axhline(1, color='gray', linewidth=0.5)
    axes.set_xticks(range(len(groups)), [s if by == 'rows' else f'{s} by weight' for s, by in groups], rotation=90)
    axes.set_title(f'two threads, {order} rows (bars: measured)')
    axes.set_ylabel('makespan / ideal')
    axes.legend(fontsize=8)


def draw_many_workers(axes, rows):
    for number, scheme in enumerate(in_order(r['scheme'] for r in rows)):
        mine = [r for r in rows if r['scheme'] == scheme]
        axes.plot([int(r['workers']) for r in mine], [float(r['simulated']) for r in mine],
                  marker='osv^'[number // 10 * 2 + number % 2], markersize=4, label=scheme)
    axes.set_xscale('log', base=2)
    axes.set_title('simulated, shuffled rows, central queue')
    axes.set_xlabel('workers')
    axes.legend(fontsize=7, ncol=2)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    with open(sys.argv[1], newline='') as file:
        rows = list(csv.DictReader(file))
    figure, axes = plt.subplots(1, 3, figsize=(19, 5.5))
    draw_two_threads(axes[0], rows, 'shuffled')
    draw_two_threads(axes[1], rows, 'descending')
    draw_many_workers(axes[2], [r for r in rows if r['order'] == 'many'])
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)
    print(f'plot: {sys.argv[2]}')


if __name__ == '__main__':
    main()
