"""Several worker processes under a supervisor.

The supervisor starts them, shares the job's limits out among them, replaces those that die, adds up
their progress, and finds out when all of them together are done. A worker process shares nothing
with the others but the log and the address slots.

    supervisor      starts, watches and replaces worker processes
    child           the supervisor's handle on one worker process
    end_search      finds out, for the supervisor, that all workers together are done
    grants          shares the job's limits exactly among several processes
    boot            the first module that a worker process runs
    worker_process  one worker in a process of its own, told what to do by the supervisor
    protocol        the messages between supervisor and workers: commands and replies
"""
