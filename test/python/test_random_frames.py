# SPDX-License-Identifier: Apache-2.0
"""Random programs over frames against pandas. Their number is that of run.py --frames."""
import os

import numpy as np
from support import Case, needs

import daphne as dp

try:
    import pandas as pd
except ImportError:
    pd = None

FRAMES = int(os.environ.get('DAPHNE_TEST_FRAMES', '100'))
SEED = int(os.environ.get('DAPHNE_TEST_SEED', '1'))
WORDS = ['', 'a', 'b', 'ab', 'ü', 'long text', "it's"]


class Program:
    """A frame, and the DataFrame it stands for, through some operations."""

    def __init__(self, dc, seed):
        self.dc = dc
        self.rng = np.random.default_rng(seed)
        self.steps = []
        self.df = self.data(int(self.pick([0, 1, 3, 8, 25, 60])))
        self.frame = dc.from_pandas(self.df)

    def pick(self, options):
        return options[self.rng.integers(len(options))]

    def data(self, rows):
        rng = self.rng
        self.steps.append(f'{rows} rows')
        return pd.DataFrame({
            'k': rng.integers(0, 5, rows), 'n': rng.integers(-9, 9, rows).astype(self.pick([np.int64, np.int32, np.int8])),
            'x': rng.integers(-20, 20, rows) / 4, 's': np.array([self.pick(WORDS) for _ in range(rows)], dtype=object)})

    def step(self):
        getattr(self, self.pick(['filtered', 'filtered_by_sql', 'sorted', 'selected', 'computed', 'sliced', 'positions', 'appended',
                                 'distinct', 'joined', 'semi_or_anti', 'grouped', 'head', 'renamed', 'united']))()

    def numeric(self):
        return [label for label in self.df if pd.api.types.is_numeric_dtype(self.df[label])]

    def filtered(self):
        label, limit = self.pick(self.numeric()), int(self.rng.integers(-3, 4))
        self.steps.append(f'filter {label} > {limit}')
        self.frame, self.df = self.frame[self.frame[label] > limit], self.df[self.df[label] > limit]

    def filtered_by_sql(self):
        label, limit = self.pick(self.numeric()), int(self.rng.integers(0, 4))
        self.steps.append(f'sql {label} <= {limit}')
        query = f'SELECT * FROM t WHERE t.{label} <= :limit'
        labels = list(self.df.columns)
        self.frame = self.dc.sql(query, params={'limit': limit}, t=self.frame).setColLabels(labels)
        self.df = self.df[self.df[label] <= limit]

    def sorted(self):
        by = [str(one) for one in self.rng.permutation(list(self.df.columns))[:2]]
        ascending = [bool(self.rng.integers(2)) for _ in by]
        self.steps.append(f'sort {by} {ascending}')
        self.frame = self.frame.sort_values(by, ascending)
        key = (lambda column: column.map(lambda one: one.encode()) if not pd.api.types.is_numeric_dtype(column) else column)
        self.df = self.df.sort_values(by, ascending=ascending, kind='stable', key=key)

    def selected(self):
        labels = [str(one) for one in self.rng.permutation(list(self.df.columns))]
        if len(labels) > 3 and self.rng.random() < 0.3:
            dropped = labels.pop()
            if not [one for one in labels if one in self.numeric()]:
                labels.append(dropped)
        self.steps.append(f'select {labels}')
        self.frame, self.df = self.frame[labels], self.df[labels]

    def computed(self):
        label = self.pick(self.numeric())
        new = f'c{len(self.df.columns)}'
        self.steps.append(f'{new} = {label} * 2 + 1')
        self.df = self.df.assign(**{new: self.df[label].astype(float) * 2 + 1})
        frame = self.frame.select(*[str(one) for one in self.df.columns[:-1]])
        frame[new] = frame[label] * 2.0 + 1.0
        self.frame = frame

    def sliced(self):
        a, b = sorted(int(one) for one in self.rng.integers(0, len(self.df) + 2, 2))
        self.steps.append(f'[{a}:{b}]')
        self.frame, self.df = self.frame[a:b], self.df[a:b]

    def positions(self):
        if not len(self.df):
            return
        at = self.rng.integers(0, len(self.df), 5).tolist()
        self.steps.append(f'{at}')
        self.frame, self.df = self.frame[at, :], self.df.iloc[at]

    def head(self):
        n = int(self.rng.integers(0, 12))
        self.steps.append(f'head {n}')
        self.frame, self.df = self.frame.head(n), self.df.head(n)

    def appended(self):
        self.steps.append('rbind')
        self.frame, self.df = self.frame.rbind(self.frame), pd.concat([self.df, self.df])

    def distinct(self):
        self.steps.append('unique')
        self.frame, self.df = self.frame.unique(), self.df.drop_duplicates()

    def united(self):
        self.steps.append('union')
        self.frame, self.df = self.frame.union(self.frame.head(3)), self.df.drop_duplicates()

    def renamed(self):
        label = self.pick([str(one) for one in self.df.columns])
        new = f'r{len(self.steps)}'
        self.steps.append(f'{label} -> {new}')
        self.frame, self.df = self.frame.rename({label: new}), self.df.rename(columns={label: new})

    def other(self):
        rows = int(self.pick([0, 1, 4, 10]))
        number = len(self.steps)
        df = pd.DataFrame({f'k{number}': self.rng.integers(0, 5, rows), f'y{number}': self.rng.integers(0, 100, rows) / 2})
        return df, f'k{number}'

    def joined(self):
        keys = [one for one in self.numeric() if self.df[one].dtype == np.int64]
        if not keys or len(self.df) > 200:
            return
        label = self.pick(keys)
        df, key = self.other()
        self.steps.append(f'join {label} = {key} ({len(df)} rows)')
        self.frame = self.frame.join(self.dc.from_pandas(df), label, 'inner', key)
        # in the order of the rows on the left, then on the right, which pandas does not keep
        both = self.df.assign(_l=np.arange(len(self.df))).merge(df.assign(_r=np.arange(len(df))), left_on=label, right_on=key)
        self.df = both.sort_values(['_l', '_r']).drop(columns=['_l', '_r'])

    def semi_or_anti(self):
        keys = [one for one in self.numeric() if self.df[one].dtype == np.int64]
        if not keys:
            return
        label, how = self.pick(keys), self.pick(['semi', 'anti'])
        df, key = self.other()
        self.steps.append(f'{how} {label} = {key} ({len(df)} rows)')
        self.frame = self.frame.join(self.dc.from_pandas(df), label, how, key)
        self.df = self.df[self.df[label].isin(df[key]) == (how == 'semi')]

    def grouped(self):
        by = self.pick([[str(one)] for one in self.df.columns if self.df[one].dtype != np.float64] or [[]])
        if not by or not len(self.df):
            return
        rest = [one for one in self.numeric() if one not in by]
        if not rest:
            return
        label, function = self.pick(rest), self.pick(['sum', 'min', 'max', 'mean', 'count'])
        self.steps.append(f'group {by} {function}({label})')
        self.frame = self.frame.groupby(by).agg({label: function})
        self.df = self.df.groupby(by, as_index=False).agg({label: function})
        if not pd.api.types.is_numeric_dtype(self.df[by[0]]):
            self.df = self.df.sort_values(by, key=lambda column: column.map(lambda one: one.encode()))


@needs('pandas')
class RandomFrames(Case):
    def test_programs(self):
        for seed in range(SEED * 1_000_000, SEED * 1_000_000 + FRAMES):
            program = Program(self.dc, seed)
            for _ in range(int(program.rng.integers(1, 6))):
                program.step()
            told = f'seed {seed}: {"; ".join(program.steps)}'
            try:
                found = program.frame.compute()
            except dp.DaphneError as error:
                raise AssertionError(f'{told}\n{error}') from None
            expected = program.df.reset_index(drop=True)
            self.assertEqual(list(found.columns), [str(one) for one in expected.columns], told)
            self.assertEqual(len(found), len(expected), told)
            for label in expected:
                a, b = found[label].tolist(), expected[label].tolist()
                if expected[label].dtype == np.float64:
                    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12, err_msg=told)
                else:
                    self.assertEqual(a, b, told)
