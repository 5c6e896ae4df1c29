# SPDX-License-Identifier: Apache-2.0
"""Programs in DaphneDSL as parts of graphs."""
import os
import pathlib
import tempfile

import numpy as np
from support import Case, needs

import daphne as dp

A = np.array([[1.0, 2.0], [3.0, 4.0]])


class Scripts(Case):
    def setUp(self):
        super().setUp()
        self.X = self.dc.from_numpy(A)
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def file(self, text, name="a lib's.daph"):
        path = os.path.join(self.directory.name, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        return path

    def test_variables_in_and_out(self):
        out = self.dc.script('def g(x) { return x + 1; } Y = g(X) * $k; s = sum(Y);', {'X': self.X}, {'Y': 'matrix', 's': 'scalar'},
                             {'k': 2})
        self.equal(out['Y'].compute(), (A + 1) * 2)
        self.assertEqual((out['s'] + 1).compute(), ((A + 1) * 2).sum() + 1)
        found = dp.compute(out['Y'], out['s'])
        self.equal(found[0], (A + 1) * 2)

    def test_names_of_ours_are_not_in_the_way(self):
        out = self.dc.script('v0 = x0 * 10; v1_0 = v0 + 1; i0 = 3;', {'x0': self.X}, ['v0', 'v1_0', 'i0'])
        self.equal((out['v0'] + self.X + out['v1_0'] + 1).compute(), A * 10 + A + A * 10 + 1 + 1)

    def test_files(self):
        path = self.file('// a comment with ;\nY = X * 2;\n')
        for name in (path, pathlib.Path(path)):
            self.equal(self.dc.script(name, {'X': self.X}, ['Y'])['Y'].compute(), A * 2)

    def test_arguments(self):
        out = self.dc.script('t = $text; z = $n; y = "$n";', {}, dict.fromkeys('tzy', 'scalar'), {'n': 1.5, 'text': 'a "b"'})
        self.assertEqual([out[name].compute() for name in 'tzy'], ['a "b"', 1.5, '$n'])
        with self.assertRaises(ValueError):
            self.dc.script('y = $n;', {}, ['y'])
        with self.assertRaises(ValueError):
            self.dc.script('y = 1;', {}, ['y'], {'n': 1})

    def test_mistakes(self):
        with self.assertRaises(dp.ParseError) as caught:
            self.dc.script('Y = X +;', {'X': self.X}, ['Y'])['Y'].compute()
        self.assertEqual(caught.exception.python_file, __file__)
        with self.assertRaises(dp.DaphneError):
            self.dc.script('Y = X;', {'X': self.X}, ['Z'])['Z'].compute()
        with self.assertRaises(ValueError):
            self.dc.script('Y = 1;', {}, {'Y': 'tensor'})
        with self.assertRaises(ValueError):
            self.dc.script('Y = 1;', {}, ['not a name'])
        with self.assertRaises(FileNotFoundError):
            self.dc.script('/nothing/here.daph', {}, ['Y'])

    def test_functions_of_files(self):
        path = self.file('/* def no(x) { } */\n'
                         'def both(a, b) { return a + b, a * b; }\n'
                         'def total(a) -> f64 { return sum(a); }\n'
                         'def table(a) -> frame { return as.frame(a); }\n'
                         'def text(a: str) { return [a, "return 1, 2;"]; }\n')
        lib = self.dc.import_dsl(path)
        s, p = lib.both(self.X, self.X)
        self.equal((s + p).compute(), A * 2 + A * A)
        self.assertIsInstance(lib.total(self.X), dp.Scalar)
        self.assertEqual((lib.total(self.X) * 2).compute(), 20.0)
        self.assertIsInstance(lib.table(self.X), dp.Frame)
        self.assertEqual(lib.text('x"').compute().ravel().tolist(), ['x"', 'return 1, 2;'])
        self.assertFalse(hasattr(lib, 'no'))
        self.assertIn('both', repr(lib))
        self.assertEqual((s + lib.total(self.X)).to_dsl().count('import'), 1)
        with self.assertRaises(ValueError):
            self.dc.import_dsl(self.file('x = 1;'))
        with self.assertRaises(ValueError):
            self.dc.import_dsl(self.file('def f(x) { return x; }', 'a "b".daph'))

    def test_builtin_functions(self):
        self.assertAlmostEqual(self.dc.builtin('det', self.X).compute(), -2.0)
        q, r = self.dc.builtin('qr', self.X, outputs=2)
        self.close((q @ r).compute(), A, rtol=1e-10)
        self.assertEqual(self.dc.builtin('strlen', 'abc', outputs='scalar').compute(), 3)
        self.assertIsNone(self.dc.builtin('assert', 1, 'text', outputs=0).compute())
        self.equal(self.dc.builtin('cov', self.X, ddof=1).compute(), self.X.cov(ddof=1).compute())
        with self.assertRaises(ValueError):
            self.dc.builtin('a b')
        with self.assertRaises(dp.ParseError):
            self.dc.builtin('nothing').compute()

    @needs('pandas')
    def test_frames(self):
        F = self.dc.from_dict({'a': [1, 2]})
        out = self.dc.script('G = rbind(F, F);', {'F': F}, {'G': 'frame'})
        self.assertEqual(out['G'].compute()['a'].tolist(), [1, 2, 1, 2])
        self.assertEqual(self.dc.builtin('describe', F).compute().shape, (1, 9))


class Jit(Case):
    def test_python_functions_with_control_flow(self):
        @self.dc.jit
        def newton(x, limit):
            guess = x / 2
            steps = 0
            while abs(guess * guess - x) > limit:
                guess = (guess + x / guess) / 2
                steps = steps + 1
            if steps > 3:
                kind = 1
            else:
                kind = 2
            return guess, kind
        guess, kind = newton(self.dc.scalar(2.0), 1e-12)
        self.assertAlmostEqual(guess.compute(), 2 ** 0.5)
        self.assertEqual(kind.compute(), 1)
        with self.assertRaises(TypeError):
            bool(guess > 1)

    def test_for_loops(self):
        @self.dc.jit
        def power(X, n):
            result = X
            for i in range(n - 1):
                result = result @ X
            for k in (1, 2):
                result = result + k
            return result
        self.close(power(self.dc.from_numpy(A), self.dc.scalar(4)).compute(), np.linalg.matrix_power(A, 4) + 3)
        self.close(power(self.dc.from_numpy(A), 4).compute(), np.linalg.matrix_power(A, 4) + 3)
        self.close(power(A, 4), np.linalg.matrix_power(A, 4) + 3)

    def test_nested(self):
        @self.dc.jit
        def f(x, n):
            total = x * 0
            for i in range(1, n + 1):
                if i % 2 == 0:
                    total = total + i
                elif i > 5:
                    total = total - 1
                else:
                    total = total * 1
            return total

        def plain(n):
            total = 0
            for i in range(1, n + 1):
                if i % 2 == 0:
                    total += i
                elif i > 5:
                    total -= 1
            return total
        self.assertEqual(f(self.dc.scalar(3), self.dc.scalar(9)).compute(), plain(9))

    def test_what_is_not_understood(self):
        @self.dc.jit
        def f(x):
            while x > 1:
                x = x / 2
                if x < 3:
                    break
            return x
        with self.assertRaises(TypeError) as caught:
            f(self.dc.scalar(8.0))
        self.assertIn('break', str(caught.exception))

        @self.dc.jit
        def g(x):
            if x > 1:
                y = x
            return y
        with self.assertRaises((UnboundLocalError, NameError, TypeError)):
            g(self.dc.scalar(8.0))
