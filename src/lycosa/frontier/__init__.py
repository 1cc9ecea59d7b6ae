"""The frontier of one partition: what is known, what is next, and who may be asked now.

A URL is born when an `Admitted` event names it: it gets the next number, and its site
(scheme, host, port: what robots rules belong to) and host (what one request at a time
belongs to) are born with their first URL. It is then *pending*. The scheduler chooses
among pending URLs, but only of sites that are *awake*. A site sleeps while its host
waits for its pause, is being asked or has no robots answer, and while its address is
taken by another host; so whatever order a scheduler produces is polite, and nothing
blocks the head of a queue. When an answer is in, a `Fetched` event says what became of
the URL and when the host may be asked again.

    distance        how far a URL is from the seeds: depth and redirect hops in one number
    urltable/       URL key ↔ number, the tree of URLs, and what is ready in it
    columns         what is known of every URL, site and host, in flat arrays
    address_book    addresses as numbers of a column
    probes          what a site answers to made-up URLs
    templates       where a path counts
    miner           guesses: URLs that nobody linked to, from those that are known
    guesses         what guesses were worth, host by host
    shapes          what URLs of a site have in common
    traps           where hosts repeat themselves, and what is left of their budgets
    freshness/      how often pages change, and what a visit is worth
    holdings        all of this that a partition has; questions about it
    packing         the same as bytes, for snapshots
    state           the fold: events in, holdings changed
    schedulers/     the order
    readiness       which hosts may be asked now (host clocks, robots)
    agenda          what is due when, over all partitions of a worker
    addresses       one request per address, across all partitions of a worker
    slots           and across all processes of a machine
    partition       state, order and readiness joined; what the worker talks to
    thrift          keeps the URL tables within the memory that the job gives them

`state` is durable and changes by events alone. Schedulers, readiness and addresses are
volatile: they are built from the state on resume and hold nothing that must survive.
"""
