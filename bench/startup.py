# SPDX-License-Identifier: Apache-2.0
"""Whole runs of the daphne binary: start-up beside the system's Python, compilation, native scalar code."""

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

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
        lines += [f'def step{i}(X, k) {{', f'    Y = (X + k) * {i}.5;', '    return sum(Y, 1) / nrow(X);', '}']
    lines += [f'print(sum(step{i}(fill(1.0, {i + 2}, 3), {i})));' for i in range(40)]
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


def run(daphne):
    """Prints the table; returns the numbers, or None if a run failed."""
    results, failed = {}, False
    print(f'{"whole runs":34} {"median ms":>10} {"min ms":>9} {"max ms":>9} {"runs":>5}')
    for name, command, script, runs in benchmarks(daphne):
        seconds, text = measure(command, script, runs)
        if seconds is None:
            failed = True
            print(f'{name:34} FAILED: {text}')
            continue
        median = statistics.median(seconds)
        results[name] = {'median_seconds': median, 'seconds': seconds}
        print(f'{name:34} {median * 1e3:10.1f} {seconds[0] * 1e3:9.1f} {seconds[-1] * 1e3:9.1f} {runs:5}', flush=True)
    timing = phases(daphne)
    print('hello by phase, ms: ' + ', '.join(f'{k.removesuffix("_seconds")} {v * 1e3:.1f}' for k, v in timing.items()))
    return None if failed else {'runs': results, 'hello_phases': timing}
