"""`python -m lycosa.testweb`: the command `lycosa testweb` without the rest of Lycosa."""

import sys

from lycosa.testweb.command import main

sys.exit(main())
