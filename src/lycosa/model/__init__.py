"""The words that all packages share: jobs, events and other records, URLs, links, clocks.

Nothing here asks the web, opens a log or decides for a crawl.

    _loop_clock  the present moment of a crawl, compiled
    clock        the real clock for crawls, and a virtual one for simulations
    job          reads, checks and writes jobs: one TOML file with everything that a user decides
    links        a page's links in columns, from the scanner to archive and frontier
    records      events, messages, outcomes: small, frozen, without behaviour
    url          parsing, one spelling, sortable keys, and the job's rules about URLs
"""
