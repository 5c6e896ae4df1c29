#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several processes of one thread each beside one process with as many threads: connected components, n-body and a
regression.

Runs alternate, each round beginning with another one, and every figure is the median of its rounds. The ratio compares
whole runs from start-up to the end, without the time mpirun takes itself; the limit is 1.1. For components the statistics
also tell how many bytes went over the wire per iteration: at most the vector of labels to every worker, and its part of the
new one back.

On a virtual machine the host may take CPU time for others. Rounds in which it took more than a twentieth during one of the
runs are repeated, up to twice as many as were asked for; the last column tells how many there were.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / 'build' / 'bench-data'
DAPHNE = ROOT / 'bin' / 'daphne'
LIMIT = 1.1
MOST_STOLEN = 0.05  # of the CPU time, by the host
MPI_ENVIRONMENT = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                   'OMPI_MCA_rmaps_base_oversubscribe': '1', 'OMPI_MCA_hwloc_base_binding_policy': 'none'}


def long_graph(vertices, links, reach):
    """A graph with many iterations in it: every vertex is linked to some of the next ones. A binary file."""
    DATA.mkdir(parents=True, exist_ok=True)
    name = DATA / f'long-{vertices}-{links}-{reach}'
    result = name.with_suffix('.dbdf')
    if not result.exists():
        generator = np.random.default_rng(1)
        text = name.with_suffix('.mtx')
        body = name.with_suffix('.body')
        count, step = 0, 10_000
        with open(body, 'w') as out:
            for first in range(0, vertices, step):
                v = np.arange(first, min(first + step, vertices))
                # Some of the distances come twice; what leads beyond the last vertex is no link.
                other = v[:, None] + np.sort(generator.integers(1, reach + 1, (len(v), links)), axis=1)
                is_link = (other < vertices) & (np.diff(other, axis=1, prepend=0) > 0)
                count += int(is_link.sum())
                from_to = zip((other[is_link] + 1).tolist(), (np.nonzero(is_link)[0] + first + 1).tolist())
                out.write(''.join('%d %d\n' % pair for pair in from_to))
        with open(text, 'w') as out:
            out.write(f'%%MatrixMarket matrix coordinate pattern symmetric\n{vertices} {vertices} {count}\n')
        subprocess.run(f'cat {body} >> {text}', shell=True, check=True)
        body.unlink()
        subprocess.run([DAPHNE, '-e', f'writeMatrix(readMatrix("{text}"), "{result}");'], check=True)
        text.unlink()
    return result


def samples(rows, columns):
    """A table of random numbers, the last column of which depends on the others. A binary file."""
    DATA.mkdir(parents=True, exist_ok=True)
    result = DATA / f'samples-{rows}-{columns}.dbdf'
    if not result.exists():
        script = (f'X = rand({rows}, {columns}, -1.0, 1.0, 1.0, 1); w = rand({columns}, 1, -1.0, 1.0, 1.0, 2); '
                  f'writeMatrix(cbind(X, X @ w), "{result}");')
        subprocess.run([DAPHNE, '-e', script], check=True)
    return result


class Case:
    def __init__(self, name, words, vertices=0, entries=0):
        self.name, self.words = name, words
        self.vertices, self.entries = vertices, entries  # of a graph


def cases(quick):
    # Some ten milliseconds per iteration: the journeys of vectors and messages take a part of one.
    vertices, links, reach = (40_000, 16, 2_000) if quick else (400_000, 200, 1_000)
    graph = long_graph(vertices, links, reach)
    yield Case('components', ['examples/components.daph', f'graph="{graph}"'], vertices,
               (graph.stat().st_size - 8 * vertices) // 16)
    rows, columns = (20_000, 30) if quick else (500_000, 160)
    yield Case('regression', ['bench/scripts/regression-weighted.daph', f'samples="{samples(rows, columns)}"'])
    yield Case('n-body', ['examples/nbody.daph', f'nb_particles={1000 if quick else 12000}'])


def command(transport, processes):
    """The words before the script's, for so many processes or threads."""
    if transport == 'local':
        return [DAPHNE, f'--num-threads={processes}']
    common = ['--num-threads=1', '--distributed']
    if transport == 'MPI':
        return ['mpirun', '-np', str(processes), DAPHNE, *common, '--dist_backend=MPI']
    return [DAPHNE, *common, f'--dist_backend={transport}', f'--workers-local={processes - 1}']


def cpu_time():
    """Of the machine since it started: what its programs used, and what the host took for others."""
    user, nice, system, _, _, irq, softirq, steal = map(int, Path('/proc/stat').read_text().split()[1:9])
    return user + nice + system + irq + softirq, steal


def run(transport, processes, case):
    """Seconds, the output and the statistics of one run, and which share of the CPU time the host took."""
    used, stolen = cpu_time()
    words = [*command(transport, processes), '--timing', '--statistics', *case.words]
    done = subprocess.run([str(w) for w in words], cwd=ROOT, env={**os.environ, **MPI_ENVIRONMENT}, capture_output=True,
                          text=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, words))}: {done.stderr}')
    timing = json.loads(re.search(r'^\{"startup_seconds.*\}$', done.stderr, re.M)[0])
    used, stolen = (after - before for after, before in zip(cpu_time(), (used, stolen)))
    return timing['total_seconds'], done.stdout, done.stderr, stolen / max(1, used + stolen)


def megabytes_per_iteration(case, output, figures):
    """To and from a worker, at most, without its part of the graph; and the limits of both."""
    iterations = int(re.search(r'iterations: +(\d+)', output)[1])
    found = re.findall(r' (\d+) chunks, .* ([\d.]+) MB to it in \d+ objects, ([\d.]+) MB from it', figures)
    found = [(float(to), float(back)) for chunks, to, back in found if int(chunks) > 0]
    machines = 1 + len(found)
    part = (8 * case.vertices + 4 * case.entries) / machines / 1e6  # without values, which are all one
    vector = 4 * case.vertices / 1e6
    to = max((max(0.0, to - part) / iterations for to, _ in found), default=0.0)
    back = max((back / iterations for _, back in found), default=0.0)
    return to, back, vector, vector / machines, len(found)


def reading(figures):
    """Seconds that reading took. Much of it is first touching memory, which some virtual machines have to ask for: its
    differences tell of the machine."""
    found = re.search(r'^read\(\) +\d+ +\d+ +([\d.]+)', figures, re.M)
    return float(found[1]) / 1e6 if found else 0.0


class Rounds:
    """All contestants of a case, one after the other, several times."""

    def __init__(self, used, count):
        self.used, self.count = used, count
        self.kept, self.disturbed, self.last = [], [], {}  # a round: seconds and those of reading, by contestant

    def run(self, processes, case):
        while len(self.kept) < self.count and len(self.kept) + len(self.disturbed) < 3 * self.count:
            first = (len(self.kept) + len(self.disturbed)) % len(self.used)
            seconds, most_stolen = {}, 0.0
            for transport in self.used[first:] + self.used[:first]:
                taken, output, figures, stolen = run(transport, processes, case)
                seconds[transport] = taken, reading(figures)
                most_stolen = max(most_stolen, stolen)
                self.last[transport] = output, figures
            (self.kept if most_stolen <= MOST_STOLEN else self.disturbed).append(seconds)
        if len({output for output, _ in self.last.values()}) != 1:
            sys.exit(f'{case.name}: results differ')
        if len(self.kept) < self.count:  # there is no other machine
            self.kept += self.disturbed

    def times(self, transport, which=0):
        return [seconds[transport][which] for seconds in self.kept]


def report(case, transport, processes, rounds):
    seconds, local, last = rounds.times(transport), rounds.times('local'), rounds.last[transport]
    ratio = statistics.median(seconds) / statistics.median(local)
    # The spread tells how much of a ratio is the machine's unrest.
    line = (f'{case.name:12} {transport:10} {processes:9} {statistics.median(seconds):9.3f} '
            f'{statistics.median(local):9.3f} {ratio:6.2f}{"" if ratio <= LIMIT else " !"}'
            f'   {min(seconds):.3f}-{max(seconds):.3f} beside {min(local):.3f}-{max(local):.3f}')
    if case.vertices:
        line += (f'   reading {statistics.median(rounds.times(transport, 1)):.2f} beside '
                 f'{statistics.median(rounds.times("local", 1)):.2f}')
    if case.vertices and processes > 1:
        to, back, vector, part, workers = megabytes_per_iteration(case, *last)
        line += (f'   {to:.3f} of {vector:.3f} MB out, {back:.3f} of {part:.3f} MB back per iteration and worker, '
                 f'{workers} at work')
    if rounds.disturbed:
        line += f'   {len(rounds.kept)} rounds and {len(rounds.disturbed)} disturbed ones' if len(
            rounds.kept) == rounds.count else f'   {len(rounds.disturbed)} of {len(rounds.kept)} rounds disturbed'
    print(line, flush=True)
    return ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--quick', action='store_true', help='small data: does everything run?')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--processes', default='1,2,3,4')
    parser.add_argument('--transports', default='MPI,gRPC')
    parser.add_argument('--filter', default='', help='only cases with this in their name')
    options = parser.parse_args()
    transports = [t for t in options.transports.split(',') if t != 'MPI' or shutil.which('mpirun')]
    print('case         transport  processes   seconds     local  ratio   fastest and slowest')
    worst = 0
    for case in cases(options.quick):
        if options.filter not in case.name:
            continue
        for processes in map(int, options.processes.split(',')):
            # gRPC with one process is a local run.
            used = ['local', *(t for t in transports if processes > 1 or t == 'MPI')]
            rounds = Rounds(used, options.rounds)
            rounds.run(processes, case)
            for transport in used[1:]:
                worst = max(worst, report(case, transport, processes, rounds))
    print(f'largest ratio: {worst:.2f}, limit {LIMIT}')


if __name__ == '__main__':
    main()
