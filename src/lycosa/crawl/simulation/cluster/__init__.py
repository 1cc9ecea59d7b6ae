"""Whole crawls of several machines in virtual time, with everything that networks do to them.

Worker, member, log contract, ledger and membership are the real code. Virtual are the clocks (each
machine's runs at its own rate), the servers (`log.loose`, `cluster.board.memory`) and the web.

    process_clock   the clock and the timers of one process: stopped and killed with it
    virtual_session  calls to the board in virtual time: renewals, ledger, reports
    content         what machines store, each in a folder, and what all have uploaded
    world           what all machines share: time, web, servers, referee
    operator        the operator's orders, given at chosen moments
    machine         a machine with one worker process, over all its lives
    cluster         the machines of a crawl, what goes wrong, and what came of it
"""
