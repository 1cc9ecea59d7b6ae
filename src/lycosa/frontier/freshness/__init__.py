"""Freshness: rates of change of pages, and the worth of visiting them again.

A crawl that keeps itself fresh goes in *cycles*. At the beginning of each the partitions bid, the
K best of all bids are shared out, and each partition fetches its share. Visits show whether a page
has changed; from that its rate of change is learned. Nothing here asks the web or the clock.

    changes     estimates how often a page changes, from visits that show only whether it did
    worth       the worth of a visit now, by each policy
    bids        the K best URLs of many partitions
    quality     measures what a page is worth in itself, for cycles
"""
