"""The fold: rebuilds the state of a partition from the events of its log, and from nothing else.

Events are applied one after the other, without clock, configuration or randomness, so two folds
of the same log are equal, byte for byte. Snapshots hold the packed state at one point of the log,
so that a resume need not read all of it.

    state         applies events to the state
    holdings      the data of the state: URLs, sites, hosts and counters
    columns       facts of every URL, site and host, in flat arrays
    sources       the page that led to each URL first
    visits        results of visits, and the cycle under way
    probes        known error pages of the sites (soft 404s)
    guesses       results of guessed URLs
    popularity    how many links lead to each URL
    budgets       budgets of topics: what a partition may keep, and what all may
    topics        what URLs are about, or may be about
    orders        orders of the operator that were applied, and time that was paused
    rendering     pages that wait to be rendered, and which sites are rendered
    forgetting    hosts whose pages the operator has removed
    losses        records that are gone: what they held is fetched again
    owed          what is owed to hosts of a partition that was handed over
    batons        host sets that are this partition's to ask, and who is in line for them
    reports       what goes with a baton: rests, robots rules and counts of its hosts
    traps         hosts and folders that repeat themselves
    address_book  IP addresses as numbers
    accounts      which stored records count
    packing       the whole state as bytes, for snapshots
"""
