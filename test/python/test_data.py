# SPDX-License-Identifier: Apache-2.0
"""Data of other libraries on its way in and out: types, layouts, addresses."""
import gc
import importlib.util
import itertools
import os
import tempfile
import weakref

import numpy as np
from support import DTYPES, Case, address, needs

import daphne as dp


class NumPy(Case):
    def test_types(self):
        for dtype in (*DTYPES, np.bool_):
            a = np.array([[0, 1], [1, 1]], dtype=dtype)
            self.equal(self.dc.from_numpy(a).compute(), a)
            self.equal(self.dc.from_numpy(a, shared_memory=False).compute(), a)
            self.equal(self.dc.from_numpy(a).compute(type='files'), a)
        for dtype, wider in ((np.int16, np.int32), (np.uint16, np.uint32), (np.float16, np.float32)):
            a = np.array([[1, 2], [100, 3]], dtype=dtype)
            self.equal(self.dc.from_numpy(a).compute(), a.astype(wider))
        for dtype in ('>f8', '>i4', '>u2'):
            a = np.array([[1, 2], [300, 4]], dtype=dtype)
            self.assertEqual(self.dc.from_numpy(a).compute().tolist(), a.tolist())

    def test_texts(self):
        texts = [['a', 'ü€😀'], ['', 'line\nbreak, "quoted"\t\\']]
        for a in (np.array(texts), np.array(texts, dtype=object)):
            self.assertEqual(self.dc.from_numpy(a).compute().tolist(), texts)
            self.assertEqual(self.dc.from_numpy(a).t().compute().tolist(), a.T.tolist())
        self.assertEqual(self.dc.from_numpy(np.array([[b'ab']])).compute().tolist(), [['ab']])
        self.assertEqual(self.dc.from_numpy(np.array([['a\0b']], dtype=object)).compute().tolist(), [['a\0b']])
        self.assertEqual(self.dc.from_numpy(np.array([['x', 'y']], dtype=object), shared_memory=False).compute().tolist(),
                         [['x', 'y']])

    def test_types_that_are_refused(self):
        for a in (np.array([[1j]]), np.array([['2020-01-01']], dtype='M8[D]'), np.array([[object()]]), np.array([[None]]),
                  np.zeros((1, 1), dtype=[('a', int)])):
            with self.assertRaises(TypeError, msg=str(a.dtype)) as caught:
                self.dc.from_numpy(a)
            self.assertIn(str(a.dtype), str(caught.exception))
        with self.assertRaises(TypeError):
            self.dc.from_numpy(np.ma.masked_array([[1.0, 2.0]], [[True, False]]))
        self.equal(self.dc.asarray(np.ma.masked_array([[1.0, 2.0]])).compute(), np.array([[1.0, 2.0]]))
        dp.options.datetime_as_int = True
        self.equal(self.dc.from_numpy(np.array([['1970-01-01T00:00:01']], dtype='M8[s]')).compute(), np.array([[10**9]]))

    def test_layouts(self):
        base = np.arange(48.0).reshape(6, 8)
        layouts = {'rows': base[::2], 'columns': base[:, 2:5], 'every second column': base[:, ::2], 'reversed': base[::-1],
                   'reversed columns': base[:, ::-1], 'column-major': np.asfortranarray(base), 'transposed': base.T,
                   'block': base[1:4, 2:6], 'block transposed': base[1:4, 2:6].T, 'row': base[2:3, ::3],
                   'column': base[:, 3:4], 'read-only': np.broadcast_to(base[:1], (4, 8)), 'one': base[:1, :1],
                   'broadcast': np.broadcast_to(base[:, :1], (6, 5))}
        for (name, a), dtype in itertools.product(layouts.items(), (np.float64, np.int8, np.bool_)):
            b = a if dtype == np.float64 else a.astype(dtype, order='K')
            with self.subTest(name=name, dtype=dtype):
                self.equal(self.dc.from_numpy(b).compute(), b)
                self.close((self.dc.from_numpy(b) * 2.0 + 1).compute(), b * 2.0 + 1)

    def test_dimensions(self):
        self.equal(self.dc.from_numpy(np.array(5.0)).compute(), [[5.0]])
        self.equal(self.dc.from_numpy(np.arange(3)).compute(), [[0], [1], [2]])
        self.equal(self.dc.from_numpy(np.arange(24).reshape(2, 3, 4)).compute(), np.arange(24).reshape(2, 12))
        node, shape = self.dc.from_numpy(np.arange(24).reshape(2, 3, 4), return_shape=True)
        self.assertEqual(shape, (2, 3, 4))
        self.equal(node.compute(shape=shape), np.arange(24).reshape(2, 3, 4))
        for shape in ((0, 3), (3, 0), (0, 0), (0,)):
            a = np.zeros(shape)
            self.equal(self.dc.from_numpy(a).compute(), a if len(shape) == 2 else a.reshape(0, 1))
        self.assertEqual(self.dc.from_numpy(np.zeros((0, 3))).sum().compute(), 0.0)
        self.equal((self.dc.from_numpy(np.zeros((0, 3))) + 1).compute(), np.zeros((0, 3)))

    def test_nothing_is_copied(self):
        for a in (np.random.rand(1000, 50), np.arange(1000, dtype=np.int32), np.random.rand(40, 30)[3:20, 4:9],
                  np.random.rand(100, 8)[::2], np.ones((5, 5), dtype=bool)):
            found = self.dc.from_numpy(a).compute()
            self.assertEqual(address(found), address(a))
            self.equal(found, a if a.ndim == 2 else a.reshape(-1, 1))
        a = np.asfortranarray(np.random.rand(30, 20))
        self.assertEqual(address(self.dc.from_numpy(a).t().compute()), address(a))

    def test_results_are_views_of_the_engine_that_may_be_written(self):
        a = np.random.rand(200, 100)
        first = self.dc.from_numpy(a).persist()
        self.assertEqual(address(first.compute()), address(a))
        kept = (self.dc.from_numpy(a) + 1).persist()
        x, y = kept.compute(), kept.compute()
        self.assertEqual(address(x), address(y))
        self.assertFalse(x.flags.writeable)
        result = (self.dc.from_numpy(a) + 1).compute()
        self.assertTrue(result.flags.writeable)
        result[0, 0] = 5
        self.assertTrue(kept.compute(copy=True).flags.writeable)

    def test_memory_lives_as_long_as_it_is_seen(self):
        a = np.random.rand(100, 100)
        owner = weakref.ref(a)
        row = self.dc.from_numpy(a)[3:4, :].compute()
        expected = a[3:4].copy()
        del a
        gc.collect()
        self.equal(row, expected)
        part = (self.dc.from_numpy(expected) + 1).compute()[:, 10:20]
        gc.collect()
        self.equal(part, (expected + 1)[:, 10:20])
        del row
        gc.collect()
        self.assertIsNone(owner())

    def test_the_engine_never_writes_into_data(self):
        a = np.ones((100, 10))
        a.flags.writeable = False
        X = self.dc.from_numpy(a)
        Y = X + 1
        Y[0, 0] = 7.0
        X[0, 0] = 8.0
        self.assertEqual(X.compute()[0, 0], 8.0)
        self.assertEqual(Y.compute()[0, 0], 7.0)
        self.dc.for_loop([self.dc.from_numpy(a)], lambda x, i: x * 2, 1, 3)[0].compute()
        self.assertTrue((a == 1).all())

    def test_lists(self):
        self.equal(self.dc.from_python([1, 2]).compute(), np.array([[1], [2]]))
        self.equal(self.dc.from_python([[1.5], [2]]).compute(), np.array([[1.5], [2.0]]))
        self.equal(self.dc.from_python([[[1, 2], [3, 4]]]).compute(), np.array([[1, 2, 3, 4]]))
        node, shape = self.dc.from_python([[1, 2, 3]], return_shape=True)
        self.assertEqual(shape, (1, 3))
        self.assertEqual(self.dc.from_python([['a', 'b']]).compute().tolist(), [['a', 'b']])

    def test_as_array(self):
        X = self.dc.ones(2, 2)
        self.assertIs(self.dc.asarray(X), X)
        self.equal(self.dc.array([[1, 2]]).compute(), np.array([[1, 2]]))
        self.assertEqual(self.dc.asarray(3).compute(), 3)
        self.assertEqual(self.dc.asarray('x').compute(), 'x')
        with self.assertRaises(TypeError):
            self.dc.asarray(object())

    def test_forms_of_results(self):
        X = self.dc.from_numpy(np.array([[1.0, 0.0]]))
        self.assertEqual(X.compute(as_='python'), [[1.0, 0.0]])
        self.equal(X.compute(as_='numpy'), np.array([[1.0, 0.0]]))
        with self.assertRaises(ValueError):
            X.compute(as_='list')
        with self.assertRaises(ValueError):
            X.compute(type='pipe')
        with self.assertRaises(ValueError):
            X.compute(asTensorFlow=True, asPyTorch=True)
        if importlib.util.find_spec('torch') is None:
            with self.assertRaises(ImportError):
                X.compute(asPyTorch=True)

    def test_files_disappear(self):
        from daphne._convert import files
        X = self.dc.from_numpy(np.ones((2, 2)), shared_memory=False)
        self.equal(X.compute(type='files'), np.ones((2, 2)))
        directory = files._directory
        self.assertTrue(os.listdir(directory))
        del X
        gc.collect()
        self.assertEqual(os.listdir(directory), [])

    def test_scalars(self):
        for value in (True, 5, -2**63, 2**64 - 1, 1.5, 'text "ü', np.float32(0.5), np.int8(-1), np.uint8(255), np.array(3)):
            self.assertEqual(self.dc.scalar(value).compute(), value)
        for value in (2**64, 1j, None, [1]):
            with self.assertRaises(TypeError):
                self.dc.scalar(value)


@needs('scipy')
class SciPy(Case):
    def setUp(self):
        super().setUp()
        import scipy.sparse
        self.sp = scipy.sparse
        self.s = scipy.sparse.random(200, 100, 0.05, format='csr', random_state=1)

    def test_formats(self):
        for name in ('csr', 'csc', 'coo', 'bsr', 'dia', 'lil', 'dok'):
            m = self.s.asformat(name)
            self.equal(self.dc.from_scipy(m).compute(), self.s.toarray())
            self.close((self.dc.from_scipy(m) @ np.ones((100, 2))).compute(), self.s @ np.ones((100, 2)))
        self.equal(self.dc.from_scipy(self.sp.csr_array(self.s)).compute(), self.s.toarray())
        self.equal(self.dc.from_scipy(self.s[3:20]).compute(), self.s[3:20].toarray())

    def test_types(self):
        for dtype in (*DTYPES, np.int16, np.bool_):
            m = (self.s * 100).astype(dtype)
            self.assertEqual(self.dc.from_scipy(m).compute().tolist(), m.toarray().tolist())
        wide = self.s.copy()
        wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
        self.equal(self.dc.from_scipy(wide).compute(), self.s.toarray())
        with self.assertRaises(TypeError):
            self.dc.from_scipy(self.s.astype(complex))
        with self.assertRaises(TypeError):
            self.dc.from_scipy(np.ones((2, 2)))

    def test_nothing_is_copied(self):
        X = self.dc.from_scipy(self.s)
        found = X.compute(sparse=True)
        self.assertEqual(address(found.data), address(self.s.data))
        self.assertEqual(address(found.indices), address(self.s.indices))
        self.assertEqual(found.dtype, self.s.dtype)
        self.assertEqual((abs(found - self.s)).nnz, 0)
        self.equal(self.dc.from_scipy(self.s.tocsc()).t().compute(), self.s.toarray().T)

    def test_stored_zeros_repeated_and_unsorted_columns(self):
        m = self.sp.csr_matrix((np.array([1.0, 0.0, 2.0, 3.0]), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
        self.equal(self.dc.from_scipy(m).compute(), m.toarray())

    def test_broken_matrices_are_refused(self):
        m = self.s.copy()
        m.indices = m.indices.copy()
        m.indices[3] = 5000
        with self.assertRaises((dp.DaphneError, ValueError)):
            self.dc.from_scipy(m).compute()

    def test_results(self):
        X = self.dc.from_scipy(self.s)
        self.assertIsInstance(X.compute(), np.ndarray)
        self.assertTrue(self.sp.issparse(X.compute(sparse=True)))
        self.assertTrue(self.sp.issparse((X * 2).compute(as_='scipy')))
        self.equal((X * 2).tocsr().toarray(), self.s.toarray() * 2)
        dp.options.sparse_results = True
        self.assertTrue(self.sp.issparse(X.compute()))
        self.assertIsInstance(X.compute(sparse=False), np.ndarray)
        context = dp.DaphneContext({'sparse_results': True})
        self.assertTrue(self.sp.issparse(context.from_scipy(self.s).compute()))


@needs('pandas')
class Pandas(Case):
    def setUp(self):
        super().setUp()
        import pandas as pd
        self.pd = pd

    def test_types(self):
        df = self.pd.DataFrame({dtype.__name__: np.array([0, 1, 1], dtype=dtype) for dtype in (*DTYPES, np.bool_)})
        df['text'] = ['a', 'ü', '']
        found = self.dc.from_pandas(df).compute()
        self.pd.testing.assert_frame_equal(found, df)
        found = self.dc.from_pandas(df, shared_memory=False).compute()
        self.pd.testing.assert_frame_equal(found, df)
        self.pd.testing.assert_frame_equal(self.dc.from_pandas(df).compute(type='files'), df)

    def test_the_callers_frame_is_not_changed(self):
        df = self.pd.DataFrame({'a': [1, 2], 'b': ['x', None]}, index=[5, 7])
        before = df.copy(deep=True)
        found = self.dc.from_pandas(df, keepIndex=True).compute()
        self.assertEqual(list(found.columns), ['index', 'a', 'b'])
        self.assertEqual(found['index'].tolist(), [5, 7])
        self.pd.testing.assert_frame_equal(df, before)
        again = self.dc.from_pandas(df, keepIndex=True).compute(useIndexColumn=True)
        self.assertEqual(again.index.tolist(), [5, 7])
        self.assertEqual(list(again.columns), ['a', 'b'])

    def test_missing_cells(self):
        pd = self.pd
        df = pd.DataFrame({'i': pd.array([1, None, 3], dtype='Int64'), 'b': pd.array([True, None, False], dtype='boolean'),
                           'f': [1.5, np.nan, 2.5], 's': ['a', None, 'c'], 'whole': [1, 2, 3]})
        found = self.dc.from_pandas(df).compute()
        self.assertEqual(list(found.columns), list(df.columns))
        for label in df:
            self.assertEqual(found[label].isna().tolist(), df[label].isna().tolist(), label)
        self.assertEqual(found['i'].dropna().tolist(), [1, 3])
        self.assertEqual(found['s'].dropna().tolist(), ['a', 'c'])
        counted = self.dc.sql('SELECT count(t.i) AS n, count(t.s) AS m, sum(t.i) AS s FROM t', t=df).compute()
        self.assertEqual(counted.iloc[0].tolist(), [2, 2, 4])

    def test_other_columns(self):
        pd = self.pd
        self.assertEqual(self.dc.from_pandas(pd.Series([1, 2], name='x')).compute().to_dict('list'), {'x': [1, 2]})
        df = pd.DataFrame({'c': pd.Categorical(['u', 'v', 'u']), 'z': pd.arrays.SparseArray([0, 0, 3])})
        self.assertEqual(self.dc.from_pandas(df).compute().to_dict('list'), {'c': [0, 1, 0], 'z': [0, 0, 3]})
        self.assertEqual(self.dc.from_pandas(pd.DataFrame({1: [1], 'b': [2]})).columns, ['1', 'b'])
        with self.assertRaises(TypeError):
            self.dc.from_pandas(pd.DataFrame({'a': [1, 2]}, index=pd.MultiIndex.from_tuples([(1, 2), (3, 4)])))
        for column in ([1j], [object()], pd.to_datetime(['2020-01-01']), [[1]]):
            with self.assertRaises(TypeError) as caught:
                self.dc.from_pandas(pd.DataFrame({'bad': column}))
            self.assertIn("'bad'", str(caught.exception))
        with self.assertRaises(ValueError):
            self.dc.from_pandas(pd.DataFrame([[1, 2]], columns=['a', 'a']))
        with self.assertRaises(TypeError):
            self.dc.from_pandas([1, 2])

    def test_no_rows_and_no_columns(self):
        df = self.pd.DataFrame({'a': np.zeros(0), 's': np.array([], dtype=object)})
        found = self.dc.from_pandas(df).compute()
        self.assertEqual((found.shape, list(found.columns)), ((0, 2), ['a', 's']))

    def test_columns_are_shared(self):
        df = self.pd.DataFrame({'a': np.arange(1000.0), 'b': np.arange(1000)})
        found = self.dc.from_pandas(df).compute()
        for label in df:
            self.assertEqual(address(found[label].to_numpy()), address(df[label].to_numpy()))

    def test_results_may_be_changed(self):
        df = self.pd.DataFrame({'a': [1, 2, 3], 's': ['x', 'y', 'z']})
        found = self.dc.from_pandas(df).rbind(self.dc.from_pandas(df)).compute()
        found.loc[0, 'a'] = 7
        found.loc[1, 's'] = 'w'
        self.assertEqual(found['a'].tolist(), [7, 2, 3, 1, 2, 3])

    def test_dictionaries_and_records(self):
        self.assertEqual(self.dc.from_dict({'a': [1, 2], 'b': ['x', 'y']}).compute().to_dict('list'),
                         {'a': [1, 2], 'b': ['x', 'y']})
        self.assertEqual(self.dc.from_dict({'a': self.dc.seq(1, 2), 'b': [0.5, 1.5]}).compute().to_dict('list'),
                         {'a': [1, 2], 'b': [0.5, 1.5]})
        self.assertEqual(self.dc.from_records([(1, 'a'), (2, 'b')], ['i', 's']).compute().to_dict('list'),
                         {'i': [1, 2], 's': ['a', 'b']})
        with self.assertRaises(ValueError):
            self.dc.from_dict({'a': [1], 'b': [1, 2]})
        with self.assertRaises(ValueError):
            self.dc.from_records([(1, 2), (3,)], ['a', 'b'])


@needs('pyarrow')
class Arrow(Case):
    def setUp(self):
        super().setUp()
        import pyarrow
        self.pa = pyarrow

    def test_tables_come_and_go(self):
        table = self.pa.table({'i': [1, 2, 3], 'f': [0.5, 1.5, 2.5], 's': ['a', 'ü', ''], 'n': [1, None, 3]})
        F = self.dc.from_arrow(table)
        found = F.compute(as_='arrow')
        self.assertEqual(found.to_pydict(), table.to_pydict())
        self.assertEqual(self.pa.table(F).to_pydict(), table.to_pydict())
        self.assertEqual(self.dc.from_arrow(table.to_batches()[0]).compute()['i'].tolist(), [1, 2, 3])
        self.assertEqual(F.columns[:3], ['i', 'f', 's'])

    def test_nothing_is_copied(self):
        a = np.arange(1000.0)
        table = self.pa.table({'a': a})
        before = table.column('a').chunk(0).buffers()[1].address
        found = self.dc.from_arrow(table).compute(as_='arrow')
        self.assertEqual(found.column('a').chunk(0).buffers()[1].address, before)
        self.assertEqual(address(self.dc.from_arrow(table).compute()['a'].to_numpy()), before)

    def test_only_an_array_capsule(self):
        class Batch:
            def __init__(self, batch):
                self.batch = batch

            def __arrow_c_array__(self, requested_schema=None):
                return self.batch.__arrow_c_array__(requested_schema)

        batch = self.pa.record_batch({'a': [1, 2]})
        self.assertEqual(self.dc.from_arrow(Batch(batch)).compute()['a'].tolist(), [1, 2])
        with self.assertRaises(TypeError):
            self.dc.from_arrow(Batch(self.pa.array([1, 2]))).compute()

    def test_a_capsule_nobody_takes_is_released(self):
        F = self.dc.from_dict({'a': [1, 2]})
        for _ in range(100):
            F.__arrow_c_stream__()
        from daphne._convert import arrow
        gc.collect()
        self.assertEqual(arrow._streams, {})

    def test_types_that_frames_do_not_have(self):
        with self.assertRaises(dp.DaphneError):
            self.dc.from_arrow(self.pa.table({'a': [[1], [2]]})).compute()
        with self.assertRaises(TypeError):
            self.dc.from_arrow(5)


@needs('polars')
class Polars(Case):
    def test_both_ways(self):
        import polars as pl
        df = pl.DataFrame({'a': [1, 2, 3], 's': ['x', None, 'z'], 'f': [0.5, 1.5, 2.5]})
        F = self.dc.from_polars(df)
        self.assertTrue(F.compute(as_='polars').equals(df))
        self.assertEqual(self.dc.sql('SELECT sum(t.f) AS s FROM t', t=df).compute()['s'][0], 4.5)


@needs('torch')
class PyTorch(Case):
    def test_both_ways(self):
        import torch
        t = torch.arange(24, dtype=torch.float64).reshape(2, 3, 4)
        node, shape = self.dc.from_pytorch(t, return_shape=True)
        self.assertEqual(shape, (2, 3, 4))
        found = node.compute(asPyTorch=True, shape=shape)
        self.assertTrue(torch.equal(found, t))
        self.assertEqual(found.data_ptr(), t.data_ptr())
        self.assertTrue(torch.equal((node + 1).compute(as_='torch').reshape(2, 3, 4), t + 1))
        self.equal(self.dc.from_dlpack(t.reshape(6, 4)).compute(), t.reshape(6, 4).numpy())


class DLPack(Case):
    def test_both_ways(self):
        a = np.random.rand(5, 4)
        self.assertEqual(address(self.dc.from_dlpack(a).compute()), address(a))
        self.equal(np.from_dlpack(self.dc.from_numpy(a.copy()) + 1), a + 1)


class Files(Case):
    @needs('pandas')
    def test_frames(self):
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, 'f.csv')
            F = self.dc.from_dict({'a': [1, 2], 's': ['x,"', 'y']})
            self.assertIsNone(F.write(file).compute())
            self.assertEqual(self.dc.readFrame(file).compute().to_dict('list'), {'a': [1, 2], 's': ['x,"', 'y']})
            self.assertEqual(self.dc.readFrame(file, columns=['s']).compute().to_dict('list'), {'s': ['x,"', 'y']})
            self.assertIsInstance(self.dc.read(file), dp.Frame)
            with open(os.path.join(directory, 'g.csv'), 'w', encoding='utf-8') as out:
                out.write('a;b\n1;2\n3;4\n')
            found = self.dc.readFrame(os.path.join(directory, 'g.csv'), delimiter=';', header=True).compute()
            self.assertEqual(found.to_dict('list'), {'a': [1, 3], 'b': [2, 4]})
