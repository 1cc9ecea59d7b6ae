"""A cluster on one machine, to try: servers, a store and members, all gone afterwards.

`lycosa cluster up 3` starts three NATS servers (or PostgreSQL), a folder as the store, and three
members, each a process with a crawl directory of its own, as three machines would have. It shows
them on one screen, prints the address of the log for a second terminal, and stops everything at
Ctrl-C. `make cluster-demo` does the same by a script: one member is killed, another joins.

Everything listens on loopback addresses that are drawn for this trial, so two trials do not meet.
Every process dies with the one that started it, however that one ends.

    trial      one trial: its folder, servers, store, job and members
    nats       three NATS servers with JetStream
    postgres   one PostgreSQL, if its programs are installed
    members    the member processes: start, join, kill, stop
    web        the test web of a trial without seeds, with its referee
    figures    what members tell on the board, and the screen that shows it
    children   child processes that die with us, loopback addresses, waiting for servers
    launch     the script that ties a child's life to ours before it becomes the program
"""
