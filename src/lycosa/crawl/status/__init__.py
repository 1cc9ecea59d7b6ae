"""Describe the state of a crawl, for the screen, the log file and the summary.

Everything here is derived from the states of the partitions and writes nothing.

    progress     counts, rates and an estimate of the time left
    durations    how long requests took, as a histogram
    statistics   figures over time, written to a file
    cluster      the members of a crawl, from their records and the heads of the log
    topics       pages and waiting URLs by topic, and the harvest rate
    standstill   why a crawl of several machines stands still
    waiting      which origins the crawl waits for, why, and until when
    queue        the URLs that are still to be fetched, and what each waits for
    unreachable  origins that were given up, and seeds that cannot be reached
"""
