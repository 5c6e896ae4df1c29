# SPDX-License-Identifier: Apache-2.0
"""Long runs of the distributed engine: faults at random moments, slow lines, all script tests.

Every campaign prints what it has measured and closes with 'N passed, M failed'. What cannot be done here, because machines
with lines between them need root, is said in one line and not counted.
"""

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from processes import MPI_ENVIRONMENT, ROOT, Mark, Problem, Workers, make_certificates, require, tls_options
from slow_link import NotPermitted, SlowLinks

# Seconds after which a run hangs, whatever happens to its workers.
LONGEST = 30
# What is said about a lost rank, by us or by mpirun.
CLEAR_ERROR = re.compile(r'the worker rank \d is lost: |a rank is lost|process rank \d .* exited on signal 9')


def why_no_links():
    """None if there are machines with lines here."""
    try:
        with SlowLinks(1):
            return None
    except NotPermitted as reason:
        return str(reason)


# ---- faults

@dataclass
class Fault:
    """Something that happens to a random worker."""
    backend: str
    action: str  # killed, stopped or cut off
    workers: int
    moment: float = 0.0  # as a part of the undisturbed run
    mended: float = 0.0  # seconds after which the line is what it was; 0: never
    heartbeat: int = 300

    def __str__(self):
        back = f' for {self.mended:.1f} s' if self.mended else ''
        return (f'{self.backend}, 1 worker of {self.workers} {self.action}{back} at {100 * self.moment:.0f} % of the run, '
                f'--heartbeat-ms={self.heartbeat}')


class Disturbed:
    """Runs of a script that takes 2 to 4 seconds, with and without a fault. Nothing is left of them."""
    ROWS = 100000
    TOKEN = {'DAPHNE_DIST_TOKEN': 'of the campaign'}

    def __init__(self, runs):
        self.runs = runs
        self.lengths = {}  # by how the script is run: its rounds, and the seconds it takes
        self.outputs = {}  # of local runs, by rounds

    def script(self, rounds):
        return self.runs.script(rounds, self.ROWS)

    def output(self, rounds):
        if rounds not in self.outputs:
            self.outputs[rounds] = self.runs.local(self.script(rounds))
        return self.outputs[rounds]

    @staticmethod
    def family(fault):
        return 'gRPC' if fault.backend == 'async-gRPC' else fault.backend

    def kind(self, fault):
        """Runs of one kind take the same time, about, as those of both transports of gRPC."""
        return self.family(fault), fault.workers, fault.action == 'cut off'

    def length(self, fault):
        """Rounds and seconds of the undisturbed run."""
        kind, rounds = self.kind(fault), 100
        for _ in range(4 if kind not in self.lengths else 0):
            done, took = self.run(fault, rounds, None)
            self.runs.expect_same(done, self.output(rounds), f'{fault.backend} undisturbed')
            require('is lost' not in done.stderr, f'{fault.backend} undisturbed: {done.stderr}')
            self.lengths[kind] = rounds, took
            if 2 <= took <= 4:
                break
            rounds = max(1, round(rounds * 3 / took / 100)) * 100
        return self.lengths[kind]

    def check(self, fault):
        """Seconds, and whether the worker was missed: the result is that of a local run, over MPI also a clear error."""
        rounds, usual = self.length(fault)
        done, took = self.run(fault, rounds, fault.moment * usual)
        if fault.backend == 'MPI' and done.returncode != 0:
            require(CLEAR_ERROR.search(done.stderr), f'no clear error: {done.stderr!r}')
            return took, True
        self.runs.expect_same(done, self.output(rounds), 'disturbed')
        is_missed = 'is lost' in done.stderr
        if not is_missed and took < usual:  # the machine was busy when the length was measured
            self.lengths[self.kind(fault)] = rounds, took
        return took, is_missed

    def run(self, fault, rounds, delay):
        """What has run, and for how long; the fault comes after the delay, if there is one."""
        mark = Mark()
        try:
            if fault.backend == 'MPI':
                done, took = self.run_mpi(fault, rounds, delay, mark)
            else:
                done, took = self.run_listening(fault, rounds, delay, mark)
        except BaseException:
            mark.left(patience=0)
            raise
        left = mark.left()
        require(not left, f'processes are left: {left}')
        return done, took

    def command(self, fault, rounds):
        return ['--distributed', f'--dist_backend={fault.backend}', '--dist-threshold=0', '--num-threads=1',
                f'--heartbeat-ms={fault.heartbeat}', '--insecure', self.script(rounds),
                *(['--dist-lend=off'] if fault.action == 'cut off' else [])]

    def run_listening(self, fault, rounds, delay, mark):
        with contextlib.ExitStack() as stack:
            is_cut = fault.action == 'cut off'
            links = stack.enter_context(SlowLinks(fault.workers, delay=0.5, rate=1000)) if is_cut else None
            workers = stack.enter_context(Workers(self.runs.daphne, fault.workers, '--quiet', '--insecure',
                                                  backend=self.family(fault),
                                                  env={**mark.env, **self.TOKEN}, links=links))
            require(len(mark.processes()) == fault.workers, 'workers are not found by their mark')
            victim = random.randrange(fault.workers)
            timers = []
            if delay is not None and is_cut:
                timers.append(threading.Timer(delay, links.cut, [victim]))
                if fault.mended:
                    timers.append(threading.Timer(delay + fault.mended, links.mend, [victim]))
            elif delay is not None:
                action = signal.SIGKILL if fault.action == 'killed' else signal.SIGSTOP
                timers.append(threading.Timer(delay, workers.processes[victim].send_signal, [action]))
            result = self.timed(timers, self.command(fault, rounds), env={**workers.env, **self.TOKEN, **mark.env},
                                prefix=links.coordinator.command([]) if links else [])
            ended = [w for i, w in enumerate(workers.addresses) if workers.processes[i].poll() is not None and i != victim]
            require(not ended, f'workers have ended: {ended}')
        require(not workers.stubborn, f'workers do not end: {workers.stubborn}')
        return result

    def run_mpi(self, fault, rounds, delay, mark):
        is_over = threading.Event()
        strike = threading.Timer(delay or 0, strike_rank, [mark, random.randint(1, fault.workers), fault.action, is_over])
        return self.timed([] if delay is None else [strike], self.command(fault, rounds), is_over,
                          env={**MPI_ENVIRONMENT, **mark.env}, prefix=['mpirun', '-np', str(fault.workers + 1)])

    def timed(self, timers, command, is_over=None, **how):
        is_over = is_over or threading.Event()
        begin = time.monotonic()
        for timer in timers:
            timer.start()
        try:
            done = self.runs.run(*command, timeout=LONGEST, **how)
            return done, time.monotonic() - begin
        finally:
            is_over.set()
            for timer in timers:
                timer.cancel()
                timer.join()


def strike_rank(mark, victim, action, is_over):
    """Something happens to a rank as soon as it is there, unless the job is over before."""
    def ranks():
        found = {env.get('OMPI_COMM_WORLD_RANK'): process for process, env in mark.processes().items()}
        return {int(rank): process for rank, process in found.items() if rank is not None}

    def send(what):
        with contextlib.suppress(KeyError, ProcessLookupError):
            os.kill(ranks()[victim], what)

    while victim not in ranks():
        if is_over.wait(0.01):
            return
    send(signal.SIGKILL if action == 'killed' else signal.SIGSTOP)
    # A rank that is stopped on its way out, after all others have gone, keeps mpirun waiting, and nobody is left to say so.
    alone = 0
    while action == 'stopped' and alone < 50 and not is_over.wait(0.1):
        alone = alone + 1 if list(ranks()) == [victim] else 0
    if alone == 50:
        send(signal.SIGCONT)


@dataclass
class Tally:
    runs: int = 0
    missed: int = 0
    failed: int = 0
    longest: float = 0.0

    def __str__(self):
        return (f'{self.runs} runs, {self.missed} lost a worker in the middle, the longest took {self.longest:.1f} s, '
                f'{self.failed} failed')


def random_faults(count, ranks, can_cut, backends):
    """As many of each action, in any order; over MPI nothing can be cut off that is on one machine."""
    actions = ['killed', 'stopped', 'cut off'] if can_cut else ['killed', 'stopped']
    faults = [Fault(random.choice(backends), actions[i % len(actions)], random.choice([1, 2, 3])) for i in range(count)]
    faults += [Fault('MPI', actions[i % 2], 2) for i in range(ranks)]
    random.shuffle(faults)
    for fault in faults:
        fault.moment = random.random()
        fault.heartbeat = random.choice([300, 300, 300, 2000])
        if fault.action == 'cut off' and random.random() < 0.3:
            fault.mended = random.uniform(0.1, 3)
    return faults


def fault_campaign(runs, count, seed):
    random.seed(seed)
    reason = why_no_links()
    if reason:
        print(f'skipped: cutting lines ({reason})')
    if not runs.has_mpi:
        print('skipped: ranks of MPI (there is none)')
    backends = ['gRPC', 'async-gRPC', 'TCP'] if runs.has_grpc else ['TCP']
    disturbed, tallies, total = Disturbed(runs), defaultdict(Tally), Tally()
    for fault in random_faults(count, count // 5 if runs.has_mpi else 0, not reason, backends):
        took, is_missed, is_failed = 0.0, False, False
        try:
            took, is_missed = disturbed.check(fault)
        except (Problem, subprocess.TimeoutExpired) as problem:
            is_failed = True
            print(f'FAILED {fault}: {problem}', flush=True)
        name = fault.action + (' for a while' if fault.mended else '')
        for tally in (tallies[disturbed.family(fault), name], total):
            tally.runs += 1
            tally.missed += is_missed
            tally.failed += is_failed
            tally.longest = max(tally.longest, took)
    for (kind, workers, is_cut), (rounds, took) in sorted(disturbed.lengths.items()):
        print(f'undisturbed, {kind}, {workers} workers{" behind lines" if is_cut else ""}: {rounds} rounds in {took:.1f} s')
    for (kind, name), tally in sorted(tallies.items()):
        print(f'{kind}, {name}: {tally}')
    print(f'all: {total}; no process was left' if not total.failed else f'all: {total}')
    print(f'{total.runs - total.failed} passed, {total.failed} failed')
    return 1 if total.failed else 0


# ---- slow lines

# One loop over 24 MB that takes about as long as sending them, so that there is something to do meanwhile.
ROWS_SCRIPT = 'X = rand(120000, 25, 0.0, 1.0, 1.0, 7); print(sum(' + 'sin(' * 40 + 'exp(X)' + ')' * 40 + ' ^ 1.5));'
# Rows go there, and results come back because something else than a loop reads them.
RESULTS_SCRIPT = 'X = rand(120000, 25, 0.0, 1.0, 1.0, 7); Y = exp(sin(X)); print(sum(Y)); print(Y[0:2, 0:3]);'
# Round trips of a run that computes nothing: connection, TLS, greeting, farewell.
FRAME_TRIPS = 4


def write_graph(path, vertices, edges):
    chance = random.Random(5)
    ends = [(chance.randint(1, vertices), chance.randint(1, vertices)) for _ in range(edges)]
    pairs = sorted({(max(pair), min(pair)) for pair in ends})
    path.write_text(f'%%MatrixMarket matrix coordinate pattern symmetric\n{vertices} {vertices} {len(pairs)}\n' +
                    ''.join(f'{a} {b}\n' for a, b in pairs))


class SlowRuns:
    """Scripts over two slow lines, compared with local runs and with what the lines allow."""

    def __init__(self, runs, links, workers):
        self.runs, self.links, self.workers = runs, links, workers

    def scripts(self):
        graph = Path(self.runs.directory, 'graph.mtx')
        write_graph(graph, 100000, 400000)
        text = (ROOT / 'examples' / 'nbody.daph').read_text()
        fewer = Path(self.runs.directory, 'nbody.daph')
        require('numSteps = 100;' in text, 'examples/nbody.daph has another number of steps')
        fewer.write_text(text.replace('numSteps = 100;', 'numSteps = 15;'))
        return {'components': ['examples/cc.daph', f'f="{graph}"'], 'n-body': [str(fewer), 'nb_particles=400'],
                'rows': ['-e', ROWS_SCRIPT], 'results': ['-e', RESULTS_SCRIPT]}

    def check_line(self, line):
        """It is as slow as it should be: otherwise nothing of the rest means anything."""
        size = 8_000_000
        self.links.measure(line, 1)
        round_trip, took = self.links.measure(line, size)
        print(f'line {line}: round trip {1e3 * round_trip:.0f} ms, {size / 1e6:.0f} MB over a new connection in {took:.2f} s')
        require(round_trip >= self.links.round_trip, f'a round trip of {round_trip} s')
        require(took >= size / self.links.rate, f'{size} bytes in {took} s')

    def check(self, name, words, backend, threshold):
        begin = time.monotonic()
        wanted = self.runs.local('--num-threads=1', *words)
        local = time.monotonic() - begin
        self.links.figures()
        begin = time.monotonic()
        # Memory is not lent: it does not take the line.
        done = self.runs.run('--distributed', f'--dist_backend={backend}', f'--dist-threshold={threshold}', '--num-threads=1',
                             '--dist-lend=off', '--statistics', '--dist-stats', *tls_options(self.runs.directory, 'client'),
                             *words, env=self.workers.env, prefix=self.links.coordinator.command([]), timeout=120)
        took = time.monotonic() - begin
        self.runs.expect_same(done, wanted, f'{name} {backend}')
        require(not re.search('is lost|is back', done.stderr), f'{name} {backend}: {done.stderr}')
        figures = json.loads(done.stderr.splitlines()[-1])
        own = figures['coordinator']
        to, back, dropped = max(self.links.figures(), key=lambda line: line[0] + line[1])
        trips = FRAME_TRIPS + own['loops'] + own['fetches'] / len(self.links.workers)
        sending, waiting = (to + back) / self.links.rate, trips * self.links.round_trip
        print(f'{name:10} {backend:10} {threshold:>4} {took:6.2f} s {sending + waiting:6.2f} s = {sending:5.2f} s for '
              f'{to / 1e6:5.2f} + {back / 1e6:5.2f} MB and {waiting:5.2f} s for {trips:2.0f} round trips {local:6.2f} s '
              f'{own["loops"]:3} loops {dropped:3} packets dropped')
        print('    ' + re.search(r'large objects on their way.*', done.stderr)[0], flush=True)
        if threshold == '0':
            require(own['loops'] > 0 and to > 100_000, f'nothing was distributed: {own}')
        if threshold == '0' and name == 'rows':
            # The coordinator computes its rows while those of others are on their way.
            least = min(own['compute_seconds'], figures['transfer_seconds']) / 2
            require(figures['overlapped_seconds'] > least > 0, f'too little was computed meanwhile: {figures}')

    def run(self):
        """The number of checks that passed, and of those that failed."""
        passed = failed = 0

        def attempt(check, *arguments):
            nonlocal passed, failed
            try:
                check(*arguments)
                passed += 1
            except (Problem, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f'FAILED {problem}', flush=True)

        for line in range(len(self.links.workers)):
            attempt(self.check_line, line)
        print('script     backend    from     took    bound   of it bytes to and from a worker, and questions        local')
        for name, words in self.scripts().items():
            for backend in ('gRPC', 'async-gRPC'):
                for threshold in ('0', 'auto'):
                    attempt(self.check, name, words, backend, threshold)
        return passed, failed


def slow_link_campaign(runs):
    passed = failed = 0
    try:
        if not runs.has_grpc or not shutil.which('openssl'):
            raise NotPermitted('needs gRPC and openssl')
        with SlowLinks(2) as links:
            make_certificates(runs.directory, map(links.address, range(2)))
            with Workers(runs.daphne, 2, '--quiet', *tls_options(runs.directory, 'worker'), links=links) as workers:
                passed, failed = SlowRuns(runs, links, workers).run()
    except NotPermitted as reason:
        print(f'skipped: slow lines ({reason})')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


# ---- scripts

def script_campaign(daphne):
    passed = failed = 0
    for config in sorted((ROOT / 'test' / 'script' / 'configs' / 'distributed').glob('*.txt')):
        print(f'== {config.stem}', flush=True)
        done = subprocess.run([sys.executable, ROOT / 'test' / 'script' / 'run.py', '--daphne', daphne, '--config',
                               f'distributed/{config.stem}'], stdout=subprocess.PIPE, text=True)
        print(done.stdout, end='')
        match = re.search(r'(\d+) passed, (\d+) failed\s*$', done.stdout)
        passed, failed = passed + int(match[1]), failed + int(match[2])
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0
