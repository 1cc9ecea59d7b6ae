"""What a page costs, counted instead of timed: the same figures on every machine and at any load.

    python -m benchmarks.budget                 calls a page of every job, beside the budgets
    python -m benchmarks.budget --instructions  instructions a page, by valgrind
    python -m benchmarks.budget --write         the present figures become the budgets

A fixed web is crawled over real sockets in one thread, in virtual time: the server answers when
the crawl waits, jobs beside the loop run at once, and the clock goes on by the same step with every
turn of the loop (`fixed_run`). Over TLS the server ends a connection after 50 answers, so that
handshakes are counted. So two runs of one commit count the same, and a figure that grows
has a cause in the code. Each figure is the difference of two crawls of the same job, one longer
than the other, divided by the pages between them: start and end cancel out.

Nothing here imports Lycosa before it runs, so that an older commit can be counted by the same code
(`PYTHONPATH`).
"""
