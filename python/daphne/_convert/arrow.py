# SPDX-License-Identifier: Apache-2.0
"""Arrow, by capsules of the C stream interface: pyarrow, polars, DuckDB and whoever else speaks it. No library is imported.
Columns of numbers without nulls are shared both ways."""
from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any, Dict

from .._engine import library
from .._engine.values import Value
from .bindings import Binding

_STREAM, _SCHEMA, _ARRAY = b'arrow_array_stream', b'arrow_schema', b'arrow_array'


class ArrowSchema(Structure):
    """struct ArrowSchema"""
    _fields_ = [('format', c_char_p), ('name', c_char_p), ('metadata', c_void_p), ('flags', c_int64),
                ('n_children', c_int64), ('children', c_void_p), ('dictionary', c_void_p), ('release', c_void_p),
                ('private_data', c_void_p)]


class ArrowArray(Structure):
    """struct ArrowArray"""
    _fields_ = [('length', c_int64), ('null_count', c_int64), ('offset', c_int64), ('n_buffers', c_int64),
                ('n_children', c_int64), ('buffers', c_void_p), ('children', c_void_p), ('dictionary', c_void_p),
                ('release', c_void_p), ('private_data', c_void_p)]


class ArrowArrayStream(Structure):
    """struct ArrowArrayStream"""
    _fields_ = [('get_schema', c_void_p), ('get_next', c_void_p), ('get_last_error', c_void_p), ('release', c_void_p),
                ('private_data', c_void_p)]


_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [py_object, c_char_p]
_Destructor = PYFUNCTYPE(None, c_void_p)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = py_object, [c_void_p, c_char_p, _Destructor]
# The same function for a capsule that is being destroyed, to which nobody may refer any more.
_dying_pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(('PyCapsule_GetPointer', ctypes.pythonapi))
_Release = CFUNCTYPE(None, c_void_p)
_GetSchema = CFUNCTYPE(c_int, c_void_p, POINTER(ArrowSchema))
_GetNext = CFUNCTYPE(c_int, c_void_p, POINTER(ArrowArray))
_LastError = CFUNCTYPE(c_void_p, c_void_p)

# Streams in capsules: address -> the structure.
_streams: Dict[int, ArrowArrayStream] = {}


def speaks_arrow(obj: Any) -> bool:
    """Whether it offers a table as a capsule."""
    return hasattr(obj, '__arrow_c_stream__') or hasattr(obj, '__arrow_c_array__')


def binding_of_arrow(obj: Any) -> Binding:
    """A table of any library. It is taken out of the stream when a computation first needs it."""
    if not speaks_arrow(obj):
        raise TypeError(f'{type(obj).__name__} has neither __arrow_c_stream__ nor __arrow_c_array__')

    def make() -> Value:
        if hasattr(obj, '__arrow_c_stream__'):
            capsule = obj.__arrow_c_stream__()
            return Value.of_stream(_capsule_pointer(capsule, _STREAM))
        schema, array = obj.__arrow_c_array__()
        return _value_of_array(_capsule_pointer(schema, _SCHEMA), _capsule_pointer(array, _ARRAY))

    return Binding(library.FRAME, library.ANY, -1, -1, make, source=obj)


def _value_of_array(schema: int, array: int) -> Value:
    """A batch as a stream of one batch; the structures are moved out, as the interface wants it."""
    given_schema, given_array = ArrowSchema.from_address(schema), ArrowArray.from_address(array)
    if given_schema.format != b'+s':
        raise TypeError('an Arrow array is no table; make it a column of a table or of a record batch')

    def get_schema(stream: int, out: Any) -> int:
        ctypes.memmove(out, schema, ctypes.sizeof(ArrowSchema))
        given_schema.release = None
        return 0

    def get_next(stream: int, out: Any) -> int:
        if given_array.release:
            ctypes.memmove(out, array, ctypes.sizeof(ArrowArray))
            given_array.release = None
        else:
            ctypes.memset(out, 0, ctypes.sizeof(ArrowArray))
        return 0

    def release(stream: int) -> None:
        ArrowArrayStream.from_address(stream).release = None

    functions = (_GetSchema(get_schema), _GetNext(get_next), _LastError(lambda stream: None), _Release(release))
    stream = ArrowArrayStream(*(ctypes.cast(one, c_void_p) for one in functions), None)
    return Value.of_stream(ctypes.addressof(stream))


def _destroy(capsule: int) -> None:
    stream = _streams.pop(_dying_pointer(capsule, _STREAM), None)
    if stream is not None and stream.release:  # nobody took it
        _Release(stream.release)(ctypes.addressof(stream))


_destructor = _Destructor(_destroy)


def capsule_of_value(value: Value) -> Any:
    """A frame as a capsule with a stream."""
    stream = ArrowArrayStream()
    address = ctypes.addressof(stream)
    value.stream(address)
    _streams[address] = stream
    return _new_capsule(address, _STREAM, _destructor)


class Table:
    """A computed frame that others can take as Arrow."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return capsule_of_value(self._value)


def frame_value(value: Value) -> Value:
    """The frame itself; a matrix becomes a frame of its columns."""
    what = value.describe()
    if what.kind == library.FRAME:
        return value
    from .arrays import array_of_value, binding_of_array
    array = array_of_value(value)
    columns = [binding_of_array(array[:, [c]]).value() for c in range(array.shape[1])]
    return Value.frame([f'col_{c}' for c in range(len(columns))], columns)
