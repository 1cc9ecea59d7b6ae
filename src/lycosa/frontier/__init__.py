"""The frontier of one partition: its known URLs, their order, and the hosts that may be asked now.

A partition is rebuilt from the events of its log, and from nothing else (`fold`). The worker that
owns it works with a `Partition`: the folded state, a scheduler that orders the pending URLs, and
the readiness of hosts, which decides whose turn it is. Every change is an event: applied to the
state at once, written to the log with the next commit.

    partition         a partition in the hands of its owner
    _page_steps       what it does for every page, compiled
    task              something that a partition lets its worker fetch
    link_counts       counts of the links that lead to URLs
    queue_moves       moves of waiting URLs between the queues of topics
    fold              the state of a partition, built from the events of its log
    urltable          all URLs of a partition: numbered, sorted, compressed
    schedulers        orders of a crawl: breadth-first, best-first, windows and others
    readiness         hosts that may be asked now: pauses, addresses, robots rules
    freshness         rates of change of pages, and the worth of revisiting them
    patterns          shapes, numbers and dates in the URLs of a site
    cycle_candidates  URLs that a partition could fetch in its next cycle
    memory_limit      keeps the URL tables of a worker within the job's memory
    distance          distance of a URL from the seeds, as one small number
    facts             the kinds of facts that it holds
    graph             link analysis over plain arrays: PageRank, HITS, bow tie, near duplicates
    partitioners      the partition of a URL, by its domain, its host or the whole URL
"""
