"""Every URL of a partition: numbered, in order, and counted.

contract     what a table can be asked
segments     how keys make a tree
plain        the table in plain Python
"""

from lycosa.frontier.urltable.contract import UrlTable
from lycosa.frontier.urltable.plain import PlainUrlTable

__all__ = ["PlainUrlTable", "UrlTable"]
