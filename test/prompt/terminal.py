# SPDX-License-Identifier: Apache-2.0
"""A program at a pseudo-terminal, and what its user would see: keys in, lines of the screen out."""

import os
import pty
import re
import select
import signal
import struct
import termios
import time
from fcntl import ioctl

SEQUENCE = re.compile(r'\x1b\[([?0-9;]*)([@-~])')


class Screen:
    """As much of a terminal as the prompt uses. It never scrolls, so it keeps the whole session."""

    def __init__(self, columns):
        self.columns, self.rows, self.row, self.column = columns, [''], 0, 0
        self.rest = ''

    def feed(self, text):
        text = self.rest + text
        self.rest = ''
        at = 0
        while at < len(text):
            c = text[at]
            if c == '\x1b':
                match = SEQUENCE.match(text, at)
                if not match:
                    self.rest = text[at:]
                    return
                self.sequence(match[1], match[2])
                at = match.end()
                continue
            at += 1
            if c == '\r':
                self.column = 0
            elif c == '\n':
                self.down()
            elif c == '\b':
                self.column = max(0, self.column - 1)
            elif c >= ' ':
                self.put(c)

    def down(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append('')

    def put(self, c):
        if self.column == self.columns:
            self.column = 0
            self.down()
        line = self.rows[self.row].ljust(self.column)
        self.rows[self.row] = line[:self.column] + c + line[self.column + 1:]
        self.column += 1

    def sequence(self, numbers, final):
        count = int(numbers) if numbers.isdigit() else 1
        if final == 'A':
            self.row = max(0, self.row - count)
        elif final == 'C':
            self.column = min(self.columns - 1, self.column + count)
        elif final == 'J' and numbers == '':
            self.rows[self.row] = self.rows[self.row][:self.column]
            del self.rows[self.row + 1:]
        elif final not in 'hlm':
            raise ValueError(f'the terminal does not know {numbers}{final}')

    def lines(self):
        return [line.rstrip() for line in self.rows]


class Terminal:
    def __init__(self, command, environment, columns=80):
        self.screen = Screen(columns)
        self.child, self.fd = pty.fork()
        if self.child == 0:
            os.environ.update(environment)
            os.execvp(command[0], command)
        ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
        self.pending = b''

    def read(self, seconds):
        """What comes within this time; False if nothing does."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            self.pending += os.read(self.fd, 1 << 16)
        except OSError:  # the program has ended
            return False
        text = self.pending.decode('utf-8', errors='ignore')
        complete = len(text.encode())
        self.pending = self.pending[complete:] if complete < len(self.pending) <= complete + 3 else b''
        self.screen.feed(text)
        return True

    def wait(self, pattern, seconds=60):
        """Until the last line fits and nothing more comes."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.read(0.1):
                continue
            if re.search(pattern, self.screen.lines()[-1]):
                return
        raise TimeoutError(f'no {pattern!r} after {seconds} s; the screen shows\n' + '\n'.join(self.screen.lines()[-20:]))

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def close(self):
        """The status of the program, which must have ended or be about to."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            self.read(0.05)
            child, status = os.waitpid(self.child, os.WNOHANG)
            if child:
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.fd)
        return None
