# SPDX-License-Identifier: Apache-2.0
"""Calls a callback with nodes that stand for its parameters, and keeps what it returns."""
from __future__ import annotations

import inspect
from typing import Any, Callable, List, Optional, Sequence, Tuple

from .blocks import Body
from .scopes import tracing
from .step import Step


def needs_arguments(callback: Callable[..., Any], number: int, what: str) -> None:
    """ValueError unless the callback can be called with this many arguments."""
    if not callable(callback):
        raise TypeError(f'{what} is a function, not {callback!r}')
    try:
        inspect.signature(callback).bind(*[None] * number)
    except TypeError as error:
        raise ValueError(f'{what} is called with {number} arguments: {error}') from None
    except ValueError:  # a builtin function without a signature
        pass


def trace(context: Any, what: str, callback: Callable[..., Any], kinds: Sequence[str], results: Optional[int] = None,
          types: Sequence[Optional[str]] = ()) -> Body:
    """The body. `results` is how many values it must return; `types` are value types of parameters, as far as known."""
    from ..operator.nodes import handle_of
    needs_arguments(callback, len(kinds), what)
    with tracing(what) as scope:
        parameters = [Step(kind, 'parameter', vtype=types[i] if i < len(types) else None) for i, kind in enumerate(kinds)]
        returned = values_of(callback(*(handle_of(one, context) for one in parameters)))
        if results is not None and len(returned) != results:
            raise ValueError(f'{what} must return {results} value{"" if results == 1 else "s"}, not {len(returned)}')
        steps = [context._operand(one) for one in returned]
    return Body(scope, parameters, steps)


def values_of(returned: Any) -> Tuple[Any, ...]:
    """One value, several, or none."""
    if returned is None:
        return ()
    return tuple(returned) if isinstance(returned, (tuple, list)) else (returned,)


def kinds_of(steps: Sequence[Any]) -> List[str]:
    """What a body's parameters are, given what they stand for."""
    return [one.kind if isinstance(one, Step) else 'scalar' for one in steps]
