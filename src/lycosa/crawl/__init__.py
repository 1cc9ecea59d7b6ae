"""The crawl: builds the parts and runs the life of a URL.

A worker owns partitions of the frontier. It asks each for what may be asked for now,
sends it, makes of every answer a decision (an event), and commits its decisions about
twice a second. It is driven by callbacks alone, from a clock and a transport that are
passed in, so a simulation drives the very code that crawls the web.

    parts           what a worker is built from
    seeding         seeds, to their partitions
    opening         taking a partition: snapshot, replay, become its owner
    worker          choosing, sending, and the rhythm of commits
    gathering       an answer becomes a decision about its page
    robots_files    an answer becomes a decision about a site
    routing         links: canonical, in scope, near enough, to their partition
    pauses          how long a host is left alone
    budget          reservations against the job's limits
    committing      the order in which things become durable
    ending          when all is done
    simulation      whole crawls in virtual time, killed at will
    demo            one of them, to look at
"""
