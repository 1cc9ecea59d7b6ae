"""The ledger: exact limits on pages and bytes for all processes of a crawl.

The ledger holds the kept amounts of each partition, and the grants of each life. A life reserves
from its grants without asking. When they are used up it asks for more, and near the end all lives
return their unused grants.

    document  the ledger and its changes, as pure functions, and what is always true of it
    desk      keeps it on the board, by compare-and-swap: the state machine of one life

On one machine the supervisor keeps the same document in memory (`runtime.workers.grants`).
A write whose answer was lost is repeated, and changes nothing the second time.
"""
