#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Warehouse queries beside SQLite, pandas and, where it is installed, DuckDB: milliseconds per query, tables in memory.

    bench/sql.py [--scale 1] [--threads 2] [--repeat 3] [--only Q1.1 H6]

Peers that cannot be imported are left out. Every system runs a query --repeat times, the best time counts (SQLite: once).
"""

import argparse
import math
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'test' / 'sql' / 'warehouse'))
import run as warehouse  # noqa: E402

BENCHMARKS = warehouse.BENCHMARKS


def best(repeat, f):
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def run_daphne(args, directory, tables, queries):
    """Tables are read once; a loop around each query keeps equal queries from being computed once only."""
    lines = [f'registerView("{t}", readFrame("{directory / t}.csv"));' for t in tables]
    for name, query in queries.items():
        lines.append(f'for (i in 1:{args.repeat}) {{ start = now(); r = sql("{" ".join(query.split())}"); '
                     f'rows = nrow(r); stop_ = now(); print("{name} " + (stop_ - start) + " " + rows); }}')
    script = directory / 'bench.daph'
    script.write_text('\n'.join(lines) + '\n')
    done = subprocess.run([args.daphne, f'--num-threads={args.threads}', str(script)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    times = {}
    for name, ns in re.findall(r'^(\S+) (\d+) \d+$', done.stdout, re.M):
        times[name] = min(times.get(name, math.inf), int(ns) / 1e6)
    return times


def run_sqlite(args, directory, tables, queries):
    """The database is kept beside the tables; its pages are read once before anything is measured."""
    import sqlite3
    file = directory / 'tables.sqlite'
    if not file.exists():
        with sqlite3.connect(file) as copy:
            warehouse.database(directory, tables).backup(copy)
    db = sqlite3.connect(file)
    db.execute('PRAGMA cache_size = -4000000')
    for table in tables:
        db.execute(f'SELECT count(*), max({warehouse.schema_of(directory, table)[-1]["label"]}) FROM {table}').fetchall()
    return {name: best(1, lambda q=query: db.execute(q).fetchall()) for name, query in queries.items()}


def run_duckdb(args, directory, tables, queries):
    try:
        import duckdb
    except ImportError:
        return {}
    db = duckdb.connect(config={'threads': args.threads})
    types = {'str': 'VARCHAR', 'f64': 'DOUBLE', 'si64': 'BIGINT'}
    for table in tables:
        columns = ', '.join(f"'{c['label']}': '{types[c['valueType']]}'" for c in warehouse.schema_of(directory, table))
        db.execute(f"CREATE TABLE \"{table}\" AS SELECT * FROM read_csv('{directory / table}.csv', header = false, "
                   f'columns = {{{columns}}})')
    return {name: best(args.repeat, lambda q=query: db.execute(q).fetchall()) for name, query in queries.items()}


def run_pandas(args, directory, tables, queries):
    try:
        import pandas
    except ImportError:
        return {}
    import pandas_queries
    types = {'str': 'object', 'f64': 'float64', 'si64': 'int64'}
    frames = {}
    for table in tables:
        schema = warehouse.schema_of(directory, table)
        frames[table] = pandas.read_csv(directory / f'{table}.csv', names=[c['label'] for c in schema],
                                        dtype={c['label']: types[c['valueType']] for c in schema})
    functions = pandas_queries.FUNCTIONS
    return {name: best(args.repeat, lambda n=name: functions[n](frames)) for name in queries if name in functions}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'))
    parser.add_argument('--scale', type=float, default=1)
    parser.add_argument('--threads', type=int, default=2)
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--only', nargs='*')
    parser.add_argument('--systems', nargs='*', default=['daphne', 'duckdb', 'pandas', 'sqlite'])
    args = parser.parse_args()
    runners = {'daphne': run_daphne, 'duckdb': run_duckdb, 'pandas': run_pandas, 'sqlite': run_sqlite}
    print(f"{'query':8}" + ''.join(f'{s + " ms":>14}' for s in args.systems))
    ratios = {s: [] for s in args.systems}
    for benchmark, (tables, all_queries) in BENCHMARKS.items():
        queries = {n: q for n, q in all_queries.items() if not args.only or n in args.only}
        if not queries:
            continue
        directory = ROOT / 'build' / 'warehouse' / f'{benchmark}-{args.scale:g}'
        if not (directory / f'{tables[-1]}.csv.meta').exists():
            warehouse.generate(benchmark, args.scale, directory)
        times = {s: runners[s](args, directory, tables, queries) for s in args.systems}
        for name in queries:
            cells = [times[s].get(name) for s in args.systems]
            print(f'{name:8}' + ''.join(f'{c:14.1f}' if c is not None else f"{'-':>14}" for c in cells), flush=True)
            for s, c in zip(args.systems, cells):
                if c is not None and 'daphne' in args.systems:
                    ratios[s].append(c / times['daphne'][name])
    for s in args.systems:
        if s != 'daphne' and ratios[s]:
            mean = math.exp(sum(map(math.log, ratios[s])) / len(ratios[s]))
            print(f'{s}: {mean:.2f} times our time in the geometric mean, {min(ratios[s]):.2f} to {max(ratios[s]):.2f}')


if __name__ == '__main__':
    main()
