# SPDX-License-Identifier: Apache-2.0
"""Finds and loads libdaphne.so and declares its functions, as include/daphne/daphne.h has them.

The library is looked for inside of the package, where the wheel puts it; in the directory that DAPHNELIB_DIR_PATH names;
in lib/ of the source tree the package lies in. `load()` does the work once and is safe on any thread.
"""
from __future__ import annotations

import ctypes
import os
import threading
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, List, Optional

FILE_NAME = 'libdaphne.so'
# The interface this package is written for: the library's minor version may be newer.
ABI_MAJOR, ABI_MINOR = 1, 1

# daphne_kind
NOTHING, NUMBER, TEXT, DENSE, CSR, FRAME, LIST = range(7)
# daphne_type
BOOL, SI8, UI8, SI32, UI32, SIZE, SI64, UI64, F32, F64, STR, ANY = range(12)
# daphne_status
OK, PARSE_ERROR, COMPILE_ERROR, EXECUTION_ERROR, CANCELLED, USAGE_ERROR = range(6)
INTERNAL_ERROR = 70

OUTPUT, ERROR_OUTPUT = 1, 2
CANONICAL, EXCLUSIVE = 1, 2

Release = CFUNCTYPE(None, c_void_p)
Write = CFUNCTYPE(None, c_void_p, c_int, c_void_p, c_size_t)
Progress = CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_uint64)
Explain = CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_size_t)
Tell = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)
Show = CFUNCTYPE(None, c_void_p, c_void_p)


class Input(Structure):
    """daphne_input"""
    _fields_ = [('size', c_uint32), ('kind', c_uint32), ('type', c_uint32), ('name', c_char_p), ('rows', c_int64),
                ('cols', c_int64), ('labels', POINTER(c_char_p)), ('types', POINTER(c_uint32))]


class Host(Structure):
    """daphne_host"""
    _fields_ = [('size', c_uint32), ('user', c_void_p), ('explain', Explain), ('warn', Tell), ('log', Tell)]


class RunOptions(Structure):
    """daphne_options"""
    _fields_ = [('size', c_uint32), ('user', c_void_p), ('write', Write), ('progress', Progress), ('cancel', c_void_p),
                ('at_once', c_uint32)]


class Dense(Structure):
    """daphne_dense"""
    _fields_ = [('size', c_uint32), ('type', c_uint32), ('data', c_void_p), ('rows', c_uint64), ('cols', c_uint64),
                ('row_bytes', c_int64), ('flags', c_uint64)]


class Csr(Structure):
    """daphne_csr"""
    _fields_ = [('size', c_uint32), ('type', c_uint32), ('offset_bits', c_uint32), ('column_bits', c_uint32),
                ('offsets', c_void_p), ('columns', c_void_p), ('values', c_void_p), ('rows', c_uint64),
                ('cols', c_uint64), ('flags', c_uint64)]


_ERROR = POINTER(c_void_p)
_HANDLE = POINTER(c_void_p)
_FUNCTIONS = {
    'daphne_abi_version': (c_uint32, []),
    'daphne_version': (c_char_p, []),
    'daphne_engine_new': (c_int, [c_char_p, _HANDLE, _ERROR]),
    'daphne_engine_new_hosted': (c_int, [c_char_p, POINTER(Host), _HANDLE, _ERROR]),
    'daphne_engine_free': (None, [c_void_p]),
    'daphne_engine_info': (c_char_p, [c_void_p]),
    'daphne_engine_trim': (None, [c_void_p]),
    'daphne_compile': (c_int, [c_void_p, c_char_p, POINTER(Input), c_size_t, POINTER(c_char_p), c_size_t, _HANDLE,
                               _ERROR]),
    'daphne_program_output': (None, [c_void_p, c_size_t, POINTER(Input)]),
    'daphne_program_free': (None, [c_void_p]),
    'daphne_run': (c_int, [c_void_p, POINTER(c_void_p), c_size_t, POINTER(RunOptions), _HANDLE, _ERROR]),
    'daphne_result_value': (c_void_p, [c_void_p, c_char_p]),
    'daphne_result_profile': (c_char_p, [c_void_p]),
    'daphne_result_free': (None, [c_void_p]),
    'daphne_cancel_new': (c_void_p, []),
    'daphne_cancel_request': (None, [c_void_p]),
    'daphne_cancel_clear': (None, [c_void_p]),
    'daphne_cancel_free': (None, [c_void_p]),
    'daphne_session_new': (c_int, [c_void_p, _HANDLE, _ERROR]),
    'daphne_session_run': (c_int, [c_void_p, c_char_p, POINTER(RunOptions), _HANDLE, _ERROR]),
    'daphne_session_run_statements': (c_int, [c_void_p, c_char_p, POINTER(RunOptions), Show, _ERROR]),
    'daphne_session_set': (c_int, [c_void_p, c_char_p, c_void_p, _ERROR]),
    'daphne_session_get': (c_void_p, [c_void_p, c_char_p]),
    'daphne_session_names': (c_char_p, [c_void_p]),
    'daphne_session_free': (None, [c_void_p]),
    'daphne_session_evaluate': (c_int, [c_void_p, c_char_p, c_char_p, POINTER(RunOptions), _HANDLE, _HANDLE, _ERROR]),
    'daphne_is_incomplete': (c_int, [c_char_p]),
    'daphne_session_completions': (c_char_p, [c_void_p, c_char_p, c_size_t]),
    'daphne_session_explanations': (c_char_p, [c_void_p, c_char_p, c_size_t]),
    'daphne_display': (c_size_t, [c_void_p, c_size_t, c_char_p, c_size_t]),
    'daphne_value_dense': (c_int, [POINTER(Dense), Release, c_void_p, _HANDLE, _ERROR]),
    'daphne_value_csr': (c_int, [POINTER(Csr), Release, c_void_p, _HANDLE, _ERROR]),
    'daphne_value_number': (c_int, [c_uint32, c_uint64, _HANDLE, _ERROR]),
    'daphne_value_text': (c_int, [c_char_p, c_size_t, _HANDLE, _ERROR]),
    'daphne_value_packed_strings': (c_int, [c_char_p, c_void_p, c_uint64, c_uint64, _HANDLE, _ERROR]),
    'daphne_value_frame': (c_int, [POINTER(c_char_p), POINTER(c_void_p), c_size_t, _HANDLE, _ERROR]),
    'daphne_value_list': (c_int, [POINTER(c_void_p), c_size_t, _HANDLE, _ERROR]),
    'daphne_value_stream': (c_int, [c_void_p, _HANDLE, _ERROR]),
    'daphne_value_retain': (c_void_p, [c_void_p]),
    'daphne_value_free': (None, [c_void_p]),
    'daphne_describe': (None, [c_void_p, POINTER(Input)]),
    'daphne_get_dense': (c_int, [c_void_p, POINTER(Dense), _ERROR]),
    'daphne_get_csr': (c_int, [c_void_p, POINTER(Csr), _ERROR]),
    'daphne_get_number': (c_int, [c_void_p, POINTER(c_uint32), POINTER(c_uint64), _ERROR]),
    'daphne_get_text': (c_int, [c_void_p, c_uint64, c_uint64, POINTER(c_void_p), POINTER(c_size_t), _ERROR]),
    'daphne_get_packed_strings': (c_int, [c_void_p, POINTER(c_void_p), POINTER(c_void_p), _ERROR]),
    'daphne_get_codes': (c_int, [c_void_p, POINTER(Dense), _HANDLE, _ERROR]),
    'daphne_frame_width': (c_uint64, [c_void_p]),
    'daphne_frame_label': (c_char_p, [c_void_p, c_uint64]),
    'daphne_get_part': (c_void_p, [c_void_p, c_uint64]),
    'daphne_list_length': (c_uint64, [c_void_p]),
    'daphne_get_stream': (c_int, [c_void_p, c_void_p, _ERROR]),
    'daphne_error_status': (c_int, [c_void_p]),
    'daphne_error_message': (c_char_p, [c_void_p]),
    'daphne_error_hint': (c_char_p, [c_void_p]),
    'daphne_error_rendered': (c_char_p, [c_void_p]),
    'daphne_error_json': (c_char_p, [c_void_p]),
    'daphne_error_free': (None, [c_void_p]),
}

_lock = threading.Lock()
_library: Optional[Any] = None


def candidates() -> List[Path]:
    """Where the library may be, in the order in which it is looked for."""
    package = Path(__file__).resolve().parent.parent
    places = [package / 'lib' / FILE_NAME]
    directory = os.environ.get('DAPHNELIB_DIR_PATH')
    if directory:
        places.append(Path(directory) / FILE_NAME)
    places.append(package.parent.parent / 'lib' / FILE_NAME)
    return places


def path() -> Path:
    """The file of the library. Raises ImportError, with all places, if there is none."""
    for place in candidates():
        if place.is_file():
            return place
    listed = '\n'.join(f'  {place}' for place in candidates())
    raise ImportError(f'{FILE_NAME} is missing. It was looked for in:\n{listed}\n'
                      'Build it with ./build.sh, or name its directory in DAPHNELIB_DIR_PATH.')


def is_loaded() -> bool:
    """Whether a computation has needed it already."""
    return _library is not None


def load() -> Any:
    """The library with its functions declared."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = _opened(path())
    return _library


def _opened(file: Path) -> Any:
    library = ctypes.CDLL(str(file))
    for name, (result, arguments) in _FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f'{file} has no function {name}: it belongs to another version of Daphne') from None
        function.restype, function.argtypes = result, arguments
    version = library.daphne_abi_version()
    if version >> 16 != ABI_MAJOR or version & 0xffff < ABI_MINOR:
        raise ImportError(f'{file} has interface {version >> 16}.{version & 0xffff}, '
                          f'this package needs {ABI_MAJOR}.{ABI_MINOR}')
    return library
