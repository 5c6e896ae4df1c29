# SPDX-License-Identifier: Apache-2.0
"""Hand-picked hostile inputs: deep nesting, huge scripts, unusual bytes, files that are none, exhausted resources."""

import random
from dataclasses import dataclass

MEGABYTES_5 = 5_000_000
ANY = (0, 1, 2, 3)
UNKNOWN_X = b'x = as.scalar(rand(1, 1, 1, 1, 1.0, 1));\n'  # a 1 that the compiler does not know


@dataclass
class Special:
    name: str
    script: bytes
    statuses: tuple = ANY
    says: str = ''        # standard error contains this
    prints: str | None = None
    kind: str = 'file'    # or: 'directory', 'unreadable', 'missing', 'stdin'
    timeout_seconds: int = 60
    memory_gb: int | None = None  # the script fails because of this limit


def nested(opening, inner, closing, depth):
    return opening * depth + inner + closing * depth


def deep_nesting():
    for depth in (1_000, 10_000, 100_000, 1_000_000):
        fits = depth <= 1_000
        statuses = (0,) if fits else ANY
        yield Special(f'{depth} nested parentheses', b'print(' + nested(b'(', b'1', b')', depth) + b');', statuses)
        yield Special(f'{depth} nested calls', b'print(' + nested(b'abs(', b'1', b')', depth) + b');', statuses)
        yield Special(f'{depth} unary operators', b'print(' + b'-' * depth + b'1);', statuses)
        yield Special(f'{depth} nested blocks', nested(b'{', b'print(1);', b'}', depth), statuses)
        yield Special(f'{depth} nested branches', UNKNOWN_X + b'if(x == 1) ' * depth + b'print(1);', statuses)
        yield Special(f'{depth} else branches', UNKNOWN_X + b'if(x == 0) print(1); else ' * depth + b'print(2);',
                      statuses)
        yield Special(f'{depth} chained indices', b'X = [1]; print(X' + b'[0, 0]' * depth + b');', statuses)
        yield Special(f'{depth} chained conditionals', UNKNOWN_X + b'print(x' + b' ? 1 : 0' * depth + b');', statuses)
        yield Special(f'{depth} operands', UNKNOWN_X + b'print(x' + b' + x' * depth + b');', statuses)
        yield Special(f'{depth} concatenations', b'x = "a"' + b' + "b"' * depth + b'; print(x == x);', statuses)
        for opening in (b'(', b'[', b'{', b'[[', b'x[', b'f(', b'if(1) {', b'as.f64(', b'{"a": '):
            yield Special(f'{depth} unclosed {opening.decode()}', b'x = 1;\n' + opening * depth, (1,))
    yield Special('200 nested loops', b'x = 0;' + b'while(x < 1) ' * 200 + b'{ x = 1; } print(x);', (0,), prints='1\n')
    yield Special('10000 nested loops', b'x = 0;' + b'while(x < 1) ' * 10_000 + b'{ x = 1; }')


def repeated(line, size=MEGABYTES_5):
    return line * (size // len(line))


def running_scripts(size):
    """Scripts of a size that are compiled to the end: machine code for every line."""
    lines = size // 15
    yield Special(f'{size} bytes of output', repeated(b'print("hello");\n', size), (0,))
    yield Special(f'{size} bytes of matrix operations', b'X = rand(2, 2, 0.0, 1.0, 1.0, 1);\n' +
                  repeated(b'X = X / 2.0 + X @ X;\n', size) + b'print(sum(X) >= 0.0);\n', (0, 2))
    yield Special(f'{size} bytes of calls', b'def f(x) { return x * 2 + 1; }\n' + repeated(b'print(f(3));\n', size), (0,))
    yield Special(f'{size} bytes of branches', UNKNOWN_X + repeated(b'if(x == 1) { x = 1; }\n', size) + b'print(x);\n', (0,),
                  prints='1\n')
    yield Special(f'{size} bytes of loops', b'x = 0;\n' + repeated(b'for(i in 1:2) x = x + i;\n', size) + b'print(x > 0);\n',
                  (0,), prints='1\n')
    yield Special(f'{size} bytes of scalars', UNKNOWN_X + b'x = x + x;\n' * lines + b'print(x);\n', (0,))
    yield Special(f'{size} bytes of cells', UNKNOWN_X + b'X = [1' + repeated(b', x', size) + b'];\nprint(sum(X));\n', (0,))


def huge_scripts():
    """Five megabytes each."""
    noise = random.Random(5)
    count = MEGABYTES_5 // 11
    yield Special('5 MB of statements', b'x = 0;\n' + b'x = x + 1;\n' * count + b'print(x);\n', (0,),
                  prints=f'{count}\n')
    yield Special('5 MB of variables', b''.join(b'v%d = %d * 2.5;\n' % (i, i) for i in range(230_000)) +
                  b'print(v7);\n', (0,), prints='17.5\n')
    yield Special('5 MB of functions', b''.join(b'def fun%d(x) { return x + %d; }\n' % (i, i) for i in range(130_000)) +
                  b'print(fun7(1));\n', (0,), prints='8\n')
    yield Special('5 MB expression', b'x = 1' + repeated(b' + 1') + b';\nprint(x);\n')
    yield Special('5 MB expression in parentheses', b'x = (' + b'+'.join([b'(1 + 2)'] * 625_000) + b');\nprint(x);\n')
    yield Special('5 MB matrix literal', b'X = [1' + repeated(b', 1') + b'];\nprint(sum(X));\n', (0,), prints='1666667\n')
    yield Special('5 MB string', b'x = "' + repeated(b'abcdefghij') + b'";\nprint(x == x);\n', (0,), prints='1\n')
    yield Special('5 MB name', b'x = ' + b'a' * MEGABYTES_5 + b';\n', (1,))
    yield Special('5 MB number', b'x = ' + b'1' * MEGABYTES_5 + b';\n', (1,))
    yield Special('5 MB comment', b'# ' + b'a' * MEGABYTES_5 + b'\nprint(1);', (0,), prints='1\n')
    yield Special('5 MB of comments', repeated(b'/* a */ // b\n') + b'print(1);', (0,), prints='1\n')
    yield Special('5 MB of blanks', b' ' * MEGABYTES_5, (0,), prints='')
    yield Special('5 MB of random bytes', noise.randbytes(MEGABYTES_5), (1,))
    yield Special('5 MB of random punctuation',
                  bytes(noise.choices(b'()[]{};:,.+-*/^@%"\\ \nab01=<>?', k=MEGABYTES_5)), (1,))
    yield Special('5 MB of errors', repeated(b'print(undefinedName);\n'), (1,))
    yield Special('5 MB of errors in one line', repeated(b'print(undefinedName);'), (1,))
    yield Special('5 MB of arguments', b'print(max(1' + repeated(b', 1') + b'));\n', (1,))
    yield Special('5 MB of parameters', b'def f(' + b', '.join(b'p%d' % i for i in range(550_000)) + b') { return 1; }\n')
    yield Special('5 MB of NUL bytes', b'\0' * MEGABYTES_5, (1,))


def unusual_text():
    yield Special('empty file', b'', (0,), prints='')
    yield Special('only a line end', b'\n', (0,), prints='')
    yield Special('only comments', b'# a\n// b\n/* c */\n/* d\n */', (0,), prints='')
    yield Special('carriage returns', b'print(1);\r\nprint(2);\r', (0,), prints='1\n2\n')
    yield Special('byte order mark', b'\xef\xbb\xbfprint(1);')
    yield Special('NUL byte between statements', b'print(1);\0print(2);', (1,))
    yield Special('NUL byte in a string', b'print("a\0b");')
    yield Special('NUL byte in a comment', b'print(1); # \0', (0,))
    yield Special('invalid UTF-8 in a string', b'print("\xff\xfe\xc3(");', (1,))
    yield Special('invalid UTF-8 in a comment', b'print(1); # \xff\xc3(', (1,))
    yield Special('invalid UTF-8 outside', b'print(1);\xc3(', (1,))
    yield Special('UTF-8 cut off at the end', b'print(1); # \xe2\x82', (1,))
    for text in (b'"abc', b'"abc\\', b'print("a', b'/* a', b'/*', b'x = (1', b'x = [1', b'X[[1', b'{', b'if(', b'if(1)',
                 b'if(1) {} else', b'while(1', b'do {} while', b'for(i in', b'for(i in 1:', b'def', b'def f(', b'def f(x',
                 b'def f(x:', b'def f(x) ->', b'def f(x) {', b'return', b'import', b'import "a', b'import "a" as', b'x =',
                 b'x = 1', b'x = 1 +', b'x = as.', b'x = as.matrix<', b'x = $', b'x = 1 ?', b'x = 1 ? 2', b'x = 1 ? 2 :',
                 b'x = f(', b'x = f(a =', b'x = a.', b'x = a::', b'x = {"a"', b'x = {"a":', b'x = {["a"],', b'x,', b'1e',
                 b'1_', b'X[0, 0', b'X[0:', b'[1](2,'):
        yield Special(f'unterminated: {text.decode()}', text, (1,))


def exhausted_resources():
    yield Special('endless recursion', b'def f(x:si64) -> si64 { return f(x + 1) + 1; }\nprint(f(1));', (3,),
                  says='recursion')
    yield Special('endless recursion of matrices', b'def f(X:matrix<f64>) -> matrix<f64> { return f(X + 1.0) + X; }\n'
                  b'print(f([1.0]));', (3,))
    yield Special('endless mutual recursion', b'def f(x:si64) -> si64 { return g(x) + 1; }\n'
                  b'def g(x:si64) -> si64 { return f(x) * 2; }\nprint(f(1));', ANY)
    yield Special('endless untyped recursion', b'def f(x) { return f(x + 1); }\nprint(f(1));', (1, 2, 3))
    yield Special('endless specialisation', b'def f(X) { return f(cbind(X, X)); }\nprint(f([1]));', (1, 2, 3))
    yield Special('recursion in a map', b'def f(x:f64) -> f64 { return sum(map([x], f)); }\nprint(map([1.0], f));', ANY)
    yield Special('script that imports itself', b'import "script.daph";\nprint(1);', ANY)
    yield Special('a sequence without end', b'print(seq(0.0, 1.0, 1e-300));', (2, 3))
    huge = [b'fill(1.0, 1000000, 1000000)', b'fill(1, 10000000000, 10000000000)', b'fill(0, 9223372036854775807, 2)',
            b'fill("a", 1000000, 1000000)', b'rand(1000000, 1000000, 0.0, 1.0, 1.0, 1)',
            b'seq(1, 1000000000000, 1)', b'sample(1000000000000, 1000000000000, true, 1)',
            b'outerAdd(fill(1.0, 1000000, 1), fill(1.0, 1, 1000000))',
            b'fill(1.0, 1000000, 1) @ fill(1.0, 1, 1000000)', b'exp(diagMatrix(fill(1.0, 1000000, 1)))',
            b'oneHot([0, 0], [9223372036854775807])', b'ctable([1e18], [1e18])', b'reshape([1], 9223372036854775807, 2)']
    for call in huge:
        certain = not call.startswith((b'oneHot', b'ctable', b'reshape'))
        yield Special(f'too large: {call.decode()}', b'X = ' + call + b';\nprint(ncell(X)); print(X[0, 0]);\n',
                      (3,) if certain else (2, 3), says='memory' if certain else '', memory_gb=8)
    for call in (b'diagMatrix(fill(1.0, 1000000, 1))', b'oneHot([0], [9223372036854775807])',
                 b'ctable([1000000.0], [1000000.0])', b'rand(1000000, 1000000, 0.0, 1.0, 0.000000001, 1)'):
        yield Special(f'large but sparse: {call.decode()}', b'X = ' + call + b';\nprint(ncell(X)); print(X[0, 0]);\n',
                      (0,), memory_gb=8)
    for name, start, step, end in (('string', b's = "0123456789";', b's = s + s;', b'print(s);'),
                                   ('matrix', b'X = [1, 2];', b'X = rbind(X, X);', b'print(sum(X));'),
                                   ('list', b'X = fill(1.0, 1000, 1000); L = createList(X);',
                                    b'L = append(L, X + as.f64(i));', b'print(length(L));')):
        yield Special(f'{name} that grows without end', start + b'\nfor(i in 1:10000) { ' + step + b' }\n' + end, (3,),
                      says='memory', memory_gb=3)


def odd_files():
    yield Special('a directory as script', b'', (1,), kind='directory')
    yield Special('an unreadable file', b'print(1);', (1,), kind='unreadable')
    yield Special('a file that does not exist', b'', (1,), kind='missing')
    yield Special('empty standard input', b'', (0,), kind='stdin', prints='')
    yield Special('random bytes on standard input', random.Random(6).randbytes(10_000), (1,), kind='stdin')


def special_cases(slow):
    for group in (unusual_text, odd_files, exhausted_resources, deep_nesting, huge_scripts):
        yield from group()
    yield from running_scripts(MEGABYTES_5 if slow else 500_000)
