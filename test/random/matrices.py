# SPDX-License-Identifier: Apache-2.0
"""Random matrix expressions of a wanted value type and shape."""

from expressions import ARITHMETIC_TYPES, COMPARISONS, FLOATS, POSTFIX, UNARY, Expressions, Text, Type
from values import most_general

OUTER_ARITHMETIC = ('outerAdd', 'outerSub', 'outerMul', 'outerMin', 'outerMax')
OUTER_COMPARISON = ('outerEq', 'outerNeq', 'outerLt', 'outerLe', 'outerGt', 'outerGe')
OUTER_LOGICAL = ('outerAnd', 'outerOr', 'outerXor')


class Matrices(Expressions):
    def matrix(self, type_, depth):
        if depth <= 0:
            return self.leaf_matrix(type_)
        choices = [(3, self.leaf_matrix), (1, self.transposed), (0.7, self.reversed_rows), (1, self.conditional_matrix)]
        if type_.is_static:
            choices += [(1, self.reshaped), (1, self.bound), (1.5, self.sliced), (0.8, self.picked), (0.6, self.kept)]
        if type_.vt == 'str':
            choices += [(2, self.concatenated)]
        else:
            choices += [(1.5, self.cast_matrix), (1, self.compared), (0.8, self.combined), (0.5, self.outer),
                        (0.7, self.replaced), (0.4, self.triangle), (0.6, self.mapped), (0.5, self.ordered)]
        if type_.vt in ARITHMETIC_TYPES:
            choices += [(5, self.arithmetic_matrix), (1, self.unary_matrix), (0.8, self.identity_matrix),
                        (1.2, self.product), (0.4, self.product_chain), (0.7, self.special_product),
                        (1, self.cumulative), (1.5, self.along_axis), (0.7, self.sequence)]
        if type_.vt == 'size':
            choices += [(2, self.positions)]
        if type_.vt in ('f64', 'si64'):
            choices += [(0.5, self.table)]
        return self.group(self.weighted(choices)(type_, depth - 1))

    def leaf_matrix(self, type_, depth=0):
        variable = self.variable_of(type_)
        if variable and self.chance(0.7):
            return variable
        return self.fresh_matrix(type_)

    def fresh_matrix(self, type_):
        count = type_.rows * type_.cols if type_.is_static else 0
        if 12 < count <= 100 and type_.vt in ('si64', 'f64', 'f32') and self.chance(0.6):
            counted = self.sequence(Type('m', type_.vt, count, 1), 0)
            return self.call_text('reshape', counted, self.size_text(type_.rows), self.size_text(type_.cols))
        if not 1 <= count <= 12 or type_.vt == 'size' or self.chance(0.15):
            return self.filled(type_)
        suffix = self.rng.choice([f'({type_.rows}, {type_.cols})', f'({type_.rows}, )', f'(, {type_.cols})'])
        if type_.cols == 1 and self.chance(0.5):
            suffix = ''
        if type_.vt in ('si8', 'ui8', 'si32', 'ui32') and self.chance(0.6):
            digits = ', '.join(str(self.rng.randint(0, 9)) for _ in range(count))
            return Text(f'as.{type_.vt}([{digits}]{suffix})')
        cells = [self.literal(type_.vt) for _ in range(count)]
        if type_.vt in FLOATS and self.chance(0.3):
            # The most general type of the cells decides.
            cells[1:] = [self.literal('si64') for _ in cells[1:]]
        elif type_.vt != 'str' and self.chance(0.2):
            cells[self.rng.randrange(count)] = self.leaf(type_.vt)
        return Text(f'[{", ".join(map(str, cells))}]{suffix}')

    def filled(self, type_):
        arguments = [self.leaf(type_.vt), self.size_text(type_.rows), self.size_text(type_.cols)]
        if self.chance(0.05):
            named = [f'{name} = {text}' for name, text in zip(('value', 'numRows', 'numCols'), arguments)]
            self.rng.shuffle(named)
            return self.call_text('fill', *named)
        return self.call_text('fill', *arguments)

    def like(self, type_, vt=None, rows=None, cols=None):
        return Type('m', vt or type_.vt, type_.rows if rows is None else rows, type_.cols if cols is None else cols)

    # Elementwise

    def operands(self, type_, a, b, depth):
        """Two operands that broadcast to the shape; at least one of them has it."""
        full = self.matrix(self.like(type_, a), depth)
        choice = self.rng.random()
        if choice < 0.4:
            other = self.matrix(self.like(type_, b), depth)
        elif choice < 0.65:
            other = self.scalar(b, depth)
        elif choice < 0.78:
            other = self.matrix(self.like(type_, b, rows=1), depth)
        elif choice < 0.9:
            other = self.matrix(self.like(type_, b, cols=1), depth)
        else:
            other = self.matrix(Type('m', b, 1, 1), depth)
        return full, other

    def arithmetic_matrix(self, type_, depth):
        a, b = self.operand_types(type_.vt)
        operator = self.rng.choices(('+', '-', '*', '/', '%', '^', 'min', 'max', 'fmin', 'fmax'), (5, 5, 4, 2, 1, 0.5, 1, 1, 0.3, 0.3))[0]
        if operator in '/%^':
            left = self.matrix(self.like(type_, a), depth)
            right = self.right_operand(operator, b, 0)
        else:
            left, right = self.operands(type_, a, b, depth)
            if self.chance(0.4):
                left, right = right, left
        if operator in ('min', 'max', 'fmin', 'fmax'):
            return self.call_text(operator, left, right)
        return self.binary_text(operator, left, right)

    def concatenated(self, type_, depth):
        left, right = self.operands(type_, 'str', self.rng.choice(['str', self.numeric_type()]), depth)
        return self.binary_text('+', left, right)

    def compared(self, type_, depth):
        a, b = self.operand_types(type_.vt)
        if type_.vt == 'si64' and self.chance(0.15):
            a = b = 'str'
        return self.binary_text(self.rng.choice(COMPARISONS), *self.operands(type_, a, b, depth))

    def combined(self, type_, depth):
        if type_.vt in FLOATS:
            return self.leaf_matrix(type_)
        wanted = self.rng.choice(FLOATS) if type_.vt == 'ui64' and self.chance(0.5) else type_.vt
        left, right = self.operands(type_, *self.operand_types(wanted), depth)
        return self.binary_text(self.rng.choice(['&&', '||']), left, right)

    def unary_matrix(self, type_, depth):
        if self.chance(0.4):
            return Text(self.rng.choice('--+') + self.matrix(type_, depth).within(UNARY), UNARY)
        name = self.rng.choice(['abs', 'sign', 'round', 'floor', 'ceil', 'isNan'])
        return self.call_text(name, self.matrix(type_, depth))

    def cast_matrix(self, type_, depth):
        if type_.vt == 'size':
            return self.leaf_matrix(type_)
        if (type_.rows, type_.cols) == (1, 1) and self.chance(0.5):
            return self.call_text('as.matrix', self.scalar(type_.vt, depth))
        source = self.matrix(self.like(type_, self.numeric_type()), depth)
        return self.call_text(self.rng.choice([f'as.{type_.vt}', f'as.matrix<{type_.vt}>']), source)

    def conditional_matrix(self, type_, depth):
        if self.chance(0.5):
            return self.conditional_text(self.condition(0), self.matrix(type_, depth), self.matrix(type_, depth))
        condition = self.matrix(self.like(type_, self.numeric_type()), depth)
        branches = [self.matrix(type_, depth) if self.chance(0.6) else self.scalar(type_.vt, depth) for _ in range(2)]
        return self.conditional_text(condition, *branches)

    def replaced(self, type_, depth):
        a, b = self.operand_types(type_.vt)
        return self.call_text('replace', self.matrix(self.like(type_, a), depth), self.leaf(b), self.leaf(type_.vt))

    def outer(self, type_, depth):
        wanted, names = type_.vt, OUTER_COMPARISON
        if wanted in ARITHMETIC_TYPES and self.chance(0.5):
            names = OUTER_ARITHMETIC
        elif wanted not in FLOATS and self.chance(0.4):
            names = OUTER_LOGICAL
        a, b = self.operand_types(wanted)
        return self.call_text(self.rng.choice(names), self.matrix(self.like(type_, a, cols=1), depth),
                              self.matrix(self.like(type_, b, rows=1), depth))

    def mapped(self, type_, depth):
        fitting = [f for f in self.functions if f.declared and len(f.params) == 1 and f.params[0].kind == 's'
                   and f.results == (Type('s', type_.vt),)]
        if 0 in (type_.rows, type_.cols):
            return self.leaf_matrix(type_)
        if self.chance(0.6):
            return self.mapped_lambda(type_, depth)
        if not fitting or not self.allow_calls:
            return self.leaf_matrix(type_)
        function = self.rng.choice(fitting)
        return self.call_text('map', self.matrix(self.like(type_, function.params[0].vt), depth), function.name)

    def mapped_lambda(self, type_, depth):
        """Its cell hides a variable, now and then."""
        cell = Type('s', self.numeric_type())
        scalars = {name: type for name, type in self.variables.items() if type.kind == 's'}
        hidden = sorted(scalars)
        name = self.rng.choice(hidden) if hidden and self.chance(0.1) else 'cell'
        outer, self.variables = self.variables, {**scalars, name: cell}
        result = self.scalar(type_.vt, self.rng.choice([0, 1, 1, 2]))
        self.variables = outer
        return self.call_text('map', self.matrix(self.like(type_, cell.vt), depth), f'{name} -> {result}')

    # Reorganisation

    def transposed(self, type_, depth):
        return self.call_text(self.rng.choice(['t', 't', 'transpose']),
                              self.matrix(Type('m', type_.vt, type_.cols, type_.rows), depth))

    def reversed_rows(self, type_, depth):
        return self.call_text('reverse', self.matrix(type_, depth))

    def reshaped(self, type_, depth):
        count = type_.rows * type_.cols
        rows = self.rng.choice([r for r in range(1, count + 1) if count % r == 0] or [0])
        cols = count // rows if rows else self.rng.randrange(3)
        return self.call_text('reshape', self.matrix(self.like(type_, rows=rows, cols=cols), depth),
                              self.size_text(type_.rows), self.size_text(type_.cols))

    def bound(self, type_, depth):
        by_columns = self.chance(0.5)
        size = type_.cols if by_columns else type_.rows
        first = self.rng.randint(0, size)
        a, b = ('str', 'str') if type_.vt == 'str' else self.operand_types(type_.vt)
        parts = [self.matrix(self.like(type_, vt, cols=n) if by_columns else self.like(type_, vt, rows=n), depth)
                 for vt, n in ((a, first), (b, size - first))]
        return self.call_text('cbind' if by_columns else 'rbind', *parts)

    def sliced(self, type_, depth):
        """A window of a larger matrix, one dimension or both."""
        ranges, sizes = [], []
        for size in (type_.rows, type_.cols):
            text, source = self.window(size)
            ranges.append(text)
            sizes.append(source)
        source = self.matrix(Type('m', type_.vt, *sizes), depth)
        return Text(f'{source.within(POSTFIX)}[{", ".join(ranges)}]', POSTFIX)

    def window(self, size):
        """Index text and size of the dimension it selects from."""
        if self.chance(0.3):
            return self.rng.choice(['', ':']) if self.chance(0.5) else '', size
        before, after = self.rng.randrange(3), self.rng.randrange(3)
        total = before + size + after
        if size == 0 and after == 0:
            after, total = 1, total + 1
        if size == 1 and self.chance(0.6):
            return self.rng.choice([str(before), str(before - total), f'{before}.0']), total
        if after == 0 and size and self.chance(0.5):
            return f'{before}:', total
        if before == 0 and size and self.chance(0.5):
            return f':{size}', total
        if after and size and self.chance(0.3):
            return f'{before - total}:{-after}', total
        return f'{before}:{before + size}', total

    def picked(self, type_, depth):
        """Rows or columns selected by a matrix of positions."""
        of_rows = self.chance(0.5)
        size = type_.rows if of_rows else type_.cols
        if size == 0:
            return self.leaf_matrix(type_)
        total = self.rng.randint(1, 4)
        point = '.0' if self.chance(0.2) else ''
        entries = ', '.join(f'{self.rng.randrange(-total, total)}{point}' for _ in range(size))
        source = self.matrix(self.like(type_, rows=total) if of_rows else self.like(type_, cols=total), depth)
        index = f' [{entries}], ' if of_rows else f', [{entries}] '
        return Text(f'{source.within(POSTFIX)}[{index}]', POSTFIX)

    def kept(self, type_, depth):
        """Rows or columns selected by bits."""
        of_rows = self.chance(0.5)
        size = type_.rows if of_rows else type_.cols
        bits = ['1'] * size + ['0'] * self.rng.randint(0 if size else 1, 2)
        self.rng.shuffle(bits)
        source = self.matrix(self.like(type_, rows=len(bits)) if of_rows else self.like(type_, cols=len(bits)), depth)
        if self.chance(0.3):
            index = f'as.bool([{", ".join(bits)}])'
            return Text(f'{source.within(POSTFIX)}[{index + ", " if of_rows else ", " + index}]', POSTFIX)
        literal = f'as.{self.rng.choice(ARITHMETIC_TYPES[:-1])}([{", ".join(bits)}])'
        return Text(f'{source.within(POSTFIX)}[[{literal + ", " if of_rows else ", " + literal}]]', POSTFIX)

    def triangle(self, type_, depth):
        if type_.rows != type_.cols:
            return self.leaf_matrix(type_)
        if self.chance(0.4):
            return self.call_text('diagMatrix', self.matrix(self.like(type_, cols=1), depth))
        flags = [self.rng.choice(['true', 'false', '1', '0']) for _ in range(2)]
        return self.call_text(self.rng.choice(['lowerTri', 'upperTri']), self.matrix(type_, depth), *flags)

    def ordered(self, type_, depth):
        if not type_.is_static or type_.cols == 0:
            return self.leaf_matrix(type_)
        count = self.rng.choice([1, 1, 2])
        columns = [self.rng.randrange(type_.cols) for _ in range(count)]
        flags = [self.rng.choice(['true', 'false']) for _ in range(count)]
        return self.call_text('order', self.matrix(type_, depth), *columns, *flags, 'false')

    # Linear algebra, aggregation, generation

    def inner_size(self):
        return self.rng.choices((0, 1, 2, 3), (0.3, 1, 2, 2))[0]

    def product(self, type_, depth):
        a, b = self.operand_types(type_.vt)
        inner = self.inner_size()
        left = self.matrix(self.like(type_, a, cols=inner), depth)
        right = self.matrix(self.like(type_, b, rows=inner), depth)
        if self.chance(0.3):
            left = self.call_text('t', self.matrix(Type('m', a, inner, type_.rows), depth))
        if self.chance(0.3):
            right = self.call_text('t', self.matrix(Type('m', b, type_.cols, inner), depth))
        return self.binary_text('@', left, right)

    def special_product(self, type_, depth):
        inner = self.inner_size()
        if type_.cols == 1:
            return self.call_text('gemv', self.matrix(Type('m', type_.vt, inner, type_.rows), depth),
                                  self.matrix(Type('m', type_.vt, inner, 1), depth))
        if type_.rows == type_.cols:
            source = self.matrix(self.like(type_, rows=inner), depth)
            tight = source.within(POSTFIX)
            return Text(self.rng.choice([f'syrk({source})', f'(t({tight}) @ {tight})']))
        return self.product(type_, depth)

    def table(self, type_, depth):
        count = self.rng.randint(1, 4)
        coordinates = [self.matrix(Type('m', self.rng.choice(['si64', 'f64', 'ui64', 'ui8']), count, 1), 0)
                       for _ in range(2)]
        arguments = [self.call_text('abs', text) for text in coordinates]
        if type_.vt == 'si64' or self.chance(0.5):
            arguments.append(self.literal(type_.vt))
        return self.call_text('ctable', *arguments, self.size_text(type_.rows), self.size_text(type_.cols))

    def product_chain(self, type_, depth):
        """Three factors in a row; which two are multiplied first matters where integers wrap."""
        inner, second = self.inner_size(), self.inner_size()
        a, b = self.operand_types(type_.vt)
        factors = [self.matrix(Type('m', vt, rows, cols), depth - 1) for vt, rows, cols in
                   ((b, type_.rows, inner), (b, inner, second), (a, second, type_.cols))]
        if self.chance(0.5):
            factors[1:] = [self.binary_text('@', *factors[1:])]
        product = factors[0]
        for factor in factors[1:]:
            product = self.binary_text('@', product, factor)
        return product if most_general(a, b) == type_.vt else self.leaf_matrix(type_)

    def identity_matrix(self, type_, depth):
        """What an algebraic simplification may look for."""
        x = self.matrix(type_, depth)
        tight = x.within(POSTFIX)
        if self.chance(0.5):
            return self.identity_text(x, type_.vt)
        texts = [f't(t({x}))', f'reverse(reverse({x}))', f'{tight}[,]', f'reshape({x}, {type_.rows}, {type_.cols})',
                 f'reshape(reshape({x}, {type_.cols}, {type_.rows}), {type_.rows}, {type_.cols})',
                 f't({tight} + t({self.matrix(Type("m", type_.vt, type_.cols, type_.rows), 0).text}))'
                 if type_.rows == type_.cols else f't(reverse(t({x})))',
                 f'rbind({x}, {tight}[[fill(0, {type_.rows}, 1), ]])']
        return Text(self.rng.choice(texts), POSTFIX)

    def cumulative(self, type_, depth):
        name = self.rng.choice(['cumSum', 'cumProd', 'cumMin', 'cumMax'])
        cells = self.cells_of_sum(type_.vt) if name in ('cumSum', 'cumProd') else type_.vt
        if cells is None:
            name, cells = 'cumMax', type_.vt
        return self.call_text(name, self.matrix(self.like(type_, cells), depth))

    def along_axis(self, type_, depth):
        if type_.cols == 1:
            source, axis = self.like(type_, cols=self.rng.randint(1, 3)), 0
        elif type_.rows == 1:
            source, axis = self.like(type_, rows=self.rng.randint(1, 3)), 1
        else:
            return self.leaf_matrix(type_)
        name = self.rng.choice(['sum', 'aggMin', 'aggMax', 'prod', 'nanSum', 'nanMin', 'nanMax'])
        cells = self.cells_of_sum(type_.vt) if name in ('sum', 'prod', 'nanSum') else type_.vt
        if cells is None:
            name, cells = 'aggMin', type_.vt
        return self.call_text(name, self.matrix(self.like(source, cells), depth), axis)

    def positions(self, type_, depth):
        vt = self.numeric_type()
        if type_.cols == 1:
            source, axis = self.like(type_, vt, cols=self.rng.randint(1, 3)), 0
        elif type_.rows == 1:
            source, axis = self.like(type_, vt, rows=self.rng.randint(1, 3)), 1
        else:
            return self.leaf_matrix(type_)
        if axis == 0 and self.chance(0.3):
            return self.call_text('order', self.matrix(source, depth), 0, self.rng.choice(['true', 'false']), 'true')
        return self.call_text(self.rng.choice(['idxMin', 'idxMax']), self.matrix(source, depth), axis)

    def sequence(self, type_, depth):
        if type_.cols != 1 or type_.vt not in ('si64', 'f64', 'f32') or not type_.is_static or type_.rows == 0:
            return self.leaf_matrix(type_)
        unit = 1 if type_.vt == 'si64' else 0.25
        first, step = self.rng.randint(-4, 6) * unit, self.rng.choice([-2, -1, 1, 1, 2, 3]) * unit
        bounds = [self.number_text(type_.vt, value) for value in (first, first + step * (type_.rows - 1))]
        if step == 1 and self.chance(0.5):
            return self.call_text('seq', *bounds)
        return self.call_text('seq', *bounds, self.number_text(type_.vt, step))
