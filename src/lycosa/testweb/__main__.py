"""`python -m lycosa.testweb`: a web in a box, served until it is stopped."""

import sys

from lycosa.testweb.command import main

sys.exit(main())
