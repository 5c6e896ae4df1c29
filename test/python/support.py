# SPDX-License-Identifier: Apache-2.0
"""What the tests have in common."""
import contextlib
import importlib.util
import io
import os
import unittest
from pathlib import Path

import numpy as np

import daphne as dp

ROOT = Path(__file__).resolve().parents[2]
DTYPES = (np.float64, np.float32, np.int64, np.int32, np.int8, np.uint64, np.uint32, np.uint8)


def needs(*modules):
    """Skips a test where a library is missing."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    return unittest.skipIf(missing, f'{", ".join(missing)} is not installed')


def address(array):
    """Where the cells of an array are."""
    return array.__array_interface__['data'][0]


def resident_bytes():
    """Memory of this process."""
    with open('/proc/self/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


class Case(unittest.TestCase):
    """A test with a context of its own."""

    def setUp(self):
        self.dc = dp.DaphneContext()
        self.addCleanup(dp.options.reset)

    def equal(self, found, expected, message=None):
        """Same shape, same type, same cells; nan equals nan."""
        found, expected = np.asarray(found), np.asarray(expected)
        self.assertEqual(found.shape, expected.shape, message)
        self.assertEqual(found.dtype, expected.dtype, message)
        np.testing.assert_array_equal(found, expected, err_msg=message or '')

    def close(self, found, expected, message=None, rtol=1e-12):
        """Same shape and nearly the same cells."""
        found, expected = np.asarray(found), np.asarray(expected)
        self.assertEqual(found.shape, expected.shape, message)
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-300, err_msg=message or '')

    def printed(self, node):
        """What computing a node prints."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertIsNone(node.compute())
        return out.getvalue()
