"""The crawl: everything that happens between a list of seeds and a finished crawl directory.

A worker owns partitions of the frontier. It asks each for a URL that is due, sends the request,
turns the answer into a decision (an event of the log), and makes its decisions durable about twice
a second. Callbacks drive it, from a clock and a transport that are passed in, so a simulation
drives the same code that crawls the web. Imports between these packages point down:

    worker        the loop: choose, send, commit, look for the end
    points        the points where features act, and the spine's parts for them
    answers       turns an answer into an event and a record
    links         leads the links of a page to their partitions
    status        describes a crawl: progress, waits, unreachable origins
    ports         the surroundings of a worker: clock, transport, log, store, limits
    takeover      takes a partition over: snapshot, replay, become its owner
    scope         decides which URLs the job wants
    budget        keeps a crawl within its limits
    pauses        how long a host rests, and when it may be asked again
    ending        finds the end of a crawl
    access        settings and secrets of a job for a transport
    messages      what partitions tell each other, and what follows from it
    suspects      pages that may have killed a worker: noted before they are read, reported, read
                  elsewhere
"""
