"""The ledger: the job's limits on pages and bytes, shared by the whole cluster, exactly.

One document on the board, changed by compare-and-swap. It holds what each partition has kept, and
what each life was granted. A life reserves from its grants without asking; when it has nothing
left it asks for more, and near the end all give back what they do not use.

    document  the document and its changes: pure functions
    desk      the state machine by which one life reads and changes it

Always true:
  * pages that the logs hold + pages that lives may still keep ≤ what is charged ≤ the limit, or
    nothing is granted; the same for bytes;
  * all numbers are absolute, with the sequence of the log that they are true for. So a write whose
    answer was lost can be repeated, and changes nothing the second time;
  * the grant of a dead life is charged until every partition that it worked on has an owner that
    has written its folded count. The dead life may have committed a page that no one has counted
    yet: the ledger charges too much for a while, and never too little.

On one machine the supervisor keeps the same books in memory; `crawl.processes.workers` has them.
"""
