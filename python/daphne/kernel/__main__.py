# SPDX-License-Identifier: Apache-2.0
"""`python -m daphne.kernel install` tells Jupyter of the kernel; `python -m daphne.kernel -f FILE`, which Jupyter calls,
runs it."""
import sys
from typing import List

_USAGE = """usage: python -m daphne.kernel install [--user | --sys-prefix | --prefix DIRECTORY]
       python -m daphne.kernel -f CONNECTION_FILE (Jupyter calls this)"""


def main(arguments: List[str]) -> int:
    """The exit status."""
    if not arguments or arguments[0] in ('-h', '--help'):
        print(_USAGE)
        return 0 if arguments else 1
    try:
        import ipykernel.kernelapp  # noqa: F401
    except ImportError:
        print('error: the kernel needs ipykernel, which is not installed: pip install ipykernel', file=sys.stderr)
        return 1
    if arguments[0] == 'install':
        from .install import main as install
        return install(arguments[1:])
    if arguments[0].startswith('-'):
        from ipykernel.kernelapp import IPKernelApp

        from .kernel import DaphneKernel
        IPKernelApp.launch_instance(arguments, kernel_class=DaphneKernel)
        return 0
    print(f"error: there is no command '{arguments[0]}'\n{_USAGE}", file=sys.stderr)
    return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
