#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random well-typed programs, and programs that must fail.

Every statement of the outermost level is evaluated by the oracle as soon as it is written. One that leads to something
the language leaves open is thrown away, so are most that fail; from the others the generator learns the types and
shapes of its variables.

Command line: generate.py SEED prints the program of that seed.
"""

import sys
from dataclasses import dataclass, field
from random import Random

from expressions import Type
from faults import inject_fault
from functions import Functions
from oracle import Session, run_script
from syntax import Reject
from values import Fail, Matrix, Unspecified

INDENT = '    '
MAX_ATTEMPTS = 12


@dataclass
class Program:
    lines: list = field(default_factory=list)

    @property
    def text(self):
        return ''.join(f'{INDENT * line.indent}{line.text}\n' for line in self.lines)


class Generator(Functions):
    def __init__(self, rng):
        super().__init__(rng)
        self.session = Session()
        self.has_failed = False

    def program(self):
        self.is_opaque = self.chance(0.6)
        if self.is_opaque:
            self.attempt(self.hide_one)
        for _ in range(self.rng.randint(4, 12)):
            if self.has_failed:
                break
            if len(self.all_functions) < 4 and self.chance(0.25):
                self.attempt_function()
            else:
                self.attempt(lambda: self.statement(2))
        for name in self.session.variables():
            if not self.has_failed and self.chance(0.4):
                self.emit(f'print({name});')
        return Program(self.lines)

    def attempt_function(self):
        found = []
        self.attempt(lambda: found.append(self.define_function()))
        if found and not self.has_failed:
            signature, typed = found[-1]
            if any(line.text.startswith(f'def {signature.name}(') for line in self.lines):
                self.all_functions.append((signature, typed))
                self.functions.append(signature)
                self.attempt(lambda: self.call_undeclared(0))

    def attempt(self, write):
        """Writes a statement of the outermost level that the oracle accepts; writes nothing if it takes too long."""
        for _ in range(MAX_ATTEMPTS):
            saved = dict(self.variables), len(self.lines), set(self.protected)
            write()
            try:
                self.session.attempt(Program(self.lines[saved[1]:]).text)
            except (Reject, Fail, Unspecified) as error:
                if isinstance(error, Fail) and self.chance(0.03):
                    self.has_failed = True
                    return
                self.variables, self.protected = saved[0], saved[2]
                self.indent = 0
                del self.lines[saved[1]:]
                continue
            self.learn()
            return

    def learn(self):
        """Types and shapes of all variables as they really are."""
        self.variables = {}
        for name, value in self.session.variables().items():
            is_matrix = isinstance(value, Matrix)
            self.variables[name] = Type('m', value.vt, value.rows, value.cols) if is_matrix else Type(*value.type)


def generate(seed):
    """Program text and what must come out of it; the same seed always gives the same program."""
    for attempt in range(100):
        rng = Random(f'{seed}/{attempt}')
        program = Generator(rng).program()
        text = program.text
        if rng.random() < 0.3:
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                program = inject_fault(rng, program)
            text = program.text
        outcome = run_script(text)
        if outcome.kind != 'unspecified' and text:
            return text, outcome
    raise RuntimeError(f'no program for seed {seed}')


if __name__ == '__main__':
    print(generate(sys.argv[1])[0], end='')
