"""Maps URLs to partitions, and partitions to workers, on one machine or on many.

The URL space is divided into a fixed number of partitions, and a partition has one owner at a time.
Both maps are pure functions, equal on every worker and in every run. A worker that finds a link
therefore knows the inbox to send it to without asking another process. Facts that machines must
agree on while they run (live members, the rest of a limit) stand on the coordination store (board).

    shares        the member that should own a partition, in a cluster
    cordons       partitions that no member takes, because their owners died
    addresses     the number of machines that ask one IP address
    settings      the operator's changes while the crawl runs
    lines         the newest log lines of all machines
    idle          partitions that have nothing left to do
    figures       sums over the records of all members
    courier       the thread that makes the calls of ledger, lines and addresses
    standstill    reasons why a crawl of several machines stands still
    status        the members of a crawl, from their records and the heads of the log
"""
