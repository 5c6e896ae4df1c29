#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Queries of two warehouse benchmarks on generated tables, compared with SQLite. Last line: 'N passed, N failed'."""

import argparse
import json
import math
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE))
from queries import SSB, SSB_TABLES, TPCH, TPCH_TABLES  # noqa: E402

BENCHMARKS = {'ssb': (SSB_TABLES, SSB), 'tpch': (TPCH_TABLES, TPCH)}


def generator():
    """The compiled generator of tables; compiled again when its source is newer."""
    binary = ROOT / 'build' / 'warehouse' / 'generate'
    source = HERE / 'Generate.cpp'
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        binary.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(['g++', '-std=c++20', '-O2', str(source), '-o', str(binary)], check=True)
    return binary


def generate(benchmark, scale, directory):
    directory.mkdir(parents=True, exist_ok=True)
    subprocess.run([str(generator()), benchmark, str(scale), str(directory)], check=True)


def schema_of(directory, table):
    return json.loads((directory / f'{table}.csv.meta').read_text())['schema']


def database(directory, tables):
    """SQLite with the tables, indexed by their keys."""
    db = sqlite3.connect(':memory:')
    types = {'str': 'TEXT', 'f64': 'REAL'}
    for table in tables:
        schema = schema_of(directory, table)
        columns = ', '.join(f"{c['label']} {types.get(c['valueType'], 'INTEGER')}" for c in schema)
        db.execute(f'CREATE TABLE {table} ({columns})')
        with open(directory / f'{table}.csv') as file:
            rows = (line.rstrip('\n').split(',') for line in file)  # columns turn texts into their types
            db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(schema))})", rows)
        if table not in ('lineorder', 'lineitem'):
            db.execute(f"CREATE INDEX {table}_key ON {table} ({schema[0]['label']})")
    db.execute('ANALYZE')
    db.commit()
    return db


def script_of(directory, tables, queries):
    lines = [f'registerView("{t}", readFrame("{directory / t}.csv"));' for t in tables]
    for name, query in queries.items():
        lines.append(f'write(sql("{" ".join(query.split())}"), "{directory / name}.csv");')
    return '\n'.join(lines) + '\n'


def rows_of(path, expected):
    """Cells of a result, read as the types of the expected row."""
    kinds = [type(cell) for cell in expected[0]] if expected else []
    text = path.read_text().splitlines()
    return [tuple(kind(cell) for kind, cell in zip(kinds, line.split(','))) for line in text]


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=2e-6)  # files have six decimals
    return a == b


def compare(name, ours, theirs):
    if len(ours) != len(theirs):
        return f'{name}: {len(ours)} rows, SQLite has {len(theirs)}'
    for i, (mine, other) in enumerate(zip(ours, theirs)):
        if not all(same(a, b) for a, b in zip(mine, other)):
            return f'{name}: row {i} is {mine}, SQLite has {other}'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'))
    parser.add_argument('--scale', type=float, default=0.01)
    parser.add_argument('--threads', type=int, nargs='*', default=[1, 2, 5])
    args = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temp:
        for benchmark, (tables, queries) in BENCHMARKS.items():
            directory = Path(temp) / benchmark
            generate(benchmark, args.scale, directory)
            db = database(directory, tables)
            expected = {name: db.execute(query).fetchall() for name, query in queries.items()}
            script = directory / 'queries.daph'
            script.write_text(script_of(directory, tables, queries))
            first = {}
            runs = [[f'--num-threads={threads}'] for threads in args.threads]
            runs += [['--columnar'], ['--columnar', '--optimistic-splitting', '--num-threads=3']]
            for options in runs:
                done = subprocess.run([args.daphne, *options, str(script)], capture_output=True, text=True)
                for name in queries:
                    problem = done.stderr.strip()[:500] if done.returncode else None
                    if not problem:
                        text = (directory / f'{name}.csv').read_text()
                        problem = compare(name, rows_of(directory / f'{name}.csv', expected[name]), expected[name])
                        if first.setdefault(name, text) != text:
                            problem = f'{" ".join(options)} gives another result than {" ".join(runs[0])}'
                    passed += problem is None
                    failed += problem is not None
                    if problem:
                        print(f'{benchmark} {name}: {problem}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
