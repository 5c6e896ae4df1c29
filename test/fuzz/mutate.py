# SPDX-License-Identifier: Apache-2.0
"""Broken variants of valid scripts. Everything is decided by the random generator that is passed in."""

import re
from dataclasses import dataclass, field

TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d[\w.\']*|\s+|\[\[|\]\]|::|->|[=!<>]=|&&|\|\||.', re.S)
NUMBER = re.compile(rb'(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?')
INTERESTING_NUMBERS = [
    b'0', b'-0.0', b'-1', b'1', b'2', b'3', b'7', b'127', b'128', b'255', b'256', b'65536', b'2147483647', b'2147483648',
    b'4294967296', b'9223372036854775807', b'9223372036854775808', b'18446744073709551615u', b'1000000000000', b'0.5',
    b'1e308', b'1e-320', b'1e999', b'nan', b'inf', b'-inf', b'true', b'7u', b'7z', b'1.5f', b'01', b'1e', b'1__0',
]
OPERATORS = [b'+', b'-', b'*', b'/', b'%', b'^', b'@', b'==', b'!=', b'<', b'<=', b'>', b'>=', b'&&', b'||']
OPERANDS = [
    b'1', b'-1', b'0', b'2.5', b'true', b'nan', b'3u', b'4z', b'1.5f', b'"s"', b'""', b'[1, 2, 3]', b'[1.5]', b'["a", "b"]',
    b'[true, false]', b'{"a": [1, 2]}', b'fill(1.5, 0, 3)', b'fill(2, 2, 2)', b'rand(3, 3, 0.0, 1.0, 1.0, 1)',
    b'createList([1], [2])', b'sum([1, 2])', b'as.str(1)', b'[1, 2, 3, 4](2, 2)', b'seq(1, 3, 1)', b'as.si8(100)',
]
BRACKETS = [b'(', b')', b'[', b']', b'{', b'}', b'[[', b']]', b'"', b'/*', b'*/']
FRAGMENTS = [
    b'if', b'else', b'while', b'for', b'do', b'def', b'return', b'import', b'as', b'matrix', b'f64', b'str', b'true',
    b'nan', b'::', b'->', b':', b',', b';', b'=', b'.', b'?', b'@', b'$', b'\\', b'!', b'x', b'"s"', b'[1, 2]', b'{}',
    b'stop()', b'sum', b'print', b'as.scalar', b'as.str', b'[,]', b'[0, 0]', b'\0', b'\xff', b'\r',
]


@dataclass
class Seed:
    """A script with what it needs to run."""
    name: str
    script: bytes
    files: dict = field(default_factory=dict)
    script_args: list = field(default_factory=list)


def flip_byte(random, text):
    at = random.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << random.randrange(8)]) + text[at + 1:]


def replace_byte(random, text):
    at = random.randrange(len(text))
    return text[:at] + random.randbytes(1) + text[at + 1:]


def cut(random, text):
    """Leaves out a part, or everything after a point."""
    begin = random.randrange(len(text))
    end = len(text) if random.random() < 0.3 else min(len(text), begin + random.randrange(1, 20))
    return text[:begin] + text[end:]


def with_tokens(edit):
    def mutation(random, text):
        tokens = TOKEN.findall(text)
        visible = [i for i, token in enumerate(tokens) if token.strip()]
        if not visible:
            return text
        edit(random, tokens, visible)
        return b''.join(tokens)
    return mutation


@with_tokens
def delete_token(random, tokens, visible):
    del tokens[random.choice(visible)]


@with_tokens
def duplicate_token(random, tokens, visible):
    at = random.choice(visible)
    tokens[at:at] = [tokens[at]] * random.choice([1, 1, 2, 50])


@with_tokens
def swap_tokens(random, tokens, visible):
    a, b = random.choice(visible), random.choice(visible)
    tokens[a], tokens[b] = tokens[b], tokens[a]


@with_tokens
def insert_bracket(random, tokens, visible):
    tokens.insert(random.choice(visible), random.choice(BRACKETS))


@with_tokens
def insert_fragment(random, tokens, visible):
    tokens.insert(random.choice(visible), random.choice(FRAGMENTS))


@with_tokens
def replace_token(random, tokens, visible):
    tokens[random.choice(visible)] = random.choice(FRAGMENTS)


@with_tokens
def copy_token(random, tokens, visible):
    """A name or number of the same script at another place: often still valid."""
    words = [i for i in visible if tokens[i][:1].isalnum()]
    if words:
        tokens[random.choice(words)] = tokens[random.choice(words)]


@with_tokens
def copy_name(random, tokens, visible):
    """One identifier in place of another: other builtins, other variables."""
    names = [i for i in visible if tokens[i][:1].isalpha()]
    if names:
        tokens[random.choice(names)] = tokens[random.choice(names)]


@with_tokens
def replace_operator(random, tokens, visible):
    operators = [i for i in visible if tokens[i] in OPERATORS]
    if operators:
        tokens[random.choice(operators)] = random.choice(OPERATORS)


@with_tokens
def replace_operand(random, tokens, visible):
    """A literal of another type in place of a literal or a name."""
    operands = [i for i in visible if tokens[i][:1].isalnum() or tokens[i][:1] == b'"']
    if operands:
        tokens[random.choice(operands)] = random.choice(OPERANDS)


def with_statements(edit):
    def mutation(random, text):
        statements = re.split(rb'(?<=[;{}])', text)
        edit(random, statements)
        return b''.join(statements)
    return mutation


@with_statements
def delete_statement(random, statements):
    del statements[random.randrange(len(statements))]


@with_statements
def duplicate_statement(random, statements):
    at = random.randrange(len(statements))
    statements.insert(random.randrange(len(statements)), statements[at])


@with_statements
def swap_statements(random, statements):
    a, b = random.randrange(len(statements)), random.randrange(len(statements))
    statements[a], statements[b] = statements[b], statements[a]


def edit_number(random, text):
    numbers = list(NUMBER.finditer(text))
    if not numbers:
        return text
    at = random.choice(numbers)
    return text[:at.start()] + random.choice(INTERESTING_NUMBERS) + text[at.end():]


def nest(random, text):
    """Wraps a token into many brackets, or a statement into many blocks."""
    depth = random.choice([3, 30, 300, 3000])
    tokens = TOKEN.findall(text)
    at = random.randrange(len(tokens))
    opening, closing = random.choice([(b'(', b')'), (b'[', b']'), (b'abs(', b')'), (b'-', b''), (b'{', b'}'),
                                      (b'if(1) ', b''), (b'while(0) ', b''), (b'1 + ', b''), (b'"a" + ', b'')])
    tokens[at] = opening * depth + tokens[at] + closing * depth
    return b''.join(tokens)


BREAKING = [flip_byte, replace_byte, cut, delete_token, duplicate_token, swap_tokens, insert_bracket, insert_fragment,
            replace_token, nest]
PLAUSIBLE = [copy_token, copy_name, replace_operator, replace_operand, delete_statement, duplicate_statement,
             swap_statements, edit_number]


def splice(random, first, second):
    """The beginning of one script and the end of another."""
    separator = random.choice([rb'(?<=[;{}])', rb'(?<=\W)'])
    a, b = re.split(separator, first), re.split(separator, second)
    return b''.join(a[:random.randrange(len(a) + 1)] + b[random.randrange(len(b) + 1):])


def mutate(random, seeds):
    """A new Seed made of one or two others by one to four mutations: half of them break it, half leave it plausible."""
    origin = random.choice(seeds)
    text, files, args = origin.script, origin.files, origin.script_args
    if random.random() < 0.2:
        other = random.choice(seeds)
        text = splice(random, text, other.script)
        files = {**other.files, **files}
    mutations = random.choice([BREAKING, PLAUSIBLE])
    for _ in range(random.choice([1, 1, 1, 2, 2, 4])):
        if text:
            text = random.choice(mutations)(random, text)
    return Seed(origin.name, text, files, args)


def random_bytes(random):
    """Random bytes, or random characters of the language."""
    length = random.choice([1, 5, 50, 500, 5000])
    if random.random() < 0.4:
        return random.randbytes(length)
    alphabet = [bytes([c]) for c in range(32, 127)] + BRACKETS + FRAGMENTS + INTERESTING_NUMBERS + [b' ', b'\n']
    return b''.join(random.choice(alphabet) for _ in range(length))
