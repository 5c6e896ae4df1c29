# SPDX-License-Identifier: Apache-2.0
"""Random functions: typed or not, with early returns, recursive, overloaded; and calls whose result types only a run
tells."""

from expressions import Signature, Text, Type
from statements import Statements


class Functions(Statements):
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

    def header(self, name, params, typed, results, defaults=()):
        """The texts of the defaults belong to the last parameters."""
        texts = [f'{param}: {type_text(type_)}' if is_typed else param
                 for (param, type_), is_typed in zip(params.items(), typed)]
        for i, text in enumerate(defaults, len(texts) - len(defaults)):
            texts[i] += f' = {text}'
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
        defaults = self.defaults(params) if self.chance(0.25) else []
        self.header(name, params, typed, results if declared and self.chance(0.7) else None, defaults)
        self.variables = dict(params)
        self.nested(self.function_body, params, results)
        self.emit('}')
        return Signature(name, tuple(params.values()), results, declared, tuple(params), len(defaults)), typed

    def defaults(self, params):
        """Texts for some of the last parameters, which see those before them."""
        texts, names = [], list(params)
        for i in reversed(range(len(names))):
            if params[names[i]].kind != 's' or self.chance(0.3):
                break
            self.variables = {name: params[name] for name in names[:i] if params[name].kind == 's'}
            texts.insert(0, self.expression(params[names[i]], 1))
        self.variables = {}
        return texts

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

    def early_return(self, results, depth=2):
        """Returns on some paths, at any depth of branches."""
        condition = self.condition(1)
        if depth == 2 and self.chance(0.4):
            self.emit(f'if({condition}) return {self.result_list(results)};')
            return
        self.emit(f'if({condition}) {{', False)
        self.nested(self.returning_path, results, depth - 1)
        if self.chance(0.7):
            self.emit('} else {', False)
            self.nested(self.returning_path, results, depth - 1)
        self.emit('}')

    def returning_path(self, results, depth):
        self.statements(self.rng.randint(0, 2), 0)
        if depth > 0 and self.chance(0.5):
            self.early_return(results, depth)
            self.statements(self.rng.randint(0, 1), 0)
        if self.chance(0.5):
            self.emit(f'return {self.result_list(results)};', False)
        elif not self.lines[-1].text.endswith((';', '}')):
            self.print_something(0)

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
        num_given = len(arguments) - self.rng.randint(0, signature.num_defaults)
        if num_overloads == 1 and self.chance(0.1 + 0.3 * (signature.num_defaults > 0)):
            pairs = list(zip(signature.param_names, arguments))
            optional = self.rng.sample(pairs[len(pairs) - signature.num_defaults:], signature.num_defaults)
            pairs = pairs[:len(pairs) - signature.num_defaults] + optional[:self.rng.randint(0, len(optional))]
            self.rng.shuffle(pairs)
            arguments = [f'{name} = {argument}' for name, argument in pairs]
        else:
            arguments = arguments[:num_given]
        call = self.call_text(signature.name, *arguments)
        if len(signature.results) == 1 and self.chance(0.5):
            return self.emit(f'print({call});')
        names = [self.new_name() for _ in signature.results]
        if len(set(names)) == len(names):
            self.emit(f'{", ".join(names)} = {call};')
            for name in names:
                self.emit(f'print({name});')
        return None


def type_text(type_):
    return type_.vt if type_.kind == 's' else f'matrix<{type_.vt}>'
