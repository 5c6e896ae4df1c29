# SPDX-License-Identifier: Apache-2.0
"""The command `daphne`: becomes the program that the wheel has, or that of the source tree the package lies in. So options,
output and statuses are those of the program. Needs nothing of the package."""
import os
import signal
import sys


def find() -> str:
    """The file name of the program."""
    here = os.path.dirname(os.path.realpath(__file__))
    places = [os.path.join(here, 'bin', 'daphne'), os.path.join(here, '..', '..', 'bin', 'daphne')]
    for place in places:
        if os.path.isfile(place):
            return os.path.normpath(place)
    sys.exit(f'daphne: the program is neither in the package nor in a source tree around it: {places[0]} does not exist')


def main() -> None:
    """Becomes the command line program of the package, with the arguments of this process."""
    program = find()
    # Python ignores these, and what is ignored stays so in the program.
    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)
    os.execv(program, ['daphne', *sys.argv[1:]])


if __name__ == '__main__':
    main()
