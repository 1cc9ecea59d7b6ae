"""The worker: the loop that chooses URLs, sends requests, and commits what it decided.

worker      the loop itself
sending     from a partition that has work to a request on its way
inbox       what other partitions have sent: URLs, robots files, bids
commits     the order in which decisions become durable
end_search  whether this worker's part of the crawl is done
patience    how long to wait when only unreachable origins are left
lookups     host names to addresses, ahead of need
cycles      revisits: partitions bid, each is told its share
quality     what a page is worth in itself, for cycles
alarms      timers that are only ever brought forward
"""
