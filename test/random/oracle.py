#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A slow and simple evaluator of a part of DaphneDSL, written from the language specification alone.

It knows what a script prints and how it ends; it shares no code and no idea with the implementation. `run_script` is
all that the random tester needs; `Session` evaluates a script piece by piece, so that the generator can look at the
values its statements produced. From the command line it runs a script file: oracle.py script.daph
"""

import math
import sys
from dataclasses import dataclass
from pathlib import Path

import assignments
import elementwise
from builtins_table import product, type_text
from checker import ALL_BUILTINS, STATEMENT_PARAMS, Checker, choose, keyword_order
from multiple import MULTIPLE_RESULTS
from syntax import Reject, parse
from values import Fail, List, Matrix, Scalar, Unspecified, convert, is_float, most_general, number_text

MAX_STEPS = 100_000
MAX_CALL_DEPTH = 150
MAX_TEXT = 10_000  # strings and matrices beyond are not worth the time
sys.setrecursionlimit(20_000)


TAKE_LISTS = frozenset(('append', 'remove', 'length', 'typeOf'))
CAUGHT = Scalar('str', '')  # the text of messages is free, so programs must not look at it
SOME_TIME = 1_700_000_000_000_000_000
LATER = SOME_TIME + 123_456_789_012_345


class Stop(Fail):
    """stop() was called: always status 3."""


class Jump(Exception):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind


class Return(Exception):
    def __init__(self, values):
        super().__init__()
        self.values = values


@dataclass(frozen=True)
class Outcome:
    """`kind`: 'ok'; 'reject' (refused, nothing printed); 'fail' (fails when reached); 'stop'; 'unspecified'."""
    kind: str
    statuses: tuple
    output: str
    reason: str = ''
    depth: int = 0  # of control flow and calls around a stop

    def accepts(self, status, output):
        if status not in self.statuses:
            return False
        if status == 2:
            return output == ''  # the compiler saw it coming, so nothing ran
        return output == self.output


def printed(value):
    if isinstance(value, List):
        return '\n'.join([type_text(value), *map(printed, value.elements)])
    if isinstance(value, Scalar):
        return number_text(value.value, value.vt) if value.vt != 'str' else value.value
    lines = [type_text(value)]
    for row in range(value.rows):
        lines.append(' '.join(v if value.vt == 'str' else number_text(v, value.vt) for v in value.row(row)))
    return '\n'.join(lines)


def all_finite(operand):
    return not isinstance(operand, Matrix) or not is_float(operand.vt) or all(map(math.isfinite, operand.cells))


class Interpreter:
    def __init__(self, checker, time=SOME_TIME, ignores_stop=False):
        self.time = time
        self.ignores_stop = ignores_stop
        self.functions = {}
        self.after_definition = checker.after_definition
        self.ill_typed = checker.ill_typed
        self.joins = {}
        self.scopes = [{}]
        self.output = []
        self.num_steps = 0
        self.num_products = 0
        self.call_depth = 0
        self.num_not_run = 0  # expressions around that are evaluated for their types only
        self.checked_calls = {}  # function and argument types -> ill-typed loops

    # Variables

    def lookup(self, name):
        return next(scope[name] for scope in reversed(self.scopes) if name in scope)

    def assign(self, name, value):
        scope = next((scope for scope in reversed(self.scopes) if name in scope), self.scopes[-1])
        scope[name] = value

    # Statements

    def nested(self, statement):
        self.scopes.append({})
        self.statement(statement)
        self.scopes.pop()

    def statement(self, node):
        self.num_steps += 1
        if self.num_steps > MAX_STEPS:
            raise Unspecified('too many steps')
        if id(node) in self.ill_typed:
            raise Fail('a loop changes the type of a variable')
        getattr(self, 'on_' + node.kind)(node)

    def join(self, node, moment='end'):
        """Paths meet: numbers of different types have become their join."""
        for name, vt in self.joins.get((id(node), moment), {}).items():
            value = self.lookup(name)
            if not isinstance(value, List):
                self.assign(name, elementwise.cast(value, None, vt))
            elif vt not in (None, value.vt):
                raise Unspecified('a list of other values where paths meet')

    def on_block(self, node):
        self.scopes.append({})
        for statement in node.parts:
            self.statement(statement)
        self.scopes.pop()

    def on_expression(self, node):
        self.values(node.parts[0])

    def on_assign(self, node):
        num_targets, operator = node.value
        targets, values = node.parts[:num_targets], node.parts[num_targets:]
        if operator:
            self.combine(targets[0], operator, values[0])
            return
        results = self.values(values[0]) if len(values) == 1 else [self.value(value) for value in values]
        for target, result in zip(targets, results):
            if target.kind == 'name':
                self.assign(target.value, result)
            else:
                name = target.parts[0].value
                self.assign(name, assignments.replaced(self.lookup(name), result, self.selection(target)))

    def combine(self, target, operator, operand):
        """t op= x; what selects a part is evaluated once."""
        name = target.value if target.kind == 'name' else target.parts[0].value
        old, selection = no_list(self.lookup(name)), None
        if target.kind != 'name':
            selection = self.selection(target)
            old = assignments.read(old, selection)
        value = elementwise.binary(operator, old, no_list(self.value(operand)))
        self.assign(name, value if selection is None else assignments.replaced(self.lookup(name), value, selection))

    def selection(self, target):
        if target.kind == 'index':
            return 'index', *map(self.index, target.parts[1:])
        marks = [self.value(part) if part is not None else None for part in target.parts[1:]]
        return ('cells' if target.kind == 'cells' else 'marks', *marks)

    def on_break(self, node):
        raise Jump(node.kind)

    on_continue = on_break

    def turn(self, node, body):
        """One turn of a loop; false if it leaves the loop."""
        depth = len(self.scopes)
        goes_on = True
        try:
            self.nested(body)
        except Jump as jump:
            del self.scopes[depth:]
            goes_on = jump.kind == 'continue'
        self.join(node)
        return goes_on

    def on_try(self, node):
        """What was assigned and printed before the error stays."""
        depth, scopes = len(self.scopes), self.scopes
        saved = self.call_depth, self.functions, self.ill_typed, self.joins
        try:
            self.nested(node.parts[0])
        except Stop:
            raise
        except Fail:
            self.scopes, (self.call_depth, self.functions, self.ill_typed, self.joins) = scopes, saved
            del self.scopes[depth:]
            self.join(node, 'failed')
            self.scopes.append({name: CAUGHT for name in node.value if name is not None})
            self.statement(node.parts[1])
            self.scopes.pop()
        self.join(node)

    def condition(self, node):
        """Of a chain of one operator scalars decide; from the first matrix on everything is evaluated."""
        operator = node.value if node.kind == 'binary' and node.value in ('&&', '||') else None
        if operator is None:
            return elementwise.truth(self.value(node))
        operands = flattened(node, operator)
        for i, operand in enumerate(operands[:-1]):
            value = no_list(self.value(operand))
            if isinstance(value, Matrix):
                for other in operands[i + 1:]:
                    value = elementwise.binary(operator, value, no_list(self.value(other)))
                return elementwise.truth(value)
            if elementwise.truth(value) == (operator == '||'):
                return operator == '||'
        return self.condition(operands[-1])

    def on_if(self, node):
        condition, then, otherwise = node.parts
        if self.condition(condition):
            self.nested(then)
        elif otherwise is not None:
            self.nested(otherwise)
        self.join(node)

    def on_while(self, node):
        self.join(node)
        while self.condition(node.parts[0]):
            if not self.turn(node, node.parts[1]):
                return

    def on_do(self, node):
        self.join(node)
        while True:
            if not self.turn(node, node.parts[0]) or not self.condition(node.parts[1]):
                return

    def on_for(self, node):
        outer = next((scope for scope in reversed(self.scopes) if node.value in scope), None)
        self.join(node)
        self.join(node, 'variable')
        for value in range_values(*(self.value(part) if part is not None else None for part in node.parts[:3])):
            self.scopes.append({node.value: value})
            goes_on = self.turn(node, node.parts[3])
            self.scopes.pop()
            if outer is not None:
                outer[node.value] = value
                self.join(node, 'variable')
            if not goes_on:
                return

    def on_def(self, node):
        self.functions = self.after_definition[id(node)]

    def on_return(self, node):
        raise Return([self.value(part) for part in node.parts])

    # Expressions

    def value(self, node):
        return self.values(node)[0]

    def values(self, node):
        if node.kind == 'call':
            results = self.call(node)
        else:
            results = [getattr(self, 'value_of_' + node.kind)(node)]
        if any(isinstance(value, Matrix) and len(value.cells) > MAX_TEXT
               or isinstance(value, Scalar) and value.vt == 'str' and len(value.value) > MAX_TEXT for value in results):
            raise Unspecified('too large')
        return results

    def value_of_literal(self, node):
        vt, value = node.value
        return Scalar(vt, convert(value, 'f64', 'f32') if vt == 'f32' else value)

    def value_of_name(self, node):
        return self.lookup(node.value)

    def value_of_group(self, node):
        return self.value(node.parts[0])

    def value_of_unary(self, node):
        operand = no_list(self.value(node.parts[0]))
        if node.value == '+':
            return operand
        return elementwise.negate(operand) if node.value == '-' else elementwise.logical_not(operand)

    def value_of_binary(self, node):
        left = no_list(self.value(node.parts[0]))
        if node.value in ('&&', '||') and decides(node.value, left):
            # What does not run gives its type to the result; a matrix runs.
            right = self.not_run(node.parts[1])
            if isinstance(right, Scalar):
                return elementwise.binary(node.value, left, right)
            if right is None:
                raise Unspecified('the type of what fails')
        right = no_list(self.value(node.parts[1]))
        return self.product(left, right) if node.value == '@' else elementwise.binary(node.value, left, right)

    def product(self, left, right):
        """Chains of products are computed in the cheapest order: with infinite cells, another order has other NaNs."""
        if self.num_products > 0 and not all(map(all_finite, (left, right))):
            raise Unspecified('infinite cells in what may be a chain of products')
        self.num_products += 1
        return product(left, right)

    def value_of_conditional(self, node):
        condition = self.value(node.parts[0])
        if not isinstance(condition, Scalar):
            return elementwise.conditional(condition, *[self.value(part) for part in node.parts[1:]])
        holds = elementwise.truth(condition)
        chosen, other = self.value(node.parts[1 if holds else 2]), self.not_run(node.parts[2 if holds else 1])
        if other is not None and other.type != chosen.type:
            raise Fail('branches of different types')
        return chosen

    def not_run(self, node):
        """The value an expression would have, for its type; None if it fails."""
        saved = self.scopes, self.functions, self.ill_typed, self.joins, self.call_depth, len(self.output)
        self.num_not_run += 1
        if self.num_not_run > 3:
            raise Unspecified('nothing runs any more')
        try:
            return self.value(node)
        except Fail:
            return None
        finally:
            self.num_not_run -= 1
            self.scopes, self.functions, self.ill_typed, self.joins, self.call_depth, length = saved
            del self.output[length:]

    def value_of_cast(self, node):
        return elementwise.cast(no_list(self.value(node.parts[0])), *node.value)

    def value_of_matrix(self, node):
        """Row-major; a size left out follows from the number of cells."""
        cells = [self.value(cell) for cell in node.parts[2:]]
        if not all(isinstance(cell, Scalar) for cell in cells):
            raise Fail('element is no scalar')
        sizes = [elementwise.size_of(self.value(part)) if part is not None else None for part in node.parts[:2]]
        rows, cols = sizes
        if rows is None and cols is None:
            rows, cols = len(cells), 1
        elif 0 in sizes and None in sizes:
            raise Unspecified('division by a size of 0')
        elif rows is None:
            rows = len(cells) // cols
        elif cols is None:
            cols = len(cells) // rows
        if rows * cols != len(cells):
            raise Fail('number of cells')
        vt = most_general(*(cell.vt for cell in cells))
        if vt == 'str' and any(cell.vt != 'str' for cell in cells):
            raise Fail('strings and numbers')
        values = tuple(convert(cell.value, cell.vt, vt) for cell in cells)
        return Matrix('ui64' if vt == 'size' else vt, rows, cols, values, any(cell.inexact for cell in cells))

    def index(self, node):
        """None, a value, or a pair of bounds."""
        if node is None:
            return None
        if node.kind == 'position':
            return self.value(node.parts[0])
        return tuple(self.value(bound) if bound is not None else None for bound in node.parts)

    def value_of_index(self, node):
        x = self.value(node.parts[0])
        return elementwise.extract(x, self.index(node.parts[1]), self.index(node.parts[2]))

    def value_of_filter(self, node):
        x, rows, cols = (self.value(part) if part is not None else None for part in node.parts)
        return elementwise.filtered(x, rows, cols)

    def value_of_cells(self, node):
        x, marks = (self.value(part) for part in node.parts)
        return assignments.read(x, ('cells', marks))

    # Calls

    def call(self, node):
        name, keywords = node.value
        if name == 'map' and name not in self.functions:
            return [self.call_map(node)]
        if name == 'assert' and name not in self.functions:
            if not self.condition(node.parts[0]):
                raise Fail('assertion')
            return []
        arguments = [self.value(part) for part in node.parts]
        if name in self.functions:
            return self.call_user(name, arguments, keywords)
        if name == 'print':
            return self.call_print(in_order(arguments, keyword_order(STATEMENT_PARAMS[name], 2, keywords, 0)))
        if name == 'stop':
            if arguments and arguments[0].type != ('s', 'str'):
                raise Fail('the message of stop is a string')
            if self.ignores_stop:
                return []
            message = arguments[0].value if arguments else 'unspecified reason'
            self.output.append(f'system stopped: {message}\n')
            raise Stop('stop')
        if name == 'now':
            return [Scalar('si64', self.time)]
        return self.call_builtin(name, arguments, keywords)

    def call_builtin(self, name, arguments, keywords):
        builtin = ALL_BUILTINS[name]
        if not builtin.params.endswith('*'):
            places = keyword_order(builtin.names, builtin.num_optional, keywords, 0)
            arguments = in_order(arguments, places)
        if name not in TAKE_LISTS and any(isinstance(argument, List) for argument in arguments):
            raise Fail(f'{name} of a list')
        results = builtin.run(*arguments)
        return list(results) if name in MULTIPLE_RESULTS else [results]

    def call_print(self, arguments):
        value, newline, to_stderr = (arguments + [None, None])[:3]
        if to_stderr is not None:
            raise Unspecified('print to standard error')
        if value.inexact and value.vt == 'f32':
            raise Unspecified('six digits are nearly all that an f32 has')
        ends_line = not isinstance(value, Scalar) or newline is None or elementwise.truth(newline)
        self.output.append(printed(value) + ('\n' if ends_line else ''))
        return []

    def call_user(self, name, arguments, keywords=None):
        found = choose(self.functions[name], [argument.type for argument in arguments], keywords)
        if found is None:
            raise Fail('no overload fits')
        function, places = found
        caller = self.scopes, self.functions, self.ill_typed, self.joins
        scope = {}
        self.scopes, self.functions = [scope], function.visible
        for place, (param, declared) in zip(places, function.params):
            value = self.value(function.node.value[3][param]) if place is None else arguments[place]
            if declared and declared[1] not in (None, value.vt):
                value = elementwise.cast(value, None, declared[1])
            scope[param] = value
        self.ill_typed, self.joins = self.check_call(function, [value.type for value in scope.values()])
        self.call_depth += 1
        if self.call_depth > MAX_CALL_DEPTH:
            raise Unspecified('deep recursion')
        results = []
        try:
            self.statement(function.node.parts[0])
            if function.results:
                raise Unspecified('end of a function without return')
        except Return as end:
            results = end.values
        self.scopes, self.functions, self.ill_typed, self.joins = caller
        self.call_depth -= 1
        if function.declared is not None and any(
                not (result.type[0] == kind and vt in (None, result.vt))
                for result, (kind, vt) in zip(results, function.declared)):
            raise Fail('declared results')
        return results

    def check_call(self, function, types):
        """The checks that the text alone did not allow, made once for each combination of argument types."""
        key = id(function), tuple(types)
        if key not in self.checked_calls:
            try:
                _, *self.checked_calls[key] = Checker.specialised(function, types, infers=True)
            except Reject as error:
                raise Unspecified('function does not fit these types') from error
        return self.checked_calls[key]

    def apply(self, function, argument):
        if function.kind != 'lambda':
            return self.call_user(function.value, [argument])
        self.scopes.append({function.value: argument})
        result = self.value(function.parts[0])
        self.scopes.pop()
        return [result]

    def call_map(self, node):
        x, function = self.value(node.parts[0]), node.parts[1]
        if not isinstance(x, Matrix):
            raise Fail('map needs a matrix')
        if not x.cells:
            raise Unspecified('result type without a call')
        num_printed = len(self.output)
        results = [self.apply(function, Scalar(x.vt, cell, x.inexact)) for cell in x.cells]
        if len(self.output) != num_printed:
            raise Unspecified('order of side effects')
        if any(len(values) != 1 or not isinstance(values[0], Scalar) for values in results):
            raise Fail('map needs one scalar result')
        cells = [values[0] for values in results]
        return Matrix(cells[0].vt, x.rows, x.cols, tuple(cell.value for cell in cells),
                      any(cell.inexact for cell in cells))


def decides(operator, left):
    return isinstance(left, Scalar) and left.vt != 'str' and elementwise.truth(left) == (operator == '||')


def flattened(node, operator):
    """The operands of a chain of one operator, whatever its brackets."""
    while node.kind == 'group':
        node = node.parts[0]
    if node.kind != 'binary' or node.value != operator:
        return [node]
    return flattened(node.parts[0], operator) + flattened(node.parts[1], operator)


def range_values(first, last, step):
    """Integers if the first value and the step are integers; the last one is only a limit."""
    bounds = [bound for bound in (first, last, step) if bound is not None]
    if any(not isinstance(bound, Scalar) or bound.vt == 'str' for bound in bounds):
        raise Fail('not a number')
    if any(bound.inexact for bound in bounds):
        raise Unspecified('uncertain bound')
    low, high = first.value, last.value
    by = step.value if step is not None else 1 if high >= low else -1
    if any(isinstance(x, float) and not math.isfinite(x) for x in (low, high)) or by != by:
        raise Fail('no range')
    if not is_float(first.vt) and (step is None or not is_float(step.vt)):
        count = (math.floor(high) - low) // by + 1 if by > 0 else (low - math.ceil(high)) // -by + 1 if by else 0
        return (Scalar('si64', low + k * by) for k in range(max(count, 0)))
    low, high, by = float(low), float(high), float(by)
    if low + by == low:
        raise Fail('no progress')
    count = math.floor((high - low) / by + 2**-50 * max(abs(low), abs(high)) / abs(by)) + 1
    limited = min if by > 0 else max
    return (Scalar('f64', limited(low + k * by, high)) for k in range(max(count, 0)))


def no_list(value):
    if isinstance(value, List):
        raise Fail('operation on a list')
    return value


def in_order(arguments, places):
    return [arguments[places.index(i)] for i in range(len(places))]


class Session:
    """A script evaluated piece by piece."""

    def __init__(self, time=SOME_TIME, ignores_stop=False):
        self.checker, self.inferring = Checker(), Checker(infers=True)
        self.interpreter = Interpreter(self.checker, time, ignores_stop)
        self.interpreter.joins = self.inferring.joins

    def feed(self, text):
        """Checks and runs the next statements; raises Reject, Fail or Unspecified."""
        statements = parse(text)
        self.checker.script(statements)
        try:
            self.inferring.script(statements)
        except Reject as error:
            raise Unspecified('rejected by inference') from error
        for statement in statements:
            self.interpreter.statement(statement)

    def attempt(self, text):
        """Like feed, but as if nothing had happened where it raises."""
        interpreter, checker, inferring = self.interpreter, self.checker, self.inferring
        saved = (dict(interpreter.scopes[0]), len(interpreter.output), dict(checker.scopes[0]), checker.functions,
                 dict(inferring.scopes[0]), inferring.functions)
        interpreter.num_steps = 0
        try:
            self.feed(text)
        except (Reject, Fail, Unspecified):
            interpreter.scopes, interpreter.call_depth = [saved[0]], 0
            interpreter.ill_typed = checker.ill_typed
            del interpreter.output[saved[1]:]
            fresh = Checker(saved[3])
            fresh.scopes, fresh.after_definition = [saved[2]], checker.after_definition
            fresh.ill_typed = checker.ill_typed
            self.checker, interpreter.functions = fresh, saved[3]
            self.inferring = Checker(saved[5], infers=True)
            self.inferring.scopes, self.inferring.after_definition = [saved[4]], inferring.after_definition
            self.inferring.joins = interpreter.joins = inferring.joins
            raise

    def variables(self):
        return self.interpreter.scopes[0]

    def output(self):
        return ''.join(self.interpreter.output)


def run_script(text):
    """What must come out of a script."""
    outcome = run_at(text, SOME_TIME)
    if 'now(' in text and run_at(text, LATER) != outcome:
        return Outcome('unspecified', (0, 1, 2, 3), '', 'depends on the time')
    if outcome.kind == 'fail' and 'now(' in text and run_at(text, -SOME_TIME).kind not in ('fail', 'unspecified'):
        # It depends on something that no compiler can know.
        return Outcome('fail', (3,), outcome.output, outcome.reason)
    if outcome.kind == 'stop' and outcome.depth and run_at(text, SOME_TIME, ignores_stop=True).kind == 'fail':
        # The compiler need not know that this stop happens, and may complain about what comes after it.
        return Outcome('stop', (2, 3), outcome.output)
    return outcome


def run_at(text, time, ignores_stop=False):
    session = Session(time, ignores_stop)
    try:
        statements = parse(text)
        session.checker.script(statements)
    except Reject as error:
        return Outcome('reject', error.statuses, '', str(error))
    except Unspecified as error:
        return Outcome('unspecified', (0, 1, 2, 3), '', str(error))
    try:
        session.inferring.script(statements)
    except (Reject, Unspecified) as error:
        return Outcome('unspecified', (0, 1, 2, 3), '', f'{error}, by inference')
    try:
        for statement in statements:
            session.interpreter.statement(statement)
    except Stop:
        depth = len(session.interpreter.scopes) - 1 + session.interpreter.call_depth
        return Outcome('stop', (3,), session.output(), depth=depth)
    except Fail as error:
        return Outcome('fail', (2, 3), session.output(), str(error))
    except Unspecified as error:
        return Outcome('unspecified', (0, 1, 2, 3), session.output(), str(error))
    return Outcome('ok', (0,), session.output())


def main():
    outcome = run_script(Path(sys.argv[1]).read_text(encoding='utf-8'))
    sys.stdout.write(outcome.output)
    if outcome.kind != 'ok':
        print(f'{outcome.kind}: {outcome.reason}', file=sys.stderr)
    return outcome.statuses[0]


if __name__ == '__main__':
    sys.exit(main())
