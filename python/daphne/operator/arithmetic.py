# SPDX-License-Identifier: Apache-2.0
"""Operators of matrices and scalars: every one builds a node, also with the node on the right-hand side."""
from __future__ import annotations

from typing import Any, Optional

from .._graph import infer
from .._graph.literals import is_number, quoted
from .._graph.step import FRAME, MATRIX, SCALAR, Step
from .operation_node import OperationNode

_COMPARISONS = ('==', '!=', '<', '<=', '>', '>=')


class Arithmetic(OperationNode):
    """Operators cell by cell."""

    def _cells(self, operation: str, left: Any, right: Any, form: Optional[str] = None) -> Any:
        """An operation of two operands, of which one is this node."""
        if not (is_operand(left) and is_operand(right)):
            return NotImplemented
        operands = [quoted(one) if isinstance(one, str) else self._operand(one) for one in (left, right)]
        is_matrix = any(isinstance(one, Step) and one.kind != SCALAR for one in operands)
        types = [infer.type_of(one) for one in operands]
        if operation in _COMPARISONS:
            vtype = infer.common_type(*types)
        elif operation in ('&&', '||'):
            vtype = infer.logic_type(*types)
        else:
            vtype = infer.arithmetic_type(*types)
        if form is None:
            form = '{0} ' + operation + ' {1}' if not operation.isalpha() else None
        kind = MATRIX if is_matrix else SCALAR
        if any(isinstance(one, Step) and one.kind == FRAME for one in operands):
            kind = FRAME
        shape = infer.broadcast(*(infer.shape_of(one) for one in operands)) if is_matrix else infer.UNKNOWN
        return self._made(Step(kind, operation, operands, form=form, vtype=vtype, shape=shape))

    def _made(self, step: Step) -> Any:
        from .nodes import handle_of
        return handle_of(step, self.daphne_context)

    def _map(self, operation: str, vtype: Optional[str] = None, form: Optional[str] = None) -> Any:
        """An operation of one operand, cell by cell."""
        return self._made(Step(self._step.kind, operation, [self._step], form=form, vtype=vtype, shape=self._step.shape))

    def __add__(self, other: Any) -> Any:
        return self._cells('+', self, other)

    def __radd__(self, other: Any) -> Any:
        return self._cells('+', other, self)

    def __sub__(self, other: Any) -> Any:
        return self._cells('-', self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._cells('-', other, self)

    def __mul__(self, other: Any) -> Any:
        return self._cells('*', self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._cells('*', other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._cells('/', self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._cells('/', other, self)

    def __pow__(self, other: Any) -> Any:
        return self._cells('^', self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._cells('^', other, self)

    def __mod__(self, other: Any) -> Any:
        return self._cells('%', self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._cells('%', other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._floor_divided(other, self)

    def __divmod__(self, other: Any) -> Any:
        quotient = self._floor_divided(self, other)
        return quotient, self - quotient * other

    def __rdivmod__(self, other: Any) -> Any:
        quotient = self._floor_divided(other, self)
        return quotient, other - quotient * self

    def _floor_divided(self, left: Any, right: Any) -> Any:
        """The quotient, rounded down. `/` of integers truncates: one less where signs differ and something remains."""
        if not is_operand(left) or not is_operand(right) or isinstance(left, str) or isinstance(right, str):
            return NotImplemented
        if not isinstance(right, OperationNode) and not is_number(right):
            right = self.daphne_context.asarray(right)
        common = infer.common_type(*(infer.type_of(self._operand(one)) for one in (left, right)))
        if common in ('f32', 'f64'):
            return self._cells('/', left, right)._map('floor', common)
        remainder = self._cells('%', left, right)
        # `x != x` is a zero of the type of x: a literal would widen narrow types.
        zero = remainder != remainder
        is_negative: Any = bool(right < 0) if is_number(right) else self._cells('<', right, right != right)
        is_one_less = self._cells('&&', remainder != zero, (remainder < zero) != is_negative)
        remainder = remainder + self._cells('*', is_one_less, right)
        exact = self._cells('-', left, remainder)
        return self._cells('/', exact, right)._map('floor', common)

    def __and__(self, other: Any) -> Any:
        return self._cells('&&', self, other)

    def __rand__(self, other: Any) -> Any:
        return self._cells('&&', other, self)

    def __or__(self, other: Any) -> Any:
        return self._cells('||', self, other)

    def __ror__(self, other: Any) -> Any:
        return self._cells('||', other, self)

    def __xor__(self, other: Any) -> Any:
        return (self != 0) != (_truth(other))

    def __rxor__(self, other: Any) -> Any:
        return (self != 0) != (_truth(other))

    def __invert__(self) -> Any:
        return self == 0

    def __neg__(self) -> Any:
        return self._map('-', infer.arithmetic_type(self._step.vtype), '-{0}')

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._map('abs', self._step.vtype)

    def __eq__(self, other: Any) -> Any:
        return self._cells('==', self, other)

    def __ne__(self, other: Any) -> Any:
        return self._cells('!=', self, other)

    def __lt__(self, other: Any) -> Any:
        return self._cells('<', self, other)

    def __le__(self, other: Any) -> Any:
        return self._cells('<=', self, other)

    def __gt__(self, other: Any) -> Any:
        return self._cells('>', self, other)

    def __ge__(self, other: Any) -> Any:
        return self._cells('>=', self, other)

    # Identity: == builds a node.
    __hash__ = object.__hash__


def _truth(value: Any) -> Any:
    return int(bool(value)) if is_number(value) else value != 0


def is_operand(value: Any) -> bool:
    """What can stand beside a node."""
    return (isinstance(value, (OperationNode, str)) or is_number(value) or hasattr(value, '__array_interface__')
            or hasattr(value, 'tocsr') or hasattr(value, '__array__') or hasattr(value, '__dlpack__'))


__all__ = ['Arithmetic']
