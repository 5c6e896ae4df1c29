# SPDX-License-Identifier: Apache-2.0
"""Statements that fail, put into a program at a random place. The oracle tells what becomes of it: a fault in code that
does not run must not matter, unless the parser refuses it."""

import re

from expressions import OPAQUE_ONE

REFUSED = (
    'print(undefinedVariable);', 'w = undefinedVariable + 1;', 'w = noSuchFunction(1);', 'w = fill(1, 2);',
    'w = sum([1, 2], 2);', 'w = nrow();', 'a, b = 1;', 'w = print(1);', 'return 1;', 'def g() { return 1; }',
    'w = [1, "a"];', 'w = [[1, 2], 3];', 'w = 1', 'w = 01;', 'w = (1;', '{ hidden = 1; } print(hidden);',
    'w = 1; if(w > 0) { w = "a"; }', 'for(k in 1 : 2) { k = 3; }', 'w = fill(value = 1, rows = 2, numCols = 2);',
    'X[0, 0] = [1];', 'w = [1, 2]; w[ [0], 0] = [5];', 'w = 5 ! 3;', 'w = reshape([1, 2], 1);',
    'w = remove(createList([1]), 0);', 'a, b, c = recode([1], true);', 'do { inner = 1; } while(inner < 1);',
    'if(1) fresh = 2; print(fresh);', 'w = 99999999999999999999;',
)
LOOP_TYPE_CHANGE = ('w = 1; c9 = 0; while(c9 < 2) { w = "a"; c9 = c9 + 1; }', 'w = [1]; for(k in 1 : 2) { w = 5; }')
FAILING_EXPRESSIONS = (
    '[1, 2, 3] + [1, 2]', '[1, 2] @ [1, 2]', 'cbind([1, 2], [3])', 'rbind([1, 2](1, 2), [3])',
    'reshape([1, 2, 3], 2, 2)',
    '[1, 2, 3][3, ]', '[1, 2, 3][-4, ]', '[1, 2, 3][2:5, ]', '[1, 2, 3][ [0, 7], ]', '[1, 2, 3][[ [1, 0], ]]',
    'as.scalar([1, 2])', 'as.si64("abc")', 'as.f64("")', 'sqrt(-1.0)', 'ln([1.0, -2.0])', 'seq(1, 5, 0)',
    'fill(1, -1, 2)',
    'diagVector([1, 2])', 'lowerTri([1, 2], true, true)', 'outerAdd([1, 2](1, 2), [1, 2])', '(1 ? 1 : 2.5)',
    '([1, 0] ? [1, 2, 3] : 4)', '5 / 0', '7 % 0', '[1, 2] / 0', '[4, 5] % [1, 0]', 'sum(5)', 't(3)',
    'order([1, 2], 1, true, false)', '[1, 2, 3](2, 2)', 'fill(0, 0, 3)[0, ]', 'as.scalar(fill(1.5, 0, 0))',
)
FAILING_STATEMENTS = (
    'stop();', 'stop("enough");', 'w = [1, 2, 3]; w[3, 0] = [4];', 'w = [1, 2, 3]; w[0, 0] = [4.5];',
    'w = [1, 2, 3]; w[0:2, 0] = [4];', 'if([1, 2]) { print("never"); }', 'while(fill(1, 0, 0)) { print("never"); }',
    'w = [1.5, 2.5]; w[-3, ] = [0.5];', 'w = createList([1], [2.5]);', 'w, e = remove(createList([1]), 1);',
    'w = append(createList([1.5]), [1]);', 'w, e = recode([1, 2](1, 2), true);', 'w = ctable([-1], [0]);',
)


def matrix_faults(name, known):
    """With a matrix of the program, mostly of a shape the compiler does not know."""
    row, col = known.rows, known.cols
    yield f'{name}[{row}, ]'
    yield f'{name}[, {col}]'
    yield f'{name}[{-row - 1}, ]'
    yield f'{name}[0:{row + 1}, ]'
    yield f'reshape({name}, {row + 1}, {col + 1})'
    yield f'rbind({name}, fill(1, 1, {col + 1}))'
    yield f'{name} @ fill(1, {col + 1}, 1)'
    if row > 1:
        yield f'{name} + fill(1, {row + 1}, {col})'
        yield f'as.scalar({name})'
        yield f'{name}[[fill(1, {row - 1}, 1), ]]'
    if known.vt not in ('str', 'f32', 'f64', 'bool') and row and col:
        yield f'{name} / ({name} - {name})'
        yield f'{name} % 0'


def scalar_faults(name, known):
    if known.vt not in ('str', 'f32', 'f64', 'bool'):
        yield f'{name} / ({name} - {name})'
        yield f'{name} % ({name} * 0)'
        yield f'fill(1, -abs({name}) - 1, 1)' if known.vt.startswith('s') and known.vt != 'size' else f'{name} / 0'
    yield f'{name} + undefinedVariable'
    yield f'nrow({name})'


def fault_statement(rng, scope):
    choice = rng.random()
    if choice < 0.25:
        return rng.choice(REFUSED)
    if choice < 0.28:
        return rng.choice(LOOP_TYPE_CHANGE)
    if choice < 0.4:
        return rng.choice(FAILING_STATEMENTS)
    expressions = list(FAILING_EXPRESSIONS)
    if choice > 0.55:
        own = []
        for name, known in scope.items():
            if known.kind == 's':
                own += scalar_faults(name, known)
            elif known.kind == 'l':
                own += [f'{name} + 1', f'append({name}, 5)', f'length({name}) / 0', f'sum({name})']
            elif known.is_static:
                own += matrix_faults(name, known)
        expressions = own or expressions
    expression = rng.choice(expressions)
    if OPAQUE_ONE in scope and rng.random() < 0.4:
        expression = hide_number(rng, expression)
    form = rng.choice(['print({});', 'w = {};', '{};', 'w = {}; print("after");', 'print(typeOf({}));'])
    return form.format(expression)


def hide_number(rng, expression):
    """With one of its numbers not known to the compiler, or only after some simplification."""
    numbers = list(re.finditer(r'(?<![\w."])\d+(?![\w."])', expression))
    if not numbers:
        return expression
    number = rng.choice(numbers)
    form = rng.choice(['({} * one)', '({} + 0 * one)', '({} + (one - one))'])
    return expression[:number.start()] + form.format(number[0]) + expression[number.end():]


def inject_fault(rng, program):
    """The program with a fault after some line."""
    places = [i for i, line in enumerate(program.lines) if line.scope is not None]
    if not places:
        return program
    place = rng.choice(places)
    line = program.lines[place]
    fault = type(line)(fault_statement(rng, line.scope), line.indent, None)
    return type(program)(program.lines[:place + 1] + [fault] + program.lines[place + 1:])
