"""The command `batfill` of this package: the same program as the one of the library."""

import signal
import sys

from . import _core


def main() -> int:
    """Runs the program with the arguments of this process."""
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    return _core.run_program(sys.argv[1:])
