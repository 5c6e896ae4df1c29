#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel that `make wheel` has put into dist/: what is in it, the same file under every Python that is found, and with
--chroot in bare systems with nothing but python3 and pip. Closes with 'N passed, N failed'.

    test/wheel/run.py [--python FILE...] [--chroot SUITE...]

Pythons are those of the system and of pyenv; a suite is a release of Debian such as bookworm, installed by debootstrap
(as root) and kept below build/wheel/."""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / 'build' / 'wheel'
TOOLS = WORK / 'tools' / 'bin'
PYTHONS = ('3.9', '3.10', '3.11', '3.12', '3.13', '3.14')
# What every system of the tag has.
ALLOWED = {'libc.so.6', 'libm.so.6', 'libpthread.so.0', 'libdl.so.2', 'librt.so.1', 'libgcc_s.so.1', 'libstdc++.so.6',
           'ld-linux-x86-64.so.2'}
LARGEST_MB = 60
FIRST = '''
import time
begin = time.perf_counter()
import daphne as dp
import numpy as np
dc = dp.DaphneContext()
X = np.arange(6.0).reshape(2, 3)
result = (dc.from_numpy(X) * 2 + 1).sum().compute()
print(result, dp.__version__, dp.__file__)
print(f"seconds {time.perf_counter() - begin:.2f}")
'''
SCRIPT = '''
X = rand($n, 4, 0.0, 1.0, 1.0, 1);
write(X, "x.parquet");
Y = readMatrix("x.parquet");
print(sum(abs(X - Y)));
print(as.scalar(solve(t(X) @ X, t(X) @ X[, 0])[0, 0]) > 0.99);
print(strlen(regexReplace("a1b22", "[0-9]+", "#")));
'''


def output(*command, status=0, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800, **more)
    assert done.returncode == status, f'{command}: status {done.returncode}\n{done.stdout}{done.stderr}'
    return done.stdout if status == 0 else done.stderr


def the_wheel():
    found = sorted((ROOT / 'dist').glob('daphne-*.whl'))
    if len(found) != 1:
        sys.exit('run `make wheel` first: dist/ is to hold one wheel')
    return found[0]


def version():
    return re.search(r'project\(daphne VERSION ([0-9.]+)', (ROOT / 'CMakeLists.txt').read_text())[1]


# ---------------------------------------------------------------------- the file itself

def name_says_version_and_platform(wheel, content):
    assert re.fullmatch(rf'daphne-{re.escape(version())}-py3-none-manylinux_2_28_x86_64\.whl', wheel.name), wheel.name
    assert wheel.stat().st_size < LARGEST_MB * 1e6, wheel.stat().st_size
    show = output(TOOLS / 'auditwheel', 'show', wheel)
    assert 'manylinux_2_28_x86_64' in show, show
    metadata = next(content.glob('*.dist-info')) / 'METADATA'
    assert f'Version: {version()}\n' in metadata.read_text() and 'Requires-Python: >=3.9' in metadata.read_text()


def nothing_but_the_system_is_needed(wheel, content):
    lib = content / 'daphne' / 'lib'
    own = {p.name for p in lib.iterdir()}
    files = [*lib.iterdir(), *(content / 'daphne' / 'bin').iterdir()]
    assert any(p.name == 'libdaphne.so' for p in files)
    for path in files:
        dynamic = output('readelf', '-dW', path)
        needed = set(re.findall(r'\(NEEDED\).*\[(.*)\]', dynamic))
        assert needed <= ALLOWED | own, f'{path.name} needs {needed - ALLOWED - own}'
        for places in re.findall(r'\(RU?N?PATH\).*\[(.*)\]', dynamic):
            assert all(place.startswith('$ORIGIN') for place in places.split(':')), f'{path.name} looks in {places}'
        if 'daphne' in path.name:
            assert str(ROOT).encode() not in path.read_bytes(), f'{path.name} knows the source tree'
            assert '.symtab' not in output('readelf', '-SW', path), f'{path.name} is not stripped'


def nothing_but_the_interface_is_visible(wheel, content):
    symbols = output('nm', '-D', '--defined-only', content / 'daphne' / 'lib' / 'libdaphne.so')
    names = {line.split()[-1].split('@')[0] for line in symbols.splitlines()}
    declared = set(re.findall(r'\b(daphne_\w+)\(', (ROOT / 'include' / 'daphne' / 'daphne.h').read_text()))
    assert names - {'DAPHNE_1'} == declared | {'daphne_command', 'daphne_worker_command'}, names ^ declared
    # One C++ library in the process of somebody else must not be mixed with another one.
    undefined = output('nm', '-D', '--undefined-only', content / 'daphne' / 'lib' / 'libdaphne.so')
    assert not re.search(r'GLIBCXX|CXXABI', undefined)


def licences_are_there(wheel, content):
    names = {p.name for p in (content / 'daphne' / 'licenses').iterdir()}
    for word in ('daphne', 'llvm', 'mlir', 'openblas', 're2', 'zstd', 'hwloc', 'libstdc++', 'arrow'):
        assert any(word in name for name in names), f'no licence of {word}: {names}'


FILE_CASES = [name_says_version_and_platform, nothing_but_the_system_is_needed, nothing_but_the_interface_is_visible,
              licences_are_there]


# ---------------------------------------------------------------------- installed

class Environment:
    """A fresh virtual environment with nothing but the wheel and what it depends on."""

    def __init__(self, python, directory, wheel):
        self.directory, self.home = Path(directory), Path(directory) / 'home'
        self.home.mkdir()
        output(python, '-m', 'venv', self.directory / 'venv')
        self.bin = self.directory / 'venv' / 'bin'
        # No compiler, no libraries of the source tree: nothing but the system's own directories.
        self.env = {'PATH': f'{self.bin}:/usr/bin:/bin', 'HOME': str(self.home), 'LANG': 'C.UTF-8'}
        begin = time.monotonic()
        output(self.bin / 'pip', 'install', '--quiet', '--disable-pip-version-check', wheel)
        self.install_seconds = time.monotonic() - begin

    def run(self, *command, status=0):
        return output(*command, status=status, cwd=self.home, env=self.env)


def two_lines_work(e):
    text = e.run('python', '-c', FIRST)
    assert text.startswith(f'36.0 {version()} ') and str(e.directory) in text, text


def command_and_module_run_scripts(e):
    (e.home / 's.daph').write_text(SCRIPT)
    for start in (['daphne'], ['python', '-m', 'daphne']):
        assert e.run(*start, 's.daph', 'n=50') == '0\n1\n4\n', start
        assert e.run(*start, '-e', 'print(1 + 1);') == '2\n', start


def statuses_and_messages_are_those_of_the_program(e):
    for start in (['daphne'], ['python', '-m', 'daphne']):
        for code, status in (('print(1', 1), ('print(nope);', 1), ('X = [1, 2](3, 3);', 2), ('stop("no");', 3)):
            text = e.run(*start, '-e', code, status=status)
            assert text.count('error') == 1 and 'command line:1' in text, text
        assert "unknown option '--nonsense'" in e.run(*start, '--nonsense', status=1)


def a_pipe_that_closes_ends_the_program(e):
    """As every program: Python itself ignores the signal, and what is ignored stays so."""
    for start in ('daphne', 'python -m daphne'):
        code = 'for (i in 1:1000000) print(i);'
        text = e.run('bash', '-c', f"{start} -e '{code}' | head -1; echo ${{PIPESTATUS[0]}}")
        assert text == '1\n141\n', text


def help_and_standard_input_work(e):
    assert 'usage: daphne' in e.run('daphne', '--help') and version() in e.run('daphne', '--version')
    text = output(e.bin / 'daphne', '-', cwd=e.home, env=e.env, input='x = 3;\nprint(x * 2);\n')
    assert text == '6\n', text


def what_is_not_in_the_wheel_says_so(e):
    for backend in ('gRPC', 'MPI'):
        text = e.run('env', 'DISTRIBUTED_WORKERS=127.0.0.1:1', 'daphne', '--distributed', f'--dist_backend={backend}', '-e', 'print(1);',
                     status=3)
        assert text.count('error') == 1 and f'the {backend} transport is not part of this build' in text, text


def workers_are_started(e):
    code = 'X = rand(2000, 50, 0.0, 1.0, 1.0, 1); print(sum(sqrt(X) + X * 2.0));'
    alone = e.run('daphne', '-e', code)
    assert e.run('daphne', '--dist_backend=TCP', '--workers-local=2', '--dist-threshold=0', '-e', code) == alone
    assert 'usage: daphne-worker' in e.run('daphne-worker', '--help')


INSTALLED_CASES = [two_lines_work, command_and_module_run_scripts, statuses_and_messages_are_those_of_the_program,
                   a_pipe_that_closes_ends_the_program, help_and_standard_input_work, what_is_not_in_the_wheel_says_so,
                   workers_are_started]


def find_pythons():
    """One of every version, those of the system first."""
    found = {}
    for number in PYTHONS:
        places = [shutil.which(f'python{number}', path='/usr/bin:/usr/local/bin'),
                  *sorted(Path(os.environ.get('PYENV_ROOT', Path.home() / '.pyenv')).glob(f'versions/{number}.*/bin/python'))]
        place = next((p for p in places if p and subprocess.run([str(p), '-c', 'import venv, ensurepip'],
                                                                 capture_output=True).returncode == 0), None)
        if place:
            found[number] = place
    return found


# ---------------------------------------------------------------------- bare systems

def chroot(suite):
    """A new Debian with python3 and pip and nothing else."""
    system = WORK / f'system-{suite}'
    if not (system / 'complete').exists():
        if os.geteuid() != 0 or not shutil.which('debootstrap'):
            sys.exit('bare systems need root and debootstrap')
        print(f'  installing {suite} into {system.relative_to(ROOT)}', flush=True)
        shutil.rmtree(system, ignore_errors=True)
        output('debootstrap', '--variant=minbase', '--include=python3,python3-pip', suite, system)
        # pip recommends a compiler, which must not be there.
        assert not (system / 'usr/bin/gcc').exists() and not list((system / 'usr/lib').glob('llvm*'))
        (system / 'complete').touch()
    return system


@contextlib.contextmanager
def mounted_proc(system):
    """The loader of programs finds out there where a program lies."""
    output('mount', '-t', 'proc', 'proc', system / 'proc')
    try:
        yield
    finally:
        output('umount', system / 'proc')


def works_in_a_bare_system(suite, wheel):
    system = chroot(suite)
    inside = system / 'root' / 'try'
    shutil.rmtree(inside, ignore_errors=True)
    inside.mkdir(parents=True)
    shutil.copy(wheel, inside)
    number = output('chroot', system, 'python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])').strip()
    # The system has no network: what pip would fetch lies beside the wheel.
    output(TOOLS / 'python', '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', '--python-version',
           number, *(f'--platform=manylinux_2_{n}_x86_64' for n in (17, 27, 28)), '--dest', inside, 'numpy')
    breaks = ['--break-system-packages'] if list((system / 'usr/lib').glob('python3*/EXTERNALLY-MANAGED')) else []
    (inside / 's.daph').write_text(SCRIPT)
    (inside / 'first.py').write_text(FIRST)
    enter = ['chroot', system, 'env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/root', 'LANG=C.UTF-8', 'sh', '-c']
    output(*enter, 'python3 -m pip uninstall -y -q ' + ' '.join(breaks) + ' daphne numpy 2>/dev/null; rm -rf /root/.cache; true')
    begin = time.monotonic()
    output(*enter, f'cd /root/try && python3 -m pip install -q --no-index --find-links . {" ".join(breaks)} ./{wheel.name}')
    installed = time.monotonic()
    text = output(*enter, 'cd /root && python3 try/first.py')
    first = time.monotonic()
    assert text.startswith('36.0 '), text
    print(f'  {suite}: {wheel.stat().st_size / 1e6:.1f} MB, Python {number}, pip install {installed - begin:.1f} s, first result after '
          f'{first - begin:.1f} s')
    with mounted_proc(system):
        assert output(*enter, 'cd /root/try && daphne s.daph n=50') == '0\n1\n4\n'
        assert output(*enter, 'cd /root/try && python3 -m daphne s.daph n=50') == '0\n1\n4\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--python', nargs='*', help='instead of those that are found; none: look at the file only')
    parser.add_argument('--chroot', nargs='*', default=[], help='releases of Debian')
    options = parser.parse_args()
    wheel = the_wheel()
    passed = failed = 0

    def check(title, case, *arguments):
        nonlocal passed, failed
        try:
            case(*arguments)
            passed += 1
        except (AssertionError, OSError, subprocess.TimeoutExpired) as problem:
            failed += 1
            print(f'  {title}, {case.__name__}: {problem}')
    print(f'{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB', flush=True)
    with tempfile.TemporaryDirectory(prefix='dwheel') as directory:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(directory)
        for case in FILE_CASES:
            check('file', case, wheel, Path(directory))
    pythons = find_pythons() if options.python is None else {str(p): p for p in options.python}
    if options.python is None and not pythons:
        failed += 1
        print('  no Python with venv was found')
    for number, python in pythons.items():
        with tempfile.TemporaryDirectory(prefix='dwheel') as directory:
            try:
                environment = Environment(python, directory, wheel)
            except AssertionError as problem:
                failed += 1
                print(f'  Python {number}: {problem}')
                continue
            before = failed
            for case in INSTALLED_CASES:
                check(f'Python {number}', case, environment)
            print(f'Python {number}: installed in {environment.install_seconds:.1f} s, {failed - before} failures', flush=True)
    for suite in options.chroot:
        check(suite, works_in_a_bare_system, suite, wheel)
    print(f'{passed} passed, {failed} failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
