"""What a visit is worth: how often pages change, how fresh our copies are, what to ask for next.

    changes      how often a page changes, learned from visits that see only *whether* it did
    worth        from that and from a page's quality: what a visit now is worth, policy by policy
    bids         the K best of many partitions that share nothing
    history      what visits have shown, and the cycle that is under way: part of the fold
    planning     from all of that: the URLs of a partition's next cycle

A crawl that keeps itself fresh goes in *cycles*. At the beginning of each the partitions bid, the
K best of all bids are shared out, and each partition puts its share up to be fetched. Nothing here
asks the web or the clock.
"""
