"""The crawl: everything that happens between a list of seeds and a finished crawl directory.

A worker owns partitions of the frontier. It asks each for a URL that may be asked for now, sends
the request, turns the answer into a decision (an event of the log), and makes its decisions
durable about twice a second. Callbacks drive it, from a clock and a transport that are passed in,
so a simulation drives the very code that crawls the web. Imports between the rooms point down:

    checking      decides about one URL, page or robots file, and gives the reasons
    inspect       answers an operator's questions, and changes a crawl that does not run
    verify        checks the files of a crawl against each other, and repairs them
    simulation    runs whole crawls in virtual time, and kills them
    processes     runs a crawl of the real web, in one process or several
    member        a worker that shares its crawl with other machines
    control       orders to a crawl that runs, and what it shows of itself
    copying       copies content to a store that all machines reach, and back
    worker        the loop: choose, send, commit, look for the end
    rendering     renders pages in a browser, from what the crawl holds
    apart         reads pages in another process of which one may have died
    answers       turns an answer into an event, a record and new URLs
    topics        what pages are about, what URLs may be about, whose turn it is
    recovery      cleans up after a killed process: open segments, lost records
    status        describes a crawl: progress, waits, unreachable origins
    ports         what a worker is built from: clock, transport, log, store, limits
    takeover      takes a partition over: snapshot, replay, become its owner
    seeds         makes seeds canonical and posts them to their partitions
    scope         decides which URLs the job wants
    notifying     tells the operator of the end, a standstill, a full disk
    budget        keeps a crawl within its limits
    pauses        how long a host is left alone
    bursts        several URLs of a host in a row, then as many pauses
    ending        finds out that nothing is left to do
    directory     the folder that holds a crawl
    job_file      writes the job so that a power cut leaves it whole, and refuses one that is not
    lock          the lock file of that folder: which processes crawl it
    logs          a log in a server: joined by other machines, moved there and back
    log_file      writes the program's messages to `lycosa.log`
    steady_clock  keeps the crawl's clock from going back
"""
