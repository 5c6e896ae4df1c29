# SPDX-License-Identifier: Apache-2.0
"""Programs in DaphneDSL as parts of graphs."""
from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .._graph.literals import literal, quoted
from .._graph.step import FRAME, LIST, MATRIX, MULTI, NONE, SCALAR, Step
from ..operator.nodes import handle_of

_KINDS = (MATRIX, FRAME, SCALAR, LIST)
_COMMENT_OR_STRING = re.compile(r'//[^\n]*|#[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
_DEFINITION = re.compile(r'\bdef\s+(\w+)\s*\(([^)]*)\)\s*(?:->\s*([^{]*))?\{')
_IDENTIFIER = re.compile(r'[A-Za-z_]\w*')
_SCALAR_FUNCTIONS = {'det', 'norm', 'isSymmetric', 'sparsity', 'typeOf', 'nrow', 'ncol', 'ncell', 'length', 'strlen', 'now',
                     'join'}
_FRAME_FUNCTIONS = {'antiJoin', 'cartesian', 'createFrame', 'describe', 'except', 'fullOuterJoin', 'groupSum', 'innerJoin',
                    'intersect', 'leftOuterJoin', 'merge', 'readFrame', 'setColLabels', 'setColLabelsPrefix', 'summary',
                    'thetaJoin'}


class ScriptStep(Step):
    """A text whose variables become results; it stands in the program as it is."""
    __slots__ = ('source', 'variables', 'names')

    def __init__(self, source: str, inputs: Mapping[str, Any], outputs: Sequence[str]) -> None:
        super().__init__(MULTI, 'script', list(inputs.values()), results=len(outputs))
        self.source = source
        self.variables = list(inputs)
        self.names = list(outputs)
        global _is_used
        _is_used = True

    def write(self, writer: Any) -> None:
        for variable, operand in zip(self.variables, self.operands):
            writer.line(f'{variable} = {writer.operand(operand)};', self)
        for line in self.source.splitlines():
            writer.line(line, self)
        name = writer.fresh('v')
        for i, output in enumerate(self.names):
            writer.line(f'{name}_{i} = {output};', self)
        writer.name(self, name)

    def identifiers(self) -> List[str]:
        """All words of the text: names of ours must be others."""
        return _IDENTIFIER.findall(self.source) + self.variables


_is_used = False


def reserved_names(steps: Sequence[Step]) -> List[str]:
    """Names that scripts within these graphs use."""
    if not _is_used:
        return []
    found: List[str] = []
    seen = set()
    stack = list(steps)
    while stack:
        step = stack.pop()
        if step in seen:
            continue
        seen.add(step)
        if isinstance(step, ScriptStep):
            found += step.identifiers()
        stack.extend(step.inputs())
        for body in getattr(step, 'bodies', ()):
            stack.extend(one for one in [*body.results, *body.scope.effects] if isinstance(one, Step))
    return found


class Library:
    """The functions of a script, as functions of nodes."""

    def __init__(self, path: str, functions: Dict[str, Any]) -> None:
        self._path = path
        self.__dict__.update(functions)

    def __repr__(self) -> str:
        names = ', '.join(name for name in self.__dict__ if not name.startswith('_'))
        return f'Library({self._path!r}: {names})'


class Scripts:
    """Scripts, their functions, and builtin functions without a method of their own."""

    def _operand(self, value: Any) -> Any:
        raise NotImplementedError

    def script(self, source: Union[str, 'os.PathLike[str]'], inputs: Optional[Mapping[str, Any]] = None,
               outputs: Union[Sequence[str], Mapping[str, str]] = (), args: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """Variables of a program in DaphneDSL, given as text or as the name of a file that ends in .daph. `inputs` are variables
        it begins with; `args` replace $name. `outputs` are names of matrices, or of what they are: {'F': 'frame'}.

        >>> out = dc.script('Y = X * $k;', {'X': dc.ones(1, 2)}, ['Y'], {'k': 3})
        >>> out['Y'].compute()
        array([[3., 3.]])
        """
        if isinstance(source, os.PathLike) or (source.endswith('.daph') and '\n' not in source and ';' not in source):
            with open(source, encoding='utf-8') as file:
                text = file.read()
        else:
            text = source
        text = _with_arguments(text, args or {})
        kinds = dict(outputs) if isinstance(outputs, Mapping) else {name: MATRIX for name in outputs}
        for name, kind in kinds.items():
            _check_kind(kind)
            if not _IDENTIFIER.fullmatch(name):
                raise ValueError(f'{name!r} is no variable')
        operands = {name: self._operand(one) for name, one in (inputs or {}).items()}
        for name in operands:
            if not _IDENTIFIER.fullmatch(name):
                raise ValueError(f'{name!r} is no name of a variable')
        step = ScriptStep(text, operands, list(kinds))
        return {name: handle_of(Step(kind, 'result', [step], index=i), self) for i, (name, kind) in enumerate(kinds.items())}

    def import_dsl(self, path: Union[str, 'os.PathLike[str]']) -> Library:
        """The functions of a script as functions of nodes. Their results are matrices unless the definition declares
        others."""
        name = os.path.abspath(os.fspath(path))
        if '"' in name or '\n' in name:
            raise ValueError(f'a script cannot be imported from {name!r}: its path has a quote or a line end')
        with open(name, encoding='utf-8') as file:
            text = _COMMENT_OR_STRING.sub(' ', file.read())
        functions = {}
        for match in _DEFINITION.finditer(text):
            kinds = _result_kinds(match.group(3), text[match.end():])
            functions[match.group(1)] = self._function_of_file(name, match.group(1), kinds)
        if not functions:
            raise ValueError(f'{name} defines no function')
        return Library(name, functions)

    def _function_of_file(self, path: str, function: str, kinds: List[str]) -> Any:
        def call(*arguments: Any) -> Any:
            def write(writer: Any, step: Step) -> str:
                words = ', '.join(writer.operand(one) for one in step.operands)
                return f'{writer.module(path)}.{function}({words})'

            operands = [quoted(one) if isinstance(one, str) else self._operand(one) for one in arguments]
            if len(kinds) == 1:
                return handle_of(Step(kinds[0], function, operands, form=write), self)
            step = Step(MULTI, function, operands, form=write, results=len(kinds))
            return tuple(handle_of(Step(kind, 'result', [step], index=i), self) for i, kind in enumerate(kinds))

        call.__name__ = function
        call.__doc__ = f'{function} of {path}'
        return call

    def builtin(self, name: str, *args: Any, outputs: Union[int, str, Sequence[str], None] = None, **named: Any) -> Any:
        """A call of any builtin function. `outputs` is the number of its results, or what they are: "matrix", "frame",
        "scalar" or "list"; a tuple of nodes if there are several, a node to compute if there are none. Texts are passed as
        texts.

        >>> dc.builtin('det', dc.eye(2)).compute()
        1.0
        """
        if not _IDENTIFIER.fullmatch(name):
            raise ValueError(f'{name!r} is no builtin function')
        operands = [quoted(one) if isinstance(one, str) else self._operand(one) for one in args]
        keywords = {key: quoted(one) if isinstance(one, str) else self._operand(one) for key, one in named.items()} or None
        if outputs is None:
            kinds: Tuple[str, ...] = (SCALAR if name in _SCALAR_FUNCTIONS else FRAME if name in _FRAME_FUNCTIONS else MATRIX,)
        elif isinstance(outputs, int):
            kinds = (MATRIX,) * outputs
        else:
            kinds = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        for kind in kinds:
            _check_kind(kind)
        if not kinds:
            return handle_of(Step(NONE, name, operands, keywords), self)
        if len(kinds) == 1:
            return handle_of(Step(kinds[0], name, operands, keywords), self)
        step = Step(MULTI, name, operands, keywords, results=len(kinds))
        return tuple(handle_of(Step(kind, 'result', [step], index=i), self) for i, kind in enumerate(kinds))


def _check_kind(kind: str) -> None:
    if kind not in _KINDS:
        raise ValueError(f'a result is one of {", ".join(_KINDS)}, not {kind!r}')


def _with_arguments(text: str, args: Mapping[str, Any]) -> str:
    used = set()

    def value(match: 're.Match[str]') -> str:
        name = match.group(1)
        if name is None:
            return match.group(0)
        if name not in args:
            raise ValueError(f'the script has an argument ${name}, but args has no {name!r}')
        used.add(name)
        given = args[name]
        return quoted(given) if isinstance(given, str) else literal(given)

    text = re.sub(_COMMENT_OR_STRING.pattern + r'|\$(\w+)', value, text, flags=re.DOTALL)
    for name in args:
        if name not in used:
            raise ValueError(f'the script has no argument ${name}')
    return text


def _result_kinds(declared: Optional[str], rest: str) -> List[str]:
    """What a function returns: as declared, else as many matrices as its first return has."""
    if declared and declared.strip():
        return [next((kind for kind in (MATRIX, FRAME, LIST) if one.strip().startswith(kind)), SCALAR)
                for one in _split(declared)]
    found = re.search(r'\breturn\b([^;]*);', rest)
    return [MATRIX] * (len(_split(found.group(1))) if found else 1)


def _split(text: str) -> List[str]:
    """At commas outside of brackets."""
    parts, depth, begin = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in '([{') - (char in ')]}')
        if char == ',' and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    return [*parts, text[begin:]]
