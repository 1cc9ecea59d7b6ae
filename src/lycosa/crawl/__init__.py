"""The crawl: everything that happens between a list of seeds and a finished crawl directory.

A worker owns partitions of the frontier. It asks each for a URL that may be asked for now, sends
the request, turns the answer into a decision (an event of the log), and makes its decisions
durable about twice a second. Callbacks drive it, from a clock and a transport that are passed in,
so a simulation drives the very code that crawls the web. Imports between the rooms point down:

    checking      single decisions, outside of any crawl, with their reasons
    inspect       what an operator asks of a crawl, and changes in one that is at rest
    verify        holds the files of a crawl against each other, and mends them
    simulation    whole crawls in virtual time, killed at will
    processes     a crawl of the real web: one process, or workers under a supervisor
    worker        the loop: choose, send, commit, look for the end
    answers       the way of an answer: from what came back to an event and to new URLs
    recovery      what a killed process left: segments to seal, records that are lost
    status        how a crawl is getting on, what it waits for, what it cannot reach
    ports         what a worker is built from: clock, transport, log, store, limits
    takeover      taking a partition over: snapshot, replay, become its owner
    seeds         seeds, made canonical and sent to their partitions
    scope         which URLs the job wants, and how that grows
    budget        reservations against the job's limits
    pauses        how long a host is left alone
    bursts        several URLs of a host in a row, then as many pauses
    ending        when a crawl is done
    directory     the folder that holds a crawl
    log_file      the program's own messages, in `lycosa.log`
    steady_clock  a clock that never goes back, even where the machine's does
"""
