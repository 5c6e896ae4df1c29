# SPDX-License-Identifier: Apache-2.0
"""Random statements: assignments, prints, left indexing, branches, loops. The types of existing variables stay the same
inside of branches and loops, and mostly their shapes."""

from dataclasses import dataclass

from expressions import ARITHMETIC_TYPES, OPAQUE_ONE, Type
from matrices import Matrices

ODD_NAMES = ('t', 'sum', 'seq', 'end', 'I', 'size', 'list', 'nano', 'matrix1', '_x')


@dataclass
class Line:
    text: str
    indent: int
    scope: dict | None  # variables visible to a statement inserted after this line; None: nothing fits there


class Statements(Matrices):
    def __init__(self, rng):
        super().__init__(rng)
        self.lines = []
        self.indent = 0
        self.num_names = 0
        self.num_loops = 0
        self.protected = set()  # loop variables, counters and sizes
        self.in_function = False
        self.is_opaque = False
        self.all_functions = []  # signatures and which parameters have declared types

    # Lines and scopes

    def emit(self, text, open_scope=True):
        self.lines.append(Line(text, self.indent, dict(self.variables) if open_scope else None))

    def new_name(self):
        self.num_names += 1
        if self.chance(0.05):
            name = self.rng.choice(ODD_NAMES)
            if name not in self.variables:
                return name
        return f'v{self.num_names}'

    def nested(self, body, *arguments):
        """Writes lines with a scope of their own; shapes that changed inside are not known afterwards."""
        before = dict(self.variables)
        self.indent += 1
        body(*arguments)
        self.indent -= 1
        after, self.variables = self.variables, {}
        for name, known in before.items():
            self.variables[name] = known if after.get(name) == known else Type(known.kind, known.vt)

    @property
    def is_nested(self):
        return self.indent > int(self.in_function)

    # Statements

    def statements(self, count, depth):
        for _ in range(count):
            self.statement(depth)

    def statement(self, depth):
        choices = [(4, self.new_variable), (3, self.reassign), (2.5, self.print_something), (1.5, self.left_index),
                   (0.5, self.grow), (0.4, self.drop_value), (0.5, self.copy_then_change), (0.5, self.view_then_change),
                   (0.4, self.swap), (0.8, self.combine), (0.4, self.assign_several), (1.2, self.use_list), (0.3, self.recode), (0.3, self.call_for_effect)]
        if depth > 0:
            choices += [(2, self.branch), (1, self.while_loop), (0.7, self.do_loop), (1.5, self.for_loop),
                        (0.3, self.block), (0.8, self.try_block), (0.5, self.guarded), (0.5, self.widening)]
        if self.num_loops:
            choices += [(1, self.jump)]
        if not self.is_nested:
            choices += [(0.6, self.retype_in_branches)]
            if not self.in_function:
                choices += [(2.5, self.call_undeclared)]
        self.weighted(choices)(depth)

    def random_type(self):
        if self.chance(0.5):
            return Type('s', 'str' if self.chance(0.15) else self.numeric_type())
        vt = 'str' if self.chance(0.08) else self.numeric_type()
        return Type('m', vt, *self.shape())

    def expression(self, type_, depth=None):
        depth = self.rng.choice([1, 1, 2, 2, 3]) if depth is None else depth
        if type_.kind == 'l':
            return self.list(type_.vt, min(depth, 1))
        return self.scalar(type_.vt, depth) if type_.kind == 's' else self.matrix(type_, depth)

    def new_variable(self, depth):
        type_, name = self.random_type(), self.new_name()
        self.set(name, type_, self.expression(type_))

    def set(self, name, type_, value):
        text = f'{name} = {value};'
        self.variables[name] = type_
        self.emit(text)
        if self.chance(0.25):
            self.emit(f'print({name});')

    def assignable(self):
        return [name for name in self.variables if name not in self.protected]

    def reassign(self, depth):
        names = self.assignable()
        if not names:
            return self.new_variable(depth)
        name = self.rng.choice(names)
        known = self.variables[name]
        if not self.is_nested and self.chance(0.3):
            known = self.random_type()
        elif known.kind == 'm' and (not known.has_shape or self.chance(0.04 if self.num_loops else 0.12)):
            if not known.has_shape and self.chance(0.6):
                return self.emit(f'{name} = {self.shapeless_update(name, known.vt)};')
            known = Type('m', known.vt, *self.shape())
        return self.set(name, known, self.expression(known))

    def shapeless_update(self, name, vt):
        if vt in ARITHMETIC_TYPES:
            return self.rng.choice([f'{name} + {name}', f't({name})', f'{name} - {self.literal(vt).within(7)}',
                                    f'reverse({name})', f'-{name}', f'{name} * {name}'])
        return f't({name})'

    def print_something(self, depth):
        choice = self.rng.random()
        if choice < 0.3:
            self.emit(f'print({self.uncertain(1)});')
        elif choice < 0.4:
            type_ = Type('s', self.numeric_type())
            self.emit(f'print({self.expression(type_)}, false); print("");')
        elif choice < 0.5 and self.variables:
            self.emit(f'print(typeOf({self.rng.choice(list(self.variables))}));')
        elif choice < 0.7 and self.variables:
            self.emit(f'print({self.rng.choice(list(self.variables))});')
        else:
            self.emit(f'print({self.expression(self.random_type())});')

    def left_index(self, depth):
        names = [name for name in self.assignable() if self.variables[name].kind == 'm'
                 and self.variables[name].is_static and self.variables[name].rows and self.variables[name].cols]
        if not names:
            return self.new_variable(depth)
        name = self.rng.choice(names)
        self.insert_into(name)
        return None

    def insert_into(self, name):
        known = self.variables[name]
        if self.chance(0.2):
            return self.insert_into_marked(name)
        (row_text, rows), (col_text, cols) = self.target_range(known.rows), self.target_range(known.cols)
        source = self.inserted(known.vt, rows, cols)
        self.emit(f'{name}[{row_text}, {col_text}] {self.assigning(known.vt)} {source};')
        if self.chance(0.3):
            self.emit(f'print({name});')

    def inserted(self, vt, rows, cols):
        """A matrix of the shape or a scalar, sometimes of a type that widens."""
        if self.chance(0.15) and vt in ('f64', 'si64', 'f32'):
            vt = self.rng.choice({'f64': ['si64', 'f32', 'ui8', 'bool'], 'si64': ['si32', 'ui8', 'bool'],
                                  'f32': ['si8', 'ui8']}[vt])
        if self.chance(0.35):
            return self.expression(Type('s', vt), self.rng.choice([0, 1]))
        return self.expression(Type('m', vt, rows, cols), self.rng.choice([0, 1, 2]))

    def assigning(self, vt):
        return self.rng.choice(['+=', '-=', '*=']) if vt in ARITHMETIC_TYPES and self.chance(0.15) else '='

    def insert_into_marked(self, name):
        """Parts selected by matrices of marks."""
        known = self.variables[name]
        if self.chance(0.4):
            marks = self.expression(Type('m', 'si64', known.rows, known.cols), 1)
            text, value = f'{name}[[{marks}]]', self.expression(Type('s', known.vt), 1)
        else:
            bits = [self.rng.choice('01') for _ in range(known.rows)]
            count = bits.count('1')
            text = self.rng.choice(['{0}[[[{1}], ]]', '{0}[as.bool([{1}]), ]', '{0}[as.bool([{1}]), 0:{2}]'])
            text = text.format(name, ', '.join(bits), known.cols)
            value = self.inserted(known.vt, count, known.cols)
        self.emit(f'{text} {self.assigning(known.vt)} {value};')
        if self.chance(0.4):
            self.emit(f'print({name});')

    def combine(self, depth):
        """t op= x"""
        names = [name for name in self.assignable() if self.variables[name].vt in ARITHMETIC_TYPES
                 and (self.variables[name].kind == 's' or self.variables[name].has_shape)]
        if not names:
            return self.new_variable(depth)
        name = self.rng.choice(names)
        known = self.variables[name]
        operand = Type('s', known.vt) if self.chance(0.3) else known
        self.emit(f'{name} {self.rng.choice(["+=", "-=", "*="])} {self.expression(operand, 1)};')
        return None

    def assign_several(self, depth):
        """a, b = x, y"""
        names = [name for name in self.assignable() if self.variables[name].kind == 's']
        targets = [self.rng.choice(names) if names and self.chance(0.6) else self.new_name()
                   for _ in range(self.rng.choice([2, 2, 3]))]
        types = [self.variables.get(name) or self.random_type() for name in targets]
        values = ', '.join(str(self.expression(type_, 1)) for type_ in types)
        self.emit(f'{", ".join(targets)} = {values};')
        self.variables.update(zip(targets, types))

    def target_range(self, size):
        """Index text and number of selected positions."""
        if self.chance(0.25):
            return '', size
        counters = [name for name in self.protected if self.variables.get(name) == Type('s', 'si64')]
        if counters and self.chance(0.4):
            return f'abs({self.rng.choice(counters)}) % {size}', 1
        low = self.rng.randrange(size)
        if self.chance(0.6):
            return str(self.rng.choice([low, low - size])), 1
        high = self.rng.randint(low, size)
        return f'{low}:{high}', high - low

    def grow(self, depth):
        """A matrix that gets more rows or columns, in a loop with every iteration."""
        names = [name for name in self.assignable() if self.variables[name].kind == 'm'
                 and self.variables[name].is_static and max(self.variables[name].rows, self.variables[name].cols) < 6]
        if not names:
            return self.new_variable(depth)
        name = self.rng.choice(names)
        known = self.variables[name]
        by_rows = self.chance(0.5)
        added = Type('m', known.vt, 1, known.cols) if by_rows else Type('m', known.vt, known.rows, 1)
        parts = [name, str(self.expression(added, 1))]
        self.rng.shuffle(parts)
        self.variables[name] = Type('m', known.vt)
        self.emit(f'{name} = {"rbind" if by_rows else "cbind"}({", ".join(parts)});')
        return None

    def copy_then_change(self, depth):
        """Values are independent of each other."""
        names = [name for name, known in self.variables.items() if known.kind == 'm' and known.is_static
                 and known.rows and known.cols]
        if not names:
            return self.new_variable(depth)
        source, copy = self.rng.choice(names), self.new_name()
        self.variables[copy] = self.variables[source]
        self.emit(f'{copy} = {source};')
        self.insert_into(copy if source in self.protected or self.chance(0.5) else source)
        self.emit(f'print({source});')
        self.emit(f'print({copy});')
        return None

    def view_then_change(self, depth):
        """A part or another form of a matrix keeps its cells when the matrix changes, and the other way round."""
        names = [name for name in self.assignable() if self.variables[name].kind == 'm'
                 and self.variables[name].is_static and self.variables[name].rows and self.variables[name].cols]
        if not names:
            return self.new_variable(depth)
        source, view = self.rng.choice(names), self.new_name()
        known = self.variables[source]
        rows, cols = known.rows, known.cols
        text, shape = self.rng.choice([
            (f'{source}[0:{rows}, ]', (rows, cols)), (f'{source}[0, ]', (1, cols)), (f'{source}[, 0]', (rows, 1)),
            (f't({source})', (cols, rows)), (f'reshape({source}, {cols}, {rows})', (cols, rows)),
            (f'reshape({source}, 1, {rows * cols})', (1, rows * cols)), (f'{source}[,]', (rows, cols)),
            (f'{source}[{rows - 1}:{rows}, {cols - 1}]', (1, 1)), (f'as.matrix({source})', (rows, cols)),
            (f'({self.condition(0).within(11)} ? {source} : {source})', (rows, cols)),
            (f'+{source}', (rows, cols)), (f'reverse(reverse({source}))', (rows, cols))])
        self.emit(f'{view} = {text};')
        self.variables[view] = Type('m', known.vt, *shape)
        for _ in range(self.rng.choice([1, 1, 2])):
            self.insert_into(self.rng.choice([source, view]))
        self.emit(f'print({source});')
        self.emit(f'print({view});')
        return None

    def swap(self, depth):
        """Two variables of one type exchange their values."""
        names = self.assignable()
        pairs = [(a, b) for a in names for b in names if a < b and self.variables[a] == self.variables[b]]
        if not pairs:
            return self.reassign(depth)
        a, b = self.rng.choice(pairs)
        if self.chance(0.5):
            return self.emit(f'{a}, {b} = {b}, {a};')
        kept = self.new_name()
        self.emit(f'{kept} = {a};')
        self.emit(f'{a} = {b};')
        self.emit(f'{b} = {kept};')
        return None

    def drop_value(self, depth):
        self.emit(f'{self.expression(self.random_type())};')

    def call_for_effect(self, depth):
        if self.functions and self.allow_calls:
            function = self.rng.choice(self.functions)
            if function.declared:
                self.emit(f'{self.call_text(function.name, *(self.argument(p, 1) for p in function.params))};')

    def use_list(self, depth):
        lists = [name for name in self.assignable() if self.variables[name].kind == 'l']
        if not lists or self.chance(0.15):
            vt = self.numeric_type()
            return self.set(self.new_name(), Type('l', vt), self.list(vt, 1))
        name = self.rng.choice(lists)
        vt = self.variables[name].vt
        if self.chance(0.4):
            return self.emit(f'{name} = append({name}, {self.some_matrix(vt, 1)});')
        targets = [other for other in self.assignable() if self.variables[other] == Type('m', vt)]
        element = self.rng.choice(targets) if targets and self.chance(0.5) else self.new_name()
        if element not in self.variables and depth > 0 and self.chance(0.3):
            self.emit(f'while(length({name}) > 0) {{', False)
            self.nested(self.drain, name, element, depth)
            return self.emit('}')
        rest = name if self.chance(0.7) else self.new_name()
        if rest == element:
            return None
        self.variables[rest], self.variables[element] = Type('l', vt), Type('m', vt)
        position = self.rng.choice(['0', '0', f'length({name}) - 1'])
        return self.emit(f'{rest}, {element} = remove({name}, {position});')

    def drain(self, name, element, depth):
        self.emit(f'{name}, {element} = remove({name}, 0);')
        self.variables[element] = Type('m', self.variables[name].vt)
        self.protected.add(name)
        self.loop_body(depth)
        self.protected.discard(name)

    def recode(self, depth):
        vt = 'str' if self.chance(0.3) else self.numeric_type()
        source = Type('m', vt, self.rng.randint(0, 4), 1)
        codes, values = self.new_name(), self.new_name()
        if codes == values or {codes, values} & set(self.variables):
            return
        self.emit(f'{codes}, {values} = recode({self.expression(source, 1)}, {self.rng.choice(["true", "false"])});')
        self.variables[codes], self.variables[values] = Type('m', 'si64', source.rows, 1), Type('m', vt)
        self.emit(f'print({codes});')
        self.emit(f'print({values});')

    # Control flow

    def branch(self, depth):
        if self.chance(0.15):
            self.short_branch()
            return
        self.emit(f'if({self.condition(2)}) {{', False)
        self.nested(self.statements, self.rng.randint(1, 3), depth - 1)
        while self.chance(0.2):
            self.emit(f'}} else if({self.condition(1)}) {{', False)
            self.nested(self.statements, self.rng.randint(1, 2), depth - 1)
        if self.chance(0.6):
            self.emit('} else {', False)
            self.nested(self.statements, self.rng.randint(1, 3), depth - 1)
        self.emit('}')

    def retype_in_branches(self, depth):
        """A variable that gets another type, the same one in both branches."""
        names = self.assignable()
        if not names:
            return
        name, type_ = self.rng.choice(names), self.random_type()
        shapes = [type_, Type('m', type_.vt, *self.shape()) if type_.kind == 'm' and self.chance(0.5) else type_]
        self.emit(f'if({self.condition(1)}) {{', False)
        before = dict(self.variables)
        self.nested(lambda: self.set(name, shapes[0], self.expression(shapes[0], 1)))
        self.emit('} else {', False)
        self.variables = before
        self.nested(lambda: self.set(name, shapes[1], self.expression(shapes[1], 1)))
        self.variables = before | {name: type_ if shapes[0] == shapes[1] else Type(type_.kind, type_.vt)}
        self.emit('}')

    def short_branch(self):
        """Without braces; every `else` belongs to the nearest `if`."""
        names = self.assignable()
        bodies = []
        for _ in range(2):
            name = self.rng.choice(names) if names else None
            if name and (self.variables[name].kind == 's' or self.variables[name].has_shape):
                bodies.append(f'{name} = {self.expression(self.variables[name], 1)};')
            else:
                bodies.append(f'print({self.expression(self.random_type(), 1)});')
        conditions = [self.condition(1) for _ in range(2)]
        self.emit(self.rng.choice(['if({0}) {2}', 'if({0}) {2} else {3}', 'if({0}) if({1}) {2} else {3}',
                                   'if({0}) {2} else if({1}) {3}']).format(*conditions, *bodies))

    def counter(self):
        self.num_names += 1
        name = f'c{self.num_names}'
        self.variables[name] = Type('s', 'si64')
        self.emit(f'{name} = 0;')
        self.protected.add(name)
        return name

    def loop_body(self, depth, counter=None):
        self.num_loops += 1
        self.statements(self.rng.randint(1, 3), depth - 1)
        if counter:
            self.emit(f'{counter} = {counter} + 1;')
        self.num_loops -= 1

    def while_loop(self, depth):
        counter = self.counter()
        condition = f'{counter} < {self.rng.randint(0, 4)}'
        if self.chance(0.3):
            condition += f' && {self.condition(1).within(9)}'
        self.emit(f'while({condition}) {{', False)
        self.nested(self.loop_body, depth, counter)
        self.emit('}')

    def do_loop(self, depth):
        counter = self.counter()
        self.emit('do {', False)
        self.nested(self.loop_body, depth, counter)
        self.emit(f'}} while({counter} < {self.rng.randint(0, 3)});')

    def for_loop(self, depth):
        outer = [name for name in self.assignable() if self.variables[name] == Type('s', 'si64')]
        self.num_names += 1
        name = self.rng.choice(outer) if outer and self.chance(0.15) else f'i{self.num_names}'
        first, last = self.rng.randint(-2, 4), self.rng.randint(-2, 4)
        step = f' : {self.rng.choice([-2, -1, 1, 2, 3, 0])}' if self.chance(0.4) else ''
        bounds = [self.rng.choice([f'{b}', str(self.size_text(b)), f'as.si8({b})']) for b in (first, last)]
        counted = 'si64'
        if self.chance(0.2):
            bounds[1] = f'{last}.5' if last >= 0 else f'{last}.25'
        if name not in outer and self.chance(0.2):
            counted = 'f64'
            bounds[0] = f'{first}.{self.rng.choice([0, 1, 5])}' if first >= 0 else f'{first}.5'
            step = f' : {self.rng.choice([-0.5, 0.5, 0.1, 0.75, 1, -1, 2])}' if self.chance(0.6) else ''
        elif name not in outer and self.chance(0.1):
            counted, step = 'f64', f' : {self.rng.choice([-0.5, 0.5, 0.1, 0.3])}'
        self.emit(f'for({name} in {bounds[0]} : {bounds[1]}{step}) {{', False)
        was_visible = self.variables.get(name)
        self.protected.add(name)
        self.variables[name] = Type('s', counted)
        self.nested(self.loop_body, depth)
        if was_visible is None:
            del self.variables[name]
        self.protected.discard(name)
        self.emit('}')

    def jump(self, depth):
        """Leaves the loop, or goes on to its next turn, on some paths."""
        word = self.rng.choice(['break', 'break', 'continue'])
        condition = self.condition(1)
        if self.chance(0.6):
            self.emit(f'if({condition}) {word};')
            return
        self.emit(f'if({condition}) {{', False)
        self.nested(self.statements, self.rng.randint(0, 2), depth - 1)
        if self.lines[-1].text.endswith((';', '}')):
            self.indent += 1
            self.emit(f'{word};', False)
            self.indent -= 1
        if self.chance(0.5):
            self.emit('} else {', False)
            self.nested(self.statements, self.rng.randint(1, 2), depth - 1)
        self.emit('}')

    def widening(self, depth):
        """A number that paths make one of several types."""
        vts = self.rng.sample(['bool', 'si8', 'ui8', 'si32', 'ui32', 'si64', 'f32', 'f64', 'size', 'ui64'], 2)
        if 'ui64' in vts and {'si8', 'si32', 'si64'} & set(vts):
            vts = ['si64', 'f64']
        name = self.new_name()
        if name in self.variables:
            return
        values = [self.literal(vt) for vt in vts]
        self.emit(f'{name} = {values[0]};')
        forms = ['if({c}) {{ {n} = {v}; }} print({n});', 'for(k in 1 : 3) {{ print({n}); if({c}) {n} = {v}; }}',
                 'for(k in 1 : 3) {{ print({n}); if(k == 2) {{ {n} = {v}; break; }} }}',
                 'try {{ {n} = {v}; assert({c}); }} catch {{ print({n}); }}']
        self.emit(self.rng.choice(forms).format(n=name, v=values[1], c=self.condition(1)))
        self.emit(f'print(typeOf({name})); print({name});')
        self.variables.pop(name, None)

    FAILING = ('5 / 0', 'as.scalar([1, 2])', 'as.si64("abc")', 'sum([1, 2, 3] + [1, 2])', '[1, 2][7, 0][0, 0]',
               'sqrt(-1.0)')

    def guarded(self, depth):
        """What fails behind && || ?: does no harm where it is not reached."""
        condition, failing = self.condition(1).within(9), self.rng.choice(self.FAILING)
        operator = self.rng.choice(['&&', '||'])
        if self.chance(0.5):
            self.emit(f'if({condition} {operator} {failing} == 1) {{ print("a"); }} else {{ print("b"); }}')
        else:
            self.emit(f'print(({condition} ? 1 : 0) {operator} 7 / ({self.counters_sum()}) == 1);')

    def counters_sum(self):
        counters = [name for name in self.protected if self.variables.get(name) == Type('s', 'si64')]
        return self.rng.choice(counters) if counters else self.rng.choice(['0', '2'])

    def try_block(self, depth):
        """An error at its end, at some place in it, or none; variables keep what they were assigned before it."""
        self.emit('try {', False)
        before = dict(self.variables)
        self.nested(self.tried, depth)
        self.forget_shapes(before)
        self.emit(self.rng.choice(['} catch {', '} catch (caught) {', '} catch (caught, place) {']), False)
        self.nested(self.statements, self.rng.randint(0, 2), depth - 1)
        self.forget_shapes(before)
        self.emit('}')

    def forget_shapes(self, before):
        for name, known in before.items():
            if known.kind == 'm' and name not in self.protected:
                self.variables[name] = Type('m', known.vt)

    def tried(self, depth):
        self.statements(self.rng.randint(0, 2), depth - 1)
        if self.chance(0.6):
            self.emit(self.rng.choice([f'print({self.rng.choice(self.FAILING)});', 'assert(0);',
                                       f'if({self.condition(1)}) print({self.rng.choice(self.FAILING)});',
                                       f'assert({self.condition(1)}, "failed");']))
            self.statements(self.rng.randint(0, 2), depth - 1)

    def block(self, depth):
        self.emit('{', False)
        self.nested(self.statements, self.rng.randint(1, 3), depth - 1)
        self.emit('}')

    def hide_one(self):
        self.emit(f'{OPAQUE_ONE} = as.si64(now() > 0);')
        self.variables[OPAQUE_ONE] = Type('s', 'si64')
        self.protected.add(OPAQUE_ONE)
