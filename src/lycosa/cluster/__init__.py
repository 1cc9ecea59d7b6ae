"""Maps URLs to partitions, and partitions to workers, on one machine or on many.

The URL space is divided into a fixed number of partitions, and a partition has one owner at a
time. Both maps are pure functions, equal on every worker and in every run. So a worker that
finds a link knows which inbox to send it to without asking another process. What machines must
agree on while they run (who lives, what is left of a limit) stands on a board.

    partitioners  the partition of a URL, by its domain, its host or the whole URL
    assignment    the worker that owns a partition, on one machine
    shares        the member that should own a partition, in a cluster
    cordons       partitions that no member takes, because their owners died
    membership    lives of workers: numbers, tenure, tombstones
    ledger        the job's limits, shared by all members
    addresses     how many machines ask one IP address
    address_leases  groups of addresses that one life asks at a time
    settings      what the operator changes while the crawl runs
    lines         the newest log lines of all machines
    idle          which partitions have nothing left to do
    figures       sums over the records of all members
    courier       the thread that makes the calls of ledger, lines and addresses
    board         small values that all machines see, changed by compare-and-swap
"""
