"""Runs crawls of the real web: directories, processes, members of a cluster, orders, repairs.

The crawl itself (`lycosa.crawl`) is driven by a clock and a transport that are passed in. This
package gives it real ones, on one machine or on many, starts what died again, and finds the end.

    cluster       facts that machines share: shares, cordons, addresses, settings, figures
    coordination  small values that all machines see, changed by compare-and-swap
    directory     the folder that holds a crawl
    isolation     reads in another process the pages that may have killed one
    job_file      writes the job safely against power cuts, and refuses a damaged one
    limits        the job's limits, shared by all members
    lock          the lock file of that folder, with the crawling processes
    log_file      writes the program's messages to `lycosa.log`
    members       a worker that shares its crawl with other machines
    membership    incarnations (lives) of workers: numbers, leases (tenure), tombstones
    notifying     tells the operator of the end, a standstill, a full disk
    orders        orders to a running crawl, and its report of itself
    processes     runs a crawl of the real web, in one process or several
    recovery      cleans up after a killed process: open segments, lost records
    seeds         makes seeds canonical and posts them to their partitions
    shared_log    a log in a server: joined by other machines, moved there and back
    steady_clock  keeps the crawl's clock from going back
    trust         decides which settings of a crawl directory or a log count on this machine
    uploads       copies content to a store that all machines reach, and back
    verify        checks the files of a crawl against each other, and repairs them
    workers       the crawl of several workers: supervisor, worker processes, shared limits
"""
