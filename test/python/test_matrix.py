# SPDX-License-Identifier: Apache-2.0
"""Every method of matrices against numpy."""
import itertools
import os
import tempfile

import numpy as np
from support import DTYPES, Case, needs

import daphne as dp

A = np.array([[0.25, -0.5, 0.75], [1.0, -0.125, 0.5]])
POSITIVE = np.array([[1.5, 2.0, 3.25], [4.0, 1.0, 2.5]])
INTEGERS = np.array([[7, -3, 5], [2, -9, 4]])


class Metadata(Case):
    def test_shape(self):
        X = self.dc.from_numpy(A)
        self.assertEqual(dp.compute(X.nrow(), X.ncol(), X.ncell()), (2, 3, 6))
        self.assertEqual((X.shape, X.ndim, X.size, X.dtype, len(X)), ((2, 3), 2, 6, np.dtype(float), 2))
        self.assertEqual(self.dc.seq(1, 10, 3).shape, (4, 1))
        self.assertEqual(X[X[:, 0] > 0.5, :].shape, (1, 3))  # nobody knows before it runs
        self.assertEqual(self.dc.from_numpy(A > 0).dtype, np.dtype(bool))
        self.assertEqual((X > 0).nnz, 4)


class Elementwise(Case):
    def test_functions_of_one_operand(self):
        table = {'abs': np.abs, 'sign': np.sign, 'exp': np.exp, 'floor': np.floor, 'ceil': np.ceil, 'sin': np.sin,
                 'cos': np.cos, 'tan': np.tan, 'asin': np.arcsin, 'acos': np.arccos, 'atan': np.arctan, 'sinh': np.sinh,
                 'cosh': np.cosh, 'tanh': np.tanh, 'asinh': np.arcsinh, 'isNan': lambda x: np.isnan(x).astype(float)}
        for name, function in table.items():
            with self.subTest(name):
                self.close(getattr(self.dc.from_numpy(A), name)().compute(), function(A), name)
        for name, function in {'ln': np.log, 'sqrt': np.sqrt, 'acosh': np.arccosh}.items():
            with self.subTest(name):
                self.close(getattr(self.dc.from_numpy(POSITIVE), name)().compute(), function(POSITIVE), name)
        self.close(self.dc.from_numpy(A / 2).atanh().compute(), np.arctanh(A / 2))
        self.equal(self.dc.from_numpy(np.array([[-2.5, 2.4, 2.5]])).round().compute(), [[-3.0, 2.0, 3.0]])
        self.equal((-self.dc.from_numpy(A)).compute(), -A)
        self.equal(abs(self.dc.from_numpy(INTEGERS)).compute(), abs(INTEGERS))
        self.equal(self.dc.from_numpy(np.array([[np.nan, 1]])).isNan().compute(), [[1.0, 0.0]])

    def test_functions_of_two_operands(self):
        X, Y = self.dc.from_numpy(POSITIVE), self.dc.from_numpy(POSITIVE[::-1].copy())
        other = POSITIVE[::-1]
        for right, expected in ((Y, other), (2.0, 2.0), (self.dc.scalar(2.0), 2.0)):
            self.close(X.pow(right).compute(), POSITIVE ** expected)
            self.equal(X.mod(right).compute(), np.fmod(POSITIVE, expected))
            self.equal(X.max(right).compute(), np.maximum(POSITIVE, expected))
            self.equal(X.min(right).compute(), np.minimum(POSITIVE, expected))
        self.close(X.log(2.0).compute(), np.log2(POSITIVE))

    def test_functions_of_all_types(self):
        for dtype in DTYPES:
            a = np.array([[1, 2], [3, 4]], dtype=dtype)
            with self.subTest(dtype=dtype):
                X = self.dc.from_numpy(a)
                self.equal(X.compute(), a)
                self.equal((X + X).compute(), a + a)
                self.equal(X.max(dtype(2)).compute(), np.maximum(a, dtype(2)))
                self.equal(X.t().compute(), a.T)


class Outer(Case):
    def test_all_of_them(self):
        column, row = np.array([[4.0], [9.0]]), np.array([[1.0, 2.0, 4.0]])
        table = {'Add': np.add, 'Sub': np.subtract, 'Mul': np.multiply, 'Div': np.divide, 'Pow': np.power, 'Mod': np.fmod,
                 'Min': np.minimum, 'Max': np.maximum, 'Eq': np.equal, 'Neq': np.not_equal, 'Lt': np.less,
                 'Le': np.less_equal, 'Gt': np.greater, 'Ge': np.greater_equal}
        C, R = self.dc.from_numpy(column), self.dc.from_numpy(row)
        for name, function in table.items():
            with self.subTest(name):
                self.close(getattr(C, 'outer' + name)(R).compute(), function(column, row))
        self.close(C.outerLog(self.dc.from_numpy(row + 1)).compute(), np.log(column) / np.log(row + 1))
        truth, other = np.array([[0], [1]]), np.array([[0, 1, 1]])
        T, O = self.dc.from_numpy(truth), self.dc.from_numpy(other)
        for name, function in {'And': np.logical_and, 'Or': np.logical_or, 'Xor': np.logical_xor}.items():
            with self.subTest(name):
                self.equal(getattr(T, 'outer' + name)(O).compute(), function(truth, other).astype(np.int64))
        texts = self.dc.from_numpy(np.array([['a'], ['b']], dtype=object))
        found = texts.outerConcat(self.dc.from_numpy(np.array([['x', 'y']], dtype=object))).compute()
        self.assertEqual(found.tolist(), [['ax', 'ay'], ['bx', 'by']])


class Aggregates(Case):
    def test_aggregates(self):
        X = self.dc.from_numpy(A)
        table = {'sum': np.sum, 'aggMin': np.min, 'aggMax': np.max, 'mean': np.mean, 'var': np.var, 'stddev': np.std,
                 'prod': np.prod, 'median': np.median}
        for name, function in table.items():
            with self.subTest(name):
                self.close(getattr(X, name)().compute(), function(A))
                self.close(getattr(X, name)(0).compute(), function(A, axis=1, keepdims=True))
                self.close(getattr(X, name)(1).compute(), function(A, axis=0, keepdims=True))
                self.assertIsInstance(getattr(X, name)(), dp.Scalar)
                self.assertIsInstance(getattr(X, name)(0), dp.Matrix)
                with self.assertRaises(ValueError):
                    getattr(X, name)(2)

    def test_positions(self):
        X = self.dc.from_numpy(A)
        for name, function in {'idxMin': np.argmin, 'idxMax': np.argmax}.items():
            self.assertEqual(getattr(X, name)(0).compute().tolist(), function(A, axis=1).reshape(-1, 1).tolist())
            self.assertEqual(getattr(X, name)(1).compute().tolist(), function(A, axis=0).reshape(1, -1).tolist())
            with self.assertRaises((RuntimeError, TypeError)):
                getattr(X, name)()
            with self.assertRaises(RuntimeError):
                getattr(X, name)(None)

    def test_running(self):
        X = self.dc.from_numpy(A)
        table = {'cumSum': np.cumsum, 'cumProd': np.cumprod, 'cumMin': np.minimum.accumulate, 'cumMax': np.maximum.accumulate}
        for name, function in table.items():
            self.close(getattr(X, name)().compute(), function(A, axis=0))

    def test_sums_of_narrow_integers_do_not_overflow(self):
        a = np.full((100, 3), 100, dtype=np.int8)
        self.assertEqual(self.dc.from_numpy(a).sum().compute(), 30000)
        self.assertEqual(self.dc.from_numpy(np.full((3, 3), True)).sum().compute(), 9)


class Reorganisation(Case):
    def test_shape_changes(self):
        X, Y = self.dc.from_numpy(A), self.dc.from_numpy(POSITIVE)
        self.equal(X.t().compute(), A.T)
        self.equal(X.T.compute(), A.T)
        self.equal(X.reshape(3, 2).compute(), A.reshape(3, 2))
        self.equal(X.cbind(Y).compute(), np.hstack([A, POSITIVE]))
        self.equal(X.rbind(Y).compute(), np.vstack([A, POSITIVE]))
        self.equal(X.reverse().compute(), A[::-1])
        with self.assertRaises(dp.DaphneError):
            X.reshape(4, 2).compute()

    def test_triangles(self):
        a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
        for diag, values in itertools.product((True, False), repeat=2):
            lower, upper = np.tril(a, 0 if diag else -1), np.triu(a, 0 if diag else 1)
            if not values:
                lower, upper = (lower != 0).astype(float), (upper != 0).astype(float)
            self.equal(self.dc.from_numpy(a).lowerTri(diag, values).compute(), lower)
            self.equal(self.dc.from_numpy(a).upperTri(diag, values).compute(), upper)
        self.equal(self.dc.from_numpy(a).diagVector().compute(), np.diag(a).reshape(-1, 1))
        self.equal(self.dc.diagMatrix(self.dc.from_numpy(a[:, :1].copy())).compute(), np.diag(a[:, 0]))

    def test_replace_and_order(self):
        a = np.array([[3.0, 1.0], [1.0, 2.0], [3.0, 0.0], [np.nan, 5.0]])
        X = self.dc.from_numpy(a)
        self.equal(X.replace(3.0, 9.0).compute(), np.where(a == 3, 9.0, a))
        self.equal(X.replace(np.nan, 0.0).compute(), np.nan_to_num(a))
        self.equal(X.order([0, 1], [True, False], False).compute(), a[[1, 0, 2, 3]])
        self.assertEqual(X.order([0, 1], [True, True], True).compute().ravel().tolist(), [1, 2, 0, 3])
        with self.assertRaises(RuntimeError):
            X.order([0], [True, False], False)

    def test_preprocessing(self):
        codes = np.array([[0.0], [2.0], [1.0]])
        self.equal(self.dc.from_numpy(codes).oneHot(self.dc.from_numpy(np.array([[3]]))).compute(), np.eye(3)[[0, 2, 1]])
        X = self.dc.from_numpy(np.array([[0.0], [2.5], [10.0]]))
        self.assertEqual(X.bin(4).compute().ravel().tolist(), [0, 0, 3])
        self.assertEqual(X.bin(4, 0, 20).compute().ravel().tolist(), [0, 0, 1])
        with self.assertRaises(ValueError):
            X.bin(4, Min=0)
        codes, dictionary = self.dc.from_numpy(np.array([['b'], ['a'], ['b']], dtype=object)).recode(True)
        self.assertEqual(codes.compute().ravel().tolist(), [1, 0, 1])
        self.assertEqual(dictionary.compute().ravel().tolist(), ['a', 'b'])

    def test_solve_and_decompositions(self):
        a = np.array([[4.0, 1.0], [2.0, 3.0]])
        b = np.array([[1.0], [2.0]])
        X = self.dc.from_numpy(a)
        self.close(X.solve(self.dc.from_numpy(b)).compute(), np.linalg.solve(a, b))
        self.close(X.inv().compute(), np.linalg.inv(a))
        self.assertAlmostEqual(X.det().compute(), np.linalg.det(a))
        q, r = X.qr()
        self.close((q @ r).compute(), a, rtol=1e-10)
        u, s, v = X.svd()
        self.close(s.compute().ravel(), np.linalg.svd(a)[1], rtol=1e-10)
        self.close((u @ self.dc.diagMatrix(s) @ v.t()).compute(), a, rtol=1e-10)
        self.close(X.norm().compute(), np.linalg.norm(a))
        self.assertEqual(X.trace().compute(), 7.0)
        with self.assertRaises(dp.DaphneError):
            self.dc.zeros(2, 2).inv().compute()


class Casts(Case):
    def test_types(self):
        X = self.dc.from_numpy(np.array([[1.9, -2.9]]))
        self.equal(X.asType(vtype='si64').compute(), np.array([[1, -2]]))
        self.equal(X.astype(np.int32).compute(), np.array([[1, -2]], dtype=np.int32))
        self.equal(X.astype('f32').compute(), np.array([[1.9, -2.9]], dtype=np.float32))
        self.assertIsInstance(X.asType('frame'), dp.Frame)
        self.assertIsInstance(X[0, 0].asType('scalar'), dp.Scalar)
        self.assertEqual(X[0, 0].asType('scalar', 'si64').compute(), 1)
        self.assertEqual(X[0, 1].item(), -2.9)
        with self.assertRaises(RuntimeError):
            X.asType()
        with self.assertRaises(ValueError):
            X.asType('tensor')
        with self.assertRaises(ValueError):
            X.asType(vtype='float')
        with self.assertRaises(TypeError):
            X.astype(np.complex128)
        with self.assertRaises(ValueError):
            X.item()

    def test_if_else(self):
        c = np.array([[1, 0], [0, 1]])
        C = self.dc.from_numpy(c)
        self.equal(C.ifElse(1.5, -1.0).compute(), np.where(c, 1.5, -1.0))
        self.equal(C.ifElse(self.dc.from_numpy(c * 10), self.dc.from_numpy(c + 5)).compute(), np.where(c, c * 10, c + 5))


class Output(Case):
    def test_print_takes_effect_when_it_is_computed(self):
        self.assertEqual(self.printed(self.dc.from_numpy(np.array([[1, 2]])).print()), 'DenseMatrix(1x2, int64_t)\n1 2\n')

    def test_files(self):
        with tempfile.TemporaryDirectory() as directory:
            for name in ('x.csv', 'x.mtx', 'x.dbdf', 'with "quotes".csv'):
                file = os.path.join(directory, name)
                self.assertIsNone(self.dc.from_numpy(A).write(file).compute())
                self.equal(self.dc.readMatrix(file).compute(), A, name)
            from pathlib import Path
            self.equal((self.dc.readMatrix(Path(directory) / 'x.csv') * 2).compute(), A * 2)
            self.equal(self.dc.readMatrix(os.path.join(directory, 'x.csv'), dtype='f32').compute(), A.astype(np.float32))
            self.equal(self.dc.read(os.path.join(directory, 'x.csv')).compute(), A)
            with self.assertRaises(dp.IOFormatError):
                self.dc.readMatrix(os.path.join(directory, 'none.csv')).compute()


class Operators(Case):
    """Section 7."""

    def test_arithmetic_on_both_sides(self):
        import operator
        X = self.dc.from_numpy(POSITIVE)
        for function in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.lt, operator.le,
                         operator.gt, operator.ge, operator.eq, operator.ne):
            for other in (2.0, POSITIVE[::-1].copy(), POSITIVE[:1], POSITIVE[:, :1].copy()):
                node = self.dc.from_numpy(other) if isinstance(other, np.ndarray) else other
                with self.subTest(function=function.__name__):
                    self.close(function(X, node).compute(), function(POSITIVE, other).astype(float))
                    self.close(function(node, X).compute(), function(other, POSITIVE).astype(float))

    def test_remainder_has_the_sign_of_the_left_operand(self):
        X = self.dc.from_numpy(INTEGERS)
        self.equal((X % 4).compute(), np.fmod(INTEGERS, 4))
        self.equal((17 % X).compute(), np.fmod(17, INTEGERS))

    def test_floor_division(self):
        for a, b in itertools.product((INTEGERS, INTEGERS * 1.5, INTEGERS.astype(np.int32)), (4, -4, 2.5, -INTEGERS)):
            right = self.dc.from_numpy(b) if isinstance(b, np.ndarray) else b
            with self.subTest(a=a.dtype, b=b):
                self.close((self.dc.from_numpy(a) // right).compute(), np.floor(a / b))
        # where the type is not known before it runs
        Y = self.dc.for_loop([self.dc.from_numpy(INTEGERS)], lambda x, i: x // 4, 1, 1)[0]
        self.equal(Y.compute(), INTEGERS // 4)
        self.equal((self.dc.from_numpy(np.array([[2**62 + 1]])) // 2).compute(), np.array([[2**61]]))
        quotient, rest = divmod(self.dc.from_numpy(INTEGERS), 4)
        self.equal(quotient.compute(), INTEGERS // 4)
        self.equal(rest.compute(), INTEGERS % 4)

    def test_product(self):
        X, Y = self.dc.from_numpy(A), self.dc.from_numpy(POSITIVE)
        self.close((X @ Y.t()).compute(), A @ POSITIVE.T)
        self.close((A.T @ Y).compute(), A.T @ POSITIVE)
        self.close((X @ POSITIVE.T).compute(), A @ POSITIVE.T)
        self.close(X.dot(Y.T).compute(), A @ POSITIVE.T)

    def test_logic(self):
        a, b = np.array([[0, 1, 2]]), np.array([[0, 0, 5]])
        X, Y = self.dc.from_numpy(a), self.dc.from_numpy(b)
        self.assertEqual((X & Y).compute().tolist(), [[0, 0, 1]])
        self.assertEqual((X | Y).compute().tolist(), [[0, 1, 1]])
        self.assertEqual((X ^ Y).compute().tolist(), [[0, 1, 0]])
        self.assertEqual((~X).compute().tolist(), [[1, 0, 0]])
        self.assertEqual((1 & X).compute().tolist(), [[0, 1, 1]])

    def test_strings(self):
        X = self.dc.from_numpy(np.array([['a'], ['b']], dtype=object))
        self.assertEqual((X + '"\\x').compute().ravel().tolist(), ['a"\\x', 'b"\\x'])
        self.assertEqual(('<' + X).compute().ravel().tolist(), ['<a', '<b'])
        self.assertEqual((X == 'b').compute().ravel().tolist(), [0, 1])

    def test_wrong_shapes_name_both(self):
        with self.assertRaises(dp.ShapeError) as caught:
            (self.dc.from_numpy(A) + self.dc.from_numpy(A.T)).compute()
        self.assertIn('2x3', caught.exception.message)
        self.assertIn('3x2', caught.exception.message)

    def test_nodes_are_hashable_by_identity(self):
        X = self.dc.from_numpy(A)
        self.assertEqual(len({X, X, self.dc.from_numpy(A)}), 2)

    def test_wrong_operands(self):
        X = self.dc.from_numpy(A)
        for wrong in (object(), None, {}):
            with self.assertRaises(TypeError):
                X + wrong
            with self.assertRaises(TypeError):
                wrong * X

    def test_literals(self):
        one = self.dc.from_numpy(np.array([[1.0]]))
        for value in (0.1, 1e300, 5e-324, -0.1, float('inf'), float('-inf'), 1e22, 123456789012345678.0):
            self.assertEqual((one * value).compute()[0, 0], value)
        self.assertTrue(np.isnan((one * float('nan')).compute()[0, 0]))
        for value in (0, -1, 2**63 - 1, -2**63):
            self.assertEqual((self.dc.from_numpy(np.array([[0]])) + value).compute()[0, 0], value)
        self.assertEqual((self.dc.from_numpy(np.array([[0]], dtype=np.uint64)) + (2**64 - 1)).compute()[0, 0], 2**64 - 1)
        with self.assertRaises(OverflowError):
            (one + 2**64).compute()
        for value in (np.float32(0.1), np.int8(-3), np.uint8(200), np.int64(7), np.uint64(2**63), np.bool_(True)):
            self.assertEqual((self.dc.fill(value, 1, 1)).compute()[0, 0], value)
            self.assertEqual(self.dc.fill(value, 1, 1).compute().dtype, np.asarray(value).dtype)


class Indexing(Case):
    """Section 8."""

    def setUp(self):
        super().setUp()
        self.a = np.arange(30.0).reshape(6, 5)
        self.X = self.dc.from_numpy(self.a)
        # The same matrix with a shape that nobody knows before it runs.
        self.U = self.X[self.X[:, 0] >= 0, :]

    def check(self, index, expected_index=None):
        expected = self.a[index if expected_index is None else expected_index]
        for node in (self.X, self.U):
            self.equal(node[index].compute(), np.atleast_2d(expected), str(index))

    def test_slices(self):
        bounds = (None, 0, 1, 3, 5, 6, 9, -1, -3, -9)
        for start, stop in itertools.product(bounds, repeat=2):
            self.check((slice(start, stop), slice(None)))
        for start, stop, step in itertools.product((None, 0, 1, -2, 9), (None, 5, -1, -9), (2, 3, -1, -2)):
            self.check((slice(start, stop, step), slice(None)))
        self.check((slice(None), slice(None, None, 2)))
        self.check((slice(1, 3), slice(2, None)))

    def test_positions(self):
        self.equal(self.X[1, 2].compute(), [[7.0]])
        self.equal(self.X[-1, -2].compute(), [[28.0]])
        self.equal(self.X[2].compute(), self.a[2:3])
        self.equal(self.X[1:3].compute(), self.a[1:3])
        self.equal(self.X[..., 1].compute(), self.a[:, 1:2])
        self.check([4, 0, 0])
        self.check(np.array([2, 1]))
        self.check([True, False, True, False, False, True])
        self.equal(self.X[self.dc.from_numpy(np.array([3, 1])), :].compute(), self.a[[3, 1]])
        self.equal(self.X[:, [1, -1]].compute(), self.a[:, [1, -1]])
        for node in (self.X, self.U):
            self.equal(node[node[:, 0] > 10, :].compute(), self.a[self.a[:, 0] > 10])
            self.equal(node[node > 25].compute(), self.a[self.a > 25].reshape(-1, 1))
        self.equal(self.X[self.a > 25].compute(), self.a[self.a > 25].reshape(-1, 1))
        n = self.dc.scalar(2)
        self.equal(self.X[n, 0].compute(), self.a[2:3, :1])
        self.equal(self.X[n:, 0:n].compute(), self.a[2:, :2])

    def test_assignment(self):
        for index in ((slice(None), 0), (1, slice(None)), (slice(1, 3), slice(0, 2)), (2, 3), (slice(None, None, 2), slice(None)),
                      ([0, 2], slice(None)), (slice(1, 4), [3, 0]), (slice(4, 4), slice(None))):
            X, a = self.dc.from_numpy(self.a), self.a.copy()
            X[index] = -1.0
            a[index] = -1
            self.equal(X.compute(), a, str(index))
            value = np.random.default_rng(1).random(np.atleast_2d(a[index]).shape)
            if isinstance(index[1], int):
                value = value.reshape(-1, 1)
            if value.size:
                X[index] = value
                a[index] = value.item() if value.size == 1 else value.ravel() if isinstance(index[1], int) else value
                self.equal(X.compute(), a, str(index))
        X, a = self.dc.from_numpy(self.a), self.a.copy()
        X[X > 20] = 0.0
        a[a > 20] = 0
        self.equal(X.compute(), a)
        X[0:1, :] = self.dc.from_numpy(np.full((1, 5), 9.0))
        a[0] = 9
        self.equal(X.compute(), a)

    def test_assigned_numbers_have_the_type_of_the_matrix(self):
        for dtype in DTYPES:
            X, a = self.dc.from_numpy(np.ones((2, 2), dtype)), np.ones((2, 2), dtype)
            X[0, 0], a[0, 0] = 3, 3
            X[0, 1], a[0, 1] = 4.0, 4
            self.equal(X.compute(), a)
        X = self.dc.from_numpy(np.ones((2, 2), np.float32))
        X[0, :] = np.array([[0.5, 0.1]])
        self.equal(X.compute(), np.array([[0.5, 0.1], [1, 1]], dtype=np.float32))
        X = self.dc.from_numpy(np.ones((2, 2), np.int64))
        X[0, 0] = 1.5
        with self.assertRaises(dp.DaphneError):
            X.compute()

    def test_assignment_leaves_earlier_consumers_and_data_alone(self):
        original = self.a.copy()
        X = self.dc.from_numpy(self.a)
        before = X + 1
        Y = X.copy()
        X[0, 0] = 100.0
        self.equal(before.compute(), original + 1)
        self.equal(Y.compute(), original)
        self.equal(self.a, original)
        self.assertEqual(X.compute()[0, 0], 100.0)

    def test_wrong_indexes(self):
        for index in ((0, 0, 0), (None, 0), (0.5, 0), ('a', 0), (True, 0), (9, 0), (0, -6), (slice(None, None, 0), 0),
                      ([0.5], 0), ([True], 0), (slice('a', None), 0)):
            with self.assertRaises((IndexError, TypeError), msg=str(index)):
                self.X[index]
        with self.assertRaises(dp.DaphneError):
            self.U[99, 0].compute()


class FurtherFunctions(Case):
    @needs('scipy')
    def test_some_against_scipy(self):
        from scipy import stats
        a = np.array([[1.0, 2.0], [2.0, 4.5], [3.0, 5.0]])
        X = self.dc.from_numpy(a)
        self.close(X.cor().compute(), np.corrcoef(a.T), rtol=1e-10)
        self.close(X.cov(ddof=1).compute(), np.cov(a.T), rtol=1e-10)
        self.close(X.softmax().compute(), np.exp(a) / np.exp(a).sum(1, keepdims=True))
        self.close(X.quantile(0.3).compute(), np.quantile(a, 0.3))
        self.assertEqual(stats.rankdata([1, 2]).tolist(), [1, 2])
        self.equal(X.relu().compute(), np.maximum(a, 0))
        self.equal(X.head(2).compute(), a[:2])
        self.equal(X.tail(1).compute(), a[-1:])
        self.equal(self.dc.from_numpy(np.array([[3], [1], [3]])).unique().compute(), np.array([[1], [3]]))
        self.assertEqual(X.describe().compute()['mean'].tolist(), [2.0, a[:, 1].mean()])

    def test_texts(self):
        X = self.dc.from_numpy(np.array([['Ab c'], [' x']], dtype=object))
        self.assertEqual(X.upper().compute().ravel().tolist(), ['AB C', ' X'])
        self.assertEqual(X.trim().compute().ravel().tolist(), ['Ab c', 'x'])
        self.assertEqual(X.strlen().compute().ravel().tolist(), [4, 2])
        self.assertEqual(X.contains('b').compute().ravel().tolist(), [True, False])
        self.assertEqual(self.dc.scalar('a,b').split(',').compute().ravel().tolist(), ['a', 'b'])
        self.assertEqual(X.strReplace('"', "'").compute().ravel().tolist(), ['Ab c', ' x'])


class Generation(Case):
    def test_core(self):
        self.equal(self.dc.fill(3, 2, 2).compute(), np.full((2, 2), 3))
        self.equal(self.dc.fill(self.dc.scalar(1.5), 1, 2).compute(), np.full((1, 2), 1.5))
        self.equal(self.dc.seq(1, 7, 2).compute(), np.array([[1], [3], [5], [7]]))
        self.equal(self.dc.seq(3, 1, -1).compute(), np.array([[3], [2], [1]]))
        r = self.dc.rand(50, 4, 10, 20, 0.5, 3).compute()
        self.assertEqual(r.shape, (50, 4))
        self.assertTrue(((r == 0) | ((r >= 10) & (r <= 20))).all())
        self.assertEqual(np.count_nonzero(r), 100)
        self.equal(self.dc.rand(5, 4, 0.0, 1.0, 1.0, 7).compute(), self.dc.rand(5, 4, seed=7).compute())
        with self.assertRaises(ValueError):
            self.dc.rand(-1, 2)
        s = self.dc.sample(10, 10, False, 1).compute()
        self.assertEqual(sorted(s.ravel().tolist()), list(range(10)))

    def test_unseeded_numbers_differ_from_run_to_run(self):
        X = self.dc.rand(4, 4)
        self.assertFalse(np.array_equal(X.compute(), X.compute()))

    def test_beyond(self):
        self.equal(self.dc.zeros(2, 3).compute(), np.zeros((2, 3)))
        self.equal(self.dc.ones(2).compute(), np.ones((2, 1)))
        self.equal(self.dc.eye(2, 3).compute(), np.eye(2, 3))
        self.close(self.dc.linspace(0, 1, 5).compute().ravel(), np.linspace(0, 1, 5))
        for args in ((5,), (2, 9), (2, 9, 3), (9, 2, -2), (3, 3), (0.0, 1.0, 0.25)):
            self.close(self.dc.arange(*args).compute().ravel(), np.arange(*args), str(args))
        self.assertEqual(sorted(self.dc.permutation(6).compute().ravel().tolist()), list(range(6)))
        self.assertEqual(self.dc.randn(10, 2, seed=1).compute().shape, (10, 2))
        both = self.dc.list(np.ones((2, 2)), np.zeros((1, 1)))
        self.assertEqual(both.length().compute(), 2)
        rest, first = both.remove(0)
        self.equal(first.compute(), np.ones((2, 2)))
        self.assertEqual([one.shape for one in rest.append(np.ones((3, 1))).compute()], [(1, 1), (3, 1)])
