# SPDX-License-Identifier: Apache-2.0
"""What is refused before a script runs: scopes, function definitions and calls, and types as far as they are visible.

A type is a pair of kind ('s' scalar, 'm' matrix, 'l' list) and value type, each None where the text does not tell.
Functions are checked with their declared parameter types; the interpreter checks them again with the actual ones. A
loop that changes the type of a variable is only noted: it fails if it is reached.
"""

from dataclasses import dataclass

from builtin_rules import UNKNOWN, binary_rule
from builtins_table import BUILTINS
from elementwise import result_value_type
from multiple import LIST_BUILTINS, MULTIPLE_RESULTS
from syntax import Reject
from values import Unspecified, most_general

ALL_BUILTINS = BUILTINS | LIST_BUILTINS | MULTIPLE_RESULTS
AGGREGATES = frozenset('sum aggMin aggMax mean var stddev idxMin idxMax'.split())

INFERRED = {
    'createList': lambda types: [('l', types[0][1])],
    'append': lambda types: [('l', types[0][1])],
    'remove': lambda types: [('l', types[0][1]), ('m', types[0][1])],
    'recode': lambda types: [('m', 'si64'), ('m', types[0][1])],
    'ctable': lambda types: [('m', types[2][1] if len(types) in (3, 5) else 'f64')],
}
STATEMENT_PARAMS = {'print': ['arg', 'newline', 'err'], 'stop': ['message'], 'assert': ['condition', 'message']}
NUM_OPTIONAL = {'print': 2, 'stop': 1, 'assert': 1}


@dataclass
class Function:
    node: object
    name: str
    params: list  # (name, type or None)
    declared: list | None
    results: list | None  # None while the body is being read
    visible: dict

    def accepts(self, types):
        return choose([self], types) is not None

    def places(self, keywords):
        """For each parameter the number of its argument, None for its default; None if they do not fit."""
        names, places = [name for name, _ in self.params], [None] * len(self.params)
        for i, keyword in enumerate(keywords):
            if keyword is not None and keyword not in names:
                return None
            place = names.index(keyword) if keyword is not None else i
            if place >= len(places) or places[place] is not None:
                return None
            places[place] = i
        defaults = self.node.value[3]
        return places if all(p is not None or name in defaults for p, name in zip(places, names)) else None

    def result_types(self, returned):
        """The declared types, or those of all return statements."""
        if self.declared is not None:
            if not always_returns(self.node.parts[0]) and not returned:
                raise Reject('no return', self.node.begin)
            return self.declared
        if not returned:
            return []
        if any(len(types) != len(returned[0]) for types in returned):
            raise Reject('different numbers of results', self.node.begin, (1, 2))
        results = returned[0]
        for types in returned[1:]:
            if not all(map(compatible, results, types)):
                raise Reject('different result types', self.node.begin, (1, 2))
            results = [merged(a, b) for a, b in zip(results, types)]
        return results


INTEGERS = ('bool', 'si8', 'ui8', 'si32', 'ui32', 'size', 'si64', 'ui64')
WIDER = {'bool': (*INTEGERS, 'f32', 'f64'), 'si8': ('si8', 'si32', 'si64', 'f32', 'f64'),
         'ui8': ('ui8', 'si32', 'ui32', 'si64', 'ui64', 'f32', 'f64'), 'si32': ('si32', 'si64', 'f64'),
         'ui32': ('ui32', 'si64', 'ui64', 'f64'), 'size': ('size', 'si64', 'ui64', 'f64'), 'si64': ('si64', 'f64'),
         'ui64': ('ui64', 'f64'), 'f32': ('f32', 'f64'), 'f64': ('f64',)}


def common(a, b):
    """What a variable is where paths meet that make it a and b; None if they do not."""
    if a == b:
        return a
    if a[0] != b[0] or a[1] not in WIDER or b[1] not in WIDER:
        return None
    both = [vt for vt in WIDER[a[1]] if vt in WIDER[b[1]]]
    if a[1] in INTEGERS and b[1] in INTEGERS:
        both = [vt for vt in both if vt in INTEGERS]
    return (a[0], both[0]) if both else None


def takes(argument, declared):
    """A parameter of the declared type takes the argument, widened if need be."""
    widens = argument[0] == declared[0] and declared[1] in WIDER.get(argument[1], ())
    return compatible(argument, declared) or widens


def choose(overloads, types, keywords=None):
    """The function that a call means, and the numbers of its arguments by parameter: the first that fits as it is, else
    the first that fits with defaults and widening."""
    for fits in compatible, takes:
        for function in overloads:
            places = function.places(keywords or [None] * len(types))
            if places is None or fits is compatible and None in places:
                continue
            if all(place is None or fits(types[place], declared or UNKNOWN)
                   for place, (_, declared) in zip(places, function.params)):
                return function, places
    return None


def compatible(a, b):
    """Two types that may turn out to be the same."""
    return all(x is None or y is None or x == y for x, y in zip(a, b))


def merged(a, b):
    return tuple(x if x == y else None for x, y in zip(a, b))


def always_returns(statement):
    """Or jumps: what follows is not reached."""
    if statement is None:
        return False
    if statement.kind in ('return', 'break', 'continue'):
        return True
    if statement.kind == 'block':
        return any(map(always_returns, statement.parts))
    return statement.kind == 'if' and all(map(always_returns, statement.parts[1:]))


def keyword_order(names, num_optional, keywords, position):
    """For each argument its parameter number."""
    places = []
    for i, keyword in enumerate(keywords):
        if keyword is not None and keyword not in names:
            raise Reject(f'no parameter {keyword}', position)
        places.append(names.index(keyword) if keyword is not None else i)
    if len(set(places)) != len(places) or sorted(places) != list(range(len(places))):
        raise Reject('arguments', position)
    if not len(names) - num_optional <= len(places) <= len(names):
        raise Reject('number of arguments', position)
    return places


class Checker:
    def __init__(self, functions=None, infers=False):
        """`infers`: with the types that the text alone does not show."""
        self.infers = infers
        self.functions = functions if functions is not None else {}  # name -> list of Function
        self.ill_typed = set()  # loops that change the type of a variable
        self.after_definition = {}  # the functions known after each definition
        self.scopes = [{}]
        self.read_only = []
        self.function = None
        self.returned = []
        self.depth = 0
        self.num_loops = 0
        self.joins = {}  # for statements where paths meet: variables that are widened, and to which value type
        self.tried = []  # for blocks of try around: types of what they assign to variables from outside
        self.at_jumps = []  # variables where the innermost loop is left or goes on

    # Variables

    def lookup(self, node):
        for scope in reversed(self.scopes):
            if node.value in scope:
                return scope[node.value]
        raise Reject(f'{node.value} is not defined', node.begin)

    def assign(self, name, type_, position):
        if name in self.read_only:
            raise Reject(f'{name} is read-only', position)
        for i, scope in reversed(list(enumerate(self.scopes))):
            if name in scope:
                for depth, types in self.tried:
                    if i < depth:
                        types.setdefault(name, []).append(type_)
                scope[name] = type_
                return
        self.scopes[-1][name] = type_

    def copy_scopes(self):
        return [dict(scope) for scope in self.scopes]

    # Statements

    def script(self, statements):
        for statement in statements:
            self.statement(statement)

    def nested(self, statement):
        """A statement with a scope of its own."""
        self.scopes.append({})
        self.depth += 1
        self.statement(statement)
        self.depth -= 1
        self.scopes.pop()

    def statement(self, node):
        getattr(self, 'on_' + node.kind)(node)

    def on_block(self, node):
        self.scopes.append({})
        self.depth += 1
        for statement in node.parts:
            self.statement(statement)
        self.depth -= 1
        self.scopes.pop()

    def on_expression(self, node):
        self.types(node.parts[0])

    def on_assign(self, node):
        num_targets, operator = node.value
        targets, values = node.parts[:num_targets], node.parts[num_targets:]
        if operator:
            results = [self.combined(targets[0], operator, values[0])]
        else:
            results = self.types(values[0]) if len(values) == 1 else [self.type(value) for value in values]
        if len(results) != len(targets):
            raise Reject('number of results', node.begin)
        for target, type_ in zip(targets, results):
            if target.kind == 'name':
                self.assign(target.value, type_, target.begin)
            else:
                self.insertion(target, type_)

    def combined(self, target, operator, operand):
        old = self.lookup(target if target.kind == 'name' else target.parts[0])
        return binary_rule(operator)([old, self.type(operand)])

    def insertion(self, target, type_):
        variable, *parts = target.parts
        old = self.lookup(variable)
        if target.kind != 'index':
            for part in parts:
                if part is not None:
                    self.type(part)
            self.assign(variable.value, old, target.begin)
            return
        for index in parts:
            for bound in index.parts if index is not None else []:
                kind, vt = self.type(bound) if bound is not None else ('s', 'si64')
                if kind == 'm' and (vt not in ('bool', None) or index.kind != 'position') or vt == 'str':
                    raise Reject('left indexing with a matrix or label', bound.begin)
        whole = not any(parts) and type_[0] != 's'
        self.assign(variable.value, type_ if whole else old, target.begin)

    def on_if(self, node):
        condition, then, otherwise = node.parts
        self.type(condition)
        before = self.copy_scopes()
        self.nested(then)
        after_then, self.scopes = self.scopes, before
        if otherwise is not None:
            self.nested(otherwise)
        if always_returns(then):
            return
        if always_returns(otherwise):
            self.scopes = after_then
            return
        self.join(node, after_then)

    def join(self, node, others, moment='end'):
        """Two paths meet: this one and one that ends with the other scopes."""
        joins = self.joins[id(node), moment] = {}
        for scope, other in zip(self.scopes, others):
            for name, type_ in scope.items():
                if type_ == other[name] or None in (*type_, *other[name]):
                    scope[name] = merged(type_, other[name])
                    continue
                scope[name] = common(type_, other[name])
                if scope[name] is None:
                    raise Reject(f'{name} is ambiguous', node.begin)
                joins[name] = scope[name][1]

    def loop_body(self, node, body):
        num_returned = len(self.returned)
        joined = set()  # variables that are not of one type at all ends
        while True:
            before, wider = self.copy_scopes(), self.copy_scopes()
            self.at_jumps, outer = [], self.at_jumps
            self.num_loops += 1
            self.nested(body)
            self.num_loops -= 1
            for scopes in [] if always_returns(body) else [self.scopes], self.at_jumps:
                for end in scopes:
                    joined |= self.widen(node, wider, end)
            self.scopes, self.at_jumps = wider, outer
            if wider == before:
                break
            del self.returned[num_returned:]
        self.joins[id(node), 'end'] = {name: type_[1] for scope in self.scopes for name, type_ in scope.items()
                                       if name in joined}

    def widen(self, node, wider, end):
        joined = set()
        for scope, after in zip(wider, end):
            for name, type_ in scope.items():
                if compatible(type_, after[name]):
                    continue
                wide = common(type_, after[name])
                if wide is None:
                    self.ill_typed.add(id(node))
                else:
                    scope[name] = wide
                    joined.add(name)
        return joined

    def on_break(self, node):
        if not self.num_loops:
            raise Reject(f'{node.kind} outside of a loop', node.begin)
        self.at_jumps.append(self.copy_scopes())

    on_continue = on_break

    def on_try(self, node):
        before = self.copy_scopes()
        self.tried.append((len(self.scopes), {}))
        self.nested(node.parts[0])
        _, assigned = self.tried.pop()
        after_body, self.scopes = self.scopes, before
        for name, types in assigned.items():
            for type_ in types:
                failed = [dict(scope) for scope in self.scopes]
                next(scope for scope in reversed(failed) if name in scope)[name] = type_
                earlier = self.joins.get((id(node), 'failed'), {})
                self.join(node, failed, 'failed')
                self.joins[id(node), 'failed'] = earlier | self.joins[id(node), 'failed']
        self.scopes.append({name: ('s', 'str') for name in node.value if name is not None})
        self.statement(node.parts[1])
        self.scopes.pop()
        if always_returns(node.parts[1]):
            self.scopes = after_body
        elif not always_returns(node.parts[0]):
            self.join(node, after_body)

    def on_while(self, node):
        self.type(node.parts[0])
        self.loop_body(node, node.parts[1])

    def on_do(self, node):
        self.loop_body(node, node.parts[0])
        self.type(node.parts[1])

    def on_for(self, node):
        *bounds, body = node.parts
        types = [self.type(bound) if bound is not None else ('s', 'si64') for bound in bounds]
        counted = None if None in (types[0][1], types[2][1]) else \
            'f64' if {'f32', 'f64'} & {types[0][1], types[2][1]} else 'si64'
        outer = next((scope[node.value] for scope in reversed(self.scopes) if node.value in scope), None)
        if outer and not compatible(outer, ('s', counted)):
            wide = common(outer, ('s', counted))
            if wide is None:
                self.ill_typed.add(id(node))
            else:
                next(scope for scope in reversed(self.scopes) if node.value in scope)[node.value] = wide
                self.joins[id(node), 'variable'] = {node.value: wide[1]}
        if node.value in self.read_only:
            raise Reject('loop variable of an outer loop', node.begin)
        self.scopes.append({node.value: ('s', counted)})
        self.read_only.append(node.value)
        self.loop_body(node, body)
        self.read_only.pop()
        self.scopes.pop()

    def on_def(self, node):
        if self.depth or self.function:
            raise Reject('nested definition', node.begin)
        name, params, declared, defaults = node.value
        if len({param for param, _ in params}) != len(params):
            raise Reject('duplicate parameter', node.begin)
        self.check_defaults(params, defaults)
        function = Function(node, name, params, declared, None, self.functions)
        if declared is not None:
            function.results = declared
            self.add(function)
            function.visible = self.functions
        function.results, _, _ = self.specialised(function, [type_ or UNKNOWN for _, type_ in params])
        if declared is None:
            self.add(function)
        self.after_definition[id(node)] = self.functions

    def check_defaults(self, params, defaults):
        """They see the parameters before them."""
        checker = Checker(self.functions, self.infers)
        checker.scopes = [{}]
        for name, type_ in params:
            if name in defaults and not takes(checker.type(defaults[name]), type_ or UNKNOWN):
                raise Reject('type of a default', defaults[name].begin)
            checker.scopes[0][name] = type_ or UNKNOWN

    def add(self, function):
        """Functions seen by earlier definitions stay as they are."""
        self.functions = dict(self.functions)
        self.functions[function.name] = [*self.functions.get(function.name, []), function]

    @staticmethod
    def specialised(function, types, infers=False):
        """Result types for arguments of these types, and the ill-typed loops."""
        checker = Checker(function.visible, infers)
        checker.function = function
        checker.scopes = [{name: type_ for (name, _), type_ in zip(function.params, types)}]
        checker.statement(function.node.parts[0])
        return function.result_types(checker.returned), checker.ill_typed, checker.joins

    def on_return(self, node):
        if self.function is None:
            raise Reject('return outside of a function', node.begin)
        types = [self.type(part) for part in node.parts]
        declared = self.function.declared
        if declared is not None:
            if len(types) != len(declared) or not all(map(compatible, types, declared)):
                raise Reject('declared results', node.begin)
        self.returned.append(types)

    # Expressions

    def type(self, node):
        types = self.types(node)
        if len(types) != 1:
            raise Reject('not one value', node.begin)
        return types[0]

    def types(self, node):
        if node.kind == 'call':
            return self.call(node)
        return [getattr(self, 'type_of_' + node.kind)(node)]

    def type_of_literal(self, node):
        return 's', node.value[0]

    def type_of_name(self, node):
        return self.lookup(node)

    def type_of_lambda(self, node):
        """Elsewhere than in `map`: changed programs have such."""
        raise Unspecified('a function as a value')

    def type_of_group(self, node):
        return self.type(node.parts[0])

    def type_of_unary(self, node):
        kind, vt = self.type(node.parts[0])
        return kind, 'si64' if node.value == '-' and vt == 'bool' else vt

    def type_of_binary(self, node):
        left, right = self.type(node.parts[0]), self.type(node.parts[1])
        if node.value == '@':
            return 'm', result_value_type('*', left[1], right[1]) if left[1] and right[1] else None
        return binary_rule(node.value)([left, right])

    def type_of_conditional(self, node):
        (condition, _), then, otherwise = (self.type(part) for part in node.parts)
        if not self.infers or condition is None:
            return UNKNOWN
        vt = then[1] if then[1] == otherwise[1] else None
        return ('m' if condition == 'm' else then[0] if then[0] == otherwise[0] else None), vt

    def type_of_cast(self, node):
        kind, vt = self.type(node.parts[0])
        return node.value[0] or kind, node.value[1] or vt

    def type_of_matrix(self, node):
        rows, cols, *cells = node.parts
        for size in (rows, cols):
            if size is not None:
                self.type(size)
        types = [self.type(cell) for cell in cells]
        if any(kind == 'm' for kind, _ in types):
            raise Reject('matrix as an element', node.begin)
        vts = [vt for _, vt in types]
        if 'str' in vts and any(vt not in ('str', None) for vt in vts):
            raise Reject('strings and numbers', node.begin)
        if not all(vts):
            return 'm', None
        vt = most_general(*vts)
        return 'm', 'ui64' if vt == 'size' else vt

    def type_of_index(self, node):
        kind, vt = self.type(node.parts[0])
        for index in node.parts[1:]:
            for bound in index.parts if index is not None else []:
                if bound is not None and self.type(bound)[1] == 'str' and kind == 'm':
                    raise Reject('label of a matrix', node.begin)
        return 'm', vt

    def type_of_filter(self, node):
        for part in node.parts[1:]:
            if part is not None:
                self.type(part)
        return 'm', self.type(node.parts[0])[1]

    def type_of_cells(self, node):
        self.type(node.parts[1])
        return 'm', self.type(node.parts[0])[1]

    def call(self, node):
        name, keywords = node.value
        if name == 'map' and name not in self.functions:
            return self.call_map(node)
        types = [self.type(part) for part in node.parts]
        if name in self.functions:
            return self.call_user(node, types)
        if name in STATEMENT_PARAMS:
            names = STATEMENT_PARAMS[name]
            keyword_order(names, NUM_OPTIONAL[name], keywords, node.begin)
            return []
        if name == 'now' and not types:
            return [('s', 'si64')]
        result = self.call_builtin(node, types)
        if self.infers and name in INFERRED:
            return INFERRED[name](types)
        return [result, result] if name in MULTIPLE_RESULTS else [result]

    def call_builtin(self, node, types):
        name, keywords = node.value
        if name not in ALL_BUILTINS:
            raise Reject(f'no function {name}', node.begin)
        builtin = ALL_BUILTINS[name]
        if builtin.params.endswith('*'):
            if any(keywords) or not types or name == 'order' and (len(types) < 4 or len(types) % 2):
                raise Reject(f'arguments of {name}', node.begin)
            return builtin.rule(types)
        places = keyword_order(builtin.names, builtin.num_optional, keywords, node.begin)
        if name in AGGREGATES and 1 in places and len(places) == 2:
            axis = node.parts[places.index(1)]
            if axis.kind != 'literal' or axis.value not in (('si64', 0), ('si64', 1)):
                raise Reject('axis', axis.begin)
        return builtin.rule([types[places.index(i)] for i in range(len(places))])

    def call_user(self, node, types):
        name, keywords = node.value
        found = choose(self.functions[name], types, keywords)
        if found is None:
            raise Reject('no overload fits', node.begin)
        function, places = found
        ordered = [UNKNOWN if place is None else types[place] for place in places]
        return self.results_of(function, [declared if declared and declared[1] else type_
                                          for type_, (_, declared) in zip(ordered, function.params)])

    def results_of(self, function, types):
        if not self.infers or function.declared is not None:
            return function.results
        return self.specialised(function, types, infers=True)[0]

    def call_map(self, node):
        argument, function = node.parts
        kind, vt = self.type(argument)
        if kind != 's' and function.kind == 'lambda':
            self.scopes.append({function.value: ('s', vt)})
            result = self.type(function.parts[0])
            self.scopes.pop()
            return [('m', result[1] if result[0] == 's' else None)]
        if kind == 's' or function.kind != 'name' or function.value not in self.functions:
            raise Reject('map', node.begin)
        fitting = [f for f in self.functions[function.value] if f.accepts([('s', vt)])]
        if not fitting:
            raise Reject('no overload for the cells', node.begin)
        results = self.results_of(fitting[0], [('s', vt)])
        return [('m', results[0][1] if len(results) == 1 else None)]
