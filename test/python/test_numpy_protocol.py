# SPDX-License-Identifier: Apache-2.0
"""numpy's functions of nodes against numpy itself, on dense and on sparse data."""
import warnings

import numpy as np
from support import Case, needs

import daphne as dp

rng = np.random.default_rng(5)
F = np.round(rng.normal(size=(7, 5)), 3)
P = np.abs(F) + 0.5
I = rng.integers(-9, 9, (7, 5))
B = I > 0
S = rng.normal(size=(4, 4)) + 4 * np.eye(4)
V = rng.normal(size=6)
SYMMETRIC = S + S.T

UFUNCS_OF_ONE = {
    'floating': ['absolute', 'fabs', 'sign', 'exp', 'exp2', 'expm1', 'sin', 'cos', 'tan', 'arctan', 'sinh', 'cosh', 'tanh',
                 'arcsinh', 'floor', 'ceil', 'trunc', 'rint', 'square', 'negative', 'positive', 'isnan', 'isinf', 'isfinite',
                 'degrees', 'radians', 'rad2deg', 'deg2rad', 'logical_not'],
    'positive': ['log', 'log2', 'log10', 'log1p', 'sqrt', 'reciprocal'],
    'above 1': ['arccosh'],
    'inside': ['arcsin', 'arccos', 'arctanh']}
UFUNCS_OF_TWO = ['add', 'subtract', 'multiply', 'true_divide', 'divide', 'floor_divide', 'remainder', 'mod', 'fmod', 'maximum',
                 'minimum', 'fmax', 'fmin', 'hypot', 'equal', 'not_equal', 'less', 'less_equal', 'greater', 'greater_equal',
                 'logical_and', 'logical_or', 'logical_xor']


class Ufuncs(Case):
    def same(self, node, expected, message):
        self.assertIsInstance(node, dp.OperationNode, message)
        found = node.compute()
        self.assertEqual(np.shape(found), np.shape(expected), message)
        np.testing.assert_allclose(np.asarray(found, dtype=float), np.asarray(expected, dtype=float), rtol=1e-13, atol=1e-15,
                                   err_msg=message)
        if expected.dtype == bool:
            self.assertEqual(found.dtype, np.dtype(bool), message)

    def test_of_one_operand(self):
        for kind, data in (('floating', F), ('floating', I), ('positive', P), ('inside', F / 4), ('above 1', P + 1)):
            for name in UFUNCS_OF_ONE[kind]:
                if data is I and name in ('isinf', 'exp2', 'positive'):
                    continue
                function = getattr(np, name)
                with self.subTest(name=name, kind=kind):
                    self.same(function(self.dc.from_numpy(data)), function(data), name)
        special = np.array([[0.5, 1.5, -0.5, 2.5, np.inf, -np.inf, np.nan]])
        for name in ('rint', 'trunc', 'isnan', 'isinf', 'isfinite', 'expm1', 'absolute'):
            self.same(getattr(np, name)(self.dc.from_numpy(special)), getattr(np, name)(special), name)
        tiny = np.array([[1e-20, -1e-20, 0.0, 1e-8, 1e300, np.inf]])
        self.same(np.log1p(self.dc.from_numpy(tiny)), np.log1p(tiny), 'log1p')

    def test_of_two_operands(self):
        for name in UFUNCS_OF_TWO:
            function = getattr(np, name)
            for a, b in ((F, P), (I, np.where(I == 0, 3, I[::-1] | 1)), (F, 2.5), (2.5, P), (I, 4), (F, P[:1]), (P[:, :1], F)):
                with self.subTest(name=name), np.errstate(all='ignore'):
                    left = self.dc.from_numpy(a) if isinstance(a, np.ndarray) else a
                    right = self.dc.from_numpy(b) if isinstance(b, np.ndarray) else b
                    expected = function(a, b)
                    self.same(function(left, right), expected, name)
                    if isinstance(a, np.ndarray):
                        self.same(function(a, right) if isinstance(right, dp.Matrix) else function(left, b), expected, name)
        self.same(np.power(self.dc.from_numpy(P), 1.5), np.power(P, 1.5), 'power')
        self.same(np.float_power(self.dc.from_numpy(I), 2), np.float_power(I, 2), 'float_power')
        self.same(np.matmul(self.dc.from_numpy(F), P.T), F @ P.T, 'matmul')
        self.same(self.dc.from_numpy(B) & B[::-1].copy(), B & B[::-1], 'and')
        self.same(np.bitwise_or(self.dc.from_numpy(B), B[::-1].copy()), B | B[::-1], 'bitwise_or')
        self.same(np.invert(self.dc.from_numpy(B)), ~B, 'invert')

    def test_reductions_by_ufuncs(self):
        X = self.dc.from_numpy(F)
        self.same(np.add.reduce(X, axis=1), F.sum(1), 'add.reduce')
        self.same(np.maximum.reduce(X), F.max(0), 'maximum.reduce')
        self.same(np.multiply.outer(self.dc.from_numpy(V.reshape(-1, 1)), V.reshape(1, -1)), np.outer(V, V), 'outer')

    def test_what_is_refused(self):
        X = self.dc.from_numpy(F)
        for wrong in (lambda: np.add(X, 1, out=np.zeros((7, 5))), lambda: np.bitwise_and(self.dc.from_numpy(I), I),
                      lambda: np.add(X, 1, where=B), lambda: np.frexp(X), lambda: np.add.accumulate(X)):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaises(TypeError) as caught:
            np.partition(X, 1)
        self.assertIn('numpy_fallback', str(caught.exception))

    def test_fallback(self):
        dp.options.numpy_fallback = True
        X = self.dc.from_numpy(F)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter('always')
            self.equal(np.partition(X, 1), np.partition(F, 1))
            np.partition(X, 1)
        self.assertEqual(len([one for one in caught if 'partition' in str(one.message)]), 1)

    def test_arrays(self):
        X = self.dc.from_numpy(F)
        self.equal(np.asarray(X + 1), F + 1)
        self.equal(np.array(X, dtype=np.float32), F.astype(np.float32))
        self.assertIsInstance(F + X, dp.Matrix)
        self.assertIsInstance(F.T @ X, dp.Matrix)
        self.assertIsInstance(np.float64(2) * X, dp.Matrix)


class Functions(Case):
    def both(self, call, *arrays, rtol=1e-10):
        """The same call on arrays and on nodes."""
        expected = call(*arrays)
        found = call(*(self.dc.from_numpy(one) for one in arrays))
        several = isinstance(expected, tuple)
        for want, got in zip(expected if several else (expected,), found if several else (found,)):
            got = got.compute()
            self.assertEqual(np.shape(got), np.shape(want))
            np.testing.assert_allclose(np.asarray(got, dtype=float), np.asarray(want, dtype=float), rtol=rtol, atol=1e-12)

    def test_reductions(self):
        for function in (np.sum, np.mean, np.prod, np.min, np.max, np.amin, np.amax, np.var, np.std, np.median, np.any, np.all,
                         np.argmin, np.argmax, np.ptp, np.count_nonzero, np.nansum, np.nanmean, np.nanmin, np.nanmax):
            for axis in (None, 0, 1, -1):
                for data in (F, I, B):
                    if data is B and function in (np.ptp,):
                        continue
                    with self.subTest(function=function.__name__, axis=axis):
                        self.both(lambda x: function(x, axis=axis), data)
                        if function not in (np.argmin, np.argmax):
                            self.both(lambda x: function(x, axis=axis, keepdims=True), data)
        for axis in (None, 0, 1):
            self.both(lambda x: np.var(x, axis=axis, ddof=1), F)
            self.both(lambda x: np.std(x, axis=axis, ddof=1), F)
            self.both(lambda x: np.quantile(x, 0.3, axis=axis), F)
            self.both(lambda x: np.percentile(x, 70, axis=axis), F)
            self.both(lambda x: np.cumsum(x, axis=axis), F)
            self.both(lambda x: np.cumprod(x, axis=axis), P)
        self.both(lambda x: np.sum(np.sum(x, axis=0), axis=0), F)
        self.both(lambda x: np.sum(x, axis=(0, 1)), F)
        with self.assertRaises(Exception):
            np.sum(self.dc.from_numpy(F), axis=2)

        for axis in (None, 0, 1):
            self.both(lambda x: x.argmin(axis), F)
            self.both(lambda x: x.argmax(axis), F)

    def test_shapes(self):
        self.both(lambda x: np.transpose(x), F)
        self.both(lambda x: np.reshape(x, (5, 7)), F)
        self.both(lambda x: np.reshape(x, (-1, 5)), F)
        self.both(lambda x: np.reshape(x, (7, -1)), F)
        self.both(lambda x: np.reshape(x, -1), F)
        self.both(lambda x: np.ravel(x), F)
        for axis in (0, 1):
            self.both(lambda x, y: np.concatenate([x, y], axis=axis), F, P)
        for function in (np.vstack, np.hstack, np.column_stack):
            self.both(lambda x, y: function((x, y)), F, P)
        self.both(lambda x: np.tile(x, (2, 3)), F)
        self.both(lambda x: np.repeat(x, 3, axis=0), F)
        self.both(lambda x: np.repeat(x, 2, axis=1), F)
        self.both(lambda x: np.repeat(x, 2), F)
        for axis in (None, 0, 1):
            self.both(lambda x: np.flip(x, axis), F)
        self.both(lambda x: np.flipud(x), F)
        self.both(lambda x: np.fliplr(x), F)
        self.both(lambda x: np.diag(x), S)
        self.both(lambda x: np.tril(x), S)
        self.both(lambda x: np.triu(x, 1), S)
        self.both(lambda x: np.zeros_like(x), F)
        self.both(lambda x: np.ones_like(x), I)
        self.both(lambda x: np.full_like(x, 3.5), F)
        X = self.dc.from_numpy(F)
        self.assertEqual((np.shape(X), np.ndim(X), np.size(X), np.size(X, 0)), ((7, 5), 2, 35, 7))

    def test_products(self):
        self.both(lambda x, y: np.dot(x, y), F, P.T.copy())
        self.both(lambda x: np.dot(x, 2), F)
        self.both(lambda x, y: np.outer(x, y), V.reshape(-1, 1), V.reshape(-1, 1))
        self.both(lambda x, y: np.kron(x, y), S, I[:2, :2].copy())
        self.both(lambda x: np.trace(x), S)
        X = self.dc.from_numpy(S)
        self.close(np.dot(X, V[:4]).compute(), S @ V[:4], rtol=1e-10)
        self.close(np.matmul(V[:4], X).compute(), V[:4] @ S, rtol=1e-10)

    def test_choice_and_order(self):
        self.both(lambda x, y: np.where(x > 0, x, y), F, P)
        self.both(lambda x: np.where(x > 0, x, 0.0), F)
        self.both(lambda x: np.where(x > 0, 1.5, x), F)
        self.both(lambda x, y: np.where(x > 0, x, y), F, P[:1].copy())
        self.both(lambda x, y: np.where(x > 0, y, x), F, P[:, :1].copy())
        self.both(lambda x: np.nonzero(x > 0), F)
        self.both(lambda x: np.clip(x, -0.5, 0.5), F)
        self.both(lambda x: np.clip(x, None, 0.5), F)
        for axis in (0, 1, -1, None):
            self.both(lambda x: np.sort(x, axis=axis), F)
        self.both(lambda x: np.argsort(x, axis=0), V.reshape(-1, 1))
        self.both(lambda x: np.unique(x), I)
        for axis in (0, 1):
            self.both(lambda x: np.diff(x, axis=axis), F)
        for decimals in (0, 1, 2):
            self.both(lambda x: np.round(x, decimals), F)
        self.both(lambda x: np.nan_to_num(x), np.array([[1.0, np.nan]]))
        self.both(lambda x, y: np.isclose(x, y), F, F + 1e-9)
        self.both(lambda x, y: np.allclose(x, y), F, F + 1e-9)

    def test_linear_algebra(self):
        self.both(lambda x, y: np.linalg.solve(x, y), S, F[:4].copy())
        self.both(lambda x: np.linalg.inv(x), S)
        self.both(lambda x: np.linalg.pinv(x), F)
        self.both(lambda x: np.linalg.det(x), S)
        self.both(lambda x: np.linalg.cholesky(x), S @ S.T)
        self.both(lambda x: np.linalg.norm(x), F)
        self.both(lambda x: np.linalg.norm(x, 1), F)
        self.both(lambda x: np.linalg.norm(x, axis=1), F)
        self.both(lambda x: np.linalg.matrix_power(x, 5), S)
        self.both(lambda x: np.linalg.svd(x, compute_uv=False, full_matrices=False), F)
        values, vectors = np.linalg.eigh(self.dc.from_numpy(SYMMETRIC))
        self.close(values.compute(), np.linalg.eigvalsh(SYMMETRIC), rtol=1e-9)
        self.close((vectors @ self.dc.diagMatrix(values) @ vectors.t()).compute(), SYMMETRIC, rtol=1e-8)
        q, r = np.linalg.qr(self.dc.from_numpy(F))
        self.close((q @ r).compute(), F, rtol=1e-9)
        self.both(lambda x: np.cov(x), F)
        self.both(lambda x: np.corrcoef(x, rowvar=False), F)

    def test_the_module(self):
        X = self.dc.from_numpy(F)
        self.close(dp.numpy.sqrt(dp.numpy.square(X)).compute(), np.abs(F))
        self.close(dp.numpy.sum(F, axis=0).compute(), F.sum(0))  # data instead of a node
        self.close(dp.numpy.linalg.inv(S).compute(), np.linalg.inv(S), rtol=1e-9)
        self.close(dp.numpy.maximum(X, 0.5).compute(), np.maximum(F, 0.5))
        with self.assertRaises(AttributeError) as caught:
            dp.numpy.maximun
        self.assertIn('maximum', str(caught.exception))
        for name in ('sum', 'where', 'exp', 'linalg', 'concatenate'):
            self.assertIn(name, dp.numpy.__all__)

    @needs('scipy')
    def test_sparse_data(self):
        import scipy.sparse
        sparse = scipy.sparse.random(40, 30, 0.1, format='csr', random_state=3)
        dense = sparse.toarray()
        X = self.dc.from_scipy(sparse)
        for call in (lambda x: np.sum(x, axis=0), lambda x: np.mean(x), lambda x: np.max(x, axis=1), lambda x: np.transpose(x),
                     lambda x: np.exp(x), lambda x: np.where(x > 0, x, 1.0), lambda x: np.dot(x, dense.T), lambda x: np.sqrt(x),
                     lambda x: np.cumsum(x, axis=0), lambda x: np.count_nonzero(x), lambda x: x * 2 + 1,
                     lambda x: np.concatenate([x, x]), lambda x: np.argmax(x, axis=1)):
            np.testing.assert_allclose(call(X).compute(), call(dense), rtol=1e-12)
