#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peak memory of scripts: freed matrices are reused, large sparse data stays sparse. A case is a script, the size of what
it holds at one time and what it must print; the process may use that and what every process needs."""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEGABYTE = 1_000_000
EVERY_PROCESS = 100 * MEGABYTE
ALLOWANCE = 1.15


@dataclass
class Case:
    name: str
    script: str
    held: int  # bytes alive at one time
    output: str | None  # None: an error of status 3
    files: dict = field(default_factory=dict)  # name: function that makes the lines; not all at once, or they would count


def coordinates(entries):
    """A MatrixMarket file in no order."""
    yield b'%%MatrixMarket matrix coordinate real general\n100000 100000 ' + b'%d\n' % entries
    for i in range(entries):
        yield b'%d %d %d.25\n' % (i * 7919 % 99991 + 1, i * 104729 % 99989 + 1, i)


CASES = [
    Case('three matrices at a time, one hundred iterations', '''
X = fill(1.0, 12500, 1000); Y = fill(2.0, 12500, 1000);
for(i in 1:100) { Z = sqrt(X) + Y; Y = Z / 2.0; X = abs(X); }
print(mean(Y));
''', 3 * 100 * MEGABYTE, '1\n'),
    Case('new sizes in every iteration', '''
s = 0.0;
for(i in 1:60) { X = fill(1.0, 100 * i, 1000); Y = X + 1.0; s = s + sum(Y) - sum(X); }
print(s);
''', 2 * 48 * MEGABYTE, '1.83e+08\n'),
    Case('updates of small matrices', '''
X = fill(0, 10, 10);
for(i in 1:300000) { X[3, 4] = X[3, 4] + 1; }
print(X[3, 4]);
''', 0, 'DenseMatrix(1x1, int64_t)\n300000\n'),
    Case('frames that a scalar chooses from', '''
n = 0.0;
for(i in 1:100) {
    X = i % 2 == 0 ? createFrame(fill(1.0, 1000000, 1), "a") : createFrame(fill(2.0, 1000000, 1), "a");
    n = n + mean(as.matrix(X));
}
print(n);
''', 3 * 8 * MEGABYTE, '150\n'),
    Case('a sparse matrix whose dense form takes 80 GB', '''
X = rand(100000, 100000, 1.0, 2.0, 0.00001, -1);
Y = X * 2.0 + t(X); Z = Y[0:50000, ] > 0.0; v = X @ fill(1.0, 100000, 1);
print(nrow(Z)); print(sum(v) > 0.0); print(sum(X @ X != 0.0) > 0);
''', 60 * MEGABYTE, '50000\n1\n1\n'),
    Case('a list used as a queue', '''
l = createList(fill(1.0, 1000, 1000));
for(i in 1:200) { l = append(l, fill(1.0 * i, 1000, 1000)); l, x = remove(l, 0); }
print(length(l));
''', 3 * 8 * MEGABYTE, '1\n'),
    # Readers: at most four times the file.
    Case('a CSV file of numbers', 'print(sum(readMatrix("x.csv")));', 4 * 40 * MEGABYTE, '2e+07\n',
         {'x.csv': lambda: repeat(b'1.5,2.5\n', 5_000_000)}),
    Case('a CSV file of numbers and strings', 'print(nrow(readFrame("x.csv")));', 4 * 44 * MEGABYTE, '1000000\n',
         {'x.csv': lambda: repeat(b'123456,some text of some length,another piece\n', 1_000_000)}),
    Case('a MatrixMarket file in no order', 'print(sum(readMatrix("x.mtx")) > 0.0);', 4 * 20 * MEGABYTE, '1\n',
         {'x.mtx': lambda: coordinates(1_000_000)}),
    Case('a billion rows in one kilobyte', '''
x = readMatrix("x.csv");
''', 0, None, {'x.csv': lambda: [b'1,2\n'], 'x.csv.meta': lambda: [b'{"numRows":1000000000,"numCols":2,"valueType":"f64"}']}),
]


def run(daphne, case, directory):
    """'' or what is wrong."""
    script = Path(directory) / 'case.daph'
    script.write_text(case.script)
    for name, make in case.files.items():
        with open(Path(directory) / name, 'wb') as f:
            f.writelines(make())
    child = subprocess.Popen([daphne, script], cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    peak, limit = usage.ru_maxrss * 1024, case.held * ALLOWANCE + EVERY_PROCESS
    for name in case.files:
        (Path(directory) / name).unlink()
    if case.output is None:
        if os.waitstatus_to_exitcode(status) != 3:
            return f'status {status}, output {output!r}'
    elif status != 0 or output != case.output:
        return f'status {status}, output {output!r}'
    if peak > limit:
        return f'{peak / MEGABYTE:.0f} MB at the peak, {limit / MEGABYTE:.0f} MB expected'
    print(f'  {case.name}: {peak / MEGABYTE:.0f} of {limit / MEGABYTE:.0f} MB')
    return ''


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--daphne', default=ROOT / 'bin' / 'daphne', help='the binary to test')
    daphne = str(Path(parser.parse_args().daphne).resolve())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        for case in CASES:
            problem = run(daphne, case, directory)
            if problem:
                failed += 1
                print(f'FAILED {case.name}: {problem}')
    print(f'{len(CASES) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
