"""Whole crawls of several machines in virtual time, with all failures of networks.

Worker, member, log contract, ledger and membership are the real code. Virtual are the clocks (each
machine's runs at its own rate), the servers (`simulation.cluster.loose_log`,
`runtime.coordination.memory`) and the web.

    process_clock   the clock and the timers of one process: which stop and die with it
    virtual_session  calls to the board in virtual time: renewals, ledger, reports
    content         the stores of machines, each in a folder, and the uploads of all
    world           the shared parts: time, web, servers, referee
    operator        the operator's orders, given at chosen moments
    machine         a machine with one worker process, over all its lives
    cluster         the machines of a crawl, the faults, and the result
    loose_log        the log of a server behind a network that loses answers and returns old reads
"""
