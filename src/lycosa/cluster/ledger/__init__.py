"""The ledger: exact limits on pages and bytes for the whole cluster.

The ledger is one document on the board, changed by compare-and-swap. It holds the kept amounts of
each partition and the grants of each life. A life reserves from its grants without asking. When
they are used up it asks for more, and near the end all lives return their unused grants.

    document  the document and its changes: pure functions
    desk      the state machine by which one life reads and changes it

Always true:
  * pages in the logs + pages that lives may still keep ≤ the charged amount ≤ the limit, or nothing
    is granted; the same for bytes;
  * all numbers are absolute, with the sequence of the log for which they are true. A write whose
    answer was lost can therefore be repeated, and changes nothing the second time;
  * the grant of a dead life is charged until each of its partitions has an owner that has written
    its folded count. The dead life may have committed a page that is not counted yet: the ledger
    charges too much for a while, and never too little.

On one machine the supervisor keeps the same accounts in memory (`crawl.processes.workers`).
"""
