"""The crawl: everything that happens between a list of seeds and a finished crawl directory.

A worker owns partitions of the frontier. It asks each for a URL that is due, sends the request,
turns the answer into a decision (an event of the log), and makes its decisions durable about twice
a second. Callbacks drive it, from a clock and a transport that are passed in, so a simulation
drives the same code that crawls the web. Imports between these packages point down:

    checking      decides about one URL, page or robots file, and gives the reasons
    inspect       answers an operator's questions, and changes a crawl that is not running
    verify        checks the files of a crawl against each other, and repairs them
    simulation    runs whole crawls in virtual time, and kills them
    processes     runs a crawl of the real web, in one process or several
    member        a worker that shares its crawl with other machines
    control       orders to a running crawl, and its report of itself
    copying       copies content to a store that all machines reach, and back
    features      optional parts of a crawl; each acts at the points of the spine
    worker        the loop: choose, send, commit, look for the end
    apart         reads in another process the pages that may have killed one
    points        the points where features act, and the spine's parts for them
    answers       turns an answer into an event, a record and new URLs
    recovery      cleans up after a killed process: open segments, lost records
    status        describes a crawl: progress, waits, unreachable origins
    ports         the surroundings of a worker: clock, transport, log, store, limits
    takeover      takes a partition over: snapshot, replay, become its owner
    seeds         makes seeds canonical and posts them to their partitions
    scope         decides which URLs the job wants
    notifying     tells the operator of the end, a standstill, a full disk
    budget        keeps a crawl within its limits
    pauses        the pauses of hosts
    ending        finds the end of a crawl
    directory     the folder that holds a crawl
    job_file      writes the job safely against power cuts, and refuses a damaged one
    lock          the lock file of that folder, with the crawling processes
    logs          a log in a server: joined by other machines, moved there and back
    log_file      writes the program's messages to `lycosa.log`
    steady_clock  keeps the crawl's clock from going back
"""
