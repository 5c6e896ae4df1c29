# SPDX-License-Identifier: Apache-2.0
"""Values of the oracle: scalars, dense matrices and lists as plain Python data, conversions, scalar arithmetic, text.

A cell is an int (integers and bool), a float (f64 and f32, the latter always rounded to single precision) or a str.
`inexact` marks floating-point values whose last bits depend on the order of evaluation or on the mathematical library:
they may be printed (six digits), but nothing discontinuous may be computed from them.
"""

import math
import re
import struct
from dataclasses import dataclass
from fractions import Fraction

from syntax import VALUE_TYPES

INTEGER_BITS = {'bool': (1, False), 'si8': (8, True), 'ui8': (8, False), 'si32': (32, True), 'ui32': (32, False),
                'size': (64, False), 'si64': (64, True), 'ui64': (64, False)}
CPP_NAMES = {'bool': 'bool', 'si8': 'int8_t', 'ui8': 'uint8_t', 'si32': 'int32_t', 'ui32': 'uint32_t',
             'size': 'uint64_t', 'si64': 'int64_t', 'ui64': 'uint64_t', 'f32': 'float', 'f64': 'double',
             'str': 'std::string'}
RANK = {name: rank for rank, name in enumerate(VALUE_TYPES)}
MANTISSA_BITS = {'f32': 24, 'f64': 53}
SAFE_RATIO = 1e-3  # a sum of inexact numbers that is this much smaller than its terms has lost its digits


class Fail(Exception):
    """The script fails at this point: status 3, or 2 if the compiler sees it coming."""


class Unspecified(Exception):
    """The language does not say what comes out."""


@dataclass(frozen=True)
class Scalar:
    vt: str
    value: object
    inexact: bool = False

    @property
    def type(self):
        return 's', self.vt


@dataclass(frozen=True)
class Matrix:
    vt: str
    rows: int
    cols: int
    cells: tuple  # row-major
    inexact: bool = False

    @property
    def type(self):
        return 'm', self.vt

    def at(self, row, col):
        return self.cells[row * self.cols + col]

    def row(self, row):
        return self.cells[row * self.cols:(row + 1) * self.cols]

    def columns(self):
        return [self.cells[col::self.cols] for col in range(self.cols)]


@dataclass(frozen=True)
class List:
    vt: str
    elements: tuple  # of Matrix

    @property
    def type(self):
        return 'l', self.vt

    @property
    def inexact(self):
        return any(element.inexact for element in self.elements)


def is_float(vt):
    return vt in MANTISSA_BITS


def most_general(*types):
    return max(types, key=RANK.__getitem__)


def float_type(vt):
    return vt if is_float(vt) else 'f64'


def sum_type(vt):
    """Of sums and products of cells."""
    return 'si64' if vt in INTEGER_BITS and INTEGER_BITS[vt][0] < 64 else vt


def wrap(value, vt):
    bits, signed = INTEGER_BITS[vt]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def limits(vt):
    bits, signed = INTEGER_BITS[vt]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)


def to_single(value):
    """Rounded to single precision."""
    try:
        return struct.unpack('f', struct.pack('f', value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def integer_to_single(value):
    """Directly, not through a double that was rounded already: bits beyond the 53rd become one sticky bit."""
    excess = abs(value).bit_length() - 53
    if excess > 0:
        magnitude = abs(value)
        sticky = 1 if magnitude & ((1 << excess) - 1) else 0
        value = (1 if value > 0 else -1) * ((magnitude >> excess | sticky) << excess)
    return to_single(float(value))


def number_text(value, vt):
    """As printed."""
    return '%.6g' % value if is_float(vt) else str(value)


def string_of(value, vt):
    """As converted to a string."""
    return value if vt == 'str' else '%.6f' % value if is_float(vt) else str(value)


def parse_number(text, vt):
    if is_float(vt):
        if re.match(r'\s*[+-]?(inf|nan|0x)', text, re.I):
            raise Unspecified('special number in a string')
        match = re.match(r'\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?', text)
    else:
        match = re.match(r'\s*[+-]?\d+', text)
    if not match:
        raise Fail('no number in the string')
    value = float(match[0]) if is_float(vt) else int(match[0])
    if not is_float(vt) and not limits(vt)[0] <= value <= limits(vt)[1]:
        raise Unspecified('number in the string out of range')
    return value if vt != 'f32' else to_single(value)


def convert(value, source, target):
    """One cell from one value type to another."""
    if source == target:
        return value
    if target == 'str':
        return string_of(value, source)
    if source == 'str':
        if target == 'bool':
            raise Unspecified('string to bool')
        return parse_number(value, target)
    if target == 'bool':
        return int(value != 0)
    if target == 'f64':
        return float(value)
    if target == 'f32':
        return to_single(value) if is_float(source) else integer_to_single(value)
    if is_float(source):
        if not math.isfinite(value) or not limits(target)[0] <= int(value) <= limits(target)[1]:
            raise Unspecified('float out of the range of the integer type')
        return int(value)
    return wrap(value, target)


def rounded(value, vt):
    """The exact or doubly precise result of an operation, stored in its type."""
    if vt == 'f32':
        return to_single(value)
    return value if vt == 'f64' else wrap(value, vt)


def divide(a, b, vt):
    if is_float(vt):
        if b == 0:
            if a == 0 or math.isnan(a):
                return math.nan
            return math.copysign(math.inf, a) * math.copysign(1, b)
        return rounded(a / b, vt)
    if b == 0:
        raise Fail('integer division by zero')
    quotient = abs(a) // abs(b)
    return wrap(quotient if (a < 0) == (b < 0) else -quotient, vt)


def modulo(a, b, vt):
    if is_float(vt):
        if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
            return math.nan
        return rounded(math.fmod(a, b), vt)
    if b == 0:
        raise Fail('modulo by integer zero')
    return int(math.copysign(1, a)) * (abs(a) % abs(b))


def real_power(a, b):
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and math.fmod(b, 2) else math.inf
    except ValueError:
        if a == 0:
            return math.copysign(math.inf, a) if math.fmod(b, 2) else math.inf
        return math.nan


def power(a, b, vt):
    if not is_float(vt):
        if b >= 2**63:
            raise Unspecified('enormous exponent')
        return wrap(pow(a, b, 2**64), vt)
    return rounded(real_power(float(a), float(b)), vt)


def is_exact_power(a, b, result):
    if not all(map(math.isfinite, (a, b, result))) or a == 0:
        return True
    return b == int(b) and abs(b) <= 64 and Fraction(a)**int(b) == Fraction(result)


def first_nan(a, b, otherwise):
    """NaN if one of the two is."""
    return math.nan if a != a or b != b else otherwise


def only_number(a, b, otherwise):
    """The number if one of the two is NaN."""
    return b if a != a else a if b != b else otherwise


ARITHMETIC = {
    '+': lambda a, b, vt: rounded(a + b, vt),
    '-': lambda a, b, vt: rounded(a - b, vt),
    '*': lambda a, b, vt: rounded(a * b, vt),
    '/': divide,
    '%': modulo,
    '^': power,
    'min': lambda a, b, vt: first_nan(a, b, b if b < a else a),
    'fmin': lambda a, b, vt: only_number(a, b, b if b < a else a),
    'fmax': lambda a, b, vt: only_number(a, b, b if a < b else a),
    'max': lambda a, b, vt: first_nan(a, b, b if a < b else a),
}
COMPARISON = {
    '==': lambda a, b: a == b, '!=': lambda a, b: a != b, '<': lambda a, b: a < b,
    '<=': lambda a, b: a <= b, '>': lambda a, b: a > b, '>=': lambda a, b: a >= b,
}
LOGICAL = {
    '&&': lambda a, b: bool(a) and bool(b), '||': lambda a, b: bool(a) or bool(b),
    'xor': lambda a, b: bool(a) != bool(b),
}


def exact_sum(values, vt):
    """Sum of floats and whether its last bits are uncertain, because they depend on the order of the additions."""
    if any(map(math.isnan, values)) or (math.inf in values and -math.inf in values):
        return math.nan, False
    for infinite in (math.inf, -math.inf):
        if infinite in values:
            return infinite, False
    terms = [Fraction(value) for value in values]
    total, magnitude = sum(terms, Fraction(0)), sum(map(abs, terms), Fraction(0))
    unit = max((term.denominator for term in terms), default=1)
    exact = magnitude * unit < 2**MANTISSA_BITS[vt]
    if not exact and abs(total) < SAFE_RATIO * magnitude:
        raise Unspecified('cancellation in a sum')
    try:
        return rounded(float(total), vt), not exact
    except OverflowError as error:
        raise Unspecified('sum beyond the range') from error


def lost_digits(operator, a, b, result):
    """Whether the difference of two uncertain numbers has no certain digits any more."""
    if operator not in '+-' or not all(map(math.isfinite, (a, b, result))):
        return False
    return abs(result) < SAFE_RATIO * max(abs(a), abs(b))
