# SPDX-License-Identifier: Apache-2.0
"""Puts the engine into the wheel. Any Python 3 can use it, since the package calls the library by ctypes; the tag of the
platform is found by auditwheel afterwards (build.py)."""

import os
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ENGINE = 'DAPHNE_WHEEL_ENGINE'


class EngineHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == 'editable':  # the package finds the engine of the source tree
            return
        if ENGINE not in os.environ:
            raise RuntimeError('the wheel contains the engine, which has to be compiled first: run `make wheel` in the '
                               'directory above and install the file it makes in dist/')
        engine = Path(os.environ[ENGINE])
        for part, place in (('lib', 'lib'), ('licenses', 'licenses'), ('wheel_daphne_command', 'bin/daphne'),
                            ('wheel_daphne_worker_command', 'bin/daphne-worker')):
            build_data['force_include'][str(engine / part)] = f'daphne/{place}'
        build_data['pure_python'] = False
        build_data['tag'] = 'py3-none-' + sysconfig.get_platform().replace('-', '_').replace('.', '_')
