# SPDX-License-Identifier: Apache-2.0
"""`dc.jit`: Python functions over nodes whose `if`, `for` and `while` become those of the engine.

The source of the function is rewritten: bodies become functions of the variables they assign, and what was a statement calls
`Runtime`, which looks at the condition. If it is a node, the branch or loop is built; if it is a value of Python, Python
goes on as always. Nothing else changes its meaning.
"""
from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

import numpy as np

from ._graph.literals import is_number
from .operator.operation_node import OperationNode

_RUNTIME = '__daphne_jit__'


class _Undefined:
    """A variable that has no value yet."""

    def __repr__(self) -> str:
        return 'undefined'


UNDEFINED = _Undefined()


def jit(context: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """See DaphneContext.jit."""
    rewritten = _rewritten(function, Runtime(context))

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        values = [*arguments, *named.values()]
        is_eager = not any(isinstance(one, OperationNode) for one in values) and any(_is_data(one) for one in values)
        result = rewritten(*[_node_of(context, one) for one in arguments],
                           **{name: _node_of(context, one) for name, one in named.items()})
        return _computed(result) if is_eager else result

    return call


def _is_data(value: Any) -> bool:
    return isinstance(value, np.ndarray) or type(value).__module__.split('.')[0] in ('pandas', 'scipy', 'torch', 'polars')


def _node_of(context: Any, value: Any) -> Any:
    return context.asarray(value) if _is_data(value) else value


def _computed(result: Any) -> Any:
    from .compute import compute
    if isinstance(result, tuple):
        nodes = [one for one in result if isinstance(one, OperationNode)]
        found = iter(compute(*nodes))
        return tuple(next(found) if isinstance(one, OperationNode) else one for one in result)
    return result.compute() if isinstance(result, OperationNode) else result


class Runtime:
    """What rewritten functions call."""

    def __init__(self, context: Any) -> None:
        self._context = context

    @staticmethod
    def value(read: Callable[[], Any]) -> Any:
        """A variable, or UNDEFINED."""
        try:
            return read()
        except NameError:
            return UNDEFINED

    @staticmethod
    def plain(value: Any, why: str) -> Any:
        """The condition of a statement that cannot be rewritten."""
        if isinstance(value, OperationNode):
            raise TypeError(f'the condition is a node, and the statement contains {why}, which jit cannot rewrite')
        return value

    def branch(self, test: Any, then: Callable[..., Any], otherwise: Callable[..., Any], names: Sequence[str],
               values: Sequence[Any]) -> Tuple[Any, ...]:
        """if test: then, else: otherwise"""
        if not isinstance(test, OperationNode):
            return tuple((then if test else otherwise)(*values))

        def checked(body: Callable[..., Any]) -> Callable[..., Any]:
            def run(*nodes: Any) -> Tuple[Any, ...]:
                given = [UNDEFINED if old is UNDEFINED else new for old, new in zip(values, nodes)]
                return self._all_defined(body(*given), names, 'a branch')
            return run

        inputs = [0 if one is UNDEFINED else one for one in values]
        self._check(inputs, names)
        if not names:
            raise TypeError('a branch whose condition is a node assigns no variable')
        return tuple(_cond(self._context, inputs, test, checked(then), checked(otherwise)))

    def loop(self, test: Callable[..., Any], body: Callable[..., Any], names: Sequence[str],
             values: Sequence[Any]) -> Tuple[Any, ...]:
        """while test: body"""
        first = test(*values)
        if not isinstance(first, OperationNode):
            while self.plain(test(*values), 'a condition that was a value of Python before'):
                values = body(*values)
            return tuple(values)
        self._all_defined(values, names, 'a loop')
        self._check(values, names)
        return tuple(self._context.while_loop(list(values), test, body))

    def for_range(self, bounds: Sequence[Any], body: Callable[..., Any], names: Sequence[str],
                  values: Sequence[Any]) -> Tuple[Any, ...]:
        """for i in range(*bounds): body"""
        if not any(isinstance(one, OperationNode) for one in bounds):
            for i in range(*bounds):
                values = body(*values, i)
            return tuple(values)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if not isinstance(step, int) or step == 0:
            raise TypeError(f'the step of a range over nodes is a number of Python other than 0, not {step!r}')
        self._all_defined(values, names, 'a loop')
        self._check(values, names)
        return tuple(self._context.for_loop(list(values), body, start, stop - 1 if step > 0 else stop + 1, step))

    def both(self, left: Callable[[], Any], right: Callable[[], Any]) -> Any:
        """left and right"""
        first = left()
        if not isinstance(first, OperationNode):
            return first and right()
        second = right()
        return self._context.logical_and(first, second) if _is_scalar(first, second) else first & second

    def either(self, left: Callable[[], Any], right: Callable[[], Any]) -> Any:
        """left or right"""
        first = left()
        if not isinstance(first, OperationNode):
            return first or right()
        second = right()
        return self._context.logical_or(first, second) if _is_scalar(first, second) else first | second

    @staticmethod
    def negated(value: Any) -> Any:
        """not value"""
        return value.__eq__(0) if isinstance(value, OperationNode) else not value

    def choice(self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """then if test else otherwise"""
        if not isinstance(test, OperationNode):
            return then() if test else otherwise()
        return _cond(self._context, [0], test, lambda _: then(), lambda _: otherwise())[0]

    @staticmethod
    def _all_defined(values: Any, names: Sequence[str], where: str) -> Tuple[Any, ...]:
        for name, value in zip(names, values):
            if value is UNDEFINED:
                raise TypeError(f'the variable {name!r} has no value before or in {where} whose condition is a node')
        return tuple(values)

    @staticmethod
    def _check(values: Sequence[Any], names: Sequence[str]) -> None:
        for name, value in zip(names, values):
            if not isinstance(value, OperationNode) and not is_number(value):
                raise TypeError(f'the variable {name!r} is a {type(value).__name__}; loops and branches over nodes change nodes '
                                'and numbers only')


def _is_scalar(*values: Any) -> bool:
    return all(not isinstance(one, OperationNode) or one._step.kind == 'scalar' for one in values)


def _cond(context: Any, inputs: Sequence[Any], test: Any, then: Callable[..., Any], otherwise: Callable[..., Any]) -> Any:
    return context.cond(list(inputs), lambda: test, then, otherwise)


# ---- rewriting

def _rewritten(function: Callable[..., Any], runtime: Runtime) -> Callable[..., Any]:
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        raise TypeError('jit needs the source of the function') from None
    tree = ast.parse(source)
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise TypeError('jit takes a function that is defined by def')
    definition.decorator_list = []
    name = definition.name
    # What the function sees of the functions around it.
    closure = inspect.getclosurevars(function)
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    _Rewriter().visit(definition)
    ast.fix_missing_locations(tree)
    space: Dict[str, Any] = _Names(function.__globals__)
    space.update(closure.nonlocals)
    space[_RUNTIME] = runtime
    exec(compile(tree, function.__code__.co_filename, 'exec'), space)  # the user's own code
    made = space[name]
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made  # type: ignore[no-any-return]


class _Names(dict):  # type: ignore[type-arg]
    """Names of the function's module, as they are when they are asked for."""

    def __init__(self, outer: Dict[str, Any]) -> None:
        super().__init__()
        self._outer = outer
        self['__builtins__'] = outer.get('__builtins__', __builtins__)

    def __missing__(self, name: str) -> Any:
        return self._outer[name]


class _Rewriter(ast.NodeTransformer):
    """Branches and loops as calls of the runtime."""

    def __init__(self) -> None:
        self._number = 0
        self._depth = 0

    def _name(self, what: str) -> str:
        self._number += 1
        return f'__{what}_{self._number}'

    # Functions inside of the function are Python's own.
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if self._depth:
            return node
        self._depth += 1
        self.generic_visit(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def visit_If(self, node: ast.If) -> Any:
        jump = _jump_in(node.body + node.orelse)
        names = sorted(_assigned(node.body + node.orelse))
        self.generic_visit(node)
        if jump:
            node.test = _call('plain', node.test, ast.Constant(jump))
            return node
        then, otherwise = self._name('then'), self._name('else')
        return [_function(then, names, node.body), _function(otherwise, names, node.orelse or [ast.Pass()]),
                _assignment(names, _call('branch', node.test, _load(then), _load(otherwise), _names(names), _values(names)))]

    def visit_While(self, node: ast.While) -> Any:
        jump = _jump_in(node.body) or ('else' if node.orelse else '')
        names = sorted(_assigned(node.body))
        self.generic_visit(node)
        if jump:
            node.test = _call('plain', node.test, ast.Constant(jump))
            return node
        test, body = self._name('test'), self._name('body')
        return [_function(test, names, [ast.Return(node.test)], returns=False), _function(body, names, node.body),
                _assignment(names, _call('loop', _load(test), _load(body), _names(names), _values(names)))]

    def visit_For(self, node: ast.For) -> Any:
        is_range = (isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and node.iter.func.id == 'range'
                    and isinstance(node.target, ast.Name) and not node.iter.keywords
                    and not any(isinstance(one, ast.Starred) for one in node.iter.args))
        jump = _jump_in(node.body) or ('else' if node.orelse else '')
        names = sorted(_assigned(node.body) - _targets(node.target))
        self.generic_visit(node)
        if not is_range or jump:
            if is_range:
                node.iter.args = [_call('plain', one, ast.Constant(jump)) for one in node.iter.args]  # type: ignore
            return node
        body = self._name('body')
        return [_function(body, [*names, node.target.id], node.body, results=names),  # type: ignore[attr-defined]
                _assignment(names, _call('for_range', ast.Tuple(node.iter.args, ast.Load()), _load(body),  # type: ignore
                                         _names(names), _values(names)))]

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        method = 'both' if isinstance(node.op, ast.And) else 'either'
        result = node.values[-1]
        for value in reversed(node.values[:-1]):
            result = _call(method, _lambda(value), _lambda(result))
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call('negated', node.operand) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return _call('choice', node.test, _lambda(node.body), _lambda(node.orelse))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        parts: List[ast.expr] = []
        left = node.left
        for operator, right in zip(node.ops, node.comparators):
            parts.append(ast.Compare(left, [operator], [right]))
            left = right
        result = parts[-1]
        for part in reversed(parts[:-1]):
            result = _call('both', _lambda(part), _lambda(result))
        return result


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _call(method: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_load(_RUNTIME), method, ast.Load()), list(arguments), [])


def _lambda(body: ast.expr) -> ast.expr:
    return ast.Lambda(_parameters([]), body)


def _parameters(names: Sequence[str]) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in names], vararg=None, kwonlyargs=[], kw_defaults=[],
                         kwarg=None, defaults=[])


def _function(name: str, parameters: Sequence[str], body: List[ast.stmt], results: Any = None, returns: bool = True) -> ast.stmt:
    end: List[ast.stmt] = []
    if returns:
        end = [ast.Return(ast.Tuple([_load(one) for one in (parameters if results is None else results)], ast.Load()))]
    found = ast.parse(f'def {name}(): pass').body[0]
    assert isinstance(found, ast.FunctionDef)
    found.args, found.body = _parameters(parameters), body + end
    return found


def _assignment(names: Sequence[str], value: ast.expr) -> ast.stmt:
    if not names:
        return ast.Expr(value)
    return ast.Assign([ast.Tuple([ast.Name(one, ast.Store()) for one in names], ast.Store())], value)


def _names(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(one) for one in names], ast.Load())


def _values(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([_call('value', _lambda(_load(one))) for one in names], ast.Load())


def _targets(target: ast.AST) -> Set[str]:
    """Variables that an assignment to this changes."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, (ast.Tuple, ast.List)):
        return set().union(*[_targets(one) for one in target.elts])
    if isinstance(target, ast.Starred):
        return _targets(target.value)
    if isinstance(target, ast.Subscript):
        return _targets(target.value)
    return set()


def _assigned(body: Sequence[ast.stmt]) -> Set[str]:
    """Variables that statements change."""
    found: Set[str] = set()
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(statement.name)
            continue
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                found |= _targets(target)
        elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
            found |= _targets(statement.target)
        elif isinstance(statement, ast.For):
            # the variable of a range ends with its loop
            is_range = isinstance(statement.iter, ast.Call) and getattr(statement.iter.func, 'id', '') == 'range'
            found |= set() if is_range else _targets(statement.target)
        elif isinstance(statement, ast.With):
            for item in statement.items:
                if item.optional_vars is not None:
                    found |= _targets(item.optional_vars)
        for field in ('body', 'orelse', 'finalbody'):
            found |= _assigned(getattr(statement, field, []))
        for handler in getattr(statement, 'handlers', []):
            found |= _assigned(handler.body)
    return {name for name in found if not name.startswith('__')}


def _jump_in(body: Sequence[ast.stmt], in_loop: bool = False) -> str:
    """A statement that leaves the body: "return", "break" ..., '' if there is none."""
    for statement in body:
        if isinstance(statement, ast.Return):
            return 'return'
        if isinstance(statement, (ast.Break, ast.Continue)) and not in_loop:
            return 'break' if isinstance(statement, ast.Break) else 'continue'
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        is_loop = isinstance(statement, (ast.For, ast.While))
        for field in ('body', 'orelse', 'finalbody'):
            found = _jump_in(getattr(statement, field, []), in_loop or (is_loop and field == 'body'))
            if found:
                return found
        for handler in getattr(statement, 'handlers', []):
            found = _jump_in(handler.body, in_loop)
            if found:
                return found
        for node in ast.walk(statement):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
                return 'yield'
    return ''
