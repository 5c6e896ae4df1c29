#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The prompt as its users meet it: sessions at a pseudo-terminal, compared with what the screen shows in the end.

A session is a file of test/prompt/sessions. Lines that begin with a key word say what is typed, the rest, from a line
'----' on, what the screen shows:
  type TEXT     TEXT and Enter; waits for the next prompt
  keys TEXT     TEXT with escapes as in Python, without Enter; waits until nothing more is shown
  paste         the indented lines below, as one bracketed paste, and Enter
  break         waits half a second, then Ctrl-C; for statements that take long
  restart       leaves with Ctrl-D and starts again, with the same state directory
Figures of times are shown as N. What docs/guide/prompt.md shows is such a session, too.
"""

import argparse
import difflib
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from terminal import Terminal

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GREETING = 'Daphne. ?name explains a builtin, Ctrl-D leaves.'
GUIDE = ROOT / 'docs' / 'guide' / 'prompt.md'
PROMPT = r'^(daphne>|   \.\.\.>)$'


class Session:
    def __init__(self, path):
        script, _, self.expected = path.read_text().partition('----\n')
        self.steps = []
        for line in script.splitlines():
            if line.startswith('    ') and self.steps and self.steps[-1][0] == 'paste':
                self.steps[-1][1].append(line[4:])
            elif line.strip() and not line.startswith('#'):
                word, _, rest = line.partition(' ')
                self.steps.append((word, [] if word == 'paste' else rest))

    @classmethod
    def of_guide(cls, path):
        """All sessions of the page one after the other: what follows a prompt is typed."""
        shown = ''.join(block for block in re.findall(r'```\n(.*?)```', path.read_text(), re.S) if block.startswith('daphne> '))
        session = cls.__new__(cls)
        session.steps = [('type', line[8:]) for line in shown.splitlines() if re.match(r'daphne> |   \.\.\.> ', line)]
        session.expected = f'{GREETING}\n{shown}daphne>\n'
        return session

    def run(self, daphne):
        """The screen after the session."""
        with tempfile.TemporaryDirectory() as directory:
            self.directory = directory
            Path(directory, 'cells.csv').write_text('1,2\n3,4\n')
            os.chdir(directory)
            self.start(daphne)
            for word, argument in self.steps:
                getattr(self, 'do_' + word)(argument)
            self.terminal.type('\x04')
            status = self.terminal.close()
            os.chdir(ROOT)
        lines = self.before + self.terminal.screen.lines()
        text = '\n'.join(lines).rstrip('\n') + '\n'
        if status != 0:
            text += f'status {status}\n'
        return re.sub(r'\d+\.\d ms', 'N ms', text)

    before = []

    def start(self, daphne):
        self.daphne = daphne
        environment = {'TERM': 'xterm', 'XDG_STATE_HOME': self.directory + '/state', 'HOME': self.directory}
        self.terminal = Terminal([str(daphne)], environment)
        self.terminal.wait(PROMPT)

    def do_type(self, text):
        self.terminal.type(text + '\r')
        self.terminal.wait(PROMPT)

    def do_keys(self, text):
        self.terminal.type(text.encode().decode('unicode_escape'))
        self.terminal.wait('')

    def do_paste(self, lines):
        self.terminal.type('\x1b[200~' + '\r'.join(lines) + '\r\x1b[201~\r')
        self.terminal.wait(PROMPT)

    def do_break(self, _):
        time.sleep(0.5)
        self.terminal.type('\x03')
        self.terminal.wait(PROMPT)

    def do_restart(self, _):
        self.terminal.type('\x04')
        self.terminal.close()
        self.before = self.before + self.terminal.screen.lines()
        while self.before and not self.before[-1]:
            self.before.pop()
        self.start(self.daphne)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--daphne', type=Path, default=ROOT / 'bin' / 'daphne')
    parser.add_argument('--update', action='store_true', help='writes what the screens show into the files')
    parser.add_argument('files', nargs='*', type=Path)
    choice = parser.parse_args()
    passed = failed = 0
    for path in choice.files or [*sorted((HERE / 'sessions').glob('*.txt')), GUIDE]:
        path = path.resolve()
        session = Session.of_guide(path) if path == GUIDE else Session(path)
        try:
            shown = session.run(choice.daphne.resolve())
        except TimeoutError as error:
            shown = f'{error}\n'
        if shown == session.expected:
            passed += 1
            continue
        if choice.update and path != GUIDE:
            path.write_text(path.read_text().partition('----\n')[0] + '----\n' + shown)
        failed += 1
        print(f'FAILED {path.name}')
        print(''.join(difflib.unified_diff(session.expected.splitlines(True), shown.splitlines(True), 'expected', 'shown')))
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
