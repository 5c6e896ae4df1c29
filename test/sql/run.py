#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random queries on random tables, compared with SQLite.

Tables and queries are drawn from a seed; one script runs a batch of queries on the same tables and writes every result to
a file, and SQLite runs the same queries. About half of the tables have nulls and are read from files. Without ORDER BY,
rows are compared as multisets; with it, the sequence of the keys is compared as well. Nulls of a result are what the
language makes of them: 0, nan or an empty string; so half of the queries also ask which cells are null. A query that
Daphne rejects although SQLite answers it is a failure.

    test/sql/run.py --daphne bin/daphne [--queries 3000] [--seed 1] [--keep] [--options=--columnar]
"""

import argparse
import csv
import json
import math
import random
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCH = 50
TIMEOUT_SECONDS = 120
WORDS = ['', 'a', 'ab', 'abc', 'b', 'ba', 'B', 'zeta', 'x y']
AGGREGATES = ['count', 'sum', 'min', 'max', 'avg']


class Table:
    """Columns by name: 'i' integers, 'f' numbers with halves, 's' words. A column has nulls with some probability."""

    def __init__(self, rng, name, rows):
        self.name = name
        self.columns = {'k': 'i', 'a': 'i', 'f': 'f', 's': 's'}
        cell = {'i': lambda: rng.randint(-3, 6), 'f': lambda: rng.randint(-8, 12) / 2, 's': lambda: rng.choice(WORDS)}
        self.file = rng.choice(['', '', f'{name}.csv', f'{name}.jsonl'])
        self.null_text = rng.choice(['', 'NA'])
        self.nulls = [rng.choice([0, 0.1, 0.3, 0.6, 1]) if self.file else 0 for _ in self.columns]
        self.rows = [[None if rng.random() < null else cell[kind]()
                      for kind, null in zip(self.columns.values(), self.nulls)] for _ in range(rows)]

    def definition(self):
        """The argument of registerView."""
        if self.file:
            return f'readFrame("{self.file}")'
        columns = (f'"{name}": {literal(kind, self.rows, i)}' for i, (name, kind) in enumerate(self.columns.items()))
        return '{' + ', '.join(columns) + '}'

    def write(self, directory):
        if not self.file:
            return
        types = {'i': 'si64', 'f': 'f64', 's': 'str'}
        schema = [{'label': name, 'valueType': types[kind], 'nullable': null > 0}
                  for (name, kind), null in zip(self.columns.items(), self.nulls)]
        meta = {'numRows': len(self.rows), 'numCols': len(self.columns), 'schema': schema,
                'csv': {'nulls': [self.null_text]} if self.null_text else {}}
        (Path(directory) / f'{self.file}.meta').write_text(json.dumps(meta), encoding='utf-8')
        if self.file.endswith('.jsonl'):
            lines = [json.dumps(dict(zip(self.columns, row))) for row in self.rows]
        else:
            lines = [','.join(self.null_text if c is None else '""' if c == '' else str(c) for c in row) for row in self.rows]
        (Path(directory) / self.file).write_text(''.join(line + '\n' for line in lines), encoding='utf-8')


class Generator:
    """Draws queries that mean the same in both systems: no division by zero, no bounds of BETWEEN in the wrong order."""

    def __init__(self, rng, tables):
        self.rng, self.tables = rng, tables
        self.sources = {}

    def chance(self, p):
        return self.rng.random() < p

    def column(self, kind):
        names = [f'{alias}.{name}' for alias, columns in self.sources.items() for name, k in columns.items() if k == kind]
        chosen = self.rng.choice(names)
        return '{}."{}"'.format(*chosen.split('.')) if self.chance(0.03) else chosen

    def number(self, depth=0):
        draw = self.rng.random()
        if depth > 2 or draw < 0.45:
            return self.column(self.rng.choice('if'))
        if draw < 0.6:
            return str(self.rng.randint(-3, 9))
        if draw < 0.65:
            return str(self.rng.randint(1, 9) / 2)
        if draw < 0.67:
            return 'NULL'
        if draw < 0.87:
            return f'({self.number(depth + 1)} {self.rng.choice("+-*")} {self.number(depth + 1)})'
        if draw < 0.94:
            otherwise = f' ELSE {self.number(depth + 1)}' if self.chance(0.5) else ''
            return f'CASE WHEN {self.condition(depth + 1)} THEN {self.number(depth + 1)}{otherwise} END'
        if draw < 0.96:
            return f'coalesce({self.number(depth + 1)}, {self.number(depth + 1)})'
        if draw < 0.97:
            return f'({self.column("i")} / ({self.column("i")} + 20))'
        if draw < 0.98:
            if self.chance(0.2):  # a row or none
                return f'(SELECT DISTINCT q.k FROM {self.table()} AS q WHERE q.k = {self.rng.randint(-3, 8)})'
            # A sum of no rows is 0 here and null there.
            where = f' WHERE q.a > {self.rng.randint(-2, 8)}' if self.chance(0.5) else ''
            name = self.rng.choice(['max', 'min', 'avg'] if where else ['max', 'sum'])
            return f'(SELECT {name}(q.{self.rng.choice("kf")}) FROM {self.table()} AS q{where})'
        return f'abs({self.number(depth + 1)})'

    def table(self):
        return self.rng.choice(self.tables).name

    def word(self):
        draw = self.rng.random()
        if draw < 0.5:
            return self.column('s')
        if draw < 0.53:
            return f'{self.rng.choice(["upper", "lower"])}({self.column("s")})'
        if draw < 0.55:
            return f"({self.column('s')} || {self.word()})"
        if draw < 0.57:
            return f'coalesce({self.column("s")}, {self.word()})'
        if draw < 0.6:
            return f"CASE WHEN {self.condition(2)} THEN {self.word()} END"
        return f"'{self.rng.choice(WORDS)}'" if draw < 0.97 else 'NULL'

    def condition(self, depth=0):
        draw = self.rng.random()
        compare = self.rng.choice(['=', '<>', '<', '<=', '>', '>='])
        if depth < 2 and draw < 0.25:
            return f'({self.condition(depth + 1)} {self.rng.choice(["AND", "OR"])} {self.condition(depth + 1)})'
        if depth < 2 and draw < 0.32:
            return f'(NOT {self.condition(depth + 1)})'
        if draw < 0.6:
            return f'{self.number(2)} {compare} {self.number(2)}'
        if draw < 0.72:
            return f'{self.column("s")} {compare} {self.word()}'
        if draw < 0.8:
            low = self.rng.randint(-3, 4)
            return f'{self.number(2)} {self.rng.choice(["", "NOT "])}BETWEEN {low} AND {low + self.rng.randint(0, 5)}'
        if draw < 0.88:
            kind = self.rng.choice('iifs')
            draw = {'i': lambda: str(self.rng.randint(-2, 6)), 'f': lambda: str(self.rng.randint(-2, 6) / 2),
                    's': lambda: f"'{self.rng.choice(WORDS)}'"}[kind]
            values = ', '.join([draw() for _ in range(self.rng.randint(1, 4))] + ['NULL'] * self.chance(0.1))
            return f'{self.column(kind)} {self.rng.choice(["", "NOT "])}IN ({values})'
        if draw < 0.94:
            pattern = self.rng.choice(['a%', '%b', '%a%', '_', '_b%', 'ab', '%'])
            return f"{self.column('s')} {self.rng.choice(['', 'NOT '])}LIKE '{pattern}'"
        if draw < 0.97:
            return f'{self.column(self.rng.choice("ifs"))} IS {self.rng.choice(["", "NOT "])}NULL'
        kind, negation = self.rng.choice('iifs'), self.rng.choice(['', 'NOT '])
        chosen = f'SELECT q.{self.rng.choice("ka") if kind == "i" else kind} FROM {self.table()} AS q'
        return f'{self.column(kind)} {negation}IN ({chosen} WHERE q.a > {self.rng.randint(-2, 4)})'

    def source(self, alias):
        table = self.rng.choice(self.tables)
        self.sources[alias] = dict(table.columns)
        if self.chance(0.15):
            saved, self.sources = self.sources, {'q': dict(table.columns)}
            inner = f'(SELECT q.k, q.a, q.f, q.s FROM {table.name} AS q WHERE {self.condition(1)})'
            self.sources = saved
            return f'{inner} AS {alias}'
        return f'{table.name} AS {alias}'

    def tables_part(self):
        self.sources = {}
        self.is_product = False
        text = self.source('x')
        draw = self.rng.random()
        if draw < 0.45:
            return text
        if draw < 0.6:
            self.is_product = True
            return f'{text}, {self.source("y")}'
        kind = self.rng.choice(['JOIN', 'INNER JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN', 'CROSS JOIN'])
        text += f' {kind} {self.source("y")}'
        if kind != 'CROSS JOIN':
            compare = '=' if kind[0] in 'LRF' or self.chance(0.7) else self.rng.choice(['<', '>', '<>', '<='])
            text += f' ON x.k {compare} y.{self.rng.choice("ka")}'
            if self.chance(0.25):
                text += ' AND x.s = y.s'
            if self.chance(0.2) and kind not in ('RIGHT JOIN', 'FULL JOIN'):
                text += f' AND {self.on_side("y")}'
        if self.chance(0.3):
            text += f' {self.rng.choice(["JOIN", "LEFT JOIN"])} {self.source("z")} ON y.a = z.a'
        return text

    def on_side(self, alias):
        """A condition on one table."""
        saved, self.sources = self.sources, {alias: self.sources[alias]}
        text = self.condition(1)
        self.sources = saved
        return text

    def aggregate(self):
        name = self.rng.choice(AGGREGATES)
        if name == 'count' and self.chance(0.4):
            return 'count(*)'
        if name == 'count' and self.chance(0.4):
            return f'count(DISTINCT {self.column(self.rng.choice("is"))})'
        if name in ('min', 'max') and self.chance(0.3):
            return f'{name}({self.column("s")})'
        return f'{name}({self.number(1)})'

    def query(self):
        """The text and the positions of the columns it is ordered by."""
        tables = self.tables_part()
        where = f' WHERE {self.condition()}' if self.chance(0.6) else ''
        if where and self.is_product and self.chance(0.5):
            where += f' AND x.k = y.{self.rng.choice("ka")} AND x.a IN (SELECT q.k FROM {self.table()} AS q)'
        draw = self.rng.random()
        if draw < 0.4:
            items = [self.number() if self.chance(0.6) else self.rng.choice([self.column('i'), self.column('f'), self.word()])
                     for _ in range(self.rng.randint(1, 4))]
            tail = ''
        elif draw < 0.55:
            # A sum of no rows is 0 here and null there: a row is certain only without a condition.
            items, tail = [f'count({self.column("i")})', 'count(*)'], ''
            if not where and ' ' not in tables.split(' AS ')[0] and tables.count(' AS ') == 1:
                items += [self.aggregate() for _ in range(self.rng.randint(0, 3))]
            items += [f'{self.rng.choice(["min", "max", "avg"])}({self.number(1)})' for _ in range(self.rng.randint(0, 2))]
            items += [f'max({self.column("s")})'] * self.chance(0.2)
        else:
            draw = lambda: self.column(self.rng.choice('iifs')) if self.chance(0.8) else self.number(1)
            keys = list(dict.fromkeys(draw() for _ in range(self.rng.randint(1, 2))))
            # Integers would be positions, and a query is equal to itself only.
            keys = [key for key in keys if not key.lstrip('-').isdigit() and 'SELECT' not in key] or ['x.k']
            items = keys + [self.aggregate() for _ in range(self.rng.randint(0, 3))]
            tail = ' GROUP BY ' + ', '.join(keys)
            if self.chance(0.3):
                value = self.rng.choice(['count(*)', 'min(x.k)', 'sum(x.a)', 'max(x.f)', 'avg(x.a)'])
                tail += f' HAVING {self.rng.choice(["", "NOT "])}{value} > {self.rng.randint(0, 3)}'
                tail += f' {self.rng.choice(["AND", "OR"])} {value} IS NULL' if self.chance(0.3) else ''
        distinct = 'DISTINCT ' if self.chance(0.15) else ''
        is_ordered = self.chance(0.6 if distinct else 0.35)
        # Of rows that differ the first ones are certain only if every column counts.
        order = self.rng.sample(range(len(items)), len(items) if distinct else self.rng.randint(1, len(items))) if is_ordered else []
        keys = ', '.join(f'c{i}' + self.rng.choice(['', ' ASC', ' DESC']) for i in order)
        if is_ordered and not distinct and self.chance(0.5):
            items += [f'({items[i]}) IS NULL' for i in order]  # nulls are not ordered like the cells that stand for them
            order += range(len(items) - len(order), len(items))
        selected = ', '.join(f'{item} AS c{i}' for i, item in enumerate(items))
        text = f'SELECT {distinct}{selected} FROM {tables}{where}{tail}'
        if is_ordered:
            text += ' ORDER BY ' + keys
            text += f' LIMIT {self.rng.randint(1, 4)}' if distinct and self.chance(0.5) else ''
        elif self.chance(0.12):
            operation = self.rng.choice(['UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT'])
            self.sources = {'x': dict(self.tables[0].columns)}
            left = f'SELECT x.{self.rng.choice("kf")} AS c0, {self.word()} AS c1 FROM {self.tables[0].name} AS x'
            left += f' WHERE {self.condition(1)}'
            self.sources = {'x': dict(self.tables[-1].columns)}
            right = f'SELECT x.{self.rng.choice("af")} AS c0, {self.word()} AS c1 FROM {self.tables[-1].name} AS x'
            right += f' WHERE {self.condition(1)}'
            text = f'{left} {operation} {right}'
            items = ['c0', 'c1']
        if not order and self.chance(0.5):
            cells = ', '.join(f'r.c{i}, r.c{i} IS NULL AS n{i}' for i in range(len(items)))
            text = f'SELECT {cells} FROM ({text}) AS r'
        return text, order


def literal(kind, rows, position):
    cells = [row[position] for row in rows]
    if kind == 's':
        return '[' + ', '.join(f'"{c}"' for c in cells) + ']'
    return '[' + ', '.join(repr(c) for c in cells) + ']'


def script(tables, queries):
    lines = []
    for table in tables:
        lines.append(f'registerView("{table.name}", {table.definition()});')
    for number, (text, _) in enumerate(queries):
        escaped = text.replace('"', '\\"')
        lines.append(f'write(sql("{escaped}"), "r{number}.csv");')
    return '\n'.join(lines) + '\n'


def normal(cell, nullable):
    """Comparable cells. In a column with nulls, null is like what it is filled with: its type does not show there."""
    if cell is None or (nullable and cell == ''):
        return 'null'
    try:
        value = float(cell)
    except ValueError:
        return f"'{cell}'"
    if nullable and (math.isnan(value) or value == 0):
        return 'null'
    return f'{float(f"{value:.6f}") + 0.0:.6g}'  # rounded as in files first


def differs(expected, actual, order):
    nullable = [any(row[i] is None for row in expected) for i in range(len(expected[0]))] if expected else []
    if any(len(row) != len(nullable) for row in actual):
        return f'expected {len(nullable)} columns and {len(expected)} rows, got {actual[:5]}'
    want = [tuple(normal(c, n) for c, n in zip(row, nullable)) for row in expected]
    have = [tuple(normal(c, n) for c, n in zip(row, nullable)) for row in actual]
    if sorted(want) != sorted(have):
        return f'expected {len(want)} rows {sorted(want)[:5]}, got {len(have)} rows {sorted(have)[:5]}'
    if order and [[row[i] for i in order] for row in want] != [[row[i] for i in order] for row in have]:
        return f'wrong order: expected {want[:5]}, got {have[:5]}'
    return None


def run_batch(daphne, seed, count, keep):
    """Failures as texts."""
    rng = random.Random(seed)
    tables = [Table(rng, name, rng.choice([1, 3, 8, 20])) for name in ('t', 'u', 'v')]
    generator = Generator(rng, tables)
    queries = [generator.query() for _ in range(count)]
    database = sqlite3.connect(':memory:')
    database.execute('PRAGMA case_sensitive_like = ON')
    for table in tables:
        database.execute(f'CREATE TABLE {table.name} (k INTEGER, a INTEGER, f REAL, s TEXT)')
        database.executemany(f'INSERT INTO {table.name} VALUES (?, ?, ?, ?)', table.rows)
    failures = []
    with tempfile.TemporaryDirectory() as directory:
        for table in tables:
            table.write(directory)
        done = run_script(daphne, script(tables, queries), directory)
        if done.returncode != 0:
            # One by one, to name the query.
            for query in queries:
                single = run_script(daphne, script(tables, [query]), directory)
                if single.returncode != 0:
                    failures.append(f'seed {seed}: status {single.returncode}\n  {query[0]}\n  {single.stderr.strip()}')
            return failures or [f'seed {seed}: only the whole batch fails: {done.stderr.strip()}']
        for number, (text, order) in enumerate(queries):
            with open(Path(directory) / f'r{number}.csv', newline='', encoding='utf-8') as file:
                actual = list(csv.reader(file))
            expected = database.execute(text).fetchall()
            # An empty line is a row with one empty cell.
            actual = [row or [''] for row in actual]
            problem = differs(expected, actual, order)
            if problem:
                failures.append(f'seed {seed}: {text}\n  {problem}')
        if keep and failures:
            (Path.cwd() / f'sql-{seed}.daph').write_text(script(tables, queries), encoding='utf-8')
            for table in tables:
                table.write(Path.cwd())
    return failures


def run_script(daphne, text, directory):
    path = Path(directory) / 'script.daph'
    path.write_text(text, encoding='utf-8')
    return subprocess.run([*daphne, path.name], cwd=directory, capture_output=True, text=True, errors='replace',
                          timeout=TIMEOUT_SECONDS, check=False)


def main():
    parser = argparse.ArgumentParser(description='Random queries compared with SQLite.')
    parser.add_argument('--daphne', default=ROOT / 'bin' / 'daphne', type=Path)
    parser.add_argument('--queries', default=3000, type=int)
    parser.add_argument('--seed', default=1, type=int)
    parser.add_argument('--options', default='', help='further words for the command line of Daphne')
    parser.add_argument('--keep', action='store_true', help='keep the scripts of batches with failures')
    choice = parser.parse_args()
    if sqlite3.sqlite_version_info < (3, 39):
        print(f'SQLite {sqlite3.sqlite_version} has no FULL JOIN; 3.39 is needed')
        print('0 passed, 0 failed')
        return 0
    daphne = [choice.daphne.resolve(), *choice.options.split()]
    batches = [(choice.seed + k, min(BATCH, choice.queries - k * BATCH)) for k in range(-(-choice.queries // BATCH))]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda b: run_batch(daphne, b[0], b[1], choice.keep), batches))
    failures = [failure for result in results for failure in result]
    for failure in failures[:20]:
        print(failure)
    print(f'{choice.queries - len(failures)} passed, {len(failures)} failed')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
