#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files, in one run: ours with 1 and 2 threads beside SciPy, pandas, R's data.table and read(2).

Prints a table of median seconds. Needs the target io_bench; a peer that is not installed is left out. Sizes: --entries of
the MatrixMarket file, --rows of the tables.
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


def ours(threads, repetitions, mode, source, target=None):
    command = [BENCH, threads, repetitions, mode, source, *([target] if target else [])]
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return [float(word) for word in run.stdout.split()]


def timed(repetitions, f):
    seconds = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        f()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def fread(path, repetitions, threads=2):
    if not shutil.which('Rscript'):
        return None
    code = (f'suppressMessages(library(data.table)); setDTthreads({threads}); '
            f't <- sapply(1:{repetitions}, function(i) system.time(fread("{path}", header=FALSE))[["elapsed"]]); '
            'cat(median(t))')
    run = subprocess.run(['Rscript', '-e', code], capture_output=True, text=True)
    return float(run.stdout) if run.returncode == 0 else None


def row(name, columns):
    cells = [f'{"-" if x is None else f"{x:.3f}":>12}' for x in columns]
    print(f'{name:<34}' + ''.join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--entries', type=int, default=20_000_000)
    parser.add_argument('--rows', type=int, default=1_000_000)
    parser.add_argument('--repetitions', type=int, default=3)
    options = parser.parse_args()
    n = options.repetitions
    try:
        import pandas
    except ImportError:
        pandas = None
    import scipy.io
    with tempfile.TemporaryDirectory(prefix='dio') as name:
        directory = Path(name)
        coordinates(directory / 'row.mtx', options.entries, True)
        coordinates(directory / 'column.mtx', options.entries, False)
        tables(directory, options.rows)
        print(f'{"seconds":<34}{"ours, 1":>12}{"ours, 2":>12}{"Python":>12}{"fread, 2":>12}{"by hand":>12}{"read(2)":>12}')
        for order in ('row', 'column'):
            path = directory / f'{order}.mtx'
            python = timed(1, lambda: scipy.io.mmread(str(path)))
            hand = ours(1, n, 'loop', path)[0] if order == 'row' else None
            row(f'MatrixMarket by {order}', [ours(1, n, 'matrix', path)[0], ours(2, n, 'matrix', path)[0], python, None,
                                             hand, ours(1, n, 'read2', path)[0]])
        for what, mode, file in (('CSV of doubles', 'matrix', 'd.csv'), ('CSV with strings', 'frame', 'f.csv')):
            path = directory / file
            one, two = (ours(t, n, mode, path, directory / 'out.csv') for t in (1, 2))
            table = pandas.read_csv(path, header=None) if pandas else None
            python = timed(n, lambda: pandas.read_csv(path, header=None)) if pandas else None
            row(what, [one[0], two[0], python, fread(path, n), None, ours(1, n, 'read2', path)[0]])
            python = timed(1, lambda: table.to_csv(directory / 'p.csv', header=False, index=False)) if pandas else None
            row(what + ', writing', [one[1], two[1], python, None, None, None])
        ours(1, 1, 'matrix', directory / 'x.npy', directory / 'x.dbdf')
        for file in ('x.npy', 'x.dbdf'):
            path = directory / file
            one, two = (ours(t, n, 'matrix', path, directory / ('out.' + file)) for t in (1, 2))
            python = timed(n, lambda: np.load(path)) if file == 'x.npy' else None
            row(file, [one[0], two[0], python, None, None, ours(1, n, 'read2', path)[0]])
            python = timed(n, lambda: np.save(directory / 'p.npy', np.load(path))) if file == 'x.npy' else None
            row(file + ', writing', [one[1], two[1], python, None, None, None])


if __name__ == '__main__':
    main()
