"""The URL table: every URL of a partition, numbered, in key order, and counted.

A table gives each key (`lycosa.model.url.key`) a number that never changes, finds keys and numbers
in about a microsecond, and knows how many URLs are ready below every node of the tree of URLs. When
memory is short, whole sites are spilled, compressed, to a file.

    contract    the operations of a table
    segments    the tree that keys form
    compact     the table of a crawl: compiled trees, spilled sites, snapshots
    _table      its compiled trees
    chunks      the format of spilled sites
    vaults      the file that spilled sites are in
"""

from lycosa.frontier.urltable.compact import CompactUrlTable
from lycosa.frontier.urltable.vaults import FileVault, MemoryVault, Vault

__all__ = [
    "CompactUrlTable",
    "FileVault",
    "MemoryVault",
    "Vault",
]
