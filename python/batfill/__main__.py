"""`python -m batfill` is the command `batfill`."""

import sys

from ._command import main

if __name__ == "__main__":
    sys.exit(main())
