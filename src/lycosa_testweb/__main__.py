"""`python -m lycosa_testweb`: the command `lycosa testweb` without the rest of Lycosa."""

import sys

from lycosa_testweb.command import main

sys.exit(main())
