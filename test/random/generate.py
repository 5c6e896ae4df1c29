#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random well-typed programs, and programs that must fail.

Every statement of the outermost level is evaluated by the oracle as soon as it is written. One that leads to something
the language leaves open is thrown away, so are most that fail; from the others the generator learns the types and shapes
of its variables. Inside of branches, loops and functions it keeps the types of variables and mostly their shapes.

Command line: generate.py SEED prints the program of that seed.
"""

import sys
from dataclasses import dataclass, field
from random import Random

from expressions import ARITHMETIC_TYPES, OPAQUE_ONE, Signature, Text, Type
from faults import inject_fault
from matrices import Matrices
from oracle import Session, run_script
from syntax import Reject
from values import Fail, Matrix, Unspecified

INDENT = '    '
ODD_NAMES = ('t', 'sum', 'seq', 'end', 'I', 'size', 'list', 'nano', 'matrix1', '_x')
MAX_ATTEMPTS = 12


@dataclass
class Line:
    text: str
    indent: int
    scope: dict | None  # variables visible to a statement inserted after this line; None: nothing fits there


@dataclass
class Program:
    lines: list = field(default_factory=list)

    @property
    def text(self):
        return ''.join(f'{INDENT * line.indent}{line.text}\n' for line in self.lines)


class Generator(Matrices):
    def __init__(self, rng):
        super().__init__(rng)
        self.session = Session()
        self.lines = []
        self.indent = 0
        self.num_names = 0
        self.num_loops = 0
        self.protected = set()  # loop variables, counters and sizes
        self.in_function = False
        self.has_failed = False
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
                   (0.4, self.swap), (1.2, self.use_list), (0.3, self.recode), (0.3, self.call_for_effect)]
        if depth > 0:
            choices += [(2, self.branch), (1, self.while_loop), (0.7, self.do_loop), (1.5, self.for_loop),
                        (0.3, self.block)]
        if not self.in_function and not self.is_nested:
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
        (row_text, rows), (col_text, cols) = self.target_range(known.rows), self.target_range(known.cols)
        source = self.expression(Type('m', known.vt, rows, cols), self.rng.choice([0, 1, 2]))
        self.emit(f'{name}[{row_text}, {col_text}] = {source};')
        if self.chance(0.3):
            self.emit(f'print({name});')

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
        names = [name for name in self.assignable() if self.variables[name].kind == 'm' and self.variables[name].is_static
                 and max(self.variables[name].rows, self.variables[name].cols) < 6]
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
        return self.emit(f'{rest}, {element} = remove({name}, {self.rng.choice(["0", "0", "length(" + name + ") - 1"])});')

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
        bounds = [self.rng.choice([f'{b}', str(self.size_text(b)), f'{b}.5' if b >= 0 else f'{b}', f'as.si8({b})'])
                  for b in (first, last)]
        self.emit(f'for({name} in {bounds[0]} : {bounds[1]}{step}) {{', False)
        was_visible = self.variables.get(name)
        self.protected.add(name)
        self.variables[name] = Type('s', 'si64')
        self.nested(self.loop_body, depth)
        if was_visible is None:
            del self.variables[name]
        self.protected.discard(name)
        self.emit('}')

    def block(self, depth):
        self.emit('{', False)
        self.nested(self.statements, self.rng.randint(1, 3), depth - 1)
        self.emit('}')

    # Functions

    def define_function(self):
        outer, self.variables = self.variables, {}
        self.num_names += 1
        name = f'f{self.num_names}'
        if self.all_functions and self.chance(0.2):
            name = self.rng.choice(self.all_functions)[0].name  # an overload
        self.in_function = True
        signature = self.recursive_function(name) if self.chance(0.2) else self.plain_function(name)
        self.in_function = False
        self.variables = outer
        self.protected &= set(outer)
        return signature

    def parameter_type(self):
        type_ = self.random_type()
        while type_.vt == 'size':
            type_ = self.random_type()
        return Type(type_.kind, type_.vt)

    def header(self, name, params, typed, results):
        texts = [f'{param}: {type_text(type_)}' if is_typed else param
                 for (param, type_), is_typed in zip(params.items(), typed)]
        arrow = f' -> {", ".join(map(type_text, results))}' if results else ''
        self.emit(f'def {name}({", ".join(texts)}){arrow} {{', False)

    def plain_function(self, name):
        params = {f'p{i}': self.parameter_type() for i in range(self.rng.choice([0, 1, 1, 2, 2, 3]))}
        declared = self.chance(0.6)
        typed = [declared or self.chance(0.2) for _ in params]
        for param, is_typed in zip(params, typed):
            if not is_typed and self.chance(0.1):
                params[param] = Type('l', self.numeric_type())
        results = tuple(self.parameter_type() for _ in range(self.rng.choice([1, 1, 1, 2])))
        self.header(name, params, typed, results if declared and self.chance(0.7) else None)
        self.variables = dict(params)
        self.nested(self.function_body, params, results)
        self.emit('}')
        return Signature(name, tuple(params.values()), results, declared, tuple(params)), typed

    def function_body(self, params, results):
        if self.is_opaque and self.chance(0.3):
            self.hide_one()
        for param, type_ in params.items():
            if type_.kind == 'm':
                self.name_sizes(param, type_)
        for _ in range(self.rng.randint(0, 3)):
            self.statement(1)
            if self.chance(0.3):
                self.early_return(results)
        self.emit(f'return {self.result_list(results)};', False)

    def name_sizes(self, param, type_):
        """From here on the shape has a name."""
        rows, cols = f'r{param}', f'c{param}'
        for size, function in ((rows, 'nrow'), (cols, 'ncol')):
            self.emit(f'{size} = {function}({param});')
            self.variables[size] = Type('s', 'size')
            self.protected.add(size)
        self.variables[param] = Type('m', type_.vt, rows, cols)

    def result_list(self, results):
        return ', '.join(str(self.expression(self.shaped(type_), 2)) for type_ in results)

    def shaped(self, type_):
        if type_.kind == 's':
            return type_
        known = [v for v in self.variables.values() if v.kind == 'm' and v.has_shape]
        if known and self.chance(0.7):
            like = self.rng.choice(known)
            return Type('m', type_.vt, like.rows, like.cols)
        return Type('m', type_.vt, *self.shape())

    def early_return(self, results):
        condition = self.condition(1)
        if self.chance(0.5):
            self.emit(f'if({condition}) return {self.result_list(results)};')
            return
        self.emit(f'if({condition}) {{', False)
        self.nested(lambda: self.emit(f'return {self.result_list(results)};', False))
        self.emit('} else {', False)
        self.nested(self.print_something, 0)
        self.emit('}')

    def recursive_function(self, name):
        result = Type('s', self.rng.choice(['si64', 'f64', 'ui8', 'si32', 'f32', 'str']))
        params = {'n': Type('s', 'si64'), 'x': result}
        self.header(name, params, [True, True], (result,))
        self.variables = dict(params)
        self.protected.add('n')
        self.nested(self.recursive_body, name, result)
        self.emit('}')
        return Signature(name, tuple(params.values()), (result,), False, tuple(params)), [True, True]

    def recursive_body(self, name, result):
        self.emit(f'if(n <= 0 || n > 9) return {self.expression(result, 1)};')
        self.statements(self.rng.randint(0, 1), 0)
        call = f'{name}(n - 1, {self.expression(result, 1)})'
        if result.vt == 'str' or self.chance(0.4):
            self.emit(f'return {call};', False)
        elif self.chance(0.5):
            self.emit(f'return {self.binary_text(self.rng.choice("+-*"), Text(call), self.scalar(result.vt, 1))};',
                      False)
        else:
            self.emit(f'y = {call};')
            self.emit(f'return max(y, {name}(n - 2, y));', False)

    def call_undeclared(self, depth):
        """A call whose result types only a run knows: with the types the function was written for, or with others."""
        if not self.all_functions:
            return self.new_variable(depth)
        signature, typed = self.rng.choice(self.all_functions[-2:] if self.chance(0.5) else self.all_functions)
        arguments = []
        for type_, is_typed in zip(signature.params, typed):
            if not is_typed and self.chance(0.45):
                vt = 'str' if self.chance(0.05) else self.numeric_type()
                kind = type_.kind if self.chance(0.85) else self.rng.choice('ms')
                type_ = Type(kind, vt)
            arguments.append(self.argument(type_, self.rng.choice([0, 1])))
        num_overloads = sum(other.name == signature.name for other, _ in self.all_functions)
        if num_overloads == 1 and self.chance(0.1):
            pairs = list(zip(signature.param_names, arguments))
            self.rng.shuffle(pairs)
            arguments = [f'{name} = {argument}' for name, argument in pairs]
        call = self.call_text(signature.name, *arguments)
        if len(signature.results) == 1 and self.chance(0.5):
            return self.emit(f'print({call});')
        names = [self.new_name() for _ in signature.results]
        if len(set(names)) == len(names):
            self.emit(f'{", ".join(names)} = {call};')
            for name in names:
                self.emit(f'print({name});')
        return None

    # Programs

    def program(self):
        self.is_opaque = self.chance(0.6)
        if self.is_opaque:
            self.attempt(self.hide_one)
        for _ in range(self.rng.randint(4, 12)):
            if self.has_failed:
                break
            if len(self.all_functions) < 4 and self.chance(0.25):
                self.attempt_function()
            else:
                self.attempt(lambda: self.statement(2))
        for name in self.session.variables():
            if not self.has_failed and self.chance(0.4):
                self.emit(f'print({name});')
        return Program(self.lines)

    def hide_one(self):
        self.emit(f'{OPAQUE_ONE} = as.si64(now() > 0);')
        self.variables[OPAQUE_ONE] = Type('s', 'si64')
        self.protected.add(OPAQUE_ONE)

    def attempt_function(self):
        found = []
        self.attempt(lambda: found.append(self.define_function()))
        if found and not self.has_failed:
            signature, typed = found[-1]
            if any(line.text.startswith(f'def {signature.name}(') for line in self.lines):
                self.all_functions.append((signature, typed))
                self.functions.append(signature)
                self.attempt(lambda: self.call_undeclared(0))

    def attempt(self, write):
        """Writes a statement of the outermost level that the oracle accepts; writes nothing if it takes too long."""
        for _ in range(MAX_ATTEMPTS):
            saved = dict(self.variables), len(self.lines), set(self.protected)
            write()
            try:
                self.session.attempt(Program(self.lines[saved[1]:]).text)
            except (Reject, Fail, Unspecified) as error:
                if isinstance(error, Fail) and self.chance(0.03):
                    self.has_failed = True
                    return
                self.variables, self.protected = saved[0], saved[2]
                self.indent = 0
                del self.lines[saved[1]:]
                continue
            self.learn()
            return

    def learn(self):
        """Types and shapes of all variables as they really are."""
        self.variables = {}
        for name, value in self.session.variables().items():
            is_matrix = isinstance(value, Matrix)
            self.variables[name] = Type('m', value.vt, value.rows, value.cols) if is_matrix else Type(*value.type)


def type_text(type_):
    return type_.vt if type_.kind == 's' else f'matrix<{type_.vt}>'


def generate(seed):
    """Program text and what must come out of it; the same seed always gives the same program."""
    for attempt in range(100):
        rng = Random(f'{seed}/{attempt}')
        program = Generator(rng).program()
        text = program.text
        if rng.random() < 0.3:
            for _ in range(rng.choice((1, 1, 1, 2, 3))):
                program = inject_fault(rng, program)
            text = program.text
        outcome = run_script(text)
        if outcome.kind != 'unspecified' and text:
            return text, outcome
    raise RuntimeError(f'no program for seed {seed}')


if __name__ == '__main__':
    print(generate(sys.argv[1])[0], end='')
