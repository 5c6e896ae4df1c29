# SPDX-License-Identifier: Apache-2.0
"""Runs programs in this process, through the C functions of libdaphne.so: a program costs its compilation instead of a
start of the binary."""

import ctypes
import json
import threading
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p

WRITE = ctypes.CFUNCTYPE(None, c_void_p, c_int, POINTER(ctypes.c_char), c_size_t)
OUTPUT = 1
STOPPED = b'error: system stopped: '
CANCELLED = 4


class RunOptions(ctypes.Structure):
    _fields_ = (('size', c_uint32), ('user', c_void_p), ('write', WRITE), ('progress', c_void_p), ('cancel', c_void_p))


def load(path):
    library = ctypes.CDLL(str(path))
    library.daphne_error_rendered.restype = c_char_p
    library.daphne_cancel_new.restype = c_void_p
    library.daphne_error_status.argtypes = [c_void_p]
    for name in ('engine', 'program', 'result', 'error', 'cancel'):
        getattr(library, f'daphne_{name}_free').argtypes = [c_void_p]
        getattr(library, f'daphne_{name}_free').restype = None
    library.daphne_cancel_request.argtypes = [c_void_p]
    library.daphne_error_rendered.argtypes = [c_void_p]
    library.daphne_engine_new.argtypes = [c_char_p, c_void_p, c_void_p]
    library.daphne_compile.argtypes = [c_void_p, c_char_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]
    library.daphne_run.argtypes = [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]
    return library


def engine_keys(options):
    """The switches of a command line as keys of an engine: --no-phy-op-selection is use_phy_op_selection: false."""
    negations = {'no-phy-op-selection': 'use_phy_op_selection', 'no-ipa-const-propa': 'use_ipa_const_propa',
                 'no-obj-ref-mgnt': 'use_obj_ref_mgnt', 'no-vec': 'vec'}
    names = [option.removeprefix('--') for option in options]
    return {negations.get(name, name): name not in negations for name in names}


class Library:
    """Engines of a library, one per set of options; for one thread."""

    def __init__(self, path, timeout_seconds):
        self.library = load(path)
        self.timeout_seconds = timeout_seconds
        self.engines = {}

    def engine(self, options):
        if options not in self.engines:
            engine, error = c_void_p(), c_void_p()
            if self.library.daphne_engine_new(json.dumps(engine_keys(options)).encode(), byref(engine), byref(error)):
                raise SystemExit(self.library.daphne_error_rendered(error).decode())
            self.engines[options] = engine
        return self.engines[options]

    def run(self, text, options):
        """Status, or 'time-out'; what is printed; what goes to standard error."""
        printed = {True: bytearray(), False: bytearray()}
        write = WRITE(lambda user, sink, data, length: printed[sink == OUTPUT].extend(ctypes.string_at(data, length)))
        cancel = c_void_p(self.library.daphne_cancel_new())
        watchdog = threading.Timer(self.timeout_seconds, self.library.daphne_cancel_request, [cancel])
        watchdog.start()
        program, result, error = c_void_p(), c_void_p(), c_void_p()
        given = RunOptions(ctypes.sizeof(RunOptions), None, write, None, cancel)
        status = self.library.daphne_compile(self.engine(options), text.encode(), None, 0, None, 0, byref(program),
                                             byref(error))
        if status == 0:
            status = self.library.daphne_run(program, None, 0, byref(given), byref(result), byref(error))
        watchdog.cancel()
        watchdog.join()
        if status:
            rendered = self.library.daphne_error_rendered(error)
            printed[False] += rendered
            if rendered.startswith(STOPPED):  # the command line says this on standard output, too
                printed[True] += rendered.splitlines()[0].removeprefix(b'error: ') + b'\n'
        self.library.daphne_error_free(error)
        self.library.daphne_result_free(result)
        self.library.daphne_program_free(program)
        self.library.daphne_cancel_free(cancel)
        return ('time-out' if status == CANCELLED else status, printed[True].decode('utf-8', 'replace'),
                printed[False].decode('utf-8', 'replace'))
