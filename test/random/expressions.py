# SPDX-License-Identifier: Apache-2.0
"""Random expressions of a wanted type. Texts carry the level of their outermost operator, so that parentheses appear
only where the precedence table needs them (and now and then without need).

Dimensions are numbers or names of variables that hold a size; the latter for matrices whose shape only a run knows.
"""

from dataclasses import dataclass
from random import Random

from values import RANK, convert, limits

NUMERIC = ('si64', 'f64', 'f32', 'ui64', 'si32', 'ui32', 'si8', 'ui8', 'size', 'bool')
NUMERIC_WEIGHTS = (5, 5, 2, 2, 1.5, 1, 1.5, 1.5, 1, 1.5)
ARITHMETIC_TYPES = NUMERIC[:-1]
FLOATS = ('f32', 'f64')
LEVELS = {'@': 4, '^': 5, '%': 6, '*': 7, '/': 7, '+': 8, '-': 8, '&&': 10, '||': 11}
COMPARISONS = ('==', '!=', '<', '<=', '>', '>=')
LEVELS |= dict.fromkeys(COMPARISONS, 9)
POSTFIX, UNARY, CONDITIONAL = 2, 3, 12
WORDS = ('', 'a', 'Bc', 'x y', 'zZ9', '42', '-7 apples', 'tab\\tq', 'quote\\"', 'ä')


@dataclass(frozen=True)
class Type:
    """`rows` and `cols` of a matrix: a number, the name of a variable, or None if nothing is known."""
    kind: str
    vt: str
    rows: object = None
    cols: object = None

    @property
    def has_shape(self):
        return self.rows is not None and self.cols is not None

    @property
    def is_static(self):
        return isinstance(self.rows, int) and isinstance(self.cols, int)


@dataclass(frozen=True)
class Text:
    text: str
    level: int = 1

    def within(self, level):
        """In parentheses if it binds weaker than that."""
        return self.text if self.level <= level else f'({self.text})'

    def __str__(self):
        return self.text


@dataclass(frozen=True)
class Signature:
    """A user function. `declared` tells whether its text names these types, so that a call must fit them."""
    name: str
    params: tuple
    results: tuple
    declared: bool
    param_names: tuple = ()


class Expressions:
    def __init__(self, rng: Random):
        self.rng = rng
        self.variables = {}  # visible variables: name -> Type
        self.functions = []
        self.allow_calls = True
        # A program keeps to few types and sizes, so that its values meet.
        self.palette = rng.choices(NUMERIC, NUMERIC_WEIGHTS, k=3)
        self.sizes = rng.choices((0, 1, 2, 3, 4), (0.4, 2, 3, 3, 1), k=3)

    # Choices

    def chance(self, probability):
        return self.rng.random() < probability

    def weighted(self, choices):
        weights, functions = zip(*choices)
        return self.rng.choices(functions, weights)[0]

    def numeric_type(self):
        if self.chance(0.75):
            return self.rng.choice(self.palette)
        return self.rng.choices(NUMERIC, NUMERIC_WEIGHTS)[0]

    def operand_types(self, vt):
        """Two value types whose most general one is vt."""
        lower = [other for other in NUMERIC if RANK[other] <= RANK[vt]]
        other = vt if self.chance(0.6) else self.rng.choice(lower)
        return (vt, other) if self.chance(0.5) else (other, vt)

    def variable_of(self, type_):
        names = [name for name, known in self.variables.items() if known == type_]
        return Text(self.rng.choice(names)) if names else None

    # Building blocks

    def group(self, text):
        return Text(f'({text})') if self.chance(0.06) else text

    def binary_text(self, operator, left, right):
        level = LEVELS[operator]
        return self.group(Text(f'{left.within(level)} {operator} {right.within(level - 1)}', level))

    def call_text(self, name, *arguments):
        return Text(f'{name}({", ".join(map(str, arguments))})')

    def number_text(self, vt, value):
        """A literal, or a cast of one where the type has none."""
        if vt == 'bool':
            return Text('true' if value else 'false')
        if vt in FLOATS:
            sign = '-' if value < 0 else ''
            return Text(f'{sign}{abs(value)}{"f" if vt == "f32" else ""}', UNARY if sign else 1)
        if vt in ('ui64', 'size'):
            return Text(f'{value}{"u" if vt == "ui64" else "z"}')
        plain = Text(str(value), UNARY if value < 0 else 1)
        return plain if vt == 'si64' else Text(f'as.{vt}({plain})')

    def literal(self, vt, small=False, nonzero=False):
        if vt == 'str':
            return Text(f'"{self.rng.choice(WORDS)}"')
        if vt == 'bool':
            return self.number_text(vt, 1 if nonzero else self.rng.randrange(2))
        if vt in FLOATS:
            if not small and self.chance(0.05):
                special = self.rng.choice(['nan', 'inf', '-inf', '1e10', '-2.5e-7', '123456.75', '1e7', '0.1'])
                return Text(f'as.f32({special})') if vt == 'f32' else Text(special, UNARY if special[0] == '-' else 1)
            value = self.rng.randint(-12, 20) / 4
            return self.number_text(vt, value or (0.5 if nonzero else 0.0))
        low, high = limits(vt)
        if not small and self.chance(0.06):
            value = self.rng.choice([high, max(low + 1, -2**63 + 1), high - 1, high // 2, 100])
        else:
            value = self.rng.randint(max(low, -5), 9)
        return self.number_text(vt, convert(value or int(nonzero), 'si64', vt) if value < 2**63 else value)

    def leaf(self, vt):
        variable = self.variable_of(Type('s', vt))
        return variable if variable and self.chance(0.65) else self.literal(vt)

    # Scalars

    def scalar(self, vt, depth):
        if depth <= 0:
            return self.leaf(vt)
        if vt == 'str':
            return self.string(depth - 1)
        choices = [
            (3, self.leaf_scalar), (1, self.comparison), (1, self.cast_scalar), (1, self.cell_scalar),
            (0.7, self.conditional_scalar), (1, self.logical), (1.5, self.function_scalar),
        ]
        if vt != 'bool':
            choices += [(5, self.arithmetic), (1.2, self.unary_scalar), (1.2, self.aggregate), (0.7, self.min_max)]
        if vt == 'size':
            choices += [(3, self.shape_scalar)]
        return self.weighted(choices)(vt, depth - 1)

    def leaf_scalar(self, vt, depth):
        return self.leaf(vt)

    def condition(self, depth):
        return self.scalar(self.numeric_type(), depth)

    def arithmetic(self, vt, depth):
        a, b = self.operand_types(vt)
        if vt == 'si64' and self.chance(0.04):
            a = b = 'bool'
        operator = self.rng.choices('+-*/%^', (5, 5, 4, 3, 2, 0.8))[0]
        left = self.scalar(a, depth)
        return self.binary_text(operator, left, self.right_operand(operator, b, depth))

    def right_operand(self, operator, vt, depth):
        """Mostly one that does not fail."""
        if operator == '^':
            return self.number_text(vt, self.rng.randint(0, 1 if vt == 'bool' else 3))
        if operator in '/%' and self.chance(0.9):
            return self.literal(vt, nonzero=True)
        return self.scalar(vt, depth)

    def min_max(self, vt, depth):
        a, b = self.operand_types(vt)
        return self.call_text(self.rng.choice(['min', 'max']), self.scalar(a, depth), self.scalar(b, depth))

    def comparison(self, vt, depth):
        if vt == 'si64' and self.chance(0.2):
            a = b = 'str'
        else:
            a, b = self.operand_types(vt)
        return self.binary_text(self.rng.choice(COMPARISONS), self.scalar(a, depth), self.scalar(b, depth))

    def logical(self, vt, depth):
        if vt in FLOATS:
            return self.leaf(vt)
        if vt == 'ui64' and self.chance(0.5):
            a, b = self.operand_types(self.rng.choice(FLOATS))
        else:
            a, b = self.operand_types(vt)
        return self.binary_text(self.rng.choice(['&&', '||']), self.scalar(a, depth), self.scalar(b, depth))

    def unary_scalar(self, vt, depth):
        if self.chance(0.4):
            operator = self.rng.choices('-+!', (8, 1, 1))[0]
            return Text(operator + self.scalar(vt, depth).within(UNARY), UNARY)
        name = self.rng.choice(['abs', 'sign', 'round', 'floor', 'ceil', 'isNan', 'minus'])
        return self.call_text(name, self.scalar(vt, depth))

    def cast_scalar(self, vt, depth):
        if vt == 'size':
            return self.shape_scalar(vt, depth)
        if vt != 'bool' and self.chance(0.1):
            return self.call_text(f'as.{vt}', f'"{self.rng.randint(0, 9)}"')
        source = self.scalar(self.numeric_type(), depth)
        return self.call_text(f'as.{vt}' if self.chance(0.8) else f'as.scalar<{vt}>', source)

    def cell_scalar(self, vt, depth):
        if self.chance(0.5):
            return self.call_text('as.scalar', self.matrix(Type('m', vt, 1, 1), depth))
        name, known = self.any_matrix(vt)
        if name is None or not known.is_static or known.rows * known.cols == 0:
            return self.leaf(vt)
        position = f'{self.rng.randrange(known.rows)}, {self.rng.randrange(known.cols)}'
        return self.call_text('as.scalar', f'{name}[{position}]')

    def any_matrix(self, vt=None):
        names = [(name, known) for name, known in self.variables.items()
                 if known.kind == 'm' and vt in (None, known.vt)]
        return self.rng.choice(names) if names else (None, None)

    def some_matrix(self, vt, depth):
        """A matrix of any shape."""
        name, known = self.any_matrix(vt)
        if name is not None and self.chance(0.6):
            return Text(name)
        return self.matrix(Type('m', vt, *self.shape()), depth)

    def shape(self):
        if self.chance(0.8):
            return self.rng.choice(self.sizes), self.rng.choice(self.sizes)
        return self.rng.randint(0, 4), self.rng.randint(1, 4)

    def aggregate(self, vt, depth):
        return self.call_text(self.rng.choice(['sum', 'aggMin', 'aggMax']), self.some_matrix(vt, depth))

    def shape_scalar(self, vt, depth):
        return self.call_text(self.rng.choice(['nrow', 'ncol', 'ncell']), self.some_matrix(self.numeric_type(), depth))

    def conditional_scalar(self, vt, depth):
        return self.conditional_text(self.condition(depth), self.scalar(vt, depth), self.scalar(vt, depth))

    def conditional_text(self, condition, then, otherwise):
        parts = condition.within(CONDITIONAL - 1), then.text, otherwise.within(CONDITIONAL - 1)
        return Text('{} ? {} : {}'.format(*parts), CONDITIONAL)

    def function_scalar(self, vt, depth):
        fitting = [f for f in self.functions if f.declared and f.results == (Type('s', vt),)]
        if not fitting or not self.allow_calls:
            return self.leaf(vt)
        function = self.rng.choice(fitting)
        return self.call_text(function.name, *(self.argument(type_, depth - 1) for type_ in function.params))

    def argument(self, type_, depth):
        if type_.kind == 's':
            return self.scalar(type_.vt, depth)
        return self.matrix(Type('m', type_.vt, *self.shape()), depth)

    def string(self, depth):
        choice = self.rng.random()
        if choice < 0.35:
            return self.leaf('str')
        if choice < 0.6:
            other = self.rng.choice(['str', 'str', self.numeric_type()])
            left, right = self.scalar('str', depth), self.scalar(other, depth)
            return self.binary_text('+', *((left, right) if self.chance(0.6) else (right, left)))
        if choice < 0.7:
            return self.call_text(self.rng.choice(['lower', 'upper']), self.scalar('str', depth))
        if choice < 0.8:
            return self.call_text('as.str', self.scalar(self.numeric_type(), depth))
        if choice < 0.85:
            return self.call_text('typeOf', self.some_matrix(self.numeric_type(), depth))
        if choice < 0.9:
            return self.conditional_scalar('str', depth)
        if choice < 0.95:
            return self.cell_scalar('str', depth)
        return self.call_text('concat', self.scalar('str', depth), self.scalar('str', depth))

    # Matrices, see Matrices

    def matrix(self, type_, depth):
        raise NotImplementedError

    # What is printed only

    def uncertain(self, depth):
        """Its last digits depend on the mathematical library or the order of additions."""
        vt = self.rng.choice(['f64', 'f64', 'f32', 'si64', 'ui8', 'si32'])
        if self.chance(0.6):
            name = self.rng.choice(['mean', 'var', 'stddev', 'mean'])
            axis = self.rng.choice(['', '', ', 0', ', 1'])
            return Text(f'{name}({self.some_matrix(vt, depth)}{axis})')
        name = self.rng.choice(['exp', 'sin', 'cos', 'atan', 'tanh', 'sqrt', 'ln'])
        argument = self.scalar(vt, depth) if self.chance(0.5) else self.some_matrix(vt, depth)
        if name in ('sqrt', 'ln'):
            argument = self.call_text('abs', argument)
        return self.call_text(name, argument)
