# SPDX-License-Identifier: Apache-2.0
"""Examples of docstrings and of the guide, annotations, and what users' type checkers see."""
import contextlib
import doctest
import importlib
import inspect
import io
import linecache
import os
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from support import ROOT, Case, needs

import daphne as dp

GUIDE = ROOT / 'docs' / 'guide' / 'python.md'
FENCE = re.compile(r'^```(\w+)\n(.*?)^```\n', re.M | re.S)


def exact(text):
    """What is printed; older Pythons do not know the columns of an error."""
    return text.rstrip() if sys.version_info >= (3, 11) else re.sub(r'^.*\^+$', '', text.rstrip(), flags=re.M)


def modules():
    """All modules of the package."""
    for one in pkgutil.walk_packages(dp.__path__, 'daphne.'):
        if not one.name.startswith(('daphne.kernel', 'daphne.magics', 'daphne.__main__')):
            yield importlib.import_module(one.name)


class Documents(Case):
    @needs('pandas')
    def test_examples_of_docstrings(self):
        tried = 0
        for module in modules():
            finder = doctest.DocTestFinder(exclude_empty=True)
            for test in finder.find(module, globs={'dc': self.dc, 'np': np, 'dp': dp}):
                if test.examples:
                    out = io.StringIO()
                    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
                    runner.run(test, out=out.write)
                    self.assertEqual(runner.failures, 0, out.getvalue())
                    tried += 1
        self.assertGreater(tried, 8)

    def test_everything_public_has_a_docstring(self):
        missing = []
        for module in modules():
            if not (module.__doc__ or '').strip() and os.path.getsize(module.__file__) > 100:
                missing.append(module.__name__)
            for name, one in vars(module).items():
                if name.startswith('_') or getattr(one, '__module__', None) != module.__name__ or not callable(one):
                    continue
                if not (one.__doc__ or '').strip():
                    missing.append(f'{module.__name__}.{name}')
                if isinstance(one, type):
                    # What is overridden has the docstring of the class above.
                    missing += [f'{module.__name__}.{name}.{method}' for method, body in vars(one).items()
                                if not method.startswith(('_', 'visit_')) and callable(body)
                                and not (inspect.getdoc(getattr(one, method)) or '').strip()]
        self.assertEqual(missing, [])

    @needs('pandas', 'scipy')
    def test_examples_of_the_guide(self):
        self.run_blocks(GUIDE, at_least=8)

    def test_example_of_the_readme(self):
        self.run_blocks(ROOT / 'README.md', at_least=1)

    def run_blocks(self, page, at_least):
        """A block of Python and, behind it, what it prints; all blocks of the page are one program."""
        blocks = FENCE.findall(page.read_text(encoding='utf-8'))
        self.assertGreaterEqual(sum(language == 'python' for language, _ in blocks), at_least)
        names = {}
        with tempfile.TemporaryDirectory() as directory:
            before = os.getcwd()
            os.chdir(directory)
            try:
                for k, (language, text) in enumerate(blocks):
                    if language != 'python':
                        continue
                    out = io.StringIO()
                    # The lines of a block are those of a file, so that errors can show them.
                    file = os.path.join(directory, 'example.py')
                    with open(file, 'w', encoding='utf-8') as source:
                        source.write(text)
                    linecache.checkcache()
                    with contextlib.redirect_stdout(out):
                        exec(compile(text, file, 'exec'), names)
                    if k + 1 < len(blocks) and blocks[k + 1][0] == 'text':
                        found, expected = (exact(one.replace(directory + '/', ''))
                                           for one in (out.getvalue(), blocks[k + 1][1]))
                        self.assertEqual(found, expected, text)
            finally:
                os.chdir(before)

    @needs('mypy')
    def test_types(self):
        done = subprocess.run([sys.executable, '-m', 'mypy', '--config-file', 'mypy.ini', '-p', 'daphne'], cwd=ROOT / 'python',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        program = ('import numpy as np\nimport daphne as dp\n'
                   'dc = dp.DaphneContext(num_threads=2)\n'
                   'X = dc.fill(1.0, 2, 2)\n'
                   'reveal_type(X)\nreveal_type(X.exp())\nreveal_type(X.nrow())\nreveal_type(dc.readFrame("x.csv"))\n'
                   'reveal_type(X.shape)\nX.lowerTri(1.5, "x")\nX.nothing()\n')
        with tempfile.NamedTemporaryFile('w', suffix='.py') as file:
            file.write(program)
            file.flush()
            done = subprocess.run([sys.executable, '-m', 'mypy', '--strict', '--follow-imports=silent', file.name],
                                  env={**os.environ, 'MYPYPATH': str(ROOT / 'python')}, cwd='/', stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        for text in ('"daphne.operator.nodes.matrix.Matrix"', '"daphne.operator.nodes.scalar.Scalar"',
                     '"daphne.operator.nodes.frame.Frame"', '"nothing"', 'incompatible type "float"'):
            self.assertIn(text, done.stdout)


if __name__ == '__main__':
    unittest.main()
