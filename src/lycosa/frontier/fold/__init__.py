"""The fold: rebuilds the state of a partition from the events of its log, and from nothing else.

Events are applied one after the other, without clock, configuration or randomness, so two folds
of the same log are equal, byte for byte. Snapshots hold the packed state at one point of the log,
so that a resume need not read all of it.

    state          applies events to the state
    _admitted      applies the event of URLs that are admitted, compiled
    _fetched       applies the event of every page, compiled
    holdings       the data of the state: URLs, sites, hosts and counters
    interventions  acts of the operator: orders, changed limits, removed hosts
    losses         records that are gone: what they held is fetched again
    reports        what goes with a baton: rests, robots rules and counts of its hosts
    accounts       which stored records count
    packing        the whole state as bytes, for snapshots
"""
