#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole runs of the daphne binary: start-up beside the system's Python, compilation, native scalar code.

Prints a table (median and spread of the wall time); --json FILE also writes the numbers. Compare figures only when they
come from the same machine and the same run.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SCALAR_LOOP = '''
i = 0;
s = 0;
while (i < 100000000) {
    s = s + i % 3;
    i = i + 1;
}
print(s);
'''

CELL_UPDATES = '''
m = [0];
i = 0;
while (i < 10000000) {
    m = m + 1;
    i = i + 1;
}
print(as.scalar(m));
'''

RECURSION = '''
def depth(n: si64) -> si64 {
    if (n == 0)
        return 0;
    return 1 + depth(n - 1);
}
print(depth(10000));
'''


def compile_script():
    """200 lines with 40 calls of user functions, each with other constants and shapes."""
    lines = []
    for i in range(40):
        lines += [f'def f{i}(X, k) {{', f'    Y = (X + k) * {i}.5;', '    return sum(Y, 1) / nrow(X);', '}']
    lines += [f'print(sum(f{i}(fill(1.0, {i + 2}, 3), {i})));' for i in range(40)]
    return '\n'.join(lines)


def benchmarks(daphne):
    """Name, command, script (None: the command is complete), number of runs."""
    yield 'hello', [daphne, '-e', 'print("hello");'], None, 20
    yield "python3 -c 'print(1)'", ['/usr/bin/python3', '-c', 'print(1)'], None, 20
    yield 'compile 200 lines, 40 functions', [daphne], compile_script(), 5
    yield '100 million scalar additions', [daphne], SCALAR_LOOP, 3
    yield '10 million 1x1 updates', [daphne], CELL_UPDATES, 3
    yield 'recursion, depth 10000', [daphne], RECURSION, 5


def measure(command, script, runs):
    with tempfile.TemporaryDirectory(prefix='bench') as directory:
        if script is not None:
            path = Path(directory, 'bench.daph')
            path.write_text(script, encoding='utf-8')
            command = [*command, str(path)]
        seconds = []
        for _ in range(runs + 1):
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - start)
            if done.returncode != 0:
                return None, done.stderr.strip()
        return sorted(seconds[1:]), done.stdout.strip()  # the first run warms the caches


def phases(daphne):
    done = subprocess.run([daphne, '--timing', '-e', 'print("hello");'], capture_output=True, text=True)
    return json.loads(done.stderr) if done.returncode == 0 else {}


def main():
    parser = argparse.ArgumentParser(description='Times whole runs of the daphne binary.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary to measure')
    parser.add_argument('--json', help='also write the numbers to this file')
    choice = parser.parse_args()
    results, failed = {}, False
    print(f'{"benchmark":34} {"median ms":>10} {"min ms":>9} {"max ms":>9} {"runs":>5}')
    for name, command, script, runs in benchmarks(choice.daphne):
        seconds, text = measure(command, script, runs)
        if seconds is None:
            failed = True
            print(f'{name:34} FAILED: {text}')
            continue
        median = statistics.median(seconds)
        results[name] = {'median_seconds': median, 'seconds': seconds}
        print(f'{name:34} {median * 1e3:10.1f} {seconds[0] * 1e3:9.1f} {seconds[-1] * 1e3:9.1f} {runs:5}')
    timing = phases(choice.daphne)
    print('hello by phase, ms: ' + ', '.join(f'{k.removesuffix("_seconds")} {v * 1e3:.1f}' for k, v in timing.items()))
    if choice.json:
        report = {'machine': platform.processor() or platform.machine(), 'system': platform.platform(),
                  'results': results, 'hello_phases': timing}
        Path(choice.json).write_text(json.dumps(report, indent=2) + '\n', encoding='utf-8')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
