#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Daphne: start-up, whole algorithms beside hand-written C++ and libraries, and the partitioning schemes.

Parts, chosen with --filter (any part whose name contains the text): startup, machine, the cases of cases.py, schemes.
Ours and the peers alternate in one run; every run is a process of its own and times its computing part, without reading
or generating inputs. Inputs are the same for all, and so must be the results. Graphs are written to build/bench-data on
first use. Numbers and pictures go to bench/results/. Compare figures only when they come from the same run.

Exit status: 1 if a run failed or results differ; with --enforce also if a limit is exceeded.
"""

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import cases
import contestants
import matches
import report
import schemes
import startup
from matches import progress

ROOT = Path(__file__).resolve().parents[1]
BUSY = 0.5  # load per processor from which figures say little: threads of a peer wait for each other
MACHINE_CELLS = {False: 50_000_000, True: 5_000_000}


def parse_arguments():
    parser = argparse.ArgumentParser(description='Measures Daphne beside hand-written C++ and libraries.')
    parser.add_argument('--daphne', default=str(ROOT / 'bin' / 'daphne'), help='the binary to measure')
    parser.add_argument('--filter', default='', help='only parts with this text in their name')
    parser.add_argument('--list', action='store_true', help='show the names of the parts')
    parser.add_argument('--quick', action='store_true', help='about a fiftieth of the size: a smoke test')
    parser.add_argument('--check', action='store_true', help='one round, compare the results only')
    parser.add_argument('--rounds', type=int, help='runs of each contestant (default 5, quick: 2)')
    parser.add_argument('--threads', help='numbers of threads, separated by commas (default 1,2)')
    parser.add_argument('--peers', help='only these peers, separated by commas')
    parser.add_argument('--output', type=Path, help='directory of results (default bench/results)')
    parser.add_argument('--enforce', action='store_true', help='status 1 if a limit is exceeded')
    choice = parser.parse_args()
    choice.daphne = str(Path(choice.daphne).resolve())
    choice.rounds = choice.rounds or (1 if choice.check else 2 if choice.quick else 5)
    choice.threads = [int(count) for count in (choice.threads or '1,2').split(',')]
    default = ROOT / 'bench' / 'results'
    choice.output = choice.output or (default / 'quick' if choice.quick else default)
    return choice


def selected_peers(choice):
    available = contestants.available_peers()
    wanted = choice.peers.split(',') if choice.peers else [*contestants.BINARIES, *contestants.MODULES]
    missing = [name for name in wanted if name not in available]
    if missing:
        progress(f'peers that are not installed or not built: {", ".join(missing)}')
    return [name for name in wanted if name in available]


def play_cases(choice):
    """All matches of the selected cases."""
    peers, played = selected_peers(choice), []
    for case in cases.CASES:
        if choice.filter not in case.name:
            continue
        arguments = case.quick if choice.quick else case.full
        shown = ', '.join(f'{name}={getattr(value, "file", value)}' for name, value in arguments.items())
        progress(f'{case.name}: {case.title} ({shown})')
        for threads in choice.threads:
            played.append(matches.play(choice.daphne, case, arguments, threads, choice.rounds, peers))
    return played


def complain(played):
    """Prints runs that failed and results that differ; true if there are none."""
    fine = True
    for match in played:
        place = f'{match.case.name}, {match.threads} thread(s)'
        for name, text in match.failures.items():
            fine = False
            print(f'FAILED {place}: {name}: {text}')
        for name in match.differences():
            fine = False
            print(f'DIFFERENT {place}: {name}: {match.results[name]}, others {next(iter(match.results.values()))}')
    return fine


def draw(played, machine, by_scheme, choice):
    if not importlib.util.find_spec('matplotlib'):
        progress('matplotlib is not installed: no pictures')
        return []
    import plots
    pictures = []
    if by_scheme:
        pictures.append(plots.scheme_bars(by_scheme, max(choice.threads), choice.output / 'schemes.png'))
    if len(choice.threads) > 1 and played:
        pictures.append(plots.thread_scaling(played, choice.output / 'scaling.png'))
    if machine and played:
        pictures.append(plots.roofline(played, machine, choice.output / 'roofline.png'))
    return pictures


def commit():
    done = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def write_results(choice, parts):
    choice.output.mkdir(parents=True, exist_ok=True)
    path = choice.output / 'bench.json'
    parts |= {'commit': commit(), 'machine': platform.processor() or platform.machine(), 'cpus': os.cpu_count(),
              'system': platform.platform(), 'time': time.strftime('%Y-%m-%dT%H:%M:%S%z')}
    path.write_text(json.dumps(parts, indent=2) + '\n', encoding='utf-8')
    return path


def main():
    choice = parse_arguments()
    names = ['startup', 'machine', *(case.name for case in cases.CASES), 'schemes']
    if choice.list:
        print('\n'.join(names))
        return 0
    wanted = [name for name in names if choice.filter in name]
    if not wanted:
        print(f"no part with '{choice.filter}' in its name; there are: {', '.join(names)}", file=sys.stderr)
        return 1
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    if load > BUSY and not choice.check:
        print(f'WARNING: the machine is busy ({load:.1f} other processes per processor); do not trust the ratios', flush=True)
    parts, fine, verdicts, machine, by_scheme = {'load_per_cpu': load}, True, [], {}, {}
    if 'startup' in wanted and not choice.check:
        parts['startup'] = startup.run(choice.daphne)
        fine = parts['startup'] is not None
    if 'machine' in wanted and not choice.check and 'loops' in contestants.available_peers():
        machine = {threads: contestants.run_machine(threads, MACHINE_CELLS[choice.quick]) for threads in choice.threads}
        for threads, limits in machine.items():
            print(f'this machine, {threads} thread(s): reading {limits["read"]:.1f} GB/s, triad {limits["triad"]:.1f} GB/s, '
                  f'{limits["gflops"]:.0f} GFLOP/s', flush=True)
        parts['machine_limits'] = machine
    played = play_cases(choice)
    fine = complain(played) and fine
    parts['cases'] = [match.as_json() for match in played]
    if choice.check:
        print(f'{len(played)} matches, results {"agree" if fine else "DIFFER"}')
        return 0 if fine else 1
    if 'schemes' in wanted:
        progress('schemes: thirteen partitioning schemes with three queue layouts, rows sorted by length')
        by_scheme, final = schemes.run(choice.daphne, max(choice.threads), choice.rounds, choice.quick)
        print('\n' + schemes.table(by_scheme) + '\n\nFinal of the fastest, measured anew:\n' + schemes.table(final))
        parts['schemes'] = {' '.join(key): times for key, times in by_scheme.items()}
        parts['schemes_final'] = {' '.join(key): times for key, times in final.items()}
        verdicts += schemes.verdicts(final)
    if played:
        print(f'\nmilliseconds of the computing part, medians of {choice.rounds}\n{report.table(played)}')
    verdicts = report.all_verdicts(played) + verdicts
    if verdicts:
        print('\n' + '\n'.join(verdict.line() for verdict in verdicts))
    parts['limits'] = [{'what': v.what, 'ratio': v.ratio, 'limit': v.limit, 'kept': v.kept} for v in verdicts]
    written = [write_results(choice, parts), *draw(played, machine, by_scheme, choice)]
    print('\nwritten: ' + ', '.join(os.path.relpath(path) for path in written))
    return 0 if fine and not (choice.enforce and any(not v.kept for v in verdicts)) else 1


if __name__ == '__main__':
    sys.exit(main())
