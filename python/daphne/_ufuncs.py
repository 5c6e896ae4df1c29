# SPDX-License-Identifier: Apache-2.0
"""numpy's functions of cells as nodes. Where numpy's rules differ from those of the language (division of integers, the sign
of remainders, halves, truth values of type bool), numpy's count here."""
from __future__ import annotations

import math
from typing import Any, Callable, Dict

import numpy as np

from ._graph import infer
from ._graph.literals import is_number
from ._graph.step import MATRIX, SCALAR, Step
from .operator.nodes import handle_of
from .operator.operation_node import OperationNode


def _vtype(value: Any) -> Any:
    if isinstance(value, OperationNode):
        return value._step.vtype
    if isinstance(value, np.ndarray):
        return infer.VTYPES.get(value.dtype)
    return infer.type_of(value)


def _other(node: Any, value: Any) -> Any:
    """The value as something a node's operators take."""
    if isinstance(value, np.generic) and is_number(value):
        # numpy's numbers would ask numpy again
        return handle_of(Step(SCALAR, 'literal', [value], form='{0}', vtype=_vtype(value)), node.daphne_context)
    if isinstance(value, OperationNode) or is_number(value):
        return value
    return node.daphne_context.asarray(value)


def _pair(a: Any, b: Any) -> Any:
    node = a if isinstance(a, OperationNode) else b
    return _other(node, a), _other(node, b)


def _float(value: Any) -> Any:
    """Integers become floating point."""
    if isinstance(value, OperationNode):
        if value._step.vtype in ('f64', 'f32'):
            return value
        return value.asType(vtype='f64')  # type: ignore[attr-defined]
    return float(value) if is_number(value) and not isinstance(value, np.floating) else value


def _bool(node: Any) -> Any:
    return node.asType(vtype='bool')


def choose(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition is not 0, else y; a row or a column is repeated."""
    operands = [condition] + [_other(condition, one) for one in (x, y)]
    shape = infer.UNKNOWN
    steps = [one._step if isinstance(one, OperationNode) else one for one in operands]
    for step in steps:
        shape = infer.shape_of(step) if shape == infer.UNKNOWN else infer.broadcast(shape, infer.shape_of(step))
    vtype = infer.common_type(*(infer.type_of(step) for step in steps[1:]))
    if all(not isinstance(one, OperationNode) or one._step.kind != MATRIX for one in operands):
        return handle_of(Step(SCALAR, '?:', steps, form='{0} != 0 ? {1} : {2}', vtype=vtype), condition.daphne_context)
    if None in shape or any(_is_matrix(one) and one._step.shape != shape for one in operands) or not _is_matrix(condition):
        # All must have the shape of the result: rows, columns and conditions that are scalars are spread over it.
        zero = sum((one.isNan() * 0 for one in operands[1:] if _is_matrix(one)),
                   condition.isNan() * 0 if _is_matrix(condition) else 0)
        steps = [(truth + zero)._step if _is_matrix(one) or k == 0 else step
                 for k, (one, step, truth) in enumerate(zip(operands, steps, [condition != 0, *operands[1:]]))]
    return handle_of(Step(MATRIX, 'where', steps, vtype=vtype, shape=shape), condition.daphne_context)


def _is_matrix(value: Any) -> bool:
    return isinstance(value, OperationNode) and value._step.kind == MATRIX


def _both_float(a: Any, b: Any) -> bool:
    return infer.common_type(_vtype(a), _vtype(b)) in ('f32', 'f64')


def true_divide(a: Any, b: Any) -> Any:
    """The quotient, also of integers, as floating point."""
    a, b = _pair(a, b)
    return a / b if _both_float(a, b) else _float(a) / _float(b)


def remainder(a: Any, b: Any) -> Any:
    """The remainder with the sign of the divisor."""
    a, b = _pair(a, b)
    rest = a % b
    has_other_sign = (rest != 0) & ((rest < 0) != (b < 0))
    if isinstance(has_other_sign, OperationNode):
        return choose(has_other_sign, rest + b, rest)
    return rest


def floor_divide(a: Any, b: Any) -> Any:
    """The quotient, rounded down."""
    a, b = _pair(a, b)
    return a // b


def rint(a: Any) -> Any:
    """The nearest integer, halves to the even one."""
    if _vtype(a) not in ('f32', 'f64', None):
        return a
    is_half = abs(a - a.floor()) == 0.5
    return choose(is_half, (a / 2).round() * 2, a.round())


def trunc(a: Any) -> Any:
    """Without the fraction."""
    return choose(a < 0, a.ceil(), a.floor())


def log1p(a: Any) -> Any:
    """ln(1 + a), exact for small a."""
    a = _float(a)
    u = a + 1.0
    # Rounding of 1 + a is undone by the quotient.
    return choose((u == 1.0) | (u == math.inf), a, u.ln() * (a / choose(u == 1.0, 1.0, u - 1.0)))


def expm1(a: Any) -> Any:
    """e^a - 1, exact for small a."""
    a = _float(a)
    u = a.exp()
    known = u - 1.0
    inner = choose((u == 1.0) | (u == 0.0) | (u == math.inf), 2.0, u)
    return choose(u == 1.0, a, choose((known == -1.0) | (u == math.inf), known, (inner - 1.0) * a / inner.ln()))


def _truth_of(node: Any) -> Any:
    return node != 0


def _method(name: str) -> Callable[[Any], Any]:
    return lambda a: getattr(a, name)()


def _method_of_float(name: str) -> Callable[[Any], Any]:
    return lambda a: getattr(_float(a), name)()


def _method_of_either(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: getattr(a, name)(b) if isinstance(a, OperationNode) else getattr(b, name)(a)


def _as_truth(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: _bool(operation(a, b))


def _of_truth_values(name: str, logical: str, found: Dict[str, Callable[..., Any]]) -> Callable[[Any, Any], Any]:
    return lambda a, b: _bits(name, logical, found, a, b)


def _functions() -> Dict[str, Callable[..., Any]]:
    found: Dict[str, Callable[..., Any]] = {
        'true_divide': true_divide, 'divide': true_divide, 'remainder': remainder, 'mod': remainder,
        'floor_divide': floor_divide, 'rint': rint, 'trunc': trunc, 'fix': trunc, 'log1p': log1p, 'expm1': expm1,
    }

    def binary(name: str, operation: Callable[[Any, Any], Any]) -> None:
        found[name] = lambda a, b: operation(*_pair(a, b))

    binary('add', lambda a, b: a + b)
    binary('subtract', lambda a, b: a - b)
    binary('multiply', lambda a, b: a * b)
    binary('power', lambda a, b: a ** b)
    binary('float_power', lambda a, b: _float(a) ** _float(b))
    binary('fmod', lambda a, b: a % b)
    binary('matmul', lambda a, b: a @ b)
    binary('hypot', lambda a, b: (_float(a) * a + _float(b) * b).sqrt())
    for name, method in (('maximum', 'max'), ('minimum', 'min'), ('fmax', 'fmax'), ('fmin', 'fmin')):
        binary(name, _method_of_either(method))
    comparisons: Dict[str, Callable[[Any, Any], Any]] = {
        'equal': lambda a, b: a == b, 'not_equal': lambda a, b: a != b, 'less': lambda a, b: a < b,
        'less_equal': lambda a, b: a <= b, 'greater': lambda a, b: a > b, 'greater_equal': lambda a, b: a >= b,
        'logical_and': lambda a, b: _truth_of(a) & _truth_of(b), 'logical_or': lambda a, b: _truth_of(a) | _truth_of(b),
        'logical_xor': lambda a, b: _truth_of(a) != _truth_of(b)}
    for name, operation in comparisons.items():
        binary(name, _as_truth(operation))
    found['logical_not'] = lambda a: _bool(a == 0)
    # Of truth values only, for which they are the same.
    for name, logical in (('bitwise_and', 'logical_and'), ('bitwise_or', 'logical_or'), ('bitwise_xor', 'logical_xor')):
        binary(name, _of_truth_values(name, logical, found))
    found['invert'] = found['bitwise_not'] = lambda a: _bits('invert', 'logical_not', found, a)
    plain = {'absolute': 'abs', 'fabs': 'abs', 'sign': 'sign', 'floor': 'floor', 'ceil': 'ceil'}
    for name, method in plain.items():
        found[name] = _method(method)
    found['abs'] = found['absolute']
    floating = {'exp': 'exp', 'log': 'ln', 'sqrt': 'sqrt', 'sin': 'sin', 'cos': 'cos', 'tan': 'tan', 'arcsin': 'asin',
                'arccos': 'acos', 'arctan': 'atan', 'sinh': 'sinh', 'cosh': 'cosh', 'tanh': 'tanh', 'arcsinh': 'asinh',
                'arccosh': 'acosh', 'arctanh': 'atanh'}
    for name, method in floating.items():
        found[name] = _method_of_float(method)
    found['asin'], found['acos'], found['atan'] = found['arcsin'], found['arccos'], found['arctan']
    found['log2'] = lambda a: _float(a).log(2.0)
    found['log10'] = lambda a: _float(a).log(10.0)
    found['exp2'] = lambda a: 2.0 ** _float(a)
    found['square'] = lambda a: a * a
    found['reciprocal'] = lambda a: 1.0 / _float(a)
    found['negative'] = lambda a: -a
    found['positive'] = lambda a: a
    found['degrees'] = found['rad2deg'] = lambda a: _float(a) * (180.0 / math.pi)
    found['radians'] = found['deg2rad'] = lambda a: _float(a) * (math.pi / 180.0)
    found['isnan'] = lambda a: _bool(a.isNan())
    found['isinf'] = lambda a: _bool(abs(a) == math.inf) if _vtype(a) in ('f64', 'f32', None) else _bool(a != a)
    found['isfinite'] = lambda a: _bool((a - a) == 0)
    return found


def _bits(name: str, logical: str, found: Dict[str, Callable[..., Any]], *values: Any) -> Any:
    if any(_vtype(one) != 'bool' for one in values):
        raise TypeError(f'{name} of nodes takes truth values; integers have no bitwise operations')
    return found[logical](*values)


FUNCTIONS = _functions()


def array_ufunc(ufunc: Any, method: str, inputs: Any, kwargs: Dict[str, Any]) -> Any:
    """What `__array_ufunc__` of nodes does."""
    if kwargs.get('out') is not None:
        raise TypeError('a node cannot be an output of numpy')
    name = ufunc.__name__
    if method == 'reduce' and name in _REDUCTIONS:
        from . import numpy as dnp
        axis = kwargs.get('axis', 0)
        return getattr(dnp, _REDUCTIONS[name])(inputs[0], axis=axis, keepdims=kwargs.get('keepdims', False))
    if method == 'outer' and name in _OUTER:
        return getattr(_other(inputs[1], inputs[0]), _OUTER[name])(_other(inputs[0], inputs[1]))
    if name == 'matmul' and method == '__call__':
        from . import numpy as dnp
        return dnp.matmul(*inputs)
    own = FUNCTIONS.get(name) if method == '__call__' else None
    if own is None or any(value is not None and value is not True for key, value in kwargs.items() if key != 'casting'):
        from . import numpy as dnp
        return dnp.unknown(getattr(ufunc, method), name, inputs, kwargs)
    return own(*inputs)


_REDUCTIONS = {'add': 'sum', 'multiply': 'prod', 'maximum': 'max', 'minimum': 'min', 'logical_and': 'all',
               'logical_or': 'any'}
_OUTER = {'add': 'outerAdd', 'subtract': 'outerSub', 'multiply': 'outerMul', 'divide': 'outerDiv', 'power': 'outerPow'}
