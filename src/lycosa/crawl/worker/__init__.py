"""The worker: the loop that chooses URLs, sends requests, and commits what it decided.

One worker runs in one process and owns some of the partitions. A callback of the loop wakes it when
a host is due, an answer has come, or a commit is due; between callbacks it does nothing.

    worker      the loop itself
    ownership   takes partitions, hands them over, drops those that others have taken
    _pump       alarms, turns and the pump itself, compiled
    turns       whose turn it is: the next partition that has work
    sending     from a partition that has work to a request on its way
    _sending    what every page takes of that, compiled
    partings    closes connections to hosts that have nothing to fetch
    commits     makes decisions durable, in an order that a kill cannot turn into a loss
    cutting     ends requests that are still under way some seconds after a stop
    end_search  finds out whether this worker's part of the crawl is done
    running_time  writes down that the crawl is running, for a limit on its time
    patience    limits the wait when only unreachable origins are left
    lookups     resolves host names ahead of need
"""
