# SPDX-License-Identifier: Apache-2.0
"""What a builtin function of the oracle is: parameter names, a rule for the result type, its semantics. And the rules
and checks that many of them share."""

from dataclasses import dataclass
from typing import Callable

from elementwise import result_value_type
from values import Fail, Matrix, Scalar, Unspecified, float_type, most_general

UNKNOWN = (None, None)  # kind and value type, each known or not


@dataclass(frozen=True)
class Builtin:
    params: str
    rule: Callable  # types of the arguments -> type of the result
    run: Callable  # values of the arguments -> value
    num_optional: int = 0

    @property
    def names(self):
        return self.params.split()


def need_matrix(*arguments):
    for x in arguments:
        if not isinstance(x, Matrix):
            raise Fail('a matrix is needed')


def need_scalar(*arguments):
    for x in arguments:
        if not isinstance(x, Scalar):
            raise Fail('a scalar is needed')


def need_numbers(*arguments):
    for x in arguments:
        if x.vt == 'str':
            raise Unspecified('operation on strings')


def need_not_bool(*arguments):
    for x in arguments:
        if x.vt == 'bool':
            raise Unspecified('operation on bool')


# Type rules


def same(types):
    return types[0]


def floating(types):
    kind, vt = types[0]
    return kind, float_type(vt) if vt and vt != 'str' else None


def general_matrix(types):
    vts = [vt for _, vt in types]
    return 'm', most_general(*vts) if all(vts) else None


def matrix_like(types):
    return 'm', types[0][1]


def fixed(kind, vt):
    return lambda types: (kind, vt)


def binary_rule(operator):
    def rule(types):
        (a_kind, a), (b_kind, b) = types
        kind = 'm' if 'm' in (a_kind, b_kind) else 's' if a_kind == b_kind == 's' else None
        return kind, result_value_type(operator, a, b) if a and b else None
    return rule


def aggregate_rule(result_type):
    def rule(types):
        vt = types[0][1]
        return 'm' if len(types) > 1 else 's', result_type(vt) if vt and vt != 'str' else vt
    return rule
