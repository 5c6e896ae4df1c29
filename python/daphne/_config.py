# SPDX-License-Identifier: Apache-2.0
"""Options of the engine from all places they may come from, as it wants them: the keys of its configuration file, or names of
options of the command line. The engine checks names and values."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional, Sequence, Union

from . import errors
from ._options import options

# How Python programs may write names of options.
_ALIASES = {
    'num_threads': 'num-threads', 'grain_size': 'grain-size', 'pin_workers': 'pin-workers', 'select_matrix_repr':
    'select-matrix-repr', 'pre_partition': 'pre-partition', 'phy_batch_size': 'phy-batch-size', 'loop_cache': 'loop-cache',
    'pin_strategy': 'pin-strategy', 'sched_seed': 'sched-seed', 'hyperthreading': 'hyperthreading',
    'minimumTaskSize': 'grain-size', 'numberOfThreads': 'num-threads', 'use_vectorized_exec': 'vec',
    'taskPartitioningScheme': 'partitioning', 'prePartitionRows': 'pre-partition', 'phyBatchSize': 'phy-batch-size',
    'pinWorkers': 'pin-workers', 'no_vec': 'no-vec', 'vec_always': 'vec-always',
}
_ENVIRONMENT = {'DAPHNE_NUM_THREADS': 'num-threads', 'DAPHNE_PARTITIONING': 'partitioning'}
# Options that are switched off by a word of their own.
_NEGATIONS = {'no-vec': ('vec', False), 'no-obj-ref-mgnt': ('use_obj_ref_mgnt', False),
              'no-ipa-const-propa': ('use_ipa_const_propa', False), 'no-phy-op-selection': ('use_phy_op_selection', False)}


def read(config: Union[Dict[str, Any], str, 'os.PathLike[str]', None]) -> Dict[str, Any]:
    """A dict, or a JSON file with one."""
    if config is None:
        return {}
    if isinstance(config, dict):
        return _canonical(config)
    with open(config, encoding='utf-8') as file:
        try:
            found = json.load(file)
        except ValueError as error:
            raise errors.ParseError(f'{os.fspath(config)} is no JSON: {error}') from None
    if not isinstance(found, dict):
        raise errors.ParseError(f'{os.fspath(config)} is no JSON object')
    return _canonical(found)


def of_arguments(args: Optional[Sequence[str]]) -> Dict[str, Any]:
    """Switches of the command line: --vec, --num-threads=2, --no-vec."""
    found: Dict[str, Any] = {}
    if isinstance(args, str):
        raise TypeError('args is a list of switches, not one text')
    for argument in args or ():
        if not argument.startswith('-'):
            raise errors.ParseError(f'{argument!r} is no switch; switches begin with --')
        name, separator, text = argument.lstrip('-').partition('=')
        value: Any = True
        if separator:
            try:
                value = json.loads(text)
            except ValueError:
                value = text
        found[name] = value
    return _canonical(found)


def _canonical(given: Dict[str, Any]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for name, value in given.items():
        if not isinstance(name, str):
            raise TypeError(f'the name of an option is a text, not {name!r}')
        name = _ALIASES.get(name, name)
        if name in _NEGATIONS and value is True:
            name, value = _NEGATIONS[name]
        if name == 'explain' and isinstance(value, str):
            value = value.split(',')
        found[name] = value
    return found


def taken(config: Dict[str, Any], name: str, kind: type) -> Any:
    """An option that the package itself understands, taken out; None if it is not there."""
    value = config.pop(name, None)
    if value is not None and not isinstance(value, kind):
        raise TypeError(f'the option {name!r} is a {kind.__name__}, not {value!r}')
    return value


def environment() -> Dict[str, Any]:
    """What the environment says."""
    found: Dict[str, Any] = {}
    file = os.environ.get('DAPHNE_CONFIG')
    if file:
        found.update(read(file))
    for variable, name in _ENVIRONMENT.items():
        text = os.environ.get(variable)
        if text:
            found[name] = int(text) if text.lstrip('-').isdigit() else text
    limit = os.environ.get('SLURM_CPUS_ON_NODE', '')
    if limit.isdigit() and int(limit) > 0:
        wanted = found.get('num-threads', 0)
        if isinstance(wanted, int):
            found['num-threads'] = min(wanted, int(limit)) if wanted > 0 else min(int(limit), os.cpu_count() or 1)
    return found


def merged(of_context: Dict[str, Any], of_call: Dict[str, Any]) -> Dict[str, Any]:
    """All options, the nearest first."""
    if not of_call and not options.engine and not _has_environment():
        return of_context
    return {**environment(), **_canonical(options.engine), **of_context, **_canonical(of_call)}


def _has_environment() -> bool:
    names = os.environ
    return 'DAPHNE_NUM_THREADS' in names or 'DAPHNE_PARTITIONING' in names or 'DAPHNE_CONFIG' in names \
        or 'SLURM_CPUS_ON_NODE' in names
