#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damaged files of formats that libraries read for us: HDF5, NetCDF, Parquet, Feather.

A library may crash on a damaged file, and cannot go on afterwards; so every file gets a process of its own. It must end in
time, with status 0 or 3 and, if 3, with one error that names the file; and take no more memory than the library needs. The
same seed gives the same files. Formats that this build cannot read are left out.

    test/fuzz/libraries.py --daphne bin/daphne [--runs 40] [--seed 1] [--seconds 60]

--runs is per valid file; --seconds goes on with other seeds for so long. Files that were a problem once are in found/.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

# A library may compute for 10 s, on a machine that has other things to do.
TIMEOUT_SECONDS = 60
FOUND = Path(__file__).resolve().parent / 'found'
WRITERS = '''
X = reshape(seq(1.0, 60.0, 1.0), 12, 5);
writeMatrix(X, "matrix.EXT");
F = createFrame(X[, 0], as.si64(X[, 1]), ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "long text"], "x", "n", "s");
writeFrame(F, "frame.EXT");
'''


def limit(gigabytes):
    if gigabytes:
        resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def valid_files(daphne, directory):
    """What we write ourselves, as far as this build can."""
    files = []
    for extension in ('h5', 'nc', 'parquet', 'feather'):
        script = directory / f'{extension}.daph'
        for line in WRITERS.strip().splitlines():
            script.write_text(''.join(l + '\n' for l in WRITERS.strip().splitlines()
                                      if not l.startswith('write') or l == line).replace('EXT', extension))
            subprocess.run([daphne, script], cwd=directory, capture_output=True)
        files += [f for f in sorted(directory.glob(f'*.{extension}'))]
    return files


def damaged(random, content):
    """Some bytes are others, a part is missing or there twice, or a number is large."""
    data = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        if not data:
            break
        at, kind = random.randrange(len(data)), random.randrange(6)
        if kind == 0:
            data[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            data[at] = random.randrange(256)
        elif kind == 2:
            width = random.choice([2, 4, 8])
            number = random.choice([0, 1, 0x7f, 0xff, (1 << 31) - 1, (1 << 32) - 1, (1 << 62), (1 << 64) - 1])
            data[at:at + width] = (number & ((1 << 8 * width) - 1)).to_bytes(width, 'little')
        elif kind == 3:
            del data[at:]
        elif kind == 4:
            del data[at:at + random.randrange(1, 64)]
        else:
            data[at:at] = data[at:at + random.randrange(1, 64)]
    return bytes(data)


def check(daphne, directory, name, content, memory_gb):
    """What is wrong with the run on this file, or None."""
    with tempfile.TemporaryDirectory(dir=directory) as place:
        path = Path(place) / name
        path.write_bytes(content)
        reader = 'readFrame' if name.startswith('frame') else 'readMatrix'
        script = Path(place) / 'script.daph'
        script.write_text(f'print({reader}("{name}"));\n')
        commands = [[daphne, script], [daphne, 'inspect', name]]
        if name.endswith('.h5'):
            # A data set besides, in the file as it is.
            commands.append([daphne, '-e', f'writeMatrix([1.0], "{name}:/other");'])
        for command in commands:
            try:
                done = subprocess.run(command, cwd=place, capture_output=True, timeout=TIMEOUT_SECONDS,
                                      preexec_fn=lambda: limit(memory_gb))
            except subprocess.TimeoutExpired:
                return f'{command[1]}: not done after {TIMEOUT_SECONDS} s'
            errors = done.stderr.decode(errors='replace')
            if done.returncode not in (0, 2, 3):
                return f'{command[1]}: status {done.returncode}: {errors[-300:]}'
            if done.returncode and (errors.count('error:') != 1 or path.stem not in errors):
                return f'{command[1]}: not one error that names the file: {errors[-600:]}'
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--daphne', default='bin/daphne')
    parser.add_argument('--runs', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=0)
    parser.add_argument('--memory-gb', type=int, default=4, help='of address space for each run; 0: any')
    parser.add_argument('--save', type=Path, help='directory for files that fail')
    choice = parser.parse_args()
    daphne = str(Path(choice.daphne).resolve())
    passed, failed, start, seed = 0, 0, time.monotonic(), choice.seed
    with tempfile.TemporaryDirectory() as text:
        directory = Path(text)
        files = valid_files(daphne, directory)
        formats = ', '.join(sorted({f.suffix for f in files}))
        print(f'{len(files)} valid files: {formats}')
        contents = {f.name: f.read_bytes() for f in files}
        for name, content in contents.items():
            if problem := check(daphne, directory, name, content, choice.memory_gb):
                failed += 1
                print(f'FAILED {name} as it was written: {problem}')
        for file in sorted(FOUND.iterdir()):
            if file.suffix in formats:
                problem = check(daphne, directory, file.name, file.read_bytes(), choice.memory_gb)
                passed, failed = passed + (not problem), failed + bool(problem)
                if problem:
                    print(f'FAILED {file.name}: {problem}')
        while True:
            jobs = [(name, number) for name in contents for number in range(choice.runs)]

            def run(job, seed=seed):
                name, number = job
                content = damaged(Random(f'{seed} {name} {number}'), contents[name])
                return check(daphne, directory, name, content, choice.memory_gb), content
            with ThreadPoolExecutor(2) as pool:
                for (name, number), (problem, content) in zip(jobs, pool.map(run, jobs)):
                    passed, failed = passed + (not problem), failed + bool(problem)
                    if problem:
                        print(f'FAILED seed {seed}, {name}, number {number}: {problem}', flush=True)
                        if choice.save:
                            choice.save.mkdir(parents=True, exist_ok=True)
                            (choice.save / f'{seed}-{number}-{name}').write_bytes(content)
            seed += 1
            if not jobs or time.monotonic() - start >= choice.seconds:
                break
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
