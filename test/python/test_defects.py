# SPDX-License-Identifier: Apache-2.0
"""What the published package gets wrong: one test per case."""
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading

import numpy as np
from support import Case, needs, resident_bytes

import daphne as dp

A = np.arange(12.0).reshape(4, 3)


def sum_in_a_process(seed):
    """What a process of its own computes, through files and memory."""
    a = np.random.default_rng(seed).random((50, 20))
    dc = dp.DaphneContext()
    found = dc.from_numpy(a, shared_memory=False).t().compute(type='files')
    return bool(np.array_equal(found, a.T)) and bool(np.isclose(dc.from_numpy(a).sum().compute(), a.sum()))


class Defects(Case):
    def setUp(self):
        super().setUp()
        self.X = self.dc.from_numpy(A)

    def test_number_times_matrix(self):
        self.equal((1.5 * self.X).compute(), 1.5 * A)

    def test_scalar_power_and_remainder(self):
        s = self.dc.scalar(5)
        self.assertEqual(dp.compute(s ** 2, s % 3), (25, 2))

    def test_scalar_floor_division(self):
        self.assertEqual((self.dc.scalar(7) // 2).compute(), 3)
        self.assertEqual((self.dc.scalar(-7.5) // 2).compute(), -4.0)

    def test_scalar_plus_matrix(self):
        found = self.dc.scalar(1.0) + self.X
        self.assertIsInstance(found, dp.Matrix)
        self.equal(found.compute(), A + 1)

    def test_whole_results_of_running_sums_and_positions(self):
        self.equal(self.X.cumSum().compute(), A.cumsum(0))
        self.assertEqual(self.X.idxMax(0).compute().shape, (4, 1))

    def test_rand_without_limits(self):
        found = self.dc.rand(3, 3).compute()
        self.assertTrue(((found >= 0) & (found <= 1)).all())
        self.assertEqual(found.dtype, np.float64)

    def test_limits_of_bins(self):
        found = self.dc.from_numpy(np.array([[1.0], [9.0]])).bin(3, 0, 30).compute()
        self.assertEqual(found.ravel().tolist(), [0, 0])

    def test_step_of_a_slice(self):
        self.equal(self.X[::2, :].compute(), A[::2])

    @needs('pandas')
    def test_quotes_in_queries_and_paths(self):
        F = self.dc.from_dict({'s': ['x', 'y']})
        self.assertEqual(len(self.dc.sql('SELECT t.s FROM t WHERE t.s = "x"', t=F).compute()), 1)
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, 'a "b".csv')
            self.X.write(file).compute()
            self.equal(self.dc.readMatrix(file).compute(), A)

    @needs('pandas')
    def test_registered_views(self):
        F = self.dc.from_dict({'a': [1, 2]})
        F.registerView('t')
        self.assertEqual(self.dc.sql('SELECT sum(t.a) AS s FROM t').compute()['s'][0], 3)

    @needs('pandas')
    def test_wrong_number_of_labels(self):
        F = self.dc.from_dict({'a': [1, 2]})
        with self.assertRaises(RuntimeError):
            F.setColLabels(['a', 'b'])
        with self.assertRaises(RuntimeError):
            self.dc.sql('SELECT t.a FROM t', t=F).setColLabels(['a', 'b']).compute()

    @needs('pandas')
    def test_frames_in_loops_and_values_from_outside_in_conditions(self):
        F = self.dc.from_dict({'a': [1, 2]})
        self.assertEqual(len(self.dc.for_loop([F], lambda f, i: f.rbind(f), 1, 2)[0].compute()), 8)
        limit = self.dc.scalar(10)
        self.assertEqual(self.dc.while_loop([self.dc.scalar(1)], lambda s: s < limit, lambda s: s + 3)[0].compute(), 10)

    def test_layouts_and_types(self):
        for a in (np.asfortranarray(A), A[:, ::2], A[::-1], A.astype(np.int16), A > 3, np.array(3.0), np.zeros((0, 3))):
            expected = np.atleast_2d(a).astype(np.int32) if a.dtype == np.int16 else np.atleast_2d(a)
            self.equal(self.dc.from_numpy(a).compute(), expected)

    @needs('pandas')
    def test_keeping_the_index_leaves_the_frame_alone(self):
        import pandas as pd
        df = pd.DataFrame({'a': [1, 2]}, index=['x', 'y'])
        self.dc.from_pandas(df, keepIndex=True).compute()
        self.assertEqual((list(df.columns), list(df.index)), (['a'], ['x', 'y']))

    @needs('pandas')
    def test_columns_of_texts(self):
        found = self.dc.sql('SELECT t.s FROM t', t=self.dc.from_dict({'s': ['a', 'b']})).compute()
        self.assertEqual(found.iloc[:, 0].tolist(), ['a', 'b'])

    def test_results_are_freed_with_their_last_view(self):
        def run():
            return (self.dc.fill(1.0, 1000, 1000) + self.dc.rand(1, 1)[0, 0]).compute()[:1, :1]
        for _ in range(20):
            run()
        before = resident_bytes()
        for _ in range(300):
            run()
        self.assertLess(resident_bytes() - before, 40 << 20)

    def test_processes_and_threads_are_independent(self):
        context = multiprocessing.get_context('spawn')
        with context.Pool(3) as pool:
            self.assertEqual(pool.map(sum_in_a_process, range(6)), [True] * 6)
        found = []
        threads = [threading.Thread(target=lambda seed=seed: found.append(sum_in_a_process(seed))) for seed in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(found, [True] * 6)

    def test_truth_of_comparisons(self):
        with self.assertRaises(TypeError):
            if self.X == self.X:
                pass

    def test_forked_processes_compute(self):
        self.X.sum().compute()
        code = ('import os, sys, numpy as np, daphne as dp\n'
                'dc = dp.DaphneContext()\n'
                'a = np.ones((2000, 500))\n'
                'assert (dc.from_numpy(a) * 2).sum().compute() == 2e6\n'
                'child = os.fork()\n'
                'if child == 0:\n'
                '    ok = (dc.from_numpy(a) * 3).sum().compute() == 3e6\n'
                '    os._exit(0 if ok else 1)\n'
                'sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n')
        done = subprocess.run([sys.executable, '-c', code], timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              cwd='/')
        self.assertEqual(done.returncode, 0, done.stdout)
