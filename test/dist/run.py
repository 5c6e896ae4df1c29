#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The distributed engine from outside: real worker processes, real kills, real strangers on the port.

Every check compares the output of a run on several machines (processes of this one) with the local run, byte by byte.
Without options a quick selection of everything; `--campaign faults` kills, stops or cuts off a random worker at 50 random
moments and some ranks of MPI jobs, `--campaign slow-link` runs scripts over lines of 50 ms and 100 Mbit/s, `--campaign
scripts` runs all script tests over every transport.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from campaigns import LONGEST, fault_campaign, script_campaign, slow_link_campaign
from processes import MPI_ENVIRONMENT, ROOT, Problem, Runs, Workers, free_port, log_file, make_certificates, require, tls_options
from slow_link import NotPermitted, SlowLinks
from stranger import (DETACH, HELLO, NEIGHBOUR, OBJECT_BEGIN, OBJECT_CHUNK, IN_PIECES, OBJECT_LENT, Stranger, TcpStranger, compute, frame,
                      hello, piece)

GRAPH = str(ROOT / 'data' / 'ca-GrQc.mtx')


def over_every_transport(check):
    """What depends on the transport runs over each of them, the rest over the first one."""
    check.is_of_transports = True
    return check


class Checks(Runs):
    def selected(self, backend, text):
        """Pairs of a backend and a check whose name contains the text."""
        names = [name for name in dir(self) if name.startswith('check_') and text in name]
        if backend:
            return [(backend, name) for name in names]
        first = self.backends()[0]
        return [(own, name) for own in self.backends() for name in names
                if own == first or hasattr(getattr(self, name), 'is_of_transports')]

    # ---- transports and their options

    @over_every_transport
    def check_modes_chunk_sizes_and_schemes(self):
        script = self.script(6)
        wanted = self.local(script)
        with self.workers(2) as workers:
            first, last = self.modes()[0], self.modes()[-1]
            for mode, *options in ((first,), (first, '--dist-resident=off'), (last, '--dist-partitioning=GSS'),
                                   (last, '--coordinator-computes=off'), (first, '--dist-lend=off'),
                                   (first, '--max-distr-chunk-size=1000', '--partitioning=TSS')):
                done = self.run('--distributed', '--dist-threshold=0', f'--dist_backend={mode}', *options, script, env=workers.env)
                self.expect_same(done, wanted, f'{mode} {options}')
                require(done.stderr == '', f'{mode} {options}: {done.stderr}')

    def check_local_workers_come_and_go(self):
        script = self.script(3)
        for options in [[]] * self.has_grpc + [[f'--dist_backend={name}'] for name in self.backends()]:
            done = self.run('--workers-local=2', '--dist-threshold=0', '--statistics', *options, script)
            self.expect_same(done, self.local(script), f'--workers-local {options}')
            require(re.search(r'127\.0\.0\.1:\d+ +[1-9]\d* chunks', done.stderr), f'no figures of workers: {done.stderr}')

    def fake(self, name, text):
        """A command of that name first in PATH; returns the environment that finds it."""
        directory = Path(self.directory, 'fakes')
        directory.mkdir(exist_ok=True)
        path = directory / name
        path.write_text('#!/bin/sh\n' + text)
        path.chmod(0o755)
        return {'PATH': f'{directory}:{os.environ["PATH"]}', 'FAKE_LOG': str(directory / f'{name}.log')}

    def check_launchers(self):
        script = self.script(3)
        wanted = self.local(script)
        hosts = Path(self.directory, 'hosts')
        hosts.write_text('# two of them\nlocalhost slots=2\n\nlocalhost # and one more\n')
        # A shell at the other end, as the real one; nothing of our environment gets there.
        ssh = self.fake('ssh', 'echo "$@" >>"$FAKE_LOG"\nshift 3\nexec env -u DAPHNE_DIST_TOKEN sh -c "$*"\n')
        # Every task is a process; all end when srun does.
        srun = self.fake('srun', 'echo "$@" >>"$FAKE_LOG"\ntrap \'kill $(jobs -p)\' TERM\n'
                         'n=${1#--ntasks=}\nwhile [ "${1#--}" != "$1" ]; do shift; done\n'
                         'while [ "$n" -gt 0 ]; do "$@" & n=$((n - 1)); done\nwait\n')
        self.fake('hostname', 'echo localhost\n')
        slurm = {**srun, 'SLURM_NTASKS': '2', 'SLURM_CPUS_PER_TASK': '1'}
        before = self.worker_processes()
        for options, env, workers in ((['--launcher=local'], {}, 2), (['--launcher=local', '--workers-local=3'], {}, 3),
                                      ([f'--launcher=ssh:{hosts}'], ssh, 3), (['--launcher=slurm'], slurm, 2)):
            options = [*options, f'--dist_backend={self.backend}']
            done = self.run(*options, '--dist-threshold=0', '--dist-stats', script, env=env)
            self.expect_same(done, wanted, options)
            figures = json.loads(done.stderr.splitlines()[-1])['workers']
            require(len(figures) == workers and all(w['chunks'] > 0 for w in figures), f'{options}: {figures}')
        require('-o BatchMode=yes localhost' in Path(ssh['FAKE_LOG']).read_text(), 'how ssh is called')
        require('--ntasks=2 --kill-on-bad-exit=0 --export=ALL --overlap --cpus-per-task=1' in Path(srun['FAKE_LOG']).read_text(),
                f'how srun is called: {Path(srun["FAKE_LOG"]).read_text()}')
        for _ in range(100):
            if self.worker_processes() <= before:
                break
            time.sleep(0.1)
        require(self.worker_processes() <= before, 'workers are left')

    def worker_processes(self):
        found = set()
        for directory in Path('/proc').glob('[0-9]*'):
            try:
                if os.readlink(directory / 'exe') == os.path.realpath(f'{self.daphne}-worker'):
                    found.add(directory.name)
            except OSError:
                pass
        return found

    def check_launchers_say_what_is_wrong(self):
        hosts = Path(self.directory, 'badhosts')
        hosts.write_text('localhost slots=many\n')
        env = {**self.fake('ssh', 'exit 255\n'), 'SLURM_NTASKS': ''}
        empty = Path(self.directory, 'empty')
        empty.write_text('# nobody\n')
        good = Path(self.directory, 'hosts')
        good.write_text('localhost\n')
        for option, status, text in (('--launcher=pbs', 1, "'pbs' is none of local, ssh:<hostfile> and slurm"),
                                     ('--launcher=slurm', 1, 'this is no Slurm allocation'),
                                     ('--launcher=ssh:/no/such/file', 1, 'cannot be read'), (f'--launcher=ssh:{empty}', 1, 'names no host'),
                                     (f'--launcher=ssh:{hosts}', 1, "line 1: 'many' is no number"),
                                     (f'--launcher=ssh:{good}', 3, "a worker cannot be started: 'ssh' has ended")):
            done = self.run(option, '-e', 'print(1);', env=env)
            require(done.returncode == status and text in done.stderr, f'{option}: {done.returncode} {done.stderr}')
        done = self.run('--launcher=local', '--dist_backend=MPI', '-e', 'print(1);')
        require(done.returncode == 1 and 'are not started by daphne' in done.stderr, done.stderr)

    @over_every_transport
    def check_workers_of_one_run_end_with_it_or_without_it(self):
        script = 'print(sum(fill(1.0, 9, 9) + 1));'
        with self.workers(1, '--for-one-run') as workers:
            self.expect_same(self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '-e', script, env=workers.env), '162\n',
                             'one run')
            require(workers.processes[0].wait(10) == 0, 'the worker goes on')
        with self.workers(1, '--for-one-run=1') as workers:  # nobody ever comes
            require(workers.processes[0].wait(10) == 0, 'the worker goes on')
        with self.workers(1, '--for-one-run=1', '--persistent') as workers:
            time.sleep(1.5)
            require(workers.processes[0].poll() is None, 'the worker has ended')
        with self.workers(1, '--for-one-run=1') as workers:  # its coordinator is killed
            run = subprocess.Popen([self.daphne, '--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '-e',
                                    'i = 0; while (i >= 0) { i = as.si64(sum(fill(1.0, 99, 99) + 1)); }'], env={**os.environ, **workers.env})
            self.wait_for(workers.logs[0], 'connected')
            time.sleep(1.5)
            require(workers.processes[0].poll() is None, 'the worker has ended too early')
            run.kill()
            run.wait()
            require(workers.processes[0].wait(10) == 0, 'the worker goes on')

    def check_figures_of_the_machines(self):
        file = Path(self.directory, 'figures.json')
        script = self.script(5)
        done = self.run('--workers-local=2', '--dist-threshold=0', f'--dist-stats={file}', '--num-threads=1', script)
        self.expect_same(done, self.local(script), '--dist-stats')
        figures = json.loads(file.read_text())
        own, workers = figures['coordinator'], figures['workers']
        require(own['loops'] > 5 and own['chunks'] > 5 and own['compute_seconds'] > 0, f'{own}')
        require(0 <= figures['load_imbalance_percent'] <= 100, f'{figures}')
        for worker in workers:
            for name in ('threads', 'cores', 'process', 'machine_bytes', 'resident_bytes', 'bytes_out', 'bytes_in', 'objects_out', 'chunks',
                         'rows', 'rows_per_second', 'chunk_seconds_mean', 'compute_seconds', 'wait_seconds', 'programs_reused'):
                require(worker[name] > 0, f'{name} of {worker}')
            require(worker['state'] == 'alive' and worker['losses'] == 0, f'{worker}')
            require(worker['bytes_out'] > 30000 * 20 * 8 / 4, f'rows are missing in {worker}')
        require(sum(w['rows'] for w in workers) > 0, 'no rows')
        failed = self.run('--workers-local=2', '--dist-stats', '-e', 'stop("enough");')
        require(failed.returncode == 3 and '"workers":' in failed.stderr, f'no figures after an error: {failed.stderr}')
        bad = self.run('--workers-local=1', '--dist-stats=/no/such/file', '-e', 'print(1);')
        require(bad.returncode == 3 and '/no/such/file' in bad.stderr, bad.stderr)

    def check_equivalence_scripts(self):
        scripts = ['m = rand(10, 10, 0.0, 1.0, 1.0, 1); print(m + m);',
                   'm = rand(1500, 1200, 0.0, 1.0, 1.0, 1); n = rand(1500, 1200, 0.0, 1.0, 1.0, 2); print(sum(m + n));',
                   'print(fill(123, 10, 3) + fill(456, 1, 3));',
                   'a = rand(10, 10, 0.0, 1.0, 1.0, 1); b = rand(10, 10, 0.0, 1.0, 1.0, 2); print(a @ b);']
        with self.workers(2) as workers:
            for script in scripts:
                wanted = self.local('-e', script)
                for chunk in ('100', 'auto'):
                    options = ['--distributed', '--dist-threshold=0', f'--max-distr-chunk-size={chunk}']
                    done = self.run(*options, f'--dist_backend={self.backend}', '-e', script, env=workers.env)
                    self.expect_same(done, wanted, script)
        for script in scripts if self.has_mpi else []:
            done = self.run('--distributed', '--dist-threshold=0', '-e', script, prefix=['mpirun', '-np', '4'],
                            env=MPI_ENVIRONMENT)
            self.expect_same(done, self.local('-e', script), script)

    def check_workers_read_their_rows_of_files_that_they_may_read(self):
        shared = Path(self.directory, 'shared')
        shared.mkdir(exist_ok=True)
        outside = Path(self.directory, 'outside.csv')
        make = 'X = rand(40000, 5, 0.0, 1.0, 1.0, 3); writeMatrix(X, "FILE");'
        for path in (shared / 'x.csv', shared / 'x.dbdf', outside):
            self.local('-e', make.replace('FILE', str(path)))
        link = shared / 'link.csv'
        if not link.exists():
            link.symlink_to(outside)
            Path(f'{link}.meta').write_text(Path(f'{outside}.meta').read_text())
        use = 'X = readMatrix("FILE"); print(sum(sqrt(X) * 2.0)); print(sum(X + 1.0)); print(X[39998:40000, ]);'
        common = ['--distributed', '--dist-threshold=0', '--statistics']
        with self.workers(2, f'--dist-read-root={shared}') as workers:
            for path, is_read in ((shared / 'x.csv', True), (shared / 'x.dbdf', True), (outside, False), (link, False)):
                script = use.replace('FILE', str(path))
                done = self.run(*common, f'--dist_backend={self.backend}', '-e', script, env=workers.env)
                self.expect_same(done, self.local('-e', script), str(path))
                parts = sum(map(int, re.findall(r'(\d+) parts of files read', done.stderr)))
                require((parts > 0) == is_read, f'{path}: {parts} parts were read by workers: {done.stderr}')
                sent = sum(map(float, re.findall(r'([\d.]+) MB to it', done.stderr)))
                require((sent < 0.1) == is_read, f'{path}: {sent} MB were sent: {done.stderr}')
            # What the script overwrites is what it was when it was read.
            again = shared / 'again.dbdf'
            script = (f'X = readMatrix("{again}"); writeMatrix(X * 2.0, "{again}"); print(sum(X)); '
                      f'print(sum(readMatrix("{again}")));')
            outputs = []
            for words, env in (([], None), ([*common, f'--dist_backend={self.backend}'], workers.env)):
                self.local('-e', make.replace('FILE', str(again)))
                done = self.run(*words, '-e', script, env=env)
                require(done.returncode == 0, done.stderr)
                outputs.append(done.stdout)
            require(outputs[0] == outputs[1], f'after overwriting: {outputs}')
        script = use.replace('FILE', str(shared / 'x.csv'))
        for prefix, options in ((['mpirun', '-np', '3'], []), ([], ['--dist_backend=threads']), ([], ['--workers-local=2'])):
            if prefix and not self.has_mpi:
                continue
            done = self.run(*common, f'--dist-read-root={shared}', *options, '-e', script, prefix=prefix,
                            env=MPI_ENVIRONMENT)
            self.expect_same(done, self.local('-e', script), f'{prefix} {options}')
            require(re.search(r'[1-9]\d* parts of files read', done.stderr), f'{prefix} {options}: {done.stderr}')

    def check_workers_read_their_rows_of_every_format(self):
        """Dense ones row by row; sparse ones and MatrixMarket instead of getting what the coordinator has read."""
        shared = Path(self.directory, 'formats')
        shared.mkdir(exist_ok=True)
        dense, sparse = 'rand(40000, 5, 0.0, 1.0, 1.0, 3)', 'rand(40000, 2000, 1.0, 2.0, 0.001, 3)'
        files = {'x.h5': dense, 'y.h5:/group/x': dense, 'x.npy': dense, 'array.mtx': dense, 'ordered.mtx': sparse,
                 'sparse.dbdf': sparse, 'outside.mtx': sparse, 'outside.h5': dense}
        for name, matrix in files.items():
            directory = shared.parent if name.startswith('outside') else shared
            self.local('-e', f'writeMatrix({matrix}, "{directory}/{name}");')
        head, sizes, *entries = (shared / 'ordered.mtx').read_text().splitlines()
        random.Random(7).shuffle(entries)
        (shared / 'shuffled.mtx').write_text('\n'.join([head, sizes, '% a comment', *entries]) + '\n')
        places = [f'{row} {max(1, row - step)}' for row in range(1, 60001) for step in (row % 17, row % 131 + 17)]
        for name, kind in (('pattern.mtx', 'pattern general'), ('symmetric.mtx', 'pattern symmetric')):
            kept = places if kind.endswith('general') else list(dict.fromkeys(places))
            (shared / name).write_text(f'%%MatrixMarket matrix coordinate {kind}\n60000 60000 {len(kept)}\n' +
                                       '\n'.join(kept) + '\n')
        for name in ('outside.mtx', 'outside.h5'):
            (shared / f'link-{name}').symlink_to(shared.parent / name)
        names = ['x.h5', 'y.h5:/group/x', 'x.npy', 'array.mtx', 'ordered.mtx', 'sparse.dbdf', 'shuffled.mtx',
                 'pattern.mtx', 'symmetric.mtx']
        use = ('X = readMatrix("FILE"); c = as.f64(seq(1, ncol(X), 1)); print(sum(aggMax(X * t(c), 0))); print(sum(X)); '
               'print(sum(sum(X, 0) * 2)); print(sum(X[39998:40000, ]));')
        common = ['--distributed', '--dist-threshold=0', '--statistics', '--dist-lend=off']

        def expect(path, is_read, options=(), prefix=(), env=None):
            script = use.replace('FILE', str(path))
            done = self.run(*common, *options, '-e', script, prefix=prefix, env=env)
            what = f'{path} {options} {prefix}'
            self.expect_same(done, self.local('-e', script), what)
            parts = list(map(int, re.findall(r'(\d+) parts of files read', done.stderr)))
            require(bool(parts) and all((n > 0) == is_read for n in parts), f'{what}: {parts} were read: {done.stderr}')
            sent = sum(map(float, re.findall(r'([\d.]+) MB to it', done.stderr)))
            # A vector with a cell per column goes to everybody, and has been made by everybody.
            cols = 60000 if path.name in ('pattern.mtx', 'symmetric.mtx') else 2000
            most = 0.05 + 1.4 * len(parts) * 8 * cols / 1e6
            require((sent < most) == is_read, f'{what}: {sent} MB were sent, {most} expected: {done.stderr}')

        with self.workers(2, f'--dist-read-root={shared}') as workers:
            backend = [f'--dist_backend={self.backend}']
            for name in names:
                expect(shared / name, True, backend, env=workers.env)
            expect(shared / 'ordered.mtx', True, [*backend, '--dist-partitioning=GSS'], env=workers.env)
            expect(shared / 'shuffled.mtx', True, [*backend, '--dist-steal=on'], env=workers.env)
            expect(shared / 'ordered.mtx', True, [*backend, '--select-matrix-repr'], env=workers.env)
            use = use.replace('readMatrix("FILE")', 'as.f64(readMatrix("FILE"))')
            for name in ('pattern.mtx', 'symmetric.mtx'):
                expect(shared / name, True, backend, env=workers.env)
            for path in (shared.parent / 'outside.mtx', shared / 'link-outside.mtx', shared.parent / 'outside.h5',
                         shared / 'link-outside.h5'):
                expect(path, False, backend, env=workers.env)
            # Neighbours copy what the coordinator has read from its memory.
            script = use.replace('FILE', str(shared / 'ordered.mtx'))
            done = self.run(*common[:-1], *backend, '-e', script, env=workers.env)
            self.expect_same(done, self.local('-e', script), 'neighbours')
            lends = re.search(r'[1-9][\d.]* MB of both by memory|0\.\d*[1-9]\d* MB of both by memory', done.stderr)
            require(not lends or not re.search(r'[1-9]\d* parts of files read', done.stderr), done.stderr)
            self.expect_old_content(shared, [*common, *backend], workers.env)
            self.expect_broken_files(shared, [*common, *backend], workers.env)
        for prefix, options in ((['mpirun', '-np', '3'], []), ([], ['--dist_backend=threads']), ([], ['--workers-local=2'])):
            if prefix and not self.has_mpi:
                continue
            for name in ('x.h5', 'ordered.mtx', 'symmetric.mtx', 'sparse.dbdf'):
                expect(shared / name, True, [f'--dist-read-root={shared}', *options], prefix, MPI_ENVIRONMENT)

    def expect_old_content(self, shared, words, env):
        """What the script overwrites is what it was when it was read, whoever has read it."""
        for name, shape in (('again.mtx', '40000, 2000, 1.0, 2.0, 0.001'), ('again.h5', '40000, 5, 0.0, 1.0, 1.0')):
            script = (f'X = readMatrix("{shared}/{name}"); writeMatrix(rand({shape}, 4), "{shared}/{name}"); '
                      f'print(sum(X)); print(sum(readMatrix("{shared}/{name}")));')
            outputs = []
            for options, environment in (([], None), (words, env)):
                self.local('-e', f'writeMatrix(rand({shape}, 3), "{shared}/{name}");')
                done = self.run(*options, '-e', script, env=environment)
                require(done.returncode == 0, f'{name}: {done.stderr}')
                outputs.append(done.stdout)
            require(outputs[0] == outputs[1], f'{name} after overwriting: {outputs}')

    def expect_broken_files(self, shared, words, env):
        """A file that is no matrix is the error of the local run."""
        for name in ('ordered.mtx', 'array.mtx', 'sparse.dbdf', 'x.h5', 'x.npy'):
            content = (shared / name).read_bytes()
            broken = shared / f'broken-{name}'
            broken.write_bytes(content[:len(content) - 1000])
            script = f'print(sum(readMatrix("{broken}") + 1.0));'
            done, alone = self.run(*words, '-e', script, env=env), self.run('-e', script)
            error = [line for line in done.stderr.splitlines() if str(broken) in line]
            require(done.returncode == alone.returncode == 3 and error and error[0] in alone.stderr,
                    f'{broken}: {done.stderr} instead of {alone.stderr}')

    def check_federated_matrices_are_computed_where_their_parts_lie(self):
        """Two sites: /proc/self/cwd/part.dbdf is a file of whoever looks, so nobody sees that of the others."""
        shared = Path(self.directory, 'federated')
        sites = [shared / 'site0', shared / 'site1']
        for site in sites:
            site.mkdir(parents=True, exist_ok=True)
        with self.workers(2, f'--dist-read-root={shared}', directories=sites) as workers:
            self.local('-e', f'writeMatrix(rand(49152, 4, 0.0, 1.0, 1.0, 3), "{shared}/x.csv");')
            made = self.run('convert', f'{shared}/x.csv', f'{shared}/x.fed', '--part-rows=24576',
                            f'--workers={",".join(workers.addresses)}')
            require(made.returncode == 0, made.stderr)
            description = json.loads((shared / 'x.fed').read_text())
            for part, site in zip(description['parts'], sites):
                for ending in ('', '.meta'):
                    shutil.copy(f'{shared}/{part["file"]}{ending}', f'{site}/part.dbdf{ending}')
                part['file'] = '/proc/self/cwd/part.dbdf'
            (shared / 'away.fed').write_text(json.dumps(description))
            use = ('X = readMatrix("FILE"); Y = sqrt(X) * 2.0; print(sum(Y)); print(sum(Y, 1)); '
                   'print(sum(X - mean(X, 1))); LAST')
            common = ['--distributed', '--dist-threshold=0', '--statistics', '--coordinator-computes=off']
            cells = 'print(X[0:3, ] + X[49149:49152, ]); print(t(X) @ X);'
            for last in ('', cells):
                wanted = self.local('-e', use.replace('FILE', f'{shared}/x.fed').replace('LAST', last))
                for name, backend in (('x.fed', self.backend), *(('away.fed', mode) for mode in self.modes())):
                    script = use.replace('FILE', f'{shared}/{name}').replace('LAST', last)
                    done = self.run(*common, f'--dist_backend={backend}', '-e', script, env=workers.env)
                    self.expect_same(done, wanted, f'{name} {backend} {last}')
                    require(re.findall(r'(\d+) parts of files read', done.stderr) == ['1', '1'],
                            f'{name}: not each worker has read its part: {done.stderr}')
                    sent = sum(map(float, re.findall(r'([\d.]+) MB to it', done.stderr)))
                    require(sent < 0.1, f'{name}: {sent} MB were sent: {done.stderr}')
            alone = self.run('-e', use.replace('FILE', f'{shared}/away.fed').replace('LAST', ''))
            require(alone.returncode == 3 and 'part 0' in alone.stderr and workers.addresses[0] in alone.stderr,
                    f'without the workers: {alone.stderr}')
            description['parts'][0]['file'] = '/etc/../proc/self/cwd/no.dbdf'
            (shared / 'wrong.fed').write_text(json.dumps(description))
            script = use.replace('FILE', f'{shared}/wrong.fed').replace('LAST', '')
            done = self.run(*common, f'--dist_backend={self.backend}', '-e', script, env=workers.env)
            require(done.returncode == 3 and 'cannot read it' in done.stderr, f'a part that is nowhere: {done.stderr}')
        for prefix, options, names in ((['mpirun', '-np', '3'], [], 'rank 2,rank 1'),
                                       ([], ['--dist_backend=threads'], 'thread 2,thread 1')):
            if prefix and not self.has_mpi:
                continue
            self.run('convert', f'{shared}/x.csv', f'{shared}/y.fed', '--part-rows=24576', f'--workers={names}')
            script = use.replace('FILE', f'{shared}/y.fed').replace('LAST', cells)
            done = self.run(*common, f'--dist-read-root={shared}', *options, '-e', script, prefix=prefix,
                            env=MPI_ENVIRONMENT)
            self.expect_same(done, wanted, f'{prefix} {options}')
            require(re.findall(r'(\d+) parts of files read', done.stderr) == ['1', '1'], f'{names}: {done.stderr}')

    def check_products_of_matrices_have_the_bits_of_a_local_run(self):
        """Results are written, not printed: every bit counts. One script makes its matrices, one reads them from files."""
        shared = Path(self.directory, 'products')
        shared.mkdir(exist_ok=True)
        self.local('-e', f'writeMatrix(rand(40000, 40, -1.0, 1.0, 1.0, 1), "{shared}/x.dbdf");')
        script = ('X = SOURCE; Y = rand(40000, 25, -1.0, 1.0, 1.0, 2); W = rand(40, 60, -1.0, 1.0, 1.0, 3);'
                  'H = max(X @ W, 0.0); Z = H @ t(rand(30, 60, -1.0, 1.0, 1.0, 4));'
                  'G = t(X) @ X; S = t(X) @ Y; for (i in 2:4) { G = t(X) @ X + G; S = t(X) @ (Y * as.f64(i)); }'
                  'A = rand(600, 600, 0.0, 1.0, 1.0, 5); B = A @ A;'
                  'P = rand(9000, 4000, 1.0, 2.0, 0.01, 6) @ rand(4000, 20, -1.0, 1.0, 1.0, 7);'
                  + ''.join(f'writeMatrix({name}, "DIR/{name}.dbdf");' for name in 'ZGSBP'))

        def results(options, env=None, prefix=(), source='rand(40000, 40, -1.0, 1.0, 1.0, 1)'):
            with tempfile.TemporaryDirectory(dir=shared) as directory:
                done = self.run(*options, '-e', script.replace('SOURCE', source).replace('DIR', directory), env=env,
                                prefix=prefix)
                require(done.returncode == 0, f'{options}: {done.stderr}')
                return {name: Path(directory, f'{name}.dbdf').read_bytes() for name in 'ZGSBP'}, done.stderr

        wanted, _ = results([])
        common = ['--distributed', '--dist-threshold=0', '--statistics', '--num-threads=1']
        read = f'readMatrix("{shared}/x.dbdf")'
        with self.workers(2, f'--dist-read-root={shared}') as workers:
            for options, source in (([f'--dist_backend={self.backend}'], None), ([f'--dist_backend={self.modes()[-1]}', '--dist-lend=off'], None),
                                    ([f'--dist_backend={self.backend}', '--coordinator-computes=off'], read),
                                    ([f'--dist_backend={self.backend}', '--dist-partitioning=GSS'], read)):
                found, figures = results([*common, *options], workers.env, **({'source': source} if source else {}))
                require(found == wanted, f'{options} {source}: other cells')
                require(len(re.findall(r' [1-9]\d* chunks, ', figures)) >= 2, f'{options}: {figures}')
                if source:  # the rows of X are not sent
                    require(re.findall(r'([1-9]\d*) parts of files read', figures), f'{options}: {figures}')
        if self.has_mpi:
            found, _ = results(common, MPI_ENVIRONMENT, ['mpirun', '-np', '3'])
            require(found == wanted, 'MPI: other cells')
        # A worker that is lost on the way.
        with self.workers(1, '--quiet', env={'DAPHNE_FAULT': 'after_chunks=4,action=kill'}) as sick, \
                self.workers(1, '--quiet') as sound:
            found, figures = results([*common, f'--dist_backend={self.backend}'],
                                     {'DISTRIBUTED_WORKERS': f'{sick.addresses[0]},{sound.addresses[0]}'})
            require(found == wanted and 'is lost' in figures, f'after a loss: {figures}')
        # A machine whose products are rounded otherwise multiplies nothing.
        with self.workers(1, env={'OPENBLAS_CORETYPE': 'Sandybridge'}) as workers:
            product = f'A = {read}; print(A @ rand(40, 60, -1.0, 1.0, 1.0, 3));'
            done = self.run(*common, f'--dist_backend={self.backend}', '-e', product, env=workers.env)
            require(done.stdout == self.local('-e', product) and 'distributed: 0 loops' in done.stderr, done.stderr)

    def check_stealing_gives_the_same(self):
        script = self.script(6)
        with self.workers(2, env={'DAPHNE_FAULT': 'action=slow:30'}) as workers:
            for how in ('on', 'one'):
                done = self.run('--distributed', '--dist-threshold=0', f'--dist_backend={self.backend}', f'--dist-steal={how}',
                                '--statistics', script, env=workers.env)
                self.expect_same(done, self.local(script), f'--dist-steal={how}')
                require(re.search(r'[1-9]\d* stolen', done.stderr), f'nothing was stolen: {done.stderr}')

    def check_the_commands_of_the_reports(self):
        if not self.has_mpi:
            return
        for words, wanted in (
                (['--timing', '-vec', '--num-threads=1', '--distributed', '--dist_backend=MPI',
                  'examples/matrix_addition.daph'], self.local('examples/matrix_addition.daph')),
                (['--vec', '--num-threads=4', '--partitioning=STATIC', '--distributed', '--timing',
                  '--dist_backend=MPI', 'examples/nbody.daph', 'nb_particles=100'],
                 self.local('examples/nbody.daph', 'nb_particles=100')),
                (['--vec', '--select-matrix-repr', '--timing', '--num-threads=2', '--partitioning=AUTO',
                  '--distributed', '--dist_backend=MPI', '--dist-threshold=0', 'examples/cc.daph', f'f="{GRAPH}"'],
                 self.local('--select-matrix-repr', 'examples/cc.daph', f'f="{GRAPH}"'))):
            for ranks in (2, 3):
                done = self.run(*words, prefix=['mpirun', '-np', str(ranks)], env=MPI_ENVIRONMENT)
                self.expect_same(done, wanted, f'mpirun -np {ranks} {words}')
                require('"execution_seconds"' in done.stderr, f'no times: {done.stderr}')

    def check_the_example_for_several_machines(self):
        words = ['examples/kmeans-distributed.daph', 'points=20000', 'dims=8', 'k=6', 'rounds=30']
        wanted = self.local(*words)
        with Workers(self.daphne, 3) as workers:
            done = self.run('--distributed', '--dist_backend=gRPC', '--dist-threshold=0', *words, env=workers.env)
            self.expect_same(done, wanted, 'gRPC')
        if self.has_mpi:
            done = self.run('--distributed', '--dist_backend=MPI', '--dist-threshold=0', *words,
                            prefix=['mpirun', '-np', '3'], env=MPI_ENVIRONMENT)
            self.expect_same(done, wanted, 'mpirun -np 3')

    def check_mpi_ranks_pass_vectors_on(self):
        if not self.has_mpi:
            return
        script = ('n = 65536; G = rand(n, n, 1.0, 1.0, 0.0002, 7); c = as.f64(seq(1, n, 1)); i = 0;'
                  'while (i < 6) { c = max(aggMax(G * t(c), 0), c); print(sum(c)); i = i + 1; }')
        wanted = self.local('-e', script)
        for ranks in (4, 6):
            done = self.run('--distributed', '--dist_backend=MPI', '--dist-threshold=0', '--dist-lend=off', '--num-threads=1',
                            '-e', script, prefix=['mpirun', '-np', str(ranks)], env=MPI_ENVIRONMENT)
            self.expect_same(done, wanted, f'mpirun -np {ranks}')

    def check_mpi_ranks_exchange_what_all_need(self):
        """Every rank sends its part of the vector to all others; only the coordinator's part goes out from there."""
        if not self.has_mpi:
            return
        rows, rounds = 65536, 20
        script = (f'n = {rows}; G = rand(n, n, 1.0, 1.0, 0.0002, 7); c = as.f64(seq(1, n, 1)); i = 0; s = 0.0;'
                  f'while (i < {rounds}) {{ c = max(aggMax(G * t(c), 0), c); s = s + sum(c); i = i + 1; }} print(s);')
        wanted = self.local('-e', script)
        for ranks, options in ((3, []), (5, []), (4, ['--dist-partitioning=GSS']), (4, ['--coordinator-computes=off']),
                               (3, ['--max-distr-chunk-size=1000'])):
            done = self.run('--distributed', '--dist_backend=MPI', '--dist-threshold=0', '--dist-lend=off', '--num-threads=1',
                            '--dist-stats', *options, '-e', script, prefix=['mpirun', '-np', str(ranks)], env=MPI_ENVIRONMENT)
            what = f'mpirun -np {ranks} {options}'
            self.expect_same(done, wanted, what)
            vector, computing = 8 * rows, ranks - ('off' in ' '.join(options))
            for w in json.loads(done.stderr.splitlines()[-1])['workers']:
                # The first iterations tell what will be needed.
                least = (rounds - 4) * vector / computing * (ranks - 2) / 2
                require(w['bytes_to_workers'] > least, f'{what}: {w["bytes_to_workers"]} bytes to other workers, {least}')
                require(w['bytes_out'] < 5 * vector + 12 * rows * rows * 0.0002 + rounds * vector, f'{what}: {w["bytes_out"]} bytes')
            if not options:
                out = max(w['bytes_out'] for w in json.loads(done.stderr.splitlines()[-1])['workers'])
                most = (4 + (rounds - 3) / ranks) * vector + 1.3 * 12 * rows * rows * 0.0002 / ranks + 8 * rows
                require(out < most, f'{what}: {out} bytes to a worker, at most {most}')

    def check_mpi_ranks_on_machines_of_their_own(self):
        """Frames go over the network, also from worker to worker."""
        if not self.has_mpi:
            return
        script = ('n = 4000; G = rand(n, n, 1.0, 1.0, 0.002, 7); c = as.f64(seq(1, n, 1)); X = rand(20000, 30, -1.0, 1.0, 1.0, 3);'
                  'for (i in 1:12) { c = max(aggMax(G * t(c), 0), c); print(sum(c)); print(sum(t(X) @ (X * i)) * 1e9); }')
        wanted = self.local('-e', script)
        with SlowLinks(2, delay=0.2, rate=1000) as links:
            links.join()
            addresses = ['10.77.0.1', links.address(0), links.address(1)]
            # What mpirun calls to begin a process on another host.
            agent = Path(self.directory, 'agent')
            cases = ''.join(f'{address}) set -- {" ".join(machine.command([]))} "$@" ;;\n'
                            for address, machine in zip(addresses[1:], links.workers))
            # Hosts have no directory in common, where one would remove what another one is about to use.
            agent.write_text(f'#!/bin/sh\nhost=$1; shift\nmkdir -p {self.directory}/$host\n'
                             f'set -- env TMPDIR={self.directory}/$host sh -c "$*"\n'
                             f'case $host in\n{cases}esac\nexec "$@"\n')
            agent.chmod(0o755)
            network = '10.77.0.0/16'
            own = Path(self.directory, 'coordinator')
            own.mkdir()
            for options in ([], ['--coordinator-computes=off']):
                command = ['mpirun', '-np', '3', '--host', ','.join(addresses), '--map-by', 'node', '--bind-to', 'none',
                           *('--mca plm_rsh_agent %s --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include %s '
                             '--mca oob_tcp_if_include %s' % (agent, network, network)).split(),
                           self.daphne, '--distributed', '--dist_backend=MPI', '--dist-threshold=0', '--dist-lend=off',
                           '--num-threads=1', '--dist-stats', *options, '-e', script]
                done = subprocess.run(links.coordinator.command(command), capture_output=True, text=True, timeout=LONGEST,
                                      env={**os.environ, 'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1',
                                           'TMPDIR': str(own)})
                require(done.returncode == 0 and done.stdout == wanted, f'{options}: {done.stdout} {done.stderr}')
                figures = json.loads(done.stderr.splitlines()[-1])['workers']
                require(all(w['bytes_to_workers'] > 0 for w in figures), f'{options}: {figures}')
                carried = links.figures()
                require(all(to > 100000 and back > 100000 for to, back, _ in carried), f'{options}: carried {carried}')

    def check_mpi_ranks_get_a_window_once(self):
        if not self.has_mpi:
            return
        script = 'A = rand(60000, 300, 0.0, 1.0, 1.0, 1); X = rand(300, 400, 0.0, 1.0, 1.0, 2); print(sum(sqrt(A @ X[, 0:200])));'
        wanted = self.local('-e', script)
        for options in (['--dist-threshold=1000'], ['--dist-partitioning=GSS', '--dist-threshold=0'],
                        ['--dist-steal=on', '--dist-threshold=0']):
            for ranks in (2, 4):
                done = self.run('--distributed', '--dist_backend=MPI', '--dist-lend=off', '--num-threads=1', *options, '-e', script,
                                prefix=['mpirun', '-np', str(ranks)], env=MPI_ENVIRONMENT)
                self.expect_same(done, wanted, f'mpirun -np {ranks} {options}')

    def check_neighbours_lend_large_objects(self):
        """Or send them: the same result and the same figures, but for one."""
        script = ('n = 65536; G = rand(n, n, 1.0, 1.0, 0.0002, 7); c = as.f64(seq(1, n, 1)); i = 0;'
                  'while (i < 6) { c = max(aggMax(G * t(c), 0), c); print(sum(c)); i = i + 1; }')
        wanted = self.local('-e', script)
        lent = {}
        with self.workers(2) as workers:
            for choice in ('on', 'off'):
                done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', f'--dist-lend={choice}',
                                '--dist-stats', '-e', script, env=workers.env)
                self.expect_same(done, wanted, f'--dist-lend={choice}')
                figures = json.loads(done.stderr.splitlines()[-1])['workers']
                lent[choice] = [w['bytes_lent'] for w in figures]
                for w in figures:
                    require(w['bytes_out'] >= 6 * 8 * 65536, f'{choice}: {w["bytes_out"]} bytes to a worker')
        require(lent['off'] == [0, 0], f'lent although forbidden: {lent}')
        # Reading the memory of others may be forbidden where this test runs.
        require(all(b == 0 or b >= 6 * 8 * 65536 for b in lent['on']), f'too little is lent: {lent}')

    def check_mpi_errors_end_the_job_with_the_right_status(self):
        if not self.has_mpi:
            return
        mpirun = ['mpirun', '-np', '3']
        for words, status, text in ((['/no/such.daph'], 1, 'cannot be read'), (['-e', 'print(x);'], 1, "'x'"),
                                    (['-e', 'stop("enough");'], 3, 'enough'), (['--distribute', '-e', '1;'], 1, '--distributed')):
            done = self.run('--distributed', '--dist_backend=MPI', *words, prefix=mpirun, env=MPI_ENVIRONMENT)
            require(done.returncode == status, f'{words}: status {done.returncode}: {done.stderr}')
            # Ranks cannot agree about words they do not understand: each says so, until the first one has ended the job.
            most = 3 if '--distribute' in words else 1
            require(1 <= done.stderr.count('error: ') <= most and text in done.stderr, f'{words}: {done.stderr}')
        done = self.run('--distributed', '-e', 'print(1 + 1);', prefix=['mpirun', '-np', '1'], env=MPI_ENVIRONMENT)
        self.expect_same(done, '2\n', 'one rank is a local run')
        done = self.run('--distributed', '--coordinator-computes=off', '-e', 'print(1);', prefix=['mpirun', '-np', '1'],
                        env=MPI_ENVIRONMENT)
        require('at least 2 MPI ranks (1 Master + 1 Worker)' in done.stderr, done.stderr)

    def check_components_send_the_vector_and_get_their_result(self):
        """Bytes on the wire per iteration: the vector to every worker, its part of the result back."""
        script = Path(self.directory, 'cc.daph')
        rows, rounds = 65536, 20
        script.write_text(f'n = {rows}; G = rand(n, n, 1.0, 1.0, 0.0002, 7); c = as.f64(seq(1, n, 1));'
                          'i = 0; d = 1.0; while (i < ROUNDS) { u = max(aggMax(G * t(c), 0), c); d = sum(u != c); c = u; i = i + 1; }'
                          'print(sum(c)); print(d);')

        def traffic(rounds):
            text = script.read_text().replace('ROUNDS', str(rounds))
            done = self.run('--distributed', '--dist_backend=threads', '--workers-local=3', '--dist-threshold=0',
                            '--statistics', '-e', text)
            self.expect_same(done, self.local('-e', text), 'components')
            return [(float(a), float(b)) for a, b in
                    re.findall(r'thread \d.*?([\d.]+) MB to it in \d+ objects, ([\d.]+) MB from it', done.stderr)]

        few, many = traffic(rounds), traffic(2 * rounds)
        require(len(few) == 3, 'three workers')
        for (out_few, in_few), (out_many, in_many) in zip(few, many):
            vector = rows * 8 / 1e6
            require((out_many - out_few) / rounds <= 1.01 * vector, f'{(out_many - out_few) / rounds} MB to a worker')
            require((in_many - in_few) / rounds <= 1.01 * vector / 4 + 0.035, f'{(in_many - in_few) / rounds} MB from one')

    # ---- errors

    def check_errors_are_those_of_the_local_run(self):
        script = 'X = fill(-1.0, 20000, 3); print("before"); Y = sqrt(X + 0.5); print(sum(Y));'
        local = self.run('-e', script)
        with self.workers(2) as workers:
            done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '-e', script, env=workers.env)
            require((done.returncode, done.stdout, done.stderr) == (local.returncode, local.stdout, local.stderr),
                    f'{done.stderr!r} instead of {local.stderr!r}')

    @over_every_transport
    def check_messages_about_missing_workers(self):
        none = self.run('--distributed', f'--dist_backend={self.backend}', '-e', 'print(1);', env={'DISTRIBUTED_WORKERS': ''})
        require(none.returncode == 1 and 'DISTRIBUTED_WORKERS' in none.stderr, none.stderr)
        gone = self.run('--distributed', f'--dist_backend={self.backend}', '-e', 'print(1);',
                        env={'DISTRIBUTED_WORKERS': f'127.0.0.1:{free_port()}'})
        require(gone.returncode == 3 and 'no worker can be reached' in gone.stderr, gone.stderr)
        far = self.run('--distributed', f'--dist_backend={self.backend}', '-e', 'print(1);', env={'DISTRIBUTED_WORKERS': '10.0.0.1:1'})
        require(far.returncode == 1 and '--insecure' in far.stderr, far.stderr)
        bad = self.run('--distributed', f'--dist_backend={self.backend}', '-e', 'print(1);', env={'DISTRIBUTED_WORKERS': 'nonsense'})
        require(bad.returncode == 1 and 'expected host:port' in bad.stderr, bad.stderr)

    @over_every_transport
    def check_one_missing_worker_is_a_warning(self):
        with self.workers(1) as workers:
            done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '-e', 'print(sum(fill(1.0, 9, 9) + 1));',
                            env={'DISTRIBUTED_WORKERS': f'{workers.addresses[0]},127.0.0.1:{free_port()}'})
            require(done.returncode == 0 and done.stdout == '162\n' and 'cannot be reached' in done.stderr, done.stderr)

    # ---- faults

    def interrupt(self, action, delay, rounds=60, count=2):
        """Whether something happens to a worker `delay` seconds after the start, the result is that of the local run."""
        script = self.script(rounds)
        wanted = self.local(script)
        with self.workers(count, '--quiet') as workers:
            victim = random.choice(workers.processes)
            timer = threading.Timer(delay, lambda: victim.send_signal(action))
            timer.start()
            begin = time.monotonic()
            done = self.run('--distributed', '--dist_backend=' + random.choice(self.modes()), '--dist-threshold=0',
                            '--heartbeat-ms=300', script, env=workers.env, timeout=30)
            timer.cancel()
            took = time.monotonic() - begin
            self.expect_same(done, wanted, f'{action.name} after {delay:.2f} s')
            return took, 'is lost' in done.stderr

    def interrupt_until_missed(self, action):
        """How fast the machine is decides whether a moment lies within the run: later ones in longer runs are tried, too."""
        for rounds in (60, 240, 960):
            for delay in (0.3, 0.6, 1.2):
                if self.interrupt(action, delay, rounds)[1]:
                    return
        require(False, 'no worker was missed')

    @over_every_transport
    def check_a_killed_worker_changes_nothing(self):
        self.interrupt_until_missed(signal.SIGKILL)

    @over_every_transport
    def check_a_stopped_worker_changes_nothing(self):
        self.interrupt_until_missed(signal.SIGSTOP)

    @over_every_transport
    def check_a_worker_that_comes_back_is_used_again(self):
        """Killed and started again, stopped and continued, or only started late."""
        ways = (('gRPC', 'killed'), ('async-gRPC', 'killed'), ('gRPC', 'stopped'), ('async-gRPC', 'late'))
        for backend, way in ways if self.backend == 'gRPC' else ((self.backend, way) for way in ('killed', 'stopped', 'late')):
            try:
                self.come_back(backend, way)
            except Problem as problem:
                raise Problem(f'{backend}, {way}: {problem}') from problem

    def come_back(self, backend, way):
        # How many rounds there are in this time depends on the machine, what comes out does not.
        script = ('X = rand(30000, 20, 0.0, 1.0, 1.0, 7); s = 0.0; v = sum(X, 0); begin = now(); '
                  'while (now() - begin < SECONDS * 1000000000) { Y = X * 2.0 + sqrt(X); s = sum(Y); v = sum(Y, 0); } '
                  'print(s); print(v[0:3, ]);')
        with self.workers(2, '--quiet') as workers, log_file() as log:
            victim, address = workers.processes[1], workers.addresses[1]
            env = {**os.environ, **workers.env}
            if way == 'late':
                victim.kill()
                victim.wait()
            run = subprocess.Popen([self.daphne, '--distributed', f'--dist_backend={backend}', '--dist-threshold=0', '--heartbeat-ms=300',
                                    '--dist-stats', '-e', script.replace('SECONDS', '8')],
                                   stdout=subprocess.PIPE, stderr=log, text=True, env=env)
            try:
                if way != 'late':
                    time.sleep(1)
                    victim.send_signal(signal.SIGKILL if way == 'killed' else signal.SIGSTOP)
                self.wait_for(log, f'{address} is lost')
                if way == 'stopped':
                    victim.send_signal(signal.SIGCONT)
                else:
                    victim.wait()
                    workers.start(address)
                self.wait_for(log, f'{address} is back')
                output = run.communicate(timeout=60)[0]
            finally:
                run.kill()
                run.wait()
            log.seek(0)
            text = log.read()
            require(run.returncode == 0 and output == self.local('-e', script.replace('SECONDS', '0.1')), f'{output} {text}')
            worker = json.loads(text.splitlines()[-1])['workers'][1]
            require(worker['losses'] == worker['returns'] == 1 and worker['state'] == 'alive', f'{worker}')
            require(worker['chunks'] > 0, f'it is not used again: {worker}')

    @over_every_transport
    def check_a_worker_whose_line_is_cut_is_missed_and_used_again(self):
        token = {'DAPHNE_DIST_TOKEN': 'of this check'}
        script = ('X = rand(30000, 20, 0.0, 1.0, 1.0, 7); s = 0.0; begin = now(); '
                  'while (now() - begin < SECONDS * 1000000000) { s = sum(X * 2.0 + sqrt(X)); } print(s);')
        with SlowLinks(2, delay=1, rate=1000) as links, log_file() as log, \
                self.workers(2, '--insecure', env=token, links=links) as workers:
            command = [self.daphne, '--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '--dist-lend=off',
                       '--heartbeat-ms=300', '--insecure', '-e', script.replace('SECONDS', '6')]
            run = subprocess.Popen(links.coordinator.command(command), stdout=subprocess.PIPE, stderr=log, text=True,
                                   env={**os.environ, **workers.env, **token})
            try:
                self.wait_for(workers.logs[1], 'connected')
                time.sleep(0.3)
                links.cut(1)
                self.wait_for(log, f'{workers.addresses[1]} is lost: no sign of life')
                links.mend(1)
                self.wait_for(log, f'{workers.addresses[1]} is back')
                output = run.communicate(timeout=LONGEST)[0]
            finally:
                run.kill()
                run.wait()
            require(run.returncode == 0 and output == self.local('-e', script.replace('SECONDS', '0.1')), f'{output}')
        require(not workers.stubborn, 'the worker does not end')

    def check_what_does_not_pay_on_a_slow_line_stays_here(self):
        """40 MB over 100 Mbit/s for loops of some milliseconds."""
        token = {'DAPHNE_DIST_TOKEN': 'of this check'}
        script = 'X = rand(200000, 25, 0.0, 1.0, 1.0, 7); s = 0.0; for (i in 1:40) s = s + sum(sqrt(X * i + 1.0)); print(s);'
        with SlowLinks(1, delay=0.25, rate=100) as links, self.workers(1, '--insecure', env=token, links=links) as workers:
            command = [self.daphne, '--distributed', f'--dist_backend={self.backend}', '--num-threads=1', '--dist-lend=off', '--insecure',
                       '--statistics', '-e', script]
            done = subprocess.run(links.coordinator.command(command), capture_output=True, text=True, timeout=LONGEST,
                                  env={**os.environ, **workers.env, **token})
            require(done.returncode == 0 and done.stdout == self.local('-e', script), f'{done.stdout} {done.stderr}')
            require('distributed: 0 loops' in done.stderr, done.stderr)

    def wait_for(self, log, text):
        for _ in range(600):
            log.seek(0)
            if text in log.read():
                return
            time.sleep(0.05)
        log.seek(0)
        raise Problem(f'{text!r} does not come: {log.read()!r}')

    @over_every_transport
    def check_all_workers_killed(self):
        script = self.script(60)
        with self.workers(2, '--quiet') as workers:
            for process in workers.processes:
                threading.Timer(0.5, process.kill).start()
            done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', script, env=workers.env)
            self.expect_same(done, self.local(script), 'the coordinator alone')

    @over_every_transport
    def check_planned_faults(self):
        script = self.script(10)
        for action in ('kill', 'hang', 'slow:5'):
            with self.workers(1, '--quiet', env={'DAPHNE_FAULT': f'after_chunks=3,action={action}'}) as sick, \
                    self.workers(1, '--quiet') as sound:
                done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '--heartbeat-ms=300', script,
                                env={'DISTRIBUTED_WORKERS': f'{sick.addresses[0]},{sound.addresses[0]}'})
                self.expect_same(done, self.local(script), action)

    @over_every_transport
    def check_a_worker_may_hang_while_it_is_sent_more_than_fits_anywhere(self):
        script = 'print(sum(fill(1.0, 5000, 2) + 1)); print(sum(rand(12000, 1500, 0.0, 1.0, 1.0, 3) + 1));'
        wanted = self.local('-e', script)
        for backend in self.modes():
            with self.workers(1, '--quiet', env={'DAPHNE_FAULT': 'after_chunks=1,action=hang'}) as workers:
                # The first loop stops it, the second one finds a worker that takes nothing.
                done = self.run('--distributed', f'--dist_backend={backend}', '--dist-threshold=0', '--heartbeat-ms=300',
                                '--coordinator-computes=off', '-e', script.replace('print(sum(fill', 'x = fill(1.0, 9, 9) + 1; print(sum(fill'),
                                env=workers.env, timeout=30)
                self.expect_same(done, wanted, backend)

    def check_a_lost_rank_ends_the_job(self):
        if not self.has_mpi:
            return
        # Others may wait for the lost one's part of a vector.
        exchange = ('X = rand(2000, 2000, -1.0, 1.0, 1.0, 1); v = rand(2000, 1, 0.0, 1.0, 1.0, 2); i = 0;'
                    'while (i < 3000) { v = aggMax(X * t(v), 0); i = i + 1; } print(sum(v));')
        for action, words in (('kill', [self.script(200)]), ('hang', [self.script(200)]),
                              ('kill', ['--dist-lend=off', '-e', exchange]), ('hang', ['--dist-lend=off', '-e', exchange])):
            begin = time.monotonic()
            done = self.run('--distributed', '--dist-threshold=0', '--num-threads=1', '--heartbeat-ms=300', *words,
                            prefix=['mpirun', '-np', '3'], timeout=60,
                            env={**MPI_ENVIRONMENT, 'DAPHNE_FAULT': f'worker=2,after_chunks=9,action={action}'})
            require(done.returncode != 0, f'{action} {words}: status 0')
            require('lost' in done.stderr or 'signal 9' in done.stderr, f'{action}: {done.stderr}')
            require(time.monotonic() - begin < 30, f'{action}: no end for 30 s')

    # ---- strangers

    @over_every_transport
    def check_tokens(self):
        right, wrong, public = (Path(self.directory, name) for name in ('right', 'wrong', 'public'))
        for path, text, mode in ((right, 'secret\n', 0o600), (wrong, 'guess\n', 0o600), (public, 'secret\n', 0o644)):
            path.write_text(text)
            path.chmod(mode)
        script = 'print(sum(fill(1.0, 100, 100) + 1));'
        with self.workers(1, f'--dist-token-file={right}') as workers:
            for options, status, text in (([f'--dist-token-file={wrong}'], 3, 'the token is wrong'),
                                          ([], 3, 'the token is wrong'),
                                          ([f'--dist-token-file={public}'], 1, 'others can read'),
                                          ([f'--dist-token-file={right}'], 0, '')):
                done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', *options, '-e', script, env=workers.env)
                require(done.returncode == status and text in done.stderr, f'{options}: {done.returncode} {done.stderr}')
            require(workers.log().count('refused: the token is wrong') == 2, f'the log says {workers.log()!r}')

    @over_every_transport
    def check_strangers_do_not_disturb(self):
        with self.workers(1) as workers:
            host, port = workers.addresses[0].split(':')
            for noise in (b'GET / HTTP/1.0\r\n\r\n', os.urandom(5000), b'\0' * 100000, b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + os.urandom(300),
                          TcpStranger.CALL + os.urandom(300), TcpStranger.CALL + bytes(100000)):
                with socket.create_connection((host, int(port)), 5) as stranger:
                    try:
                        stranger.sendall(noise)
                    except OSError:
                        pass
            done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', '-e', 'print(sum(fill(1.0, 9, 9) + 1));',
                            env=workers.env)
            self.expect_same(done, '162\n', 'after strangers')
            require(workers.processes[0].poll() is None, 'the worker has ended')

    @over_every_transport
    def check_every_attack_is_logged_and_the_worker_keeps_serving(self):
        build = self.run('--version').stdout.split()[1]
        program = 'flat\np 2 9 0\n'
        attacks = [
            ([hello(build)], 'refused: the token is wrong'),
            ([hello(build, 'guess')], 'refused: the token is wrong'),
            ([hello('0.0.1', 'secret')], 'the coordinator is version 0.0.1'),
            ([frame(HELLO, version=77)], 'version 77 of the protocol'),
            ([frame(DETACH)], 'the first message must be a greeting'),
            ([os.urandom(1)], 'bytes expected, 1 left'),
            ([b'noise' + os.urandom(2000)], 'no message of this protocol'),
            ([hello(build, 'secret')[:-3]], 'bytes is announced'),
            ([frame(HELLO, b'\xff' * 50)], 'at most 256'),
            ([hello(build, 'secret', ['--sched-plugin=/lib/evil.so'])], "the option '--sched-plugin=/lib/evil.so'"),
            ([hello(build, 'secret', ['--config=/etc/passwd'])], "the option '--config=/etc/passwd'"),
            ([hello(build, 'secret', ['--num-threads=many'])], 'refused: option --num-threads'),
            ([hello(build, 'secret'), hello(build, 'secret')], 'a second greeting'),
            ([hello(build, 'secret'), frame(OBJECT_BEGIN, os.urandom(9))], 'bytes expected'),
            ([hello(build, 'secret'), frame(OBJECT_CHUNK, struct.pack('<QIBI', 7, 0, 1, 0))], 'was not announced'),
            # Memory of this process and of another one: whoever is meant has not answered the worker's challenge.
            *(([hello(build, 'secret', process=process, address=0x400000),
                frame(NEIGHBOUR, struct.pack('<BQIIiQ', 1, 0, 0, 0, -1, 0)),
                frame(OBJECT_LENT, struct.pack('<QQBQQQIQQQiQQ', 7, 0, 0, 0, 1, 5000, 1, 0x400000, 5000, 0, -1, 0, 0))],
               "memory that is not this machine's") for process in (os.getpid(), os.getppid())),
            ([hello(build, 'secret'), frame(OBJECT_BEGIN, struct.pack('<QQBQQQ', 7, 0, 0, 0, 1, 2**62))], 'exceeds the memory'),
            ([hello(build, 'secret'), frame(OBJECT_BEGIN, struct.pack('<QQBQQQ', 7, 0, 0, 0, 1, 5000)),
              frame(OBJECT_CHUNK, struct.pack('<QIBI', 7, 0, 0, 0) + bytes(2000))], 'at most 1000 were agreed on'),
            ([hello(build, 'secret'), piece(IN_PIECES | 7, 2**59, 0, 1, bytes(8), 0x8c28b28a)], 'exceeds the memory'),
            ([hello(build, 'secret'), piece(IN_PIECES | 7, 2**61, 0, 1, bytes(8))], 'does not fit'),
            ([hello(build, 'secret'), piece(IN_PIECES | 7, 4, 3, 2, bytes(16))], 'does not fit'),
            ([hello(build, 'secret'), piece(IN_PIECES | 7, 4, 0, 1, bytes(8))], 'damaged on its way'),
            ([hello(build, 'secret'), piece(7, 4, 0, 1, bytes(8))], 'does not come in pieces'),
            ([hello(build, 'secret'), compute(program, 5)], 'not the one announced'),
            ([hello(build, 'secret'), compute('func @main')], 'loop program, line 1'),
            ([hello(build, 'secret'), compute('product 3 9 70000 70000 0 0\n')], 'loop program, line 1'),
            ([hello(build, 'secret'), compute('product 0 9 300 200 0 0\n')], 'a loop whose number of operands is wrong'),
            ([hello(build, 'secret'), compute(program)], 'loop program, line'),
        ]
        token = Path(self.directory, 'secret')
        token.write_text('secret')
        token.chmod(0o600)
        with self.workers(1, f'--dist-token-file={token}') as workers:
            log = ''
            for messages, line in attacks:
                log = self.attack(workers, messages, line, log)
            with self.stranger(workers.addresses[0]) as stranger:
                stranger.announce(100_000_000, hello(build, 'secret'))
                log = self.wait_for_log(workers, 'frame of 100000000 bytes' if self.backend == 'TCP' else 'connection lost', log)
            done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', f'--dist-token-file={token}', '-e',
                            'print(sum(fill(1.0, 9, 9) + 1));', env=workers.env)
            self.expect_same(done, '162\n', 'after all attacks')

    def stranger(self, address):
        return (TcpStranger if self.backend == 'TCP' else Stranger)(address)

    def attack(self, workers, messages, line, before):
        """The log with its new line. A worker that is still busy with the last stranger turns the next one away."""
        for attempt in range(3):
            with self.stranger(workers.addresses[0]) as stranger:
                for message in messages:
                    stranger.send(message)
                try:
                    return self.wait_for_log(workers, line, before, seconds=7)
                except Problem:
                    if attempt == 2 or workers.log() != before:
                        raise

    def wait_for_log(self, workers, line, before, seconds=20):
        """The log, as soon as a new line of it has this text."""
        for _ in range(20 * seconds):
            log = workers.log()
            if line in log[len(before):]:
                return log
            require(workers.processes[0].poll() is None, f'the worker has ended instead of saying {line!r}')
            time.sleep(0.05)
        raise Problem(f'{line!r} is not in the log: {log[len(before):]!r}')

    def check_no_address_in_particular_is_this_machine(self):
        with Workers(self.daphne, 1) as workers:
            port = workers.addresses[0].rsplit(':', 1)[1]
            for address in (f'0.0.0.0:{port}', f':{port}'):
                done = self.run('--distributed', '--dist_backend=gRPC', '--dist-threshold=0', '--statistics', '-e',
                                'print(sum(fill(1.0, 9, 9) + 1));', env={'DISTRIBUTED_WORKERS': address})
                self.expect_same(done, '162\n', address)
                require(re.search(rf':{port} +[1-9]\d* chunks', done.stderr), f'{address}: {done.stderr}')

    @over_every_transport
    def check_workers_stay_on_this_machine(self):
        worker = [f'{self.daphne}-worker', f'--dist_backend={self.backend}']
        for address in ('0.0.0.0:0', '[::]:0', '10.0.0.1:0'):
            done = subprocess.run([*worker, address], capture_output=True, text=True, timeout=20)
            require(done.returncode == 1 and '--insecure' in done.stderr, done.stderr)
        with subprocess.Popen([*worker, '--insecure', '0.0.0.0:0'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            require('warning' in process.stderr.read(), 'no warning about --insecure')
        require(process.returncode == 0, f'SIGINT: status {process.returncode}')

    def check_tls_needs_a_transport_that_encrypts(self):
        if not shutil.which('openssl'):
            return
        make_certificates(self.directory)
        client, worker = (tls_options(self.directory, name) for name in ('client', 'worker'))
        for command in (['', '--dist_backend=TCP', '--distributed', *client, '-e', 'print(1);'],
                        ['', '--dist_backend=TCP', '--launcher=local', *client, '-e', 'print(1);'],
                        ['-worker', '--dist_backend=TCP', *worker, '127.0.0.1:0']):
            done = subprocess.run([self.daphne + command[0], *command[1:]], capture_output=True, text=True, timeout=20,
                                  env={**os.environ, 'DISTRIBUTED_WORKERS': '127.0.0.1:1'})
            require(done.returncode == 1 and 'the TCP transport does not encrypt' in done.stderr and
                    '--dist_backend=gRPC' in done.stderr, f'{command}: {done.returncode} {done.stderr}')

    def check_workers_and_coordinators_of_other_transports_say_so(self):
        if not self.has_grpc:
            return
        for there, here, text in (('gRPC', 'TCP', 'was the worker started with --dist_backend=TCP?'), ('TCP', 'gRPC', 'cannot be reached')):
            with Workers(self.daphne, 1, backend=there) as workers:
                done = self.run('--distributed', f'--dist_backend={here}', '-e', 'print(1);', env=workers.env)
                require(done.returncode == 3 and text in done.stderr, f'{there}, {here}: {done.returncode} {done.stderr}')
                again = self.run('--distributed', f'--dist_backend={there}', '--dist-threshold=0', '-e',
                                 'print(sum(fill(1.0, 9, 9) + 1));', env=workers.env)
                self.expect_same(again, '162\n', f'{there} after a call over {here}')
                require(there == 'gRPC' or 'rejected: no coordinator with --dist_backend=TCP' in workers.log(), workers.log())
        for name in ('MPI', 'threads'):
            done = subprocess.run([f'{self.daphne}-worker', f'--dist_backend={name}', '127.0.0.1:0'], capture_output=True, text=True,
                                  timeout=20)
            require(done.returncode == 1 and 'do not listen' in done.stderr and 'TCP' in done.stderr, done.stderr)

    def check_tls(self):
        if self.backend != 'gRPC' or not shutil.which('openssl'):
            return
        make_certificates(self.directory)

        def options(name, ca='ca'):
            return tls_options(self.directory, name, ca)

        script = 'print(sum(fill(1.0, 9, 9) + 1));'
        with self.workers(1, *options('worker')) as workers:
            env = {'DISTRIBUTED_WORKERS': workers.addresses[0].replace('127.0.0.1', 'localhost')}
            good = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', *options('client'), '-e', script, env=env)
            self.expect_same(good, '162\n', 'TLS')
            for bad in ([], options('stranger', 'ca'), options('stranger', 'other')):
                done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', *bad, '-e', script, env=env)
                require(done.returncode == 3, f'{bad}: status {done.returncode}: {done.stderr}')
            require(workers.log().count('rejected: Handshake failed') >= 2, f'the log says {workers.log()!r}')
            again = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', *options('client'), '-e', script, env=env)
            self.expect_same(again, '162\n', 'TLS after strangers')

    def check_tls_with_the_certificates_of_the_guide(self):
        if self.backend != 'gRPC' or not shutil.which('openssl'):
            return
        made = Path(self.directory, 'certificates')
        make = ROOT / 'examples' / 'cluster' / 'make-certificates.sh'
        subprocess.run([make, made, 'localhost'], check=True, capture_output=True)
        subprocess.run([make, made, 'coordinator'], check=True, capture_output=True)  # of the same authority, later
        with self.workers(1, *tls_options(made, 'localhost')) as workers:
            env = {'DISTRIBUTED_WORKERS': workers.addresses[0]}
            done = self.run('--distributed', f'--dist_backend={self.backend}', '--dist-threshold=0', *tls_options(made, 'coordinator'), '-e',
                            'print(sum(fill(1.0, 9, 9) + 1));', env=env)
            self.expect_same(done, '162\n', 'TLS')


def main():
    parser = argparse.ArgumentParser(description='Tests the distributed engine.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary under test')
    parser.add_argument('--filter', default='', help='only checks whose name contains this text')
    parser.add_argument('--backend', choices=['gRPC', 'TCP'], help='all checks over this one')
    parser.add_argument('--campaign', choices=['faults', 'slow-link', 'scripts'], help='a long run instead')
    parser.add_argument('--count', type=int, default=50, help='interruptions of the campaign; a fifth as many of MPI')
    parser.add_argument('--seed', type=int, default=1)
    choice = parser.parse_args()
    daphne = os.path.abspath(choice.daphne)
    with tempfile.TemporaryDirectory(prefix='dist') as directory:
        checks = Checks(daphne, directory)
        if choice.campaign == 'faults':
            return fault_campaign(checks, choice.count, choice.seed)
        if choice.campaign == 'slow-link':
            return slow_link_campaign(checks)
        if choice.campaign == 'scripts':
            return script_campaign(daphne)
        if not checks.has_grpc:
            print('built without gRPC: everything runs over TCP')
        passed = failed = 0
        for checks.backend, name in checks.selected(choice.backend, choice.filter):
            title = f'{name.removeprefix("check_").replace("_", " ")} over {checks.backend}'
            try:
                getattr(checks, name)()
                passed += 1
            except NotPermitted as reason:
                print(f'skipped: {title} ({reason})', flush=True)
            except (Problem, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f'FAILED {title}\n  {problem}', flush=True)
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
