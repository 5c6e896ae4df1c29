# SPDX-License-Identifier: Apache-2.0
"""Steps: what graphs consist of. A step is immutable; what the user holds (a Matrix, say) refers to one and may come to
refer to another (`X[0, :] = 0`), while those who used it before keep theirs."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from .._options import options
from .literals import literal
from .places import Place, place_of_caller
from .scopes import current_scope

# What a step yields.
MATRIX, FRAME, SCALAR, LIST, NONE, MULTI = 'matrix', 'frame', 'scalar', 'list', 'none', 'multi'

Shape = Tuple[Optional[int], Optional[int]]
UNKNOWN: Shape = (None, None)


class Step:
    """One operation with its operands: steps, numbers, or text in DaphneDSL.

    `form` says how it is written: a template with {0}, {1} ... for the operands; a function of writer and step that
    returns the expression; without one it is the call of a builtin function. `vtype` and `shape` are what is known without
    the engine, None where nothing is.
    """
    __slots__ = ('kind', 'operation', 'operands', 'named', 'form', 'scope', 'place', 'vtype', 'shape', 'binding', 'results',
                 'index', '__weakref__')

    def __init__(self, kind: str, operation: str, operands: Sequence[Any] = (), named: Optional[Dict[str, Any]] = None,
                 form: Union[str, Callable[[Any, 'Step'], str], None] = None, vtype: Optional[str] = None,
                 shape: Shape = UNKNOWN, binding: Any = None, results: int = 1, index: int = 0) -> None:
        self.kind = kind
        self.operation = operation
        self.operands = tuple(operands)
        self.named = named
        self.form = form
        self.vtype = vtype
        self.shape = shape
        self.binding = binding
        self.results = results
        self.index = index
        # Data belongs to the program as a whole, wherever it was mentioned.
        self.scope = None if binding is not None else current_scope()
        self.place: Optional[Place] = place_of_caller() if options.record_places else None
        if kind == NONE and self.scope is not None:
            self.scope.effects.append(self)

    def inputs(self) -> List['Step']:
        """The steps that come before this one."""
        found = [one for one in self.operands if isinstance(one, Step)]
        if self.named:
            found.extend(one for one in self.named.values() if isinstance(one, Step))
        return found

    def write(self, writer: Any) -> None:
        """Adds the statement."""
        if self.binding is not None:
            writer.name(self, writer.bind(self.binding))
        elif self.operation == 'result':
            writer.name(self, f'{writer.name_of(self.operands[0])}_{self.index}')
        elif self.kind == NONE:
            writer.line(f'{self.expression(writer)};', self)
            writer.name(self, '')
        elif self.kind == MULTI:
            name = writer.fresh('v')
            names = ', '.join(f'{name}_{i}' for i in range(self.results))
            writer.line(f'{names} = {self.expression(writer)};', self)
            writer.name(self, name)
        else:
            expression = self.expression(writer)
            name = writer.fresh('v')
            writer.line(f'{name} = {expression};', self)
            writer.name(self, name)

    def expression(self, writer: Any) -> str:
        """How it is written, with the names of its operands."""
        if callable(self.form):
            return self.form(writer, self)
        words = [writer.operand(one) for one in self.operands]
        if self.form is not None:
            return self.form.format(*words)
        if self.named:
            words.extend(f'{name} = {writer.operand(one)}' for name, one in self.named.items())
        return f'{self.operation}({", ".join(words)})'


def operand_text(value: Any) -> str:
    """Text stays as it is; numbers become literals."""
    return value if isinstance(value, str) else literal(value)
