"""Describes the state of a crawl, for the screen, the log file and the summary.

Everything here is derived from the states of the partitions and writes nothing.

    figures      figures of partitions, and the rules that add up those of workers
    progress     counts, rates and an estimate of the time left
    durations    durations of requests, as a histogram
    statistics   figures over time, written to a file
    topics       pages and waiting URLs by topic, and the harvest rate
    waiting      origins that the crawl waits for, the reason, and until when
    left_out     what the limits of the job have left out, and the word for the end
    words        outcomes and refusals as screens say them
    queue        URLs still to be fetched, each with the reason for its wait
    unreachable  origins that were given up, and seeds that cannot be reached
"""
