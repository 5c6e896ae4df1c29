# SPDX-License-Identifier: Apache-2.0
"""Processes of the distributed engine: runs, workers, and what is left of them."""

import fcntl
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MPI_ENVIRONMENT = {'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                   'OMPI_MCA_rmaps_base_oversubscribe': '1', 'OMPI_MCA_hwloc_base_binding_policy': 'none',
                   'OMPI_MCA_pml': 'ob1', 'OMPI_MCA_btl': 'self,vader,tcp',
                   # Open MPI has no frame pointers: sanitizers find its part in a stack by its unwind tables only.
                   'ASAN_OPTIONS': ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'), 'fast_unwind_on_malloc=0']))}
# Enough loops to be interrupted in the middle, results that live on the workers, and a check of everything at the end.
LONG_SCRIPT = '''
n = ROWS;
X = rand(n, 20, 0.0, 1.0, 1.0, 7);
v = fill(0.0, n, 1);
for (i in 1:ROUNDS) {
    Y = X * (1.0 + 1.0 / i) + sqrt(X);
    v = v * 0.5 + sum(Y, 0);
    if (i % 7 == 0)
        X = X - mean(X, 1);
    X = abs(X);
}
print(sum(v));
print(sum(X));
print(v[0:3, ]);
'''


class Problem(Exception):
    """What went wrong in a check."""


def require(condition, text):
    if not condition:
        raise Problem(text)


def log_file():
    """A temporary file that a process writes to while it is read here: both have one position in it, so whoever writes must
    go to the end by itself."""
    log = tempfile.TemporaryFile('w+')
    fcntl.fcntl(log, fcntl.F_SETFL, fcntl.fcntl(log, fcntl.F_GETFL) | os.O_APPEND)
    return log


class Workers:
    """daphne-worker processes on free ports of this machine, or of machines behind slow lines."""

    def __init__(self, binary, count, *options, backend='gRPC', env=None, directories=None, links=None):
        self.processes, self.addresses, self.logs, self.stubborn = [], [], [], []
        self.binary, self.environment = os.path.abspath(binary), {**os.environ, **(env or {})}
        self.options = [f'--dist_backend={backend}', *options]
        for i in range(count):
            self.start(f'{links.address(i)}:0' if links else '127.0.0.1:0', directories[i] if directories else None,
                       links.workers[i] if links else None)

    def start(self, address, directory=None, machine=None):
        log = log_file()
        command = [f'{self.binary}-worker', '--num-threads=1', *self.options, address]
        process = subprocess.Popen(machine.command(command) if machine else command, stdout=subprocess.PIPE, stderr=log, text=True,
                                   env=self.environment, cwd=directory)
        self.processes.append(process)
        self.logs.append(log)
        line = process.stdout.readline()
        require('Started Distributed Worker on `' in line, f'the worker said {line!r}')
        self.addresses.append(line.split('`')[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        for process, address in zip(self.processes, self.addresses):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                self.stubborn.append(address)
                process.kill()
                process.wait()

    def log(self, index=0):
        self.logs[index].seek(0)
        return self.logs[index].read()

    @property
    def env(self):
        return {'DISTRIBUTED_WORKERS': ','.join(self.addresses)}


class Runs:
    """Runs of the binary under test; files of theirs are in the directory."""

    def __init__(self, daphne, directory):
        self.daphne, self.directory = daphne, directory
        self.has_mpi = shutil.which('mpirun') and (Path(daphne).parent.parent / 'lib' / 'libdaphne_mpi.so').exists()
        self.has_grpc = (Path(daphne).parent.parent / 'lib' / 'libdaphne_grpc.so').exists()
        self.backend = self.backends()[0]

    def backends(self):
        """Of workers that listen."""
        return ['gRPC', 'TCP'] if self.has_grpc else ['TCP']

    def modes(self):
        """How the coordinator can talk to them."""
        return ['gRPC', 'async-gRPC'] if self.backend == 'gRPC' else [self.backend]

    def workers(self, count, *options, **how):
        return Workers(self.daphne, count, *options, backend=self.backend, **how)

    def run(self, *words, env=None, prefix=(), timeout=60):
        # Of several mpirun at a time, one may remove what another one is about to use.
        own = {'OMPI_MCA_orte_tmpdir_base': self.directory} if prefix else {}
        return subprocess.run([*prefix, self.daphne, *words], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **own, **(env or {})}, cwd=ROOT)

    def script(self, rounds, rows=30000):
        path = Path(self.directory, f'long{rounds}x{rows}.daph')
        path.write_text(LONG_SCRIPT.replace('ROUNDS', str(rounds)).replace('ROWS', str(rows)))
        return str(path)

    def local(self, *words):
        done = self.run(*words)
        require(done.returncode == 0, f'the local run fails: {done.stderr}')
        return done.stdout

    def expect_same(self, done, wanted, what):
        require(done.returncode == 0, f'{what}: status {done.returncode}: {done.stderr}')
        require(done.stdout == wanted, f'{what}: {done.stdout!r} instead of {wanted!r}')


class Mark:
    """Something in the environment of processes by which they and all their children are found again."""

    def __init__(self):
        self.env = {'DAPHNE_TEST_MARK': f'{os.getpid()}-{random.getrandbits(64):x}'}

    def processes(self):
        """Numbers of those that are there, with their environments."""
        wanted = f'DAPHNE_TEST_MARK={self.env["DAPHNE_TEST_MARK"]}'
        found = {}
        for directory in Path('/proc').glob('[0-9]*'):
            try:
                environment = (directory / 'environ').read_bytes().decode(errors='replace').split('\0')
            except OSError:
                continue  # it has ended, or belongs to somebody else
            if wanted in environment:
                found[int(directory.name)] = dict(word.split('=', 1) for word in environment if '=' in word)
        return found

    def left(self, patience=5):
        """Processes that are still there after some seconds. They are ended then."""
        deadline = time.monotonic() + patience
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        left = list(self.processes())
        for process in left:
            os.kill(process, signal.SIGKILL)
        return left


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def make_certificates(directory, addresses=()):
    """Of an authority for a worker and a client, and of another one for a stranger; the worker's also for addresses."""
    def openssl(*words):
        subprocess.run(['openssl', *words], check=True, capture_output=True, cwd=directory)

    names = Path(directory, 'names')
    names.write_text('subjectAltName=' + ','.join(['DNS:localhost', *(f'IP:{address}' for address in addresses)]))
    for ca in ('ca', 'other'):
        openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', f'/CN={ca}', '-keyout', f'{ca}.key',
                '-out', f'{ca}.pem')
    for name, ca in (('worker', 'ca'), ('client', 'ca'), ('stranger', 'other')):
        openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-keyout', f'{name}.key', '-out', f'{name}.csr')
        openssl('x509', '-req', '-in', f'{name}.csr', '-CA', f'{ca}.pem', '-CAkey', f'{ca}.key', '-CAcreateserial', '-days', '2',
                '-extfile', 'names', '-out', f'{name}.pem')


def tls_options(directory, name, ca='ca'):
    return [f'--tls-ca={directory}/{ca}.pem', f'--tls-cert={directory}/{name}.pem', f'--tls-key={directory}/{name}.key']
