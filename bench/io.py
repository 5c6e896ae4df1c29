#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files, in one run: ours with 1 and 2 threads beside SciPy, pandas, NumPy, R's data.table, read(2) and a
reader of coordinates written by hand.

Contestants take turns, round by round, three runs each; every figure is the median of all runs of a contestant in seconds
(of SciPy's reader and pandas' writer, which take long: of one). The first of three pays for fresh memory, so most do not. Files that are read are in the cache of the system; written ones go to
memory (/dev/shm), so that the disk, which only ours waits for, does not count. Needs the target io_bench; a peer that is
not installed is left out. Sizes: --entries of the MatrixMarket file, --rows of the tables; --directory keeps the files for
the next run.
"""

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
BENCH = ROOT / 'build' / 'release' / 'bench' / 'io_bench'


def coordinates(path, entries, by_row):
    rng = np.random.default_rng(1)
    n = max(10, entries // 20)
    places = np.unique(rng.integers(0, n * n, entries))
    rows, columns = (places // n, places % n) if by_row else (places % n, places // n)
    values = rng.random(len(places))
    with open(path, 'w') as f:
        f.write(f'%%MatrixMarket matrix coordinate real general\n{n} {n} {len(places)}\n')
        for i in range(0, len(places), 500000):
            part = zip((rows[i:i + 500000] + 1).tolist(), (columns[i:i + 500000] + 1).tolist(),
                       values[i:i + 500000].tolist())
            f.write(''.join('%d %d %.16g\n' % entry for entry in part))


def tables(directory, rows):
    rng = np.random.default_rng(2)
    x = rng.random((rows, 20))
    np.savetxt(directory / 'd.csv', x, delimiter=',', fmt='%.16g')
    np.save(directory / 'x.npy', x)
    with open(directory / 'f.csv', 'w') as f:
        for i in range(rows):
            f.write(f'{rng.integers(1 << 40)},{x[i, 0]:.16g},key{i % 1000},some longer text {i % 777},{i % 100}\n')


def ours(threads, mode, source, target=None, repetitions=3):
    """Seconds of reading, and of writing if there is a target."""
    command = [BENCH, threads, repetitions, mode, source, *([target] if target else [])]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return [[float(word) for word in line.split()] for line in run.stdout.splitlines()]


def timed(f, repetitions=3):
    seconds = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        f()
        seconds.append(time.perf_counter() - begin)
    return seconds


def has_data_table():
    if not shutil.which('Rscript'):
        return False
    return subprocess.run(['Rscript', '-e', 'library(data.table)'], capture_output=True).returncode == 0


def data_table(path, out, repetitions=3, threads=2):
    """Seconds of fread and fwrite."""
    code = (f'suppressMessages(library(data.table)); setDTthreads({threads}); '
            f'seconds <- function(f) cat(sapply(1:{repetitions}, function(i) system.time(f())[["elapsed"]]), "\\n"); '
            f'seconds(function() fread("{path}", header=FALSE)); x <- fread("{path}", header=FALSE); '
            f'seconds(function() fwrite(x, "{out}", col.names=FALSE))')
    run = subprocess.run(['Rscript', '-e', code], capture_output=True, text=True, check=True)
    return [[float(word) for word in line.split()] for line in run.stdout.splitlines()]


HEADING = ('ours, 1', 'ours, 2', 'Python', 'R, 2', 'by hand', 'read(2)')


def row(name, seconds):
    cells = [f'{"-" if seconds.get(who) is None else f"{seconds[who]:.3f}":>12}' for who in HEADING]
    print(f'{name:<34}' + ''.join(cells), flush=True)


def contest(rounds, contestants, slow=()):
    """Everybody in turn, the slow ones in the first round only. Medians of what they return, by contestant: one table of
    them for reading, one for writing."""
    taken = {}
    for i in range(rounds):
        for who, run in contestants.items():
            if i > 0 and who in slow:
                continue
            for what, seconds in enumerate(run()):
                taken.setdefault((what, who), []).extend(seconds)
    return [{who: statistics.median(taken[what, who]) for who in contestants if taken.get((what, who))}
            for what in (0, 1)]


class Run:
    def __init__(self, directory, out, rounds):
        self.directory, self.out, self.rounds = directory, out, rounds

    def ours(self, mode, path, target=None):
        return {'ours, 1': lambda: ours(1, mode, path, target), 'ours, 2': lambda: ours(2, mode, path, target),
                'read(2)': lambda: ours(1, 'read2', path)}

    def coordinates(self, order):
        import scipy.io
        path = self.directory / f'{order}.mtx'
        contestants = self.ours('matrix', path)
        contestants['Python'] = lambda: [timed(lambda: scipy.io.mmread(str(path)), 1)]
        if order == 'row':
            contestants['by hand'] = lambda: ours(1, 'loop', path)
        row(f'MatrixMarket by {order}', contest(self.rounds, contestants, slow=['Python'])[0])

    def table(self, what, mode, file):
        path = self.directory / file
        contestants = self.ours(mode, path, self.out / 'ours.csv')
        if has_data_table():
            contestants['R, 2'] = lambda: data_table(path, self.out / 'r.csv')
        try:
            import pandas
            contestants['Python'] = lambda: [timed(lambda: pandas.read_csv(path, header=None))]
        except ImportError:
            pandas = None
        reading, writing = contest(self.rounds, contestants)
        if pandas:
            frame = pandas.read_csv(path, header=None)
            writing['Python'] = timed(lambda: frame.to_csv(self.out / 'p.csv', header=False, index=False), 1)[0]
        row(what, reading)
        row(what + ', writing', writing)

    def binary(self, file):
        """These take no longer than memory does, which varies most: more rounds than elsewhere."""
        path = self.directory / file
        contestants = self.ours('matrix', path, self.out / ('ours.' + file))
        if file.endswith('npy'):
            x = np.load(path)
            contestants['Python'] = lambda: (timed(lambda: np.load(path)),
                                             timed(lambda: np.save(self.out / 'p.npy', x)))
        for what, seconds in zip((file, file + ', writing'), contest(2 * self.rounds, contestants)):
            row(what, seconds)


def make_files(directory, entries, rows):
    for order in ('row', 'column'):
        if not (directory / f'{order}.mtx').exists():
            coordinates(directory / f'{order}.mtx', entries, order == 'row')
    if not (directory / 'x.dbdf').exists():
        tables(directory, rows)
        ours(1, 'matrix', directory / 'x.npy', directory / 'x.dbdf', 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--entries', type=int, default=20_000_000)
    parser.add_argument('--rows', type=int, default=1_000_000)
    parser.add_argument('--rounds', type=int, default=4)
    parser.add_argument('--directory', type=Path)
    parser.add_argument('--quick', action='store_true', help='a fiftieth of the size')
    options = parser.parse_args()
    if options.quick:
        options.entries, options.rows = options.entries // 50, options.rows // 50
    memory = '/dev/shm' if Path('/dev/shm').is_dir() else None
    with tempfile.TemporaryDirectory(prefix='dio') as name, tempfile.TemporaryDirectory(prefix='dio', dir=memory) as out:
        directory = options.directory or Path(name)
        directory.mkdir(exist_ok=True)
        make_files(directory, options.entries, options.rows)
        run = Run(directory, Path(out), options.rounds)
        print(f'{"seconds":<34}' + ''.join(f'{who:>12}' for who in HEADING))
        run.binary('x.npy')
        run.binary('x.dbdf')
        run.table('CSV of doubles', 'matrix', 'd.csv')
        run.table('CSV with strings', 'frame', 'f.csv')
        run.coordinates('row')
        run.coordinates('column')


if __name__ == '__main__':
    main()
