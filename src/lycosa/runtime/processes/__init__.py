"""Runs a crawl of the real web in one process, or in several under a supervisor.

`run` locks the crawl directory, plants the seeds and decides how many workers the crawl gets. One
worker runs in this process (`single_process`). Several run in processes of their own (`workers`).

    run             starts or resumes a crawl directory, with one worker or several
    single_process  the crawl of one worker, in the user's own process
    assignments     the number of workers; partitions, connections and bandwidth of each
    requirements    conditions that job and machine must meet before a crawl begins
    progress_report  tells the progress of a run to listener, `live.json`, statistics and notifier
    runtime         a worker with the real network, disk and clock around it
    distant         reads records that other machines have uploaded, in a thread of its own
    main_loop       event loop and clock of a process; raises failures, counts stop requests
    presence        notices that the folder of a running crawl was removed
    signals         stops a running crawl at SIGINT, SIGTERM, or a call from another thread
    machine         settings that a crawl asks of the operating system and the interpreter
"""
