"""A crawl of the real web: one process, or worker processes under a supervisor.

A lone crawl is a runtime with one worker. With several workers, the supervisor starts a process
for each, hands out reservations against the job's limits, replaces the dead, and adds up progress.

    run             starts or resumes a crawl directory, alone or with workers
    runtime         a worker with its real surroundings: loop, clock, log, store, transport
    supervisor      starts, watches and replaces worker processes
    worker_process  what a worker process does
    child           a worker process as the supervisor sees it
    boot            the first module that a worker process runs
    protocol        the messages between supervisor and workers
    channel         how these messages travel: whole and in order, over a socket
    grants          the job's limits, shared exactly between processes
    signals         how a running crawl is told to stop
    machine         limits and settings that a crawl asks of the operating system
"""
