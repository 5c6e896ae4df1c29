#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the script tests: every case is one run of the daphne binary in a temporary directory of its own.

A .dtest file holds many cases. Outside of cases, blank lines and lines starting with '#' are skipped.

    case left associative power             a case; the name is the rest of the line
    args: --explain parsing                 command-line words before the script name (shell quoting)
    script-args: a=1 b='"x"'                command-line words after the script name
    file sub/helper.daph:                   one more file in the case's directory, up to a line '.'
    x = 5;
    .
    skip-config no-vec                      this case is not run under that configuration
    print(2^3^2);                           the script (file script.daph), up to the line '----'
    ----
    64                                      the exact standard output
    ====                                    end of the case

Further header lines: 'run: WORDS' replaces the whole command line after the binary ('{script}' in it is the script's
file name); 'stdin: script' feeds the script text to standard input; 'env: NAME=value ...' sets environment variables.
'{examples}' in words is the directory of the example plug-ins. Header lines come before the script text.

After the expected output, directives may follow, one per line:

    error 1 "text" ...      exit status 1; standard error contains each quoted text. 'error 2,3' = one of these,
                            'error any' = 1, 2 or 3
    no-position             the error message need not name a place (command line, configuration)
    no-newline              the expected standard output does not end with a line feed
    stdout any              standard output is not compared
    stdout contains "text"  (also 'lacks'); without expected text, standard output is not compared otherwise
    stderr contains "text"  (also 'lacks'); diagnostics are expected, so standard error need not be empty
    stderr json "key" ...   standard error is one JSON object with these keys, all of them numbers
    file NAME contains "x"  the run left that file behind with this text in it (also 'lacks'; 'file NAME missing')

What is checked: without 'error' the status is 0, standard output is byte-identical and standard error is empty. With
'error' the status fits, standard output is what was printed before the error (nothing if nothing is given), and standard
error says 'error' and names a place as file:line:column. A signal, a time-out and status 70 (internal error) always fail.

Short forms, one case per line; ' => ' separates script and expected output, in which \\n is a line break:

    each: group name                        each error 1: group name
    print(7 / 2); => 3                      print(01);
    ====                                    ====

A line 'setup: CODE' in such a block is put in front of all scripts that follow in the block; 'skip-config NAME' holds for
all of them, too.
In scripts and expected outputs, %%{text}*500%% is text repeated 500 times and %%0D%% the byte with that hexadecimal code.
A line 'default config only' before the first case keeps the file out of configuration runs.

A configuration, configs/NAME.txt, holds the options to run under; '{configs}' in it is its directory. A line 'replace: A B' in it
writes B for every A in the output before it is compared. A line 'prefix: WORDS' is put in front of the binary, 'env: NAME=value'
sets environment variables for all cases, and 'workers: N' starts N workers on this machine, with the options that
follow, for as long as the tests run. 'timeout: SECONDS' replaces the usual limit of a case.
"""

import argparse
import contextlib
import json
import os
import queue
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMEOUT_SECONDS = 20
INTERNAL_ERROR_STATUS = 70
DIRECTIVE = re.compile(r'(error (any|[123](,[123])*)( |$)|no-position$|no-newline$|stdout any$'
                       r'|(stdout|stderr) (contains|lacks|json) "|file \S+ (contains|lacks|missing))')
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
PLACE = re.compile(r'\S:\d+:\d+')


class FormatError(Exception):
    """A .dtest file does not follow the format."""


@dataclass
class Case:
    """One run of the binary and what must come out of it."""
    path: Path
    line: int
    name: str
    script: str = ''
    args: list = field(default_factory=list)
    script_args: list = field(default_factory=list)
    run: list | None = None
    script_on_stdin: bool = False
    env: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)
    skip_configs: set = field(default_factory=set)
    stdout: bytes = b''
    statuses: tuple = (0,)
    directives: list = field(default_factory=list)
    expected_lines: tuple = (0, 0)  # half-open range of line indices holding the expected output
    one_line: bool = False

    def has(self, prefix):
        return any(d.startswith(prefix) for d in self.directives)


def expand(text):
    """Repetitions and byte codes; yields bytes."""
    text = re.sub(r'%%\{(.*?)\}\*(\d+)%%', lambda m: m[1] * int(m[2]), text, flags=re.S)
    parts = re.split(r'%%([0-9A-F]{2})%%', text)
    return b''.join(bytes([int(p, 16)]) if i % 2 else p.encode() for i, p in enumerate(parts))


def unquote(text):
    return [re.sub(r'\\(.)', lambda m: {'n': '\n', 't': '\t'}.get(m[1], m[1]), q) for q in QUOTED.findall(text)]


def statuses_of(word):
    return (1, 2, 3) if word == 'any' else tuple(int(s) for s in word.split(','))


class Reader:
    """Parses one .dtest file."""

    def __init__(self, path):
        self.path = path
        self.lines = path.read_text(encoding='utf-8').split('\n')
        self.at = 0
        self.default_config_only = False

    def fail(self, message):
        raise FormatError(f'{self.path}:{self.at + 1}: {message}')

    def take_until(self, terminator):
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at] != terminator:
            if self.lines[self.at].startswith('case ') and terminator != '.':
                self.fail(f"a case starts before '{terminator}'")
            self.at += 1
        if self.at == len(self.lines):
            self.at = start
            self.fail(f"no closing line '{terminator}'")
        self.at += 1
        return start, self.at - 1

    def cases(self):
        found = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.startswith('case '):
                found.append(self.read_case(line[5:].strip()))
            elif line.startswith('each'):
                found.extend(self.read_each(line))
            elif line == 'default config only':
                self.default_config_only = True
                self.at += 1
            elif not line.strip() or line.startswith('#'):
                self.at += 1
            else:
                self.fail('expected a case')
        return found

    def read_case(self, name):
        case = Case(self.path, self.at + 1, name)
        self.at += 1
        while self.read_header(case):
            pass
        begin, end = self.take_until('----')
        case.script = '\n'.join(self.lines[begin:end] + [''])
        begin, end = self.take_until('====')
        split = next((i for i in range(begin, end) if DIRECTIVE.match(self.lines[i])), end)
        case.expected_lines = (begin, split)
        case.directives = self.lines[split:end]
        for directive in case.directives:
            if not DIRECTIVE.match(directive):
                self.fail(f'not a directive: {directive}')
            if directive.startswith('error '):
                case.statuses = statuses_of(directive.split()[1])
        text = '\n'.join(self.lines[begin:split] + ['']) if split > begin else ''
        case.stdout = expand(text)
        if 'no-newline' in case.directives:
            case.stdout = case.stdout.removesuffix(b'\n')
        return case

    def read_header(self, case):
        if self.at >= len(self.lines):
            self.fail('unfinished case')
        key, colon, value = self.lines[self.at].partition(':')
        if colon and key in ('args', 'script-args', 'run', 'stdin', 'env'):
            words = shlex.split(value)
            if key == 'args':
                case.args = words
            elif key == 'script-args':
                case.script_args = words
            elif key == 'run':
                case.run = words
            elif key == 'env':
                case.env = dict(word.split('=', 1) for word in words)
            else:
                case.script_on_stdin = True
        elif colon and key.startswith('file ') and not value.strip():
            self.at += 1
            begin, end = self.take_until('.')
            case.files[key[5:].strip()] = expand('\n'.join(self.lines[begin:end] + ['']) if end > begin else '')
            return True
        elif key.startswith('skip-config '):
            case.skip_configs.update(key.split()[1:])
        else:
            return False
        self.at += 1
        return True

    def read_each(self, line):
        match = re.fullmatch(r'each(?: error (any|[123](?:,[123])*))?: *(.*)', line)
        if not match:
            self.fail('malformed each line')
        self.at += 1
        setup, skipped, found = '', set(), []
        begin, end = self.take_until('====')
        for i in range(begin, end):
            text = self.lines[i]
            if text.startswith('setup: '):
                setup += text[7:] + '\n'
                continue
            if text.startswith('skip-config '):
                skipped.update(text.split()[1:])
                continue
            script, arrow, expected = text.partition(' => ')
            if not text.strip() or (match[1] is None) != bool(arrow):
                self.at = i
                self.fail("every line of an 'each' block is 'script => output', of an 'each error' block a script")
            case = Case(self.path, i + 1, f'{match[2]}: {script}', setup + script + '\n', one_line=True)
            case.skip_configs.update(skipped)
            case.expected_lines = (i, i + 1)
            if match[1]:
                case.statuses = statuses_of(match[1])
            else:
                case.stdout = expand(expected.replace('\\n', '\n') + '\n')
            found.append(case)
        return found


@dataclass
class Outcome:
    case: Case
    problems: list
    stdout: bytes = b''
    stderr: bytes = b''


def command_of(case, daphne, options):
    words = case.run if case.run is not None else [*case.args, '{script}', *case.script_args]
    examples = Path(daphne).resolve().parent.parent / 'lib' / 'examples'
    return [daphne, *options,
            *[w.replace('{script}', 'script.daph').replace('{examples}', str(examples)) for w in words]]


def run_case(case, daphne, config):
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix='dtest'))
        script = expand(case.script)
        for name, content in {**case.files, 'script.daph': script}.items():
            target = Path(directory, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        stdin = {'input': script} if case.script_on_stdin else {'stdin': subprocess.DEVNULL}
        workers = config.worker_groups.get() if config.workers else ''
        environment = {**os.environ, **config.env, **case.env}
        if workers:
            environment['DISTRIBUTED_WORKERS'] = workers
        if config.prefix:  # mpirun fails now and then if another one removes their common directory at that moment
            environment['OMPI_MCA_orte_tmpdir_base'] = stack.enter_context(tempfile.TemporaryDirectory(prefix='mpi'))
        try:
            done = subprocess.run([*config.prefix, *command_of(case, daphne, config.options)], cwd=directory,
                                  capture_output=True, timeout=config.timeout, env=environment, **stdin)
        except subprocess.TimeoutExpired as late:
            return Outcome(case, [f'no end after {config.timeout} s'], late.stdout or b'', late.stderr or b'')
        finally:
            if workers:
                config.worker_groups.put(workers)
        for old, new in config.replacements:
            done.stdout, done.stderr = done.stdout.replace(old, new), done.stderr.replace(old, new)
        problems = [*check_status(case, done.returncode), *check_stdout(case, done.stdout),
                    *check_stderr(case, done.stderr), *check_files(case, directory)]
        return Outcome(case, problems, done.stdout, done.stderr)


def check_status(case, status):
    if status < 0:
        yield f'died of signal {-status}'
    elif status == INTERNAL_ERROR_STATUS:
        yield 'internal error (status 70)'
    elif status not in case.statuses:
        yield f'status {status}, expected {" or ".join(map(str, case.statuses))}'


def check_text(case, stream, text):
    for directive in case.directives:
        for verb, wanted in (('contains', True), ('lacks', False)):
            if directive.startswith(f'{stream} {verb} '):
                for part in unquote(directive):
                    if (part in text) != wanted:
                        yield f'{stream} {"does not contain" if wanted else "contains"} {part!r}'


def check_stdout(case, stdout):
    yield from check_text(case, 'stdout', stdout.decode(errors='replace'))
    compared = not case.has('stdout any') and (case.stdout or not case.has('stdout '))
    if compared and stdout != case.stdout:
        yield 'standard output differs'


def check_stderr(case, stderr):
    text = stderr.decode(errors='replace')
    yield from check_text(case, 'stderr', text)
    for directive in case.directives:
        if directive.startswith('error '):
            for part in unquote(directive):
                if part not in text:
                    yield f'standard error does not contain {part!r}'
        if directive.startswith('stderr json '):
            yield from check_json(text, unquote(directive))
    if case.statuses == (0,):
        if stderr and not case.has('stderr '):
            yield 'standard error is not empty'
        return
    if 'error' not in text.lower():
        yield "standard error does not say 'error'"
    if not case.has('no-position') and not PLACE.search(text):
        yield 'the error names no place (file:line:column)'


def check_json(text, keys):
    try:
        value = json.loads(text)
    except ValueError:
        yield 'standard error is not one JSON value'
        return
    for key in keys:
        if not isinstance(value, dict) or not isinstance(value.get(key), (int, float)):
            yield f'the JSON object has no number {key!r}'


def check_files(case, directory):
    for directive in case.directives:
        if not directive.startswith('file '):
            continue
        _, name, verb = directive.split(maxsplit=3)[:3]
        target = Path(directory, name)
        if verb == 'missing':
            if target.exists():
                yield f'file {name} exists'
        elif not target.is_file():
            yield f'file {name} was not written'
        else:
            content = target.read_bytes().decode(errors='replace')
            for part in unquote(directive):
                if (part in content) != (verb == 'contains'):
                    yield f'file {name}: {verb} {part!r} does not hold; content {content!r}'


def show(outcome):
    case = outcome.case
    print(f'FAILED {os.path.relpath(case.path)}:{case.line}: {case.name}')
    for problem in outcome.problems:
        print(f'  {problem}')
    if outcome.stdout != case.stdout and (case.stdout or not case.has('stdout ')):
        print_block('expected stdout', case.stdout)
    print_block('stdout', outcome.stdout)
    print_block('stderr', outcome.stderr)


def print_block(title, content, limit=1500):
    text = content.decode(errors='replace')
    if len(text) > limit:
        text = text[:limit] + f'... ({len(text)} characters)'
    if text:
        print(f'  {title}:')
        print('    | ' + text.replace('\n', '\n    | ').removesuffix('\n    | '))


def update(outcomes):
    """Writes the actual output of failing cases into their files, last case first so that line numbers stay right."""
    for path in {o.case.path for o in outcomes}:
        lines = path.read_text(encoding='utf-8').split('\n')
        for outcome in sorted((o for o in outcomes if o.case.path == path), key=lambda o: -o.case.line):
            case, text = outcome.case, outcome.stdout.decode(errors='replace')
            begin, end = case.expected_lines
            if case.one_line and case.statuses == (0,):
                script = lines[begin].partition(' => ')[0]
                lines[begin] = script + ' => ' + text.removesuffix('\n').replace('\n', '\\n')
            elif not case.one_line:
                lines[begin:end] = text.removesuffix('\n').split('\n') if text else []
        path.write_text('\n'.join(lines), encoding='utf-8')


@dataclass
class Config:
    """What a file of configs/ says."""
    options: list = field(default_factory=list)
    replacements: list = field(default_factory=list)
    prefix: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    timeout: int = TIMEOUT_SECONDS
    workers: int = 0
    worker_options: list = field(default_factory=list)
    processes: list = field(default_factory=list)  # of the workers
    worker_groups: queue.Queue = field(default_factory=queue.Queue)  # address lists; a worker serves one run at a time

    def start_workers(self, binary, groups):
        for _ in range(groups if self.workers else 0):
            addresses = []
            for _ in range(self.workers):
                process = subprocess.Popen([f'{binary}-worker', '--quiet', '--num-threads=1', *self.worker_options, '127.0.0.1:0'],
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                self.processes.append(process)
                addresses.append(process.stdout.readline().split('`')[1])
            self.worker_groups.put(','.join(addresses))

    def stop_workers(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait()


def read_config(name):
    config = Config()
    if not name:
        return config
    path = HERE / 'configs' / f'{name}.txt'
    if not path.is_file():
        raise FormatError(f'no such configuration: {path}')
    for line in path.read_text(encoding='utf-8').splitlines():
        key, colon, rest = line.partition(': ')
        words = shlex.split(rest)
        if colon and key == 'replace':
            config.replacements.append(tuple(word.encode() for word in words))
        elif colon and key == 'prefix':
            config.prefix = words
        elif colon and key == 'env':
            config.env.update(word.split('=', 1) for word in words)
        elif colon and key == 'workers':
            config.workers, config.worker_options = int(words[0]), words[1:]
        elif colon and key == 'timeout':
            config.timeout = int(rest)
        else:
            config.options += shlex.split(line.replace('{configs}', str(path.parent)), comments=True)
    return config


def load(paths, config, pattern):
    cases = []
    for path in paths:
        reader = Reader(path)
        found = reader.cases()
        if config and reader.default_config_only:
            continue
        cases.extend(c for c in found if config not in c.skip_configs and pattern in f'{c.path.name}: {c.name}')
    return cases


def main():
    parser = argparse.ArgumentParser(description='Runs the script tests.')
    parser.add_argument('files', nargs='*', type=Path, help='.dtest files (default: all beside this runner)')
    parser.add_argument('--daphne', default=str(HERE.parents[1] / 'bin' / 'daphne'), help='the binary under test')
    parser.add_argument('--config', default='', help='run under the options of configs/NAME.txt')
    parser.add_argument('--filter', default='', help="only cases whose 'file: name' contains this text")
    parser.add_argument('--update', action='store_true', help='write actual outputs into failing cases')
    parser.add_argument('--list', action='store_true', help='list the cases, run nothing')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1, help='cases run at a time')
    choice = parser.parse_args()
    try:
        config = read_config(choice.config)
        paths = [p.resolve() for p in choice.files] or sorted(HERE.glob('*.dtest'))
        cases = load(paths, choice.config, choice.filter)
    except (FormatError, OSError, ValueError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    if choice.list:
        for case in cases:
            print(f'{case.path.name}:{case.line}: {case.name}')
        print(f'{len(cases)} cases')
        return 0
    daphne = os.path.abspath(choice.daphne)
    if not os.access(daphne, os.X_OK):
        print(f'error: {daphne} is not an executable file', file=sys.stderr)
        return 1
    failed = []
    config.start_workers(daphne, choice.jobs)
    try:
        with ThreadPoolExecutor(max_workers=choice.jobs) as pool:
            for outcome in pool.map(lambda c: run_case(c, daphne, config), cases):
                if outcome.problems:
                    failed.append(outcome)
                    show(outcome)
    finally:
        config.stop_workers()
    if choice.update:
        update(failed)
    print(f'{len(cases) - len(failed)} passed, {len(failed)} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
