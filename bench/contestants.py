# SPDX-License-Identifier: Apache-2.0
"""One run of one contestant in one case, in a process of its own: the daphne binary or a peer."""

import importlib.util
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cases import Graph

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent
DATA = ROOT / 'build' / 'bench-data'
BUILD = ROOT / 'build' / 'release' / 'bench'
PYTHON = '/usr/bin/python3'
TIMEOUT_SECONDS = 1800
BINARIES = ('loops', 'fastmath', 'eigen', 'graphblas')
MODULES = {'numpy': ['numpy'], 'scipy': ['scipy'], 'numba': ['numba']}


class RunFailed(Exception):
    """The process of a contestant ended badly or printed something else than an answer."""


@dataclass
class Answer:
    seconds: float  # the computing part
    result: list


def available_peers():
    """The peers whose libraries are installed."""
    built = [name for name in BINARIES if (BUILD / f'peer_{name}').is_file()]
    return built + [name for name, needed in MODULES.items() if all(map(importlib.util.find_spec, needed))]


def graph_files(graph):
    """The path of a graph without its extension; written on first use, kept in build/."""
    DATA.mkdir(parents=True, exist_ok=True)
    path = DATA / graph.file
    if not (path.with_suffix('.csr').is_file() and path.with_suffix('.mtx').is_file()):
        words = [graph.rows, graph.entries, graph.deviation, graph.longest, graph.order, path]
        done = subprocess.run([BUILD / 'powerlaw_graph', *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RunFailed(done.stderr.strip())
    return path


def run_process(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OPENBLAS_NUM_THREADS=str(threads),
                       NUMBA_NUM_THREADS=str(threads), NUMBA_CACHE_DIR=str(DATA / 'numba'))
    try:
        done = subprocess.run([str(word) for word in command], cwd=ROOT, env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise RunFailed(f'no end after {TIMEOUT_SECONDS} s') from None
    if done.returncode != 0:
        raise RunFailed(f'status {done.returncode}: {done.stderr.strip()[-500:]}')
    return done.stdout


def run_daphne(daphne, case, arguments, threads, options=()):
    """Numbers alone on a line are results; 'computing_ns N' is the time between the marks of the script."""
    words = [f'{name}="{graph_files(value)}.mtx"' if isinstance(value, Graph) else f'{name}={value}'
             for name, value in arguments.items()]
    script = BENCH / 'scripts' / f'{case.algorithm}.daph'
    output = run_process([daphne, f'--num-threads={threads}', *options, script, *words], threads)
    result, marks = [], {}
    for line in output.splitlines():
        words = line.split()
        if len(words) == 1:
            result.append(float(words[0]))
        else:
            marks[words[0]] = int(words[1])
    return Answer(marks['computing_ns'] / 1e9, result)


def run_peer(name, case, arguments, threads):
    words = [f'{key}={graph_files(value)}.csr' if isinstance(value, Graph) else f'{key}={value}'
             for key, value in arguments.items()]
    program = [BUILD / f'peer_{name}'] if name in BINARIES else [PYTHON, BENCH / 'peers' / f'{name}_peer.py']
    answer = json.loads(run_process([*program, case.algorithm, *words], threads))
    return Answer(answer['seconds'], answer['result'])


def run_machine(threads, cells):
    """GB/s of reading and of a triad, GFLOP/s."""
    output = run_process([BUILD / 'peer_loops', 'machine', f'cells={cells}'], threads)
    return dict(zip(('read', 'triad', 'gflops'), json.loads(output)['result']))
