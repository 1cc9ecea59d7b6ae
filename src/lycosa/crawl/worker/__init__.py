"""The worker: the loop that chooses URLs, sends requests, and commits what it decided.

worker    the loop itself
sending   from a URL that may be asked for to a request on its way
inbox     what other partitions have sent: URLs, robots files, bids
rhythm    when to tick, to commit, and to wake up again
finish    when this worker's part of the crawl is done
commits   the order in which decisions become durable
lookups   host names to addresses, ahead of need
cycles    revisits: partitions bid, each is told its share
quality   what a page is worth in itself, for cycles
patience  how long to wait when only unreachable origins are left
"""
