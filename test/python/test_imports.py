# SPDX-License-Identifier: Apache-2.0
"""The package as it is imported: names, what it does not load, how long it takes."""
import os
import subprocess
import sys
import unittest

from support import ROOT, Case

import daphne as dp


def run(code, **env):
    """Output of a Python program of its own."""
    done = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **env}, timeout=300, cwd='/')
    if done.returncode:
        raise AssertionError(done.stdout)
    return done.stdout.strip()


class Imports(Case):
    def test_paths_of_the_contract(self):
        from daphne.context.daphne_context import DaphneContext
        from daphne.operator.nodes.cond import Cond
        from daphne.operator.nodes.do_while_loop import DoWhileLoop
        from daphne.operator.nodes.for_loop import ForLoop
        from daphne.operator.nodes.frame import Frame
        from daphne.operator.nodes.matrix import Matrix
        from daphne.operator.nodes.multi_return import MultiReturn
        from daphne.operator.nodes.scalar import Scalar
        from daphne.operator.nodes.while_loop import WhileLoop
        from daphne.operator.operation_node import OperationNode
        from daphne.script_building.dag import DAGNode, OutputType
        from daphne.utils import consts
        for one in (Matrix, Frame, Scalar, MultiReturn, ForLoop, WhileLoop, DoWhileLoop, Cond):
            self.assertTrue(issubclass(one, OperationNode))
        self.assertTrue(issubclass(OperationNode, DAGNode))
        self.assertTrue({'MATRIX', 'NONE', 'SCALAR', 'FRAME', 'MULTI_RETURN'} <= set(OutputType.__members__))
        self.assertEqual([getattr(consts, name) for name in
                          ('SI8', 'SI32', 'SI64', 'UI8', 'UI32', 'UI64', 'F32', 'F64', 'STR')], list(range(9)))
        self.assertIs(dp.DaphneContext, DaphneContext)
        self.assertIs(dp.Matrix, Matrix)

    def test_names_of_the_package(self):
        for name in ('DaphneContext', 'Matrix', 'Frame', 'Scalar', 'List', 'options', 'DaphneError', 'numpy', '__version__'):
            self.assertTrue(hasattr(dp, name), name)
        self.assertTrue((ROOT / 'python' / 'daphne' / 'py.typed').is_file())
        self.assertEqual(dp.__version__, self.dc.version())
        with self.assertRaises(AttributeError):
            dp.no_such_name

    def test_nothing_heavy_is_loaded(self):
        loaded = run('import sys, daphne; print(" ".join(sys.modules))').split()
        for name in ('pandas', 'scipy', 'torch', 'tensorflow', 'pyarrow', 'polars', 'asyncio', 'daphne.numpy'):
            self.assertNotIn(name, loaded)
        self.assertEqual(run('import daphne; print("libdaphne" in open("/proc/self/maps").read())'), 'False')

    def test_building_nodes_does_not_load_the_engine(self):
        code = ('import numpy as np, daphne as dp; dc = dp.DaphneContext(); X = dc.from_numpy(np.ones((2, 2)));'
                'Y = ((X @ X + 1).sum() * 2).exp(); dc.for_loop([X], lambda x, i: x + i, 1, 3); repr(Y); Y.to_dsl();'
                'print("libdaphne" in open("/proc/self/maps").read())')
        self.assertEqual(run(code), 'False')

    def test_importing_takes_less_than_150_ms_besides_numpy(self):
        # CPU time, so that other programs do not count
        code = 'import numpy, time; t = time.process_time(); import daphne; print(time.process_time() - t)'
        self.assertLess(min(float(run(code)) for _ in range(3)), 0.15)

    def test_no_environment_is_needed(self):
        code = ('import sys; sys.path.insert(0, "%s"); import daphne as dp;'
                'print(dp.DaphneContext().ones(2, 2).sum().compute())' % (ROOT / 'python'))
        if not (ROOT / 'lib' / 'libdaphne.so').exists():
            self.skipTest('the library is not in the source tree')
        done = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={'PATH': os.environ['PATH']}, cwd='/')
        self.assertEqual(done.stdout.strip(), '4.0')

    def test_a_missing_library_is_an_import_error_with_all_places(self):
        code = ('import daphne as dp, daphne._engine.library as l\n'
                'l.FILE_NAME = "libnothing.so"\n'
                'try:\n    dp.DaphneContext().ones(1, 1).compute()\n'
                'except ImportError as e: print(e)')
        text = run(code, DAPHNELIB_DIR_PATH='/nowhere')
        self.assertIn('/nowhere/libnothing.so', text)
        self.assertIn('DAPHNELIB_DIR_PATH', text)

    def test_generated_methods_are_up_to_date(self):
        daphne = ROOT / 'bin' / 'daphne'
        if not daphne.exists():
            self.skipTest('bin/daphne is not there')
        done = subprocess.run([sys.executable, str(ROOT / 'python' / 'tools' / 'generate.py'), '--check', '--daphne', str(daphne)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == '__main__':
    unittest.main()
