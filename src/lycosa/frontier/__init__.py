"""The frontier of one partition: the known URLs, which comes next, which host may be asked now.

The log's events make the state (`fold`). Its owner works with a `Partition`: the state, a
scheduler that orders the pending URLs, and the readiness of hosts, which says whose turn it may be.

    partition         a partition in the hands of its owner
    fold              what the events of the log make of a partition
    urltable          all URLs: numbered, in order, compressed
    schedulers        the order of a crawl
    readiness         which hosts may be asked now: pauses, addresses, robots rules
    freshness         how often pages change, and what a revisit is worth
    patterns          what URLs of a site have in common: shapes, numbers, dates
    cycle_candidates  which URLs a partition could fetch in its next cycle
    memory_limit      keeps the URL tables of a worker within the job's memory
    distance          how far a URL is from the seeds, in one small number
"""
