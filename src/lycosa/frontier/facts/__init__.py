"""Kinds of facts that a partition knows: the pieces of its state.

A kind is told what events say about it, and knows nothing of the state as a whole.

    columns       facts of every URL, site and host, in flat arrays
    sources       the page that led to each URL first
    visits        results of visits, and the cycle under way
    popularity    how many links lead to each URL
    topics        what URLs are about, or may be about
    budgets       budgets of topics: what a partition may keep, and what all may
    probes        known error pages of the sites (soft 404s)
    guesses       results of guessed URLs
    traps         hosts and folders that repeat themselves
    rendering     pages that wait to be rendered, and which sites are rendered
    suspects      pages that are read apart, because a process died that had read them
    address_book  IP addresses as numbers
    limits        the limits by which links were followed, and the pages that are read again
    owed          what is owed to hosts of a partition that was handed over, or may be
    batons        host sets that are this partition's to ask, and who is in line for them
"""
