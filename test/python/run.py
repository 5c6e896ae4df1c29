#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the Python package. Closes with 'N passed, N failed'.

    run.py                            all files
    run.py random_graphs frames       some of them
    run.py --graphs 10000 --frames 2000 random_graphs random_frames
    run.py --library DIR              with the library in this directory

What needs a library that is not installed here is skipped and listed.
"""

import argparse
import os
import sys
import time
import unittest
from pathlib import Path

TEST = Path(__file__).resolve().parent
ROOT = TEST.parents[1]


class Listing(unittest.TextTestResult):
    """Failures in full, skipped tests by name."""

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f'  skipped: {test.id()}: {reason}', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*', help='names of files, without test_ and .py')
    parser.add_argument('--library', help='directory of libdaphne.so')
    parser.add_argument('--graphs', type=int, default=300, help='number of random graphs')
    parser.add_argument('--frames', type=int, default=100, help='number of random programs over frames')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='', help='only tests whose name contains this text')
    options = parser.parse_args()
    if options.library:
        os.environ['DAPHNELIB_DIR_PATH'] = options.library
    os.environ['DAPHNE_TEST_GRAPHS'] = str(options.graphs)
    os.environ['DAPHNE_TEST_FRAMES'] = str(options.frames)
    os.environ['DAPHNE_TEST_SEED'] = str(options.seed)
    package = str(ROOT / 'python')
    os.environ['PYTHONPATH'] = os.pathsep.join(filter(None, [package, os.environ.get('PYTHONPATH')]))
    sys.path[:0] = [package, str(TEST)]
    suite = unittest.TestSuite()
    files = options.files or sorted(path.stem[len('test_'):] for path in TEST.glob('test_*.py'))
    for name in files:
        loader = unittest.TestLoader()
        if options.only:
            loader.testNamePatterns = [f'*{options.only}*']
        suite.addTests(loader.loadTestsFromName(f'test_{name}'))
    begin = time.monotonic()
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Listing).run(suite)
    # A test may report several failures, one per subtest.
    wrong = [test for test, _ in result.failures + result.errors] + result.unexpectedSuccesses
    failed = len({getattr(test, 'test_case', test).id() for test in wrong})
    passed = max(0, result.testsRun - failed - len(result.skipped))
    print(f'{time.monotonic() - begin:.1f} s, {len(result.skipped)} skipped')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
