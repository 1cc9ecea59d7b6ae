"""The crawl: builds the parts and runs the life of a URL.

A worker owns partitions of the frontier. It asks each for what may be asked for now,
sends it, makes of every answer a decision (an event), and commits its decisions about
twice a second. It is driven by callbacks alone, from a clock and a transport that are
passed in, so a simulation drives the very code that crawls the web.

    parts           what a worker is built from
    seeding         seeds, to their partitions
    opening         taking a partition: snapshot, replay, become its owner
    worker          choosing, sending, and the rhythm of commits
    reading         what an answer says: outcome, facts, links
    gathering       an answer becomes a decision about its page
    robots_files    an answer becomes a decision about a site
    scoping         which URLs the job wants, and how that grows
    routing         links: canonical, in scope, near enough, to their partition
    mining          what is guessed, when, and how many more guesses that is worth
    novelty         whether a guess that is a page is a new one
    visiting        a page is shown to the plugins of the job
    pauses          how long a host is left alone
    budget          reservations against the job's limits
    grants          the same over several processes
    committing      the order in which things become durable
    ending          when all is done
    patience        how long to wait when only origins out of reach are left
    unreachable     what could not be reached, in words
    waiting         what a crawl waits for: which origins, why, until when
    running         a crawl of the real web, alone or with workers
    station         a worker in its real surroundings
    supervisor      starts, watches and replaces workers
    children        a worker's process as the supervisor sees it
    joining         how that process begins
    member          what it does
    orders          what they say to each other
    channel         how
    leftovers       sealing what dead processes left
    machine         what a crawl tells the machine it runs on
    stopping        how it is told to stop
    timekeeping     a clock that never goes back, where the machine's does
    directory       the folder that holds a crawl
    changing        what an operator changes: seeds, another try, a block
    progress        how it is getting on
    explaining      why a URL is where it is
    looking         what a URL gave
    auditing        whether every recorded request was polite
    simulation      whole crawls in virtual time, killed at will
    demo            one of them, to look at
"""
