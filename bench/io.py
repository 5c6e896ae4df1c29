#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files, in one run: ours with 1 and 2 threads beside SciPy, pandas, NumPy, R's data.table, read(2) and a
reader of coordinates written by hand.

Prints a table of seconds, each the fastest of its repetitions (of SciPy's reader and pandas' writer, which take long: of
one). Files that are read are in the cache of the system; written ones go to memory (/dev/shm), so that the disk, which
only ours waits for, does not count. Needs the target io_bench; a peer that is not installed is left out. Sizes: --entries
of the MatrixMarket file, --rows of the tables; --directory keeps the files for the next run.
"""

import argparse
import shutil
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


def ours(threads, repetitions, mode, source, target=None):
    command = [BENCH, threads, repetitions, mode, source, *([target] if target else [])]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return [float(word) for word in run.stdout.split()]


def timed(repetitions, f):
    fastest = float('inf')
    for _ in range(repetitions):
        begin = time.perf_counter()
        f()
        fastest = min(fastest, time.perf_counter() - begin)
    return fastest


def data_table(path, out, repetitions, threads=2):
    """Seconds of fread and fwrite."""
    if not shutil.which('Rscript'):
        return None, None
    code = (f'suppressMessages(library(data.table)); setDTthreads({threads}); '
            f'fastest <- function(f) min(sapply(1:{repetitions}, function(i) system.time(f())[["elapsed"]])); '
            f'r <- fastest(function() fread("{path}", header=FALSE)); x <- fread("{path}", header=FALSE); '
            f'cat(r, fastest(function() fwrite(x, "{out}", col.names=FALSE)))')
    run = subprocess.run(['Rscript', '-e', code], capture_output=True, text=True)
    return [float(word) for word in run.stdout.split()] if run.returncode == 0 else (None, None)


def row(name, columns):
    cells = [f'{"-" if x is None else f"{x:.3f}":>12}' for x in columns]
    print(f'{name:<34}' + ''.join(cells), flush=True)


class Run:
    def __init__(self, directory, out, repetitions):
        self.directory, self.out, self.repetitions = directory, out, repetitions

    def one_and_two(self, mode, source, target=None):
        """Alternating, so that a disturbance meets both."""
        halves = [[ours(t, max(1, self.repetitions // 2), mode, source, target) for t in (1, 2)] for _ in range(2)]
        return [[min(a, b) for a, b in zip(halves[0][i], halves[1][i])] for i in range(2)]

    def coordinates(self, order):
        import scipy.io
        path = self.directory / f'{order}.mtx'
        (one,), (two,) = self.one_and_two('matrix', path)
        hand = ours(1, self.repetitions, 'loop', path)[0] if order == 'row' else None
        python = timed(1, lambda: scipy.io.mmread(str(path)))
        row(f'MatrixMarket by {order}', [one, two, python, None, hand, ours(1, 2, 'read2', path)[0]])

    def table(self, what, mode, file):
        try:
            import pandas
        except ImportError:
            pandas = None
        path, n = self.directory / file, self.repetitions
        one, two = self.one_and_two(mode, path, self.out / 'ours.csv')
        fread, fwrite = data_table(path, self.out / 'r.csv', n)
        reading = writing = None
        if pandas:
            reading = timed(2, lambda: pandas.read_csv(path, header=None))
            table = pandas.read_csv(path, header=None)
            writing = timed(1, lambda: table.to_csv(self.out / 'p.csv', header=False, index=False))
        row(what, [one[0], two[0], reading, fread, None, ours(1, 2, 'read2', path)[0]])
        row(what + ', writing', [one[1], two[1], writing, fwrite, None, None])

    def binary(self, file):
        """These take no longer than memory does, which varies most: all take turns, more often than elsewhere."""
        path, target = self.directory / file, self.out / ('ours.' + file)
        x = np.load(path) if file.endswith('npy') else None
        read, written = {}, {}

        def note(who, seconds):
            for table, value in zip((read, written), seconds):
                table[who] = min(value, table.get(who, value))
        for _ in range(2 * self.repetitions):
            for threads in (1, 2):
                note(threads, ours(threads, 2, 'matrix', path, target))
            if x is not None:
                note('python', (timed(2, lambda: np.load(path)), timed(2, lambda: np.save(self.out / 'p.npy', x))))
        row(file, [read[1], read[2], read.get('python'), None, None, ours(1, self.repetitions, 'read2', path)[0]])
        row(file + ', writing', [written[1], written[2], written.get('python'), None, None, None])


def make_files(directory, entries, rows):
    for order in ('row', 'column'):
        if not (directory / f'{order}.mtx').exists():
            coordinates(directory / f'{order}.mtx', entries, order == 'row')
    if not (directory / 'x.dbdf').exists():
        tables(directory, rows)
        ours(1, 1, 'matrix', directory / 'x.npy', directory / 'x.dbdf')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--entries', type=int, default=20_000_000)
    parser.add_argument('--rows', type=int, default=1_000_000)
    parser.add_argument('--repetitions', type=int, default=4)
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
        run = Run(directory, Path(out), options.repetitions)
        print(f'{"seconds":<34}{"ours, 1":>12}{"ours, 2":>12}{"Python":>12}{"R, 2":>12}{"by hand":>12}{"read(2)":>12}')
        run.binary('x.npy')
        run.binary('x.dbdf')
        run.table('CSV of doubles', 'matrix', 'd.csv')
        run.table('CSV with strings', 'frame', 'f.csv')
        run.coordinates('row')
        run.coordinates('column')


if __name__ == '__main__':
    main()
