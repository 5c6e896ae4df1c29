#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds dist/daphne-VERSION-py3-none-manylinux_X_Y_x86_64.whl from the package python/daphne and the engine. Everything else
that this makes is below build/. The engine must have been built before: `make wheel` does both."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / 'build' / 'wheel'
TOOLS = WORK / 'tools'
BUILD = ROOT / 'build' / 'release'
DIST = ROOT / 'dist'
# The oldest systems that the wheel is for; auditwheel refuses it if something in it is newer.
PLATFORM = 'manylinux_2_28_x86_64'
# Debian's source package of the archive that is linked (cmake/Wheel.cmake says why).
RE2_ARCHIVE, RE2_SHA256 = 're2_20220601+dfsg.orig.tar.xz', '3bc61251da3b0b97be40a8a127818c517c62516e4eda11fc901d29496663df54'
# Packages with code that becomes a part of the library.
LINKED = ['libmlir-19-dev', 'llvm-19-dev', 'libopenblas-serial-dev', 'liblapacke-dev', 'libre2-dev', 'libzstd-dev', 'zlib1g-dev',
          'libhwloc-dev', 'nlohmann-json3-dev', 'libstdc++-12-dev']


def fail(text):
    sys.exit(f'wheel: {text}')


def run(*command, log=None, **more):
    """A step; its output is shown if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        fail(f'{Path(command[0]).name} failed')
    return done.stdout


def prepare_tools():
    """hatchling and auditwheel of the versions in tools.txt, in an environment of their own."""
    installed = TOOLS / 'installed.txt'
    wanted = (HERE / 'tools.txt').read_text()
    if installed.is_file() and installed.read_text() == wanted:
        return
    print('wheel: installing hatchling and auditwheel into build/wheel/tools', flush=True)
    shutil.rmtree(TOOLS, ignore_errors=True)
    venv.create(TOOLS, with_pip=True)
    run(TOOLS / 'bin' / 'python', '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps',
        '--only-binary', ':all:', '--require-hashes', '-r', HERE / 'tools.txt')
    installed.write_text(wanted)


def fetch_re2(directory):
    """Debian's source package, from where this machine gets its packages."""
    sources = directory / 'sources'
    for part in ('sources', 'lists/partial', 'cache/archives/partial'):
        (directory / part).mkdir(parents=True)
    lists = [Path('/etc/apt/sources.list'), *Path('/etc/apt/sources.list.d').glob('*.list'),
             *Path('/etc/apt/sources.list.d').glob('*.sources')]
    for path in filter(Path.is_file, lists):
        text = re.sub(r'^Types:.*$', 'Types: deb-src', path.read_text(), flags=re.M)
        (sources / path.name).write_text(re.sub(r'^deb ', 'deb-src ', text, flags=re.M))
    apt = ['apt-get', '-q', '-o', 'Dir::Etc::sourcelist=/dev/null', '-o', f'Dir::Etc::sourceparts={sources}', '-o',
           f'Dir::State::lists={directory}/lists', '-o', f'Dir::Cache={directory}/cache', '-o', 'APT::Sandbox::User=']
    run(*apt, 'update')
    run(*apt, 'source', '--download-only', 're2', cwd=directory)
    return directory / RE2_ARCHIVE


def prepare_re2():
    target = WORK / 're2'
    if (target / 're2' / 're2.cc').is_file():
        return target
    print("wheel: fetching Debian's source of RE2", flush=True)
    fresh = WORK / 're2.fetched'
    shutil.rmtree(fresh, ignore_errors=True)
    archive = fetch_re2(fresh)
    if not archive.is_file() or hashlib.sha256(archive.read_bytes()).hexdigest() != RE2_SHA256:
        fail(f'the source of RE2 is not the {RE2_ARCHIVE} that this knows')
    with tarfile.open(archive) as tar:
        tar.extractall(fresh / 'content')
    shutil.rmtree(target, ignore_errors=True)
    next((fresh / 'content').iterdir()).rename(target)
    shutil.rmtree(fresh)
    return target


def build_engine(re2):
    run('cmake', '--preset', 'release', f'-DDAPHNE_WHEEL_RE2={re2}', cwd=ROOT)
    print('wheel: linking the engine', flush=True)
    shutil.rmtree(BUILD / 'wheel' / 'lib', ignore_errors=True)  # nothing of an earlier build
    run('cmake', '--build', BUILD, '--target', 'wheel_files')


def copy_licenses(engine):
    """Of everything in the wheel, as its authors have them."""
    target = engine / 'licenses'
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    shutil.copy(ROOT / 'LICENSE', target / 'daphne.txt')
    for package in LINKED:
        shutil.copy(f'/usr/share/doc/{package}/copyright', target / f'{package}.txt')
    if (engine / 'lib' / 'libdaphne_arrow.so').exists():
        for path in ROOT.glob('build/arrow/pyarrow-*.dist-info/licenses/*'):
            shutil.copy(path, target / f'arrow-{path.name}')


def pack(engine):
    """The wheel, checked and with its final name, in dist/."""
    raw = WORK / 'raw'
    shutil.rmtree(raw, ignore_errors=True)
    env = dict(os.environ, DAPHNE_WHEEL_ENGINE=str(engine), PATH=f"{TOOLS / 'bin'}:{os.environ['PATH']}")
    run(TOOLS / 'bin' / 'python', '-m', 'hatchling', 'build', '-t', 'wheel', '-d', raw, cwd=ROOT / 'python', env=env)
    wheel, = raw.glob('*.whl')
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob('daphne-*.whl'):
        old.unlink()
    run(TOOLS / 'bin' / 'auditwheel', 'repair', '--only-plat', '--plat', PLATFORM, '-w', DIST, wheel, env=env)
    result, = DIST.glob('daphne-*.whl')
    return result


def main():
    if not (ROOT / 'python' / 'daphne' / '__init__.py').is_file():
        fail('there is no package python/daphne')
    WORK.mkdir(parents=True, exist_ok=True)
    prepare_tools()
    build_engine(prepare_re2())
    engine = BUILD / 'wheel'
    copy_licenses(engine)
    if not (engine / 'lib' / 'libdaphne_arrow.so').exists():
        print('wheel: without .parquet, .arrow and .feather files: there is no Arrow C++ (cmake/install-arrow.sh)')
    wheel = pack(engine)
    print(f'wheel: {wheel.relative_to(ROOT)}, {wheel.stat().st_size / 1e6:.1f} MB')


if __name__ == '__main__':
    main()
