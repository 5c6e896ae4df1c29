# SPDX-License-Identifier: Apache-2.0
"""Values of the engine and memory of Python, the one seen as the other.

A `Value` owns one reference to a value of the engine. Memory that the engine borrows is kept alive by `_lent` until the
engine releases it, on whatever thread; memory of the engine that Python looks at is kept alive by the `Value`, which every
view refers to.
"""
from __future__ import annotations

import ctypes
import itertools
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_uint64, c_void_p, sizeof
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import library
from .failures import call
from .library import Csr, Dense, Input, Release

# What the engine has borrowed: number of the loan -> the objects that own the memory.
_lent: Dict[int, Any] = {}
_numbers = itertools.count(1)


def _give_back(number: Optional[int]) -> None:
    _lent.pop(number or 0, None)


_release = Release(_give_back)

# What numpy calls the cells of each daphne_type.
TYPE_STRINGS = {library.BOOL: '|b1', library.SI8: '|i1', library.UI8: '|u1', library.SI32: '<i4', library.UI32: '<u4',
                library.SIZE: '<u8', library.SI64: '<i8', library.UI64: '<u8', library.F32: '<f4', library.F64: '<f8'}
CELL_BYTES = {library.BOOL: 1, library.SI8: 1, library.UI8: 1, library.SI32: 4, library.UI32: 4, library.SIZE: 8,
              library.SI64: 8, library.UI64: 8, library.F32: 4, library.F64: 8}
_NUMBERS = {library.BOOL: ctypes.c_uint64, library.SI8: ctypes.c_int64, library.UI8: ctypes.c_uint64,
            library.SI32: ctypes.c_int64, library.UI32: ctypes.c_uint64, library.SIZE: ctypes.c_uint64,
            library.SI64: ctypes.c_int64, library.UI64: ctypes.c_uint64}


class Description(NamedTuple):
    """What a value is: kind and type are numbers of the interface; rows and cols are -1 where there are none."""
    kind: int
    type: int
    rows: int
    cols: int


class Memory:
    """Cells of the engine as numpy takes them over; they stay as long as a view refers to this object."""
    __slots__ = ('__array_interface__', 'value')

    def __init__(self, value: 'Value', address: int, shape: Sequence[int], typestr: str,
                 strides: Optional[Sequence[int]], read_only: bool) -> None:
        self.value = value
        self.__array_interface__ = {'version': 3, 'shape': tuple(shape), 'typestr': typestr,
                                    'data': (address, read_only), 'strides': strides}


class Value:
    """A value of the engine: immutable, shared by whoever needs it, freed with its last owner."""
    __slots__ = ('handle', '_lib', '__weakref__')

    def __init__(self, handle: int) -> None:
        self._lib = library.load()
        self.handle = handle

    def __del__(self) -> None:
        handle, self.handle = getattr(self, 'handle', 0), 0
        if handle:
            self._lib.daphne_value_free(handle)

    # ---- from Python

    @staticmethod
    def dense(owner: Any, address: int, type: int, rows: int, cols: int, row_bytes: int) -> 'Value':
        """A matrix over memory that stays as it is as long as `owner` is there."""
        view = Dense(sizeof(Dense), type, address, rows, cols, row_bytes, 0)
        return _made('daphne_value_dense', owner, byref(view))

    @staticmethod
    def csr(owner: Any, type: int, offset_bits: int, column_bits: int, offsets: int, columns: int, values: Optional[int],
            rows: int, cols: int) -> 'Value':
        """A sparse matrix over memory that stays as it is as long as `owner` is there."""
        view = Csr(sizeof(Csr), type, offset_bits, column_bits, offsets, columns, values, rows, cols, 0)
        return _made('daphne_value_csr', owner, byref(view))

    @staticmethod
    def number(type: int, number: Any) -> 'Value':
        """A number of this type; integers must fit."""
        if type == library.F64:
            bits = c_uint64.from_buffer_copy(ctypes.c_double(number)).value
        elif type == library.F32:
            bits = c_uint32.from_buffer_copy(ctypes.c_float(number)).value
        else:
            bits = int(number) & 0xffffffffffffffff
        handle = c_void_p()
        call(library.load().daphne_value_number, type, bits, byref(handle))
        return Value(handle.value or 0)

    @staticmethod
    def text(text: str) -> 'Value':
        """A text."""
        data = text.encode('utf-8', 'surrogatepass')
        handle = c_void_p()
        call(library.load().daphne_value_text, data, len(data), byref(handle))
        return Value(handle.value or 0)

    @staticmethod
    def packed_strings(data: bytes, offsets: Any, rows: int, cols: int) -> 'Value':
        """A matrix of strings, row by row: cell i is data[offsets[i]:offsets[i + 1]] in UTF-8; offsets is a contiguous array
        of int64."""
        handle = c_void_p()
        call(library.load().daphne_value_packed_strings, data, offsets.ctypes.data, rows, cols, byref(handle))
        return Value(handle.value or 0)

    @staticmethod
    def frame(labels: Sequence[str], columns: Sequence['Value']) -> 'Value':
        """A frame of columns, which are shared."""
        names = (c_char_p * max(len(labels), 1))(*[label.encode() for label in labels])
        handle = c_void_p()
        call(library.load().daphne_value_frame, names, handles(columns), len(columns), byref(handle))
        return Value(handle.value or 0)

    @staticmethod
    def list(elements: Sequence['Value']) -> 'Value':
        """A list of matrices."""
        handle = c_void_p()
        call(library.load().daphne_value_list, handles(elements), len(elements), byref(handle))
        return Value(handle.value or 0)

    # ---- to Python

    def describe(self) -> Description:
        """Kind, type and shape."""
        what = Input(size=sizeof(Input))
        self._lib.daphne_describe(self.handle, byref(what))
        return Description(what.kind, what.type, what.rows, what.cols)

    def dense_memory(self) -> Memory:
        """The cells of a dense matrix of numbers."""
        view = Dense(size=sizeof(Dense))
        call(self._lib.daphne_get_dense, self.handle, byref(view))
        strides = None
        cell = CELL_BYTES[view.type]
        if view.rows > 1 and view.row_bytes not in (0, view.cols * cell):
            strides = (view.row_bytes, cell)
        return Memory(self, view.data or 0, (view.rows, view.cols), TYPE_STRINGS[view.type], strides,
                      not view.flags & library.EXCLUSIVE)

    def csr_view(self) -> Csr:
        """Where the parts of a sparse matrix are."""
        view = Csr(size=sizeof(Csr))
        call(self._lib.daphne_get_csr, self.handle, byref(view))
        return view

    def memory(self, address: int, count: int, typestr: str, read_only: bool = False) -> Memory:
        """Cells one after the other."""
        return Memory(self, address, (count,), typestr, None, read_only)

    def to_number(self) -> Any:
        """A Python number: bool, int or float."""
        type, bits = c_uint32(), c_uint64()
        call(self._lib.daphne_get_number, self.handle, byref(type), byref(bits))
        if type.value == library.F64:
            return ctypes.c_double.from_buffer_copy(bits).value
        if type.value == library.F32:
            return ctypes.c_float.from_buffer_copy(bits).value
        if type.value == library.BOOL:
            return bits.value != 0
        return _NUMBERS[type.value].from_buffer_copy(bits).value

    def to_text(self, row: int = 0, col: int = 0) -> str:
        """The text, or a cell of a matrix of strings."""
        text, length = c_void_p(), c_size_t()
        call(self._lib.daphne_get_text, self.handle, row, col, byref(text), byref(length))
        return ctypes.string_at(text.value or 0, length.value).decode('utf-8', 'replace') if length.value else ''

    def packed(self, cells: int) -> Tuple[bytes, Memory]:
        """All cells of a matrix of strings in UTF-8, and their offsets."""
        text, offsets = c_void_p(), c_void_p()
        call(self._lib.daphne_get_packed_strings, self.handle, byref(text), byref(offsets))
        memory = self.memory(offsets.value or 0, cells + 1, '<i8', True)
        last = ctypes.c_int64.from_address((offsets.value or 0) + 8 * cells).value
        return (ctypes.string_at(text.value or 0, last) if last else b''), memory

    def codes(self) -> Tuple[Memory, 'Value']:
        """A matrix of strings as numbers of rows of a column of different strings."""
        view, strings = Dense(size=sizeof(Dense)), c_void_p()
        call(self._lib.daphne_get_codes, self.handle, byref(view), byref(strings))
        strides = (view.row_bytes, 4)
        return Memory(self, view.data or 0, (view.rows, view.cols), '<u4', strides, True), Value(strings.value or 0)

    def stream(self, stream: Any) -> None:
        """A frame as an Arrow stream, into a structure of Arrow's C stream interface."""
        call(self._lib.daphne_get_stream, self.handle, stream)

    @staticmethod
    def of_stream(stream: int) -> 'Value':
        """A frame from an Arrow stream, which is taken over."""
        handle = c_void_p()
        call(library.load().daphne_value_stream, stream, byref(handle))
        return Value(handle.value or 0)

    def labels(self) -> List[str]:
        """Of the columns of a frame."""
        return [self._lib.daphne_frame_label(self.handle, c).decode('utf-8', 'replace')
                for c in range(self._lib.daphne_frame_width(self.handle))]

    def part(self, index: int) -> 'Value':
        """A column of a frame, or an element of a list."""
        handle = self._lib.daphne_get_part(self.handle, index)
        if not handle:
            raise IndexError(f'there is no part {index}')
        return Value(handle)

    def shared(self) -> 'Value':
        """Another reference to the same value: nobody may write its cells any more."""
        copy = self._lib.daphne_value_retain(self.handle)
        return Value(copy)

    def given_up(self) -> List['Value']:
        """The columns of a frame, of which this value keeps none: it is gone afterwards."""
        parts = [self.part(c) for c in range(self._lib.daphne_frame_width(self.handle))]
        handle, self.handle = self.handle, 0
        self._lib.daphne_value_free(handle)
        return parts

    def length(self) -> int:
        """Of a list."""
        return int(self._lib.daphne_list_length(self.handle))


def handles(values: Sequence[Value]) -> Any:
    """An array of handles; at least one element, so that it has an address."""
    return (c_void_p * max(len(values), 1))(*[value.handle for value in values])


def _made(function: str, owner: Any, *view: Any) -> Value:
    """A value over memory of `owner`, which is kept until the engine gives it back."""
    number = next(_numbers)
    _lent[number] = owner
    handle = c_void_p()
    try:
        call(getattr(library.load(), function), *view, _release, number, byref(handle))
    except BaseException:
        _lent.pop(number, None)
        raise
    return Value(handle.value or 0)
