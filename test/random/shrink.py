# SPDX-License-Identifier: Apache-2.0
"""Makes a program smaller while something about it stays true."""

from syntax import Reject, parse

STATEMENTS = frozenset('block expression assign if while do for def return'.split())
SIMPLE = frozenset(('literal', 'name'))
MAX_TRIALS = 600


def nodes_of(text):
    for statement in parse(text):
        yield statement
        yield from statement.descendants()


def without_lines(text):
    """For programs that do not parse: every line may go."""
    lines = text.splitlines(keepends=True)
    for i in range(len(lines)):
        yield ''.join(lines[:i] + lines[i + 1:])


def smaller_statements(text, nodes):
    """Without one statement, the largest first; or with the bodies of one instead of it."""
    for node in sorted((n for n in nodes if n.kind in STATEMENTS), key=lambda n: n.begin - n.end):
        yield text[:node.begin] + text[node.end:]
        for part in node.parts:
            if node.kind != 'def' and part is not None and part.kind in STATEMENTS:
                body = text[part.begin:part.end]
                yield text[:node.begin] + (body[1:-1] if part.kind == 'block' else body) + text[node.end:]


def smaller_expressions(text, nodes):
    """With a part of an expression, or a literal, instead of it."""
    for node in nodes:
        if node.kind in STATEMENTS or node.kind in SIMPLE or node.kind in ('position', 'range'):
            continue
        for part in node.parts:
            if part is not None and part.kind not in STATEMENTS:
                inner = text[part.begin:part.end]
                if part.kind not in SIMPLE and part.kind != 'group' and node.kind != 'group':
                    inner = f'({inner})'
                yield text[:node.begin] + inner + text[node.end:]
        for literal in ('1', '0', '[1, 2]'):
            if node.end - node.begin > len(literal):
                yield text[:node.begin] + literal + text[node.end:]
    for node in nodes:
        if node.kind == 'group':
            yield text[:node.begin] + text[node.begin + 1:node.end - 1] + text[node.end:]


def candidates(text):
    try:
        nodes = list(nodes_of(text))
    except Reject:
        yield from without_lines(text)
        return
    yield from smaller_statements(text, nodes)
    yield from smaller_expressions(text, nodes)


def tidy(text):
    return '\n'.join(line for line in text.splitlines() if line.strip()) + '\n'


def shrink(text, still_holds):
    """Greedy: the first smaller program for which `still_holds` is the next one to shrink."""
    num_trials, seen = 0, {text}
    shrunk = True
    while shrunk:
        shrunk = False
        for candidate in map(tidy, candidates(text)):
            if len(candidate) >= len(text) or candidate in seen:
                continue
            seen.add(candidate)
            num_trials += 1
            if num_trials > MAX_TRIALS:
                return text
            if still_holds(candidate):
                text, shrunk = candidate, True
                break
    return text
