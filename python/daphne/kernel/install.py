# SPDX-License-Identifier: Apache-2.0
"""Tells Jupyter of the kernel, and JupyterLab how DaphneDSL is coloured."""
from __future__ import annotations

import argparse
import json
import os
import shutil
import site
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

from .._engine import library

NAME = 'daphne'
DISPLAY_NAME = 'DaphneDSL'
_RESOURCES = Path(__file__).resolve().parent / 'resources'
_EXTENSION = 'daphne-language'


def kernel_spec(display_name: str = DISPLAY_NAME) -> Dict[str, Any]:
    """The content of kernel.json. A package that lies in a source tree is found again by PYTHONPATH."""
    spec: Dict[str, Any] = {'argv': [sys.executable, '-m', 'daphne.kernel', '-f', '{connection_file}'],
                            'display_name': display_name, 'language': 'daphnedsl', 'interrupt_mode': 'signal'}
    environment = {}
    package = Path(__file__).resolve().parents[2]
    installed = {Path(sysconfig.get_path(key)).resolve() for key in ('purelib', 'platlib')}
    if site.ENABLE_USER_SITE:
        installed.add(Path(site.getusersitepackages()).resolve())
    if package not in installed:
        environment['PYTHONPATH'] = str(package)
        if os.environ.get('DAPHNELIB_DIR_PATH'):
            environment['DAPHNELIB_DIR_PATH'] = str(Path(os.environ['DAPHNELIB_DIR_PATH']).resolve())
    if environment:
        spec['env'] = environment
    return spec


def install(prefix: Optional[str] = None, user: bool = False, name: str = NAME, display_name: str = DISPLAY_NAME) -> str:
    """Installs under a prefix, for the user, or where Jupyter looks for everybody. Returns the directory."""
    from jupyter_client.kernelspec import KernelSpecManager
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, 'kernel.json').write_text(json.dumps(kernel_spec(display_name), indent=1) + '\n', encoding='utf-8')
        for logo in _RESOURCES.glob('logo-*'):
            shutil.copy(logo, directory)
        place = KernelSpecManager().install_kernel_spec(directory, kernel_name=name, user=user, prefix=prefix)
    # <data>/kernels/<name>, beside which JupyterLab has its extensions
    target = Path(place).parents[1] / 'labextensions' / _EXTENSION
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(_RESOURCES / 'labextension', target)
    return place


def main(arguments: List[str]) -> int:
    """`python -m daphne.kernel install`"""
    parser = argparse.ArgumentParser(prog='python -m daphne.kernel install',
                                     description='Tells Jupyter of the kernel for DaphneDSL.')
    where = parser.add_mutually_exclusive_group()
    where.add_argument('--user', action='store_true', help='for you only')
    where.add_argument('--sys-prefix', action='store_true', help='into the environment of this Python (the default)')
    where.add_argument('--prefix', metavar='DIRECTORY', help='under another prefix, as share/jupyter')
    parser.add_argument('--name', default=NAME, help='what commands call it (%(default)s)')
    parser.add_argument('--display-name', default=DISPLAY_NAME, help='what people see (%(default)s)')
    options = parser.parse_args(arguments)
    prefix = None if options.user else options.prefix or sys.prefix
    try:
        library.path()
    except ImportError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    try:
        place = install(prefix, options.user, options.name, options.display_name)
    except (OSError, ValueError) as error:
        print(f'error: the kernel cannot be installed: {error}', file=sys.stderr)
        return 1
    print(f'kernel {options.name} is in {place}')
    return 0
