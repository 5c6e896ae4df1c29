# SPDX-License-Identifier: Apache-2.0
"""The kernel of Jupyter, as a notebook sees it."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from kernel_session import KernelSession, needs_jupyter
from support import ROOT

# Work of some minutes, of different kinds: many small statements, one loop over cells, products, a query.
LONG = {
    'statements': 'i = 0; while (i < 100000000000) { i = i + 1; }',
    'matrices': 'X = rand(2000, 2000, 0.0, 1.0, 1.0, 1); s = 0.0; while (s >= 0.0) { s = s + sum(sqrt(X + s)); }',
    'product': 'X = rand(6000, 6000, 0.0, 1.0, 1.0, 1); i = 0; while (i < 1000) { X = X @ X; i = i + 1; }',
}


class WithKernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kernel = KernelSession()

    @classmethod
    def tearDownClass(cls):
        cls.kernel.close()

    def ok(self, code):
        outcome = self.kernel.run(code)
        self.assertEqual(outcome.errors, [], code)
        self.assertEqual(outcome.reply['status'], 'ok')
        return outcome

    def fails(self, code):
        outcome = self.kernel.run(code)
        self.assertEqual(outcome.reply['status'], 'error', code)
        self.assertEqual(len(outcome.errors), 1)
        return outcome


@needs_jupyter
class Cells(WithKernel):
    def test_variables_and_functions_stay(self):
        self.ok('def twice(x: f64) -> f64 { return 2.0 * x; }\nkept = 20.5;')
        self.ok('kept = twice(kept) + 1.0;')
        self.assertEqual(self.ok('kept').text, '42')

    def test_views_stay(self):
        self.ok('F = {"a": [1, 2, 3], "b": [10.0, 20.0, 30.0]}; registerView("t", F);')
        self.assertIn('50', self.ok('sql("SELECT sum(b) AS s FROM t WHERE a > 1;")').text)

    def test_an_error_in_the_middle_changes_nothing(self):
        self.ok('stays = 1;')
        outcome = self.fails('stays = 2;\nnew = 3;\nprint("before");\nstop("here");\nprint("behind");')
        self.assertEqual(outcome.stdout, 'before\n')
        self.assertEqual(self.ok('stays').text, '1')
        self.assertIn("'new'", self.fails('new').error)

    def test_errors_show_line_and_caret_in_the_cell(self):
        outcome = self.fails('x = 1;\n\n  y = [1, 2, 3] @ [4, 5];')
        lines = outcome.error.split('\n')
        self.assertRegex(outcome.error, r'--> cell \d+:3:\d+')
        at = next(i for i, line in enumerate(lines) if '[1, 2, 3] @ [4, 5]' in line)
        self.assertEqual(lines[at + 1].index('^'), lines[at].index('@'))
        self.assertEqual(outcome.errors[0]['ename'], 'ShapeError')
        self.assertEqual(self.fails('a = ;').errors[0]['ename'], 'ParseError')

    def test_an_error_in_a_function_of_an_earlier_cell_is_shown_there(self):
        self.ok('def third(X: matrix<f64>) -> f64 {\n    return as.scalar(X[2, 0]);\n}')
        self.assertRegex(self.fails('third([1.0, 2.0])').error, r'return as\.scalar\(X\[2, 0\]\)')

    def test_output_is_streamed_while_the_cell_runs(self):
        outcome = self.ok('print("first");\nX = rand(2000, 2000, 0.0, 1.0, 1.0, 1); s = 0.0;\n'
                          'for (i in 1 : 200) { s = s + sum(sqrt(X + s)); }\nprint("last");')
        self.assertEqual(outcome.stdout, 'first\nlast\n')
        # What is printed at the end of a cell comes in one message; a print that is passed on at once has its own.
        self.assertEqual(outcome.streamed[0], 'first\n')
        self.assertEqual(self.ok('print("to stderr", true, true);').stderr, 'to stderr\n')

    def test_the_last_expression_is_shown_and_statements_are_not(self):
        self.assertEqual(self.ok('1 + 1').text, '2')
        self.assertEqual(self.ok('"a" + "b"').text, '"ab"')
        self.assertEqual(self.ok('1 + 1;').results, [])
        self.assertEqual(self.ok('nothing_shown = 1').results, [])
        self.assertEqual(self.ok('# only a comment').results, [])
        self.assertEqual(self.ok('').results, [])

    def test_values_are_shown_as_tables(self):
        data = self.ok('seq(1, 100, 1)').results[0]
        self.assertIn('⋮ 90 more rows', data['text/plain'])
        self.assertIn('90 more rows', data['text/html'])
        self.assertIn('100x1 matrix, si64', data['text/html'])
        self.assertIn('<svg', data['text/html'])
        frame = self.ok('f = {"name": ["<pen>", "ink"], "price": [1.5, 2.0]};\nf').results[0]['text/html']
        self.assertIn('&lt;pen&gt;', frame)
        self.assertNotIn('<pen>', frame)
        self.assertIn('price', frame)
        self.assertIn('f64', frame)
        sparse = self.ok(f'readMatrix("{ROOT}/data/ca-GrQc.mtx")').results[0]['text/html']
        self.assertIn('5242x5242 matrix, si64, 0.1% non-zero', sparse)

    def test_commands(self):
        self.ok('v = [1.0, 2.0, 3.0]; w = [1.0, 4.0, 9.0];')
        outcome = self.ok('u = sum(v);\n:show v, u + 1.0, "a,b"')
        self.assertEqual([one['data']['text/plain'].split('\n')[0] for one in outcome.displays],
                         ['3x1 matrix, f64', '7', '"a,b"'])
        self.assertIn('<svg', self.ok(':plot v, w').displays[0]['data']['text/html'])
        self.assertRegex(self.ok(':vars').stdout, r'(?m)^v +3x1 matrix, f64$')
        self.assertRegex(self.ok(':time on\nv').stdout, r'time: [\d.]+ ms')
        self.ok(':time off')
        self.assertEqual(self.ok('v').stdout, '')
        self.assertIn(':nothing', self.fails(':nothing').error)
        self.assertIn('same length', self.fails(':plot v, [1.0]').error)
        self.assertIn('numbers', self.fails(':plot "text"').error)
        self.assertRegex(self.fails('v\n:show v, nobody').error, r':2:10')

    def test_a_ternary_over_lines_is_no_command(self):
        self.assertEqual(self.ok('c = true;\nc ? 1\n: 2').text, '1')

    def test_reset_forgets_everything_unless_the_cell_fails(self):
        self.ok('gone = 1;')
        self.fails(':reset\nx = gone;')
        self.assertEqual(self.ok('gone').text, '1')
        self.ok(':reset\nfresh = 2;')
        self.assertIn("'gone'", self.fails('gone').error)
        self.assertEqual(self.ok('fresh').text, '2')

    def test_five_hundred_failures_do_not_end_the_kernel(self):
        self.ok('alive = 7;')
        for number in range(100):
            for code in ('x = ;', 'nobody', '[1][3, 0]', 'stop("no")', 'sqrt("x")'):
                self.fails(code.replace('nobody', f'nobody{number}'))
        self.assertEqual(self.ok('alive').text, '7')


@needs_jupyter
class Interruption(WithKernel):
    def test_the_cell_stops_soon_and_variables_stay(self):
        for what, code in LONG.items():
            with self.subTest(what):
                self.ok('held = 5;')
                spent = []
                for _ in range(5):
                    request = self.kernel.start('held = 6; ' + code)
                    time.sleep(0.7)
                    begin = time.monotonic()
                    self.kernel.manager.interrupt_kernel()
                    outcome = self.kernel.finish(request)
                    spent.append(outcome.end - begin)
                    self.assertEqual(outcome.errors[0]['ename'], 'Interrupted')
                    self.assertEqual(self.ok('held').text, '5')
                # Other programs on the machine may be in the way; not each time.
                self.assertLess(min(spent), 0.1, spent)
                self.assertLess(max(spent), 3, spent)

    def test_an_idle_kernel_is_not_impressed(self):
        self.ok('calm = 1;')
        self.kernel.manager.interrupt_kernel()
        self.assertEqual(self.ok('calm').text, '1')

    def test_progress_is_shown_of_long_cells_and_goes_away(self):
        request = self.kernel.start(LONG['matrices'])
        time.sleep(3)
        self.kernel.manager.interrupt_kernel()
        outcome = self.kernel.finish(request)
        bars = [one for one in outcome.displays if 'transient' in one]
        self.assertGreaterEqual(len(bars), 2)
        self.assertEqual(bars[0]['kind'], 'display_data')
        self.assertIn('<progress', bars[0]['data']['text/html'])
        self.assertEqual(bars[-1]['kind'], 'update_display_data')
        self.assertEqual(bars[-1]['data']['text/html'], '')
        self.assertEqual(len({one['transient']['display_id'] for one in bars}), 1)


@needs_jupyter
class Writing(WithKernel):
    """What helps while a cell is written."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kernel.run('summit = [1.5, 2.5]; F = {"price": [1.0], "place": [2.0]};\n'
                       '/* half */ def half(x: f64) -> f64 { return x / 2.0; }')
        Path(cls.kernel.directory.name, 'measured.csv').write_text('1,2\n')

    def matches(self, code, cursor=None):
        reply = self.kernel.ask('complete', code, len(code) if cursor is None else cursor)
        self.assertEqual(reply['status'], 'ok')
        kinds = {one['text']: one['type'] for one in reply['metadata']['_jupyter_types_experimental']}
        self.assertEqual(list(kinds), reply['matches'])
        return reply, kinds

    def test_names_builtins_columns_and_files_are_completed(self):
        reply, kinds = self.matches('y = sum')
        self.assertEqual((kinds['summit'], kinds['sum']), ('instance', 'function'))
        self.assertEqual((reply['cursor_start'], reply['cursor_end']), (4, 7))
        self.assertEqual(self.matches('hal')[1], {'half': 'function'})
        self.assertEqual(self.matches('F[, "p')[0]['matches'], ['place', 'price'])
        self.assertEqual(self.matches('X = readMatrix("meas')[0]['matches'], ['measured.csv'])
        self.assertEqual(self.matches(':pl')[0]['matches'], [':plot'])
        self.assertEqual(self.matches('# sum')[0]['matches'], [])

    def test_cursors_count_characters(self):
        code = '# größer 😀\nx = "ß"; y = summi + 1'
        cursor = code.index('summi') + 5
        reply, _ = self.matches(code, cursor)
        self.assertEqual(reply['matches'], ['summit'])
        self.assertEqual(code[reply['cursor_start']:reply['cursor_end']], 'summi')

    def inspected(self, code, cursor=None, detail=0):
        reply = self.kernel.ask('inspect', code, len(code) if cursor is None else cursor, detail)
        return reply['data'].get('text/plain', '') if reply['found'] else None

    def test_names_are_explained(self):
        self.assertTrue(self.inspected('sum').startswith('sum('))
        self.assertIn('summit = 2x1 matrix, f64', self.inspected('summit'))
        both = self.inspected('seq(1, summit')
        self.assertLess(both.index('summit ='), both.index('seq(from'))
        self.assertEqual(self.inspected('half'), 'def half(x: f64) -> f64')
        self.assertIn('return x / 2.0;', self.inspected('half', detail=1))
        self.assertIsNone(self.inspected('nobody'))

    def test_questions(self):
        for code in ('?sum', 'sum?', 'help(sum)', ' ? sum '):
            payload = self.kernel.run(code).reply['payload']
            self.assertTrue(payload[0]['data']['text/plain'].startswith('sum('), code)
        self.assertIn('return x / 2.0;', self.kernel.run('??half').reply['payload'][0]['data']['text/plain'])
        self.assertIn('did you mean sum?', self.kernel.run('?summ').error)

    def test_incomplete_input_is_known(self):
        for code in ('f(', 'if (true) {', 'x = 1 +', '"abc'):
            self.assertEqual(self.kernel.ask('is_complete', code)['status'], 'incomplete', code)
        self.assertEqual(self.kernel.ask('is_complete', 'while (true) {')['indent'], '    ')
        for code in ('x = 1', 'x = 1;', '?sum', ':vars', 'x = )', ''):
            self.assertEqual(self.kernel.ask('is_complete', code)['status'], 'complete', code)

    def test_the_language_is_named(self):
        info = self.kernel.ask('kernel_info')
        self.assertEqual(info['language_info']['name'], 'daphnedsl')
        self.assertEqual(info['language_info']['file_extension'], '.daph')


class Installing(unittest.TestCase):
    def command(self, *arguments, **variables):
        # Older versions of the debugger that ipykernel loads print a warning otherwise.
        environment = {**os.environ, 'PYTHONPATH': str(ROOT / 'python'), 'PYDEVD_DISABLE_FILE_VALIDATION': '1', **variables}
        return subprocess.run([sys.executable, '-m', 'daphne.kernel', *arguments], env=environment, text=True,
                              capture_output=True, check=False)

    @needs_jupyter
    def test_the_kernel_and_the_colours_of_the_language_are_installed(self):
        with tempfile.TemporaryDirectory() as prefix:
            for _ in range(2):  # again over what is there
                done = self.command('install', '--prefix', prefix, '--name', 'daphne-test')
                self.assertEqual((done.returncode, done.stderr), (0, ''))
            data = Path(prefix, 'share', 'jupyter')
            spec = json.loads((data / 'kernels' / 'daphne-test' / 'kernel.json').read_text())
            self.assertEqual(spec['argv'][0], sys.executable)
            self.assertEqual(spec['language'], 'daphnedsl')
            package = json.loads((data / 'labextensions' / 'daphne-language' / 'package.json').read_text())
            entry = data / 'labextensions' / 'daphne-language' / package['jupyterlab']['_build']['load']
            self.assertIn('daphnedsl', entry.read_text())

    @needs_jupyter
    def test_wrong_calls_have_one_line_and_a_status(self):
        for arguments in (['install', '--prefix', '/proc/no/such'], ['instal']):
            done = self.command(*arguments)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith('error: '), done.stderr)
            self.assertNotIn('Traceback', done.stderr)

    def test_without_ipykernel_one_line_says_so(self):
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, 'ipykernel.py').write_text('raise ImportError("hidden by a test")\n')
            done = self.command('install', PYTHONPATH=f'{directory}{os.pathsep}{ROOT / "python"}')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, 'error: the kernel needs ipykernel, which is not installed: pip install ipykernel\n')


@needs_jupyter
class Bars(unittest.TestCase):
    def test_a_bar_shows_what_was_heard_and_goes_away(self):
        from daphne.kernel.progress import ProgressBar
        sent = []
        with ProgressBar(lambda kind, content: sent.append((kind, content)), delay=0.05) as bar:
            bar('sum <of>', 30, 120)
            time.sleep(0.6)
        self.assertEqual([kind for kind, _ in sent], ['display_data'] + ['update_display_data'] * (len(sent) - 1))
        self.assertIn('value="30" max="120"', sent[0][1]['data']['text/html'])
        self.assertIn('sum &lt;of&gt; 25%', sent[0][1]['data']['text/html'])
        self.assertEqual(sent[-1][1]['data'], {'text/plain': '', 'text/html': ''})

    def test_fast_cells_show_none(self):
        from daphne.kernel.progress import ProgressBar
        sent = []
        with ProgressBar(lambda kind, content: sent.append(kind), delay=5) as bar:
            bar('work', 1, 2)
        self.assertEqual(sent, [])


class Colours(unittest.TestCase):
    def test_the_words_are_those_of_the_language(self):
        import re
        reserved = re.search(r'\| reserved \| (.*) \|', (ROOT / 'docs/reference/language.md').read_text()).group(1)
        words = set(' '.join(re.findall(r'`([^`]*)`', reserved)).split())
        script = (ROOT / 'python/daphne/kernel/resources/labextension/static/remoteEntry.js').read_text()
        known = set(' '.join(re.findall(r"new Set\('([^']*)'", script)).split())
        self.assertLessEqual(words, known)


if __name__ == '__main__':
    unittest.main()
