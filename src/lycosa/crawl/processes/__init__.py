"""Run a crawl of the real web in one process, or in several under a supervisor.

`run` locks the crawl directory, plants the seeds and decides how many workers the crawl gets. One
worker runs in this process (`single_process`). Several run in processes of their own: the
`supervisor` starts them, shares the job's limits out among them, and replaces those that die.

    run             starts or resumes a crawl directory, with one worker or several
    single_process  the crawl of one worker, in the process that the user has started
    supervisor      starts, watches and replaces worker processes
    end_search      finds out, for the supervisor, that all workers together are done
    worker_process  one worker in a process of its own, told what to do by the supervisor
    boot            the first module that a worker process runs
    child           the supervisor's handle on one worker process
    assignments     which partitions, connections and bandwidth each worker gets
    runtime         a worker with the real network, disk and clock around it
    main_loop       event loop and clock of a process; raises failures, counts stop requests
    protocol        the messages between supervisor and workers: commands and replies
    channel         sends these messages over a socket, whole and in order
    grants          shares the job's limits exactly among several processes
    signals         stops a running crawl at SIGINT, SIGTERM, or a call from another thread
    machine         settings that a crawl asks of the operating system and the interpreter
"""
