# SPDX-License-Identifier: Apache-2.0
"""Random expressions of a wanted type. Texts carry the level of their outermost operator, so that parentheses appear
only where the precedence table needs them (and now and then without need).

Dimensions are numbers or names of variables that hold a size; the latter for matrices whose shape only a run knows.
"""

from dataclasses import dataclass
from random import Random

from values import RANK, limits, sum_type

NUMERIC = ('si64', 'f64', 'f32', 'ui64', 'si32', 'ui32', 'si8', 'ui8', 'size', 'bool')
NUMERIC_WEIGHTS = (5, 5, 2, 2, 1.5, 1, 1.5, 1.5, 1, 1.5)
ARITHMETIC_TYPES = NUMERIC[:-1]
FLOATS = ('f32', 'f64')
LEVELS = {'@': 4, '^': 5, '%': 6, '*': 7, '/': 7, '+': 8, '-': 8, '&&': 10, '||': 11}
COMPARISONS = ('==', '!=', '<', '<=', '>', '>=')
LEVELS |= dict.fromkeys(COMPARISONS, 9)
POSTFIX, UNARY, CONDITIONAL = 2, 3, 12
OPAQUE_ONE = 'one'  # a variable whose value 1 only a run finds out
SPECIAL_FLOATS = ('nan', 'inf', '-inf', '-0.0', '1e10', '-2.5e-7', '123456.75', '1e7', '0.1', '1e300', '3e-39')
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
    num_defaults: int = 0


class Expressions:
    def __init__(self, rng: Random):
        self.rng = rng
        self.variables = {}  # visible variables: name -> Type
        self.functions = []
        self.allow_calls = True
        # A program keeps to few types and sizes, so that its values meet.
        self.palette = rng.choices(NUMERIC, NUMERIC_WEIGHTS, k=3)
        self.sizes = rng.choices((0, 1, 2, 3, 4), (0.4, 2, 3, 3, 1), k=3)
        self.special_chance = rng.choice((0.0, 0.05, 0.05, 0.3))
        if rng.random() < 0.15:
            self.sizes[0] = rng.choice((7, 8, 9, 17, 33))

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

    def literal(self, vt, nonzero=False):
        if vt == 'str':
            return Text(f'"{self.rng.choice(WORDS)}"')
        if vt == 'bool':
            return self.number_text(vt, 1 if nonzero else self.rng.randrange(2))
        if vt in FLOATS:
            if self.chance(self.special_chance):
                special = self.rng.choice(SPECIAL_FLOATS)
                return Text(f'as.f32({special})') if vt == 'f32' else Text(special, UNARY if special[0] == '-' else 1)
            value = self.rng.randint(-12, 20) / 4
            return self.number_text(vt, value or (0.5 if nonzero else 0.0))
        low, high = limits(vt)
        if self.chance(self.special_chance):
            value = self.rng.choice([high, low or high, high - 1, high // 2, 100])
        else:
            value = self.rng.randint(max(low, -5), 9)
        return self.number_text(vt, value or int(nonzero))

    def leaf(self, vt):
        variable = self.variable_of(Type('s', vt))
        return variable if variable and self.chance(0.65) else self.literal_or_hidden(vt)

    def literal_or_hidden(self, vt):
        literal = self.literal(vt)
        return self.hidden(vt, literal) if self.chance(0.3) else literal

    def hidden(self, vt, text):
        """The same number, but not known to the compiler."""
        if OPAQUE_ONE not in self.variables or vt not in ('si64', 'f64', 'ui64'):
            return text
        return self.binary_text('*', text, Text(OPAQUE_ONE)) if self.chance(0.7) else self.late_constant(text)

    def late_constant(self, text):
        """The same number, known to the compiler after some simplification."""
        zero = self.rng.choice([f'0 * {OPAQUE_ONE}', f'({OPAQUE_ONE} - {OPAQUE_ONE})'])
        return self.binary_text('+', text, Text(zero, LEVELS['*']))

    def size_text(self, size):
        text = Text(str(size), UNARY if isinstance(size, int) and size < 0 else 1)
        if OPAQUE_ONE in self.variables and isinstance(size, int) and self.chance(0.3):
            return self.hidden('si64', text)
        return text

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
            choices += [(0.5, self.identity_scalar)]
        if vt == 'size':
            choices += [(3, self.shape_scalar)]
        if vt == 'bool':
            choices += [(1, self.symmetry)]
        return self.weighted(choices)(vt, depth - 1)

    def symmetry(self, vt, depth):
        size = self.rng.choice(self.sizes)
        source = self.matrix(Type('m', self.numeric_type(), size, size), depth)
        return self.call_text('isSymmetric', f't({source}) @ {source.within(POSTFIX)}' if self.chance(0.2) else source)

    def identity_scalar(self, vt, depth):
        """What an algebraic simplification may look for."""
        return self.identity_text(self.scalar(vt, depth), vt)

    def identity_text(self, x, vt):
        zero, one, two = (str(self.number_text(vt, value if vt not in FLOATS else float(value))) for value in range(3))
        tight = x.within(POSTFIX)
        text, level = self.rng.choice([
            (f'{tight} + {zero}', 8), (f'{zero} + {tight}', 8), (f'{tight} - {zero}', 8), (f'{zero} - {tight}', 8),
            (f'{tight} * {one}', 7), (f'{one} * {tight}', 7), (f'{tight} * {zero}', 7), (f'{tight} / {one}', 7),
            (f'{tight} - {tight}', 8), (f'{tight} + {tight}', 8), (f'{tight} ^ {two}', 5), (f'{tight} ^ {one}', 5),
            (f'{tight} ^ {zero}', 5), (f'{tight} == {tight}', 9), (f'{tight} * {two} / {two}', 7), (f'- -{tight}', 3),
            (f'min({tight}, {tight})', 1), (f'max({tight}, {zero})', 1), (f'abs(abs({tight}))', 1),
            (f'abs(-{tight})', 1), (f'{tight} % {one}', 6), (f'as.{vt if vt != "size" else "ui64"}({tight})', 1)])
        return Text(text, level)

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
            return self.number_text(vt, self.rng.randint(0, 1 if vt == 'bool' else self.rng.choice((3, 3, 40))))
        if operator in '/%' and self.chance(0.9):
            return self.literal(vt, nonzero=True)
        return self.scalar(vt, depth)

    def min_max(self, vt, depth):
        a, b = self.operand_types(vt)
        return self.call_text(self.rng.choice(['min', 'max', 'fmin', 'fmax']), self.scalar(a, depth), self.scalar(b, depth))

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
        name = self.rng.choice(['sum', 'aggMin', 'aggMax', 'prod', 'nanSum', 'nanMin', 'nanMax'])
        cells = self.cells_of_sum(vt) if name in ('sum', 'prod', 'nanSum') else vt
        if cells is None:
            name, cells = 'aggMax', vt
        source = self.some_matrix(cells, depth)
        if cells != vt:
            return self.call_text(name, source)
        if sum_type(vt) == vt and self.chance(0.2):
            # Aggregates may be moved through these.
            tight = source.within(POSTFIX)
            source = self.rng.choice([f't({source})', f'reverse({source})', f'-{tight}', f'{tight} * {self.leaf(vt)}',
                                      f'{self.leaf(vt)} - {tight}', f'rbind({tight}, {tight})', f'{tight} + {tight}',
                                      f't({tight}) @ {tight}', f'sum({source}, 0)', f'sum({source}, 1)'])
        return self.call_text(name, source)

    def cells_of_sum(self, vt):
        """A type of cells whose sum has the type vt; None if there is none."""
        fitting = [cells for cells in NUMERIC if sum_type(cells) == vt]
        return None if not fitting else vt if vt in fitting and self.chance(0.6) else self.rng.choice(fitting)

    def shape_scalar(self, vt, depth):
        lists = [name for name, known in self.variables.items() if known.kind == 'l']
        if lists and self.chance(0.4):
            return self.call_text('length', self.rng.choice(lists))
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
        if type_.kind == 'l':
            return self.list(type_.vt, depth)
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

    # Lists

    def list(self, vt, depth):
        names = [name for name, known in self.variables.items() if known == Type('l', vt)]
        if names and self.chance(0.7):
            text = self.rng.choice(names)
            return self.call_text('append', text, self.some_matrix(vt, depth)) if self.chance(0.5) else Text(text)
        return self.call_text('createList', *(self.some_matrix(vt, depth) for _ in range(self.rng.randint(1, 2))))

    # What is printed only

    def uncertain(self, depth):
        """Its last digits depend on the mathematical library or the order of additions."""
        vt = self.rng.choice(['f64', 'f64', 'si64', 'ui8', 'si32'])
        if self.chance(0.6):
            name = self.rng.choice(['mean', 'var', 'stddev', 'mean'])
            axis = self.rng.choice(['', '', ', 0', ', 1'])
            return Text(f'{name}({self.some_matrix(vt, depth)}{axis})')
        name = self.rng.choice(['exp', 'sin', 'cos', 'atan', 'tanh', 'sqrt', 'ln'])
        argument = self.scalar(vt, depth) if self.chance(0.5) else self.some_matrix(vt, depth)
        if name in ('sqrt', 'ln'):
            argument = self.call_text('abs', argument)
        return self.call_text(name, argument)
