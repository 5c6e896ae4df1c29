#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that everything below src/driver can be part of somebody else's process: it does not end the process, does not
touch its signals and its environment, does not write to its standard streams, and binds no thread that is not its own.
Only the driver and tools/ own a process. Comments and texts do not count. Prints each offending line; --self-test checks
the checker with snippets, which every run does first."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWNERS = {'driver'}  # layers that own the process


def call(*names):
    """A call of a function of the system, not of a member or of a namespace of ours."""
    return re.compile(r'(?:(?<![\w.>:~])|(?<=\bstd::)|(?<![\w>])::)(?:' + '|'.join(names) + r')\s*\(')


# What must not be there, and why.
RULES = [
    ('ends the process', call('exit', '_exit', '_Exit', 'quick_exit', 'abort', 'terminate', 'at_quick_exit', 'atexit',
                              'MPI_Abort')),
    ('touches signals', call('signal', 'sigaction', 'sigaltstack', 'sigprocmask', 'pthread_sigmask', 'kill',
                             'pthread_kill', 'timer_create', 'setitimer', 'alarm')),
    ('touches signals', re.compile(r'(?<![\w.>])raise\s*\(\s*SIG')),
    ('reads or writes the environment', call('getenv', 'secure_getenv', '__real_getenv', 'setenv', 'unsetenv', 'putenv',
                                             'clearenv')),
    ('writes to standard streams', re.compile(
        r'\b(?:stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b|\bstd::w?(?:cout|cerr|clog)\b|\bllvm::(?:outs|errs|dbgs)\s*\('
        r'|(?<![\w.>])write\s*\(\s*[12]\s*,')),
    ('writes to standard streams', call('printf', 'vprintf', 'puts', 'putchar', 'perror')),
    ('writes to standard streams', re.compile(r'\bOutput\s+\w+\s*[{(]\s*[12]\s*[})]')),
    ('binds threads', call('sched_setaffinity', 'pthread_setaffinity_np', 'pthread_attr_setaffinity_np')),
    ('changes handlers of the process', call('set_new_handler', 'set_terminate', 'install_fatal_error_handler')),
    ('takes the program for itself', re.compile(r'/proc/self/exe')),
]
# Rules whose sign is inside of a text.
IN_TEXTS = {'takes the program for itself'}

# File (or directory, ending in /), what it may do nevertheless, and the reason.
ALLOWED = [
    ('src/base/OwnObject.cpp', 'takes the program for itself', 'the loader does not tell the path of a program'),
    ('src/kernels/products/BlasProcessor.cpp', 'reads or writes the environment', 'OpenBLAS asks for OPENBLAS_CORETYPE through it'),
    ('src/dist/samehost/CpuShare.cpp', 'binds threads', 'of workers, and of a coordinator that asks for it (boundThreads)'),
    ('src/dist/transports/Mpi.cpp', 'ends the process', 'a job that has lost a rank, if its host says so (TransportHost)'),
    ('src/sched/', 'binds threads', 'the pool binds its own threads, and its caller only where the settings say so'),
]

LEXEMES = re.compile(r'''//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+\'''', re.DOTALL)


def without(text, texts):
    """The same lines without comments, and without texts if asked for."""
    def replaced(match):
        found = match[0]
        if found.startswith('/') or (texts and not found.startswith("'")):
            return '""' * (not found.startswith('/')) + '\n' * found.count('\n')
        return found
    return LEXEMES.sub(replaced, text)


def offences(text):
    """Pairs of line number and rule."""
    code, with_texts = without(text, True).splitlines(), without(text, False).splitlines()
    for why, pattern in RULES:
        for number, line in enumerate(with_texts if why in IN_TEXTS else code, 1):
            if pattern.search(line):
                yield number, why


def is_allowed(path, why, used):
    for row in ALLOWED:
        if row[1] == why and (path == row[0] or (row[0].endswith('/') and path.startswith(row[0]))):
            used.add(row)
            return True
    return False


BAD = ['exit(1);', '::_exit(2);', 'std::abort();', 'std::_Exit(3);', 'if (x) abort();', 'std::signal(SIGINT, f);',
       'sigaction(SIGBUS, &a, &b);', 'raise(SIGTERM);', 'timer_create(CLOCK_MONOTONIC, &e, &t);', 'auto *x = std::getenv("X");',
       'setenv("A", "B", 1);', 'return ::secure_getenv(name);', 'std::fprintf(stderr, "x");', 'std::cout << 1;',
       '::write(2, text, n);', 'write(1, text, n);', 'std::printf("x");', 'puts("x");', 'llvm::errs() << x;',
       'sched_setaffinity(0, n, p);', 'std::set_new_handler(f);', 'read_symlink("/proc/self/exe", e);', 'Output err{2};',
       '/* a\n comment */ exit(1);', 'f("//"); exit(1);', "c == '\"'; exit(1);"]
GOOD = ['// exit(1);', '/* abort();\n getenv("X") */', 'say("exit(1)");', 'g.raise(error);', 'transport->abort();',
        'pool.signal(x);', 'onexit(1);', 'std::snprintf(b, n, "%d", x);', 'std::fprintf(file, "x");', 'file.write(2, x);',
        '::write(fd, data, n);', 'Generator::raise(e);', 'raise(compileError(x));', 'Process::exit(1);', 'R"(exit(1); stderr)"', 'my_getenv("X");',
        'say("to stderr");', 'bool exits = true;']


def self_test():
    failed = 0
    for text in BAD:
        if not list(offences(text)):
            failed += 1
            print(f'self-test: not found: {text!r}')
    for text in GOOD:
        for _, why in offences(text):
            failed += 1
            print(f'self-test: {why}, but it is fine: {text!r}')
    return len(BAD) + len(GOOD) - failed, failed


def main():
    passed, failed = self_test()
    used = set()
    for path in sorted((ROOT / 'src').rglob('*')):
        if path.suffix not in ('.h', '.cpp', '.inc') or path.relative_to(ROOT / 'src').parts[0] in OWNERS:
            continue
        name = str(path.relative_to(ROOT))
        bad = [(number, why) for number, why in offences(path.read_text(encoding='utf-8', errors='replace'))
               if not is_allowed(name, why, used)]
        for number, why in bad:
            print(f'{name}:{number}: {why}; that is for src/driver')
        passed, failed = passed + (not bad), failed + bool(bad)
    for row in ALLOWED:
        if row not in used:
            failed += 1
            print(f'the row {row} of the allowed ones is not needed any more')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
