# SPDX-License-Identifier: Apache-2.0
"""The notebooks of docs/tutorials: every cell does what is committed below it. With DAPHNE_UPDATE_TUTORIALS=1 outputs are
written anew instead."""
import os
import re
import tempfile
import unittest
from pathlib import Path

from support import ROOT, needs

TUTORIALS = ROOT / 'docs' / 'tutorials'


def executed(path, data_path):
    """The notebook after all of its cells have run, errors of tagged ones included."""
    import nbformat
    from nbclient import NotebookClient
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == 'code':
            cell.outputs, cell.execution_count = [], None
    os.environ['JUPYTER_PATH'] = str(data_path)
    os.environ['PYTHONPATH'] = os.pathsep.join(filter(None, [str(ROOT / 'python'), os.environ.get('PYTHONPATH')]))
    client = NotebookClient(notebook, timeout=300, resources={'metadata': {'path': str(path.parent)}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop('execution', None)
    notebook.metadata.get('language_info', {}).pop('version', None)
    return notebook


def plain(output):
    """What can be compared: text, and which kinds of data there are."""
    if output['output_type'] == 'stream':
        return output['name'], output['text']
    if output['output_type'] == 'error':
        return 'error', re.sub(r'\x1b\[[0-9;]*m', '', '\n'.join(output['traceback']))
    # JavaScript and pictures may differ in ids, plain text may not.
    return sorted(output['data']), output['data'].get('text/plain', '')


@needs('ipykernel', 'nbclient', 'nbformat', 'pandas', 'scipy')
class Tutorials(unittest.TestCase):
    def check(self, name):
        import nbformat
        path = TUTORIALS / name
        with tempfile.TemporaryDirectory() as prefix:
            from daphne.kernel.install import install
            install(prefix=prefix)
            notebook = executed(path, Path(prefix, 'share', 'jupyter'))
        if os.environ.get('DAPHNE_UPDATE_TUTORIALS'):
            nbformat.validate(notebook)
            nbformat.write(notebook, path)
            return
        for number, (new, old) in enumerate(zip(notebook.cells, nbformat.read(path, as_version=4).cells)):
            if new.cell_type == 'code':
                with self.subTest(cell=number, source=new.source[:60]):
                    self.assertEqual([plain(one) for one in new.outputs], [plain(one) for one in old.outputs])

    def test_daphnedsl(self):
        self.check('daphnedsl.ipynb')

    def test_python(self):
        self.check('python.ipynb')


if __name__ == '__main__':
    unittest.main()
