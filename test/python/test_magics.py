# SPDX-License-Identifier: Apache-2.0
"""%daphne and %%daphne in Python notebooks."""
import contextlib
import io
import os
import signal
import threading
import time
import unittest

import numpy as np
from support import needs


@needs('IPython')
class Magics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from IPython.core.interactiveshell import InteractiveShell
        cls.shell = InteractiveShell.instance()
        cls.shell.run_line_magic('load_ext', 'daphne.magics')

    def setUp(self):
        self.shell.reset(new_session=False)
        self.shell.run_cell_magic('daphne', '--reset', '# nothing')

    def cell(self, line, text):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.shell.run_cell_magic('daphne', line, text)
        return out.getvalue()

    def put(self, **variables):
        self.shell.push(variables)

    def get(self, name):
        return self.shell.user_ns[name]

    def test_arrays_go_in_and_out_without_a_copy(self):
        X = np.arange(12.0).reshape(3, 4)
        self.put(X=X)
        self.cell('-i X -o Y,Z', 'Y = X; Z = X * 2.0;')
        self.assertTrue(np.shares_memory(self.get('Y'), X))
        np.testing.assert_array_equal(self.get('Z'), X * 2)

    @needs('scipy')
    def test_sparse_matrices(self):
        from scipy import sparse
        S = sparse.random(50, 40, 0.1, format='csr', random_state=1)
        self.put(S=S)
        self.cell('-i S -o T,U', 'T = S; U = t(S);')
        self.assertTrue(sparse.issparse(self.get('T')))
        np.testing.assert_array_equal(self.get('T').toarray(), S.toarray())
        self.assertTrue(np.shares_memory(self.get('T').data, S.data))
        np.testing.assert_array_equal(self.get('U').toarray() if sparse.issparse(self.get('U')) else self.get('U'),
                                      S.toarray().T)

    @needs('pandas')
    def test_data_frames(self):
        import pandas as pd
        df = pd.DataFrame({'a': [3, 1, 2], 'name': ['x', 'y', 'z']})
        self.put(df=df)
        self.cell('-i df -o back,sorted', 'back = df; sorted = order(df, 0, true, false);')
        pd.testing.assert_frame_equal(self.get('back'), df, check_dtype=False, check_column_type=False)
        self.assertEqual(list(self.get('sorted')['name']), ['y', 'z', 'x'])

    def test_numbers_and_texts(self):
        self.put(n=3, f=0.5, b=True, s='wörd')
        self.cell('-i n,f,b,s -o m,g,c,t', 'm = n + 1; g = f * 2.0; c = !b; t = s + "!";')
        self.assertEqual([self.get(name) for name in 'mgct'], [4, 1.0, False, 'wörd!'])

    def test_nodes_are_computed_when_they_must_be(self):
        import daphne as dp
        dc = dp.DaphneContext()
        self.put(N=dc.from_numpy(np.ones((2, 2))) + 1.0)
        self.assertEqual(self.shell.run_line_magic('daphne', '-i N sum(N)'), 8.0)

    def test_the_line_returns_a_value(self):
        self.put(X=np.arange(4.0))
        self.assertEqual(self.shell.run_line_magic('daphne', '-i X sum(X)'), 6.0)
        self.assertEqual(self.shell.run_line_magic('daphne', 'sum(X) + 1.0'), 7.0)
        self.assertIsNone(self.shell.run_line_magic('daphne', 'q = 1;'))
        self.assertEqual(self.shell.run_line_magic('daphne', '-q + 3'), 2)

    def test_the_last_expression_of_a_cell_is_shown(self):
        self.assertIn('2x1 matrix', self.cell('', 'M = [1, 2];\nM'))
        self.assertEqual(self.cell('', 'M;'), '')
        self.assertEqual(self.cell('', 'print(M);'), 'DenseMatrix(2x1, int64_t)\n1\n2\n')

    def test_variables_live_from_cell_to_cell(self):
        self.cell('', 'def inc(x: si64) -> si64 { return x + 1; } k = 1;')
        self.cell('', 'k = inc(k);')
        self.cell('-o k', '# only the output')
        self.assertEqual(self.get('k'), 2)

    def test_a_failing_cell_changes_nothing(self):
        from daphne import DaphneError
        self.put(X=np.ones(3), n=1)
        self.cell('', 'n = 10;')
        with self.assertRaises(DaphneError) as raised:
            self.cell('-i X,n -o n', 'n = n + 1;\ny = X @ X;')
        shown = '\n'.join(raised.exception._render_traceback_())
        self.assertIn('cell:2:', shown)
        self.assertIn('^', shown)
        self.assertEqual(self.get('n'), 1)
        self.assertEqual(self.shell.run_line_magic('daphne', 'n'), 10)
        with self.assertRaises(DaphneError):
            self.shell.run_line_magic('daphne', 'X')

    def test_wrong_options(self):
        from IPython.core.error import UsageError
        for line, text in (('-i', 'x = 1;'), ('-i nobody', 'x = 1;'), ('-o nobody', 'x = 1;'), ('--outputs x', 'x = 1;'),
                           ('x = 1;', 'y = 2;')):
            with self.assertRaises(UsageError, msg=line):
                self.cell(line, text)
        with self.assertRaisesRegex(TypeError, 'thing'):
            self.put(thing=object())
            self.cell('-i thing', 'x = 1;')

    def test_interruption(self):
        self.cell('', 'held = 5;')
        timer = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            self.cell('', 'held = 6; i = 0; while (i < 100000000000) { i = i + 1; }')
        self.assertEqual(self.shell.run_line_magic('daphne', 'held'), 5)

    def test_many_cells_in_a_row_are_fast(self):
        self.cell('', 'x = 0;')
        begin = time.monotonic()
        for _ in range(20):
            self.cell('', 'x = x + 1;')
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(self.shell.run_line_magic('daphne', 'x'), 20)


if __name__ == '__main__':
    unittest.main()
