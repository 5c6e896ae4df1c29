# SPDX-License-Identifier: Apache-2.0
"""Methods of frames against pandas."""
import numpy as np
from support import Case, needs

import daphne as dp

try:
    import pandas as pd
except ImportError:
    pd = None


@needs('pandas')
class Frames(Case):
    def setUp(self):
        super().setUp()
        self.df = pd.DataFrame({'k': [2, 1, 2, 3], 'x': [1.5, 2.5, 3.5, 4.5], 's': ['a', 'b', 'a', 'c']})
        self.other = pd.DataFrame({'k2': [1, 2, 9], 'y': [10, 20, 30]})
        self.F, self.G = self.dc.from_pandas(self.df), self.dc.from_pandas(self.other)

    def same(self, frame, expected, labels=None):
        found = frame.compute()
        if labels is not None:
            expected = expected.set_axis(labels, axis=1)
        pd.testing.assert_frame_equal(found.reset_index(drop=True), expected.reset_index(drop=True), check_dtype=False)

    def test_metadata(self):
        self.assertEqual(dp.compute(self.F.nrow(), self.F.ncol(), self.F.ncell()), (4, 3, 12))
        self.assertEqual((self.F.shape, self.F.columns, len(self.F), list(self.F)), ((4, 3), ['k', 'x', 's'], 4, ['k', 'x', 's']))
        self.assertEqual(self.F.dtypes, {'k': np.dtype('int64'), 'x': np.dtype(float), 's': np.dtype(object)})
        joined = self.F.innerJoin(self.G, 'k', 'k2')
        self.assertEqual(joined.columns, ['k', 'x', 's', 'k2', 'y'])
        self.assertEqual(joined.shape, (3, 5))

    def test_putting_together(self):
        self.same(self.F.rbind(self.F), pd.concat([self.df, self.df]))
        self.same(self.F.cbind(self.dc.from_pandas(self.df[['x']].rename(columns={'x': 'w'}))),
                  self.df.assign(w=self.df['x']))
        self.same(self.F.cartesian(self.G), self.df.merge(self.other, how='cross'))
        self.same(self.F.union(self.F), self.df.drop_duplicates())
        self.same(self.F.intersect(self.dc.from_pandas(self.df[1:3])), self.df[1:3])
        self.same(self.F.except_(self.dc.from_pandas(self.df[1:3])), self.df.iloc[[0, 3]])
        self.same(self.F.rbind(self.F).unique(), self.df)

    def test_joins(self):
        inner = self.df.merge(self.other, left_on='k', right_on='k2')
        self.same(self.F.innerJoin(self.G, 'k', 'k2').sort_values('x'), inner.sort_values('x'))
        self.same(self.F.join(self.G, 'k', right_on='k2').sort_values('x'), inner.sort_values('x'))
        left = self.df.merge(self.other, how='left', left_on='k', right_on='k2').fillna(0)
        self.same(self.F.join(self.G, 'k', 'left', 'k2'), left)
        self.assertEqual(len(self.F.fullOuterJoin(self.G, 'k', 'k2').compute()), 5)
        self.same(self.F.antiJoin(self.G, 'k', 'k2'), self.df[3:])
        self.same(self.F.join(self.G, 'k', 'semi', 'k2'), self.df[:3])
        keys, positions = self.F.semiJoin(self.G, 'k', 'k2')
        self.assertEqual(positions.compute().ravel().tolist(), [0, 1, 2])
        self.assertEqual(keys.compute()['k'].tolist(), [2, 1, 2])
        sums, positions = self.G.groupJoin(self.F, 'k2', 'k', 'x')
        self.assertEqual(sums.compute().iloc[:, 1].tolist(), [2.5, 5.0])
        both = self.F.join(self.dc.from_dict({'k3': [2, 2], 's3': ['a', 'b']}), ['k', 's'], 'inner', ['k3', 's3'])
        self.assertEqual(both.compute()['x'].tolist(), [1.5, 3.5])
        with self.assertRaises(ValueError):
            self.F.join(self.G, 'k', 'outermost', 'k2')
        with self.assertRaises(ValueError):
            self.F.leftOuterJoin(self.G, ['k', 's'], ['k2'])
        with self.assertRaises(dp.DaphneError):
            self.F.innerJoin(self.G, 'nothing', 'k2').compute()

    def test_labels(self):
        self.assertEqual(self.F.setColLabels(['a', 'b', 'c']).columns, ['a', 'b', 'c'])
        self.assertEqual(list(self.F.setColLabels(['a', 'b', 'c']).compute().columns), ['a', 'b', 'c'])
        self.assertEqual(list(self.F.setColLabelsPrefix('t').compute().columns), ['t.k', 't.x', 't.s'])
        self.assertEqual(self.F.rename({'k': 'key'}).columns, ['key', 'x', 's'])
        with self.assertRaises(RuntimeError):
            self.F.setColLabels(['a'])
        with self.assertRaises(dp.DaphneError):
            self.F.innerJoin(self.G, 'k', 'k2').setColLabels(['a']).compute()
        with self.assertRaises(KeyError):
            self.F.rename({'nothing': 'a'})
        quoted = self.dc.from_dict({'a "b" {c}': [1]})
        self.assertEqual(quoted['a "b" {c}'].compute()[0, 0], 1)
        self.assertEqual(quoted.select('a "b" {c}').columns, ['a "b" {c}'])

    def test_parts(self):
        self.assertEqual(self.F['x'].compute().ravel().tolist(), self.df['x'].tolist())
        self.assertEqual(self.F['s'].compute().ravel().tolist(), self.df['s'].tolist())
        self.assertEqual(self.F.x.compute().ravel().tolist(), self.df['x'].tolist())
        self.same(self.F[['s', 'k']], self.df[['s', 'k']])
        self.same(self.F.drop('x'), self.df.drop(columns='x'))
        self.same(self.F[1:3], self.df[1:3])
        self.same(self.F[[2, 0], :], self.df.iloc[[2, 0]])
        self.same(self.F[self.F.x > 2], self.df[self.df.x > 2])
        self.same(self.F.filter('self.x > 2 AND self.s = "c"'), self.df[(self.df.x > 2) & (self.df.s == 'c')])
        self.same(self.F.filter(self.F['k'] == 2), self.df[self.df.k == 2])
        self.same(self.F.head(2), self.df.head(2))
        self.same(self.F.tail(1), self.df.tail(1))
        with self.assertRaises(AttributeError):
            self.F.nothing
        with self.assertRaises(dp.DaphneError):
            self.F['nothing'].compute()
        with self.assertRaises(KeyError):
            self.F.drop('nothing')

    def test_new_columns(self):
        before = self.F.head(2)
        self.F['z'] = self.F.x * 2
        self.F['one'] = 1
        self.F['k'] = self.F['k'] + 10
        self.same(self.F, self.df.assign(z=self.df.x * 2, one=1, k=self.df.k + 10))
        self.same(before, self.df.head(2))

    def test_groups_and_order(self):
        self.same(self.F.groupSum('k', 'x'), self.df.groupby('k', as_index=False)['x'].sum(), ['k', 'SUM(x)'])
        found = self.F.groupby('k').agg({'x': ['sum', 'mean'], 's': 'count'})
        expected = self.df.groupby('k').agg(a=('x', 'sum'), b=('x', 'mean'), c=('s', 'count')).reset_index()
        self.same(found, expected, ['k', 'x_sum', 'x_mean', 's'])
        self.same(self.F.groupby(['s', 'k']).agg({'x': 'max'}), self.df.groupby(['s', 'k'], as_index=False)['x'].max())
        self.same(self.F[['k', 'x']].groupby('k').mean(), self.df.groupby('k', as_index=False)['x'].mean())
        self.assertEqual(self.F.groupby('s').count().compute()['count'].tolist(), [2, 1, 1])
        self.same(self.F.sort_values(['s', 'x'], [True, False]), self.df.sort_values(['s', 'x'], ascending=[True, False]))
        self.same(self.F.order([1], [False], False), self.df.sort_values('x', ascending=False))
        self.assertEqual(self.F.order([1], [False], True).compute().ravel().tolist(), [3, 2, 1, 0])
        with self.assertRaises(KeyError):
            self.F.groupby('nothing').agg({'x': 'sum'})
        with self.assertRaises(ValueError):
            self.F.groupby('k').agg({'x': 'mode'})

    def test_conversion(self):
        self.equal(self.F[['k', 'x']].toMatrix().compute(), self.df[['k', 'x']].to_numpy())
        self.equal(self.F[['k']].toMatrix('si64').compute(), self.df[['k']].to_numpy())
        created = self.dc.createFrame([self.dc.seq(1, 2), self.dc.ones(2, 1)], ['a', 'b'])
        self.assertEqual(created.compute().to_dict('list'), {'a': [1, 2], 'b': [1.0, 1.0]})
        self.assertEqual(self.dc.createFrame([self.dc.seq(1, 2)]).columns, ['col_0'])
        with self.assertRaises(RuntimeError):
            self.dc.createFrame([self.dc.seq(1, 2)], ['a', 'b'])
        self.assertEqual(self.dc.ones(2, 2).to_frame(['p', 'q']).columns, ['p', 'q'])
        self.assertEqual(self.F.compute(as_='python')[0], {'k': 2, 'x': 1.5, 's': 'a'})
        self.assertEqual(self.F.describe().compute().shape, (3, 9))

    def test_print(self):
        self.assertEqual(self.printed(self.F[['k']].head(1).print()), 'Frame(1x1, [k:int64_t])\n2\n')


@needs('pandas')
class Queries(Case):
    def setUp(self):
        super().setUp()
        self.df = pd.DataFrame({'a': [0, 1, 1], 'b': [1.0, 2.0, 3.0], 's': ["it's", 'a\\b', 'x"y']})
        self.F = self.dc.from_pandas(self.df)

    def test_registered_views(self):
        node = self.F.registerView('t')
        self.assertIsNone(node.compute())
        found = self.dc.sql('SELECT t.a, sum(t.b) AS s FROM t GROUP BY t.a').compute()
        self.assertEqual(found['s'].tolist(), [1.0, 5.0])
        # A query keeps the frames that were registered when it was made.
        query = self.dc.sql('SELECT count(t.a) AS n FROM t')
        self.F.head(1).registerView('t')
        self.assertEqual(dp.compute(query, self.dc.sql('SELECT count(t.a) AS n FROM t'))[0]['n'][0], 3)
        self.assertEqual(self.dc.sql('SELECT count(t.a) AS n FROM t').compute()['n'][0], 1)
        with self.assertRaises(dp.DaphneError):
            self.dc.sql('SELECT u.a FROM u').compute()
        with self.assertRaises(dp.DaphneError):
            dp.DaphneContext().sql('SELECT t.a FROM t').compute()
        with self.assertRaises(ValueError):
            self.F.registerView('no name')

    def test_views_of_the_call(self):
        found = self.dc.sql('SELECT x.a, y.c FROM x JOIN y ON x.a = y.a', x=self.F,
                            y=pd.DataFrame({'a': [1], 'c': [7]})).compute()
        self.assertEqual(found.iloc[:, 1].tolist(), [7, 7])
        self.assertEqual(self.dc.sql('SELECT sum(m.col_0) AS s FROM m', m=np.array([[1.0], [2.0]])).compute()['s'][0], 3.0)
        self.assertEqual(self.F.sql('SELECT count(self.a) AS n FROM self').compute()['n'][0], 3)
        with self.assertRaises(ValueError):
            self.dc.sql('SELECT x.a FROM x', x=self.F, y=self.F)

    def test_quotes(self):
        self.assertEqual(self.dc.sql("SELECT t.a FROM t WHERE t.s = \"it's\"", t=self.F).compute().iloc[:, 0].tolist(), [0])
        self.assertEqual(self.dc.sql('SELECT t.a\nFROM t\tWHERE t.b > 1', t=self.F).compute().iloc[:, 0].tolist(), [1, 1])

    def test_parameters(self):
        for text, row in zip(self.df['s'], range(3)):
            found = self.dc.sql('SELECT t.b FROM t WHERE t.s = :text', params={'text': text}, t=self.F).compute()
            self.assertEqual(found.iloc[:, 0].tolist(), [self.df['b'][row]])
        found = self.dc.sql("SELECT t.b FROM t WHERE t.b >= :low AND t.a = :a AND t.s <> ':a'", params={'low': 1.5, 'a': 1}, t=self.F)
        self.assertEqual(found.compute().iloc[:, 0].tolist(), [2.0, 3.0])
        self.assertEqual(self.dc.sql('SELECT t.b FROM t WHERE t.b < :low', params={'low': -1e-30}, t=self.F).compute().shape, (0, 1))
        with self.assertRaises(ValueError):
            self.dc.sql('SELECT t.b FROM t WHERE t.b > :x', t=self.F)
        with self.assertRaises(ValueError):
            self.dc.sql('SELECT t.b FROM t', params={'x': 1}, t=self.F)
        with self.assertRaises(TypeError):
            self.dc.sql('SELECT t.b FROM t WHERE t.b > :x', params={'x': [1]}, t=self.F)

    def test_mistakes(self):
        with self.assertRaises(dp.DaphneError) as caught:
            self.dc.sql('SELECT t.nothing FROM t', t=self.F).compute()
        self.assertIn('nothing', caught.exception.message)
        self.assertEqual(caught.exception.python_file, __file__)
