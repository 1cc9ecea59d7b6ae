"""Several worker processes under a supervisor.

The supervisor starts them, divides the job's limits among them, replaces dead ones, adds up their
progress, and finds the moment when all of them together are done. Worker processes share nothing
but the log and the address slots.

    supervisor      starts, watches and replaces worker processes
    child           processes under a supervisor, workers as well as members of a cluster
    end_search      finds the moment when all workers together are done
    grants          shares the job's limits exactly among several processes
    boot            the first module that a worker process runs
    worker_process  one worker in a process of its own, which follows the supervisor's commands
    protocol        the messages between supervisor and workers: commands and replies
"""
