# SPDX-License-Identifier: Apache-2.0
"""What happens while programs run: errors and their places, interruption, threads, memory, options, progress, explanations."""
import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
from support import Case, address, needs, resident_bytes

import daphne as dp

ENDLESS = '''
import daphne as dp, time, sys
dc = dp.DaphneContext()
s = dc.while_loop([dc.scalar(1)], lambda s: s > 0, lambda s: s * 1)[0]
dc.ones(2, 2).sum().compute()
print('begins', flush=True)
try:
    s.compute()
except KeyboardInterrupt:
    print('interrupted', dc.ones(2, 2).sum().compute())
'''


class Errors(Case):
    def failure(self, job):
        with self.assertRaises(dp.DaphneError) as caught:
            job()
        return caught.exception

    def test_the_line_of_python(self):
        X = self.dc.from_numpy(np.ones((2, 3)))
        Y = X.t() + 1
        Z = X @ X  # here
        line = sys._getframe().f_lineno - 1
        e = self.failure(lambda: (Z + Y).compute())
        self.assertIsInstance(e, dp.ShapeError)
        self.assertIsInstance(e, RuntimeError)
        self.assertEqual((e.python_file, e.python_line), (__file__, line))
        self.assertEqual(e.node.operation, '@')
        text = str(e)
        self.assertTrue(text.startswith('Error in DaphneDSL script'))
        self.assertIn('Z = X @ X  # here', text)
        self.assertIn('^^^^^', text)
        self.assertIn('2x3', e.message)
        self.assertIn('Matrix(2x3, f64)', text)
        self.assertIn('@', e.dsl_excerpt)
        if sys.version_info >= (3, 11):
            caret = text.splitlines()[4]
            self.assertEqual(caret.index('^') - caret.index('|') - 2, text.splitlines()[3].index('X @') - caret.index('|') - 2)

    def test_places_inside_of_bodies_and_functions(self):
        X = self.dc.from_numpy(np.ones((2, 3)))

        @self.dc.function
        def f(a):
            return a @ a  # inside
        e = self.failure(lambda: f(X)[0].compute())
        self.assertIn('# inside', str(e))
        e = self.failure(lambda: self.dc.for_loop([X], lambda x, i: x + X.t(), 1, 2)[0].compute())
        self.assertEqual(e.python_file, __file__)

    def test_places_can_be_switched_off(self):
        dp.options.record_places = False
        X = self.dc.from_numpy(np.ones((2, 3)))
        e = self.failure(lambda: (X @ X).compute())
        self.assertIsNone(e.python_line)

    def test_classes(self):
        dc = self.dc
        self.assertIsInstance(self.failure(lambda: dc.script('Y = ;', {}, ['Y'])['Y'].compute()), dp.ParseError)
        self.assertIsInstance(self.failure(lambda: dc.builtin('nothing', 1).compute()), dp.ParseError)
        self.assertIsInstance(self.failure(lambda: (dc.scalar('a') @ dc.ones(1, 1)).compute()), dp.TypeInferenceError)
        self.assertIsInstance(self.failure(lambda: dc.readMatrix('/nothing/here.csv').compute()), dp.IOFormatError)
        self.assertIsInstance(self.failure(lambda: dc.zeros(2, 2).inv().compute()), dp.ExecutionError)
        self.assertIsInstance(self.failure(lambda: dc.ones(2, 2).compute(config={'no-such-key': 1})), dp.ParseError)
        e = self.failure(lambda: dc.fill(1.0, 2**22, 2**22).t().compute())
        self.assertIsInstance(e, dp.OutOfMemoryError)
        self.assertIsInstance(e, MemoryError)
        e = self.failure(lambda: dc.builtin('stop', 'the message', outputs=0).compute())
        self.assertIn('the message', e.message)
        hinted = self.failure(lambda: dc.builtin('sume', dc.ones(1, 1)).compute())
        self.assertIn('sum', hinted.hint)

    def test_500_failing_programs_leave_everything_usable(self):
        X = self.dc.from_numpy(np.ones((2, 3)))
        for i in range(500):
            failing = [lambda: X @ X, lambda: self.dc.zeros(2 + i % 7, 2 + i % 7).inv() if i % 2 else X + self.dc.fill(i, 3, i + 4),
                       lambda: self.dc.for_loop([X], lambda x, j: x + self.dc.fill(1.0, i + 3, 9), 1, 2)[0],
                       lambda: self.dc.readMatrix(f'/nothing/{i}.csv'), lambda: self.dc.fill(-1.0 - i, 2, 2).sqrt()][i % 5]
            with self.assertRaises(dp.DaphneError):
                failing().compute()
            if i % 50 == 0:
                self.assertEqual((X + i).sum().compute(), 6 + 6 * i)

    def test_errors_of_sinks_end_the_run(self):
        class Broken:
            def write(self, text):
                raise OSError('nobody reads')
        node = self.dc.ones(2, 2).print()
        out, sys.stdout = sys.stdout, Broken()
        try:
            with self.assertRaises(OSError):
                node.compute()
        finally:
            sys.stdout = out


class Interruption(Case):
    def test_a_keyboard_interrupt_ends_what_has_no_end(self):
        process = subprocess.Popen([sys.executable, '-c', ENDLESS], stdout=subprocess.PIPE, text=True, cwd='/')
        try:
            self.assertEqual(process.stdout.readline(), 'begins\n')
            time.sleep(0.5)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.stdout.readline(), 'interrupted 4.0\n')
            elapsed = time.monotonic() - begin
            self.assertEqual(process.wait(30), 0)
            # How long it takes depends on how busy the machine is: on an idle one less than 0.1 s.
            self.assertLess(elapsed, 10)
        finally:
            process.kill()
            process.stdout.close()

    def test_timeout(self):
        s = self.dc.while_loop([self.dc.scalar(1)], lambda s: s > 0, lambda s: s * 1)[0]
        found = []

        def run():
            begin = time.monotonic()
            try:
                s.compute(timeout=0.2)
            except dp.Cancelled:
                found.append(time.monotonic() - begin)
        run()
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(60)
        self.assertEqual(len(found), 2)
        self.assertTrue(all(0.15 < one < 10 for one in found), found)
        self.assertEqual(self.dc.ones(2, 2).sum().compute(timeout=100), 4.0)

    def test_other_threads_run_meanwhile(self):
        turns = [0]
        stop = threading.Event()

        def count():
            while not stop.is_set():
                turns[0] += 1
                time.sleep(0.001)
        thread = threading.Thread(target=count)
        thread.start()
        s = self.dc.while_loop([self.dc.scalar(1)], lambda s: s > 0, lambda s: s * 1)[0]
        with self.assertRaises(dp.Cancelled):
            s.compute(timeout=0.5)
        seen = turns[0]
        stop.set()
        thread.join()
        self.assertGreater(seen, 20)


class Threads(Case):
    def test_eight_threads_with_contexts_of_their_own_and_a_shared_one(self):
        shared = self.dc.from_numpy(np.arange(100.0).reshape(10, 10)).persist()
        failures = []

        def work(seed):
            rng = np.random.default_rng(seed)
            dc = dp.DaphneContext()
            try:
                for i in range(60):
                    a = rng.random((rng.integers(1, 40), 7))
                    if not np.allclose((dc.from_numpy(a) * 2 + i).sum(0).compute(), (a * 2 + i).sum(1, keepdims=True)):
                        failures.append((seed, i))
                    if (shared @ shared).sum().compute() != (A2).sum():
                        failures.append((seed, i, 'shared'))
            except BaseException as error:
                failures.append(error)
        base = np.arange(100.0).reshape(10, 10)
        A2 = base @ base
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(failures, [])

    def test_one_node_on_several_threads(self):
        node = (self.dc.from_numpy(np.ones((300, 300))) * 3).sum()
        found = []
        threads = [threading.Thread(target=lambda: found.extend(node.compute() for _ in range(20))) for _ in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(found, [270000.0] * 120)

    def test_futures_and_await(self):
        X = self.dc.from_numpy(np.ones((2, 2)))
        futures = [(X * k).sum().compute_async() for k in range(8)]
        self.assertEqual([one.result() for one in futures], [4.0 * k for k in range(8)])

        async def both():
            return await asyncio.gather(*[self.waited(X * k) for k in range(3)])
        self.assertEqual([one[0, 0] for one in asyncio.run(both())], [0, 1, 2])
        with self.assertRaises(dp.DaphneError):
            self.dc.zeros(2, 2).inv().compute_async().result()

    async def waited(self, node):
        return await node


class Memory(Case):
    def test_repeated_runs_do_not_grow(self):
        a = np.random.rand(1000, 100)
        X = self.dc.from_numpy(a)

        def run(i):
            found = (X + i).compute()
            self.dc.from_numpy(a[i % 10:]).sum().compute()
            return found[0, 0]
        for i in range(300):
            run(i % 50)
        before = resident_bytes()
        for i in range(2000):
            run(i % 50)
        self.assertLess(resident_bytes() - before, 16 << 20)
        from daphne._engine import values
        self.assertLess(len(values._lent), 50)

    def test_costs_at_the_border(self):
        X = self.dc.from_numpy(np.ones((2, 2)))
        node = X.sum()
        node.compute()
        times = []
        for _ in range(200):
            begin = time.perf_counter()
            node.compute()
            times.append(time.perf_counter() - begin)
        # On an idle machine it takes some 40 microseconds; to compile it again would take milliseconds each time.
        self.assertLess(sorted(times)[20], 0.02)

    def test_equal_graphs_compile_once(self):
        def compiled(k):
            X = self.dc.from_numpy(np.full((3, 3), float(k)))
            node = ((X @ X + 1).sum() * 2).exp().sqrt()
            node.compute(profile=True)
            return node.last_profile
        first = compiled(0)
        self.assertEqual(compiled(0.1)['compilationSeconds'], first['compilationSeconds'])
        self.assertIn('running', first['python'])


class Options(Case):
    def test_options_of_call_context_and_process(self):
        for config in ({'num-threads': 1}, {'numberOfThreads': 1}, {'num_threads': 1}, {'vec': False}, {'partitioning': 'GSS'},
                       {'taskPartitioningScheme': 'STATIC', 'grain_size': 10}):
            self.assertEqual(self.dc.ones(100, 10).sum().compute(config=config), 1000.0)
            self.assertEqual(dp.DaphneContext(config).ones(100, 10).sum().compute(), 1000.0)
        self.assertEqual(self.dc.ones(3, 3).sum().compute(args=['--no-vec', '--num-threads=1', '--partitioning=GSS']), 9.0)
        self.assertEqual(dp.DaphneContext(num_threads=3).device_info()['threads'], 3)
        self.assertEqual(dp.DaphneContext(args=['--num-threads=2']).device_info()['threads'], 2)
        dp.options.engine = {'num-threads': 4}
        self.assertEqual(self.dc.device_info()['threads'], 4)
        self.assertEqual(dp.DaphneContext(num_threads=3).device_info()['threads'], 3)

    def test_files_and_environment(self):
        import json
        import tempfile
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump({'numberOfThreads': 3}, file)
            file.flush()
            self.assertEqual(dp.DaphneContext(file.name).device_info()['threads'], 3)
            os.environ['DAPHNE_CONFIG'] = file.name
            self.addCleanup(os.environ.pop, 'DAPHNE_CONFIG', None)
            self.assertEqual(dp.DaphneContext().device_info()['threads'], 3)
            os.environ['DAPHNE_NUM_THREADS'] = '5'
            self.addCleanup(os.environ.pop, 'DAPHNE_NUM_THREADS', None)
            self.assertEqual(dp.DaphneContext().device_info()['threads'], 5)
            os.environ['SLURM_CPUS_ON_NODE'] = '2'
            self.addCleanup(os.environ.pop, 'SLURM_CPUS_ON_NODE', None)
            self.assertEqual(dp.DaphneContext().device_info()['threads'], 2)

    def test_mistakes(self):
        with self.assertRaises(dp.ParseError) as caught:
            self.dc.ones(1, 1).compute(config={'num-thread': 1})
        self.assertIn('num-threads', str(caught.exception))
        with self.assertRaises(dp.ParseError):
            self.dc.ones(1, 1).compute(config={'partitioning': 'NONE'})
        with self.assertRaises(dp.ParseError):
            self.dc.ones(1, 1).compute(args=['num-threads=1'])
        with self.assertRaises(AttributeError) as caught:
            dp.options.sparse_result = True
        self.assertIn('sparse_results', str(caught.exception))
        with self.assertRaises(TypeError):
            dp.options.sparse_results = 1
        with self.assertRaises(TypeError):
            self.dc.ones(1, 1).compute(no_such_option=1)

    def test_contexts_close(self):
        with dp.DaphneContext(name='mine') as dc:
            self.assertEqual(dc.ones(2, 2).sum().compute(), 4.0)
            self.assertIn('mine', repr(dc))
        self.assertEqual(dc.ones(2, 2).sum().compute(), 4.0)

    def test_verbose_prints_times(self):
        import contextlib
        import io
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.dc.ones(2, 2).compute(verbose=True)
        self.assertIn('running', out.getvalue())


class Several(Case):
    def test_compute_of_several_nodes(self):
        X = self.dc.rand(5, 5)
        a, b = dp.compute(X, X + 1)
        self.equal(b, a + 1)  # the same random numbers: computed once
        self.assertEqual(dp.compute(), ())
        twice = dp.compute(X + 1, self.dc.scalar(1), X, X)
        self.equal(twice[2], twice[3])
        node = self.dc.scalar(1) + 1
        self.assertEqual(dp.compute(node, node), (2, 2))
        self.assertEqual(dp.compute(self.dc.scalar(1), self.dc.scalar(2)), (1, 2))
        with self.assertRaises(TypeError):
            dp.compute(5)

    def test_persist(self):
        X = self.dc.rand(5, 5).persist()
        self.equal(X.compute(), X.compute())
        self.assertEqual(X.shape, (5, 5))
        self.assertTrue(X.is_python_local_data)
        self.assertIn('data', repr(X))

    @needs('pandas')
    def test_persisted_frames(self):
        F = self.dc.from_dict({'a': [1, 2], 's': ['x', 'y']}).rbind(self.dc.from_dict({'a': [3], 's': ['z']})).persist()
        self.assertEqual(F.columns, ['a', 's'])
        self.assertEqual(self.dc.sql('SELECT count(t.a) AS n FROM t', t=F).compute()['n'][0], 3)
        self.assertEqual(F.compute()['s'].tolist(), ['x', 'y', 'z'])

    def test_values_of_pure_graphs_are_kept_if_that_is_wanted(self):
        a = np.ones((20, 20))
        node = (self.dc.from_numpy(a) * 2).exp()
        first = node.compute()
        again = node.compute()
        self.assertNotEqual(address(first), address(again))
        dp.options.cache = True
        kept = node.compute()
        self.assertFalse(kept.flags.writeable)
        self.assertEqual(address(node.compute()), address(kept))
        self.equal((node + 1).compute(), first + 1)
        for changing in (self.dc.rand(5, 5), self.dc.sample(100, 5, True), self.dc.rand(3, 3) + 1,
                         self.dc.for_loop([self.dc.zeros(3, 3)], lambda x, i: x + self.dc.rand(3, 3), 1, 2)[0]):
            self.assertFalse(np.array_equal(changing.compute(), changing.compute()))
        seeded = self.dc.rand(5, 5, seed=3)
        self.assertEqual(address(seeded.compute()), address(seeded.compute()))
        dp.options.cache = False
        self.assertNotEqual(address(node.compute()), address(kept))

    def test_deep_graphs(self):
        X = self.dc.scalar(0)
        for _ in range(3000):
            X = X + 1
        self.assertEqual(X.compute(), 3000)
        self.assertIn('depth=3001', repr(X))


class Texts(Case):
    def test_repr(self):
        X = self.dc.from_numpy(np.ones((3, 2)))
        self.assertEqual(repr(X), '<Matrix 3x2, f64, operation=data, depth=1>')
        self.assertEqual(repr(X.exp().sum()), '<Scalar f64, operation=sum, depth=3>')
        self.assertIn('operation=readFrame', repr(self.dc.readFrame('nothing.csv')))

    def test_html(self):
        self.assertIn('<table>', self.dc.from_numpy(np.ones((3, 2)))._repr_html_())
        self.assertNotIn('<table>', self.dc.ones(3, 2)._repr_html_())
        escaped = self.dc.from_numpy(np.array([['<b>']], dtype=object))._repr_html_()
        self.assertIn('&lt;b&gt;', escaped)

    @needs('scipy')
    def test_html_of_sparse_matrices(self):
        import scipy.sparse
        text = self.dc.from_scipy(scipy.sparse.eye(50, format='csr'))._repr_html_()
        self.assertIn('50 stored cells', text)
        self.assertIn('<svg', text)

    def test_explanations(self):
        node = (self.dc.from_numpy(np.ones((3, 2))) * 2).sum()
        self.assertIn('* 2', str(node.explain('dsl')))
        self.assertIn('daphne.ewMul', str(node.explain('ir')))
        self.assertIn('daphne.pipeline', node.explain())
        self.assertIn('ModuleID', node.explain('llvm'))
        with self.assertRaises(dp.ParseError):
            node.explain('nothing')
        big = (self.dc.from_numpy(np.ones((3000, 200))) * 2).sum()
        self.assertGreater(len(str(big.explain(analyze=True))), len(str(big.explain())))
        with self.assertRaises(dp.ShapeError):
            (self.dc.ones(2, 3) @ self.dc.ones(2, 3)).explain()

    def test_graph(self):
        text = (self.dc.ones(2, 2) + 1).visualize()
        self.assertTrue(text.startswith('digraph'))
        self.assertIn('->', text)

    def test_program(self):
        text = (self.dc.from_numpy(np.ones((2, 2))) + 1).to_dsl()
        self.assertEqual(text, 'v0 = x0 + 1;\n')


class Progress(Case):
    def test_events(self):
        events = []
        import tempfile
        with tempfile.TemporaryDirectory() as directory:
            file = os.path.join(directory, 'x.csv')
            self.dc.rand(300000, 10, seed=1).write(file).compute()
            self.dc.readMatrix(file).sum().compute(progress=events.append)
        for event in events:
            self.assertIsInstance(event.pipeline, str)
            self.assertTrue(0 <= event.done <= max(event.total, event.done))
            self.assertGreaterEqual(event.elapsed, 0)

    def test_errors_of_listeners_end_the_run(self):
        def listener(event):
            raise KeyError('no more')
        s = self.dc.rand(4000, 4000, seed=1)
        try:
            (s @ s).sum().compute(progress=listener, timeout=30)
        except KeyError:
            pass
