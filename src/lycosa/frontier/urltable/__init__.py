"""Every URL of a partition: numbered, in order, and counted.

contract     what a table can be asked
segments     how keys make a tree
plain        the table in plain Python
compact      the table of a crawl: compiled trees, sealing, snapshots
chunks       how sealed sites lie in a vault
_table       the compiled part of it
vaults       where sealed sites are put
"""

from lycosa.frontier.urltable.compact import CompactUrlTable
from lycosa.frontier.urltable.contract import UrlTable
from lycosa.frontier.urltable.pure_table import PlainUrlTable
from lycosa.frontier.urltable.vaults import FileVault, MemoryVault, Vault

__all__ = [
    "CompactUrlTable",
    "FileVault",
    "MemoryVault",
    "PlainUrlTable",
    "UrlTable",
    "Vault",
]
