# SPDX-License-Identifier: Apache-2.0
"""Branches, loops and functions, nested and with values from outside, against plain Python."""
import numpy as np
from support import Case, needs

import daphne as dp

A = np.array([[1.0, 2.0], [3.0, 4.0]])


class Loops(Case):
    def setUp(self):
        super().setUp()
        self.X = self.dc.from_numpy(A)
        self.Y = self.dc.from_numpy(A * 10)

    def test_for(self):
        self.equal(self.dc.for_loop([self.X], lambda x, i: x + i, 1, 3)[0].compute(), A + 6)
        self.equal(self.dc.for_loop([self.X], lambda x, i: x + i, 1, 9, 4)[0].compute(), A + 15)
        self.equal(self.dc.for_loop([self.X], lambda x, i: x * 2 + i, 3, 1, -1)[0].compute(), ((A * 2 + 3) * 2 + 2) * 2 + 1)
        x, y = self.dc.for_loop([self.X, self.Y], lambda x, y, i: (y, x + i), 1, 3)
        a, b = A, A * 10
        for i in (1, 2, 3):
            a, b = b, a + i
        self.equal(x.compute(), a)
        self.equal(y.compute(), b)
        self.equal(dp.compute(x, y)[1], b)

    def test_bounds_may_be_nodes(self):
        n = self.dc.scalar(4)
        self.assertEqual(self.dc.for_loop([self.dc.scalar(0)], lambda s, i: s + i, n - 2, n)[0].compute(), 9)

    def test_for_ends_early(self):
        found = self.dc.for_loop([self.dc.scalar(1)], lambda s, i: s * 2, 1, 100, until=lambda s: s > 50)[0]
        self.assertEqual(found.compute(), 64)

    def test_while_and_do_while(self):
        self.assertEqual(self.dc.while_loop([self.dc.scalar(1)], lambda s: s < 100, lambda s: s * 2)[0].compute(), 128)
        self.assertEqual(self.dc.while_loop([self.dc.scalar(500)], lambda s: s < 100, lambda s: s * 2)[0].compute(), 500)
        self.assertEqual(self.dc.do_while_loop([self.dc.scalar(500)], lambda s: s < 100, lambda s: s * 2)[0].compute(), 1000)
        x, s = self.dc.while_loop([self.X, self.dc.scalar(0)], lambda x, s: x.sum() < 1000, lambda x, s: (x + x, s + 1))
        self.equal(x.compute(), A * 128)
        self.assertEqual(s.compute(), 7)
        x, s = self.dc.do_while_loop([self.X, self.dc.scalar(0)], lambda x, s: s < 3, lambda x, s: (x @ x, s + 1))
        self.close(x.compute(), np.linalg.matrix_power(A, 8))
        # a condition that is a matrix of one cell
        self.assertEqual(self.dc.while_loop([self.X], lambda x: x[0, 0] < 10, lambda x: x + 4)[0].compute()[0, 0], 13)

    def test_cond(self):
        for limit, expected in ((5, A + 1), (50, A - 1)):
            found = self.dc.cond([self.X], lambda: self.X.sum() > limit, lambda x: x + 1, lambda x: x - 1)[0]
            self.equal(found.compute(), expected)
        found = self.dc.cond([self.X], lambda: self.X.sum() > 50, lambda x: x + 1)[0]
        self.equal(found.compute(), A)
        x, y = self.dc.cond([self.X, self.Y], lambda: self.dc.scalar(1) == 1, lambda x, y: (y, x), lambda x, y: (x, y))
        self.equal(x.compute(), A * 10)
        self.equal(y.compute(), A)

    def test_only_the_branch_that_is_taken_runs(self):
        found = self.dc.cond([self.X], lambda: self.X.sum() > 0, lambda x: x, lambda x: self.dc.zeros(2, 2).inv())[0]
        self.equal(found.compute(), A)

    def test_values_from_outside(self):
        k = self.dc.scalar(3)
        two = 2
        self.equal(self.dc.for_loop([self.X], lambda x, i: x + self.Y * k + two, 1, 2)[0].compute(), A + (A * 30 + 2) * 2)
        limit = self.Y.sum()
        found = self.dc.while_loop([self.X], lambda x: x.sum() < limit, lambda x: x + self.Y)[0]
        self.equal(found.compute(), A * 11)
        found = self.dc.cond([self.X], lambda: limit > 5, lambda x: x + self.Y, lambda x: x * self.Y)[0]
        self.equal(found.compute(), A * 11)

    def test_inputs_stay_as_they_are_for_others(self):
        looped = self.dc.for_loop([self.X], lambda x, i: x * 2, 1, 3)[0]
        found = dp.compute(self.X, looped, self.X + 1)
        self.equal(found[0], A)
        self.equal(found[1], A * 8)
        self.equal(found[2], A + 1)
        self.equal((looped + self.X).compute(), A * 9)

    def test_nesting(self):
        def outer(x, i):
            def inner(y, j):
                return self.dc.cond([y], lambda: j > i, lambda z: z + j, lambda z: z * 2 + self.Y)[0]
            return self.dc.for_loop([x], inner, 1, 3)[0]
        a = A
        for i in (1, 2):
            for j in (1, 2, 3):
                a = a + j if j > i else a * 2 + A * 10
        self.equal(self.dc.for_loop([self.X], outer, 1, 2)[0].compute(), a)

    @needs('pandas')
    def test_frames_and_lists_as_inputs(self):
        F = self.dc.from_dict({'a': [1, 2]})
        found = self.dc.for_loop([F], lambda f, i: f.rbind(F), 1, 2)[0].compute()
        self.assertEqual(found['a'].tolist(), [1, 2] * 3)
        both = self.dc.for_loop([self.dc.list(A)], lambda l, i: l.append(self.X * i), 1, 2)[0].compute()
        self.assertEqual(len(both), 3)
        self.equal(both[2], A * 2)

    def test_assignment_to_parts(self):
        def body(x, i):
            x[i, 0] = 0.0
            return x
        found = self.dc.for_loop([self.X], body, 0, 1)[0]
        expected = A.copy()
        expected[:, 0] = 0
        self.equal(found.compute(), expected)
        self.equal(self.X.compute(), A)

        def wrong(x, i):
            self.Y[0, 0] = 1.0
            return x
        with self.assertRaises(ValueError):
            self.dc.for_loop([self.X], wrong, 0, 1)

    def test_printing_happens_in_every_turn(self):
        def body(s, i):
            i.print()
            return s + i
        node = self.dc.for_loop([self.dc.scalar(0)], body, 1, 3)[0]
        self.assertEqual(self.printed(node.print()), '1\n2\n3\n6\n')

    def test_wrong_numbers_of_arguments_and_results(self):
        X, dc = self.X, self.dc
        for wrong in (lambda: dc.for_loop([X], lambda x: x, 1, 2), lambda: dc.for_loop([X], lambda x, i: (x, x), 1, 2),
                      lambda: dc.while_loop([X], lambda: X, lambda x: x), lambda: dc.while_loop([X], lambda x: (x, x), lambda x: x),
                      lambda: dc.do_while_loop([X], lambda x: x, lambda: X), lambda: dc.cond([X], lambda x: x, lambda x: x),
                      lambda: dc.cond([X], lambda: 1, lambda: X), lambda: dc.cond([X], lambda: 1, lambda x: None),
                      lambda: dc.cond([X], lambda: 1, lambda x: x, lambda x: (x, x))):
            with self.assertRaises(ValueError):
                wrong()
        with self.assertRaises(TypeError):
            dc.for_loop([X], 5, 1, 2)

    def test_values_of_a_body_do_not_leak(self):
        kept = []

        def body(x, i):
            kept.append(x + i)
            return kept[-1]
        self.dc.for_loop([self.X], body, 1, 2)
        with self.assertRaises(ValueError) as caught:
            (kept[0] + 1).compute()
        self.assertIn('for_loop', str(caught.exception))

    def test_helper_nodes_cannot_be_computed(self):
        from daphne.operator.nodes.for_loop import ForLoop
        node = ForLoop(self.dc, [self.X], lambda x, i: x + i, 1, 2)
        with self.assertRaises(NotImplementedError):
            node.compute()
        self.equal(node.get_output()[0].compute(), A + 3)
        with self.assertRaises(NotImplementedError):
            dp.compute(node)

    def test_types_may_widen(self):
        found = self.dc.for_loop([self.dc.scalar(1)], lambda s, i: s * 0.5, 1, 2)[0]
        self.assertEqual(found.compute(), 0.25)


class Functions(Case):
    def setUp(self):
        super().setUp()
        self.X = self.dc.from_numpy(A)

    def test_calls_share_one_definition(self):
        @self.dc.function
        def f(a, b):
            return a + b, a * b
        x, y = f(self.X, self.X * 2)
        z, _ = f(x, y)
        self.equal(z.compute(), A * 3 + A * A * 2)
        self.assertEqual((x + z).to_dsl().count('def '), 1)
        self.assertEqual(f.__name__, 'f')

    def test_annotations(self):
        @self.dc.function
        def scaled(a, s: dp.Scalar):
            return a * s
        self.equal(scaled(self.X, self.dc.scalar(3))[0].compute(), A * 3)
        self.equal(scaled(self.X, 4)[0].compute(), A * 4)

    @needs('pandas')
    def test_frames(self):
        @self.dc.function
        def double(f: dp.Frame) -> dp.Frame:
            return f.rbind(f)
        self.assertIsInstance(double(self.dc.from_dict({'a': [1]}))[0], dp.Frame)
        self.assertEqual(double(self.dc.from_dict({'a': [1]}))[0].compute()['a'].tolist(), [1, 1])

    def test_values_from_outside(self):
        Y = self.dc.from_numpy(A * 10)

        @self.dc.function
        def f(a):
            return a + Y
        self.equal(f(f(self.X)[0])[0].compute(), A * 21)

    def test_functions_with_loops_that_call_functions(self):
        @self.dc.function
        def plus(a, i: dp.Scalar):
            return a + i

        @self.dc.function
        def many(a):
            return self.dc.for_loop([a], lambda x, i: plus(x, i)[0], 1, 3)[0]
        self.equal(many(self.X)[0].compute(), A + 6)
        self.equal(self.dc.for_loop([self.X], lambda x, i: many(x)[0], 1, 2)[0].compute(), A + 12)

    def test_recursion(self):
        @self.dc.function
        def factorial(n: dp.Scalar) -> 'si64':
            return self.dc.cond([n], lambda: n < 2, lambda m: m * 0 + 1, lambda m: m * factorial(m - 1)[0])[0]
        self.assertEqual(factorial(self.dc.scalar(10))[0].compute(), 3628800)
        self.assertEqual(factorial(5)[0].compute(), 120)

        @self.dc.function
        def endless(n):
            return endless(n)[0]
        with self.assertRaises(ValueError):
            endless(self.X)

    def test_wrong_calls(self):
        @self.dc.function
        def f(a, b):
            return a + b
        with self.assertRaises(ValueError):
            f(self.X)

        @self.dc.function
        def nothing(a):
            return None
        with self.assertRaises(ValueError):
            nothing(self.X)

    def test_map(self):
        self.equal(self.dc.map(lambda x: x * x + 1, self.X).compute(), A * A + 1)
        clipped = self.X.map(lambda x: self.dc.cond([x], lambda: x > 2, lambda y: y * 0 + 2, lambda y: y)[0])
        self.equal(clipped.compute(), np.minimum(A, 2))
        with self.assertRaises(ValueError):
            self.dc.map(lambda x: x + self.X.sum(), self.X)


class Logic(Case):
    def test_helpers(self):
        one, zero = self.dc.scalar(1), self.dc.scalar(0)
        self.assertEqual(self.dc.logical_and(one, zero).compute(), 0)
        self.assertEqual(self.dc.logical_or(one, zero).compute(), 1)
        self.assertEqual(self.dc.logical_not(zero).compute(), 1)

    def test_truth_values(self):
        X = self.dc.ones(1, 1)
        for node in (X, X == X, X.sum()):
            with self.assertRaises(TypeError) as caught:
                bool(node)
            self.assertIn('cond', str(caught.exception))
        with self.assertRaises(TypeError):
            float(X.sum())
        dp.options.eager_scalars = True
        self.assertEqual((float(X.sum()), int(X.sum()), bool(X.sum()), [7, 8][self.dc.scalar(1)]), (1.0, 1, True, 8))


class Scalars(Case):
    """Section 6."""

    def test_functions(self):
        s = self.dc.scalar(0.5)
        import math
        table = {'abs': abs, 'exp': math.exp, 'ln': math.log, 'sqrt': math.sqrt, 'floor': math.floor, 'ceil': math.ceil,
                 'sin': math.sin, 'cos': math.cos, 'tan': math.tan, 'asin': math.asin, 'acos': math.acos, 'atan': math.atan,
                 'sinh': math.sinh, 'cosh': math.cosh, 'tanh': math.tanh, 'sign': lambda x: 1.0}
        for name, function in table.items():
            self.assertAlmostEqual(getattr(s, name)().compute(), function(0.5), msg=name)
        self.assertEqual(self.dc.scalar(2.5).round().compute(), 3.0)
        self.assertEqual(self.dc.scalar(float('nan')).isNan().compute(), 1)
        self.assertEqual(dp.compute(s.pow(2), s.mod(0.2), s.min(3), s.max(3), self.dc.scalar(8.0).log(2)),
                         (0.25, 0.5 % 0.2, 0.5, 3.0, 3.0))

    def test_operators(self):
        s, X = self.dc.scalar(7), self.dc.from_numpy(A)
        found = dp.compute(s + 1, 1 - s, s * 2, s / 2, s // -2, s ** 2, 2 ** s, s % 4, 40 % s, -s, s < 8, s == 7)
        self.assertEqual(found, (8, -6, 14, 3, -4, 49, 128, 3, 5, -7, 1, 1))
        self.assertIsInstance(s + X, dp.Matrix)
        self.equal((s + X).compute(), A + 7)
        self.equal((s.asType(vtype='f64') - X.sum()).compute(), -3.0)
        self.assertEqual((self.dc.scalar('a') + 'b').compute(), 'ab')
        self.assertEqual(self.dc.scalar(2.7).asType(vtype='si64').compute(), 2)
        self.assertEqual(self.printed(s.print()), '7\n')
