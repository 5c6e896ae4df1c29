# SPDX-License-Identifier: Apache-2.0
"""`daphne.options`: what holds for all contexts of this process unless a context or a call says otherwise."""
from __future__ import annotations

import difflib
from typing import Any, Dict

_DEFAULTS: Dict[str, Any] = {
    'cache': False,            # keep values of pure graphs that were computed
    'datetime_as_int': False,  # import dates and times as si64 nanoseconds
    'eager_scalars': False,    # float(s), int(s), bool(s) of scalar nodes compute
    'numpy_fallback': False,   # compute and call numpy for functions that are not known
    'progress': 'auto',        # True, False, 'auto' or a function
    'record_places': True,     # remember the Python line of every node, for messages
    'sparse_results': False,   # sparse results as SciPy matrices
}


class Options:
    """Settings as attributes: `options.progress = False`. An unknown name is an AttributeError."""

    def __init__(self) -> None:
        self.__dict__.update(_DEFAULTS)
        self.__dict__['engine'] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if name == 'engine':
            if not isinstance(value, dict):
                raise TypeError('options.engine is a dict of options of the engine')
        elif name not in _DEFAULTS:
            near = difflib.get_close_matches(name, _DEFAULTS, 1)
            raise AttributeError(f'there is no option {name!r}' + (f'; did you mean {near[0]!r}?' if near else ''))
        elif isinstance(_DEFAULTS[name], bool) and not isinstance(value, bool):
            raise TypeError(f'the option {name!r} is True or False, not {value!r}')
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        near = difflib.get_close_matches(name, _DEFAULTS, 1)
        raise AttributeError(f'there is no option {name!r}' + (f'; did you mean {near[0]!r}?' if near else ''))

    def __repr__(self) -> str:
        return f'Options({", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())})'

    def reset(self) -> None:
        """Everything as it was in the beginning."""
        self.__init__()  # type: ignore[misc]


options = Options()
