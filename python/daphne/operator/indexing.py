# SPDX-License-Identifier: Apache-2.0
"""Parts of matrices and frames: what stands between the brackets, as text with operands."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from .._graph import infer
from .._graph.literals import is_number, quoted
from .._graph.scopes import current_scope
from .._graph.step import FRAME, MATRIX, SCALAR, Step
from .operation_node import OperationNode


class Part:
    """One index: text with a place for every operand, and how many rows or columns it takes, if that is known."""

    def __init__(self, text: str, operands: Tuple[Any, ...] = (), size: Optional[int] = None, marks: bool = False,
                 is_positions: bool = False) -> None:
        self.text = text
        self.operands = operands
        self.size = size
        self.marks = marks  # chooses by truth values
        self.is_positions = is_positions  # a column of numbers


def index_step(node: Any, index: Any) -> Step:
    """node[index]"""
    step = node._step
    mask = _mask_of_cells(node, index)
    if mask is not None:
        return Step(MATRIX, '[[]]', [step, mask], form='{0}[[{1}]]', vtype=step.vtype, shape=(None, 1))
    pair = _pair(node, index)
    if isinstance(pair[0], slice):
        shorter = _first_or_last_rows(step, pair[0])
        if shorter is not None:
            from .nodes import handle_of
            node, step, pair = handle_of(shorter, node.daphne_context), shorter, (slice(None), pair[1])
    rows, cols = _two_parts(node, pair)
    form, operands = _written([rows, cols], 1)
    return Step(step.kind, '[]', [step, *operands], form='{0}' + form, vtype=step.vtype, shape=(rows.size, cols.size))


def _first_or_last_rows(step: Step, index: slice) -> Optional[Step]:
    """Slices of rows whose number is not known: Python's end where the matrix does."""
    start, stop = index.start, index.stop
    if step.shape[0] is not None or index.step not in (None, 1) or any(
            bound is not None and not isinstance(bound, (int, np.integer)) for bound in (start, stop)):
        return None
    if start is None and stop is None:
        return None

    def part(name: str, of: Step, count: Any) -> Step:
        return Step(step.kind, name, [of, count], vtype=step.vtype, shape=(None, step.shape[1]))

    def all_but(of: Step, less: int) -> Step:
        size = Step(SCALAR, 'as.si64', [Step(SCALAR, 'nrow', [of], vtype='size')], vtype='si64')
        rest = Step(SCALAR, '-', [size, less], form='{0} - {1}', vtype='si64')
        return Step(SCALAR, 'max', [rest, 0], vtype='si64')

    start = 0 if start is None else int(start)
    if start < 0:
        return part('tail', step, -start) if stop is None else None
    if stop is not None and int(stop) < 0:
        if start:
            return None
        return part('head', step, all_but(step, -int(stop)))
    found = step
    if stop is not None:
        found = part('head', found, int(stop))
    return part('tail', found, all_but(found, start)) if start else found


def check_scope(node: Any) -> None:
    """Parts of a node are assigned where it was made: bodies cannot change what is outside of them."""
    if node._scope is not current_scope():
        raise ValueError(f'{node._step.operation}: a part is assigned inside of a body, but the {type(node).__name__} is from '
                         'outside; pass it as an input')


def insert_step(node: Any, index: Any, value: Any) -> Step:
    """What node is after node[index] = value."""
    step = node._step
    new = quoted(value) if isinstance(value, str) else _in_type_of(step, node._operand(value))
    mask = _mask_of_cells(node, index)
    if mask is not None:
        form, operands = '[[{1}]]', [mask]
    else:
        parts = list(_two_parts(node, index))
        for axis, part in enumerate(parts):
            if part.is_positions:
                return _insert_one_by_one(step, parts, axis, new)
        form, operands = _written(parts, 1)

    def write(writer: Any, self: Step) -> str:
        # The variable is a new one; who uses the old one is not affected.
        words = [writer.operand(one) for one in self.operands]
        name = writer.fresh('v')
        writer.line(f'{name} = {words[0]};', self)
        writer.line(f'{name}{form.format(*words)} = {words[-1]};', self)
        return name

    return Step(step.kind, '[]=', [step, *operands, new], form=write, vtype=step.vtype, shape=step.shape)


def _in_type_of(step: Step, new: Any) -> Any:
    """A new cell in the type of the matrix, where that loses nothing but precision of floating point."""
    if step.vtype is None or step.kind != MATRIX:
        return new
    given = infer.type_of(new)
    if given is None or given == step.vtype or given == 'str' or step.vtype == 'str':
        return new
    is_exact = is_number(new) and float(new).is_integer()
    if step.vtype not in ('f32', 'f64') and not is_exact:
        return new  # the engine says whether it widens
    if step.vtype == 'size':  # a type without a word
        return f'{int(new)}z' if is_exact and new >= 0 else new
    kind = new.kind if isinstance(new, Step) else SCALAR
    return Step(kind, f'as.{step.vtype}', [new], vtype=step.vtype, shape=infer.shape_of(new))


def _insert_one_by_one(step: Step, parts: List[Part], axis: int, new: Any) -> Step:
    """node[positions, ...] = value: in the order of the positions."""
    positions, other = parts[axis], parts[1 - axis]
    if other.is_positions:
        raise IndexError('positions can be assigned to along one axis; for the other one use a number or a slice')

    def write(writer: Any, self: Step) -> str:
        base, at, *rest = (writer.operand(one) for one in self.operands)
        name, counter = writer.fresh('v'), writer.fresh('i')
        writer.line(f'{name} = {base};', self)
        writer.line(f'for ({counter} in 0:as.si64(nrow({at})) - 1:1) {{', self)
        inner = other.text.format(*rest[:-1])
        place = f'as.scalar({at}[{counter}, 0])'
        value = rest[-1]
        if isinstance(new, Step) and new.kind == MATRIX:
            value = f'{value}[{counter}, ]' if axis == 0 else f'{value}[, {counter}]'
        writer.line(f'    {name}[{place}, {inner}] = {value};' if axis == 0 else f'    {name}[{inner}, {place}] = {value};', self)
        writer.line('}', self)
        return name

    return Step(step.kind, '[]=', [step, *positions.operands, *other.operands, new], form=write, vtype=step.vtype,
                shape=step.shape)


def _written(parts: List[Part], first: int) -> Tuple[str, List[Any]]:
    """The brackets, with operands numbered from `first`."""
    texts: List[str] = []
    operands: List[Any] = []
    for part in parts:
        names = [f'{{{first + len(operands) + i}}}' for i in range(len(part.operands))]
        texts.append(part.text.format(*names))
        operands.extend(part.operands)
    return f'[{", ".join(texts)}]', operands


def _mask_of_cells(node: Any, index: Any) -> Optional[Step]:
    """A single index of truth values for all cells."""
    if isinstance(index, np.ndarray) and index.dtype == np.bool_ and index.ndim == 2 and index.shape[1] != 1:
        return node._operand(index)
    if isinstance(index, OperationNode) and index._step.kind == MATRIX:
        shape, mine = index._step.shape, node._step.shape
        if shape[1] not in (None, 1) or (shape[1] is not None and shape == mine and mine[1] == 1 and is_truth(index._step)):
            return index._step
    return None


def is_truth(step: Step) -> bool:
    """Whether a matrix of truth values is meant: of comparisons and logic, or of type bool."""
    return step.vtype == 'bool' or step.operation in ('==', '!=', '<', '<=', '>', '>=', '&&', '||', 'isNan')


def _two_parts(node: Any, index: Any) -> Tuple[Part, Part]:
    rows, cols = node._step.shape
    pair = _pair(node, index)
    return part_of(node, pair[0], rows, 'nrow'), part_of(node, pair[1], cols, 'ncol')


def _pair(node: Any, index: Any) -> Tuple[Any, Any]:
    """Both indexes; what is missing is everything."""
    if not isinstance(index, tuple):
        index = (index, slice(None))
    if Ellipsis in [one for one in index if one is Ellipsis]:
        at = next(i for i, one in enumerate(index) if one is Ellipsis)
        rest = index[:at] + index[at + 1:]
        if any(one is Ellipsis for one in rest):
            raise IndexError('an index has one ... at most')
        index = index[:at] + (slice(None),) * (2 - len(rest)) + index[at + 1:]
    if len(index) == 1:
        index = (index[0], slice(None))
    if len(index) != 2:
        raise IndexError(f'a {type(node).__name__} has two dimensions; there are {len(index)} indexes')
    return index


def part_of(node: Any, index: Any, size: Optional[int], count: str) -> Part:
    """One index of an axis with this size, if it is known."""
    if index is None:
        raise IndexError('None is no index: there is no third dimension')
    if isinstance(index, slice):
        return _slice(node, index, size, count)
    if isinstance(index, str) and node._step.kind == FRAME and count == 'ncol':
        return Part(quoted(index).replace('{', '{{').replace('}', '}}'), size=1)
    if isinstance(index, (bool, np.bool_)):
        raise IndexError('a truth value is no position')
    if isinstance(index, (int, np.integer)):
        position = int(index)
        if size is not None and not -size <= position < size:
            raise IndexError(f'position {position} is outside of {size} {"rows" if count == "nrow" else "columns"}')
        return Part(str(position), size=1)
    if isinstance(index, OperationNode):
        step = index._step
        if step.kind == SCALAR:
            return Part('{}', (step,), size=1)
        if step.kind == MATRIX:
            if step.vtype == 'bool':
                return Part('{}', (step,), marks=True)
            if is_truth(step):
                return Part('as.bool({})', (step,), marks=True)
            return Part('{}', (step,), size=step.shape[0], is_positions=True)
    if is_number(index):
        raise IndexError(f'{index!r} is no position')
    return _positions(node, index, size, count)


def _positions(node: Any, index: Any, size: Optional[int], count: str) -> Part:
    """A list or an array."""
    if isinstance(index, (list, tuple)) and index and all(isinstance(one, str) for one in index):
        raise IndexError('several labels are an index of a frame: F[["a", "b"]]')
    array = np.asarray(index)
    if array.ndim != 1 and not (array.ndim == 2 and 1 in array.shape):
        raise IndexError(f'an index is a number, a slice, or a sequence of positions, not an array of shape {array.shape}')
    array = array.reshape(-1)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype == np.bool_:
        if size is not None and array.size != size:
            raise IndexError(f'{array.size} truth values for {size} {"rows" if count == "nrow" else "columns"}')
        return Part('{}', (node._operand(array),), size=int(array.sum()), marks=True)
    if array.dtype.kind not in 'iu':
        raise IndexError(f'an index has the dtype {array.dtype}; positions are integers')
    return Part('{}', (node._operand(array),), size=int(array.size), is_positions=True)


def _slice(node: Any, index: slice, size: Optional[int], count: str) -> Part:
    start, stop, step = index.start, index.stop, index.step
    for bound in (start, stop, step):
        if bound is not None and not isinstance(bound, (int, np.integer, OperationNode)):
            raise IndexError(f'{bound!r} is no bound of a slice')
    if step is not None and not isinstance(step, OperationNode) and int(step) == 0:
        raise IndexError('the step of a slice is not 0')
    if step in (None, 1) if not isinstance(step, OperationNode) else False:
        if start is None and stop is None:
            return Part('', size=size)
        if any(isinstance(bound, OperationNode) for bound in (start, stop)):
            return _open_slice(start, stop)
        if size is not None:
            first, last, _ = index.indices(size)
            if first >= last:  # a range has no place behind the end
                return Part('{}', (node._operand(np.empty((0, 1), dtype=np.int64)),), size=0, is_positions=True)
            return Part(f'{first}:{last}', size=last - first)
        return _positions_between(node, start, stop, 1, count)
    if size is not None and not any(isinstance(bound, OperationNode) for bound in (start, stop, step)):
        positions = np.arange(*index.indices(size), dtype=np.int64)
        return Part('{}', (node._operand(positions),), size=int(positions.size), is_positions=True)
    return _positions_between(node, start, stop, step, count)


def _open_slice(start: Any, stop: Any) -> Part:
    words, operands = [], []
    for bound in (start, stop):
        if bound is None:
            words.append('')
        elif isinstance(bound, OperationNode):
            words.append('{}')
            operands.append(bound._step)
        else:
            words.append(str(int(bound)))
    return Part(':'.join(words), tuple(operands))


def _positions_between(node: Any, start: Any, stop: Any, step: Any, count: str) -> Part:
    """Any slice of an axis whose size the engine knows: the positions, computed there."""
    from .nodes import handle_of
    made = node.daphne_context
    size: Any = handle_of(Step(SCALAR, 'as.si64', [Step(SCALAR, count, [node._step], vtype='size')], vtype='si64'), made)
    if isinstance(step, OperationNode):
        raise IndexError('the step of a slice is a number')
    step = 1 if step is None else int(step)

    low, high = (0, size) if step > 0 else (-1, size - 1)

    def bound(given: Any, default: Any) -> Any:
        if given is None:
            return default if isinstance(default, OperationNode) else size * 0 + default
        at: Any = given if isinstance(given, OperationNode) else int(given)
        if not isinstance(at, OperationNode) and at < 0:
            at = size + at
        return made_of('min', made_of('max', at, low), high)

    def made_of(name: str, left: Any, right: Any) -> Any:
        return handle_of(Step(SCALAR, name, [node._operand(left), node._operand(right)], vtype='si64'), made)

    first = bound(start, 0 if step > 0 else size - 1)
    last = bound(stop, size if step > 0 else -1)
    # ceil((last - first) / step) of them, or none.
    number = ((last - first + (step - 1 if step > 0 else step + 1)) / step).max(0)
    positions = Step(MATRIX, 'seq', [0, number._step], vtype='si64')
    counted: Any = handle_of(positions, made)
    whole = counted * step + first
    taken = Step(MATRIX, '[]', [whole._step, number._step], form='{0}[0:{1}, ]', vtype='si64', shape=(None, 1))
    return Part('{}', (taken,), is_positions=True)


__all__ = ['index_step', 'insert_step', 'is_truth', 'part_of', 'Part']
