# SPDX-License-Identifier: Apache-2.0
"""Whether a graph yields the same again: values of such graphs may be kept (`daphne.options.cache`)."""
from __future__ import annotations

import weakref
from typing import Any, List, Optional, Set

from .._options import options
from .blocks import Block
from .step import NONE, Step

# They draw numbers: the same ones again only if their last operand, the seed, is a number other than -1.
_RANDOM = ('rand', 'sample', 'randn', 'randBeta', 'randBinom', 'randExp', 'randGamma', 'randPoisson')
# They look at the world, or change it; texts in DaphneDSL may do either.
_IMPURE = ('readMatrix', 'readFrame', 'readCsv', 'openFile', 'openDevice', 'openFileOnTarget', 'now', 'stop', 'assert', 'script',
           'startProfiling', 'stopProfiling', 'call', 'map')

_values: 'weakref.WeakKeyDictionary[Step, Any]' = weakref.WeakKeyDictionary()


def kept(step: Step) -> Optional[Any]:
    """The value that was computed before, as data; None if there is none or it is not wanted."""
    return _values.get(step) if options.cache else None


def keep(step: Step, binding: Any) -> None:
    """Keeps the value of a step as long as the step is there, if that is wanted and its graph is pure."""
    if options.cache and step.binding is None and is_pure(step):
        _values[step] = binding


def is_pure(root: Step) -> bool:
    """Whether the step and all steps before it yield the same in every run."""
    seen: Set[Step] = set()
    stack: List[Any] = [root]
    while stack:
        step = stack.pop()
        if not isinstance(step, Step) or step in seen:
            continue
        seen.add(step)
        if step.kind == NONE or step.operation in _IMPURE or getattr(step.form, '__qualname__', '').startswith('Scripts.'):
            return False
        if step.operation in _RANDOM and (not isinstance(step.operands[-1], int) or step.operands[-1] == -1):
            return False
        if isinstance(step, Block):
            for body in step.bodies:
                stack.extend([*body.results, *body.scope.effects])
        stack.extend(step.inputs())
    return True
