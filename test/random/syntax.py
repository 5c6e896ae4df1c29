# SPDX-License-Identifier: Apache-2.0
"""Lexer and parser of the oracle: text to a tree of nodes that know their place in the text.

Covered is the language without frames, lists, imports, kernel hints and script arguments. Whatever is outside of the
grammar raises Reject, the outcome 'status 1'.
"""

import re
import sys

VALUE_TYPES = ('bool', 'si8', 'ui8', 'si32', 'ui32', 'size', 'si64', 'ui64', 'f32', 'f64', 'str')  # by generality
TYPE_WORDS = frozenset(VALUE_TYPES) - {'size'}
KEYWORDS = frozenset('if else while do for in true false as def return import'.split())
DATA_TYPES = frozenset(('matrix', 'scalar', 'frame'))
FLOAT_WORDS = frozenset(('nan', 'nanf', 'inf', 'inff'))
RESERVED = KEYWORDS | DATA_TYPES | TYPE_WORDS | FLOAT_WORDS

INT_PART = r"(?:0|[1-9](?:[_']?[0-9])*)"
FRACTION = r"\.[0-9]+(?:[_']?[0-9])*"
EXPONENT = r'[eE][+-]?(?:0|[1-9][0-9]*)'
TOKEN = re.compile(rf'''
    (?P<skip>[ \t\r\n]+|\#[^\n]*|//[^\n]*|/\*.*?\*/)
  | (?P<float>{INT_PART}(?:{FRACTION}(?:{EXPONENT})?|{EXPONENT})f?)
  | (?P<int>{INT_PART}(?:ull|[luz])?)
  | (?P<word>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<string>"(?:[^"\\]|\\[bfnrt"\\])*")
  | (?P<sign>\[\[|\]\]|->|::|==|!=|<=|>=|[+\-*/]=|&&|\|\||[{{}}()\[\],;:.=$?@^%*/+\-<>!])
''', re.X | re.S)
ESCAPES = {'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\'}

LARGEST_SINGLE = 3.4028235677973366e38  # what rounds to a finite number
BINARY_LEVELS = (('||',), ('&&',), ('==', '!=', '<', '<=', '>', '>='), ('+', '-'), ('*', '/'), ('%',), ('^',), ('@',))


COMPOUND = ('+=', '-=', '*=', '/=')


class Reject(Exception):
    """The script is refused before it runs; `statuses` are the exit statuses that fit."""

    def __init__(self, message, position=0, statuses=(1,)):
        super().__init__(message)
        self.position = position
        self.statuses = statuses


class Node:
    """`kind` says what it is, `parts` are the children (None: left out), `value` is everything else."""
    __slots__ = ('kind', 'parts', 'value', 'begin', 'end')

    def __init__(self, kind, parts, value, begin, end):
        self.kind, self.parts, self.value, self.begin, self.end = kind, parts, value, begin, end

    def descendants(self):
        for part in self.parts:
            if part is not None:
                yield part
                yield from part.descendants()


def tokenize(text):
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Reject('no token', at)
        kind, word, begin, at = match.lastgroup, match[0], at, match.end()
        if kind in ('int', 'float') and at < len(text) and (text[at].isalnum() or text[at] == '_'):
            raise Reject('malformed number', begin)
        if kind == 'word' and word in RESERVED:
            kind = 'reserved'
        if kind != 'skip':
            tokens.append((kind, word, begin, at))
    tokens.append(('end', '', at, at))
    return tokens


def number(kind, word, position):
    """Value type and value of a numeric literal."""
    digits = word.replace('_', '').replace("'", '')
    if kind == 'float':
        value = float(digits.removesuffix('f'))
        if value > (LARGEST_SINGLE if digits.endswith('f') else sys.float_info.max):
            raise Reject('literal out of range', position)
        return 'f32' if digits.endswith('f') else 'f64', value
    suffix = digits.lstrip('0123456789')
    value = int(digits.removesuffix(suffix))
    value_type = {'': 'si64', 'l': 'si64', 'u': 'ui64', 'ull': 'ui64', 'z': 'size'}[suffix]
    if value == 2**63 and not suffix:
        value = -2**63
    elif value >= (2**63 if value_type == 'si64' else 2**64):
        raise Reject('literal out of range', position)
    return value_type, value


class Parser:
    def __init__(self, text):
        self.tokens = tokenize(text)
        self.at = 0
        self.negated = None  # the token behind the last unary minus

    # Tokens

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def kind(self):
        return self.tokens[self.at][0]

    def begin(self):
        return self.tokens[self.at][2]

    def end(self):
        return self.tokens[self.at - 1][3]

    def fail(self, message):
        raise Reject(message, self.begin())

    def is_sign(self, *words):
        return self.kind() in ('sign', 'reserved') and self.peek() in words

    def accept(self, *words):
        if self.is_sign(*words):
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def expect(self, word):
        if not self.accept(word):
            self.fail(f"expected '{word}'")

    def identifier(self):
        if self.kind() != 'word':
            self.fail('expected a name')
        self.at += 1
        return self.tokens[self.at - 1][1]

    def node(self, kind, parts, begin, value=None):
        return Node(kind, list(parts), value, begin, self.end())

    # Statements

    def script(self):
        statements = []
        while self.kind() != 'end':
            statements.append(self.statement())
        return statements

    def statement(self):
        begin = self.begin()
        for word, parse in (('{', self.block), ('if', self.if_statement), ('while', self.while_statement),
                            ('do', self.do_statement), ('for', self.for_statement), ('def', self.definition),
                            ('return', self.return_statement)):
            if self.is_sign(word):
                return parse()
        if self.peek() in ('break', 'continue') and self.peek(1) == ';':
            name = self.identifier()
            self.expect(';')
            return self.node(name, [], begin)
        if self.peek() == 'try' and self.peek(1) == '{':
            return self.try_statement()
        first = self.expression()
        targets = [first]
        while self.accept(','):
            targets.append(self.expression())
        if len(targets) == 1 and not self.is_sign('=', *COMPOUND):
            self.expect(';')
            return self.node('expression', [first], begin)
        operator = self.accept(*COMPOUND) if len(targets) == 1 else None
        if operator is None:
            self.expect('=')
        values = [self.expression()]
        while operator is None and self.accept(','):
            values.append(self.expression())
        self.expect(';')
        for target in targets:
            named = target.parts[0] if target.kind in ('index', 'filter', 'cells') else target
            if named.kind != 'name':
                raise Reject('not a target', target.begin)
        return self.node('assign', [*targets, *values], begin, (len(targets), operator and operator[0]))

    def block(self):
        begin = self.begin()
        self.expect('{')
        statements = []
        while not self.is_sign('}'):
            statements.append(self.statement())
        self.expect('}')
        self.accept(';')
        return self.node('block', statements, begin)

    def if_statement(self):
        begin = self.begin()
        self.expect('if')
        condition = self.parenthesised()
        then = self.statement()
        otherwise = self.statement() if self.accept('else') else None
        return self.node('if', [condition, then, otherwise], begin)

    def while_statement(self):
        begin = self.begin()
        self.expect('while')
        condition = self.parenthesised()
        return self.node('while', [condition, self.statement()], begin)

    def do_statement(self):
        begin = self.begin()
        self.expect('do')
        body = self.statement()
        self.expect('while')
        condition = self.parenthesised()
        self.accept(';')
        return self.node('do', [body, condition], begin)

    def for_statement(self):
        begin = self.begin()
        self.expect('for')
        self.expect('(')
        name = self.identifier()
        self.expect('in')
        first = self.binary(0)
        self.expect(':')
        last = self.binary(0)
        step = self.binary(0) if self.accept(':') else None
        self.expect(')')
        return self.node('for', [first, last, step, self.statement()], begin, name)

    def try_statement(self):
        """`value` holds the names of message and place, None if they are not there."""
        begin = self.begin()
        self.identifier()
        body = self.block()
        if self.identifier() != 'catch':
            self.fail('expected catch')
        names = [None, None]
        if self.accept('('):
            names[0] = self.identifier()
            if self.accept(','):
                names[1] = self.identifier()
            self.expect(')')
        return self.node('try', [body, self.block()], begin, tuple(names))

    def definition(self):
        begin = self.begin()
        self.expect('def')
        name = self.identifier()
        self.expect('(')
        parameters, defaults = [], {}
        while not self.is_sign(')'):
            parameter = self.identifier()
            parameters.append((parameter, self.type() if self.accept(':') else None))
            if self.accept('='):
                defaults[parameter] = self.expression()
            elif defaults:
                self.fail('parameters with defaults come last')
            if not self.accept(','):
                break
        self.expect(')')
        results = None
        if self.accept('->'):
            results = [self.type()]
            while self.accept(','):
                results.append(self.type())
        return self.node('def', [self.block()], begin, (name, parameters, results, defaults))

    def type(self):
        """Kind 's' or 'm' and value type; a value type of None is any."""
        word = self.peek()
        if self.accept(*TYPE_WORDS):
            return 's', word
        self.expect('matrix')
        value_type = None
        if self.accept('<'):
            value_type = self.accept(*TYPE_WORDS) or self.fail('expected a value type')
            self.expect('>')
        return 'm', value_type

    def return_statement(self):
        begin = self.begin()
        self.expect('return')
        values = []
        if not self.is_sign(';'):
            values.append(self.expression())
            while self.accept(','):
                values.append(self.expression())
        self.expect(';')
        return self.node('return', values, begin)

    def parenthesised(self):
        self.expect('(')
        inner = self.expression()
        self.expect(')')
        return inner

    # Expressions

    def expression(self):
        begin = self.begin()
        if self.kind() == 'word' and self.peek(1) == '->':
            parameter = self.identifier()
            self.expect('->')
            return self.node('lambda', [self.expression()], begin, parameter)
        left = self.binary(0)
        while self.accept('?'):
            then = self.expression()
            self.expect(':')
            left = self.node('conditional', [left, then, self.binary(0)], begin)
        return left

    def binary(self, level):
        if level == len(BINARY_LEVELS):
            return self.unary()
        begin = self.begin()
        left = self.binary(level + 1)
        while operator := self.accept(*BINARY_LEVELS[level]):
            left = self.node('binary', [left, self.binary(level + 1)], begin, operator)
        return left

    def unary(self):
        begin = self.begin()
        if operator := self.accept('+', '-', '!'):
            self.negated = self.at if operator == '-' else None
            return self.node('unary', [self.unary()], begin, operator)
        return self.postfix()

    def postfix(self):
        begin = self.begin()
        left = self.primary()
        while True:
            if self.accept('[['):
                rows = None if self.is_sign(',') else self.expression()
                if self.accept(']]'):
                    left = self.node('cells', [left, rows], begin)
                    continue
                self.expect(',')
                columns = None if self.is_sign(']]') else self.expression()
                self.expect(']]')
                left = self.node('filter', [left, rows, columns], begin)
            elif self.accept('['):
                rows = self.range(',')
                self.expect(',')
                columns = self.range(']')
                self.expect(']')
                left = self.node('index', [left, rows, columns], begin)
            else:
                return left

    def range(self, closing):
        """None: everything; 'position' with one part; 'range' with two, either of them None if left out."""
        begin = self.begin()
        if self.is_sign(closing):
            return None
        low = None if self.is_sign(':') else self.binary(0)
        if not self.accept(':'):
            return self.node('position', [low], begin)
        high = None if self.is_sign(closing) else self.binary(0)
        if low is None and high is None:
            return None
        return self.node('range', [low, high], begin)

    def primary(self):
        begin, kind, word = self.begin(), self.kind(), self.peek()
        if kind in ('int', 'float'):
            if number(kind, word, begin) == ('si64', -2**63) and self.negated != self.at:
                self.fail('2^63 is no number')
            self.at += 1
            return self.node('literal', [], begin, number(kind, word, begin))
        if kind == 'string':
            self.at += 1
            text = re.sub(r'\\(.)', lambda match: ESCAPES[match[1]], word[1:-1], flags=re.S)
            return self.node('literal', [], begin, ('str', text))
        if self.accept('true', 'false'):
            return self.node('literal', [], begin, ('bool', int(word == 'true')))
        if self.accept('nan', 'inf'):
            return self.node('literal', [], begin, ('f64', float(word)))
        if self.is_sign('('):
            inner = self.parenthesised()
            return self.node('group', [inner], begin)
        if self.accept('as'):
            return self.cast(begin)
        if self.accept('['):
            return self.matrix(begin)
        name = self.identifier()
        if self.accept('('):
            return self.call(begin, name)
        return self.node('name', [], begin, name)

    def cast(self, begin):
        self.expect('.')
        kind = {'matrix': 'm', 'scalar': 's', None: None}[self.accept('matrix', 'scalar')]
        value_type = None
        if kind is None:
            value_type = self.accept(*TYPE_WORDS) or self.fail('expected a type')
        elif self.accept('<'):
            value_type = self.accept(*TYPE_WORDS) or self.fail('expected a value type')
            self.expect('>')
        return self.node('cast', [self.parenthesised()], begin, (kind, value_type))

    def matrix(self, begin):
        cells = [self.expression()]
        while self.accept(','):
            cells.append(self.expression())
        self.expect(']')
        rows = columns = None
        if self.accept('('):
            rows = None if self.is_sign(',') else self.expression()
            self.expect(',')
            columns = None if self.is_sign(')') else self.expression()
            self.expect(')')
        return self.node('matrix', [rows, columns, *cells], begin)

    def call(self, begin, name):
        """`value` is the name and for each argument its keyword or None."""
        arguments, keywords = [], []
        while not self.is_sign(')'):
            keyword = None
            if self.kind() == 'word' and self.peek(1) == '=':
                keyword = self.identifier()
                self.expect('=')
            elif any(keywords):
                self.fail('positional after keyword argument')
            keywords.append(keyword)
            arguments.append(self.expression())
            if not self.accept(','):
                break
        self.expect(')')
        return self.node('call', arguments, begin, (name, keywords))


def parse(text):
    """The statements of a script."""
    return Parser(text).script()
