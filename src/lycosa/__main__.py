"""`python -m lycosa` is `lycosa`."""

import sys

from lycosa.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
