#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times single built-ins beside NumPy and SciPy: one thread, the same inputs, the same run, results compared.

Every row runs in rounds, daphne and NumPy in turn; within a round the operation is repeated, and only the operation is
timed (by now() in the script). Both sides make a fresh result each time. The table shows medians and their ratio, and
the ratio of the fastest runs, which says more on a busy machine; where NumPy has several ways to do the same, the
fastest counts. For operations bound by memory it also shows the bandwidth reached, as
a share of a plain copy. The exit status is 1 if results differ or, with --enforce, if a row is over its limit.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for variable in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS'):
    os.environ[variable] = '1'  # before NumPy loads its BLAS

import numpy as np  # noqa: E402
import scipy  # noqa: E402
import scipy.sparse  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
ROWS, COLS = 10_000, 1_000  # 10 million cells
CELLS = ROWS * COLS
EDGE = 2_000                # of the factors of the dense product
NODES, DEGREE = 1_000_000, 10


# ---------------------------------------------------------------- the same inputs on both sides

def uniform(rows, cols, seed):
    """What rand(rows, cols, 0.0, 1.0, 1.0, seed) gives."""
    generator = np.random.MT19937()
    generator._legacy_seeding(seed)
    raw = generator.random_raw(2 * rows * cols).astype(np.float64)
    return ((raw[0::2] + raw[1::2] * 2.0 ** 32) / 2.0 ** 64).reshape(rows, cols)


def random_csr(nodes, degree, seed):
    """At most `degree` non-zeros in each row; values with three decimal digits."""
    source = np.random.default_rng(seed)
    rows = np.repeat(np.arange(nodes), degree)
    cols = source.integers(0, nodes, nodes * degree)
    values = source.integers(1, 1000, nodes * degree) / 1000.0
    matrix = scipy.sparse.csr_matrix((values, (rows, cols)), shape=(nodes, nodes))
    matrix.data = np.minimum(matrix.data, 0.999)  # cells drawn twice were added up
    return matrix


def write_matrix_market(matrix, path):
    """Like scipy.io.mmwrite for values below 1 with three digits, many times faster: all lines have the same width."""
    coordinates = matrix.tocoo()
    line = b'0000000 0000000 0.000\n'
    text = np.tile(np.frombuffer(line, dtype=np.uint8), (coordinates.nnz, 1))

    def put(numbers, first, count):
        for place in range(count):
            text[:, first + count - 1 - place] += (numbers // 10 ** place % 10).astype(np.uint8)

    put(coordinates.row.astype(np.int64) + 1, 0, 7)
    put(coordinates.col.astype(np.int64) + 1, 8, 7)
    put(np.rint(coordinates.data * 1000).astype(np.int64), 18, 3)
    with open(path, 'wb') as file:
        file.write(b'%%MatrixMarket matrix coordinate real general\n')
        file.write(f'{matrix.shape[0]} {matrix.shape[1]} {coordinates.nnz}\n'.encode())
        file.write(text.tobytes())


class Inputs:
    """Matrices by name, made when first used: NumPy's, and the line of script that makes the same."""

    def __init__(self, directory):
        self.directory, self.made = Path(directory), {}

    def get(self, name):
        if name not in self.made:
            self.made[name] = self.make(name)
        return self.made[name]

    def make(self, name):
        dense = {'X': (ROWS, COLS, 1), 'Y': (ROWS, COLS, 2), 'v': (CELLS, 1, 3), 'A': (EDGE, EDGE, 4),
                 'B': (EDGE, EDGE, 5), 'w': (NODES, 1, 6)}
        if name in dense:
            rows, cols, seed = dense[name]
            return uniform(rows, cols, seed), f'{name} = rand({rows}, {cols}, 0.0, 1.0, 1.0, {seed});'
        if name in DERIVED:
            base, script, function = DERIVED[name]
            cells, make = self.get(base)
            return function(cells), f'{make}\n{name} = {script};'
        if name in ('I', 'J'):
            cells = np.rint(self.get({'I': 'A', 'J': 'B'}[name])[0][:1000, :1000] * 1000).astype(np.int64)
            letter = 'A' if name == 'I' else 'B'
            make = self.get(letter)[1] + f'\n{name} = as.matrix<si64>(round({letter}[0:1000, 0:1000] * 1000.0));'
            return cells, make
        matrix = random_csr(NODES, {'S': DEGREE, 'T': 2}[name], {'S': 7, 'T': 8}[name])
        path = self.directory / f'{name}.mtx'
        write_matrix_market(matrix, path)
        return matrix, f'{name} = readMatrix("{path}");'


# Matrices made from others: of which, how the script does it, how NumPy does it.
DERIVED = {
    'N': ('v', f'reshape(v, {CELLS // 10}, 10)', lambda v: v.reshape(-1, 10)),
    'W': ('v', f'reshape(v, 10, {CELLS // 10})', lambda v: v.reshape(10, -1)),
    'F': ('X', 'as.matrix<f32>(X)', lambda x: x.astype(np.float32)),
    'L': ('X', 'as.matrix<si64>(X * 1000000.0)', lambda x: (x * 1000000.0).astype(np.int64)),
    'K': ('X', 'as.matrix<si32>(X * 1000000.0)', lambda x: (x * 1000000.0).astype(np.int32)),
    'r': ('Y', 'Y[0, ]', lambda y: y[0:1, :]),
    'c': ('Y', 'Y[, 0]', lambda y: np.ascontiguousarray(y[:, 0:1])),
}

# --------------------------------------------------------------------------------- what is timed

class Row:
    def __init__(self, name, inputs, script, *numpy, moved=0, limit=1.0, rounds=3, repetitions=5, options=()):
        self.name, self.inputs, self.script, self.numpy = name, inputs, script, numpy
        self.moved = moved  # bytes that must be read and written; 0: not bound by memory
        self.limit, self.rounds, self.repetitions, self.options = limit, rounds, repetitions, list(options)


SPARSE = ['--select-matrix-repr']
TABLE = [
    Row('elementwise add', 'XY', 'X + Y', lambda x, y: x + y, moved=3 * 8 * CELLS),
    Row('exp', 'X', 'exp(X)', lambda x: np.exp(x), moved=2 * 8 * CELLS),
    Row('sum', 'X', 'sum(X)', lambda x: x.sum(), moved=8 * CELLS),
    Row('row sums', 'X', 'sum(X, 0)', lambda x: x.sum(axis=1), moved=8 * CELLS),
    Row('column sums', 'X', 'sum(X, 1)', lambda x: x.sum(axis=0, keepdims=True), moved=8 * CELLS),
    Row('transpose', 'X', 't(X)', lambda x: np.ascontiguousarray(x.T), moved=2 * 8 * CELLS),
    Row('order, positions', 'v', 'order(v, 0, true, true)', lambda v: np.argsort(v[:, 0], kind='stable'),
        lambda v: np.argsort(v[:, 0]), repetitions=2),
    Row('order, values', 'v', 'order(v, 0, true, false)', lambda v: np.sort(v[:, 0], kind='stable'),
        lambda v: np.sort(v[:, 0]), repetitions=2),
    Row('cumSum, one column', 'v', 'cumSum(v)', lambda v: np.cumsum(v[:, 0]), moved=2 * 8 * CELLS),
    Row('cumSum, 1000 columns', 'X', 'cumSum(X)', lambda x: np.cumsum(x, axis=0), moved=2 * 8 * CELLS),
    Row(f'product {EDGE}x{EDGE} f64', 'AB', 'A @ B', lambda a, b: a @ b, limit=1.05, repetitions=3),
    Row('product 1000x1000 si64', 'IJ', 'I @ J', lambda a, b: a @ b, repetitions=2),
    Row('CSR x vector', 'Sw', 'S @ w', lambda s, w: s @ w, options=SPARSE),
    Row('CSR x CSR', 'ST', 'S @ T', lambda s, t: s @ t, options=SPARSE, rounds=2, repetitions=2),
]


def variations():
    """More shapes, value types and functions than the table proper."""
    shapes = {'X': f'{ROWS}x{COLS}', 'N': 'tall', 'W': 'wide', 'F': 'f32', 'L': 'si64', 'K': 'si32'}
    operations = [
        ('sum', 'sum({0})', lambda x: x.sum(dtype=x.dtype)),
        ('row sums', 'sum({0}, 0)', lambda x: x.sum(axis=1, dtype=x.dtype)),
        ('column sums', 'sum({0}, 1)', lambda x: x.sum(axis=0, dtype=x.dtype, keepdims=True)),
        ('column means', 'mean({0}, 1)', lambda x: x.mean(axis=0, keepdims=True)),
        ('smallest', 'aggMin({0})', lambda x: x.min()),
        ('largest per row', 'aggMax({0}, 0)', lambda x: x.max(axis=1)),
        ('largest per column', 'aggMax({0}, 1)', lambda x: x.max(axis=0, keepdims=True)),
        ('position per row', 'idxMax({0}, 0)', lambda x: x.argmax(axis=1)),
        ('transpose', 't({0})', lambda x: np.ascontiguousarray(x.T)),
        ('cumSum', 'cumSum({0})', lambda x: np.cumsum(x, axis=0, dtype=x.dtype)),
        ('times itself', '{0} * {0}', lambda x: x * x),
        ('times 3', '{0} * as.{1}(3)', lambda x: x * x.dtype.type(3)),
    ]
    types = {'F': 'f32', 'L': 'si64', 'K': 'si32'}
    for operation, script, function in operations:
        for name, shape in shapes.items():
            yield Row(f'{operation}, {shape}', name, script.format(name, types.get(name, 'f64')), function, rounds=1)
    for name in ('ln', 'sqrt', 'sin', 'cos', 'tanh', 'atan', 'abs', 'floor', 'round'):
        function = {'ln': np.log, 'tanh': np.tanh, 'atan': np.arctan, 'round': np.rint}.get(name) or getattr(np, name)
        yield Row(f'{name}, f64', 'X', f'{name}(X)', function, rounds=1)
        yield Row(f'{name}, f32', 'F', f'{name}(F)', function, rounds=1)
    yield Row('exp, f32', 'F', 'exp(F)', np.exp, rounds=1)
    yield Row('plus row vector', 'Xr', 'X + r', np.add, rounds=1)
    yield Row('plus column vector', 'Xc', 'X + c', np.add, rounds=1)
    yield Row('f64 plus f32', 'XF', 'X + F', np.add, rounds=1)
    yield Row('variance', 'X', 'var(X)', np.var, rounds=1)
    yield Row('variance per column', 'X', 'var(X, 1)', lambda x: np.var(x, axis=0, keepdims=True), rounds=1)
    yield Row('reverse', 'X', 'reverse(X)', lambda x: np.ascontiguousarray(x[::-1]), rounds=1)
    yield Row('bind columns', 'XY', 'cbind(X, Y)', lambda x, y: np.hstack([x, y]), rounds=1)
    yield Row('order, si64', 'L', 'order(L, 0, true, true)', lambda x: np.argsort(x[:, 0], kind='stable'), rounds=1)


SCRIPT = '''
{inputs}
i = 0;
while (i < {repetitions}) {{
    start = now();
    result = {operation};
    stop = now();
    print("time " + (stop - start));
    {consume}
    i = i + 1;
}}
'''


# ------------------------------------------------------------------------------------- measuring

def positions(shape, repetitions):
    """A different cell after each repetition, so that every result is needed."""
    return [(i * 7919 % shape[0], i * 271 % shape[1]) for i in range(1, repetitions + 1)]


def shape_of(result):
    """As rows and columns: what NumPy has one-dimensional is a column here."""
    shape = np.shape(result)
    return shape + (1,) * (2 - len(shape))


def run_daphne(daphne, row, inputs, shape):
    """Times in ns, and the cells at positions()."""
    consume = 'print("cell ", false); print(result);'
    if shape != (1, 1):
        cell = f'result[((i + 1) * 7919) % {shape[0]}, ((i + 1) * 271) % {shape[1]}]'
        consume = f'print("cell ", false); print(as.scalar({cell}));'
    lines = [inputs.get(name)[1] for name in row.inputs]
    text = SCRIPT.format(inputs='\n'.join(lines), repetitions=row.repetitions, operation=row.script, consume=consume)
    path = inputs.directory / 'bench.daph'
    path.write_text(text, encoding='utf-8')
    done = subprocess.run([daphne, *row.options, str(path)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise RuntimeError(' '.join(done.stderr.split())[:200] or f'status {done.returncode}')
    found = re.findall(r'^(time|cell) (\S+)$', done.stdout, re.M)
    return ([int(text) for kind, text in found if kind == 'time'],
            [float(text) for kind, text in found if kind == 'cell'])


def run_numpy(function, arguments, repetitions):
    times = []
    for _ in range(repetitions):
        start = time.perf_counter_ns()
        result = function(*arguments)
        times.append(time.perf_counter_ns() - start)
        kept, result = result, None
        if len(times) < repetitions:
            del kept  # outside the measurement, as on the other side
    return times, kept


def cells_agree(cells, result, shape, repetitions):
    if shape == (1, 1):
        expected = [result] * repetitions
    else:
        flat = result if len(np.shape(result)) == 2 else np.reshape(result, shape)
        expected = [flat[at] for at in positions(shape, repetitions)]
    # The script prints six digits.
    return len(cells) == repetitions and np.allclose(cells, np.asarray(expected, dtype=np.float64), rtol=1e-5, atol=1e-30)


def measure(daphne, row, inputs):
    arguments = [inputs.get(name)[0] for name in row.inputs]
    ours, theirs = [], [[] for _ in row.numpy]
    for _ in range(row.rounds):
        for function, times in zip(row.numpy, theirs):
            some, result = run_numpy(function, arguments, row.repetitions)
            times += some
        shape = shape_of(result)
        times, cells = run_daphne(daphne, row, inputs, shape)
        ours += times
        if not cells_agree(cells, result, shape, row.repetitions):
            raise RuntimeError('the results differ')
        del result
    best = min(theirs, key=statistics.median)
    return {'ours': ours, 'theirs': best}


def copy_bandwidth():
    """Bytes read and written per second by a plain copy of 80 MB."""
    source, target = np.ones(CELLS), np.ones(CELLS)
    times, _ = run_numpy(lambda: np.copyto(target, source), (), 15)
    return 2 * 8 * CELLS / (statistics.median(times) / 1e9)


def loaded_blas():
    maps = Path('/proc/self/maps').read_text(encoding='utf-8')
    return sorted({line.split()[-1] for line in maps.splitlines() if re.search(r'/lib[^/]*(blas|mkl)[^/]*$', line)})


def main():
    parser = argparse.ArgumentParser(description='Times single built-ins beside NumPy and SciPy, one thread each.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary to measure')
    parser.add_argument('--filter', default='', help='only rows whose name matches this expression')
    parser.add_argument('--all', action='store_true', help='more shapes, value types and functions')
    parser.add_argument('--enforce', action='store_true', help='fail if a row is over its limit')
    parser.add_argument('--json', help='also write the numbers to this file')
    choice = parser.parse_args()
    bandwidth = copy_bandwidth()
    print(f'NumPy {np.__version__}, SciPy {scipy.__version__}, BLAS {", ".join(loaded_blas()) or "built in"}; '
          f'a copy moves {bandwidth / 1e9:.1f} GB/s')
    print(f'{"operation":24} {"ours ms":>9} {"NumPy ms":>9} {"ratio":>6} {"best":>6} {"limit":>6} {"of copy":>8}')
    report, failed = {}, False
    with tempfile.TemporaryDirectory(prefix='bench') as directory:
        inputs = Inputs(directory)
        for row in [*TABLE, *(variations() if choice.all else [])]:
            if not re.search(choice.filter, row.name):
                continue
            try:
                times = measure(choice.daphne, row, inputs)
            except RuntimeError as problem:
                failed = True
                print(f'{row.name:24} FAILED: {problem}')
                continue
            ours, theirs = statistics.median(times['ours']), statistics.median(times['theirs'])
            share = f'{row.moved / (ours / 1e9) / bandwidth:8.2f}' if row.moved else ''
            best = min(times['ours']) / min(times['theirs'])
            over = ours > row.limit * theirs
            failed |= choice.enforce and over
            report[row.name] = {'ours_ns': times['ours'], 'theirs_ns': times['theirs'], 'ratio': ours / theirs}
            print(f'{row.name:24} {ours / 1e6:9.2f} {theirs / 1e6:9.2f} {ours / theirs:6.2f} {best:6.2f} {row.limit:6.2f} '
                  f'{share:>8}{" over" if over else ""}', flush=True)
    if choice.json:
        text = json.dumps({'copy_bytes_per_second': bandwidth, 'rows': report}, indent=2)
        Path(choice.json).write_text(text + '\n', encoding='utf-8')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
